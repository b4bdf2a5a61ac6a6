// SPDX-License-Identifier: GPL-3.0-or-later
// Densities and distribution functions over the error axis.
#include "views/calibrate/figure_panels.h"

#include "views/calibrate/limit_words.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace assay::views::figure_panels {

using namespace Qt::StringLiterals;
using calibration::FigureCurve;
using calibration::FigureData;

namespace {

constexpr double kGutter = 230;
constexpr double kGutterGap = 45;
/// Fewer samples are drawn one by one: a density of them would be an invention, and a tall one.
constexpr std::int64_t kFewest = 10;
constexpr double kTail = 0.7;  ///< decades
constexpr double kLetter = 85; ///< height of a line of small letters

struct NamedCurve {
    const FigureCurve* curve;
    QColor colour;
};

QString tr(const char* text)
{
    return QCoreApplication::translate("Figure", text);
}

std::array<NamedCurve, 3> curvesOf(const FigureData& figure, const FigureLook& look)
{
    return {NamedCurve{&figure.conforming, look.conforming}, NamedCurve{&figure.disturbed, look.disturbed},
            NamedCurve{&figure.defects, look.defects}};
}

bool hasLogarithm(double value)
{
    return std::isfinite(value) && value > 0;
}

bool hasDensity(const FigureCurve& curve)
{
    return curve.density && curve.counts.positive >= kFewest;
}

/// Smallest and largest log10 of everything that has a place on the axis.
std::pair<double, double> rangeOf(const FigureData& figure)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    const auto take = [&](double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    };
    for (const FigureCurve* curve : {&figure.conforming, &figure.disturbed, &figure.defects}) {
        if (!curve->ecdf.steps.empty()) {
            take(curve->ecdf.steps.front().log10Value);
            take(curve->ecdf.steps.back().log10Value);
        }
    }
    const auto [first, last] = std::pair(low, high);
    for (const FigureCurve* curve : {&figure.conforming, &figure.disturbed, &figure.defects}) {
        if (hasDensity(*curve)) { // the tails of a density, but no more of them than is worth the paper
            take(std::max(curve->density->at.front(), first - kTail));
            take(std::min(curve->density->at.back(), last + kTail));
        }
    }
    for (const double value :
         {figure.separation.floor, figure.separation.onset, figure.threshold.value_or(0), figure.line().value_or(0)}) {
        if (hasLogarithm(value))
            take(std::log10(value));
    }
    if (low > high)
        return {-2, 2}; // nothing measured has a place: an axis all the same, and the gutters say what there is
    return {low, high};
}

void gutter(FigureCanvas& canvas, const FigureData& figure, const QRectF& range, const QRectF& plot, bool isZeros)
{
    if (range.isEmpty())
        return;
    const QRectF box(range.left(), plot.top(), range.width(), plot.height());
    QColor ground = canvas.look().line;
    ground.setAlphaF(0.35F);
    canvas.box(box, ground);
    double y = plot.top() + 20;
    for (const auto& [curve, colour] : curvesOf(figure, canvas.look())) {
        const std::int64_t count = isZeros ? curve->counts.zeros : curve->counts.nonFinite();
        if (count > 0)
            canvas.text({box.center().x(), y}, Qt::AlignHCenter | Qt::AlignTop, QString::number(count), FigureCanvas::kSmall,
                        colour, true);
        y += kLetter;
    }
}

void gutterNames(FigureCanvas& canvas, const ErrorAxis& error, const QRectF& plot)
{
    const double y = plot.bottom() + 23;
    if (!error.zeros.isEmpty())
        canvas.text({error.zeros.center().x(), y}, Qt::AlignHCenter | Qt::AlignTop, u"0"_s, FigureCanvas::kSmall,
                    canvas.look().ink);
    if (!error.nonFinite.isEmpty())
        canvas.text({error.nonFinite.center().x(), y}, Qt::AlignHCenter | Qt::AlignTop, u"NaN, \u221E"_s, FigureCanvas::kSmall,
                    canvas.look().ink);
}

/// The onset has the colour of what sets it.
QColor onsetColour(const FigureData& figure, const FigureLook& look)
{
    const auto& groups = figure.separation.groups;
    return groups.empty() || groups.front().perturbation.empty() ? look.defects : look.disturbed;
}

/// The gap behind the curves.
void gap(FigureCanvas& canvas, const FigureData& figure, const QRectF& plot, const FigureAxis& axis)
{
    if (!hasLogarithm(figure.separation.floor) || !hasLogarithm(figure.separation.onset))
        return;
    const double from = axis.at(std::log10(figure.separation.floor));
    const double to = axis.at(std::log10(figure.separation.onset));
    const QColor& colour = from < to ? canvas.look().gap : canvas.look().overlap;
    canvas.box(QRectF(QPointF(std::min(from, to), plot.top()), QPointF(std::max(from, to), plot.bottom())), colour);
}

