// SPDX-License-Identifier: Apache-2.0
#include "core/runner/campaign.h"

#include "core/contract/contract.h"
#include "core/store/triage.h"
#include "core/store/unfinished_audit.h"
#include "core/text/error.h"
#include "tests/core/store/store_fixture.h"

using namespace assay;
using namespace assay::runner;
using namespace assay::tests;

namespace {

/// tests/support/fake_worker.py judges by the candidate's first word.
CampaignOptions options()
{
    CampaignOptions options;
    options.worker.python = ASSAY_SOURCE_DIR "/tests/support/fake_worker.py";
    options.ask.contract = contract::canonicalText(*contract::profile("strict"));
    options.ask.seed = 7;
    return options;
}

} // namespace

class CampaignTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Folder> m_folder;
    std::unique_ptr<store::Database> m_database;

    store::Database& db() { return *m_database; }
    /// Kernels "1", "2", ... with these candidates, filled up to one length: a campaign begins with the longest.
    void fill(const std::vector<std::string>& candidates)
    {
        std::vector<store::ImportedItem> items;
        const std::size_t length = std::ranges::max(candidates, {}, &std::string::size).size();
        for (std::size_t i = 0; i < candidates.size(); ++i)
            items.push_back(sourceRow(std::to_string(i + 1), candidates[i] + std::string(length - candidates[i].size(), ' '),
                                      "reference " + std::to_string(i)));
        import(db(), std::move(items));
    }
    QByteArray outcomes(const std::string& audit)
    {
        return text(
            db(),
            "SELECT group_concat(external_id || ' ' || outcome, ', ') FROM (SELECT k.external_id, v.outcome FROM verdict v "
            "JOIN kernel k ON k.id = v.kernel_id JOIN audit a ON a.id = v.audit_id WHERE a.name = '"
                + audit + "' ORDER BY k.id)");
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<Folder>();
        m_database = m_folder->open();
    }
    void cleanup()
    {
        m_database.reset();
        m_folder.reset();
    }

    void everyKernelIsJudgedAndStored();
    void kernelsWithoutASourceAreCounted();
    void aFilterChooses();
    void aWorkerThatDiesCostsItsKernelAlone();
    void aWorkerThatDiesOnceCostsNothing();
    void resumingSkipsWhatIsJudged();
    void withoutResumingANewAuditBegins();
    void stoppingKeepsWhatIsJudged();
    void aMissingWorkerChangesNothing();
    void nothingToJudgeIsSaid();
    void severalWorkersJudgeEachKernelOnce();
    void namedKernelsAreJudgedInTheirOrder();
    void againReplacesAVerdictInItsAudit();
    void gatesAreToldBeforeTheVerdict();
    void whatItWasAskedForOutlivesAStop();
    void stoppedBeforeTheFirstVerdictItLeavesNoAudit();
};

void CampaignTest::everyKernelIsJudgedAndStored()
{
    fill({"pass 1", "fail 2", "pass 3"});
    std::vector<std::string> order;
    std::int64_t left = -1;
    const CampaignResult result = runCampaign(db(), options(), [&](const CampaignProgress& now, const std::string& kernel) {
        order.push_back(kernel);
        left = now.left();
        QVERIFY(now.judged == 3 || now.remaining() >= 0);
    });
    QVERIFY(order == std::vector<std::string>({"1", "2", "3"}));
    QCOMPARE(left, 0);
    QVERIFY(result.stopped.empty());
    QVERIFY(result.progress.judged == 3 && result.progress.passed == 2 && result.progress.failed == 1);
    QCOMPARE(outcomes(result.audit), QByteArray("1 pass, 2 fail, 3 pass"));
    QCOMPARE(number(db(), "SELECT count(*) FROM audit WHERE origin = 'judged' AND seed = '7' AND finished_at IS NOT NULL"), 1);
    QCOMPARE(text(db(), "SELECT config_hash FROM audit WHERE origin = 'judged'"), bytes(result.contractHash));
    QCOMPARE(text(db(), "SELECT versions ->> 'device' FROM audit WHERE origin = 'judged'"), QByteArray("Fake device"));
    QCOMPARE(number(db(), "SELECT count(*) FROM artifact WHERE gate = 'CMP-01' AND ordinal = 1"), 4);
    QCOMPARE(text(db(), "SELECT worst_index FROM check_result WHERE verdict = 'fail'"), QByteArray("[1]"));
}

