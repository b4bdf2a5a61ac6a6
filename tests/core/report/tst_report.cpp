// SPDX-License-Identifier: Apache-2.0
#include "core/report/rule_engine.h"
#include "core/store/triage.h"
#include "report_fixture.h"

using namespace assay;
using namespace assay::tests;
using contract::Gate;

class ReportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theFunnelCountsEveryStep();
    void everyLinkOfTheFunnelListsAsManyRowsAsItSays();
    void everyFailSetListsAsManyRowsAsItSays();
    void gatesCountAuditedRowsAlone();
    void familiesAreSortedByAuditedRows();
    void timesAreOrderStatisticsOfAuditedRowsAndHoursOfAll();
    void baselinesOfRowsComeBeforePublishedTables();
    void anotherRuleSetCountsTheSameRowsAnew();
    void anAuditOfOurOwnIsNotScoredAnew();
    void storedOutcomesListTheRowsBehindARescoredNumber();
    void storingOutcomesAgainReplacesThem();
    void aStopRequestKeepsNoOutcome();
    void anUnknownRuleSetIsNamedWithTheKnownOnes();
    void aStoredRuleSetIsFoundByName();
    void theNewestAuditIsMeantWhereNoneIsNamed();
    void anUnknownCorpusIsNamedWithWhatThereIs();
    void anEmptyDatabaseSaysHowToFillIt();
    void aCorpusWithoutAuditHasAReport();
    void jsonHasTheAgreedShape();
    void markdownAndHtmlEscapeForeignTexts();
    void htmlStandsAloneInLightAndDark();
};

namespace {

/// Seven kernels: one rejected, one not auditable, one artifact, one clean, three that fail in different ways.
std::string sevenRows()
{
    return lines({
        gatedRow(1, gate("CMP-01", "pass") + ", " + gate("EXC-01", "pass"), "scan", "0.0"),
        preGateRow(2, "not_auditable", "no floating-point tensor input"),
        preGateRow(3, "cand_native_fail", "CompilationError: x"),
        gatedRow(4, gate("CMP-01", "pass") + ", " + gate("EXC-01", "na"), "scan", "1.5", false, "1.0"),
        gatedRow(5, gate("CMP-01", "fail", "random[0]: max_err=2.0e+00 > atol=1.0e-03 (scaled)") + ", " + gate("EXC-01", "fail"),
                 "norm", "1.5", false, "2.0"),
        gatedRow(6, gate("CMP-01", "fail", "random[0]: max_err=nan > atol=1.0e-03 (scaled)"), "norm", "1.5", false, "3.0"),
        preGateRow(7, "cand_native_fail", "TypeError: x", "1.5", "norm"),
    });
}

std::string nanRow(int id, const std::string& cmp01)
{
    return gatedRow(id,
                    gate("CMP-01", cmp01) + ", " + gate("ORD-01", "fail", "max_err=nan > atol=1.7e-04") + ", "
                        + gate("ORD-02", "fail", "run 0 and run 1 differ (non-deterministic)"));
}

struct Imported : ImportFixture {
    explicit Imported(const std::string& rows, const std::string& name = "rows.jsonl") { importText(rows, name); }

    std::int64_t scope(const std::string& corpus = "", const std::string& audit = "")
    {
        return report::resolveScope(*database, corpus, audit);
    }
    report::AuditReport report(const std::string& rules = "as-published")
    {
        return report::buildReport(*database, scope(), builtIn(rules));
    }
    std::int64_t matching(const std::string& filter)
    {
        return store::triageCount(*database, scope(), store::parseFilter(filter));
    }
    std::int64_t auditId() { return number("SELECT id FROM audit"); }
};

} // namespace

void ReportTest::theFunnelCountsEveryStep()
{
    Imported store(sevenRows());
    const report::AuditReport report = store.report();
    QCOMPARE(report.rows, 7);
    QCOMPARE(report.accepted, 6);
    QCOMPARE(funnelCount(report, "executable"), 5);
    QCOMPARE(report.audited, 4);
    QCOMPARE(report.toleranceFree.count, 2); // EXC-01 of 5, the failure to run of 7
    QCOMPARE(report.toleranceFree.of, 4);
    QCOMPARE(report.anyViolation.count, 3);
    QCOMPARE(report.toleranceFree.wilson95.low, sampling::wilson(2, 4).low);
    QCOMPARE(report.forgiven, 0);
}

void ReportTest::everyLinkOfTheFunnelListsAsManyRowsAsItSays()
{
    Imported store(sevenRows());
    const report::AuditReport report = store.report();
    QCOMPARE(report.funnel.size(), std::size_t{6});
    for (const report::FunnelStep& step : report.funnel)
        QCOMPARE(store.matching(step.filter), step.count);
}

