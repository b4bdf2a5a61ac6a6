// SPDX-License-Identifier: Apache-2.0
#include "core/store/maintenance.h"
#include "core/store/sample_channel.h"
#include "core/store/sample_label.h"
#include "core/store/sample_plan.h"
#include "core/store/triage.h"
#include "store_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <algorithm>
#include <set>
#include <stop_token>
#include <thread>

using namespace assay;
using namespace assay::store;
using namespace assay::tests;
using contract::Gate;
using contract::Severity;
using contract::Verdict;

/// Plans, draws and labels in the database.
class SampleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void channelsFollowThePublishedOrder();
    void aFrameHasItsStrataAndSizes();
    void theDrawKnowsKernelsByWhatTheyAre();
    void theDrawIsTheSameOnEveryMachine();
    void drawingTwiceDrawsNothingMore();
    void anExtensionKeepsWhatWasDrawn();
    void aFrameThatChangedIsNotDrawnFrom();
    void aCancelledPreviewLeavesNoTransaction();
    void aPlanNeedsANameAndAFrame();
    void labelsOfOneBeforeAnotherPlanSetTheSpread();
    void aSeverityIsOfAConfirmedDefectAlone();
    void aLabelIsTakenBackByARowOfItsOwn();
    void labelsCannotBeChangedOrDeleted();
    void reviewersThatDifferWaitForAnAdjudication();
    void aRevealIsRemembered();
    void labelsNeedAReviewerAndACode();
    void twoReviewersAtOnceLoseNothing();
    void aMergeBringsLabelsAndTheirUndos();

private:
    static std::vector<ImportedItem> rows(bool reversed = false);
};

namespace {

Database& fill(Database& database, std::vector<ImportedItem> items)
{
    import(database, std::move(items));
    return database;
}

PlanRequest request(const std::string& name = "plan", std::int64_t size = 20)
{
    PlanRequest request;
    request.name = name;
    request.scopeId = 1;
    request.by = {StratifyBy::Channel};
    request.size = size;
    request.seed = 20260422;
    return request;
}

std::vector<std::string> ids(Database& database, std::int64_t plan)
{
    std::vector<std::string> found;
    for (const SampleItem& item : sampleItems(database, plan))
        found.push_back(item.externalId);
    return found;
}

std::string joined(const std::vector<std::string>& texts)
{
    std::string out;
    for (const std::string& text : texts)
        out += (out.empty() ? "" : " ") + text;
    return out;
}

QByteArray sizes(const SamplePlan& plan)
{
    std::string out;
    for (const PlanStratum& stratum : plan.strata)
        out += (out.empty() ? "" : ", ") + stratum.name + " " + std::to_string(stratum.drawn) + "/"
            + std::to_string(stratum.allocated) + "/" + std::to_string(stratum.population);
    return bytes(out);
}

NewLabel labelOf(std::int64_t item, AuditLabel label, const std::string& reviewer = "ada")
{
    NewLabel one;
    one.itemId = item;
    one.label = label;
    one.reviewer = reviewer;
    return one;
}

QByteArray problemOf(const std::function<void()>& work)
{
    try {
        work();
    } catch (const Error& error) {
        return error.problem().c_str();
    }
    return "nothing failed";
}

/// A plan over the rows of SampleTest with everything drawn.
struct DrawnPlan {
    Folder folder;
    std::unique_ptr<Database> database = folder.open();
    SamplePlan plan;
    std::vector<SampleItem> items;

    explicit DrawnPlan(std::vector<ImportedItem> rows)
    {
        import(*database, std::move(rows));
        plan = drawSample(*database, createPlan(*database, request()).id);
        items = sampleItems(*database, plan.id);
    }
};

} // namespace

