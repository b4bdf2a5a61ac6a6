// SPDX-License-Identifier: Apache-2.0
// bench_database OUT.db KERNELS: a database of one audit with so many kernels, spread like the published audit, for list speeds.
#include "core/store/database.h"
#include "core/store/schema.h"
#include "core/store/triage_refresh.h"
#include "core/store/triage_row.h"

#include <SQLiteCpp/Transaction.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace assay;
using contract::Gate;
using contract::Severity;
using contract::Verdict;

constexpr std::array kFamilies = {"elementwise", "reduction", "softmax", "norm",   "matmul", "scan",   "conv",
                                  "attention",   "pooling",   "loss",    "gather", "sort",   "unknown"};
constexpr std::array kWords = {"fused",  "forward",  "backward",   "rows",       "tiled",   "masked",
                               "online", "two-pass", "persistent", "vectorised", "grouped", "causal"};
constexpr std::array kStatuses
    = {"gated", "gated", "gated", "gated", "gated", "cand_native_fail", "load_fail", "ref_fail", "timeout"};

/// What a kernel's gates say. Real audits repeat few combinations: the published one has 216 in 3,134 rows.
struct Pattern {
    std::vector<std::pair<Gate, std::pair<Verdict, Severity>>> gates;
    std::string outcome = "pass";
};

std::vector<Pattern> makePatterns(std::mt19937& random, int count)
{
    std::vector<Pattern> patterns;
    for (int i = 0; i < count; ++i) {
        Pattern pattern;
        for (const Gate gate : contract::kAllGates) {
            if (gate == Gate::Cmp02 || gate == Gate::Res02)
                continue;
            const unsigned dice = i == 0 ? 99 : random() % 100;
            if (dice < 12) {
                const bool hard = gate == Gate::Exc01 || gate == Gate::Cmp03 || gate == Gate::Ord02;
                pattern.gates.push_back({gate, {Verdict::Fail, hard ? Severity::Hard : Severity::Soft}});
                if (pattern.outcome != "fail_hard")
                    pattern.outcome = hard ? "fail_hard" : "fail_soft";
            } else {
                pattern.gates.push_back({gate, {dice < 24 ? Verdict::Inapplicable : Verdict::Pass, Severity::None}});
            }
        }
        patterns.push_back(std::move(pattern));
    }
    return patterns;
}

class Maker {
public:
    Maker(store::Database& database, std::int64_t kernels)
        : m_sqlite(database.sqlite())
        , m_count(kernels)
        , m_patterns(makePatterns(m_random, 216))
        , m_kernel(m_sqlite,
                   "INSERT INTO kernel (id, corpus_id, external_id, external_number, title, family, language, claim_status) "
                   "VALUES (?, 1, ?, ?, ?, ?, ?, 'accepted')")
        , m_verdict(m_sqlite,
                    "INSERT INTO verdict (id, audit_id, kernel_id, status, outcome, hard_failures, soft_failures, finding) "
                    "VALUES (?1, 1, ?1, ?2, 'fail', 0, 0, ?3)")
        , m_triage(m_sqlite, store::insertTriageSql())
    {
    }

    void run()
    {
        for (std::int64_t id = 1; id <= m_count; ++id)
            addKernel(id);
    }

private:
    std::string words(std::int64_t id)
    {
        return std::string(kWords[m_random() % kWords.size()]) + " " + kWords[m_random() % kWords.size()] + " v"
            + std::to_string(id % 9973);
    }

