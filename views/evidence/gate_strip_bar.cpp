// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/gate_strip_bar.h"

#include "views/evidence/measure_text.h"
#include "views/theme/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr qreal kGroupGap = 10;
constexpr qreal kWidestCell = 64;
constexpr qreal kNarrowestCell = 26;
constexpr qreal kRoomForId = 52;
constexpr int kHeight = 60;
constexpr qreal kGroupLine = 14; // under the names of the groups, where the cells are too narrow for whole ids
constexpr int kGroupGaps = 4;    // CMP | EXC | ORD | PRC | RES

QString gateNumber(contract::Gate gate)
{
    return measure_text::gateId(gate).right(2);
}

QString groupName(contract::Gate gate)
{
    const std::string_view name = contract::group(gate);
    return QString::fromLatin1(name.data(), qsizetype(name.size()));
}

} // namespace

GateStripBar::GateStripBar(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Gates"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void GateStripBar::setStrip(contract::GateStrip strip)
{
    m_strip = strip;
    describe();
    update();
}

void GateStripBar::setGate(std::optional<contract::Gate> gate)
{
    m_gate = gate;
    describe();
    update();
}

QSize GateStripBar::sizeHint() const
{
    return {int(12 * 44 + kGroupGaps * kGroupGap), kHeight};
}

QSize GateStripBar::minimumSizeHint() const
{
    return {int(12 * kNarrowestCell + kGroupGaps * kGroupGap), kHeight};
}

QRectF GateStripBar::cellRect(contract::Gate gate) const
{
    const qreal cell = std::clamp((width() - kGroupGaps * kGroupGap) / contract::kGateCount, kNarrowestCell, kWidestCell);
    qreal x = 0;
    for (int i = 1; i <= contract::indexOf(gate); ++i) {
        const bool newGroup
            = contract::group(contract::kAllGates[std::size_t(i)]) != contract::group(contract::kAllGates[std::size_t(i - 1)]);
        x += cell + (newGroup ? kGroupGap : 0);
    }
    return {x, 0, cell, kHeight};
}

std::optional<contract::Gate> GateStripBar::gateAt(const QPointF& position) const
{
    for (const contract::Gate gate : contract::kAllGates) {
        if (cellRect(gate).contains(position))
            return gate;
    }
    return std::nullopt;
}

QString GateStripBar::spoken(contract::Gate gate) const
{
    const std::string_view title = contract::title(gate);
    const std::string_view state = contract::name(m_strip.cell(gate));
    QString words = QString::fromLatin1(state.data(), qsizetype(state.size())).replace(u'_', u' ');
    return measure_text::gateId(gate) + u", "_s + QString::fromUtf8(title.data(), qsizetype(title.size())) + u": "_s
        + (words.isEmpty() || words == u"absent"_s ? tr("not run in this audit") : words);
}

void GateStripBar::describe()
{
    QStringList all;
    for (const contract::Gate gate : contract::kAllGates)
        all << spoken(gate);
    setAccessibleDescription(all.join(u"; "_s));
    setAccessibleName(m_gate ? tr("Gates: ") + spoken(*m_gate) : tr("Gates"));
}

bool GateStripBar::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const auto gate = gateAt(help->pos()))
            QToolTip::showText(help->globalPos(), spoken(*gate), this, cellRect(*gate).toAlignedRect());
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void GateStripBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QFont font = m_theme.smallFont();
    const qreal top = hasRoomForIds() ? 0 : kGroupLine + 2;
    for (const contract::Gate gate : contract::kAllGates) {
        const QRectF cell = cellRect(gate);
        const bool chosen = m_gate == gate;
        if (chosen) {
            painter.setPen(hasFocus() ? QPen(m_theme.accent(), 1.5) : QPen(Qt::NoPen));
            painter.setBrush(m_theme.selected());
            painter.drawRoundedRect(cell.adjusted(1, top + 1, -1, -1), 4, 4);
        }
        const qreal side = std::min(20.0, cell.width() - 8);
        m_theme.paintCell(painter, QRectF(cell.center().x() - side / 2, top > 0 ? top + 5 : 8, side, side), m_strip.cell(gate));
        painter.setPen(chosen ? m_theme.ink() : m_theme.mutedInk());
        font.setWeight(chosen ? QFont::DemiBold : QFont::Normal);
        painter.setFont(font);
        if (hasRoomForIds()) {
            painter.drawText(QRectF(cell.left(), 32, cell.width(), 22), Qt::AlignCenter, measure_text::gateId(gate));
        } else {
            painter.drawText(QRectF(cell.left(), 42, cell.width(), 16), Qt::AlignCenter, gateNumber(gate));
        }
    }
    if (!hasRoomForIds())
        paintGroups(painter);
}

bool GateStripBar::hasRoomForIds() const
{
    return cellRect(contract::kAllGates.front()).width() >= kRoomForId;
}

/// Names of the groups above their cells, as in the header of the kernel list.
void GateStripBar::paintGroups(QPainter& painter) const
{
    QFont font = m_theme.smallFont();
    font.setWeight(QFont::Normal);
    painter.setFont(font);
    for (std::size_t first = 0; first < contract::kAllGates.size();) {
        std::size_t last = first;
        while (last + 1 < contract::kAllGates.size()
               && contract::group(contract::kAllGates[last + 1]) == contract::group(contract::kAllGates[first]))
            ++last;
        const QRectF span = cellRect(contract::kAllGates[first]).united(cellRect(contract::kAllGates[last]));
        painter.setPen(m_theme.mutedInk());
        painter.drawText(QRectF(span.left(), -1, span.width(), kGroupLine), Qt::AlignCenter,
                         groupName(contract::kAllGates[first]));
        painter.setPen(m_theme.line());
        painter.drawLine(QPointF(span.left() + 4, kGroupLine + 0.5), QPointF(span.right() - 4, kGroupLine + 0.5));
        first = last + 1;
    }
}

void GateStripBar::keyPressEvent(QKeyEvent* event)
{
    const int now = m_gate ? contract::indexOf(*m_gate) : -1;
    int next = now;
    switch (event->key()) {
    case Qt::Key_Left:
        next = std::max(0, now - 1);
        break;
    case Qt::Key_Right:
        next = std::min(contract::kGateCount - 1, now + 1);
        break;
    case Qt::Key_Home:
        next = 0;
        break;
    case Qt::Key_End:
        next = contract::kGateCount - 1;
        break;
    default:
        QWidget::keyPressEvent(event);
        return;
    }
    if (next != now)
        Q_EMIT chosen(contract::kAllGates[std::size_t(next)]);
}

void GateStripBar::mousePressEvent(QMouseEvent* event)
{
    if (const auto gate = gateAt(event->position()))
        Q_EMIT chosen(*gate);
}

} // namespace assay::views
