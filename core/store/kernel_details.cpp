// SPDX-License-Identifier: Apache-2.0
#include "core/store/kernel_details.h"

#include "core/store/columns.h"
#include "core/store/guarded.h"
#include "core/store/triage_row.h"
#include "core/store/unfinished_audit.h"
#include "core/store/verdict_reader.h"
#include "core/text/json.h"
#include "core/text/sha256.h"

#include <SQLiteCpp/Statement.h>
#include <zstd.h>

#include <utility>

namespace assay::store {

namespace {

bool readKernel(SQLite::Database& db, KernelDetails& out)
{
    SQLite::Statement query(
        db,
        "SELECT k.external_id, k.title, k.family, k.language, k.entry_point, k.claim, k.claimed_correct, k.claimed_speedup,"
        " coalesce(k.claim_status, 'unknown'), k.candidate_source_id, k.reference_source_id, c.sha256, r.sha256, o.origin,"
        " EXISTS (SELECT 1 FROM bookmark b WHERE b.kernel_id = k.id)"
        " FROM kernel k LEFT JOIN source c ON c.id = k.candidate_source_id LEFT JOIN source r ON r.id = k.reference_source_id"
        " LEFT JOIN corpus o ON o.id = k.corpus_id WHERE k.id = ?");
    query.bind(1, out.kernelId);
    if (!query.executeStep())
        return false;
    Columns columns(query);
    KernelRecord& kernel = out.kernel;
    for (std::string* text :
         {&kernel.externalId, &kernel.title, &kernel.family, &kernel.language, &kernel.entryPoint, &kernel.claim})
        *text = columns.text();
    kernel.claimedCorrect = columns.maybe<bool>();
    kernel.claimedSpeedup = columns.maybe<double>();
    kernel.claimStatus = columns.text();
    out.candidateSourceId = columns.integer();
    out.referenceSourceId = columns.integer();
    out.candidateSha256 = columns.text();
    out.referenceSha256 = columns.text();
    out.corpusOrigin = columns.text();
    out.bookmarked = columns.flag();
    return true;
}

/// What the scope says of the kernel: under which id it lists it, of which corpus, and which verdict it shows.
void readScope(SQLite::Database& db, std::int64_t scopeId, KernelDetails& out)
{
    SQLite::Statement scope(db,
                            "SELECT c.origin, a.id, a.name, a.origin, a.taxonomy, a.device, a.versions, a.seed, a.gate_config, "
                            "a.started_at FROM scope s"
                            " JOIN corpus c ON c.id = s.corpus_id LEFT JOIN audit a ON a.id = s.audit_id WHERE s.id = ?");
    scope.bind(1, scopeId);
    if (scope.executeStep()) {
        Columns columns(scope);
        out.corpusOrigin = columns.text();
        if (const std::int64_t auditId = columns.integer(); auditId != 0) {
            out.audit.importedFrom = importOf(db, auditId);
            for (std::string* text : {&out.audit.name, &out.audit.origin, &out.audit.taxonomy, &out.audit.device,
                                      &out.audit.versions, &out.audit.seed, &out.audit.gateConfig, &out.audit.startedAt})
                *text = columns.text();
        }
    }
    SQLite::Statement row(db, "SELECT verdict_id, external_id FROM triage WHERE kernel_id = ? AND scope_id = ?");
    row.bind(1, out.kernelId);
    row.bind(2, scopeId);
    if (row.executeStep()) {
        Columns columns(row);
        out.verdictId = columns.integer();
        out.kernel.externalId = columns.text();
    }
}

void readOrigins(SQLite::Database& db, std::int64_t scopeId, KernelDetails& out)
{
    SQLite::Statement query(
        db,
        "SELECT c.name, o.external_id, o.hardware, o.path, o.repository, o.revision, o.licence, o.inferred, o.claim FROM origin o"
        " JOIN corpus c ON c.id = o.corpus_id WHERE o.kernel_id = ?"
        " ORDER BY o.corpus_id <> coalesce((SELECT corpus_id FROM scope WHERE id = ?), 0), o.id");
    query.bind(1, out.kernelId);
    query.bind(2, scopeId);
    while (query.executeStep()) {
        Columns columns(query);
        OriginRow row;
        for (std::string* text :
             {&row.corpus, &row.externalId, &row.hardware, &row.path, &row.repository, &row.revision, &row.licence})
            *text = columns.text();
        row.inferred = columns.flag();
        row.claim = columns.text();
        out.origins.push_back(std::move(row));
    }
    if (out.origins.empty())
        return;
    const OriginRow& first = out.origins.front();
    out.kernel.hardware = first.hardware;
    out.kernel.path = first.path;
    out.kernel.repository = first.repository;
    out.kernel.revision = first.revision;
    out.kernel.licence = first.licence;
    out.kernel.inferred = first.inferred;
}

void readNotes(SQLite::Database& db, KernelDetails& out)
{
    SQLite::Statement notes(db, "SELECT id, body, author, created_at FROM note WHERE kernel_id = ? ORDER BY created_at, id");
    notes.bind(1, out.kernelId);
    while (notes.executeStep()) {
        Columns columns(notes);
        NoteRow note;
        note.id = columns.integer();
        for (std::string* text : {&note.body, &note.author, &note.createdAt})
            *text = columns.text();
        out.notes.push_back(std::move(note));
    }
    SQLite::Statement waivers(
        db, "SELECT id, gate, reason, author, created_at, withdrawn_at FROM waiver WHERE kernel_id = ? ORDER BY id");
    waivers.bind(1, out.kernelId);
    while (waivers.executeStep()) {
        Columns columns(waivers);
        WaiverRow waiver;
        waiver.id = columns.integer();
        for (std::string* text : {&waiver.gate, &waiver.reason, &waiver.author, &waiver.createdAt, &waiver.withdrawnAt})
            *text = columns.text();
        out.waivers.push_back(std::move(waiver));
    }
}

std::optional<std::int64_t> firstId(SQLite::Statement& query)
{
    if (!query.executeStep())
        return std::nullopt;
    return query.getColumn(0).getInt64();
}

std::string decompressed(std::string_view packed, std::int64_t bytes)
{
    // SQLite keeps no blob above 1 GB, so a larger size is damage and not worth an allocation.
    constexpr std::int64_t kMost = 1'000'000'000;
    if (bytes < 0 || bytes > kMost)
        return {};
    std::string out(static_cast<std::size_t>(bytes), '\0');
    const std::size_t size = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
    return ZSTD_isError(size) != 0 || size != out.size() ? std::string() : out;
}

} // namespace

std::string deviceName(const AuditRecord& audit)
{
    json::Document versions;
    if (json::parse(audit.versions, versions) || !versions.IsObject())
        return audit.device;
    return json::stringAt(versions, "device").value_or(audit.device);
}

std::optional<KernelDetails> kernelDetails(Database& database, std::int64_t scopeId, std::int64_t kernelId)
{
    return guarded(database, [&]() -> std::optional<KernelDetails> {
        SQLite::Database& db = database.sqlite();
        KernelDetails out;
        out.kernelId = kernelId;
        if (!readKernel(db, out))
            return std::nullopt;
        readScope(db, scopeId, out);
        readOrigins(db, scopeId, out);
        if (out.verdictId != 0)
            out.verdict = readVerdict(db, out.verdictId);
        readNotes(db, out);
        return out;
    });
}

std::optional<std::int64_t> findKernel(Database& database, std::int64_t scopeId, std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return std::nullopt;
    text = text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
    return guarded(database, [&]() -> std::optional<std::int64_t> {
        if (text.starts_with('#')) {
            const auto rowId = externalNumber(text.substr(1));
            if (rowId) {
                SQLite::Statement query(database.sqlite(), "SELECT kernel_id FROM triage WHERE kernel_id = ? AND scope_id = ?");
                query.bind(1, *rowId);
                query.bind(2, scopeId);
                return firstId(query);
            }
        }
        const auto number = externalNumber(text);
        SQLite::Statement query(database.sqlite(),
                                number ? "SELECT kernel_id FROM triage WHERE scope_id = ? AND external_number = ? ORDER BY "
                                         "external_id, kernel_id LIMIT 1"
                                       : "SELECT kernel_id FROM triage WHERE scope_id = ? AND external_number IS NULL AND "
                                         "external_id = ? ORDER BY kernel_id LIMIT 1");
        query.bind(1, scopeId);
        if (number)
            query.bind(2, *number);
        else
            query.bind(2, std::string(text));
        return firstId(query);
    });
}

std::string readSource(Database& database, std::int64_t sourceId)
{
    return guarded(database, [&] {
        SQLite::Statement query(database.sqlite(), "SELECT sha256, bytes, codec, data FROM source WHERE id = ?");
        query.bind(1, sourceId);
        const std::string where = database.path().string() + ", source " + std::to_string(sourceId);
        if (!query.executeStep())
            throw DatabaseError(DatabaseError::Kind::Corrupt, "the source is missing", where, "Run `assay db check`");
        const std::string sha256 = query.getColumn(0).getString();
        const std::int64_t bytes = query.getColumn(1).getInt64();
        const std::string codec = query.getColumn(2).getString();
        std::string data = query.getColumn(3).getString();
        if (codec == "zstd")
            data = decompressed(data, bytes);
        if (sha256Hex(data) != sha256)
            throw DatabaseError(DatabaseError::Kind::Corrupt, "the source does not match its SHA-256", where,
                                "Run `assay db check`, or import the corpus again");
        return data;
    });
}

} // namespace assay::store