void ReportTest::everyFailSetListsAsManyRowsAsItSays()
{
    Imported store(sevenRows());
    const report::AuditReport report = store.report();
    QCOMPARE(report.failSets.size(), std::size_t{2}); // the row that never reached a gate is in no set
    QCOMPARE(report.failSets[0].label, std::string("CMP-01"));
    QCOMPARE(report.failSets[1].label, std::string("CMP-01, EXC-01"));
    for (const report::FailSet& set : report.failSets)
        QCOMPARE(store.matching(set.filter), set.count);
}

void ReportTest::gatesCountAuditedRowsAlone()
{
    Imported store(sevenRows());
    const report::AuditReport report = store.report();
    QCOMPARE(gateCounts(report, Gate::Cmp01).pass, 1); // the rejected row's is left out
    QCOMPARE(gateCounts(report, Gate::Cmp01).fail, 2);
    QCOMPARE(gateCounts(report, Gate::Cmp01).absent, 1);
    QCOMPARE(gateCounts(report, Gate::Exc01).inapplicable, 1);
    QCOMPARE(gateCounts(report, Gate::Exc01).fail, 1);
    QCOMPARE(gateCounts(report, Gate::Res02).absent, 4);
}

void ReportTest::familiesAreSortedByAuditedRows()
{
    Imported store(sevenRows());
    const report::AuditReport report = store.report();
    QCOMPARE(report.perFamily.size(), std::size_t{2});
    QCOMPARE(report.perFamily[0].family, std::string("norm"));
    QCOMPARE(report.perFamily[0].audited, 3);
    QCOMPARE(report.perFamily[0].toleranceFree, 2);
    QCOMPARE(report.perFamily[0].any, 3);
    QCOMPARE(report.perFamily[0].failures[contract::indexOf(Gate::Cmp01)], 2);
    QCOMPARE(report.perFamily[1].audited, 1);
    QCOMPARE(report.perFamily[1].any, 0);
}

void ReportTest::timesAreOrderStatisticsOfAuditedRowsAndHoursOfAll()
{
    Imported store(sevenRows()); // audited: 1, 2, 3 and 2 seconds; in all 9.5 + 2 + 2 + 1 + 2 + 3 + 2
    const report::AuditReport report = store.report();
    QCOMPARE(report.elapsedMedianSeconds, std::optional(2.0));
    QCOMPARE(report.elapsedP95Seconds, std::optional(3.0));
    QVERIFY(qFuzzyCompare(*report.elapsedTotalHours, 21.5 / 3600));
}

void ReportTest::baselinesOfRowsComeBeforePublishedTables()
{
    Imported store(sevenRows());
    store.database->sqlite().exec(R"sql(
        INSERT INTO baseline_verdict (verdict_id, mode, verdict)
        SELECT v.id, 'kb', CASE k.external_id WHEN '4' THEN 'pass' WHEN '5' THEN 'pass' WHEN '6' THEN 'fail' ELSE 'error' END
        FROM verdict v JOIN kernel k ON k.id = v.kernel_id;
        INSERT INTO published_figure (corpus_id, kind, source_file, pointer, value, value_class) VALUES
            (1, 'cross_table', 'crossval.json', '/cells_paper_era/ext_pass_our_pass', 985, 'finite'),
            (1, 'cross_table', 'crossval.json', '/cells_paper_era/ext_pass_our_fail', 1487, 'finite'),
            (1, 'cross_table', 'crossval.json', '/cells_paper_era/ext_fail_our_pass', 14, 'finite'),
            (1, 'cross_table', 'crossval.json', '/cells_paper_era/ext_fail_our_fail', 152, 'finite');
    )sql");
    for (const char* rules : {"as-published", "union"}) {
        const report::AuditReport report = store.report(rules);
        QCOMPARE(report.baselines.size(), std::size_t{2});
        QCOMPARE(report.baselines[0].mode, std::string("kb"));
        QCOMPARE(report.baselines[0].source, std::string());
        QCOMPARE(report.baselines[0].passPass, 1);
        QCOMPARE(report.baselines[0].passFail, 1);
        QCOMPARE(report.baselines[0].failFail, 1);
        QCOMPARE(report.baselines[0].failPass, 0); // "error" is no verdict
        QCOMPARE(report.baselines[1].mode, std::string("kernelbench-paper"));
        QCOMPARE(report.baselines[1].source, std::string("crossval.json"));
        QCOMPARE(report.baselines[1].passFail, 1487);
        QCOMPARE(report.baselines[1].failPass, 14);
    }
}

