// SPDX-License-Identifier: Apache-2.0
#include "core/report/export.h"
#include "core/store/triage.h"
#include "report_fixture.h"
#include "tests/support/shared_data.h"

#include <map>
#include <set>

using namespace assay;
using namespace assay::tests;
using contract::Gate;

/// The published audit against the figures its authors and an independent recomputation gave (gates.md 0.2 and 0.3).
class PublishedAuditTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void theFunnelIsAsPublished();
    void everyFamilyIsAsPublished();
    void everyGateIsAsPublished();
    void theMostCommonFailSetsAreAsPublished();
    void theTimesAreAsPublished();
    void ruleSetsGiveTheKnownTotals();
    void theThirtyRowsAreTheOnesForgiven();
    void theEngineAgreesWithTheFlagsStoredAtImport();
    void everyNumberOfTheReportListsAsManyRows();
    void thePublishedCrossTablesAreShownAsPublished();
    void jsonLinesAreTheOriginalByteForByte();

private:
    std::int64_t scope() { return report::resolveScope(*m_store->database, "", ""); }
    report::AuditReport report(const std::string& rules)
    {
        return report::buildReport(*m_store->database, scope(), builtIn(rules));
    }
    std::int64_t matching(const std::string& filter)
    {
        return store::triageCount(*m_store->database, scope(), store::parseFilter(filter));
    }

    QString m_folder;
    std::unique_ptr<ImportFixture> m_store;
};

void PublishedAuditTest::init()
{
    ASSAY_REQUIRE_SHARED(shared);
    m_folder = shared + QStringLiteral("/corpora/published-audit/");
    if (m_store)
        return;
    m_store = std::make_unique<ImportFixture>();
    ingest::ImportOptions options;
    options.corpusName = "published";
    for (const char* file : {"audit_rows.jsonl.gz", "crossval_kernelbench.json", "kernelbench_actual_agreement.json"})
        m_store->import((m_folder + QLatin1String(file)).toStdString(), "", options);
}

void PublishedAuditTest::theFunnelIsAsPublished()
{
    const report::AuditReport audit = report("as-published");
    QCOMPARE(audit.rows, 3134);
    QCOMPARE(audit.accepted, 2970);
    QCOMPARE(funnelCount(audit, "executable"), 2919);
    QCOMPARE(audit.audited, 2638);
    QCOMPARE(audit.toleranceFree.count, 1043);
    QCOMPARE(audit.anyViolation.count, 1639);
    QCOMPARE(QString::number(100 * audit.toleranceFree.value(), 'f', 2), QStringLiteral("39.54"));
    QCOMPARE(QString::number(100 * audit.anyViolation.wilson95.high, 'f', 1), QStringLiteral("64.0"));
}

void PublishedAuditTest::everyFamilyIsAsPublished()
{
    struct Counts {
        std::int64_t audited, toleranceFree, any;
        bool operator==(const Counts&) const = default;
    };
    const std::map<std::string, Counts> published
        = {{"reduction", {758, 448, 544}}, {"matmul", {751, 257, 471}}, {"softmax", {390, 102, 185}}, {"norm", {352, 122, 228}},
           {"conv", {239, 74, 133}},       {"scan", {140, 38, 71}},     {"attention", {8, 2, 7}}};
    std::map<std::string, Counts> found;
    for (const report::FamilyCounts& family : report("as-published").perFamily)
        found[family.family] = {family.audited, family.toleranceFree, family.any};
    QVERIFY(found == published);
}