/// 60 fail EXC-01, 30 CMP-01, 3 ORD-02 and CMP-01, 7 nothing.
std::vector<ImportedItem> SampleTest::rows(bool reversed)
{
    std::vector<ImportedItem> items;
    for (int i = 0; i < 100; ++i) {
        std::vector<GateRecord> gates = {gate(Gate::Exc01, Verdict::Pass), gate(Gate::Cmp01, Verdict::Pass)};
        if (i < 60)
            gates[0] = gate(Gate::Exc01, Verdict::Fail, Severity::Hard, "nan_mask");
        else if (i < 93)
            gates[1] = gate(Gate::Cmp01, Verdict::Fail, Severity::Soft, "value");
        if (i >= 90 && i < 93)
            gates.push_back(gate(Gate::Ord02, Verdict::Fail, Severity::Hard, "differs_between_runs"));
        items.push_back(resultRow("k" + std::to_string(i), verdict(std::move(gates))));
    }
    if (reversed)
        std::reverse(items.begin(), items.end());
    return items;
}

void SampleTest::channelsFollowThePublishedOrder()
{
    contract::GateStrip strip;
    QCOMPARE(bytes(std::string(primaryChannel({strip, "pass", false}))), QByteArray("none"));
    QCOMPARE(bytes(std::string(primaryChannel({strip, "timeout", false}))), QByteArray("pre_gate"));
    strip.set(Gate::Res02, contract::StripCell::FailSoft);
    QCOMPARE(bytes(std::string(primaryChannel({strip, "fail_soft", false}))), QByteArray("RES-02"));
    strip.set(Gate::Prc02, contract::StripCell::FailSoft);
    strip.set(Gate::Cmp01, contract::StripCell::FailSoft);
    QCOMPARE(bytes(std::string(primaryChannel({strip, "fail_soft", false}))), QByteArray("CMP-01"));
    QCOMPARE(bytes(std::string(primaryChannel({strip, "crash", false}))), QByteArray("crash"));
    QCOMPARE(bytes(std::string(primaryChannel({strip, "crash", true}))), QByteArray("aliasing"));
    strip.set(Gate::Cmp03, contract::StripCell::FailSoft);
    QCOMPARE(bytes(std::string(primaryChannel({strip, "crash", true}))), QByteArray("CMP-03"));
    strip.set(Gate::Ord02, contract::StripCell::FailHard);
    QCOMPARE(bytes(std::string(primaryChannel({strip, "crash", true}))), QByteArray("ORD-02"));
    strip.set(Gate::Exc01, contract::StripCell::FailHard);
    QCOMPARE(bytes(std::string(primaryChannel({strip, "crash", true}))), QByteArray("EXC-01"));
}

void SampleTest::aFrameHasItsStrataAndSizes()
{
    const Folder folder;
    const auto database = folder.open();
    fill(*database, rows());
    // 17 of 20 are left after the census of three: 17 * N / 97 = 10.5, 5.3, 1.2 (two at least), so 15 over the larger two.
    const SamplePlan preview = previewPlan(*database, request());
    QCOMPARE(sizes(preview), QByteArray("CMP-01 0/5/30, EXC-01 0/10/60, ORD-02 0/3/3, none 0/2/7"));
    QCOMPARE(preview.frame, 100);
    QCOMPARE(preview.frameHash.size(), 64U);
    QCOMPARE(number(*database, "SELECT count(*) FROM sample_plan"), 0);

    PlanRequest crossed = request();
    crossed.filter = "gate:CMP-01";
    crossed.by = {StratifyBy::FailSet, StratifyBy::Family};
    const SamplePlan narrow = previewPlan(*database, crossed);
    QCOMPARE(sizes(narrow), QByteArray("CMP-01 / scan 0/17/30, CMP-01,ORD-02 / scan 0/3/3"));
    QVERIFY(narrow.frameSql.find("SELECT") == 0);
    QVERIFY(narrow.frameSql.find('?') == std::string::npos);
    QVERIFY(narrow.frameHash != preview.frameHash);
}