/// Its gates compare NaN as equal already, and say themselves what is hard.
void ReportTest::anAuditOfOurOwnIsNotScoredAnew()
{
    Imported store(lines({nanRow(1, "pass")}));
    store.database->sqlite().exec("UPDATE audit SET origin = 'judged'");
    QVERIFY(report::whatIf(*store.database, store.scope(), report::builtInRuleSets()).empty());
    QCOMPARE(store.report().rows, 1);
    QVERIFY_EXCEPTION_THROWN(store.report("nan-equal"), Error);
}

void ReportTest::anotherRuleSetCountsTheSameRowsAnew()
{
    Imported store(lines({nanRow(1, "pass"), nanRow(2, "fail"), gatedRow(3, gate("CMP-01", "pass"), "scan", "1.5", true)}));
    QCOMPARE(store.report().toleranceFree.count, 3);
    QCOMPARE(store.report().anyViolation.count, 2);
    const report::AuditReport equal = store.report("nan-equal");
    QCOMPARE(equal.toleranceFree.count, 2);
    QCOMPARE(equal.anyViolation.count, 1);
    QCOMPARE(equal.forgiven, 1);
    QCOMPARE(gateCounts(equal, Gate::Ord02).pass, 1);
    QCOMPARE(gateCounts(equal, Gate::Ord02).fail, 1);

    const auto results = report::whatIf(*store.database, store.scope(), report::builtInRuleSets());
    QCOMPARE(results.size(), std::size_t{4});
    QCOMPARE(results[0].toleranceFree.count, 3);
    QCOMPARE(results[1].toleranceFree.count, 2);
    QCOMPARE(results[2].toleranceFree.count, 1); // loose: whatever CMP-01 says
    QCOMPARE(results[2].forgiven, 2);
    QCOMPARE(results[3].anyViolation.count, 3);
    QCOMPARE(results[3].anyViolation.of, 3);
}

void ReportTest::storedOutcomesListTheRowsBehindARescoredNumber()
{
    Imported store(lines({nanRow(1, "pass"), nanRow(2, "fail"), gatedRow(3, gate("CMP-01", "pass"))}));
    report::storeRuleOutcomes(*store.database, store.auditId(), builtIn("nan-equal"), {});
    const report::AuditReport report = store.report("nan-equal");
    QCOMPARE(store.matching("rule:nan-equal/forgiven"), report.forgiven);
    int links = 0;
    for (const report::FunnelStep& step : report.funnel) {
        if (step.filter.starts_with("rule:")) {
            QCOMPARE(store.matching(step.filter), step.count);
            ++links;
        }
    }
    QCOMPARE(links, 3);
    QCOMPARE(store.text("SELECT forgiven FROM rule_outcome WHERE forgiven IS NOT NULL"), std::string("ORD-01,ORD-02"));
}

void ReportTest::storingOutcomesAgainReplacesThem()
{
    Imported store(lines({nanRow(1, "pass"), nanRow(2, "fail")}));
    for (int i = 0; i < 2; ++i)
        report::storeRuleOutcomes(*store.database, store.auditId(), builtIn("nan-equal"), {});
    QCOMPARE(store.number("SELECT count(*) FROM rule_outcome"), 2);
    QCOMPARE(store.number("SELECT count(*) FROM rule_set"), 1);
    QCOMPARE(store.text("SELECT hash FROM rule_set"), builtIn("nan-equal").hash);
}

void ReportTest::aStopRequestKeepsNoOutcome()
{
    Imported store(lines({nanRow(1, "pass"), nanRow(2, "fail")}));
    std::stop_source stop;
    stop.request_stop();
    QVERIFY_EXCEPTION_THROWN(report::storeRuleOutcomes(*store.database, store.auditId(), builtIn("nan-equal"), stop.get_token()),
                             Cancelled);
    QCOMPARE(store.number("SELECT count(*) FROM rule_outcome"), 0);
    QCOMPARE(store.number("SELECT count(*) FROM rule_set"), 0);
}

void ReportTest::anUnknownRuleSetIsNamedWithTheKnownOnes()
{
    Imported store(sevenRows());
    try {
        report::ruleSetByName(*store.database, "strict");
        QFAIL("was found");
    } catch (const Error& error) {
        QVERIFY(QString::fromStdString(error.what()).contains("strict"));
        QVERIFY(QString::fromStdString(error.remedy()).contains("nan-equal-loose"));
    }
}

void ReportTest::aStoredRuleSetIsFoundByName()
{
    Imported store(sevenRows());
    const report::RuleSet mine = report::parseRuleSet(R"({"schema": "assay.rules/1", "name": "mine", "title": "EXC-01 alone",
        "population": {"accepted": {"speedup_above": 0}}, "floor": [{"gate": "EXC-01", "verdicts": ["fail"]}], "violations": []})");
    report::storeRuleOutcomes(*store.database, store.auditId(), mine, {});
    QCOMPARE(report::ruleSetByName(*store.database, "mine").hash, mine.hash);
    QCOMPARE(store.matching("rule:mine/tolerance_free"), 1);
}