void PublishedAuditTest::everyGateIsAsPublished()
{
    const std::map<Gate, std::int64_t> fails
        = {{Gate::Cmp01, 608}, {Gate::Cmp03, 420}, {Gate::Exc01, 868}, {Gate::Exc02, 238}, {Gate::Ord01, 351}, {Gate::Ord02, 126},
           {Gate::Ord03, 136}, {Gate::Prc01, 287}, {Gate::Prc02, 352}, {Gate::Res01, 45},  {Gate::Cmp02, 0},   {Gate::Res02, 0}};
    const report::AuditReport audit = report("as-published");
    for (const auto& [gate, count] : fails) {
        QCOMPARE(gateCounts(audit, gate).fail, count);
        QCOMPARE(gateCounts(audit, gate).crash, 0);
    }
    QCOMPARE(gateCounts(audit, Gate::Cmp03).inapplicable, 243);
    QCOMPARE(gateCounts(audit, Gate::Exc01).error, 24);
    QCOMPARE(gateCounts(audit, Gate::Cmp01).error, 3);
    QCOMPARE(gateCounts(audit, Gate::Cmp02).absent, 2638);
}

void PublishedAuditTest::theMostCommonFailSetsAreAsPublished()
{
    const std::vector<std::pair<std::string, std::int64_t>> published
        = {{"EXC-01", 507},        {"CMP-01", 118}, {"CMP-01, CMP-03, ORD-01", 75}, {"CMP-01, CMP-03, EXC-01, ORD-01", 72},
           {"PRC-01, PRC-02", 61}, {"PRC-02", 54},  {"CMP-01, EXC-01", 40},         {"EXC-02", 40}};
    const report::AuditReport audit = report("as-published");
    for (std::size_t i = 0; i < published.size(); ++i) {
        QCOMPARE(audit.failSets[i].label, published[i].first);
        QCOMPARE(audit.failSets[i].count, published[i].second);
    }
}

void PublishedAuditTest::theTimesAreAsPublished()
{
    const report::AuditReport audit = report("as-published");
    QCOMPARE(audit.elapsedMedianSeconds, std::optional(9.5));
    QCOMPARE(audit.elapsedP95Seconds, std::optional(15.2));
    QCOMPARE(QString::number(*audit.elapsedTotalHours, 'f', 1), QStringLiteral("8.6"));
}

void PublishedAuditTest::ruleSetsGiveTheKnownTotals()
{
    const std::map<std::string, std::pair<std::int64_t, std::int64_t>> known = {
        {"as-published", {1043, 1639}}, {"nan-equal", {1014, 1623}}, {"nan-equal-loose", {1009, 1623}}, {"union", {1043, 1648}}};
    for (const report::WhatIf& result : report::whatIf(*m_store->database, scope(), report::builtInRuleSets())) {
        QCOMPARE(result.audited, 2638);
        QCOMPARE(result.toleranceFree.count, known.at(result.ruleSet).first);
        QCOMPARE(result.anyViolation.count, known.at(result.ruleSet).second);
    }
    for (const auto& [name, totals] : known) {
        QCOMPARE(report(name).toleranceFree.count, totals.first);
        QCOMPARE(report(name).anyViolation.count, totals.second);
    }
}

void PublishedAuditTest::theThirtyRowsAreTheOnesForgiven()
{
    const std::set<std::string> published = {"1872", "2131", "2222", "2529", "2826", "2929", "3130", "3280", "3316", "3789",
                                             "3860", "3955", "4125", "4203", "4389", "4644", "4676", "7092", "7097", "7121",
                                             "7130", "7165", "7209", "7774", "7905", "8097", "8132", "8293", "8326", "8701"};
    std::set<std::string> forgiven;
    const std::int64_t audit = m_store->number("SELECT id FROM audit");
    report::applyRuleSet(*m_store->database, audit, builtIn("nan-equal"), [&](const report::RuleOutcome& outcome) {
        if (outcome.audited && !outcome.forgiven.empty())
            forgiven.insert(m_store->text("SELECT external_id FROM kernel WHERE id = " + std::to_string(outcome.kernelId)));
    });
    QVERIFY(forgiven == published);
}

