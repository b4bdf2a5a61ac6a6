// SPDX-License-Identifier: Apache-2.0
#include "core/store/gdn_run.h"

#include "core/store/statement.h"
#include "core/store/timestamp.h"
#include "core/store/writing.h"

namespace assay::store {

std::int64_t addGdnRun(Database& database, const GdnRunRecord& run)
{
    return writing(database, [&](SQLite::Database& sqlite) {
        const std::string now = utcNow();
        Statement insert(sqlite,
                         "INSERT INTO gdn_run (verdict_id, family, shape, dtype, device, timings, errors, created_at) "
                         "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
        insert.idOrNull(1, run.verdictId).text(2, run.family).text(3, run.shape).text(4, run.dtype).text(5, run.device);
        insert.textOrNull(6, run.timings).textOrNull(7, run.errors).text(8, now).run();
        return static_cast<std::int64_t>(sqlite.getLastInsertRowid());
    });
}

std::optional<GdnRunRecord> gdnRunOf(Database& database, std::int64_t verdictId)
{
    return guarded(database, [&]() -> std::optional<GdnRunRecord> {
        Statement found(database.sqlite(),
                        "SELECT family, shape, dtype, device, timings, errors FROM gdn_run WHERE verdict_id = ?1 "
                        "ORDER BY id DESC LIMIT 1");
        if (!found.integer(1, verdictId).step())
            return std::nullopt;
        const auto text = [&](int column) { return std::string(found.textAt(column)); };
        return GdnRunRecord{verdictId, text(0), text(1), text(2), text(3), text(4), text(5)};
    });
}

} // namespace assay::store
