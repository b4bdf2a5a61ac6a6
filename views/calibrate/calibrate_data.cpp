// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/calibrate_data.h"

#include "core/report/threshold_export.h"
#include "views/figure/figure_canvas.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr double kShownHalf = 0.005; ///< half of the last decimal of a margin in decades

void markThin(CellRow& row, const calibration::ThresholdRule& rule)
{
    row.isThinBelow = row.margins && row.margins->below < rule.leastBelow;
    row.isThinAbove = row.margins && row.margins->above < rule.leastAbove;
}

CellRow rowOf(const calibration::FrozenThreshold& threshold, const calibration::ThresholdRule& rule)
{
    CellRow row;
    row.cell = {threshold.gate, threshold.family, threshold.dtype};
    row.state = threshold.state;
    row.threshold = threshold.threshold;
    if (threshold.threshold && threshold.floor && threshold.onset)
        row.margins = calibration::marginsOf(*threshold.threshold, *threshold.floor, *threshold.onset);
    markThin(row, rule);
    return row;
}

QString noteOf(const calibration::PublishedGate& gate)
{
    if (!gate.thresholded)
        return QCoreApplication::translate("Figure", "no tolerance: %1, %2")
            .arg(gate.honestPasses.value_or(false) ? QCoreApplication::translate("Figure", "right passes")
                                                   : QCoreApplication::translate("Figure", "right does not pass"),
                 gate.defectFails.value_or(false) ? QCoreApplication::translate("Figure", "defect fails")
                                                  : QCoreApplication::translate("Figure", "defect does not fail"));
    for (const calibration::AccumulatorPoint& point : gate.accumulator) {
        if (point.halfFails)
            return QCoreApplication::translate("Figure", "an fp16 accumulator fails from length %1").arg(point.sequenceLength);
    }
    return QCoreApplication::translate("Figure", "published without margins");
}

CellRow rowOf(const calibration::PublishedGate& gate, const calibration::ThresholdRule& rule)
{
    CellRow row;
    row.cell = {gate.gate, "published", ""};
    row.state = calibration::GapState::Safe;
    row.threshold = gate.tripPoint;
    row.margins = gate.margins();
    markThin(row, rule);
    if (!row.margins)
        row.note = noteOf(gate);
    if (row.isThinBelow || row.isThinAbove)
        row.state = calibration::GapState::NoSafeGap;
    return row;
}

/// @param limits  what a judge would take of the calibration
void addLimits(std::vector<CellRow>& rows, const std::vector<calibration::ThresholdRow>& limits)
{
    std::map<calibration::CellName, const calibration::ThresholdRow*> byCell;
    for (const calibration::ThresholdRow& limit : limits)
        byCell[{limit.gate, limit.family, limit.dtype}] = &limit;
    for (CellRow& row : rows) {
        calibration::ThresholdRow none; // a table has no rows over all families
        none.family = row.cell.family;
        const auto found = byCell.find(row.cell);
        row.limit = calibration::limitOf(found != byCell.end() ? *found->second : none);
    }
}

/// Conforming samples of a cell as one series.
calibration::Series conformingOf(store::Database& database, std::int64_t id, const calibration::CellName& cell)
{
    const auto samples = store::cellSamples(database, id, cell.gate, cell.family, cell.dtype);
    return calibration::SampleSet(samples).conforming();
}

std::vector<DeviceDrift> driftsOf(store::Database& database, const CalibrateData& data, const calibration::CellName& cell)
{
    std::vector<DeviceDrift> drifts;
    const report::CalibrationVersion& ours = data.versions[data.chosen];
    std::set<std::string> devices{ours.frozen.device}; // of each other device the newest version
    std::optional<calibration::Series> own;
    for (const report::CalibrationVersion& other : data.versions) {
        if (!devices.insert(other.frozen.device).second)
            continue;
        if (!own)
            own = conformingOf(database, ours.summary.id, cell);
        if (const auto test = calibration::kolmogorovSmirnov(*own, conformingOf(database, other.summary.id, cell)))
            drifts.push_back(
                {QString::fromStdString(other.frozen.device), QString::fromStdString(other.summary.version).left(8), *test});
    }
    return drifts;
}

} // namespace

CalibrateData loadCalibrateData(store::Database& database, const std::string& version)
{
    CalibrateData data;
    data.versions = report::calibrationVersions(database);
    for (std::size_t i = 0; i < data.versions.size(); ++i) {
        if (data.versions[i].summary.version == version)
            data.chosen = i;
    }
    calibration::ThresholdRule rule;
    if (!data.versions.empty()) {
        const calibration::FrozenCalibration& frozen = data.versions[data.chosen].frozen;
        rule = frozen.rule;
        for (const calibration::FrozenThreshold& threshold : frozen.thresholds)
            data.rows.push_back(rowOf(threshold, rule));
        addLimits(data.rows, report::thresholdRows(database, data.versions[data.chosen]));
    }
    for (const report::PublishedCalibrationFile& file : report::publishedCalibrations(database)) {
        for (const calibration::PublishedGate& gate : file.calibration.gates)
            data.rows.push_back(rowOf(gate, rule));
    }
    std::ranges::stable_sort(data.rows, {}, [](const CellRow& row) {
        return std::tuple(row.cell.gate, row.isPublished(), row.cell.family != "all", row.cell.family,
                          row.cell.dtype != "float32", row.cell.dtype);
    });
    return data;
}

ShownFigure loadShownFigure(store::Database& database, const CalibrateData& data, const calibration::CellName& cell,
                            std::stop_token stop)
{
    ShownFigure shown;
    const bool isPublished = cell.family == "published";
    if (isPublished || data.versions.empty()) {
        shown.figure.cell = cell;
        shown.figure.published = report::publishedGate(report::publishedCalibrations(database), cell.gate);
        return shown;
    }
    calibration::BootstrapOptions options;
    options.stop = std::move(stop);
    shown.figure = report::loadFigure(database, data.versions[data.chosen], cell, options);
    shown.drifts = driftsOf(database, data, cell);
    return shown;
}

QString decadesText(double decades)
{
    // "-0.00" would be a sign of nothing.
    const double shown = std::abs(decades) < kShownHalf ? 0 : decades;
    return QString::number(shown, 'f', 2).replace(u'-', QChar(0x2212));
}

QString marginText(double decades)
{
    return u"%1 (%2\u00D7)"_s.arg(decadesText(decades), shortNumber(std::pow(10, decades)));
}

} // namespace assay::views
