// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/cell_delegates.h"

#include "core/contract/gate_strip.h"
#include "core/store/triage.h"
#include "views/theme/theme.h"
#include "views/triage/kernel_table_model.h"
#include "views/triage/strip_geometry.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <cmath>

namespace assay::views {

namespace {

constexpr qreal kOutcomeShape = 13;
constexpr int kPadding = 8;

/// The selected or plain background of a cell, without text and without the style's focus frame: the table marks the current row.
void paintBackground(QPainter* painter, const QStyleOptionViewItem& option)
{
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, option.palette.brush(QPalette::Highlight));
}

QColor textColor(const QStyleOptionViewItem& option)
{
    return option.palette.color(option.state & QStyle::State_Selected ? QPalette::HighlightedText : QPalette::Text);
}

void paintMarkedGate(QPainter* painter, const QRectF& cell, const QColor& accent)
{
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(accent, 1.5));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(cell.adjusted(-2.25, -2.25, 2.25, 2.25), 3, 3);
}

QPainterPath ribbon(const QRectF& box)
{
    QPainterPath path(QPointF(box.left() + 2, box.top()));
    path.lineTo(box.right() - 2, box.top());
    path.lineTo(box.right() - 2, box.bottom());
    path.lineTo(box.center().x(), box.bottom() - 3.5);
    path.lineTo(box.left() + 2, box.bottom());
    path.closeSubpath();
    return path;
}

void paintNote(QPainter* painter, const QRectF& box)
{
    painter->drawRoundedRect(box.adjusted(0.5, 1.5, -0.5, -0.5), 1.5, 1.5);
    painter->drawLine(QPointF(box.left() + 3, box.top() + 5), QPointF(box.right() - 3, box.top() + 5));
    painter->drawLine(QPointF(box.left() + 3, box.top() + 8), QPointF(box.right() - 5, box.top() + 8));
}

void paintWaiver(QPainter* painter, const QRectF& box)
{
    QPainterPath shield(QPointF(box.center().x(), box.top()));
    shield.lineTo(box.right() - 1, box.top() + 2);
    shield.quadTo(box.right() - 1, box.bottom() - 3, box.center().x(), box.bottom());
    shield.quadTo(box.left() + 1, box.bottom() - 3, box.left() + 1, box.top() + 2);
    shield.closeSubpath();
    painter->drawPath(shield);
}

void paintSource(QPainter* painter, const QRectF& box)
{
    const qreal y = box.center().y();
    painter->drawPolyline(QPolygonF({{box.left() + 3.5, y - 3.5}, {box.left() + 0.5, y}, {box.left() + 3.5, y + 3.5}}));
    painter->drawPolyline(QPolygonF({{box.right() - 3.5, y - 3.5}, {box.right() - 0.5, y}, {box.right() - 3.5, y + 3.5}}));
}

} // namespace

TextCellDelegate::TextCellDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
    , m_numberFont(theme.numberFont())
{
    connect(&theme, &Theme::changed, this, [this] { m_numberFont = m_theme.numberFont(); });
}

void TextCellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    paintBackground(painter, option);
    const QString text = index.data().toString();
    if (text.isEmpty())
        return;
    const int alignment = index.data(Qt::TextAlignmentRole).toInt();
    painter->setFont(alignment & Qt::AlignRight ? m_numberFont : option.font);
    painter->setPen(index.data(KernelTableModel::LoadedRole).toBool() ? textColor(option) : m_theme.mutedInk());
    const QRect rect = option.rect.adjusted(kPadding, 0, -kPadding, 0);
    const QFontMetrics metrics = painter->fontMetrics();
    // The ends of ids tell them apart.
    const auto elision = index.column() == static_cast<int>(store::TriageColumn::Id) ? Qt::ElideLeft : Qt::ElideRight;
    // Measuring a text costs as much as drawing it; most are far too short to need it.
    const bool surelyFits = text.size() * metrics.averageCharWidth() * 2 <= rect.width();
    painter->drawText(rect, alignment | Qt::TextSingleLine, surelyFits ? text : metrics.elidedText(text, elision, rect.width()));
}

