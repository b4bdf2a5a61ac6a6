// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/plan_painter.h"

#include "kernels/gdn/plan/shared_memory.h"
#include "kernels/gdn/plan/tensor_memory.h"
#include "views/launch/math_text.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <array>
#include <numeric>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

namespace plan = gdn::plan;

constexpr double kEdge = 50;
constexpr double kHead = 130; ///< the figure's title
constexpr double kCaptionLine = 92;
constexpr double kPanelHead = 300;  ///< title of a panel, and the names of what stands below it
constexpr double kColumnAxis = 330; ///< numbers and names left of the accumulators
constexpr double kBelow = 150;      ///< the legend, or the numbers of an axis
constexpr double kLegendLine = 95;
constexpr double kShareOfColumns = 0.58; ///< of the height, where the panels stand over each other
constexpr double kBetween = 220;
constexpr double kNameGap = 40; ///< between a kernel's name and its bar
using Figures = std::array<double, 3>;
constexpr Figures kFigures = {420.0, 280.0, 420.0}; ///< columns of numbers right of the bars
constexpr Figures kNarrowFigures = {320.0, 260.0, 390.0};
constexpr double kNarrow = 3600; ///< below this, names of kernels stand over their bars, not beside them
constexpr double kTallestRow = 290;
constexpr double kCellGap = 8;
constexpr double kWideFrom = 1.25; ///< of the height: both panels beside each other
constexpr double kBytesInKib = 1024;
constexpr double kAxisKib = 240; ///< a little beyond what a block may have

QString tr(const char* text)
{
    return QCoreApplication::translate("PlanFigure", text);
}

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

double widthOf(const Figures& figures)
{
    return std::accumulate(figures.begin(), figures.end(), 0.0);
}

QColor tint(QColor colour, double alpha)
{
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
}

} // namespace

PlanPainter::PlanPainter(const PlanFigure& figure, const FigureLook& look, const QRectF& area)
    : m_figure(figure)
    , m_look(look)
    , m_area(area)
{
    arrange();
}

void PlanPainter::arrange()
{
    const QString caption = captionOf(m_figure);
    m_caption = FigureCanvas::wrapped(std::span(&caption, 1), FigureCanvas::kSmall, m_area.width() - 2 * kEdge);
    const double foot = kEdge + kCaptionLine * static_cast<double>(m_caption.size()) + 40;
    const QRectF body = m_area.adjusted(kEdge, kEdge + kHead, -kEdge, -foot);
    m_isNarrow = m_area.width() < kNarrow;
    const Figures& figures = m_isNarrow ? kNarrowFigures : kFigures;
    for (const launch::PlannedKernel& kernel : m_isNarrow ? std::vector<launch::PlannedKernel>() : m_figure.kernels)
        m_names = std::max(m_names, FigureCanvas::widthOf(fromView(kernel.name), FigureCanvas::kSmall) + kNameGap);
    const double numbers = m_names + widthOf(figures);
    if (m_area.width() > kWideFrom * m_area.height()) {
        const double left = std::min(body.width() * 0.54, body.width() - kBetween - numbers - 700);
        m_columns
            = QRectF(body.left() + kColumnAxis, body.top() + kPanelHead, left - kColumnAxis, body.height() - kPanelHead - kBelow);
        const double bars = body.left() + left + kBetween + m_names;
        m_bars
            = QRectF(bars, body.top() + kPanelHead, body.right() - bars - widthOf(figures), body.height() - kPanelHead - kBelow);
    } else {
        const double legend = kBelow + (m_isNarrow ? kLegendLine : 0);
        const double free = body.height() - 2 * kPanelHead - legend - kBelow - 60;
        m_columns
            = QRectF(body.left() + kColumnAxis, body.top() + kPanelHead, body.width() - kColumnAxis, free * kShareOfColumns);
        m_bars = QRectF(body.left() + m_names, m_columns.bottom() + legend + 60 + kPanelHead,
                        body.width() - m_names - widthOf(figures), free * (1 - kShareOfColumns));
    }
}

QRectF PlanPainter::cell(std::size_t slot, int phase) const
{
    const plan::ColumnSlot& columns = plan::kBackwardColumns[slot];
    const double scale = m_columns.height() / plan::kTensorColumns;
    const double width = m_columns.width() / plan::kPhases;
    return {m_columns.left() + phase * width, m_columns.top() + columns.first * scale, width, columns.columns * scale};
}

