// SPDX-License-Identifier: GPL-3.0-or-later
// Margins, detection probability and ROC.
#include "views/calibrate/figure_panels.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::views::figure_panels {

using namespace Qt::StringLiterals;
using calibration::FigureData;

namespace {

constexpr double kLegendRow = 87; ///< height of a line of small letters

QString tr(const char* text)
{
    return QCoreApplication::translate("Figure", text);
}

std::optional<sampling::Interval> intervalOf(const calibration::Estimate& estimate)
{
    return estimate.bca ? estimate.bca : estimate.percentile;
}

/// "147×", of a margin in decades
QString ratio(double decades)
{
    return shortNumber(std::pow(10, decades)) + u'\u00D7';
}

/// One line of the margins: below to the left of the threshold, above to its right.
struct MarginRow {
    QString name;
    calibration::Margins margins;
    std::optional<sampling::Interval> below;
    std::optional<sampling::Interval> above;
    QColor belowColour;
    QColor aboveColour;
};

std::vector<MarginRow> marginRows(const FigureData& figure, const FigureLook& look)
{
    std::vector<MarginRow> rows;
    if (figure.trial && figure.trial->margins)
        rows.push_back({tr("here"), *figure.trial->margins, intervalOf(figure.estimates.below),
                        intervalOf(figure.estimates.above), look.conforming, look.defects});
    if (figure.published && figure.published->margins())
        rows.push_back({tr("published"), *figure.published->margins(), {}, {}, look.muted, look.muted});
    return rows;
}

void bar(FigureCanvas& canvas, const FigureAxis& axis, double from, double to, double y, double thickness, QColor colour)
{
    colour.setAlphaF(0.75F);
    const double left = axis.held(std::min(from, to));
    const double right = axis.held(std::max(from, to));
    canvas.box(QRectF(QPointF(left, y - thickness / 2), QPointF(right, y + thickness / 2)), colour);
}

void whisker(FigureCanvas& canvas, const FigureAxis& axis, double from, double to, double y, double cap)
{
    if (!std::isfinite(from) || !std::isfinite(to))
        return; // a floor of 0 has no logarithm; the caption gives the ends
    const double left = axis.held(std::min(from, to));
    const double right = axis.held(std::max(from, to));
    const QColor& ink = canvas.look().ink;
    canvas.line({left, y}, {right, y}, ink, 7);
    for (const double x : {left, right})
        canvas.line({x, y - cap}, {x, y + cap}, ink, 7);
}

/// How far the axis has to reach.
double reachOf(const std::vector<MarginRow>& rows, bool isBelow)
{
    double reach = 0.6;
    for (const MarginRow& row : rows) {
        const double value = isBelow ? row.margins.below : row.margins.above;
        const auto& interval = isBelow ? row.below : row.above;
        reach = std::max(reach, value);
        reach = std::max(reach, -(isBelow ? row.margins.above : row.margins.below)); // a negative one lies on the other side
        if (interval && std::isfinite(interval->high))
            reach = std::max(reach, std::min(interval->high, 6.0));
    }
    return reach * 1.08;
}

void empty(FigureCanvas& canvas, const QRectF& plot, const QString& why)
{
    canvas.text(plot.center(), Qt::AlignHCenter | Qt::AlignVCenter, why, FigureCanvas::kText, canvas.look().muted);
}

double shareOf(const calibration::ScaleOutcome& outcome)
{
    return static_cast<double>(outcome.seen) / static_cast<double>(outcome.samples);
}

void detectionCurve(FigureCanvas& canvas, const calibration::FigureDetection& detection, const QColor& colour,
                    const FigureAxis& x, const FigureAxis& y)
{
    const auto& band = detection.estimates.band;
    if (!band.empty()) {
        std::vector<QPointF> outline;
        std::vector<QPointF> curve;
        for (const calibration::BandPoint& point : band) {
            outline.emplace_back(x.at(point.log10Scale), y.at(point.interval.high));
            curve.emplace_back(x.at(point.log10Scale), y.at(point.probability));
        }
        for (auto point = band.rbegin(); point != band.rend(); ++point)
            outline.emplace_back(x.at(point->log10Scale), y.at(point->interval.low));
        QColor ground = colour;
        ground.setAlphaF(0.16F);
        canvas.area(outline, ground);
        canvas.polyline(curve, colour);
    }
    for (const calibration::ScaleOutcome& outcome : detection.outcomes)
        canvas.dot({x.at(std::log10(outcome.scale)), y.at(shareOf(outcome))}, 16, colour);
}

/// A part of the legend and where it stands.
struct LegendWords {
    QString text;
    QColor colour;
    double x = 0; ///< from the legend's left
    int row = 0;
};

/// The legend flows in rows of @p width.
std::vector<LegendWords> legendOf(const FigureData& figure, const FigureLook& look, double width)
{
    constexpr double kApart = 60;
    double x = 0;
    int row = 0;
    std::vector<LegendWords> words;
    const auto add = [&](const QString& text, const QColor& colour) {
        const double wide = FigureCanvas::widthOf(text, FigureCanvas::kSmall, true);
        if (x > 0 && x + wide > width) {
            x = 0;
            ++row;
        }
        words.push_back({text, colour, x, row});
        x += wide + kApart;
    };
    calibration::ScaleOutcome rest;
    int others = 0;
    std::vector<std::pair<QString, QColor>> entries;
    for (const calibration::FigureDetection& one : figure.detections) {
        if (one.fit.isFitted()) {
            const QColor& colour = look.disturbances[std::min<std::size_t>(entries.size(), 4)];
            entries.emplace_back(
                tr("%1 %2").arg(QString::fromStdString(one.perturbation), shortNumber(std::pow(10, one.fit.log10Half))), colour);
            continue;
        }
        ++others;
        for (const calibration::ScaleOutcome& outcome : one.outcomes) {
            rest.seen += outcome.seen;
            rest.samples += outcome.samples;
        }
    }
    if (!entries.empty())
        add(tr("half seen at"), look.muted);
    for (const auto& [text, colour] : entries)
        add(text, colour);
    if (others > 0)
        add(tr("%1 without a fit: %2 of %3 seen").arg(others).arg(rest.seen).arg(rest.samples), look.muted);
    return words;
}

} // namespace