void SampleTest::theDrawKnowsKernelsByWhatTheyAre()
{
    const Folder folder;
    const auto one = folder.open("one.db");
    const auto other = folder.open("other.db");
    fill(*one, rows());
    fill(*other, rows(true)); // the same kernels under other row ids
    QVERIFY(number(*one, "SELECT id FROM kernel WHERE external_id = 'k0'")
            != number(*other, "SELECT id FROM kernel WHERE external_id = 'k0'"));
    const SamplePlan here = drawSample(*one, createPlan(*one, request()).id);
    const SamplePlan there = drawSample(*other, createPlan(*other, request()).id);
    QCOMPARE(bytes(here.frameHash), bytes(there.frameHash));
    QCOMPARE(bytes(joined(ids(*one, here.id))), bytes(joined(ids(*other, there.id))));
    QCOMPARE(bytes(sampleItems(*one, here.id)[0].identity), bytes("corpus/" + ids(*one, here.id)[0]));

    // With both sources known, corpus and id do not matter any more.
    const auto sourced = folder.open("sourced.db");
    const auto renamed = folder.open("renamed.db");
    const auto items = [](const std::string& prefix) {
        std::vector<ImportedItem> all;
        for (int i = 0; i < 30; ++i)
            all.push_back(sourceRow(prefix + std::to_string(i), "candidate " + std::to_string(i), "reference"));
        return all;
    };
    import(*sourced, items("a"));
    import(*renamed, items("b"), "audit", "another corpus");
    PlanRequest plain = request("plan", 8);
    const SamplePlan first = drawSample(*sourced, createPlan(*sourced, plain).id);
    const SamplePlan second = drawSample(*renamed, createPlan(*renamed, plain).id);
    QCOMPARE(bytes(first.frameHash), bytes(second.frameHash));
    const auto a = sampleItems(*sourced, first.id);
    const auto b = sampleItems(*renamed, second.id);
    QCOMPARE(a.size(), 8U);
    QCOMPARE(a[0].identity.size(), 129U);
    for (std::size_t i = 0; i < a.size(); ++i) {
        QCOMPARE(bytes(a[i].identity), bytes(b[i].identity));
        QCOMPARE(bytes(a[i].externalId.substr(1)), bytes(b[i].externalId.substr(1)));
    }
}

void SampleTest::theDrawIsTheSameOnEveryMachine()
{
    const DrawnPlan drawn(rows());
    // Computed apart from this code, with hashlib and a Philox in Python.
    QCOMPARE(bytes(drawn.plan.frameHash), QByteArray("c8b4a7f6a1f12cffe3f2a88144a0b3afbced8194edd34ee0fb87d05349d4454f"));
    QCOMPARE(bytes(joined(ids(*drawn.database, drawn.plan.id))),
             QByteArray("k92 k27 k15 k1 k97 k90 k45 k26 k11 k87 k18 k9 k31 k53 k70 k98 k61 k89 k75 k91"));
}

void SampleTest::drawingTwiceDrawsNothingMore()
{
    const DrawnPlan drawn(rows());
    QCOMPARE(drawn.plan.drawn(), 20);
    QCOMPARE(drawSample(*drawn.database, drawn.plan.id).drawn(), 20);
    QCOMPARE(number(*drawn.database, "SELECT count(*) FROM sample_item"), 20);
}

void SampleTest::anExtensionKeepsWhatWasDrawn()
{
    const DrawnPlan drawn(rows());
    const std::vector<std::string> before = ids(*drawn.database, drawn.plan.id);
    const SamplePlan more = drawSample(*drawn.database, drawn.plan.id, 20);
    QCOMPARE(sizes(more), QByteArray("CMP-01 11/5/30, EXC-01 23/10/60, ORD-02 3/3/3, none 3/2/7"));
    const std::vector<std::string> after = ids(*drawn.database, drawn.plan.id);
    QVERIFY(std::equal(before.begin(), before.end(), after.begin()));
    QCOMPARE(sampleItems(*drawn.database, drawn.plan.id).back().draw, 2);

    // One plan of forty draws the same kernels as twenty and twenty more.
    const SamplePlan large = drawSample(*drawn.database, createPlan(*drawn.database, request("large", 40)).id);
    const std::vector<std::string> atOnce = ids(*drawn.database, large.id);
    QVERIFY(std::set<std::string>(atOnce.begin(), atOnce.end()) == std::set<std::string>(after.begin(), after.end()));
}

