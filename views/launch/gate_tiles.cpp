// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/gate_tiles.h"

#include "views/launch/gate_tile_model.h"
#include "views/theme/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;
using contract::StripCell;

namespace {

constexpr int kGap = 8; // px
constexpr int kTileHeight = 88;
constexpr int kNarrowest = 124;
constexpr qreal kRoomForTitle = 168; ///< a narrower tile has the number where the title would stand
constexpr int kMostColumns = 6;
constexpr qreal kShape = 18;
constexpr qreal kPadding = 10;
constexpr qreal kLine = 17;
constexpr qreal kRadius = 6;

bool isPlain(StripCell cell)
{
    return cell == StripCell::Absent;
}

bool weighs(StripCell cell)
{
    return contract::isFailing(cell) || cell == StripCell::Running;
}

QColor washed(const QColor& ground, const QColor& colour, qreal share)
{
    const auto mix = [share](int from, int to) { return int(from + (to - from) * share + 0.5); };
    return {mix(ground.red(), colour.red()), mix(ground.green(), colour.green()), mix(ground.blue(), colour.blue())};
}

} // namespace

GateTiles::GateTiles(QAbstractItemModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
    , m_theme(theme)
{
    setObjectName(u"launch.tiles"_s);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    connect(&model, &QAbstractItemModel::dataChanged, this, [this] {
        describe();
        update();
    });
    describe();
}

void GateTiles::setCurrent(int row)
{
    row = std::clamp(row, 0, m_model.rowCount() - 1);
    if (row == m_current)
        return;
    m_current = row;
    describe();
    update();
    Q_EMIT currentChanged(row);
}

void GateTiles::describe()
{
    QStringList all;
    for (int row = 0; row < m_model.rowCount(); ++row)
        all << m_model.index(row, 0).data(Qt::AccessibleTextRole).toString();
    setAccessibleName(tr("Gates of the run: %1").arg(all.value(m_current)));
    setAccessibleDescription(all.join(u"; "_s));
}

int GateTiles::columnsFor(int width) const
{
    return std::clamp((width + kGap) / (kNarrowest + kGap), 1, kMostColumns);
}

int GateTiles::heightForWidth(int width) const
{
    const int columns = columnsFor(width);
    const int rows = (m_model.rowCount() + columns - 1) / columns;
    return rows * kTileHeight + (rows - 1) * kGap;
}

QSize GateTiles::sizeHint() const
{
    const int width = kMostColumns * (kNarrowest + kGap) - kGap;
    return {width, heightForWidth(width)};
}

QSize GateTiles::minimumSizeHint() const
{
    const int width = 2 * kNarrowest + kGap;
    return {width, kTileHeight};
}

QRectF GateTiles::tileRect(int row) const
{
    const int columns = columnsFor(width());
    const qreal wide = (width() - qreal(columns - 1) * kGap) / columns;
    return {(row % columns) * (wide + kGap), qreal(row / columns) * (kTileHeight + kGap), wide, kTileHeight};
}

int GateTiles::tileAt(const QPointF& place) const
{
    for (int row = 0; row < m_model.rowCount(); ++row) {
        if (tileRect(row).contains(place))
            return row;
    }
    return -1;
}

void GateTiles::paintTile(QPainter& painter, int row) const
{
    const QModelIndex index = m_model.index(row, 0);
    const auto cell = static_cast<StripCell>(index.data(GateTileModel::CellRole).toInt());
    const auto text = [&index](int role) { return index.data(role).toString(); };
    const QColor colour = isPlain(cell) ? m_theme.line() : m_theme.cell(cell);
    const QRectF tile = tileRect(row).adjusted(0.5, 0.5, -0.5, -0.5);

    const bool isChosen = row == m_current && hasFocus();
    painter.setBrush(isPlain(cell) ? m_theme.raised() : washed(m_theme.surface(), colour, weighs(cell) ? 0.14 : 0.08));
    painter.setPen(QPen(isChosen ? m_theme.accent() : washed(m_theme.surface(), colour, isPlain(cell) ? 1 : 0.55), 1));
    painter.drawRoundedRect(tile, kRadius, kRadius);
    if (isChosen) {
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(tile.adjusted(1, 1, -1, -1), kRadius - 1, kRadius - 1);
    }

    const QRectF inner = tile.adjusted(kPadding, kPadding - 2, -kPadding, -kPadding + 2);
    m_theme.paintCell(painter, QRectF(inner.left(), inner.top() + 1, kShape, kShape), cell);
    QFont bold = m_theme.uiFont();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(isPlain(cell) ? m_theme.mutedInk() : m_theme.ink());
    painter.drawText(QRectF(inner.left() + kShape + 8, inner.top(), inner.width() - kShape - 8, 20),
                     Qt::AlignLeft | Qt::AlignVCenter, text(GateTileModel::IdRole));

    const QFont small = m_theme.smallFont();
    const auto line = [&](int number, const QString& shown, const QColor& ink) {
        painter.setFont(small);
        painter.setPen(ink);
        const QRectF at(inner.left(), inner.bottom() - (3 - number) * kLine, inner.width(), kLine);
        painter.drawText(at, Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetrics(small).elidedText(shown, Qt::ElideRight, int(inner.width())));
    };
    const bool isWide = tile.width() >= kRoomForTitle;
    const QString number = text(GateTileModel::NumberRole);
    const bool hasTitle = isWide || number.isEmpty();
    const QString state = text(GateTileModel::StateRole);
    const bool isShort = QFontMetrics(small).horizontalAdvance(state) > inner.width();
    if (hasTitle)
        line(0, text(GateTileModel::TitleRole), m_theme.mutedInk());
    line(hasTitle ? 1 : 0, isShort ? text(GateTileModel::ShortStateRole) : state,
         isPlain(cell) ? m_theme.mutedInk() : m_theme.ink());
    line(2, text(GateTileModel::CountRole), m_theme.mutedInk());
    painter.setFont(m_theme.numberFont());
    painter.setPen(m_theme.ink());
    if (isWide)
        painter.drawText(QRectF(inner.left(), inner.top(), inner.width(), 20), Qt::AlignRight | Qt::AlignVCenter, number);
    else
        painter.drawText(QRectF(inner.left(), inner.bottom() - 2 * kLine, inner.width(), kLine), Qt::AlignLeft | Qt::AlignVCenter,
                         number);
}

/// All rows of tiles, whatever the width: none is ever out of sight.
void GateTiles::resizeEvent(QResizeEvent* event)
{
    setFixedHeight(heightForWidth(width()));
    QWidget::resizeEvent(event);
}

void GateTiles::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int row = 0; row < m_model.rowCount(); ++row)
        paintTile(painter, row);
}

