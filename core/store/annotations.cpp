// SPDX-License-Identifier: Apache-2.0
// What a person adds to a kernel: notes, waivers, bookmarks. Flags in triage and the note index change in the same transaction.
#include "core/store/kernel_details.h"
#include "core/store/writing.h"

#include <SQLiteCpp/Statement.h>

namespace assay::store {

namespace {

constexpr const char* kNow = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')";

void run(SQLite::Database& db, const char* sql, std::int64_t id)
{
    SQLite::Statement statement(db, sql);
    statement.bind(1, id);
    statement.exec();
}

void refreshNoted(SQLite::Database& db, std::int64_t kernelId)
{
    run(db, "UPDATE triage SET has_note = EXISTS (SELECT 1 FROM note WHERE kernel_id = ?1) WHERE kernel_id = ?1", kernelId);
}

void refreshWaived(SQLite::Database& db, std::int64_t kernelId)
{
    run(db,
        "UPDATE triage SET waived = EXISTS (SELECT 1 FROM waiver WHERE kernel_id = ?1 AND withdrawn_at IS NULL) WHERE kernel_id "
        "= ?1",
        kernelId);
}

void requireText(const std::string& text, const std::string& what)
{
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
        throw Error(what + " is empty", "", "Write why, so that the next reader knows");
}

void requireKernel(SQLite::Database& db, std::int64_t kernelId)
{
    SQLite::Statement query(db, "SELECT 1 FROM kernel WHERE id = ?");
    query.bind(1, kernelId);
    if (!query.executeStep())
        throw Error("there is no such kernel", "row " + std::to_string(kernelId), "Reload the list");
}

void setWithdrawn(Database& database, std::int64_t waiverId, bool withdrawn)
{
    writing(database, [&](SQLite::Database& db) {
        SQLite::Statement find(db, "SELECT kernel_id FROM waiver WHERE id = ?");
        find.bind(1, waiverId);
        if (!find.executeStep())
            throw Error("there is no such waiver", "row " + std::to_string(waiverId), "Reload the kernel");
        const std::int64_t kernelId = find.getColumn(0).getInt64();
        SQLite::Statement update(
            db, std::string("UPDATE waiver SET withdrawn_at = ") + (withdrawn ? kNow : "NULL") + " WHERE id = ?");
        update.bind(1, waiverId);
        update.exec();
        refreshWaived(db, kernelId);
    });
}

} // namespace

std::int64_t addNote(Database& database, std::int64_t kernelId, const std::string& body, const std::string& author)
{
    return restoreNote(database, kernelId, {0, body, author, {}});
}

NoteRow removeNote(Database& database, std::int64_t noteId)
{
    return writing(database, [&](SQLite::Database& db) {
        SQLite::Statement find(db, "SELECT kernel_id, body, author, created_at FROM note WHERE id = ?");
        find.bind(1, noteId);
        if (!find.executeStep())
            throw Error("there is no such note", "row " + std::to_string(noteId), "Reload the kernel");
        const std::int64_t kernelId = find.getColumn(0).getInt64();
        NoteRow note{noteId, find.getColumn(1).getString(), find.getColumn(2).getString(), find.getColumn(3).getString()};
        find.reset();
        // An external-content index has to be told the old text before the row goes.
        run(db, "INSERT INTO note_fts (note_fts, rowid, body) SELECT 'delete', id, body FROM note WHERE id = ?", noteId);
        run(db, "DELETE FROM note WHERE id = ?", noteId);
        refreshNoted(db, kernelId);
        return note;
    });
}

std::int64_t restoreNote(Database& database, std::int64_t kernelId, const NoteRow& note)
{
    requireText(note.body, "the note");
    return writing(database, [&](SQLite::Database& db) {
        requireKernel(db, kernelId);
        // The old row id may belong to another note by now.
        SQLite::Statement insert(db,
                                 std::string("INSERT INTO note (kernel_id, body, author, created_at) VALUES (?, ?, ?, ")
                                     + (note.createdAt.empty() ? kNow : "?") + ")");
        insert.bind(1, kernelId);
        insert.bind(2, note.body);
        insert.bind(3, note.author);
        if (!note.createdAt.empty())
            insert.bind(4, note.createdAt);
        insert.exec();
        const std::int64_t noteId = db.getLastInsertRowid();
        SQLite::Statement index(db, "INSERT INTO note_fts (rowid, body) VALUES (?, ?)");
        index.bind(1, noteId);
        index.bind(2, note.body);
        index.exec();
        refreshNoted(db, kernelId);
        return noteId;
    });
}

std::int64_t addWaiver(Database& database, std::int64_t kernelId, const std::string& gate, const std::string& reason,
                       const std::string& author)
{
    requireText(reason, "the reason of the waiver");
    const auto known = contract::gateFromId(gate);
    if (!gate.empty() && !known)
        throw Error("no such gate", gate, "Name one of CMP-01 to RES-02, or none for the whole kernel");
    return writing(database, [&](SQLite::Database& db) {
        requireKernel(db, kernelId);
        SQLite::Statement insert(
            db,
            std::string("INSERT INTO waiver (kernel_id, gate, reason, author, created_at) VALUES (?, ?, ?, ?, ") + kNow + ")");
        insert.bind(1, kernelId);
        if (known)
            insert.bind(2, std::string(contract::id(*known)));
        insert.bind(3, reason);
        insert.bind(4, author);
        insert.exec();
        const std::int64_t waiverId = db.getLastInsertRowid();
        refreshWaived(db, kernelId);
        return waiverId;
    });
}

void withdrawWaiver(Database& database, std::int64_t waiverId)
{
    setWithdrawn(database, waiverId, true);
}

void restoreWaiver(Database& database, std::int64_t waiverId)
{
    setWithdrawn(database, waiverId, false);
}

void setBookmark(Database& database, std::int64_t kernelId, bool on, const std::string& author)
{
    writing(database, [&](SQLite::Database& db) {
        requireKernel(db, kernelId);
        if (on) {
            SQLite::Statement insert(
                db, std::string("INSERT OR IGNORE INTO bookmark (kernel_id, author, created_at) VALUES (?, ?, ") + kNow + ")");
            insert.bind(1, kernelId);
            insert.bind(2, author);
            insert.exec();
        } else {
            run(db, "DELETE FROM bookmark WHERE kernel_id = ?", kernelId);
        }
        run(db, "UPDATE triage SET bookmarked = EXISTS (SELECT 1 FROM bookmark WHERE kernel_id = ?1) WHERE kernel_id = ?1",
            kernelId);
    });
}

} // namespace assay::store