    void addKernel(std::int64_t id)
    {
        // Half of the kernels pass everything; the other patterns get rarer towards the end of the list.
        const unsigned dice = m_random() % 2 == 0 ? 0 : m_random() % static_cast<unsigned>(m_patterns.size());
        const Pattern& pattern = m_patterns[std::min<std::size_t>(dice, m_random() % m_patterns.size())];
        store::TriageValues row;
        row.scopeId = 1;
        row.kernelId = id;
        row.verdictId = id;
        // Multiplying by an odd constant scatters the ids over the rows: the list is not stored in the order it is shown.
        row.externalNumber = (id * 7919) % 10'000'019;
        row.externalId = std::to_string(*row.externalNumber);
        row.family = kFamilies[std::min<std::size_t>(m_random() % kFamilies.size(), m_random() % kFamilies.size())];
        row.title = row.family + " " + words(id);
        row.language = m_random() % 4 == 0 ? "cuda" : "triton";
        row.status = kStatuses[m_random() % kStatuses.size()];
        row.outcome = row.status == "gated" ? pattern.outcome : row.status == "timeout" ? "timeout" : "error";
        row.claim = m_random() % 20 == 0 ? "rejected" : "accepted";
        addGates(row, pattern);
        if (m_random() % 3 != 0)
            row.speedup = std::exp(m_normal(m_random));
        if (m_random() % 16 != 0)
            row.elapsedSeconds = std::round(60.0 + 40.0 * m_normal(m_random)) / 10.0;
        row.membership = (row.claim == "accepted" ? store::kAccepted : 0) | (row.status == "gated" ? store::kAudited : 0)
            | (row.outcome == "fail_hard" ? store::kToleranceFree : 0)
            | (row.outcome.starts_with("fail") ? store::kAnyViolation : 0);
        row.hasSource = m_random() % 2 == 0;
        row.bookmarked = m_random() % 5000 == 0;
        row.waived = m_random() % 20000 == 0;
        write(row);
    }

    void addGates(store::TriageValues& row, const Pattern& pattern)
    {
        if (row.status != "gated")
            return;
        for (const auto& [gate, said] : pattern.gates) {
            const bool failed = said.first == Verdict::Fail;
            const bool nan = failed && m_random() % 20 == 0;
            row.gates.addGate(gate, said.first, said.second, !failed ? "" : nan ? "nan_mask" : "value");
            if (failed) {
                const double error = nan ? std::nan("") : std::pow(10.0, 4.0 * m_normal(m_random));
                row.gates.addMeasurement(said.first, "max_abs_error", tensor::measured(error), tensor::measured(error / 100.0));
            }
        }
        if (m_random() % 3 == 0)
            row.gates.addBaseline(m_random() % 4 == 0 ? "fail" : "pass");
    }

    void write(const store::TriageValues& row)
    {
        m_kernel.integer(1, row.kernelId)
            .text(2, row.externalId)
            .integer(3, row.externalNumber)
            .text(4, row.title)
            .text(5, row.family);
        m_kernel.text(6, row.language).run();
        const std::string finding
            = row.gates.leadReason().empty() ? "" : "differs by " + std::to_string(row.gates.error().value) + " at " + row.title;
        m_verdict.integer(1, row.kernelId).text(2, row.status).textOrNull(3, finding).run();
        store::bindTriage(m_triage, row);
        m_triage.run();
    }

    SQLite::Database& m_sqlite;
    std::int64_t m_count;
    std::mt19937 m_random{20260714};
    std::normal_distribution<double> m_normal;
    std::vector<Pattern> m_patterns;
    store::Statement m_kernel;
    store::Statement m_verdict;
    store::Statement m_triage;
};

void dropIndexes(SQLite::Database& sqlite)
{
    std::vector<std::string> names;
    SQLite::Statement query(sqlite, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL");
    while (query.executeStep())
        names.push_back(query.getColumn(0).getString());
    query.reset();
    for (const std::string& name : names)
        sqlite.exec("DROP INDEX " + name);
}

void make(const std::filesystem::path& path, std::int64_t kernels)
{
    const auto database = store::Database::open(path, store::OpenMode::ReadWriteCreate);
    SQLite::Database& sqlite = database->sqlite();
    SQLite::Transaction transaction(sqlite);
    dropIndexes(sqlite);
    sqlite.exec("INSERT INTO corpus (id, name, origin, format, imported_at) VALUES (1, 'bench', 'illustrative', 'bench', "
                "'2026-01-01T00:00:00Z')");
    sqlite.exec(
        "INSERT INTO audit (id, corpus_id, name, origin, taxonomy) VALUES (1, 1, 'bench', 'illustrative', 'published-2026')");
    sqlite.exec("INSERT INTO scope (id, corpus_id, audit_id, kernels) VALUES (1, 1, 1, " + std::to_string(kernels) + ")");
    Maker(*database, kernels).run();
    sqlite.exec(std::string(store::indexSql()));
    sqlite.exec("INSERT INTO kernel_fts (kernel_fts) VALUES ('rebuild')");
    sqlite.exec("INSERT INTO finding_fts (finding_fts) VALUES ('rebuild')");
    transaction.commit();
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: bench_database OUT.db KERNELS\n");
        return 2;
    }
    try {
        make(argv[1], std::atoll(argv[2]));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