void ReportTest::theNewestAuditIsMeantWhereNoneIsNamed()
{
    Imported store(sevenRows(), "old.jsonl");
    store.importText(lines({gatedRow(1, gate("CMP-01", "pass"))}), "new.jsonl");
    QCOMPARE(store.report().corpus, std::string("new"));
    const auto old = report::buildReport(*store.database, store.scope("old"), builtIn("as-published"));
    QCOMPARE(old.rows, 7);
    QCOMPARE(store.scope("", "old/old"), store.scope("old", "old"));
}

void ReportTest::anUnknownCorpusIsNamedWithWhatThereIs()
{
    Imported store(sevenRows());
    try {
        store.scope("nothing");
        QFAIL("was found");
    } catch (const Error& error) {
        QVERIFY(QString::fromStdString(error.problem()).contains("nothing"));
        QVERIFY(QString::fromStdString(error.remedy()).contains("rows/rows"));
    }
}

void ReportTest::anEmptyDatabaseSaysHowToFillIt()
{
    ImportFixture store;
    try {
        report::resolveScope(*store.database, "", "");
        QFAIL("found something");
    } catch (const Error& error) {
        QVERIFY(QString::fromStdString(error.remedy()).contains("assay import"));
    }
}

void ReportTest::aCorpusWithoutAuditHasAReport()
{
    Imported store(unjudgedRow("k1"));
    const report::AuditReport report = store.report();
    QCOMPARE(report.rows, 1);
    QCOMPARE(report.audited, 0);
    QCOMPARE(report.toleranceFree.wilson95.high, 1.0);
    QVERIFY(report::whatIf(*store.database, store.scope(), report::builtInRuleSets()).empty());
    json::Document document;
    QVERIFY(!json::parse(report::toJson(report), document));
    QVERIFY(json::find(document, "baseline")->IsNull());
}

void ReportTest::jsonHasTheAgreedShape()
{
    Imported store(sevenRows());
    json::Document document;
    QVERIFY(!json::parse(report::toJson(store.report()), document));
    QCOMPARE(*json::stringAt(document, "schema"), std::string("assay.report/1"));
    for (const char* key : {"rows", "accepted", "audited", "tolerance_free_failures", "any_violation"})
        QVERIFY2(json::integerAt(document, key).has_value(), key);
    QCOMPARE(*json::numberAt(document, "tolerance_free_rate"), 0.5);
    QCOMPARE(*json::numberAt(document, "any_violation_rate"), 0.75);
    const json::Value& intervals = *json::find(document, "wilson95");
    QCOMPARE((*json::find(intervals, "tolerance_free"))[0].GetDouble(), sampling::wilson(2, 4).low);
    QCOMPARE((*json::find(intervals, "any"))[1].GetDouble(), sampling::wilson(3, 4).high);
    const json::Value& gates = *json::find(document, "per_gate");
    QCOMPARE(gates.MemberCount(), rapidjson::SizeType{12});
    QCOMPARE(*json::integerAt(*json::find(gates, "CMP-01"), "fail"), 2);
    const json::Value& norm = *json::find(*json::find(document, "per_family"), "norm");
    QCOMPARE(*json::integerAt(norm, "audited"), 3);
    QCOMPARE(*json::integerAt(norm, "any"), 3);
}

void ReportTest::markdownAndHtmlEscapeForeignTexts()
{
    Imported store(lines({gatedRow(1, gate("CMP-01", "pass"), "<script>|x")}), "a|<b>.jsonl");
    const QString markdown = QString::fromStdString(report::toMarkdown(store.report()));
    QVERIFY(markdown.contains("&lt;script&gt;\\|x"));
    QVERIFY(markdown.contains("a\\|&lt;b&gt;"));
    const QString html = QString::fromStdString(report::toHtml(store.report()));
    QVERIFY(html.contains("&lt;script&gt;|x"));
    QVERIFY(!html.contains("<script>"));
    QVERIFY(!html.contains("<b>.jsonl"));
}

void ReportTest::htmlStandsAloneInLightAndDark()
{
    Imported store(sevenRows());
    const QString html = QString::fromStdString(report::toHtml(store.report()));
    QVERIFY(html.startsWith("<!DOCTYPE html>"));
    QVERIFY(html.contains("prefers-color-scheme: dark"));
    for (const char* fetched : {"src=", "href=", "url(", "@import"})
        QVERIFY2(!html.contains(QLatin1String(fetched)), fetched);
    QVERIFY(html.contains("<td class=\"n\">7</td>"));
}

QTEST_APPLESS_MAIN(ReportTest)
#include "tst_report.moc"
