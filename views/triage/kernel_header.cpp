// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/kernel_header.h"

#include "core/store/triage.h"
#include "views/theme/theme.h"
#include "views/triage/strip_geometry.h"
#include "views/triage/triage_words.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeight = 36; // two lines: groups and numbers
constexpr int kPadding = 8;
constexpr int kGates = static_cast<int>(store::TriageColumn::Gates);

QFont smaller(QFont font)
{
    font.setPointSizeF(font.pointSizeF() * 0.82);
    return font;
}

/// A filled triangle of the sort direction, right or left of the title.
void paintArrow(QPainter* painter, const QRectF& box, bool descending, const QColor& color)
{
    const QPointF centre = box.center();
    const qreal half = 3.5;
    const qreal tip = descending ? 2.5 : -2.5;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(color);
    painter->drawPolygon(QPolygonF(
        {{centre.x() - half, centre.y() - tip}, {centre.x() + half, centre.y() - tip}, {centre.x(), centre.y() + tip}}));
}

} // namespace

KernelHeader::KernelHeader(const Theme& theme, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent)
    , m_theme(theme)
{
    setSectionsClickable(true);
    setSectionsMovable(true);
    setHighlightSections(false);
    setSortIndicatorShown(true);
    setMinimumSectionSize(36);
    setAccessibleName(tr("Columns of the kernel list"));
}

QSize KernelHeader::sizeHint() const
{
    return {QHeaderView::sizeHint().width(), kHeight};
}

std::optional<contract::Gate> KernelHeader::gateAt(const QPoint& position) const
{
    if (logicalIndexAt(position) != kGates)
        return std::nullopt;
    return StripGeometry(QRectF(sectionViewportPosition(kGates), 0, sectionSize(kGates), height())).gateAt(QPointF(position));
}

void KernelHeader::paintSection(QPainter* painter, const QRect& rect, int logicalIndex) const
{
    if (!rect.isValid())
        return;
    painter->save();
    painter->setClipRect(rect);
    painter->fillRect(rect, m_theme.raised());
    painter->setPen(m_theme.line());
    painter->drawLine(rect.bottomLeft(), rect.bottomRight());
    const bool sorted = isSortIndicatorShown() && sortIndicatorSection() == logicalIndex;
    const QColor ink = sorted ? m_theme.ink() : m_theme.mutedInk();
    if (logicalIndex == kGates) {
        paintGateLabels(painter, rect);
        if (sorted) {
            const QRectF box(StripGeometry(QRectF(rect)).group(contract::Gate::Res02).right() + 1, rect.top(), 10,
                             rect.height() - 8);
            paintArrow(painter, box, sortIndicatorOrder() == Qt::DescendingOrder, m_theme.accent());
        }
        painter->restore();
        return;
    }
    const bool right = model()->headerData(logicalIndex, Qt::Horizontal, Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
    const QRect line(rect.left() + kPadding, rect.bottom() - 21, rect.width() - 2 * kPadding + 4, 18);
    QRect text = line.adjusted(right && sorted ? 11 : 0, 0, -4, 0);
    if (!right && sorted)
        text.setRight(text.right() - 8);
    painter->setFont(font());
    painter->setPen(ink);
    const QString title
        = fontMetrics().elidedText(model()->headerData(logicalIndex, Qt::Horizontal).toString(), Qt::ElideRight, text.width());
    painter->drawText(text, (right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, title);
    if (sorted) {
        const int width = fontMetrics().horizontalAdvance(title);
        const QRectF box(right ? text.right() - width - 12 : text.left() + width + 4, line.top(), 10, line.height());
        paintArrow(painter, box, sortIndicatorOrder() == Qt::DescendingOrder, m_theme.accent());
    }
    painter->restore();
}

void KernelHeader::paintGateLabels(QPainter* painter, const QRect& rect) const
{
    const StripGeometry geometry{QRectF(rect)};
    const QFont groupFont = smaller(font());
    QFont numberFont = smaller(m_theme.numberFont());
    for (const contract::Gate gate : contract::kAllGates) {
        const QRectF column = geometry.group(gate);
        const QRectF cell = geometry.cell(gate);
        if (contract::id(gate).ends_with("01")) {
            painter->setFont(groupFont);
            painter->setPen(m_theme.ink());
            painter->drawText(QRectF(column.left(), rect.top() + 3, column.width(), 14), Qt::AlignCenter,
                              words::fromUtf8(contract::group(gate)));
            painter->setPen(m_theme.line());
            painter->drawLine(QPointF(column.left() + 3, rect.top() + 18.5), QPointF(column.right() - 3, rect.top() + 18.5));
        }
        painter->setFont(numberFont);
        painter->setPen(m_theme.mutedInk());
        painter->drawText(QRectF(cell.left() - 2, rect.bottom() - 16, cell.width() + 4, 14), Qt::AlignCenter,
                          words::gateId(gate).right(1));
    }
}

bool KernelHeader::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        if (const auto gate = gateAt(help->pos())) {
            QToolTip::showText(help->globalPos(), words::gateId(*gate) + u": "_s + words::fromUtf8(contract::title(*gate)), this);
            return true;
        }
    }
    return QHeaderView::viewportEvent(event);
}

} // namespace assay::views
