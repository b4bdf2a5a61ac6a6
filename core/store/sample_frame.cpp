// SPDX-License-Identifier: Apache-2.0
#include "core/store/sample_frame.h"

#include "core/contract/gate_strip.h"
#include "core/store/guarded.h"
#include "core/store/kernel_identity.h"
#include "core/store/sample_channel.h"
#include "core/store/statement.h"
#include "core/store/triage.h"
#include "core/store/triage_sql.h"
#include "core/text/sha256.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

namespace assay::store {

namespace {

constexpr std::array kNames = {
    std::pair{StratifyBy::Channel, std::string_view("channel")},   std::pair{StratifyBy::Family, std::string_view("family")},
    std::pair{StratifyBy::Language, std::string_view("language")}, std::pair{StratifyBy::Outcome, std::string_view("outcome")},
    std::pair{StratifyBy::Status, std::string_view("status")},     std::pair{StratifyBy::Baseline, std::string_view("baseline")},
    std::pair{StratifyBy::FailSet, std::string_view("fails")}};
constexpr std::string_view kWhole = "all";

/// Numbers the strata in the order they are met.
class StratumNames {
public:
    std::uint32_t number(const std::string& name)
    {
        const auto [it, isNew] = m_numbers.try_emplace(name, static_cast<std::uint32_t>(m_numbers.size()));
        return it->second;
    }

    /// New number of each old one when the names are sorted.
    std::vector<std::uint32_t> sortedNumbers() const
    {
        std::vector<std::uint32_t> numbers(m_numbers.size());
        std::uint32_t next = 0;
        for (const auto& [name, number] : m_numbers)
            numbers[number] = next++;
        return numbers;
    }

    const std::map<std::string, std::uint32_t>& all() const { return m_numbers; }

private:
    std::map<std::string, std::uint32_t> m_numbers;
};

/// The stratum of a combination of facets; two of them where only the verdict's aliasing tells.
struct GroupStrata {
    std::uint32_t plain = 0;
    std::uint32_t aliased = 0;
};

std::string failSetName(int mask)
{
    std::string text;
    for (const contract::Gate gate : contract::kAllGates) {
        if ((mask >> contract::indexOf(gate)) & 1)
            text += (text.empty() ? "" : ",") + std::string(contract::id(gate));
    }
    return text.empty() ? "none" : text;
}

class Stratifier {
public:
    Stratifier(SQLite::Database& database, const Scope& scope, const std::vector<StratifyBy>& by)
        : m_database(database)
        , m_scope(scope)
        , m_by(by)
        , m_group(database,
                  "SELECT strip, outcome, family, language, status, baseline, fail_mask, tolerance_free FROM triage_facet "
                  "WHERE scope_id = ?1 AND facet_code = ?2")
    {
    }

    std::uint32_t stratumOf(std::int64_t facetCode, std::int64_t kernelId)
    {
        // Rows of one combination often follow each other.
        if (m_last == nullptr || facetCode != m_lastCode) {
            const auto [it, isNew] = m_groups.try_emplace(facetCode);
            if (isNew)
                it->second = strataOf(facetCode);
            m_last = &it->second;
            m_lastCode = facetCode;
        }
        if (m_last->plain == m_last->aliased)
            return m_last->plain;
        return isAliased(kernelId) ? m_last->aliased : m_last->plain;
    }

    const StratumNames& names() const { return m_names; }

private:
    GroupStrata strataOf(std::int64_t facetCode)
    {
        m_group.integer(1, m_scope.id).integer(2, facetCode);
        if (!m_group.step())
            return {m_names.number("?"), m_names.number("?")};
        const contract::GateStrip strip(m_group.integerAt(0));
        const std::string outcome(m_group.textAt(1));
        const std::string plain(primaryChannel({strip, outcome, false}));
        // Only what the audit counts as tolerance-free can owe that to aliasing.
        const std::string aliased(m_group.integerAt(7) != 0 ? primaryChannel({strip, outcome, true}) : plain);
        const GroupStrata strata{m_names.number(nameWith(plain)), m_names.number(nameWith(aliased))};
        m_group.reset();
        return strata;
    }

