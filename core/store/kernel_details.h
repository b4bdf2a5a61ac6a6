// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"
#include "core/store/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Everything the evidence pane and `assay show` tell about one kernel, and what a person adds to it.
namespace assay::store {

struct OriginRow {
    std::string corpus;
    std::string externalId;
    std::string hardware;
    std::string path;
    std::string repository;
    std::string revision;
    std::string licence;
    bool inferred = false;
    std::string claim;
};

struct NoteRow {
    std::int64_t id = 0;
    std::string body;
    std::string author;
    std::string createdAt;
};

struct WaiverRow {
    std::int64_t id = 0;
    std::string gate; ///< "": the whole kernel
    std::string reason;
    std::string author;
    std::string createdAt;
    std::string withdrawnAt; ///< "" while it holds
};

struct KernelDetails {
    std::int64_t kernelId = 0;
    KernelRecord kernel;                ///< sources left out: read them with readSource()
    std::int64_t candidateSourceId = 0; ///< 0: none
    std::int64_t referenceSourceId = 0;
    std::string candidateSha256;
    std::string referenceSha256;
    std::optional<VerdictRecord> verdict; ///< with gates and checks
    std::int64_t verdictId = 0;
    AuditRecord audit;
    std::string corpusOrigin;
    std::vector<OriginRow> origins;
    std::vector<NoteRow> notes;
    std::vector<WaiverRow> waivers;
    bool bookmarked = false;
};

/// @param scopeId  which audit's verdict is shown
/// @return nothing when the kernel does not exist
std::optional<KernelDetails> kernelDetails(Database& database, std::int64_t scopeId, std::int64_t kernelId);

/// "NVIDIA H200" where the audit knows its device's name, else "cuda:0"; "" where neither is known.
std::string deviceName(const AuditRecord& audit);

/// The kernel of @p scopeId that a person means by @p text: an external id ("179"), or "#" and a row id.
std::optional<std::int64_t> findKernel(Database& database, std::int64_t scopeId, std::string_view text);

/// Source bytes, decompressed and checked against their SHA-256. @throws DatabaseError(Corrupt)
std::string readSource(Database& database, std::int64_t sourceId);

/// All of these append or mark, in one transaction with the flags of the list and the full-text index; undo is the inverse call.
/// @throws Error where the text is empty or the row, gate or kernel does not exist; DatabaseError
std::int64_t addNote(Database& database, std::int64_t kernelId, const std::string& body, const std::string& author);
/// @return the note as it was, for restoreNote()
NoteRow removeNote(Database& database, std::int64_t noteId);
/// Puts a removed note back with the author and the time it had ("": now), under a new row id. @return the id
std::int64_t restoreNote(Database& database, std::int64_t kernelId, const NoteRow& note);
std::int64_t addWaiver(Database& database, std::int64_t kernelId, const std::string& gate, const std::string& reason,
                       const std::string& author);
void withdrawWaiver(Database& database, std::int64_t waiverId);
void restoreWaiver(Database& database, std::int64_t waiverId);
void setBookmark(Database& database, std::int64_t kernelId, bool on, const std::string& author);

struct SavedView {
    std::int64_t id = 0; ///< negative for the views that ship with the program
    std::string name;
    std::string filter; ///< a filter line, see triage_filter.h
    std::string sort;   ///< see parseSort() in triage.h
    std::string columns;
    bool builtIn = false;
};
/// The views that ship with the program (every database has them, read-only ones too), then the saved ones.
std::vector<SavedView> savedViews(Database& database);
/// Changes the view with this id, or saves a new one; a saved view of the same name is replaced. @return its id
/// @throws Error for a shipped name, FilterError for a line that does not parse
std::int64_t saveView(Database& database, const SavedView& view);
void removeView(Database& database, std::int64_t viewId);

} // namespace assay::store
