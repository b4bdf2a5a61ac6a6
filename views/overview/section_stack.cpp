// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/section_stack.h"

#include "views/overview/link_panel.h"

#include <QEvent>

#include <algorithm>

namespace assay::views {

SectionStack::SectionStack(QWidget* parent)
    : QWidget(parent)
{
}

void SectionStack::addRow(const QVector<Item>& items)
{
    for (const Item& item : items)
        item.widget->setParent(this);
    m_rows << items;
}

int SectionStack::heightOf(const Item& item, int width) const
{
    if (auto* panel = qobject_cast<LinkPanel*>(item.widget))
        return panel->arrangeFor(width);
    return item.widget->hasHeightForWidth() ? item.widget->heightForWidth(width) : item.widget->sizeHint().height();
}

int SectionStack::placeRow(const QVector<Item>& row, int left, int top, int width)
{
    QVector<Item> shown;
    for (const Item& item : row) {
        if (!item.widget->isHidden())
            shown << item;
    }
    if (shown.isEmpty())
        return 0;
    int least = kGap * (int(shown.size()) - 1);
    int stretch = 0;
    for (const Item& item : shown) {
        least += item.minimumWidth;
        stretch += item.stretch;
    }
    if (least > width) {
        int used = 0;
        for (const Item& item : shown) {
            const int height = heightOf(item, width);
            item.widget->setGeometry(left, top + used, width, height);
            used += height + kRowGap;
        }
        return used;
    }
    int x = left;
    int tallest = 0;
    for (const Item& item : shown) {
        const int extra = stretch > 0 ? (width - least) * item.stretch / stretch : 0;
        const int itemWidth = item.minimumWidth + extra;
        const int height = heightOf(item, itemWidth);
        item.widget->setGeometry(x, top, itemWidth, height);
        x += itemWidth + kGap;
        tallest = std::max(tallest, height);
    }
    return tallest + kRowGap;
}

void SectionStack::relayout()
{
    if (m_placing)
        return;
    m_placing = true;
    const int usable = std::min(width(), kWidest) - 2 * kMargin;
    const int left = kMargin;
    int y = kMargin - 8;
    for (const QVector<Item>& row : m_rows)
        y += placeRow(row, left, y, std::max(240, usable));
    setMinimumHeight(y);
    m_placing = false;
}

QSize SectionStack::sizeHint() const
{
    return {1200, minimumHeight()};
}

void SectionStack::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    relayout();
}

bool SectionStack::event(QEvent* event)
{
    if (event->type() == QEvent::LayoutRequest)
        relayout();
    return QWidget::event(event);
}

} // namespace assay::views
