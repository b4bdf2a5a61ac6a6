// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace assay::views {

class Theme;

/// Draws StrataModel::IntervalRole as a line from low to high on the scale 0 to 1, with a dot at the share.
class IntervalDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit IntervalDelegate(const Theme& theme, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const Theme& m_theme;
};

} // namespace assay::views
