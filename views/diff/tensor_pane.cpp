// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/tensor_pane.h"

#include "views/diff/viewport.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kCaptionHeight = 24; // px
constexpr double kHatchedFrom = 6; // px a cell: below, the checkered ground of the picture says it
constexpr double kClickZoom = 4;
constexpr double kWheelZoom = 1.25;    // a notch
constexpr double kNotch = 120;         // of angleDelta
constexpr std::int64_t kLongStep = 16; // elements, with Shift

} // namespace

TensorPane::TensorPane(const Theme& theme, Viewport& viewport, Side side, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_viewport(viewport)
    , m_side(side)
    , m_shown(side)
{
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(80, kCaptionHeight + 72);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&viewport, &Viewport::changed, this, qOverload<>(&QWidget::update));
    connect(&viewport, &Viewport::pickChanged, this, qOverload<>(&QWidget::update));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void TensorPane::setPicture(DiffPicturePtr picture)
{
    m_picture = std::move(picture);
    update();
}

void TensorPane::setCaption(const QString& caption)
{
    m_caption = caption;
    update();
}

void TensorPane::setShownSide(Side side)
{
    m_shown = side;
    update();
}

QRectF TensorPane::canvas() const
{
    return QRectF(rect()).adjusted(0, kCaptionHeight, 0, 0);
}

QSize TensorPane::sizeHint() const
{
    return minimumSize(); // what scrolls the page gives no more than is asked for; what is left over is shared out
}

void TensorPane::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.raised());
    paintCaption(painter);
    painter.setClipRect(canvas());
    painter.translate(canvas().topLeft());
    paintPicture(painter);
    paintHatch(painter);
    paintPick(painter);
    painter.resetTransform();
    painter.setClipping(false);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.accent(), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void TensorPane::paintCaption(QPainter& painter) const
{
    const QRectF bar(0, 0, width(), kCaptionHeight);
    painter.setFont(m_theme.smallFont());
    painter.setPen(m_shown == m_side ? m_theme.mutedInk() : m_theme.accent());
    static const QString names[] = {tr("Reference"), tr("Candidate"), tr("Error")};
    const QString name = names[static_cast<int>(m_shown)];
    const QString text = m_caption.isEmpty() || m_shown != m_side ? name : name + u" \u00b7 "_s + m_caption;
    painter.drawText(bar.adjusted(8, 0, -8, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, int(bar.width()) - 16));
}

void TensorPane::paintPicture(QPainter& painter) const
{
    if (!m_picture || m_picture->grid.columns == 0)
        return;
    const QImage& image = m_shown == Side::Reference ? m_picture->reference
        : m_shown == Side::Candidate                 ? m_picture->candidate
                                                     : m_picture->error;
    const diff::CellGrid& grid = m_picture->grid;
    const QRectF target = m_viewport.toPane({grid.firstRow, grid.firstColumn, grid.rows * grid.edge, grid.columns * grid.edge});
    // The last cells may stick out of the plane.
    painter.save();
    painter.setClipRect(m_viewport.toPane({0, 0, m_viewport.rows(), m_viewport.columns()}), Qt::IntersectClip);
    // Only the cells in view: a picture that is enlarged many times would cost its whole size.
    const QRectF shown = target.intersected(QRectF(QPointF(), canvas().size()));
    if (!shown.isEmpty()) {
        const double perPixel = static_cast<double>(grid.columns) / target.width();
        const QRectF source((shown.topLeft() - target.topLeft()) * perPixel, shown.size() * perPixel);
        painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        painter.drawImage(shown, image, source);
    }
    painter.restore();
}

