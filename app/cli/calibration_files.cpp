// SPDX-License-Identifier: Apache-2.0
#include "app/cli/calibration_files.h"

#include "core/report/calibration_file.h"
#include "core/report/output_file.h"
#include "core/report/threshold_export.h"
#include "core/text/object_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace assay::cli {

namespace {

void writeText(const std::string& path, const std::string& text)
{
    report::OutputFile file(path);
    file.write(text);
    file.commit();
}

} // namespace

void CalibrationFiles::declare(CLI::App& app)
{
    app.add_option("--load", load, "Read a calibration from a file of --export into the database instead");
    app.add_option("--export", exported, "Write a calibration of the database as a file (.jsonl.gz) instead");
    app.add_option("--thresholds", thresholds, "Write its thresholds, for --thresholds of the verbs that judge, instead");
    app.add_option("--version", version, "Which calibration: the one whose hash begins so (default: the newest)");
}

int CalibrationFiles::run(const std::string& database, const Invocation& invocation) const
{
    if (database.empty())
        throw UsageError("no database is named", load.empty() ? "--version" : "--load", "Add --db FILE");
    if (!load.empty() && !(exported.empty() && thresholds.empty()))
        throw UsageError("a calibration is either read or written", "--load", "Give one of them at a time");
    json::ObjectText out("assay.calibration-files/1");
    std::string text;
    if (!load.empty()) {
        const auto db = store::Database::open(database, store::OpenMode::ReadWriteCreate);
        const report::LoadedCalibration loaded = report::loadCalibrationFile(*db, load);
        out.text("version", loaded.version);
        out.integer("samples", loaded.samples);
        out.flag("new", loaded.isNew);
        text = fmt::format("{:.12}  {} samples  {}{}\n", loaded.version, loaded.samples, loaded.title,
                           loaded.isNew ? "" : " (was there already)");
    } else {
        const auto db = store::Database::open(database, store::OpenMode::ReadOnly);
        const report::CalibrationVersion chosen = report::calibrationVersion(*db, version);
        out.text("version", chosen.summary.version);
        out.integer("samples", chosen.summary.samples);
        if (!exported.empty()) {
            report::writeCalibrationFile(*db, chosen, exported);
            text += fmt::format("{}: calibration {:.12}, {} samples\n", exported, chosen.summary.version, chosen.summary.samples);
        }
        if (!thresholds.empty()) {
            const calibration::ThresholdTable table = report::thresholdTable(*db, chosen);
            writeText(thresholds, calibration::toText(table));
            const auto set = std::ranges::count_if(table.rows, [](const auto& row) { return row.threshold.has_value(); });
            out.text("thresholds_version", calibration::versionOf(table));
            out.integer("thresholds", set);
            out.integer("cells", std::ssize(table.rows));
            text += fmt::format("{}: {} thresholds in {} cells, version {:.12}\n", thresholds, set, table.rows.size(),
                                calibration::versionOf(table));
        }
    }
    if (invocation.json)
        printLine(out.finish());
    else
        print(text);
    return kFine;
}

} // namespace assay::cli