GateStripDelegate::GateStripDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
    , m_cells(theme)
{
    connect(&theme, &Theme::changed, this, [this] { m_cells.clear(); });
}

void GateStripDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    paintBackground(painter, option);
    if (!index.data(KernelTableModel::LoadedRole).toBool())
        return;
    const contract::GateStrip strip(index.data(KernelTableModel::StripRole).toLongLong());
    const int marked = index.data(KernelTableModel::MarkedGateRole).toInt();
    const StripGeometry geometry{QRectF(option.rect)};
    painter->save();
    painter->setClipRect(option.rect);
    for (const contract::Gate gate : contract::kAllGates) {
        const QRectF cell = geometry.cell(gate);
        m_cells.paint(*painter, cell, strip.cell(gate));
        if (contract::indexOf(gate) == marked)
            paintMarkedGate(painter, cell, m_theme.accent());
    }
    painter->restore();
}

QSize GateStripDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return {StripGeometry::fullWidth(), m_theme.rowHeight()};
}

bool GateStripDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                                    const QModelIndex& index)
{
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const auto gate = StripGeometry(QRectF(option.rect)).gateAt(mouse->position());
        if (mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::NoModifier && gate) {
            Q_EMIT gateClicked(index.data(KernelTableModel::IdRole).toLongLong(), *gate);
            return true;
        }
    }
    return QStyledItemDelegate::editorEvent(event, model, option, index);
}

bool GateStripDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                                  const QModelIndex& index)
{
    const StripGeometry geometry{QRectF(option.rect)};
    const auto gate = geometry.gateAt(QPointF(event->pos()));
    if (event->type() != QEvent::ToolTip || !gate || !index.data(KernelTableModel::LoadedRole).toBool())
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    const contract::GateStrip strip(index.data(KernelTableModel::StripRole).toLongLong());
    Q_EMIT gateHovered(index.data(KernelTableModel::IdRole).toLongLong(), *gate, static_cast<int>(strip.cell(*gate)),
                       event->globalPos(), geometry.cell(*gate).toAlignedRect());
    return true;
}

OutcomeDelegate::OutcomeDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_cells(theme)
{
    connect(&theme, &Theme::changed, this, [this] { m_cells.clear(); });
}

void OutcomeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    paintBackground(painter, option);
    if (!index.data(KernelTableModel::LoadedRole).toBool())
        return;
    const auto cell = static_cast<contract::StripCell>(index.data(KernelTableModel::SeverityRole).toInt());
    const QRectF rect(option.rect);
    const QRectF shape(rect.left() + kPadding, rect.top() + (rect.height() - kOutcomeShape) / 2, kOutcomeShape, kOutcomeShape);
    m_cells.paint(*painter, QRectF(shape.topLeft().toPoint(), shape.size()), cell);
    const QRectF text = rect.adjusted(kPadding + kOutcomeShape + 6, 0, -kPadding / 2, 0);
    painter->setPen(textColor(option));
    painter->setFont(option.font);
    const QString word = option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, static_cast<int>(text.width()));
    painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, word);
}

FlagsDelegate::FlagsDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
{
}

void FlagsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    paintBackground(painter, option);
    const int flags = index.data(KernelTableModel::FlagsRole).toInt();
    if (flags == 0)
        return;
    constexpr qreal kBox = 11;
    constexpr qreal kStep = 16;
    QRectF box(option.rect.left() + kPadding, option.rect.top() + std::floor((option.rect.height() - kBox) / 2.0), kBox, kBox);
    painter->save();
    painter->setClipRect(option.rect);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(option.state & QStyle::State_Selected ? textColor(option) : m_theme.mutedInk(), 1.2));
    if (flags & KernelTableModel::Bookmarked)
        painter->fillPath(ribbon(box), m_theme.accent());
    box.translate(kStep, 0);
    if (flags & KernelTableModel::Noted)
        paintNote(painter, box);
    box.translate(kStep, 0);
    if (flags & KernelTableModel::Waived)
        paintWaiver(painter, box);
    box.translate(kStep, 0);
    if (flags & KernelTableModel::Sourced)
        paintSource(painter, box);
    painter->restore();
}

} // namespace assay::views