void margins(FigureCanvas& canvas, const FigureData& figure, const QRectF& plot)
{
    const FigureLook& look = canvas.look();
    const std::vector<MarginRow> rows = marginRows(figure, look);
    if (rows.empty()) {
        empty(canvas, plot, tr("no margins: %1").arg(QString::fromUtf8(calibration::sentence(figure.state).data())));
        return;
    }
    constexpr double kNumbers = 490;
    const FigureAxis axis{-reachOf(rows, true), reachOf(rows, false), plot.left() + kNumbers, plot.right() - kNumbers};
    const double step = plot.height() / 2;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const MarginRow& row = rows[i];
        const double y = plot.top() + step * (static_cast<double>(i) + 0.5);
        // A negative margin lies on the other's side: there each has half of the height.
        const bool areOnOneSide = (row.margins.below < 0) != (row.margins.above < 0);
        const double apart = areOnOneSide ? 17 : 0;
        const double thickness = areOnOneSide ? 32 : 62;
        bar(canvas, axis, 0, -row.margins.below, y - apart, thickness, row.belowColour);
        bar(canvas, axis, 0, row.margins.above, y + apart, thickness, row.aboveColour);
        const double cap = areOnOneSide ? 12 : 18;
        if (row.below)
            whisker(canvas, axis, -row.below->high, -row.below->low, y - apart, cap);
        if (row.above)
            whisker(canvas, axis, row.above->low, row.above->high, y + apart, cap);
        const auto number = [](double decades) {
            return u"%1 (%2)"_s.arg(QString::number(decades, 'f', 2).replace(u'-', QChar(0x2212)), ratio(decades));
        };
        canvas.text({plot.left() + kNumbers - 40, y}, Qt::AlignRight | Qt::AlignVCenter, number(row.margins.below),
                    FigureCanvas::kSmall, look.ink);
        canvas.text({plot.right() - kNumbers + 40, y}, Qt::AlignLeft | Qt::AlignVCenter, number(row.margins.above),
                    FigureCanvas::kSmall, look.ink);
        canvas.text({plot.left() - 330, y}, Qt::AlignLeft | Qt::AlignVCenter, row.name, FigureCanvas::kSmall, look.ink);
    }
    for (const double least : {-figure.rule.leastBelow, figure.rule.leastAbove})
        canvas.line({axis.at(least), plot.top()}, {axis.at(least), plot.bottom()}, look.muted, 5, Qt::DotLine);
    canvas.line({axis.at(0), plot.top()}, {axis.at(0), plot.bottom()}, look.ink, FigureCanvas::kRule);
    const QString what = figure.isDecided() ? tr("decades below and above the limit; dotted: least of a safe gap")
                                            : tr("decades below and above the threshold; dotted: least of a safe gap");
    const double half = FigureCanvas::widthOf(what, FigureCanvas::kSmall) / 2; // about its line, but on the paper
    canvas.text({std::clamp(axis.at(0), std::min(plot.left() - 330 + half, plot.right() - half), plot.right() - half),
                 plot.bottom() + 18},
                Qt::AlignHCenter | Qt::AlignTop, what, FigureCanvas::kSmall, look.muted);
}

double detectionLegendHeight(const FigureData& figure, const FigureLook& look, double width)
{
    const std::vector<LegendWords> words = legendOf(figure, look, width);
    return words.empty() ? 0 : (words.back().row + 1) * kLegendRow;
}

