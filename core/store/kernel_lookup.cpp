// SPDX-License-Identifier: Apache-2.0
#include "core/store/kernel_lookup.h"

#include "core/store/schema.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace assay::store {

namespace {

bool indexExists(SQLite::Database& database, const std::string& name)
{
    Statement query(database, "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1");
    return singleInteger(query.text(1, name)).has_value();
}

template <typename Wanted> void createIndexes(SQLite::Database& database, Wanted wanted)
{
    for (const IndexStatement& index : indexStatements()) {
        if (wanted(index.table) && !indexExists(database, index.name))
            database.exec(index.sql);
    }
}

void dropIndexes(SQLite::Database& database)
{
    for (const IndexStatement& index : indexStatements())
        database.exec("DROP INDEX IF EXISTS " + index.name);
}

struct PairHash {
    std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& pair) const
    {
        return std::hash<std::int64_t>()(pair.first * 1'000'003 + pair.second);
    }
};

std::uint64_t rowKey(std::int64_t rowHash, std::string_view externalId)
{
    // rowHash is 64 bits of a cryptographic hash already; the id is mixed in because identical rows may be told apart by
    // position.
    return static_cast<std::uint64_t>(rowHash) ^ (std::hash<std::string_view>()(externalId) * 0x9E3779B97F4A7C15ULL);
}

struct ViewHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

} // namespace

struct KernelLookup::Memory {
    std::unordered_set<std::uint64_t> rows;
    std::unordered_multimap<std::string, std::int64_t, ViewHash, std::equal_to<>> external;
    std::unordered_map<std::int64_t, KernelSources> sources; ///< of kernels that have any
    std::unordered_map<std::pair<std::int64_t, std::int64_t>, std::int64_t, PairHash> identity;
};

KernelLookup::KernelLookup(SQLite::Database& database, std::int64_t corpusId, std::size_t remembered)
    : m_database(database)
    , m_corpusId(corpusId)
    , m_remembered(remembered)
{
    const bool empty
        = database.execAndGet("SELECT NOT EXISTS (SELECT 1 FROM kernel) AND NOT EXISTS (SELECT 1 FROM origin)").getInt() != 0;
    if (empty) {
        m_memory = std::make_unique<Memory>();
        dropIndexes(database);
    } else {
        finish();
    }
}

KernelLookup::~KernelLookup() = default;

void KernelLookup::leaveMemory()
{
    createIndexes(m_database, [](const std::string& table) { return table == "kernel" || table == "origin"; });
    m_memory.reset();
    m_row.emplace(m_database, "SELECT 1 FROM origin WHERE corpus_id = ?1 AND row_hash = ?2 AND external_id = ?3");
    m_external.emplace(m_database,
                       "SELECT DISTINCT k.id, k.candidate_source_id, k.reference_source_id FROM origin o "
                       "JOIN kernel k ON k.id = o.kernel_id WHERE o.corpus_id = ?1 AND o.external_id = ?2");
    m_identity.emplace(m_database, "SELECT id FROM kernel WHERE candidate_source_id = ?1 AND reference_source_id = ?2");
}

bool KernelLookup::hasRow(std::int64_t rowHash, std::string_view externalId)
{
    if (m_memory)
        return m_memory->rows.contains(rowKey(rowHash, externalId));
    return singleInteger(m_row->integer(1, m_corpusId).integer(2, rowHash).text(3, externalId)).has_value();
}

std::vector<KernelSources> KernelLookup::byExternalId(std::string_view externalId)
{
    std::vector<KernelSources> kernels;
    if (m_memory) {
        const auto [first, last] = m_memory->external.equal_range(externalId);
        for (auto it = first; it != last; ++it) {
            const auto known = m_memory->sources.find(it->second);
            kernels.push_back(known == m_memory->sources.end() ? KernelSources{it->second, 0, 0} : known->second);
        }
        return kernels;
    }
    m_external->integer(1, m_corpusId).text(2, externalId);
    while (m_external->step())
        kernels.push_back({m_external->integerAt(0), m_external->integerAt(1), m_external->integerAt(2)});
    return kernels;
}

std::optional<std::int64_t> KernelLookup::byIdentity(std::int64_t candidate, std::int64_t reference)
{
    if (candidate == 0 || reference == 0)
        return std::nullopt;
    if (m_memory) {
        const auto it = m_memory->identity.find({candidate, reference});
        return it == m_memory->identity.end() ? std::nullopt : std::optional(it->second);
    }
    return singleInteger(m_identity->integer(1, candidate).integer(2, reference));
}

void KernelLookup::addRow(std::int64_t rowHash, std::string_view externalId, const KernelSources& kernel)
{
    if (!m_memory)
        return;
    m_memory->rows.insert(rowKey(rowHash, externalId));
    const auto [first, last] = m_memory->external.equal_range(externalId);
    if (std::none_of(first, last, [&kernel](const auto& entry) { return entry.second == kernel.kernelId; }))
        m_memory->external.emplace(externalId, kernel.kernelId);
    updateSources(kernel);
    if (m_memory->rows.size() > m_remembered)
        leaveMemory();
}

void KernelLookup::updateSources(const KernelSources& kernel)
{
    if (!m_memory || (kernel.candidate == 0 && kernel.reference == 0))
        return;
    m_memory->sources[kernel.kernelId] = kernel;
    if (kernel.candidate != 0 && kernel.reference != 0)
        m_memory->identity[{kernel.candidate, kernel.reference}] = kernel.kernelId;
}

void KernelLookup::finish()
{
    createIndexes(m_database, [](const std::string&) { return true; });
    if (!m_row)
        leaveMemory();
}

} // namespace assay::store
