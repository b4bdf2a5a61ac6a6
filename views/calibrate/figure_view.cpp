// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/figure_view.h"

#include "views/calibrate/figure_painter.h"
#include "views/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr double kWidthUnits = 5000;   ///< what a wide window shows
constexpr double kHeightUnits = 3500;  ///< below this plots get too flat
constexpr double kSmallestScale = 0.1; ///< letters of 7 px
} // namespace

FigureView::FigureView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_look(screenLook(theme))
{
    setObjectName(u"calibrate.figure"_s);
    setAccessibleName(tr("Figure of the calibration"));
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(480, 320);
    setCursor(Qt::ArrowCursor);
    connect(&theme, &Theme::changed, this, [this] {
        m_look = screenLook(m_theme);
        update();
    });
}

FigureView::~FigureView() = default;

void FigureView::setFigure(const calibration::FigureData& figure)
{
    const bool isSameCell = m_figure && m_figure->cell == figure.cell && m_figure->version == figure.version;
    m_painter.reset();
    m_figure = figure;
    QString text;
    for (const std::string& line : calibration::captionOf(figure))
        text += QString::fromStdString(line) + u' ';
    setAccessibleDescription(text);
    if (!isSameCell)
        setGhost({});
    update();
}

double FigureView::scale() const
{
    return std::max(kSmallestScale, std::min(width() / kWidthUnits, height() / kHeightUnits));
}

const FigurePainter& FigureView::painter()
{
    if (!m_painter)
        m_painter = std::make_unique<FigurePainter>(*m_figure, m_look, QRectF(QPointF(0, 0), QSizeF(size()) / scale()));
    return *m_painter;
}

void FigureView::setGhost(std::optional<double> threshold)
{
    if (threshold == m_ghost)
        return;
    m_ghost = threshold;
    update();
    Q_EMIT ghostChanged();
}

void FigureView::nudge(double decades)
{
    if (!m_figure || !m_figure->line())
        return;
    const FigureAxis& axis = painter().errorAxis();
    const double from = std::log10(m_ghost.value_or(*m_figure->line()));
    setGhost(std::pow(10, std::clamp(from + decades, axis.low, axis.high)));
}

QPointF FigureView::placeOf(double threshold)
{
    return QPointF(painter().errorAxis().at(std::log10(threshold)), painter().densityPlot().center().y()) * scale();
}

void FigureView::paintEvent(QPaintEvent*)
{
    QPainter device(this);
    device.fillRect(rect(), m_look.paper);
    if (!m_figure)
        return;
    device.scale(scale(), scale());
    painter().paint(device, m_ghost);
}

void FigureView::resizeEvent(QResizeEvent* event)
{
    m_painter.reset();
    QWidget::resizeEvent(event);
}

void FigureView::dragTo(QPointF place)
{
    const FigureAxis& axis = painter().errorAxis();
    setGhost(std::pow(10, std::clamp(axis.valueAt(place.x() / scale()), axis.low, axis.high)));
}

void FigureView::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    if (event->button() != Qt::LeftButton || !m_figure || !m_figure->line())
        return;
    if (painter().densityPlot().contains(event->position() / scale()))
        dragTo(event->position());
}

void FigureView::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons().testFlag(Qt::LeftButton) && m_ghost)
        dragTo(event->position());
}

} // namespace assay::views