void upright(FigureCanvas& canvas, double value, const QRectF& plot, const FigureAxis& axis, const QColor& colour, double width,
             Qt::PenStyle style)
{
    if (!hasLogarithm(value) || std::log10(value) < axis.low || std::log10(value) > axis.high)
        return;
    const double x = axis.at(std::log10(value));
    canvas.line({x, plot.top()}, {x, plot.bottom()}, colour, width, style);
}

void rules(FigureCanvas& canvas, const FigureData& figure, const QRectF& plot, const FigureAxis& axis,
           std::optional<double> ghost)
{
    const FigureLook& look = canvas.look();
    upright(canvas, figure.separation.floor, plot, axis, look.conforming, FigureCanvas::kHair * 1.5, Qt::DashLine);
    upright(canvas, figure.separation.onset, plot, axis, onsetColour(figure, look), FigureCanvas::kHair * 1.5, Qt::DashLine);
    if (figure.threshold && (!figure.isDecided() || figure.threshold != figure.line()))
        upright(canvas, *figure.threshold, plot, axis, look.muted, FigureCanvas::kRule, Qt::DotLine); // decides nothing
    if (figure.isDecided())
        upright(canvas, *figure.line(), plot, axis, look.ink, FigureCanvas::kRule, Qt::SolidLine);
    if (ghost)
        upright(canvas, *ghost, plot, axis, look.ghost, FigureCanvas::kRule, Qt::DashLine);
}

/// The name of a line above the plot.
struct RuleName {
    double value;
    QString text;
    QColor colour;
};

/// @p names with @p baseline, moved apart where they would lie on each other.
void nameRow(FigureCanvas& canvas, const std::vector<RuleName>& names, const QRectF& plot, const FigureAxis& axis,
             double baseline)
{
    struct Label {
        double x;
        QString text;
        QColor colour;
        double width;
    };
    std::vector<Label> labels;
    for (const RuleName& name : names) {
        if (hasLogarithm(name.value))
            labels.push_back({axis.held(std::log10(name.value)), name.text, name.colour,
                              FigureCanvas::widthOf(name.text, FigureCanvas::kSmall, true)});
    }
    std::ranges::stable_sort(labels, {}, &Label::x);
    constexpr double kApart = 50;
    double total = labels.empty() ? 0 : -kApart;
    for (const Label& label : labels)
        total += label.width + kApart;
    // Centred on their lines where there is room, else side by side in their order.
    double left = plot.left();
    double rest = total;
    for (const Label& label : labels) {
        const double most = plot.right() - rest;
        const double x = std::clamp(label.x - label.width / 2, std::min(left, most), std::max(left, most));
        canvas.text({x, baseline}, Qt::AlignLeft | Qt::AlignBaseline, label.text, FigureCanvas::kSmall, label.colour, true);
        left = x + label.width + kApart;
        rest -= label.width + kApart;
    }
}

/// What decides, and what is tried against it, over what it was made from.
void ruleNames(FigureCanvas& canvas, const FigureData& figure, const QRectF& plot, const FigureAxis& axis,
               std::optional<double> ghost)
{
    const FigureLook& look = canvas.look();
    const auto named = [](const QString& name, double value) { return QString(name + u' ' + shortNumber(value)); };
    const double lower = plot.top() - 22;
    const double upper = lower - kLetter;
    std::vector<RuleName> decides;
    if (figure.line())
        decides.push_back({*figure.line(), limit_words::name(figure), figure.isDecided() ? look.ink : look.muted});
    if (ghost)
        decides.push_back({*ghost, named(tr("tried"), *ghost), look.ghost});
    nameRow(canvas, decides, plot, axis, upper);
    nameRow(canvas,
            {{figure.separation.floor, named(tr("floor"), figure.separation.floor), look.conforming},
             {figure.separation.onset, named(tr("onset"), figure.separation.onset), onsetColour(figure, look)}},
            plot, axis, lower);
}

double tallest(const FigureData& figure)
{
    double height = 0;
    for (const FigureCurve* curve : {&figure.conforming, &figure.disturbed, &figure.defects}) {
        if (hasDensity(*curve))
            height = std::max(height, *std::ranges::max_element(curve->density->density));
    }
    return height;
}

void density(FigureCanvas& canvas, const FigureCurve& curve, const QColor& colour, const QRectF& plot, const FigureAxis& x,
             const FigureAxis& y)
{
    if (!hasDensity(curve)) {
        for (const calibration::EcdfStep& step : curve.ecdf.steps) {
            const double at = x.at(step.log10Value);
            canvas.line({at, plot.bottom() - plot.height() / 4}, {at, plot.bottom()}, colour, FigureCanvas::kCurve);
        }
        return;
    }
    std::vector<QPointF> points;
    for (std::size_t i = 0; i < curve.density->at.size(); ++i) {
        if (curve.density->at[i] >= x.low && curve.density->at[i] <= x.high)
            points.emplace_back(x.at(curve.density->at[i]), y.at(curve.density->density[i]));
    }
    if (points.size() < 2)
        return;
    std::vector<QPointF> filled = points;
    filled.emplace_back(points.back().x(), plot.bottom());
    filled.emplace_back(points.front().x(), plot.bottom());
    QColor ground = colour;
    ground.setAlphaF(0.20F);
    canvas.area(filled, ground);
    canvas.polyline(points, colour);
}