void PublishedAuditTest::theEngineAgreesWithTheFlagsStoredAtImport()
{
    std::map<std::int64_t, int> stored;
    SQLite::Statement flags(m_store->database->sqlite(),
                            "SELECT kernel_id, accepted, audited, tolerance_free, any_violation, fail_mask FROM triage");
    while (flags.executeStep())
        stored[flags.getColumn(0).getInt64()] = flags.getColumn(1).getInt() | flags.getColumn(2).getInt() << 1
            | flags.getColumn(3).getInt() << 2 | flags.getColumn(4).getInt() << 3 | flags.getColumn(5).getInt() << 4;
    std::size_t seen = 0;
    std::int64_t last = 0;
    report::applyRuleSet(*m_store->database, m_store->number("SELECT id FROM audit"), builtIn("as-published"),
                         [&](const report::RuleOutcome& outcome) {
                             const int found = outcome.accepted | outcome.audited << 1 | outcome.toleranceFree << 2
                                 | outcome.anyViolation << 3 | outcome.failMask << 4;
                             QCOMPARE(found, stored.at(outcome.kernelId));
                             QVERIFY(outcome.kernelId > last); // in kernel order
                             last = outcome.kernelId;
                             ++seen;
                         });
    QCOMPARE(seen, stored.size());
}

void PublishedAuditTest::everyNumberOfTheReportListsAsManyRows()
{
    const report::AuditReport audit = report("as-published");
    for (const report::FunnelStep& step : audit.funnel)
        QCOMPARE(matching(step.filter), step.count);
    for (const report::FailSet& set : audit.failSets)
        QCOMPARE(matching(set.filter), set.count);
    for (const Gate gate : contract::kAllGates)
        QCOMPARE(matching("is:audited gate:" + std::string(contract::id(gate))), gateCounts(audit, gate).fail);
    for (const report::FamilyCounts& family : audit.perFamily)
        QCOMPARE(matching("is:audited is:tolerance_free family:" + family.family), family.toleranceFree);
}

void PublishedAuditTest::thePublishedCrossTablesAreShownAsPublished()
{
    const report::AuditReport audit = report("as-published");
    std::map<std::string, report::CrossTable> tables;
    for (const report::CrossTable& table : audit.baselines) {
        QVERIFY(!table.source.empty()); // the rows have no baseline verdicts to recompute from
        tables[table.mode] = table;
    }
    QCOMPARE(tables.size(), std::size_t{3});
    const report::CrossTable& paper = tables.at("kernelbench-paper");
    QCOMPARE(paper.source, std::string("crossval_kernelbench.json"));
    QCOMPARE(paper.passPass, 985);
    QCOMPARE(paper.passFail, 1487);
    QCOMPARE(paper.failPass, 14);
    QCOMPARE(paper.failFail, 152);
    QCOMPARE(tables.at("kernelbench-hardened").failFail, 376);
    QCOMPARE(tables.at("kernelbench-actual-vs-replica").failPass, 8);
    QCOMPARE(audit.baselines.front().mode, std::string("kernelbench-paper"));
}

void PublishedAuditTest::jsonLinesAreTheOriginalByteForByte()
{
    std::string exported;
    report::ExportOptions options;
    const auto summary
        = report::exportRows(*m_store->database, scope(), options, [&exported](std::string_view bytes) { exported += bytes; });
    QCOMPARE(summary.rows, 3134);
    std::string original;
    gzFile file = gzopen((m_folder + QStringLiteral("audit_rows.jsonl.gz")).toLocal8Bit().constData(), "rb");
    QVERIFY(file != nullptr);
    char buffer[65536];
    for (int got = gzread(file, buffer, sizeof buffer); got > 0; got = gzread(file, buffer, sizeof buffer))
        original.append(buffer, static_cast<std::size_t>(got));
    gzclose(file);
    QCOMPARE(original.size(), std::size_t{2796376});
    QVERIFY(exported == original);
}

QTEST_APPLESS_MAIN(PublishedAuditTest)
#include "tst_published_audit.moc"
