// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QStyledItemDelegate>
#include <QTreeView>

namespace assay::views {

class FacetModel;
class Theme;

/// A facet's value: shape of an outcome, name, count, and a thin bar for its share.
class FacetDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit FacetDelegate(const Theme& theme, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void paintGroup(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintValue(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    const Theme& m_theme;
};

/// Facets beside the kernel list. A click keeps a value, with Ctrl or Alt it leaves the value out; Space and Enter do what a
/// click does.
class FacetPanel final : public QTreeView {
    Q_OBJECT
public:
    FacetPanel(FacetModel& model, const Theme& theme, QWidget* parent = nullptr);

    /// Filter keys of the groups that are collapsed.
    QStringList collapsed() const;
    void setCollapsed(const QStringList& fields);

    QSize sizeHint() const override;

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;
    void keyboardSearch(const QString& search) override;

private:
    void activateIndex(const QModelIndex& index, bool exclude);
    FacetModel& m_model;
    QPersistentModelIndex m_pressed;
};

} // namespace assay::views