    std::string nameWith(const std::string& channel) const
    {
        std::string text;
        for (const StratifyBy by : m_by)
            text += (text.empty() ? "" : " / ") + value(by, channel);
        return text.empty() ? std::string(kWhole) : text;
    }

    std::string value(StratifyBy by, const std::string& channel) const
    {
        switch (by) {
        case StratifyBy::Channel:
            return channel;
        case StratifyBy::Family:
            return std::string(m_group.textAt(2));
        case StratifyBy::Language:
            return std::string(m_group.textAt(3));
        case StratifyBy::Outcome:
            return std::string(m_group.textAt(1));
        case StratifyBy::Status:
            return std::string(m_group.textAt(4));
        case StratifyBy::Baseline:
            return std::string(m_group.textAt(5));
        case StratifyBy::FailSet:
            return failSetName(static_cast<int>(m_group.integerAt(6)));
        }
        return {};
    }

    bool isAliased(std::int64_t kernelId)
    {
        if (!m_aliasedRead) {
            m_aliasedRead = true;
            Statement query(m_database,
                            "SELECT kernel_id FROM verdict WHERE audit_id = ?1 AND output_aliasing = 1 ORDER BY kernel_id");
            query.integer(1, m_scope.auditId.value_or(0));
            while (query.step())
                m_aliased.push_back(query.integerAt(0));
        }
        return std::binary_search(m_aliased.begin(), m_aliased.end(), kernelId);
    }

    SQLite::Database& m_database;
    const Scope& m_scope;
    const std::vector<StratifyBy>& m_by;
    Statement m_group;
    StratumNames m_names;
    std::unordered_map<std::int64_t, GroupStrata> m_groups;
    const GroupStrata* m_last = nullptr;
    std::int64_t m_lastCode = 0;
    std::vector<std::int64_t> m_aliased;
    bool m_aliasedRead = false;
};

/// Numbers by row id. SQLite gives ids without gaps to speak of, so an array is smaller than a map and many times as fast.
template <typename Value> class ById {
public:
    explicit ById(std::int64_t largestId)
        : m_values(static_cast<std::size_t>(largestId) + 1)
    {
    }
    Value& operator[](std::int64_t id) { return m_values[static_cast<std::size_t>(id)]; }
    const Value& operator[](std::int64_t id) const { return m_values[static_cast<std::size_t>(id)]; }

private:
    std::vector<Value> m_values;
};

std::int64_t largestId(SQLite::Database& database, const char* sql)
{
    Statement query(database, sql);
    return singleInteger(query).value_or(0);
}

/// First 64 bits of both sources of every kernel that has two. Read at one go: a look-up a kernel would take longer than all
/// else together.
class SourceDigests {
public:
    explicit SourceDigests(SQLite::Database& database)
        : m_digests(largestId(database, "SELECT max(id) FROM kernel"))
    {
        ById<std::uint64_t> heads(largestId(database, "SELECT max(id) FROM source"));
        Statement sources(database, "SELECT id, sha256 FROM source");
        while (sources.step())
            heads[sources.integerAt(0)] = leadingBits(sources.textAt(1));
        Statement kernels(database,
                          "SELECT id, candidate_source_id, reference_source_id FROM kernel "
                          "WHERE candidate_source_id IS NOT NULL AND reference_source_id IS NOT NULL");
        while (kernels.step())
            m_digests[kernels.integerAt(0)] = {true, {heads[kernels.integerAt(1)], heads[kernels.integerAt(2)]}};
    }