void detection(FigureCanvas& canvas, const FigureData& figure, const QRectF& plot, const QRectF& legend)
{
    double low = 0;
    double high = -20;
    for (const calibration::FigureDetection& one : figure.detections) {
        for (const calibration::ScaleOutcome& outcome : one.outcomes) {
            low = std::min(low, std::log10(outcome.scale));
            high = std::max(high, std::log10(outcome.scale));
        }
    }
    if (high <= low) {
        empty(canvas, plot, figure.line() ? tr("nothing was disturbed") : tr("no threshold"));
        canvas.frame(plot);
        return;
    }
    const FigureAxis x{low - 0.2, high + 0.2, plot.left(), plot.right()};
    const FigureAxis y{-0.03, 1.03, plot.bottom(), plot.top()};
    canvas.line({plot.left(), y.at(0.5)}, {plot.right(), y.at(0.5)}, canvas.look().line, 5);
    const double seenFrom = x.held(std::log10(figure.rule.seenFrom));
    canvas.line({seenFrom, plot.top()}, {seenFrom, plot.bottom()}, canvas.look().muted, 5, Qt::DotLine);
    std::size_t fitted = 0;
    for (const calibration::FigureDetection& one : figure.detections) {
        const QColor& colour
            = one.fit.isFitted() ? canvas.look().disturbances[std::min<std::size_t>(fitted++, 4)] : canvas.look().muted;
        detectionCurve(canvas, one, colour, x, y);
    }
    for (const LegendWords& words : legendOf(figure, canvas.look(), legend.width()))
        canvas.text(legend.topLeft() + QPointF(words.x, (words.row + 1) * kLegendRow - 15), Qt::AlignLeft | Qt::AlignBaseline,
                    words.text, FigureCanvas::kSmall, words.colour, true);
    canvas.frame(plot);
    canvas.numbers(plot, y, std::array{0.0, 0.5, 1.0}, tr("share seen"));
    canvas.decades(plot, x, tr("scale of the disturbance (dotted: must be seen)"));
}

void roc(FigureCanvas& canvas, const FigureData& figure, const QRectF& plot, std::optional<double> ghost)
{
    const auto right = static_cast<double>(figure.calibration.conforming.size());
    const auto wrong = static_cast<double>(figure.calibration.seen.size());
    if (right == 0 || wrong == 0) {
        empty(canvas, plot, tr("one side was not measured"));
        canvas.frame(plot);
        return;
    }
    const FigureAxis x{-0.02, 1.02, plot.left(), plot.right()};
    const FigureAxis y{-0.02, 1.02, plot.bottom(), plot.top()};
    canvas.line({x.at(0), y.at(0)}, {x.at(1), y.at(1)}, canvas.look().line, 5);
    std::vector<QPointF> points;
    for (const calibration::RocPoint& one : figure.roc) {
        const QPointF point(x.at(static_cast<double>(one.falseAlarms) / right),
                            y.at(static_cast<double>(one.detections) / wrong));
        // Points in a row or closer than a printer's dot add nothing but bytes.
        const bool isInRow = points.size() > 1
            && ((points.back().x() == point.x() && points[points.size() - 2].x() == point.x())
                || (points.back().y() == point.y() && points[points.size() - 2].y() == point.y()));
        if (isInRow)
            points.back() = point;
        else
            points.push_back(point);
    }
    canvas.polyline(points, canvas.look().ink);
    const auto mark = [&](double threshold, const QColor& colour) {
        const double alarms = static_cast<double>(figure.calibration.conforming.above(threshold)) / right;
        const double detections = static_cast<double>(figure.calibration.seen.above(threshold)) / wrong;
        canvas.dot({x.at(alarms), y.at(detections)}, 28, colour);
    };
    if (figure.line())
        mark(*figure.line(), figure.isDecided() ? canvas.look().ink : canvas.look().muted);
    if (ghost)
        mark(*ghost, canvas.look().ghost);
    if (figure.area) {
        const sampling::Interval interval = figure.area->clustered();
        // An area of 1 has an interval of no width, which says nothing about how sure it is.
        const bool isKnown = interval.low < interval.high;
        const QString area = tr("area %1").arg(QString::number(figure.area->area, 'f', 4));
        canvas.text({plot.right() - 40, plot.bottom() - 130}, Qt::AlignRight | Qt::AlignBaseline, area, FigureCanvas::kSmall,
                    canvas.look().ink, true);
        if (isKnown)
            canvas.text({plot.right() - 40, plot.bottom() - 45}, Qt::AlignRight | Qt::AlignBaseline,
                        u"[%1, %2]"_s.arg(QString::number(interval.low, 'f', 4), QString::number(interval.high, 'f', 4)),
                        FigureCanvas::kSmall, canvas.look().muted);
    }
    canvas.frame(plot);
    canvas.numbers(plot, y, std::array{0.0, 0.5, 1.0}, tr("detected"));
    for (const double tick : {0.0, 0.5, 1.0}) {
        canvas.line({x.at(tick), plot.bottom()}, {x.at(tick), plot.bottom() + 16}, canvas.look().muted, 6);
        canvas.text({x.at(tick), plot.bottom() + 23}, Qt::AlignHCenter | Qt::AlignTop, shortNumber(tick), FigureCanvas::kSmall,
                    canvas.look().ink);
    }
    canvas.text({plot.center().x(), plot.bottom() + 121}, Qt::AlignHCenter | Qt::AlignTop, tr("false alarms"),
                FigureCanvas::kSmall, canvas.look().muted);
}

} // namespace assay::views::figure_panels