void CampaignTest::kernelsWithoutASourceAreCounted()
{
    import(db(), {sourceRow("1", "pass", "reference"), sourceRow("2", "pass", std::nullopt), row("3")});
    const CampaignResult result = runCampaign(db(), options());
    QVERIFY(result.progress.selected == 3 && result.progress.judged == 1 && result.progress.notJudgeable == 2);
    QCOMPARE(result.progress.left(), 0);
}

void CampaignTest::aFilterChooses()
{
    fill({"pass 1", "pass 2", "pass 3"});
    CampaignOptions asked = options();
    asked.filter = store::parseFilter("id:1,3");
    QCOMPARE(outcomes(runCampaign(db(), asked).audit), QByteArray("1 pass, 3 pass"));
}

void CampaignTest::aWorkerThatDiesCostsItsKernelAlone()
{
    fill({"pass 1", "die", "fail 3"});
    const CampaignResult result = runCampaign(db(), options());
    QVERIFY(result.stopped.empty());
    QCOMPARE(outcomes(result.audit), QByteArray("1 pass, 2 error, 3 fail"));
    QVERIFY(result.progress.errors == 1 && result.progress.retried == 1);
    const QByteArray error = text(db(), "SELECT error FROM verdict WHERE outcome = 'error'");
    QVERIFY2(error.contains("killed by the kernel"), error.constData());
}

void CampaignTest::aWorkerThatDiesOnceCostsNothing()
{
    const std::string mark = m_folder->path("died").string();
    fill({"pass 1", "die-once " + mark});
    const CampaignResult result = runCampaign(db(), options());
    QCOMPARE(outcomes(result.audit), QByteArray("1 pass, 2 pass"));
    QVERIFY(std::filesystem::exists(mark));
    QCOMPARE(result.progress.retried, 1);
}

void CampaignTest::resumingSkipsWhatIsJudged()
{
    fill({"pass 1", "die", "fail 3"});
    CampaignOptions asked = options();
    asked.filter = store::parseFilter("id:1,2");
    const std::string audit = runCampaign(db(), asked).audit;
    asked.filter = {};
    asked.resume = true;
    const CampaignResult result = runCampaign(db(), asked);
    QCOMPARE(bytes(result.audit), bytes(audit));
    QVERIFY(result.progress.skipped == 1 && result.progress.judged == 2); // what could not be judged is asked again
    QCOMPARE(outcomes(audit), QByteArray("1 pass, 2 error, 3 fail"));
    asked.ask.seed = 8;
    QVERIFY(runCampaign(db(), asked).audit != audit);
}

void CampaignTest::withoutResumingANewAuditBegins()
{
    fill({"pass 1"});
    const std::string first = runCampaign(db(), options()).audit;
    const std::string second = runCampaign(db(), options()).audit;
    QVERIFY(first != second);
    QCOMPARE(outcomes(first), outcomes(second));
}

void CampaignTest::stoppingKeepsWhatIsJudged()
{
    fill({"pass 1", "wait " + m_folder->path("never").string(), "pass 3"});
    std::stop_source stop;
    const CampaignResult result = runCampaign(
        db(), options(), [&](const CampaignProgress&, const std::string&) { stop.request_stop(); }, stop.get_token());
    QVERIFY(!result.stopped.empty());
    QCOMPARE(outcomes(result.audit), QByteArray("1 pass"));
    QCOMPARE(result.progress.left(), 2);
    QCOMPARE(number(db(), "SELECT count(*) FROM audit WHERE origin = 'judged' AND finished_at IS NULL"), 1);
}

