// SPDX-License-Identifier: Apache-2.0
#include "core/report/calibration_data.h"

#include "core/runner/calibration_task.h"
#include "core/store/guarded.h"
#include "core/store/source_store.h"
#include "core/store/statement.h"
#include "core/text/error.h"

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

namespace assay::report {

namespace {

using calibration::CellName;
using calibration::FrozenThreshold;

/// A document as it was imported; the corpus it belongs to and its file name beside.
struct Document {
    std::string corpus;
    std::string file;
    std::string text;
};

std::vector<Document> calibrationDocuments(store::Database& database)
{
    return store::guarded(database, [&] {
        std::vector<Document> found;
        store::Statement query(database.sqlite(),
                               "SELECT c.name, d.source_file, d.codec, d.data, d.bytes FROM published_document d "
                               "JOIN corpus c ON c.id = d.corpus_id WHERE d.kind = 'calibration' ORDER BY d.id");
        while (query.step()) {
            if (auto text = store::unpack(query.textAt(2), query.blobAt(3), query.integerAt(4)))
                found.push_back({std::string(query.textAt(0)), std::string(query.textAt(1)), std::move(*text)});
        }
        return found;
    });
}

CellName nameOf(const FrozenThreshold& threshold)
{
    return {threshold.gate, threshold.family, threshold.dtype};
}

std::string cellList(const CalibrationVersion& version)
{
    std::string text;
    for (const FrozenThreshold& threshold : version.frozen.thresholds)
        text += (text.empty() ? "" : "; ") + calibration::title(nameOf(threshold));
    return text.empty() ? "none" : text;
}

} // namespace

std::vector<CalibrationVersion> calibrationVersions(store::Database& database)
{
    std::vector<CalibrationVersion> versions;
    for (store::CalibrationSummary& summary : store::calibrations(database)) {
        auto frozen = calibration::readFrozen(summary.definition, "calibration " + summary.version.substr(0, 12));
        versions.push_back({std::move(summary), std::move(frozen)});
    }
    return versions;
}

CalibrationVersion calibrationVersion(store::Database& database, std::string_view prefix)
{
    std::vector<CalibrationVersion> versions = calibrationVersions(database);
    if (versions.empty())
        throw Error("nothing was calibrated in this database", database.path().string(), "assay calibrate --db DB measures it");
    if (prefix.empty())
        return std::move(versions.front());
    std::erase_if(versions, [&](const CalibrationVersion& one) { return !one.summary.version.starts_with(prefix); });
    if (versions.size() != 1)
        throw Error(versions.empty() ? "no calibration has this version" : "several calibrations begin like this",
                    std::string(prefix), "Give more digits of a version that is there");
    return std::move(versions.front());
}

std::vector<PublishedCalibrationFile> publishedCalibrations(store::Database& database)
{
    std::vector<PublishedCalibrationFile> files;
    for (const Document& document : calibrationDocuments(database)) {
        try {
            files.push_back(
                {document.corpus, document.file, calibration::readPublishedCalibration(document.text, document.file)});
        } catch (const Error&) {
            // A document of the kind whose figures make no sense is shown verbatim on the overview, not here.
            continue;
        }
    }
    return files;
}

std::optional<calibration::PublishedGate> publishedGate(const std::vector<PublishedCalibrationFile>& files, std::string_view gate)
{
    for (const PublishedCalibrationFile& file : files) {
        for (const calibration::PublishedGate& one : file.calibration.gates) {
            if (one.gate == gate && one.margins())
                return one;
        }
    }
    return std::nullopt;
}

CellName chooseCell(const CalibrationVersion& version, const std::string& gate, const std::string& family,
                    const std::string& dtype)
{
    const auto fits = [](const std::string& asked, const std::string& has) { return asked.empty() || asked == has; };
    std::vector<CellName> cells;
    for (const FrozenThreshold& one : version.frozen.thresholds) {
        if (fits(gate, one.gate) && fits(family, one.family) && fits(dtype, one.dtype))
            cells.push_back(nameOf(one));
    }
    if (cells.empty())
        throw Error("the calibration has no such cell", gate + " " + family + " " + dtype, "It has " + cellList(version));
    // All families before one, single precision before the others: what a reader expects who names the gate alone.
    return *std::ranges::min_element(cells, {}, [](const CellName& cell) {
        return std::tuple(cell.gate, cell.family != "all", cell.dtype != "float32", cell.family, cell.dtype);
    });
}

calibration::FigureData loadFigure(store::Database& database, const CalibrationVersion& version, const CellName& cell,
                                   const calibration::BootstrapOptions& options)
{
    const auto samples = store::cellSamples(database, version.summary.id, cell.gate, cell.family, cell.dtype);
    calibration::FrozenCalibration frozen = version.frozen;
    frozen.rule = runner::ruleFor(cell.dtype, frozen.rule); // as the threshold was set
    auto figure = calibration::figureOf(cell, samples, frozen, version.summary.version, options);
    figure.published = publishedGate(publishedCalibrations(database), cell.gate);
    return figure;
}

} // namespace assay::report