void TensorPane::paintHatch(QPainter& painter) const
{
    if (m_shown != Side::Error || !m_picture || !m_picture->style.overlays.mismatch)
        return;
    const diff::CellGrid& grid = m_picture->grid;
    const double side = static_cast<double>(grid.edge) * m_viewport.scale();
    if (side < kHatchedFrom)
        return;
    const diff::ElementRect view = m_viewport.visible();
    const auto first
        = [&](std::int64_t from, std::int64_t start) { return std::max<std::int64_t>(0, (from - start) / grid.edge); };
    const auto last = [&](std::int64_t to, std::int64_t start, std::int64_t count) {
        return std::min(count, (to - start + grid.edge - 1) / grid.edge);
    };
    const QBrush hatch(m_picture->style.colors.hatch, Qt::BDiagPattern);
    for (std::int64_t row = first(view.row, grid.firstRow); row < last(view.row + view.rows, grid.firstRow, grid.rows); ++row) {
        for (std::int64_t column = first(view.column, grid.firstColumn);
             column < last(view.column + view.columns, grid.firstColumn, grid.columns); ++column) {
            if (!(grid.flags[grid.at(row, column)] & diff::kMismatch))
                continue;
            const QRectF cell = m_viewport.toPane(
                {grid.firstRow + row * grid.edge, grid.firstColumn + column * grid.edge, grid.edge, grid.edge});
            painter.fillRect(cell, QColor::fromRgba(mismatchColor(grid.flags[grid.at(row, column)], m_picture->style)));
            painter.fillRect(cell, hatch);
        }
    }
}

void TensorPane::paintPick(QPainter& painter) const
{
    const auto picked = m_viewport.picked();
    if (!picked)
        return;
    const QRectF cell = m_viewport.toPane({picked->row, picked->column, 1, 1});
    // At least a few pixels, with a light and a dark line, so that it is seen on every colour.
    const double grow = std::max(0.0, (9 - cell.width()) / 2) + 1.5;
    const QRectF frame = cell.adjusted(-grow, -grow, grow, grow);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(0, 0, 0), 3));
    painter.drawRect(frame);
    painter.setPen(QPen(QColor(255, 255, 255), 1));
    painter.drawRect(frame);
}

void TensorPane::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // Layouts resize panes before their page is on screen; one that a mode hides has no say.
    if (!isHidden())
        m_viewport.setPaneSize(canvas().size());
}

void TensorPane::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_viewport.setPaneSize(canvas().size());
}

void TensorPane::wheelEvent(QWheelEvent* event)
{
    const double notches = event->angleDelta().y() / kNotch;
    if (notches == 0)
        return event->ignore();
    m_viewport.zoom(std::pow(kWheelZoom, notches), event->position() - canvas().topLeft());
    event->accept();
}

void TensorPane::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    m_pressed = m_last = event->position();
    m_isDragging = false;
}

void TensorPane::mouseMoveEvent(QMouseEvent* event)
{
    if (!(event->buttons() & Qt::LeftButton))
        return QWidget::mouseMoveEvent(event);
    const QPointF moved = event->position() - m_pressed;
    m_isDragging = m_isDragging || moved.manhattanLength() >= QApplication::startDragDistance();
    if (m_isDragging)
        m_viewport.pan(event->position() - m_last);
    m_last = event->position();
}

void TensorPane::mouseReleaseEvent(QMouseEvent* event)
{
    // A pixel shows what lies under its middle.
    if (event->button() == Qt::LeftButton && !m_isDragging && canvas().contains(event->position()))
        Q_EMIT clicked(QPointF(event->position().toPoint()) + QPointF(0.5, 0.5) - canvas().topLeft());
    m_isDragging = false;
}

void TensorPane::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        m_viewport.zoom(kClickZoom, event->position() - canvas().topLeft());
}

void TensorPane::keyPressEvent(QKeyEvent* event)
{
    const std::int64_t step = event->modifiers() & Qt::ShiftModifier ? kLongStep : 1;
    const QPointF middle = QPointF(canvas().width(), canvas().height()) / 2;
    switch (event->key()) {
    case Qt::Key_Left:
        return m_viewport.nudge(0, -step);
    case Qt::Key_Right:
        return m_viewport.nudge(0, step);
    case Qt::Key_Up:
        return m_viewport.nudge(-step, 0);
    case Qt::Key_Down:
        return m_viewport.nudge(step, 0);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return m_viewport.zoom(2, middle);
    case Qt::Key_Minus:
        return m_viewport.zoom(0.5, middle);
    case Qt::Key_0:
    case Qt::Key_Home:
        return m_viewport.fit();
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace assay::views