void CampaignTest::aMissingWorkerChangesNothing()
{
    fill({"pass 1"});
    CampaignOptions asked = options();
    asked.worker.python = m_folder->path("no-such-python").string();
    QVERIFY_EXCEPTION_THROWN(runCampaign(db(), asked), Error);
    QCOMPARE(number(db(), "SELECT count(*) FROM audit WHERE origin = 'judged'"), 0);
}

void CampaignTest::nothingToJudgeIsSaid()
{
    fill({"pass 1"});
    CampaignOptions asked = options();
    asked.filter = store::parseFilter("id:99");
    QVERIFY_EXCEPTION_THROWN(runCampaign(db(), asked), Error);
    asked.filter = {};
    asked.corpus = "nowhere";
    QVERIFY_EXCEPTION_THROWN(runCampaign(db(), asked), Error);
}

void CampaignTest::severalWorkersJudgeEachKernelOnce()
{
    std::vector<std::string> candidates;
    for (int i = 0; i < 12; ++i)
        candidates.push_back((i % 4 == 3 ? "die " : "pass ") + std::string(i % 4 == 3 ? "" : std::to_string(i)));
    candidates[7] = "fail 7";
    fill(candidates);
    CampaignOptions asked = options();
    asked.jobs = 3;
    const CampaignResult result = runCampaign(db(), asked);
    QCOMPARE(result.progress.judged, result.progress.selected);
    QCOMPARE(number(db(), "SELECT count(*) FROM verdict"), result.progress.selected);
    QCOMPARE(number(db(), "SELECT count(DISTINCT kernel_id) FROM verdict"), result.progress.selected);
}

void CampaignTest::namedKernelsAreJudgedInTheirOrder()
{
    fill({"pass 1", "fail 2", "pass 3"});
    CampaignOptions asked = options();
    asked.kernels = {3, 99, 1};
    std::vector<std::string> order;
    const CampaignResult result
        = runCampaign(db(), asked, [&](const CampaignProgress&, const std::string& kernel) { order.push_back(kernel); });
    QVERIFY(order == std::vector<std::string>({"3", "1"}));
    QCOMPARE(result.progress.selected, 2);
    asked.kernels = {99};
    QVERIFY_EXCEPTION_THROWN(runCampaign(db(), asked), Error);
}

void CampaignTest::againReplacesAVerdictInItsAudit()
{
    fill({"pass 1", "die", "pass 3"});
    CampaignOptions asked = options();
    asked.resume = true;
    const std::string audit = runCampaign(db(), asked).audit;
    QCOMPARE(outcomes(audit), QByteArray("1 pass, 2 error, 3 pass"));
    db().sqlite().exec("UPDATE verdict SET finding = 'what it said before'");
    asked.again = true;
    asked.kernels = {3};
    const CampaignResult result = runCampaign(db(), asked);
    QCOMPARE(bytes(result.audit), bytes(audit));
    QVERIFY(result.progress.judged == 1 && result.progress.skipped == 0);
    QCOMPARE(outcomes(audit), QByteArray("1 pass, 2 error, 3 pass"));
    QCOMPARE(number(db(), "SELECT group_concat(kernel_id) FROM verdict WHERE finding IS NOT 'what it said before'"), 3);
    QVERIFY(store::unfinishedAudits(db()).empty());
}

void CampaignTest::gatesAreToldBeforeTheVerdict()
{
    const std::string mark = m_folder->path("go").string();
    fill({"wait " + mark, "pass 2"});
    std::vector<std::string> heard;
    CampaignWatch watch;
    watch.begun = [&](std::int64_t auditId, const std::vector<std::int64_t>& kernels) {
        heard.push_back("begun " + std::to_string(kernels.size()));
        // Whoever watches finds a list to show before the first verdict.
        QCOMPARE(number(db(), "SELECT count(*) FROM scope WHERE audit_id = " + std::to_string(auditId)), 1);
    };
    watch.asked = [&](std::int64_t kernel) { heard.push_back("asked " + std::to_string(kernel)); };
    watch.gate = [&](std::int64_t kernel, contract::Gate gate, contract::StripCell cell) {
        heard.push_back(std::to_string(kernel) + " " + std::string(contract::id(gate)) + " " + std::string(contract::name(cell)));
        writeAll(mark, "");
    };
    watch.stored = [&](std::int64_t kernel) {
        heard.push_back("stored " + std::to_string(kernel));
        QCOMPARE(number(db(), "SELECT count(*) FROM verdict WHERE kernel_id = " + std::to_string(kernel)), 1);
    };
    runCampaign(db(), options(), {}, {}, watch);
    QVERIFY(heard == std::vector<std::string>({"begun 2", "asked 1", "1 CMP-01 pass", "stored 1", "asked 2", "stored 2"}));
}

