// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/audit/interval_delegate.h"

#include "views/audit/strata_model.h"
#include "views/theme/theme.h"

#include <QPainter>

namespace assay::views {

namespace {
constexpr double kInset = 8; // px on either side, so that a dot at 0 or 1 is whole
constexpr double kDot = 3;
constexpr double kLine = 2;
} // namespace

IntervalDelegate::IntervalDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
{
}

void IntervalDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem bare = option;
    initStyleOption(&bare, index);
    bare.text.clear();
    bare.widget->style()->drawControl(QStyle::CE_ItemViewItem, &bare, painter, bare.widget);
    const QRectF scale = QRectF(option.rect).adjusted(kInset, 0, -kInset, 0);
    const double middle = scale.center().y();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(m_theme.line(), 1));
    painter->drawLine(QPointF(scale.left(), middle), QPointF(scale.right(), middle));
    for (const double tick : {0.0, 0.5, 1.0}) {
        const double x = scale.left() + tick * scale.width();
        painter->drawLine(QPointF(x, middle - kDot), QPointF(x, middle + kDot));
    }
    const QVariantList interval = index.data(StrataModel::IntervalRole).toList();
    if (interval.size() == 3) {
        const auto at = [&](qsizetype i) { return scale.left() + interval[i].toDouble() * scale.width(); };
        painter->setPen(QPen(m_theme.accent(), kLine, Qt::SolidLine, Qt::FlatCap));
        painter->drawLine(QPointF(at(0), middle), QPointF(at(2), middle));
        painter->setPen(Qt::NoPen);
        painter->setBrush(m_theme.accent());
        painter->drawEllipse(QPointF(at(1), middle), kDot + 0.5, kDot + 0.5);
    }
    painter->restore();
}

} // namespace assay::views
