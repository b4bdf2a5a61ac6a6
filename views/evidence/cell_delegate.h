// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace assay::views {

class Theme;

/// Paints the verdict shape a role carries in front of an item's text.
class CellDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    /// @param cellRole  the role that holds a contract::StripCell
    CellDelegate(const Theme& theme, int cellRole, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const Theme& m_theme;
    int m_cellRole;
};

/// Paints measured against allowed on a logarithmic bar, from four roles.
class MeasureDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    struct Roles {
        int value, valueClass, threshold, thresholdClass;
    };
    MeasureDelegate(const Theme& theme, Roles roles, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const Theme& m_theme;
    Roles m_roles;
};

} // namespace assay::views