void PlanPainter::paintCell(FigureCanvas& canvas, std::size_t slot, int phase) const
{
    const QRectF rect = cell(slot, phase).adjusted(kCellGap, kCellGap / 2, -kCellGap, -kCellGap / 2);
    const std::string_view duty = plan::kBackwardColumns[slot].duties[std::size_t(phase)];
    const Work work = workOf(duty);
    QPainter& painter = canvas.painter();
    painter.setBrush(work == Work::Product        ? QBrush(tint(m_look.conforming, 0.22))
                         : work == Work::Transfer ? QBrush(tint(m_look.muted, 0.16))
                                                  : QBrush(Qt::NoBrush));
    QPen outline(work == Work::Product ? m_look.conforming : m_look.line, FigureCanvas::kHair);
    if (work == Work::Rests)
        outline.setDashPattern({6, 6});
    painter.setPen(outline);
    painter.drawRoundedRect(rect, 14, 14);
    if (work == Work::Product)
        canvas.box(QRectF(rect.left(), rect.top(), 14, rect.height()), m_look.conforming);
    if (!duty.empty())
        math_text::draw(painter, rect.adjusted(46, 0, -20, 0), fromView(duty), FigureCanvas::kSmall, m_look.ink);
}

void PlanPainter::paintLimit(FigureCanvas& canvas) const
{
    const double bottom = m_columns.bottom();
    canvas.line({m_columns.left() - 100, bottom + 6}, {m_columns.right(), bottom + 6}, m_look.ink, FigureCanvas::kRule);
}

void PlanPainter::paintLegend(FigureCanvas& canvas) const
{
    double x = m_columns.left() + kCellGap;
    double y = m_columns.bottom() + 90;
    struct Entry {
        QString text;
        Work work;
    };
    for (const auto& [text, work] :
         {Entry{tr("a product is accumulated"), Work::Product}, Entry{tr("read, drained, decayed or kept"), Work::Transfer},
          Entry{tr("at rest"), Work::Rests}}) {
        QPainter& painter = canvas.painter();
        const double width = 100 + FigureCanvas::widthOf(text, FigureCanvas::kSmall);
        if (m_isNarrow && x + width > m_columns.right()) {
            x = m_columns.left() + kCellGap;
            y += kLegendLine;
        }
        const QRectF mark(x, y - 28, 70, 56);
        painter.setBrush(work == Work::Product        ? QBrush(tint(m_look.conforming, 0.22))
                             : work == Work::Transfer ? QBrush(tint(m_look.muted, 0.16))
                                                      : QBrush(Qt::NoBrush));
        QPen outline(work == Work::Product ? m_look.conforming : m_look.line, FigureCanvas::kHair);
        if (work == Work::Rests)
            outline.setDashPattern({6, 6});
        painter.setPen(outline);
        painter.drawRoundedRect(mark, 10, 10);
        canvas.text({mark.right() + 30, y}, Qt::AlignLeft | Qt::AlignVCenter, text, FigureCanvas::kSmall, m_look.muted);
        x += width + 90;
    }
}