    std::optional<sampling::ItemDigest> find(std::int64_t kernelId) const
    {
        const Entry& entry = m_digests[kernelId];
        return entry.isKnown ? std::optional(entry.digest) : std::nullopt;
    }

private:
    struct Entry {
        bool isKnown = false;
        sampling::ItemDigest digest;
    };
    ById<Entry> m_digests;
};

/// All reads of a frame see the same database, whoever writes meanwhile. Within a transaction it is that one.
class Snapshot {
public:
    explicit Snapshot(SQLite::Database& database)
        : m_database(database)
    {
        m_database.exec("SAVEPOINT sample_frame");
    }
    ~Snapshot() { m_database.tryExec("RELEASE sample_frame"); }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

private:
    SQLite::Database& m_database;
};

Scope scopeWithId(Database& database, std::int64_t scopeId)
{
    for (Scope& scope : scopes(database)) {
        if (scope.id == scopeId)
            return std::move(scope);
    }
    throw Error("there is no such list of kernels", database.path().string(), "Name a corpus and an audit that it has");
}

std::string hashOf(const SampleFrame& frame)
{
    Sha256 hash;
    for (const FrameStratum& stratum : frame.strata) {
        hash.update(stratum.name);
        hash.update(std::string_view("\0", 1));
        std::string bytes;
        bytes.reserve(stratum.count * 16);
        for (std::size_t i = stratum.first; i < stratum.first + stratum.count; ++i) {
            for (const std::uint64_t word : {frame.items[i].digest.high, frame.items[i].digest.low}) {
                for (int shift = 56; shift >= 0; shift -= 8)
                    bytes += static_cast<char>(word >> shift);
            }
        }
        hash.update(bytes);
    }
    return hash.finishHex();
}

void arrange(SampleFrame& frame, const StratumNames& names)
{
    const std::vector<std::uint32_t> sorted = names.sortedNumbers();
    std::vector<std::size_t> counts(sorted.size());
    for (FrameItem& item : frame.items) {
        item.stratum = sorted[item.stratum];
        ++counts[item.stratum];
    }
    std::sort(frame.items.begin(), frame.items.end(), [](const FrameItem& a, const FrameItem& b) {
        return a.stratum != b.stratum ? a.stratum < b.stratum : a.digest < b.digest;
    });
    // A name that only a possible aliasing would have used has no items, and leaves.
    std::vector<std::uint32_t> kept(sorted.size());
    std::size_t first = 0;
    std::uint32_t number = 0;
    for (const auto& [name, unused] : names.all()) {
        kept[number] = static_cast<std::uint32_t>(frame.strata.size());
        if (counts[number] > 0)
            frame.strata.push_back({name, first, counts[number]});
        first += counts[number];
        ++number;
    }
    for (FrameItem& item : frame.items)
        item.stratum = kept[item.stratum];
}

} // namespace

std::string_view name(StratifyBy by)
{
    return std::ranges::find(kNames, by, [](const auto& entry) { return entry.first; })->second;
}

std::optional<StratifyBy> stratifyByFromName(std::string_view text)
{
    const auto found = std::ranges::find(kNames, text, [](const auto& entry) { return entry.second; });
    return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

std::vector<StratifyBy> allStratifications()
{
    std::vector<StratifyBy> all;
    for (const auto& [by, text] : kNames)
        all.push_back(by);
    return all;
}

SampleFrame readFrame(Database& database, const FrameRequest& request)
{
    return guarded(database, [&] {
        SQLite::Database& sqlite = database.sqlite();
        const Snapshot snapshot(sqlite);
        const Scope scope = scopeWithId(database, request.scopeId);
        const FilterParts parts = withFewLookUps(sqlite, filterParts(sqlite, scope.id, request.filter));
        const Lead lead = parts.asksRows() ? leadFor(parts) : Lead::Codes;
        const SqlCondition where = rowCondition(parts, lead);
        Statement query(sqlite,
                        "SELECT t.kernel_id, t.facet_code, t.external_id FROM " + rowSource(parts, lead) + " WHERE " + where.sql);
        bindValues(query, where.values);

        SampleFrame frame;
        frame.sql = query.expandedSql();
        if (!parts.asksRows())
            frame.items.reserve(static_cast<std::size_t>(scope.kernels));
        Stratifier strata(sqlite, scope, request.by);
        const SourceDigests sources(sqlite);
        while (query.step()) {
            const std::int64_t kernelId = query.integerAt(0);
            const std::uint32_t stratum = strata.stratumOf(query.integerAt(1), kernelId);
            const std::optional<sampling::ItemDigest> digest = sources.find(kernelId);
            frame.items.push_back({stratum, kernelId, digest ? *digest : digestOf({{}, {}, scope.corpusName, query.textAt(2)})});
        }
        database.throwIfStopped();
        arrange(frame, strata.names());
        frame.hash = hashOf(frame);
        return frame;
    });
}

} // namespace assay::store