void staircase(FigureCanvas& canvas, const FigureCurve& curve, const QColor& colour, const ErrorAxis& error, const FigureAxis& y)
{
    if (curve.counts.ranked() == 0)
        return;
    const calibration::Ecdf& ecdf = curve.ecdf;
    const double left = error.zeros.isEmpty() ? error.axis.from : error.zeros.left();
    std::vector<QPointF> points{{left, y.at(ecdf.gutter)}};
    constexpr double kColumn = 6; // finer than a printer's dots, and a large sample stays a small file
    double share = ecdf.gutter;
    for (const calibration::EcdfStep& step : ecdf.steps) {
        const double x = error.axis.at(step.log10Value);
        if (x - points.back().x() >= kColumn || points.size() == 1) {
            points.emplace_back(x, y.at(share));
            points.emplace_back(x, y.at(step.share));
        } else {
            points.back().setY(y.at(step.share));
        }
        share = step.share;
    }
    points.emplace_back(error.axis.to, y.at(share));
    if (!error.nonFinite.isEmpty()) {
        points.emplace_back(error.nonFinite.center().x(), y.at(share));
        points.emplace_back(error.nonFinite.center().x(), y.at(1));
        points.emplace_back(error.nonFinite.right(), y.at(1));
    }
    canvas.polyline(points, colour);
}

} // namespace

ErrorAxis errorAxis(const FigureData& figure, const QRectF& plot)
{
    std::int64_t zeros = 0;
    std::int64_t nonFinite = 0;
    for (const FigureCurve* curve : {&figure.conforming, &figure.disturbed, &figure.defects}) {
        zeros += curve->counts.zeros;
        nonFinite += curve->counts.nonFinite();
    }
    ErrorAxis error;
    double left = plot.left();
    double right = plot.right();
    if (zeros > 0) {
        error.zeros = QRectF(left, 0, kGutter, 1);
        left += kGutter + kGutterGap;
    }
    if (nonFinite > 0) {
        error.nonFinite = QRectF(right - kGutter, 0, kGutter, 1);
        right -= kGutter + kGutterGap;
    }
    const auto [low, high] = rangeOf(figure);
    const double pad = std::max(0.15, 0.04 * (high - low));
    error.axis = {low - pad, high + pad, left, right};
    return error;
}

void densities(FigureCanvas& canvas, const FigureData& figure, const QRectF& plot, const ErrorAxis& error,
               std::optional<double> ghost)
{
    gap(canvas, figure, plot, error.axis);
    const double height = tallest(figure);
    const FigureAxis y{0, height > 0 ? 1.06 * height : 1, plot.bottom(), plot.top()};
    for (const auto& [curve, colour] : curvesOf(figure, canvas.look()))
        density(canvas, *curve, colour, plot, error.axis, y);
    rules(canvas, figure, plot, error.axis, ghost);
    ruleNames(canvas, figure, plot, error.axis, ghost);
    gutter(canvas, figure, error.zeros, plot, true);
    gutter(canvas, figure, error.nonFinite, plot, false);
    canvas.frame(plot);
    const double step = std::pow(10, std::floor(std::log10(y.high)));
    const double every = y.high / step > 5 ? 2 * step : y.high / step > 2 ? step : step / 2;
    std::vector<double> ticks;
    for (double tick = 0; tick <= y.high; tick += every)
        ticks.push_back(tick);
    if (height > 0)
        canvas.numbers(plot, y, ticks, tr("density per decade"));
    canvas.decades(plot, error.axis, {}, false);
}

void distributions(FigureCanvas& canvas, const FigureData& figure, const QRectF& plot, const ErrorAxis& error,
                   std::optional<double> ghost)
{
    gap(canvas, figure, plot, error.axis);
    const FigureAxis y{0, 1, plot.bottom(), plot.top()};
    for (const QRectF& range : {error.zeros, error.nonFinite}) {
        if (range.isEmpty())
            continue;
        QColor ground = canvas.look().line;
        ground.setAlphaF(0.35F);
        canvas.box(QRectF(range.left(), plot.top(), range.width(), plot.height()), ground);
    }
    for (const auto& [curve, colour] : curvesOf(figure, canvas.look()))
        staircase(canvas, *curve, colour, error, y);
    rules(canvas, figure, plot, error.axis, ghost);
    canvas.frame(plot);
    canvas.numbers(plot, y, std::array{0.0, 0.5, 1.0}, tr("share \u2264 error"));
    canvas.decades(plot, error.axis, tr("error over bound"));
    gutterNames(canvas, error, plot);
}

} // namespace assay::views::figure_panels
