// SPDX-License-Identifier: Apache-2.0
#include "core/report/sample_figure.h"
#include "core/report/sample_report.h"
#include "report_fixture.h"
#include "tests/support/shared_data.h"

#include <cmath>

using namespace assay;
using namespace assay::tests;
using store::AuditLabel;

/// What labels become: weighted estimates, and a report that quotes its evidence.
class SampleReportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void stratumWeightsDecide();
    void openLabelsCountNeitherWay();
    void gatesHaveAPrecisionOfTheirOwn();
    void theRateOfTheAuditIsAdjusted();
    void thePlanThatDecidedMostAdjustsTheAudit();
    void reviewersAreComparedOnWhatBothSaw();
    void nothingLabelledSaysSo();
    void reportsQuoteEvidenceAsText();
    void aFrameWithUnauditedKernelsAdjustsNothing();
    void thePublishedSampleShowsItsStrata();
    void thirtyOneOfThirtyOneGiveTheKnownBound();
    void channelsOfThePublishedAuditAreCounted();

private:
    store::Database& db() { return *m_store->database; }
    void label(const std::string& kernel, AuditLabel label, const std::string& reviewer = "ada", const std::string& note = {});
    std::int64_t scope() { return report::resolveScope(db(), "", ""); }
    store::SamplePlan drawAll(const std::string& filter = "is:violation", const std::string& name = "plan");

    std::unique_ptr<ImportFixture> m_store;
};