void CampaignTest::whatItWasAskedForOutlivesAStop()
{
    fill({"pass 1", "pass 2", "pass 3", "pass 4"});
    CampaignOptions asked = options();
    asked.kernels = {3, 1, 2};
    std::stop_source stop;
    const CampaignResult stopped = runCampaign(
        db(), asked, [&](const CampaignProgress&, const std::string&) { stop.request_stop(); }, stop.get_token());
    QCOMPARE(bytes(stopped.stopped), QByteArray(kStoppedOnRequest));
    const std::vector<store::UnfinishedAudit> unfinished = store::unfinishedAudits(db());
    QCOMPARE(unfinished.size(), 1U);
    QVERIFY(unfinished[0].kernels == std::vector<std::int64_t>({3, 1, 2}));
    QCOMPARE(unfinished[0].judged, 1);
    QCOMPARE(unfinished[0].seed, 7U);
    QCOMPARE(bytes(unfinished[0].name), bytes(stopped.audit));
    asked.ask.contract = unfinished[0].contract;
    asked.kernels = unfinished[0].kernels;
    asked.resume = true;
    const CampaignResult rest = runCampaign(db(), asked);
    QCOMPARE(bytes(rest.audit), bytes(stopped.audit));
    QVERIFY(rest.progress.judged == 2 && rest.progress.skipped == 1);
    QVERIFY(store::unfinishedAudits(db()).empty());
    QCOMPARE(number(db(), "SELECT count(*) FROM audit WHERE finished_at IS NOT NULL AND origin = 'judged'"), 1);
    // One more kernel of the same kind joins the audit and finishes it again.
    asked.kernels = {4};
    CampaignWatch watch;
    watch.begun = [&](std::int64_t auditId, const std::vector<std::int64_t>&) {
        const std::string id = std::to_string(auditId);
        QCOMPARE(number(db(), "SELECT finished_at IS NULL FROM audit WHERE id = " + id), 1);
        QVERIFY(store::unfinishedAudits(db()).empty()); // this process is at it
        // A process of that number that began at another time is another one.
        db().sqlite().exec("UPDATE meta SET value = replace(value, ' ', ' 1') WHERE key = 'audit/" + id + "/judge'");
        QCOMPARE(store::unfinishedAudits(db()).size(), 1U);
    };
    QCOMPARE(bytes(runCampaign(db(), asked, {}, {}, watch).audit), bytes(stopped.audit));
    QVERIFY(store::unfinishedAudits(db()).empty());
    QCOMPARE(number(db(), "SELECT count(*) FROM meta WHERE key LIKE '%/judge'"), 0);
}

void CampaignTest::stoppedBeforeTheFirstVerdictItLeavesNoAudit()
{
    fill({"wait " + m_folder->path("never").string(), "pass 2"});
    std::stop_source stop;
    CampaignWatch watch;
    watch.asked = [&](std::int64_t) { stop.request_stop(); };
    const CampaignResult result = runCampaign(db(), options(), {}, stop.get_token(), watch);
    QVERIFY(result.audit.empty() && !result.stopped.empty());
    QCOMPARE(number(db(), "SELECT count(*) FROM audit WHERE origin = 'judged'"), 0);
    QCOMPARE(number(db(), "SELECT count(*) FROM scope WHERE audit_id IS NOT NULL"), 0);
    QCOMPARE(number(db(), "SELECT count(*) FROM meta"), 0);
    QCOMPARE(store::scopes(db()).front().kernels, 2);
}

QTEST_GUILESS_MAIN(CampaignTest)
#include "tst_campaign.moc"