void SampleTest::aFrameThatChangedIsNotDrawnFrom()
{
    const Folder folder;
    const auto database = folder.open();
    fill(*database, rows());
    const SamplePlan plan = createPlan(*database, request());
    import(*database, {resultRow("late", verdict())}, "audit", "corpus", "second file");
    QVERIFY(problemOf([&] { drawSample(*database, plan.id); }).contains("100 kernels when the plan was made, 101"));
    QCOMPARE(number(*database, "SELECT count(*) FROM sample_item"), 0);
}

void SampleTest::aCancelledPreviewLeavesNoTransaction()
{
    const Folder folder;
    const auto database = folder.open();
    fill(*database, rows());
    std::stop_source stop;
    {
        const InterruptOnStop interrupt(*database, stop.get_token());
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN(previewPlan(*database, request()), Cancelled);
    }
    QVERIFY(sqlite3_get_autocommit(database->sqlite().getHandle()) != 0);
    QCOMPARE(previewPlan(*database, request()).frame, 100);
}

void SampleTest::aPlanNeedsANameAndAFrame()
{
    const Folder folder;
    const auto database = folder.open();
    fill(*database, rows());
    QCOMPARE(problemOf([&] { createPlan(*database, request(" ")); }), QByteArray("the plan has no name"));
    QCOMPARE(problemOf([&] { createPlan(*database, request("p", 0)); }), QByteArray("the sample has no size"));
    PlanRequest nothing = request();
    nothing.filter = "family:none-such";
    QCOMPARE(problemOf([&] { createPlan(*database, nothing); }), QByteArray("no kernel matches the frame's filter"));
    createPlan(*database, request());
    QCOMPARE(problemOf([&] { createPlan(*database, request()); }), QByteArray("a plan is called \"plan\" already"));
    QVERIFY(problemOf([&] { findPlan(*database, "other"); }).contains("other"));
    QCOMPARE(bytes(findPlan(*database, "").name), QByteArray("plan"));
    QCOMPARE(findPlan(*database, "plan").seed, 20260422U);
    QVERIFY(findPlan(*database, "plan").by == std::vector{StratifyBy::Channel});
}

void SampleTest::labelsOfOneBeforeAnotherPlanSetTheSpread()
{
    DrawnPlan drawn(rows());
    // Every EXC-01 is a defect, CMP-01 is half and half: Neyman turns to CMP-01.
    int others = 0;
    for (const SampleItem& item : drawn.items) {
        const bool isDefect = item.stratum == "EXC-01" || ++others % 2 == 0;
        addLabel(*drawn.database, labelOf(item.id, isDefect ? AuditLabel::Confirmed : AuditLabel::FalsePositive));
    }
    PlanRequest next = request("next", 40);
    next.rule = sampling::AllocationRule::Neyman;
    const SamplePlan blank = previewPlan(*drawn.database, next);
    next.prior = "plan";
    const SamplePlan informed = previewPlan(*drawn.database, next);
    QCOMPARE(sizes(blank), QByteArray("CMP-01 0/11/30, EXC-01 0/23/60, ORD-02 0/3/3, none 0/3/7"));
    QVERIFY(informed.strata[0].allocated > 15);
    QVERIFY(informed.strata[1].allocated < 20);
    QCOMPARE(informed.allocated(), 40);
}

void SampleTest::aSeverityIsOfAConfirmedDefectAlone()
{
    DrawnPlan drawn(rows());
    Database& database = *drawn.database;
    const std::int64_t item = drawn.items[0].id;
    const auto weighed = [&](AuditLabel label, DefectSeverity severity, const std::string& reviewer = "ada") {
        NewLabel row = labelOf(item, label, reviewer);
        row.severity = severity;
        addLabel(database, row);
    };
    QCOMPARE(problemOf([&] { weighed(AuditLabel::Ambiguous, DefectSeverity::Minor); }),
             QByteArray("only a confirmed defect has a severity"));
    QVERIFY(labelHistory(database, drawn.plan.id).empty());
    weighed(AuditLabel::Confirmed, DefectSeverity::Minor);
    QVERIFY(finalLabels(database, drawn.plan.id)[item].severity == DefectSeverity::Minor);
    addLabel(database, labelOf(item, AuditLabel::Confirmed, "bob"));
    QVERIFY(finalLabels(database, drawn.plan.id)[item].severity == DefectSeverity::Minor);
    weighed(AuditLabel::Confirmed, DefectSeverity::Critical, "bob"); // the graver one
    QVERIFY(finalLabels(database, drawn.plan.id)[item].severity == DefectSeverity::Critical);
    addLabel(database, labelOf(item, AuditLabel::Ambiguous, "bob"));
    QVERIFY(!finalLabels(database, drawn.plan.id)[item].severity);
    QVERIFY(labelHistory(database, drawn.plan.id)[0].severity == DefectSeverity::Minor);
}