namespace {

bool close(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

const std::string kExc = R"("EXC-01": {"status": "fail", "reason": "scattered_nan: NaN mask mismatch", "skipped": 0})";
const std::string kCmp
    = R"("CMP-01": {"status": "fail", "reason": "random[0]: max_err=1.0e+00 > atol=1.0e-05 (scaled) <b>|*x*", "skipped": 0})";

} // namespace

/// Eight kernels fail EXC-01, four CMP-01, two both; two more pass.
void SampleReportTest::init()
{
    m_store = std::make_unique<ImportFixture>();
    std::vector<std::string> rows;
    for (int id = 1; id <= 16; ++id)
        rows.push_back(gatedRow(id, id <= 6 ? kExc : id <= 8 ? kExc + ", " + kCmp : id <= 12 ? kCmp : ""));
    m_store->importText(lines(rows));
}

store::SamplePlan SampleReportTest::drawAll(const std::string& filter, const std::string& name)
{
    store::PlanRequest request;
    request.name = name;
    request.scopeId = scope();
    request.filter = filter;
    request.by = {store::StratifyBy::Channel};
    request.size = 100;
    request.seed = 1;
    return store::drawSample(db(), store::createPlan(db(), request).id);
}

void SampleReportTest::label(const std::string& kernel, AuditLabel word, const std::string& reviewer, const std::string& note)
{
    for (const store::SampleItem& item : store::sampleItems(db(), store::findPlan(db(), "").id)) {
        if (item.externalId != kernel)
            continue;
        store::NewLabel label;
        label.itemId = item.id;
        label.label = word;
        label.reviewer = reviewer;
        label.note = note;
        store::addLabel(db(), label);
    }
}

void SampleReportTest::stratumWeightsDecide()
{
    drawAll();
    for (const char* kernel : {"1", "2", "3", "4"})
        label(kernel, AuditLabel::Confirmed);
    label("9", AuditLabel::Confirmed);
    label("10", AuditLabel::FalsePositive);
    const report::SampleEstimate estimate = report::estimateSample(db(), "");
    QCOMPARE(estimate.strata.size(), 2U);
    QCOMPARE(estimate.strata[0].stratum.population, 4); // CMP-01
    QCOMPARE(estimate.strata[1].stratum.population, 8); // EXC-01
    // (4 * 1/2 + 8 * 1) / 12 and not 5 of 6
    QVERIFY(close(estimate.precision->share, 10.0 / 12));
    QVERIFY(close(estimate.confirmed->share, 10.0 / 12));
    QVERIFY(estimate.precision->isUniform);
    QVERIFY(estimate.precision->wilson.low < 10.0 / 12 && estimate.precision->wilson.high > 10.0 / 12);
    // 2 of 4 seen: between 1 and 3 of the stratum are defects.
    QCOMPARE(estimate.strata[0].finite->low, 1);
    QCOMPARE(estimate.strata[0].finite->high, 3);
}

void SampleReportTest::openLabelsCountNeitherWay()
{
    drawAll();
    for (const char* kernel : {"9", "10", "11"})
        label(kernel, AuditLabel::Confirmed);
    label("12", AuditLabel::Ambiguous);
    const report::SampleEstimate estimate = report::estimateSample(db(), "");
    QVERIFY(close(estimate.precision->share, 1));
    QVERIFY(close(estimate.confirmed->share, 0.75));
    QCOMPARE(estimate.precision->coveredItems, 4);
    QCOMPARE(estimate.precision->frameItems, 12);
    QCOMPARE(estimate.labels.labelled(), 4);
    QCOMPARE(estimate.labels.decided(), 3);
}

void SampleReportTest::gatesHaveAPrecisionOfTheirOwn()
{
    drawAll();
    label("1", AuditLabel::Confirmed);
    label("7", AuditLabel::FalsePositive); // fails both, counted in stratum EXC-01
    label("9", AuditLabel::Confirmed);
    const report::SampleEstimate estimate = report::estimateSample(db(), "");
    QCOMPARE(estimate.gates.size(), 2U);
    // CMP-01: 1 of the 2 labelled in EXC-01 (weight 8) is a false positive, 1 of 1 in CMP-01 (weight 4) a defect: 4 / (4 + 4).
    QCOMPARE(estimate.gates[0].labels.labelled(), 2);
    QVERIFY(close(estimate.gates[0].precision->share, 0.5));
    QVERIFY(estimate.gates[1].gate == contract::Gate::Exc01);
    QVERIFY(close(estimate.gates[1].precision->share, 0.5));
}

void SampleReportTest::theRateOfTheAuditIsAdjusted()
{
    drawAll();
    for (int id = 1; id <= 12; ++id)
        label(std::to_string(id), id % 4 == 0 ? AuditLabel::FalsePositive : AuditLabel::Confirmed);
    const report::SampleEstimate estimate = report::estimateSample(db(), "");
    QCOMPARE(estimate.adjusted->audited, 16);
    QVERIFY(close(estimate.adjusted->flagged, 0.75));
    QVERIFY(close(estimate.adjusted->adjusted, 9.0 / 16));
    QVERIFY(close(estimate.adjusted->interval.low, 9.0 / 16)); // every kernel was seen
    QVERIFY(report::toText(estimate).find("adjusted by the labels, 56.25 % of them are defects") != std::string::npos);
}

void SampleReportTest::thePlanThatDecidedMostAdjustsTheAudit()
{
    const store::Scope scope = store::scopes(db())[0];
    QVERIFY(!report::adjustedRateOf(db(), scope));
    drawAll();
    QVERIFY(!report::adjustedRateOf(db(), scope)); // drawn, nobody has looked
    for (const char* kernel : {"1", "2", "9", "10"})
        label(kernel, kernel[0] == '9' ? AuditLabel::FalsePositive : AuditLabel::Confirmed);
    label("3", AuditLabel::Ambiguous);
    const auto rate = report::adjustedRateOf(db(), scope);
    QCOMPARE(rate->plan, std::string("plan"));
    QCOMPARE(rate->filter, std::string("is:violation is:audited"));
    QCOMPARE(rate->frame, 12);
    QCOMPARE(rate->decided, 4);
    QVERIFY(!rate->isPartial);
    // Of the three that were looked at in EXC-01 two are decided.
    QVERIFY(close(rate->rate.adjusted, 0.75 * (4 * 0.5 + 8 * 2.0 / 3) / (4 + 8 * 2.0 / 3)));
    drawAll("is:violation", "later");
    label("1", AuditLabel::FalsePositive);
    QCOMPARE(report::adjustedRateOf(db(), scope)->plan, std::string("plan"));
    for (const char* kernel : {"2", "3", "4", "5"})
        label(kernel, AuditLabel::FalsePositive);
    const auto later = report::adjustedRateOf(db(), scope);
    QCOMPARE(later->plan, std::string("later"));
    QVERIFY(later->isPartial); // nobody has looked at CMP-01 in it
    QVERIFY(close(later->rate.adjusted, 0));
}

void SampleReportTest::aFrameWithUnauditedKernelsAdjustsNothing()
{
    m_store->importText(preGateRow(99, "not_auditable", "no floating-point tensor input") + "\n");
    drawAll("");
    label("1", AuditLabel::Confirmed);
    QVERIFY(!report::estimateSample(db(), "").adjusted);
}

void SampleReportTest::reviewersAreComparedOnWhatBothSaw()
{
    drawAll();
    for (const char* kernel : {"1", "2", "9", "10", "11"})
        label(kernel, AuditLabel::Confirmed, "ada");
    for (const char* kernel : {"1", "2", "9"})
        label(kernel, AuditLabel::Confirmed, "bob");
    label("10", AuditLabel::FalsePositive, "bob");
    const report::SampleEstimate estimate = report::estimateSample(db(), "");
    QCOMPARE(estimate.pairs.size(), 1U);
    QCOMPARE(estimate.pairs[0].agreement.items, 4);
    QCOMPARE(estimate.pairs[0].agreement.agreed, 3);
    QVERIFY(close(*estimate.pairs[0].agreement.kappa, 0)); // ada gave one label throughout
    QCOMPARE(estimate.labels.disputed, 1);
    QCOMPARE(estimate.labelledTwice, 4);
    QCOMPARE(estimate.blindLabels, 9);
}

void SampleReportTest::nothingLabelledSaysSo()
{
    drawAll();
    const report::SampleReport report = report::buildSampleReport(db(), "plan");
    QVERIFY(!report.estimate.precision);
    QVERIFY(report::precisionFigure(report.estimate).empty());
    QVERIFY(report::toMarkdown(report).find("Labelled: 0 of 12.") != std::string::npos);
    QVERIFY(report::toJson(report.estimate).find("\"precision\":null") != std::string::npos);
    QCOMPARE(report.items.size(), 12U);
}

void SampleReportTest::reportsQuoteEvidenceAsText()
{
    drawAll();
    label("9", AuditLabel::Confirmed, "ada <x>", "see | line 3\nand 4");
    const report::SampleReport report = report::buildSampleReport(db(), "");
    const std::string markdown = report::toMarkdown(report);
    QVERIFY(markdown.find("> random\\[0\\]: max\\_err=1.0e+00 \\> atol=1.0e-05 (scaled) \\<b\\>\\|\\*x\\*") != std::string::npos);
    QVERIFY(markdown.find("**confirmed defect** (ada") != std::string::npos);
    const std::string html = report::toHtml(report);
    QVERIFY(html.find("&lt;b&gt;|*x*") != std::string::npos);
    QVERIFY(html.find("<b>|") == std::string::npos);
    QVERIFY(html.find("data:image/svg+xml;base64,") != std::string::npos);
    const std::string csv = report::toCsv(report);
    QVERIFY(csv.find("confirmed,,,\"see | line 3\nand 4\",,ada <x>,") != std::string::npos);
    QCOMPARE(std::count(csv.begin(), csv.end(), '\r'), 13); // a head and twelve kernels
    QVERIFY(report::precisionFigure(report.estimate).find("1 / 1 of 4") != std::string::npos);
}

#define ASSAY_PUBLISHED_SAMPLE()                                                                                                 \
    ASSAY_REQUIRE_SHARED(shared);                                                                                                \
    m_store = std::make_unique<ImportFixture>();                                                                                 \
    ingest::ImportOptions options;                                                                                               \
    options.corpusName = "published";                                                                                            \
    for (const char* file : {"audit_rows.jsonl.gz", "failure_sample_selected.json"})                                             \
    m_store->import((shared + QStringLiteral("/corpora/published-audit/") + QLatin1String(file)).toStdString(), "", options)

void SampleReportTest::thePublishedSampleShowsItsStrata()
{
    ASSAY_PUBLISHED_SAMPLE();
    QVERIFY(store::publishedSamples(db()) == std::vector<std::string>{"published"});
    const store::SamplePlan plan = store::adoptPublishedSample(db(), "");
    QCOMPARE(plan.drawn(), 31);
    QCOMPARE(plan.frame, 1533);
    QByteArray strata;
    for (const store::PlanStratum& stratum : plan.strata)
        strata += QByteArray::fromStdString(stratum.name) + ' ' + QByteArray::number(static_cast<qlonglong>(stratum.drawn)) + '/'
            + QByteArray::number(static_cast<qlonglong>(stratum.population)) + ' ';
    QCOMPARE(strata,
             QByteArray("EXC-01 6/827 ORD-02 3/67 CMP-03 4/200 aliasing 2/12 crash 0/0 pre_gate 2/48 CMP-01 4/172 "
                        "PRC-02 3/123 EXC-02 3/42 ORD-01 0/0 ORD-03 1/1 PRC-01 2/26 RES-01 1/15 "));
    QVERIFY(store::publishedSamples(db()).empty());
    QCOMPARE(store::adoptPublishedSample(db(), "").id, plan.id);
    QCOMPARE(store::sampleItems(db(), plan.id).front().externalId, std::string("42"));
    QVERIFY_EXCEPTION_THROWN(store::drawSample(db(), plan.id, 1), Error);
}

void SampleReportTest::thirtyOneOfThirtyOneGiveTheKnownBound()
{
    ASSAY_PUBLISHED_SAMPLE();
    store::adoptPublishedSample(db(), "");
    for (const store::SampleItem& item : store::sampleItems(db(), store::findPlan(db(), "").id))
        label(item.externalId, AuditLabel::Confirmed);
    const report::SampleEstimate estimate = report::estimateSample(db(), "");
    QCOMPARE(estimate.labels.confirmed, 31);
    QCOMPARE(std::round(1000 * estimate.pooledClopperPearson.low), 888.0);
    QCOMPARE(estimate.pooledClopperPearson.high, 1.0);
    // The same labels weighted by stratum tell less, because 827 kernels stand behind 6.
    QCOMPARE(std::round(1000 * estimate.precision->wilson.low), 804.0);
    QVERIFY(report::toText(estimate).find("Clopper-Pearson 0.888 to 1") != std::string::npos);
}

void SampleReportTest::channelsOfThePublishedAuditAreCounted()
{
    ASSAY_PUBLISHED_SAMPLE();
    store::PlanRequest request;
    request.scopeId = scope();
    request.filter = "is:violation";
    request.by = {store::StratifyBy::Channel};
    request.size = 31;
    std::map<std::string, std::int64_t> sizes;
    for (const store::PlanStratum& stratum : store::previewPlan(db(), request).strata)
        sizes[stratum.name] = stratum.population;
    QCOMPARE(sizes["EXC-01"], 868); // the first of the order: every failure of it
    QCOMPARE(sizes["pre_gate"], 62);
    std::int64_t all = 0;
    for (const auto& [name, size] : sizes)
        all += size;
    QCOMPARE(all, 1639);
    QVERIFY(!sizes.contains("none"));
}

QTEST_APPLESS_MAIN(SampleReportTest)
#include "tst_sample_report.moc"
