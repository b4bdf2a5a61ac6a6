// SPDX-License-Identifier: Apache-2.0
#include "core/store/calibration_run.h"

#include "core/store/calibration_row.h"
#include "core/store/statement.h"
#include "core/store/timestamp.h"
#include "core/store/writing.h"

namespace assay::store {

namespace {

bool isThere(SQLite::Database& sqlite, std::int64_t run)
{
    Statement query(sqlite, "SELECT 1 FROM calibration_run WHERE id = ?1");
    return singleInteger(query.integer(1, run)).has_value();
}

/// @return its row, or nothing where its place is taken
std::optional<std::int64_t> insertJudgement(SQLite::Database& sqlite, std::int64_t run, const CalibrationJudgement& judgement)
{
    const auto place = static_cast<std::int64_t>(judgement.place);
    Statement known(sqlite, "SELECT 1 FROM calibration_run_judgement WHERE run_id = ?1 AND place = ?2");
    if (singleInteger(known.integer(1, run).integer(2, place)))
        return std::nullopt;
    Statement insert(sqlite,
                     "INSERT INTO calibration_run_judgement (run_id, place, not_judged, versions) VALUES (?1, ?2, ?3, ?4)");
    insert.integer(1, run).integer(2, place).text(3, judgement.notJudged).text(4, judgement.versions).run();
    return sqlite.getLastInsertRowid();
}

} // namespace

std::optional<std::int64_t> findCalibrationRun(Database& database, const std::string& ask)
{
    return guarded(database, [&] {
        Statement query(database.sqlite(), "SELECT id FROM calibration_run WHERE ask = ?1");
        return singleInteger(query.text(1, ask));
    });
}

std::int64_t beginCalibrationRun(Database& database, const std::string& ask)
{
    return writing(database, [&](SQLite::Database& sqlite) {
        const std::string now = utcNow();
        Statement insert(sqlite, "INSERT INTO calibration_run (ask, started_at) VALUES (?1, ?2)");
        insert.text(1, ask).text(2, now).run();
        return std::int64_t{sqlite.getLastInsertRowid()};
    });
}

void keepJudgement(Database& database, std::int64_t run, const CalibrationJudgement& judgement)
{
    writing(database, [&](SQLite::Database& sqlite) {
        if (!isThere(sqlite, run))
            throw Error("the calibration that is measured here was ended elsewhere", database.path().string(),
                        "Look at assay calibrate --list, and begin anew where it is not there");
        const auto row = insertJudgement(sqlite, run, judgement);
        if (!row)
            return;
        Statement insert(sqlite,
                         std::string("INSERT INTO calibration_run_sample (judgement_id, ") + kSampleColumns
                             + ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
        for (const CalibrationSample& sample : judgement.samples) {
            insert.integer(1, *row);
            bindSample(insert, sample);
            insert.run();
        }
    });
}

std::vector<CalibrationJudgement> keptJudgements(Database& database, std::int64_t run)
{
    return guarded(database, [&] {
        std::vector<CalibrationJudgement> found;
        Statement judgements(database.sqlite(),
                             "SELECT id, place, not_judged, versions FROM calibration_run_judgement WHERE run_id = ?1 "
                             "ORDER BY place");
        judgements.integer(1, run);
        Statement samples(database.sqlite(),
                          std::string("SELECT ") + kReadSample
                              + " FROM calibration_run_sample WHERE judgement_id = ?1 ORDER BY id");
        while (judgements.step()) {
            CalibrationJudgement& judgement = found.emplace_back();
            judgement.place = static_cast<std::size_t>(judgements.integerAt(1));
            judgement.notJudged = judgements.textAt(2);
            judgement.versions = judgements.textAt(3);
            samples.integer(1, judgements.integerAt(0));
            while (samples.step())
                judgement.samples.push_back(calibrationSampleAt(samples, database));
        }
        return found;
    });
}

std::vector<CalibrationRunSummary> calibrationRuns(Database& database)
{
    return guarded(database, [&] {
        std::vector<CalibrationRunSummary> found;
        Statement query(database.sqlite(),
                        "SELECT r.ask, r.started_at, count(j.id), coalesce(max(j.versions), '') FROM calibration_run r "
                        "LEFT JOIN calibration_run_judgement j ON j.run_id = r.id GROUP BY r.id ORDER BY r.id DESC");
        while (query.step())
            found.push_back(
                {std::string(query.textAt(0)), std::string(query.textAt(1)), query.integerAt(2), std::string(query.textAt(3))});
        return found;
    });
}

void discardCalibrationRun(Database& database, std::int64_t run)
{
    writing(database, [&](SQLite::Database& sqlite) {
        Statement forget(sqlite, "DELETE FROM calibration_run WHERE id = ?1");
        forget.integer(1, run).run();
    });
}

} // namespace assay::store
