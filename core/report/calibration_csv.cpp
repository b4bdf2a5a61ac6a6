// SPDX-License-Identifier: Apache-2.0
#include "core/report/calibration_data.h"

#include "core/report/csv_text.h"
#include "core/text/json.h"

#include <cmath>

namespace assay::report {

namespace {

using calibration::FigureCurve;
using calibration::FigureData;

/// Lines of part, series, x, y, low, high; a field that does not apply is empty.
class Table {
public:
    Table() { m_text = csv::line({"part", "series", "x", "y", "low", "high"}); }

    void add(std::string_view part, std::string_view series, std::optional<double> x, std::optional<double> y,
             std::optional<sampling::Interval> interval = {})
    {
        m_text += csv::line({std::string(part), std::string(series), number(x), number(y), interval ? number(interval->low) : "",
                             interval ? number(interval->high) : ""});
    }
    std::string take() { return std::move(m_text); }

private:
    static std::string number(std::optional<double> value) { return value ? json::exactNumber(*value) : std::string(); }
    std::string m_text;
};

void addCurve(Table& table, std::string_view name, const FigureCurve& curve)
{
    const auto count = [&](std::string_view part, std::int64_t value) { table.add(part, name, {}, static_cast<double>(value)); };
    count("kernels", curve.kernels);
    count("samples_zero", curve.counts.zeros);
    count("samples_positive", curve.counts.positive);
    count("samples_nan", curve.counts.nan);
    count("samples_inf", curve.counts.posInf);
    count("samples_impossible", curve.counts.impossible);
    count("samples_absent", curve.counts.absent);
    if (curve.density) {
        for (std::size_t i = 0; i < curve.density->at.size(); ++i)
            table.add("density_per_decade", name, std::pow(10.0, curve.density->at[i]), curve.density->density[i]);
    }
    for (const calibration::EcdfStep& step : curve.ecdf.steps)
        table.add("ecdf", name, std::pow(10.0, step.log10Value), step.share);
}

std::optional<sampling::Interval> intervalOf(const calibration::Estimate& estimate)
{
    return estimate.bca ? estimate.bca : estimate.percentile;
}

void addThreshold(Table& table, const FigureData& figure)
{
    table.add("floor", "conforming", figure.separation.floor, {});
    table.add("onset", "ought to be seen", figure.separation.onset, {});
    if (figure.threshold)
        table.add("threshold", "frozen", *figure.threshold, {});
    if (!figure.trial)
        return;
    // All that follows is of the limit; over all families, which have none, of the threshold.
    if (figure.isDecided())
        table.add("limit", calibration::wordsOf(*figure.limit, figure.isByHand), figure.limit->value, {});
    table.add("seen_samples", "both halves", static_cast<double>(figure.missed.of),
              static_cast<double>(figure.missed.of - figure.missed.hits));
    if (const auto& margins = figure.trial->margins) {
        table.add("margin_decades", "below", {}, margins->below, intervalOf(figure.estimates.below));
        table.add("margin_decades", "above", {}, margins->above, intervalOf(figure.estimates.above));
    }
    const auto rate = [&](std::string_view part, std::string_view series, const calibration::BoundedRate& one) {
        table.add(part, series, static_cast<double>(one.of), static_cast<double>(one.hits), sampling::Interval{0, one.upper});
    };
    rate("false_alarm_kernels", "calibration", figure.trial->onCalibration.falseAlarmKernels);
    rate("false_alarm_kernels", "hold-out", figure.trial->onHoldOut.falseAlarmKernels);
    rate("missed_samples", "calibration", figure.trial->onCalibration.missedSamples);
    rate("missed_samples", "hold-out", figure.trial->onHoldOut.missedSamples);
}

void addDetections(Table& table, const FigureData& figure)
{
    for (const calibration::FigureDetection& detection : figure.detections) {
        for (const calibration::ScaleOutcome& outcome : detection.outcomes) {
            table.add("detected", detection.perturbation, outcome.scale,
                      static_cast<double>(outcome.seen) / static_cast<double>(outcome.samples));
        }
        for (const calibration::BandPoint& point : detection.estimates.band) {
            table.add("detection_fit", detection.perturbation, std::pow(10.0, point.log10Scale), point.probability,
                      point.interval);
        }
    }
}

void addRoc(Table& table, const FigureData& figure)
{
    const auto right = static_cast<double>(figure.calibration.conforming.size());
    const auto wrong = static_cast<double>(figure.calibration.seen.size());
    if (right > 0 && wrong > 0) {
        for (const calibration::RocPoint& point : figure.roc)
            table.add("roc", "calibration", static_cast<double>(point.falseAlarms) / right,
                      static_cast<double>(point.detections) / wrong);
    }
    if (figure.area)
        table.add("auc", "calibration", {}, figure.area->area, figure.area->clustered());
}

} // namespace

std::string toCsv(const FigureData& figure)
{
    Table table;
    addCurve(table, "conforming", figure.conforming);
    addCurve(table, "disturbed", figure.disturbed);
    addCurve(table, "defects", figure.defects);
    addThreshold(table, figure);
    if (figure.published && figure.published->margins()) {
        table.add("published_margin_decades", "below", {}, figure.published->margins()->below);
        table.add("published_margin_decades", "above", {}, figure.published->margins()->above);
    }
    addDetections(table, figure);
    addRoc(table, figure);
    return table.take();
}

} // namespace assay::report