void SampleTest::aLabelIsTakenBackByARowOfItsOwn()
{
    DrawnPlan drawn(rows());
    Database& database = *drawn.database;
    const std::int64_t item = drawn.items[0].id;
    addLabel(database, labelOf(item, AuditLabel::FalsePositive));
    addLabel(database, labelOf(item, AuditLabel::Confirmed));
    QVERIFY(*finalLabels(database, drawn.plan.id)[item].label == AuditLabel::Confirmed);
    const auto undone = undoLabel(database, drawn.plan.id, "ada");
    QVERIFY(undone && *undone->label == AuditLabel::Confirmed);
    QVERIFY(*finalLabels(database, drawn.plan.id)[item].label == AuditLabel::FalsePositive);
    QVERIFY(!undoLabel(database, drawn.plan.id, "bob"));
    QVERIFY(undoLabel(database, drawn.plan.id, "ada"));
    QVERIFY(!finalLabels(database, drawn.plan.id).contains(item));
    QVERIFY(!undoLabel(database, drawn.plan.id, "ada"));
    const auto history = labelHistory(database, drawn.plan.id);
    QCOMPARE(history.size(), 4U);
    QCOMPARE(history[2].undoes, history[1].id);
}

void SampleTest::labelsCannotBeChangedOrDeleted()
{
    DrawnPlan drawn(rows());
    addLabel(*drawn.database, labelOf(drawn.items[0].id, AuditLabel::Confirmed));
    SQLite::Database& sqlite = drawn.database->sqlite();
    for (const char* sql : {"DELETE FROM label", "UPDATE label SET label = 'false_positive'", "UPDATE label SET reviewer = 'bob'",
                            "UPDATE label SET created_at = 'then'", "UPDATE label SET undoes = id"})
        QVERIFY_EXCEPTION_THROWN(sqlite.exec(sql), SQLite::Exception);
    QCOMPARE(text(*drawn.database, "SELECT label || reviewer FROM label"), QByteArray("confirmedada"));
}

void SampleTest::reviewersThatDifferWaitForAnAdjudication()
{
    DrawnPlan drawn(rows());
    Database& database = *drawn.database;
    const std::int64_t item = drawn.items[0].id;
    addLabel(database, labelOf(item, AuditLabel::Confirmed, "ada"));
    addLabel(database, labelOf(item, AuditLabel::Ambiguous, "bob"));
    FinalLabel final = finalLabels(database, drawn.plan.id)[item];
    QVERIFY(!final.label);
    QCOMPARE(final.reviewers, 2);
    NewLabel decision = labelOf(item, AuditLabel::Confirmed, "cy");
    decision.kind = LabelKind::Adjudication;
    decision.note = "the contract names NaN";
    addLabel(database, decision);
    final = finalLabels(database, drawn.plan.id)[item];
    QVERIFY(final.adjudicated && *final.label == AuditLabel::Confirmed);
    QCOMPARE(final.reviewers, 2);
    undoLabel(database, drawn.plan.id, "cy");
    QVERIFY(!finalLabels(database, drawn.plan.id)[item].label);
    addLabel(database, labelOf(item, AuditLabel::Confirmed, "bob")); // bob thinks again
    QVERIFY(*finalLabels(database, drawn.plan.id)[item].label == AuditLabel::Confirmed);
}

