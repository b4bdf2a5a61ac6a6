// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/cell_delegate.h"

#include "kernels/tensor/measured.h"
#include "views/evidence/measure_bar.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QPainter>

namespace assay::views {

namespace {

constexpr int kShape = 13;
constexpr int kRoom = 26;

/// Background and selection as the style draws them, without text.
void drawGround(QPainter* painter, QStyleOptionViewItem option)
{
    option.text.clear();
    option.icon = {};
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &option, painter, option.widget);
}

} // namespace

CellDelegate::CellDelegate(const Theme& theme, int cellRole, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
    , m_cellRole(cellRole)
{
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const
{
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    drawGround(painter, option);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRect r = option.rect;
    m_theme.paintCell(*painter, QRectF(r.left() + 6, r.center().y() - kShape / 2.0 + 0.5, kShape, kShape),
                      static_cast<contract::StripCell>(index.data(m_cellRole).toInt()));
    painter->setFont(option.font);
    painter->setPen(m_theme.ink());
    const QRect text = r.adjusted(kRoom, 0, -4, 0);
    painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(option.text, Qt::ElideRight, text.width()));
    painter->restore();
}

MeasureDelegate::MeasureDelegate(const Theme& theme, Roles roles, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
    , m_roles(roles)
{
}

void MeasureDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const
{
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    drawGround(painter, option);
    const auto read = [&index](int value, int valueClass) {
        tensor::Measured result;
        result.valueClass = static_cast<tensor::ValueClass>(index.data(valueClass).toInt());
        if (result.isFinite())
            result.value = index.data(value).toDouble();
        return result;
    };
    paintMeasureBar(*painter, QRectF(option.rect).adjusted(8, 0, -8, 0), read(m_roles.value, m_roles.valueClass),
                    read(m_roles.threshold, m_roles.thresholdClass), m_theme);
}

} // namespace assay::views
