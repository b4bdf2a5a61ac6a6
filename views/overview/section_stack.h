// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVector>
#include <QWidget>

namespace assay::views {

class LinkPanel;

/// Places panels in rows: side by side where their widths fit, one under the other where not. Height follows width.
class SectionStack final : public QWidget {
    Q_OBJECT
public:
    explicit SectionStack(QWidget* parent = nullptr);

    struct Item {
        QWidget* widget = nullptr; ///< a LinkPanel sizes itself; any other widget gets its sizeHint's height
        int minimumWidth = 0;
        int stretch = 1;
    };
    /// A row keeps its items' order; widgets become children of the stack.
    void addRow(const QVector<Item>& items);
    /// Lays out again after a panel's content changed.
    void relayout();

    QSize sizeHint() const override;
    static constexpr int kMargin = 28;
    static constexpr int kGap = 36;
    static constexpr int kRowGap = 26;
    static constexpr int kWidest = 1560; ///< wider than this, lines get too long to follow

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    int heightOf(const Item& item, int width) const;
    int placeRow(const QVector<Item>& row, int left, int top, int width);

    QVector<QVector<Item>> m_rows;
    bool m_placing = false;
};

} // namespace assay::views