bool GateTiles::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = tileAt(help->pos());
    const QString said = row < 0 ? QString() : m_model.index(row, 0).data(Qt::ToolTipRole).toString();
    if (said.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), said, this, tileRect(row).toAlignedRect());
    return true;
}

void GateTiles::keyPressEvent(QKeyEvent* event)
{
    const int columns = columnsFor(width());
    switch (event->key()) {
    case Qt::Key_Left:
        return setCurrent(m_current - 1);
    case Qt::Key_Right:
        return setCurrent(m_current + 1);
    case Qt::Key_Up:
        return setCurrent(m_current >= columns ? m_current - columns : m_current);
    case Qt::Key_Down:
        return setCurrent(m_current + columns < m_model.rowCount() ? m_current + columns : m_current);
    case Qt::Key_Home:
        return setCurrent(0);
    case Qt::Key_End:
        return setCurrent(m_model.rowCount() - 1);
    default:
        QWidget::keyPressEvent(event);
    }
}

void GateTiles::mousePressEvent(QMouseEvent* event)
{
    if (const int row = tileAt(event->position()); row >= 0)
        setCurrent(row);
}

void GateTiles::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const int row = tileAt(event->position()); row >= 0)
        Q_EMIT activated(row);
}

void GateTiles::focusInEvent(QFocusEvent* event)
{
    update();
    QWidget::focusInEvent(event);
}

void GateTiles::focusOutEvent(QFocusEvent* event)
{
    update();
    QWidget::focusOutEvent(event);
}

} // namespace assay::views
