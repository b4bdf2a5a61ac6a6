// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/verdict_legend.h"

#include "views/theme/cell_shape.h"
#include "views/theme/theme.h"

#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <array>

namespace assay::views {

using namespace Qt::StringLiterals;
using contract::StripCell;

namespace {
constexpr int kShape = 12; // px, the side of a cell in the strip
constexpr int kGap = 8;    // px
constexpr int kRow = 20;   // px

// Crash and hang share a shape, as do unknown and not judged: one line each.
constexpr std::array kEntries = {StripCell::Pass,  StripCell::PassWithNote, StripCell::FailHard,    StripCell::FailSoft,
                                 StripCell::Crash, StripCell::Inapplicable, StripCell::Unsupported, StripCell::NotExercised,
                                 StripCell::Error, StripCell::Running,      StripCell::Absent};

QString entryTitle(StripCell cell)
{
    if (cell == StripCell::Crash)
        return VerdictLegend::tr("candidate crashed or hung");
    if (cell == StripCell::Error)
        return VerdictLegend::tr("could not be judged, unknown");
    return cellTitle(cell);
}
} // namespace

VerdictLegend::VerdictLegend(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setAccessibleName(tr("Legend of the gate strip"));
    QStringList titles;
    for (const StripCell cell : kEntries)
        titles << entryTitle(cell);
    setAccessibleDescription(titles.join(u", "_s));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

int VerdictLegend::columnWidth() const
{
    const QFontMetrics metrics(m_theme.smallFont());
    int widest = 0;
    for (const StripCell cell : kEntries)
        widest = std::max(widest, metrics.horizontalAdvance(entryTitle(cell)));
    return kShape + kGap + widest + 2 * kGap;
}

int VerdictLegend::columnsFor(int width) const
{
    return std::clamp(width / columnWidth(), 1, static_cast<int>(kEntries.size()));
}

QSize VerdictLegend::sizeHint() const
{
    return {2 * columnWidth(), heightForWidth(2 * columnWidth())};
}

QSize VerdictLegend::minimumSizeHint() const
{
    return {columnWidth(), kRow};
}

bool VerdictLegend::hasHeightForWidth() const
{
    return true;
}

int VerdictLegend::heightForWidth(int width) const
{
    const int columns = columnsFor(width);
    return (static_cast<int>(kEntries.size()) + columns - 1) / columns * kRow;
}

void VerdictLegend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setFont(m_theme.smallFont());
    const int columns = columnsFor(width());
    const int rows = (static_cast<int>(kEntries.size()) + columns - 1) / columns;
    for (int i = 0; i < static_cast<int>(kEntries.size()); ++i) {
        const StripCell cell = kEntries[static_cast<std::size_t>(i)];
        const QPoint corner(i / rows * columnWidth(), i % rows * kRow);
        m_theme.paintCell(painter, QRectF(corner.x(), corner.y() + (kRow - kShape) / 2, kShape, kShape), cell);
        painter.setPen(m_theme.mutedInk());
        painter.drawText(QRect(corner.x() + kShape + kGap, corner.y(), columnWidth() - kShape - kGap, kRow),
                         Qt::AlignLeft | Qt::AlignVCenter, entryTitle(cell));
    }
}

} // namespace assay::views