void SampleTest::aRevealIsRemembered()
{
    DrawnPlan drawn(rows());
    Database& database = *drawn.database;
    const std::int64_t item = drawn.items[0].id;
    addLabel(database, labelOf(item, AuditLabel::Confirmed, "ada"));
    recordReveal(database, item, "ada");
    recordReveal(database, item, "ada");
    addLabel(database, labelOf(item, AuditLabel::Confirmed, "ada"));
    addLabel(database, labelOf(item, AuditLabel::Confirmed, "bob")); // another's look is not his
    QCOMPARE(text(database, "SELECT group_concat(kind || blinded, ' ') FROM label"), QByteArray("label1 reveal0 label0 label1"));
}

void SampleTest::labelsNeedAReviewerAndACode()
{
    DrawnPlan drawn(rows());
    NewLabel label = labelOf(drawn.items[0].id, AuditLabel::Confirmed, " ");
    QCOMPARE(problemOf([&] { addLabel(*drawn.database, label); }), QByteArray("the reviewer has no name"));
    label.reviewer = "ada";
    label.reason = "It swallows NaN";
    QVERIFY(problemOf([&] { addLabel(*drawn.database, label); }).startsWith("a reason is a code"));
    label.reason = "own-code_7";
    label.evidence = {"https://example.org/1", "shot.png"};
    label.note = "line 12";
    addLabel(*drawn.database, label);
    const auto codes = reasonCodes(*drawn.database);
    QCOMPARE(bytes(codes.back()), QByteArray("own-code_7"));
    QCOMPARE(bytes(codes.front()), QByteArray("nan_swallowed"));
    const LabelRow row = labelHistory(*drawn.database, drawn.plan.id).front();
    QVERIFY(row.evidence == label.evidence);
    QCOMPARE(bytes(row.note), QByteArray("line 12"));
    label.itemId = 999;
    QCOMPARE(problemOf([&] { addLabel(*drawn.database, label); }), QByteArray("there is no such kernel in a sample"));
}

void SampleTest::twoReviewersAtOnceLoseNothing()
{
    DrawnPlan drawn(rows());
    constexpr int kRounds = 10;
    const auto review = [&](const std::string& reviewer) {
        const auto database = drawn.folder.open();
        for (int round = 0; round < kRounds; ++round) {
            for (const SampleItem& item : drawn.items)
                addLabel(*database, labelOf(item.id, AuditLabel::Confirmed, reviewer));
        }
    };
    std::thread ada(review, "ada");
    std::thread bob(review, "bob");
    ada.join();
    bob.join();
    QCOMPARE(number(*drawn.database, "SELECT count(*) FROM label WHERE reviewer = 'ada'"), 200);
    QCOMPARE(number(*drawn.database, "SELECT count(*) FROM label WHERE reviewer = 'bob'"), 200);
    const auto finals = finalLabels(*drawn.database, drawn.plan.id);
    QCOMPARE(finals.size(), 20U);
    QVERIFY(std::ranges::all_of(finals, [](const auto& entry) { return entry.second.label && entry.second.reviewers == 2; }));
}

void SampleTest::aMergeBringsLabelsAndTheirUndos()
{
    DrawnPlan drawn(rows());
    Database& here = *drawn.database;
    drawn.database->sqlite().exec("PRAGMA wal_checkpoint(TRUNCATE)");
    std::filesystem::copy_file(drawn.folder.path(), drawn.folder.path("there.db"));
    {
        const auto there = drawn.folder.open("there.db");
        addLabel(*there, labelOf(drawn.items[0].id, AuditLabel::Confirmed, "bob"));
        addLabel(*there, labelOf(drawn.items[1].id, AuditLabel::FalsePositive, "bob"));
        undoLabel(*there, drawn.plan.id, "bob");
    }
    addLabel(here, labelOf(drawn.items[0].id, AuditLabel::Confirmed, "ada"));
    QCOMPARE(mergeDatabase(here, drawn.folder.path("there.db"), {}).labels, 3);
    QCOMPARE(mergeDatabase(here, drawn.folder.path("there.db"), {}).labels, 0);
    const auto finals = finalLabels(here, drawn.plan.id);
    QCOMPARE(finals.size(), 1U);
    QCOMPARE(finals.at(drawn.items[0].id).reviewers, 2);
    QCOMPARE(number(here, "SELECT count(*) FROM sample_plan"), 1);
}

QTEST_APPLESS_MAIN(SampleTest)
#include "tst_sample.moc"
