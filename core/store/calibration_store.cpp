// SPDX-License-Identifier: Apache-2.0
#include "core/store/calibration_store.h"

#include "core/store/calibration_row.h"
#include "core/store/statement.h"
#include "core/store/timestamp.h"
#include "core/store/writing.h"
#include "core/text/object_text.h"

namespace assay::store {

namespace {

std::string versionsText(const calibration::FrozenCalibration& frozen)
{
    json::ObjectText object;
    for (const auto& [name, version] : frozen.versions)
        object.text(name, version);
    return object.finish();
}

std::int64_t insertHead(SQLite::Database& sqlite, const calibration::FrozenCalibration& frozen, const std::string& version,
                        const std::string& title, const std::string& createdAt)
{
    const std::string seed = std::to_string(frozen.seed);
    const std::string versions = versionsText(frozen);
    const std::string definition = calibration::canonicalJson(frozen);
    const std::string now = createdAt.empty() ? utcNow() : createdAt;
    Statement insert(sqlite,
                     "INSERT INTO calibration (version_hash, title, device, versions, seed, created_at, definition) "
                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
    insert.text(1, version)
        .text(2, title)
        .text(3, frozen.device)
        .text(4, versions)
        .text(5, seed)
        .text(6, now)
        .text(7, definition);
    insert.run();
    return sqlite.getLastInsertRowid();
}

} // namespace

std::int64_t insertCalibration(Database& database, const calibration::FrozenCalibration& frozen, const std::string& title,
                               const std::vector<CalibrationSample>& samples, const std::string& createdAt)
{
    return writing(database, [&](SQLite::Database& sqlite) {
        const std::string version = calibration::versionOf(frozen);
        Statement known(sqlite, "SELECT id FROM calibration WHERE version_hash = ?1");
        if (const auto there = singleInteger(known.text(1, version)))
            return *there;
        const std::int64_t id = insertHead(sqlite, frozen, version, title, createdAt);
        Statement insert(sqlite,
                         std::string("INSERT INTO calibration_sample (calibration_id, ") + kSampleColumns
                             + ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
        for (const CalibrationSample& row : samples) {
            insert.integer(1, id);
            bindSample(insert, row);
            insert.run();
        }
        Statement threshold(sqlite,
                            "INSERT INTO threshold (calibration_id, gate, family, dtype, value) VALUES (?1, ?2, ?3, ?4, ?5)");
        for (const calibration::FrozenThreshold& frozenThreshold : frozen.thresholds) {
            if (!frozenThreshold.threshold)
                continue; // the definition says why there is none
            threshold.integer(1, id).text(2, frozenThreshold.gate).text(3, frozenThreshold.family);
            threshold.text(4, frozenThreshold.dtype).real(5, frozenThreshold.threshold).run();
        }
        return id;
    });
}

std::vector<CalibrationSummary> calibrations(Database& database)
{
    return guarded(database, [&] {
        std::vector<CalibrationSummary> found;
        Statement query(database.sqlite(),
                        "SELECT id, version_hash, title, device, created_at, definition, "
                        "(SELECT count(*) FROM calibration_sample s WHERE s.calibration_id = c.id) FROM calibration c "
                        "ORDER BY id DESC");
        while (query.step())
            found.push_back({query.integerAt(0), std::string(query.textAt(1)), std::string(query.textAt(2)),
                             std::string(query.textAt(3)), std::string(query.textAt(4)), std::string(query.textAt(5)),
                             query.integerAt(6)});
        return found;
    });
}

std::vector<CalibrationSample> calibrationSamples(Database& database, std::int64_t id)
{
    return guarded(database, [&] {
        std::vector<CalibrationSample> found;
        Statement query(database.sqlite(),
                        std::string("SELECT ") + kReadSample + " FROM calibration_sample WHERE calibration_id = ?1 ORDER BY id");
        query.integer(1, id);
        while (query.step())
            found.push_back(calibrationSampleAt(query, database));
        return found;
    });
}

std::vector<calibration::Sample> cellSamples(Database& database, std::int64_t id, const std::string& gate,
                                             const std::string& family, const std::string& dtype)
{
    return guarded(database, [&] {
        std::vector<calibration::Sample> found;
        Statement query(database.sqlite(),
                        "SELECT source, kind, kernel, perturbation, value, value_class FROM calibration_sample "
                        "WHERE calibration_id = ?1 AND gate = ?2 AND dtype = ?3 AND (?4 = 'all' OR family = ?4) ORDER BY id");
        query.integer(1, id).text(2, gate).text(3, dtype).text(4, family);
        while (query.step())
            found.push_back(sampleAt(query, database));
        return found;
    });
}

} // namespace assay::store
