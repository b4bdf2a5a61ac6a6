// SPDX-License-Identifier: Apache-2.0
// The parts of a merge that need kernels and corpora to be there and nothing else of each other.
#include "core/store/merge_state.h"
#include "core/store/statement.h"

#include <utility>

namespace assay::store {

std::int64_t mapped(const MergeState::Ids& ids, std::int64_t id)
{
    const auto it = ids.find(id);
    return it == ids.end() ? 0 : it->second;
}

std::int64_t mapRows(SQLite::Database& sqlite, const std::string& list, const std::string& same, const std::string& insert,
                     MergeState::Ids& ids, const MergeState::Ids* parents)
{
    std::int64_t fresh = 0;
    Statement all(sqlite, list);
    Statement find(sqlite, same);
    Statement add(sqlite, insert);
    while (all.step()) {
        const std::int64_t id = all.integerAt(0);
        find.integer(1, id);
        add.integer(1, id);
        if (parents != nullptr) {
            const std::int64_t parent = mapped(*parents, all.integerAt(1));
            if (parent == 0)
                continue;
            find.integer(2, parent);
            add.integer(2, parent);
        }
        if (const auto known = singleInteger(find)) {
            ids[id] = *known;
            continue;
        }
        add.run();
        ids[id] = sqlite.getLastInsertRowid();
        ++fresh;
    }
    return fresh;
}

void mergeAnnotations(MergeState& state)
{
    MergeState::Ids notes;
    state.result.notes
        = mapRows(state.sqlite, "SELECT id, kernel_id FROM other.note ORDER BY id",
                  "SELECT m.id FROM main.note m JOIN other.note o ON o.body = m.body AND o.author = m.author "
                  "AND o.created_at = m.created_at WHERE o.id = ?1 AND m.kernel_id = ?2",
                  "INSERT INTO main.note (kernel_id, body, author, created_at) SELECT ?2, body, author, created_at "
                  "FROM other.note WHERE id = ?1",
                  notes, &state.kernelsHere);
    state.sqlite.exec("INSERT INTO main.note_fts (rowid, body) SELECT id, body FROM main.note "
                      "WHERE id NOT IN (SELECT id FROM main.note_fts_docsize)");
    MergeState::Ids waivers;
    state.result.waivers
        = mapRows(state.sqlite, "SELECT id, kernel_id FROM other.waiver ORDER BY id",
                  "SELECT m.id FROM main.waiver m JOIN other.waiver o ON o.gate IS m.gate AND o.reason = m.reason "
                  "AND o.author = m.author AND o.created_at = m.created_at WHERE o.id = ?1 AND m.kernel_id = ?2",
                  "INSERT INTO main.waiver (kernel_id, gate, reason, author, created_at, withdrawn_at) "
                  "SELECT ?2, gate, reason, author, created_at, withdrawn_at FROM other.waiver WHERE id = ?1",
                  waivers, &state.kernelsHere);
    Statement withdraw(state.sqlite,
                       "UPDATE main.waiver SET withdrawn_at = (SELECT withdrawn_at FROM other.waiver WHERE id = ?2) "
                       "WHERE id = ?1 AND withdrawn_at IS NULL");
    for (const auto& [there, here] : waivers)
        withdraw.integer(1, here).integer(2, there).run();
    Statement bookmark(state.sqlite,
                       "INSERT OR IGNORE INTO main.bookmark (kernel_id, author, created_at) SELECT ?2, author, created_at "
                       "FROM other.bookmark WHERE kernel_id = ?1");
    for (const auto& [there, here] : state.kernelsHere) {
        bookmark.integer(1, there).integer(2, here).run();
        state.touched.insert(here);
    }
}

namespace {

/// In the order they were given, so that an undo finds the label it takes back.
std::int64_t mergeLabelRows(MergeState& state, const MergeState::Ids& items)
{
    Statement all(state.sqlite, "SELECT id, item_id, undoes FROM other.label ORDER BY id");
    Statement find(state.sqlite,
                   "SELECT m.id FROM main.label m JOIN other.label o ON o.kind = m.kind AND o.label = m.label "
                   "AND o.reason IS m.reason AND o.severity IS m.severity AND o.note IS m.note AND o.reviewer = m.reviewer AND "
                   "o.created_at = m.created_at "
                   "WHERE o.id = ?1 AND m.item_id = ?2 AND m.undoes IS ?3");
    Statement insert(
        state.sqlite,
        "INSERT INTO main.label (item_id, label, reason, note, reviewer, created_at, kind, evidence, blinded, undoes, severity) "
        "SELECT ?2, label, reason, note, reviewer, created_at, kind, evidence, blinded, ?3, severity FROM other.label "
        "WHERE id = ?1");
    MergeState::Ids here;
    std::int64_t fresh = 0;
    while (all.step()) {
        const std::int64_t item = mapped(items, all.integerAt(1));
        const std::int64_t undoes = mapped(here, all.integerAt(2));
        if (item == 0)
            continue;
        if (const auto known = singleInteger(find.integer(1, all.integerAt(0)).integer(2, item).idOrNull(3, undoes))) {
            here[all.integerAt(0)] = *known;
            continue;
        }
        insert.integer(1, all.integerAt(0)).integer(2, item).idOrNull(3, undoes).run();
        here[all.integerAt(0)] = state.sqlite.getLastInsertRowid();
        ++fresh;
    }
    return fresh;
}

} // namespace

void mergeLabels(MergeState& state)
{
    MergeState::Ids plans;
    // A plan of the same name over another frame is another plan.
    mapRows(state.sqlite, "SELECT id FROM other.sample_plan ORDER BY id",
            "SELECT m.id FROM main.sample_plan m JOIN other.sample_plan o ON o.frame_hash = m.frame_hash AND o.seed = m.seed "
            "AND o.definition = m.definition WHERE o.id = ?1",
            "INSERT INTO main.sample_plan (name, seed, frame_sql, frame_hash, definition, created_at) "
            "SELECT CASE WHEN name IN (SELECT name FROM main.sample_plan) THEN name || ' (' || substr(frame_hash, 1, 8) || "
            "')' ELSE name "
            "END, seed, frame_sql, frame_hash, definition, created_at FROM other.sample_plan WHERE id = ?1",
            plans);
    MergeState::Ids items;
    Statement all(state.sqlite, "SELECT id, plan_id, kernel_id FROM other.sample_item ORDER BY id");
    Statement find(state.sqlite, "SELECT id FROM main.sample_item WHERE plan_id = ?1 AND kernel_id = ?2");
    Statement insert(state.sqlite,
                     "INSERT INTO main.sample_item (plan_id, kernel_id, stratum, position, identity, draw) "
                     "SELECT ?2, ?3, stratum, position, identity, draw FROM other.sample_item WHERE id = ?1");
    while (all.step()) {
        const std::int64_t plan = mapped(plans, all.integerAt(1));
        const std::int64_t kernel = mapped(state.kernelsHere, all.integerAt(2));
        if (const auto known = singleInteger(find.integer(1, plan).integer(2, kernel))) {
            items[all.integerAt(0)] = *known;
            continue;
        }
        insert.integer(1, all.integerAt(0)).integer(2, plan).integer(3, kernel).run();
        items[all.integerAt(0)] = state.sqlite.getLastInsertRowid();
    }
    state.result.labels = mergeLabelRows(state, items);
}

void mergeDocuments(MergeState& state)
{
    MergeState::Ids ids;
    state.result.documents
        = mapRows(state.sqlite, "SELECT id, corpus_id FROM other.published_document ORDER BY id",
                  "SELECT m.id FROM main.published_document m JOIN other.published_document o ON o.sha256 = m.sha256 "
                  "WHERE o.id = ?1 AND m.corpus_id = ?2",
                  "INSERT INTO main.published_document (corpus_id, kind, source_file, sha256, bytes, codec, data) "
                  "SELECT ?2, kind, source_file, sha256, bytes, codec, data FROM other.published_document WHERE id = ?1",
                  ids, &state.corporaHere);
    mapRows(state.sqlite, "SELECT id, corpus_id FROM other.published_figure ORDER BY id",
            "SELECT m.id FROM main.published_figure m JOIN other.published_figure o ON o.source_file = m.source_file "
            "AND o.pointer = m.pointer WHERE o.id = ?1 AND m.corpus_id = ?2",
            "INSERT INTO main.published_figure (corpus_id, kind, source_file, pointer, value, value_class, text) "
            "SELECT ?2, kind, source_file, pointer, value, value_class, text FROM other.published_figure WHERE id = ?1",
            ids, &state.corporaHere);
}

void mergeStandalone(MergeState& state)
{
    state.sqlite.exec("INSERT OR IGNORE INTO main.rule_set (name, hash, title, definition, created_at) "
                      "SELECT name, hash, title, definition, created_at FROM other.rule_set");
    state.sqlite.exec("INSERT OR IGNORE INTO main.saved_view (name, filter, sort, columns, position, built_in) "
                      "SELECT name, filter, sort, columns, position, built_in FROM other.saved_view WHERE built_in = 0");
    Statement all(state.sqlite,
                  "SELECT id FROM other.calibration WHERE version_hash NOT IN (SELECT version_hash FROM main.calibration)");
    while (all.step()) {
        Statement insert(state.sqlite,
                         "INSERT INTO main.calibration (version_hash, title, device, versions, seed, created_at, definition) "
                         "SELECT version_hash, title, device, versions, seed, created_at, definition FROM other.calibration "
                         "WHERE id = ?1");
        insert.integer(1, all.integerAt(0)).run();
        const std::int64_t id = state.sqlite.getLastInsertRowid();
        for (const auto& [table, columns] :
             {std::pair("calibration_sample", "gate, family, dtype, kind, kernel, perturbation, value, value_class, source"),
              std::pair("threshold", "gate, family, dtype, value")}) {
            Statement copy(state.sqlite,
                           std::string("INSERT INTO main.") + table + " (calibration_id, " + columns + ") SELECT ?2, " + columns
                               + " FROM other." + table + " WHERE calibration_id = ?1");
            copy.integer(1, all.integerAt(0)).integer(2, id).run();
        }
    }
}

} // namespace assay::store