void PlanPainter::paintColumns(FigureCanvas& canvas) const
{
    const int planned = plan::columnsOf(plan::kBackwardColumns);
    const double head = m_columns.top() - kPanelHead;
    canvas.text({m_columns.left() - kColumnAxis, head + 80}, Qt::AlignLeft | Qt::AlignBaseline, u"a"_s, FigureCanvas::kTitle,
                m_look.ink, true);
    const QString peak = tr("peak %1 of %2").arg(planned).arg(plan::kTensorColumns);
    const double room = m_columns.width() + kColumnAxis - 90 - FigureCanvas::widthOf(peak, FigureCanvas::kTitle, true) - 60;
    QString title = tr("Tensor memory of sm_100a: columns over the phases of a chunk");
    if (FigureCanvas::widthOf(title, FigureCanvas::kTitle) > room)
        title = tr("Tensor memory of sm_100a");
    canvas.text({m_columns.left() - kColumnAxis + 90, head + 80}, Qt::AlignLeft | Qt::AlignBaseline, title, FigureCanvas::kTitle,
                m_look.ink);
    canvas.text({m_columns.right(), head + 80}, Qt::AlignRight | Qt::AlignBaseline, peak, FigureCanvas::kTitle, m_look.ink, true);
    for (int phase = 0; phase < plan::kPhases; ++phase) {
        const double middle = cell(0, phase).center().x();
        canvas.text({middle, head + 185}, Qt::AlignHCenter | Qt::AlignBaseline, tr("phase %1").arg(phase + 1),
                    FigureCanvas::kText, m_look.ink, true);
        canvas.text({middle, head + 265}, Qt::AlignHCenter | Qt::AlignBaseline, tr("%1 at work").arg(columnsAtWork(phase)),
                    FigureCanvas::kSmall, m_look.muted);
    }
    for (std::size_t slot = 0; slot < plan::kBackwardColumns.size(); ++slot) {
        const plan::ColumnSlot& columns = plan::kBackwardColumns[slot];
        const QRectF first = cell(slot, 0);
        canvas.text({m_columns.left() - 40, first.center().y()}, Qt::AlignRight | Qt::AlignVCenter, fromView(columns.name),
                    FigureCanvas::kText, m_look.ink, true);
        canvas.text({m_columns.left() - kColumnAxis + 150, first.top() + 4}, Qt::AlignRight | Qt::AlignTop,
                    QString::number(columns.first), FigureCanvas::kSmall, m_look.muted);
        canvas.line({m_columns.left() - kColumnAxis + 20, first.top()}, {m_columns.left(), first.top()}, m_look.line);
        for (int phase = 0; phase < plan::kPhases; ++phase)
            paintCell(canvas, slot, phase);
    }
    canvas.text({m_columns.left() - kColumnAxis + 150, m_columns.bottom() + 18}, Qt::AlignRight | Qt::AlignTop,
                QString::number(planned), FigureCanvas::kSmall, m_look.muted);
    paintLimit(canvas);
    paintLegend(canvas);
}

double PlanPainter::barAt(double bytes) const
{
    return m_bars.left() + bytes / kBytesInKib / kAxisKib * m_bars.width();
}

double PlanPainter::rowHeight() const
{
    return std::min(kTallestRow, m_bars.height() / static_cast<double>(m_figure.kernels.size()));
}

void PlanPainter::paintKernel(FigureCanvas& canvas, std::size_t index, double middle) const
{
    const launch::PlannedKernel& kernel = m_figure.kernels[index];
    const QString name = fromView(kernel.name);
    double half = std::min(46.0, rowHeight() * 0.3);
    double bar = middle;
    if (m_isNarrow) {
        half = std::min(30.0, rowHeight() * 0.2);
        bar = middle + rowHeight() * 0.24;
        canvas.text({m_bars.left(), middle - rowHeight() * 0.22}, Qt::AlignLeft | Qt::AlignVCenter, name, FigureCanvas::kSmall,
                    m_look.ink);
    } else {
        canvas.text({m_bars.left() - kNameGap, middle}, Qt::AlignRight | Qt::AlignVCenter, name, FigureCanvas::kSmall,
                    m_look.ink);
    }
    const double end = barAt(kernel.sharedBytes);
    canvas.box(QRectF(m_bars.left(), bar - half, end - m_bars.left(), 2 * half), tint(m_look.conforming, 0.75));
    const QString kib = QString::number(kernel.sharedBytes / kBytesInKib, 'f', 0);
    // A number that stands on a limit's line stays readable.
    canvas.box(QRectF(end + 12, bar - 40, FigureCanvas::widthOf(kib, FigureCanvas::kSmall) + 24, 80), m_look.paper);
    canvas.text({end + 24, bar}, Qt::AlignLeft | Qt::AlignVCenter, kib, FigureCanvas::kSmall, m_look.ink);
    std::array<QString, kFigures.size()> figures{u"\u2013"_s, QString::number(kernel.blocks[m_figure.target]), u"\u2013"_s};
    if (index < m_figure.images.size() && m_figure.images[index]) {
        const launch::KernelImage& image = *m_figure.images[index];
        figures = {QString::number(image.registers), QString::number(image.blocks),
                   QString::number(image.occupancy * 100, 'f', 1) + u" %"_s};
    }
    double right = m_bars.right();
    for (std::size_t column = 0; column < kFigures.size(); ++column) {
        right += (m_isNarrow ? kNarrowFigures : kFigures)[column];
        canvas.text({right, bar}, Qt::AlignRight | Qt::AlignVCenter, figures[column], FigureCanvas::kSmall, m_look.ink);
    }
}

/// What a block may have, as lines over the rows.
void PlanPainter::paintLimits(FigureCanvas& canvas, double bottom) const
{
    for (const int bytes : {plan::kSharedBytesSm80, plan::kSharedBytesSm90}) {
        const bool isOwn = bytes == launch::plannedTargets()[m_figure.target].sharedBytes;
        const double x = barAt(bytes);
        canvas.line({x, m_bars.top() - 20}, {x, bottom}, isOwn ? m_look.ink : m_look.muted,
                    isOwn ? FigureCanvas::kRule : FigureCanvas::kHair, isOwn ? Qt::SolidLine : Qt::DashLine);
        canvas.text({x, m_bars.top() - 35}, Qt::AlignHCenter | Qt::AlignBaseline, QString::number(bytes / int(kBytesInKib)),
                    FigureCanvas::kSmall, isOwn ? m_look.ink : m_look.muted, isOwn);
    }
}

void PlanPainter::paintKernels(FigureCanvas& canvas) const
{
    const launch::PlannedTarget& target = launch::plannedTargets()[m_figure.target];
    const double head = m_bars.top() - kPanelHead;
    const double left = m_bars.left() - m_names;
    canvas.text({left, head + 80}, Qt::AlignLeft | Qt::AlignBaseline, u"b"_s, FigureCanvas::kTitle, m_look.ink, true);
    canvas.text({left + 90, head + 80}, Qt::AlignLeft | Qt::AlignBaseline,
                tr("Kernels on %1: what a block takes").arg(fromView(target.name)), FigureCanvas::kTitle, m_look.ink);
    const double bottom = m_bars.top() + rowHeight() * static_cast<double>(m_figure.kernels.size());
    const QString titles[] = {tr("registers"), tr("blocks"), tr("occupancy")};
    double right = m_bars.right();
    for (std::size_t column = 0; column < kFigures.size(); ++column) {
        right += (m_isNarrow ? kNarrowFigures : kFigures)[column];
        canvas.text({right, head + 265}, Qt::AlignRight | Qt::AlignBaseline, titles[column], FigureCanvas::kSmall, m_look.muted);
    }
    canvas.text({m_bars.left(), bottom + 100}, Qt::AlignLeft | Qt::AlignBaseline, tr("shared memory of a block, KiB"),
                FigureCanvas::kSmall, m_look.muted);
    paintLimits(canvas, bottom);
    for (std::size_t i = 0; i < m_figure.kernels.size(); ++i)
        paintKernel(canvas, i, m_bars.top() + (static_cast<double>(i) + 0.5) * rowHeight());
    canvas.line({m_bars.left(), m_bars.top()}, {m_bars.left(), bottom}, m_look.muted, 6);
}

void PlanPainter::paint(QPainter& painter) const
{
    painter.save();
    FigureCanvas canvas(painter, m_look);
    canvas.box(m_area, m_look.paper);
    const double baseline = m_area.top() + kEdge + 70;
    canvas.text({m_area.left() + kEdge, baseline}, Qt::AlignLeft | Qt::AlignBaseline,
                m_isNarrow ? tr("Planned device kernels") : tr("What the device kernels are planned to take"),
                FigureCanvas::kTitle, m_look.ink, true);
    canvas.text({m_area.right() - kEdge, baseline}, Qt::AlignRight | Qt::AlignBaseline, tr("modelled, not executed"),
                FigureCanvas::kTitle, m_look.muted);
    paintColumns(canvas);
    paintKernels(canvas);
    double y = m_area.bottom() - kEdge - kCaptionLine * static_cast<double>(m_caption.size());
    for (const QString& line : m_caption) {
        canvas.text({m_area.left() + kEdge, y}, Qt::AlignLeft | Qt::AlignTop, line, FigureCanvas::kSmall, m_look.muted);
        y += kCaptionLine;
    }
    painter.restore();
}

} // namespace assay::views
