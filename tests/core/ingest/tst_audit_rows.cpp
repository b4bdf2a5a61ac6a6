// SPDX-License-Identifier: Apache-2.0
#include "core/text/error.h"
#include "import_fixture.h"
#include "tests/support/shared_data.h"


using namespace assay;
using tests::auditRow;
using tests::gate;
using tests::ImportFixture;

namespace {

/// One row that never reached the gates.
std::string ungatedRow(int id, const std::string& status, const std::string& error, const std::string& speedup = "1.5")
{
    return R"({"elapsed_s": 1.3, "error": ")" + error + R"(", "final_speedup": )" + speedup + R"(, "id": ")" + std::to_string(id)
        + R"(", "op_class": "norm", "status": ")" + status + "\"}";
}

} // namespace

class AuditRowsTest : public QObject {
    Q_OBJECT

private slots:
    void aRowBecomesAKernelWithAVerdict();
    void gateStatusesBecomeVerdictsWithTheirSeverity();
    void aCudaErrorIsACrashAndOtherErrorsAreNot();
    void reasonsAreStoredVerbatimAndAsNumbers();
    void theLeadingGateSpeaksForTheVerdict();
    void toolchainArtifactsCouldNotBeJudged();
    void statusesBeforeTheGatesHaveTheirOutcome();
    void aliasingCountsInTheFloorAndNotAsAViolation();
    void rowsThatWereNotAcceptedAreOutsideTheDenominator();
    void membersWithoutAColumnAreKeptVerbatim();
    void idsMayBeTextOrIntegers();
    void aNegativeZeroKeepsItsSign();
    void rowsThatAreNoRowsAreRejectedWithAReason_data();
    void rowsThatAreNoRowsAreRejectedWithAReason();
    void theSameIdWithOtherContentIsRejectedAndNamesTheKeptRow();
    void aReferenceThatRaisesMakesTheCheckInapplicable();
    void thePublishedAuditGivesItsPublishedFigures();
    void thePublishedErrorIsKnownRelativeToTheScale();
};

void AuditRowsTest::aRowBecomesAKernelWithAVerdict()
{
    ImportFixture store;
    const auto summary = store.importText(auditRow(179, gate("CMP-01", "pass", "", 2)) + "\n");
    QCOMPARE(summary.format, std::string("audit-rows"));
    QCOMPARE(summary.corpus, std::string("rows"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(store.text("SELECT title FROM kernel"), std::string("scan 64x128"));
    QCOMPARE(store.text("SELECT family FROM kernel"), std::string("scan"));
    QCOMPARE(store.text("SELECT external_id FROM kernel"), std::string("179"));
    QCOMPARE(store.text("SELECT claim FROM kernel"), std::string("1.5"));
    QCOMPARE(store.text("SELECT claim_status FROM kernel"), std::string("accepted"));
    QCOMPARE(store.text("SELECT taxonomy FROM audit"), std::string("published-2026"));
    QCOMPARE(store.text("SELECT name FROM audit"), std::string("rows"));
    QCOMPARE(store.text("SELECT native_shape FROM verdict"), std::string("[64,128]"));
    QCOMPARE(store.text("SELECT outcome FROM verdict"), std::string("pass"));
    QCOMPARE(store.real("SELECT elapsed_seconds FROM verdict"), 9.5);
    QCOMPARE(store.number("SELECT skipped FROM gate_result"), std::int64_t{2});
    QCOMPARE(store.text("SELECT legacy_status FROM gate_result"), std::string("pass"));
    QVERIFY(store.isNull("SELECT extra FROM verdict"));
}

void AuditRowsTest::gateStatusesBecomeVerdictsWithTheirSeverity()
{
    ImportFixture store;
    store.importText(auditRow(1,
                              gate("CMP-01", "fail", "zeros: max_err=1.0 > atol=0.1 (scaled)") + ", " + gate("CMP-03", "na")
                                  + ", " + gate("EXC-01", "fail", "scattered_nan: NaN mask mismatch") + ", "
                                  + gate("ORD-02", "fail", "run 0 and run 1 differ (non-deterministic)") + ", "
                                  + gate("PRC-01", "odd")));
    const auto result = [&store](const char* column, const char* id) {
        return store.text(std::string("SELECT coalesce(") + column + ", '') FROM gate_result WHERE gate = '" + id + "'");
    };
    QCOMPARE(result("verdict", "CMP-01"), std::string("fail"));
    QCOMPARE(result("severity", "CMP-01"), std::string("soft"));
    QCOMPARE(result("verdict", "CMP-03"), std::string("inapplicable"));
    QCOMPARE(result("severity", "EXC-01"), std::string("hard"));
    QCOMPARE(result("severity", "ORD-02"), std::string("hard"));
    QCOMPARE(result("verdict", "PRC-01"), std::string("unknown"));
    QCOMPARE(result("legacy_status", "PRC-01"), std::string("odd"));
    QCOMPARE(store.text("SELECT outcome || ' ' || severity FROM verdict"), std::string("fail hard"));
}

void AuditRowsTest::aCudaErrorIsACrashAndOtherErrorsAreNot()
{
    ImportFixture store;
    store.importText(auditRow(1, gate("CMP-01", "error", "gate crashed: AcceleratorError: CUDA error: misaligned address")) + "\n"
                     + auditRow(2, gate("CMP-01", "error", "gate crashed: OutOfMemoryError: CUDA out of memory.")));
    const std::string of
        = " FROM gate_result g JOIN verdict v ON v.id = g.verdict_id JOIN kernel k ON k.id = v.kernel_id WHERE k.external_id = ";
    // The audit wrote "error": the crash is the kernel's, not a failure of every gate that ran in the dead context after it.
    QCOMPARE(store.text("SELECT g.verdict || ' ' || g.reason_code" + of + "'1'"), std::string("error cuda_error"));
    QCOMPARE(store.text("SELECT g.verdict || ' ' || g.reason_code" + of + "'2'"), std::string("error out_of_memory"));
    QCOMPARE(store.text("SELECT v.outcome || ' ' || coalesce(v.severity, '')" + of + "'1'"), std::string("crash hard"));
    QCOMPARE(store.text("SELECT v.outcome" + of + "'2'"), std::string("pass"));
    QCOMPARE(store.number("SELECT sum(tolerance_free) FROM triage"), std::int64_t{1});
    QCOMPARE(store.number("SELECT sum(any_violation) FROM triage"), std::int64_t{1});
}

void AuditRowsTest::reasonsAreStoredVerbatimAndAsNumbers()
{
    ImportFixture store;
    const std::string reason
        = "random[0]: max_err=1.121e+22 > atol=6.053e+21 (scaled); large_1e6: max_err=nan > atol=4.308e-05 (scaled)";
    store.importText(auditRow(1, gate("CMP-01", "fail", reason)));
    QCOMPARE(store.text("SELECT reason FROM gate_result"), reason);
    QCOMPARE(store.text("SELECT value_class FROM gate_result"), std::string("nan"));
    QCOMPARE(store.number("SELECT count(*) FROM check_result"), std::int64_t{2});
    QCOMPARE(store.real("SELECT value FROM check_result WHERE code = 'random[0]'"), 1.121e22);
    QCOMPARE(store.real("SELECT threshold FROM check_result WHERE stimulus = 'random[0]'"), 6.053e21);
    QCOMPARE(store.text("SELECT metric FROM check_result WHERE code = 'random[0]'"), std::string("max_abs_error"));
}

void AuditRowsTest::theLeadingGateSpeaksForTheVerdict()
{
    ImportFixture store;
    store.importText(auditRow(1,
                              gate("CMP-01", "fail", "zeros: max_err=1.0 > atol=0.1 (scaled)") + ", "
                                  + gate("EXC-01", "fail", "scattered_nan: NaN mask mismatch")));
    QVERIFY(store.text("SELECT finding FROM verdict").starts_with("EXC-01: "));
    QCOMPARE(store.text("SELECT lead_gate FROM triage"), std::string("EXC-01"));
    QCOMPARE(store.text("SELECT lead_reason FROM triage"), std::string("nan_mask"));
}

void AuditRowsTest::toolchainArtifactsCouldNotBeJudged()
{
    ImportFixture store;
    store.importText(ungatedRow(1, "cand_native_fail", "CompilationError: at 1:2") + "\n"
                     + ungatedRow(2, "cand_native_fail", "PTXASError: PTXAS error") + "\n"
                     + ungatedRow(3, "cand_native_fail", "OutOfResources: out of resource: shared memory") + "\n"
                     + ungatedRow(4, "cand_native_fail", "UnsupportedLanguageConstruct(1)") + "\n"
                     + ungatedRow(5, "sandbox_other", "unpickle error: x") + "\n"
                     + ungatedRow(6, "cand_native_fail", "TypeError: no"));
    QCOMPARE(store.number("SELECT count(*) FROM verdict WHERE outcome = 'error'"), std::int64_t{5});
    QCOMPARE(store.number("SELECT sum(audited) FROM triage"), std::int64_t{1});
    QCOMPARE(store.text("SELECT external_id FROM triage WHERE audited AND tolerance_free AND any_violation"), std::string("6"));
}

void AuditRowsTest::statusesBeforeTheGatesHaveTheirOutcome()
{
    ImportFixture store;
    store.importText(ungatedRow(1, "cand_load_fail", "SyntaxError: invalid syntax") + "\n" + ungatedRow(2, "sandbox_timeout", "")
                     + "\n" + ungatedRow(3, "ref_broken", "RuntimeError: x") + "\n"
                     + ungatedRow(4, "not_auditable", "no floating-point tensor input") + "\n" + ungatedRow(5, "postponed", ""));
    const auto outcome = [&store](int id) {
        return store.text("SELECT v.outcome FROM verdict v JOIN kernel k ON k.id = v.kernel_id WHERE k.external_id = '"
                          + std::to_string(id) + "'");
    };
    QCOMPARE(outcome(1), std::string("crash"));
    QCOMPARE(outcome(2), std::string("timeout"));
    QCOMPARE(outcome(3), std::string("inapplicable"));
    QCOMPARE(outcome(4), std::string("inapplicable"));
    QCOMPARE(outcome(5), std::string("unknown"));
    QCOMPARE(store.number("SELECT sum(audited) FROM triage"), std::int64_t{2});
    QCOMPARE(store.text("SELECT finding FROM verdict WHERE status = 'cand_load_fail'"),
             std::string("Fails to load: SyntaxError: invalid syntax"));
    QCOMPARE(store.text("SELECT error FROM verdict WHERE status = 'not_auditable'"),
             std::string("no floating-point tensor input"));
}

void AuditRowsTest::aliasingCountsInTheFloorAndNotAsAViolation()
{
    ImportFixture store;
    std::string row = auditRow(1, gate("CMP-01", "pass"));
    row.replace(row.find("\"output_aliasing\": false"), 24, "\"output_aliasing\": true");
    store.importText(row);
    QCOMPARE(store.number("SELECT tolerance_free FROM triage"), std::int64_t{1});
    QCOMPARE(store.number("SELECT any_violation FROM triage"), std::int64_t{0});
    QCOMPARE(store.text("SELECT outcome FROM triage"), std::string("pass_with_note"));
}

void AuditRowsTest::rowsThatWereNotAcceptedAreOutsideTheDenominator()
{
    ImportFixture store;
    std::string row = auditRow(1, gate("EXC-01", "fail", "scattered_nan: NaN mask mismatch"));
    row.replace(row.find("1.5"), 3, "0.0");
    store.importText(row);
    QCOMPARE(store.number("SELECT accepted + audited + tolerance_free + any_violation FROM triage"), std::int64_t{0});
    QCOMPARE(store.text("SELECT claim_status FROM kernel"), std::string("rejected"));
    QCOMPARE(store.text("SELECT outcome FROM verdict"), std::string("fail"));
}

void AuditRowsTest::membersWithoutAColumnAreKeptVerbatim()
{
    ImportFixture store;
    store.importText(
        R"({"id": 7, "op_class": "scan", "status": "gated", "final_speedup": null, "elapsed_s": 10, "big": 9007199254740993,
)" + std::string(R"("x": 1})")); // a line break inside the row makes two lines: neither is a row
    QCOMPARE(store.number("SELECT count(*) FROM verdict"), std::int64_t{0});
    store.importText(
        R"({"id": 7, "op_class": "scan", "status": "gated", "final_speedup": null, "elapsed_s": 10, "big": 123456789012345678901234567890, )"
        R"("gates": {"CMP-01": {"status": "pass", "reason": "", "skipped": 0}, "NEW-09": {"status": "pass"}, )"
        R"("EXC-01": {"status": "fail", "reason": "", "skipped": 0, "more": [1, 2]}}, "native_shape": "odd"})",
        "b.jsonl");
    QCOMPARE(
        store.text("SELECT extra FROM verdict"),
        std::string(
            R"({"id": 7, "final_speedup": null, "elapsed_s": 10, "big": 123456789012345678901234567890, "native_shape": "odd", )"
            R"("gates": {"NEW-09": {"status": "pass"}, "EXC-01": {"status": "fail", "reason": "", "skipped": 0, "more": [1, 2]}}})"));
    QCOMPARE(store.number("SELECT count(*) FROM gate_result"), std::int64_t{2});
    QCOMPARE(store.text("SELECT finding FROM gate_result WHERE gate = 'EXC-01'"),
             std::string("EXC-01: fails, and the audit gives no reason."));
}

void AuditRowsTest::idsMayBeTextOrIntegers()
{
    ImportFixture store;
    const std::string rest = R"(, "op_class": "scan", "status": "gated", "final_speedup": 1.5})";
    const auto summary = store.importText(R"({"id": 9007199254740993)" + rest + "\n" + R"({"id": "a b")" + rest + "\n"
                                          + R"({"id": 123456789012345678901)" + rest + "\n");
    QCOMPARE(summary.totals.kept, std::int64_t{3});
    QCOMPARE(
        store.number("SELECT count(*) FROM kernel WHERE external_id IN ('9007199254740993', 'a b', '123456789012345678901')"),
        std::int64_t{3});
}

void AuditRowsTest::aNegativeZeroKeepsItsSign()
{
    ImportFixture store;
    store.importText(R"({"id": "1", "op_class": "scan", "status": "gated", "final_speedup": -0.0, "elapsed_s": 0.0})");
    QCOMPARE(store.text("SELECT extra FROM verdict"), std::string(R"({"final_speedup": -0.0})"));
}

void AuditRowsTest::rowsThatAreNoRowsAreRejectedWithAReason_data()
{
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* text, const char* reason) {
        QTest::newRow(reason) << QString::fromUtf8(text) << QString::fromUtf8(reason);
    };
    row(R"({"op_class": "scan", "status": "gated"})", "\"id\" is missing");
    row(R"({"id": "1", "op_class": "scan"})", "\"status\" is missing");
    row(R"({"id": [1], "status": "gated"})", "\"id\" is neither text nor an integer");
    row(R"({"id": 1.5, "status": "gated"})", "\"id\" is neither text nor an integer");
    row(R"({"id": "1", "status": "gated", "id": "2"})", "the member \"id\" appears twice");
    row(R"({"id": "1", "status": "gated", "gates": {"CMP-01": {"status": "pass"}, "CMP-01": {"status": "fail"}}})",
        "the gate CMP-01 appears twice");
}

void AuditRowsTest::rowsThatAreNoRowsAreRejectedWithAReason()
{
    QFETCH(QString, row);
    QFETCH(QString, reason);
    ImportFixture store;
    const auto summary = store.importText(auditRow(1) + "\n" + row.toStdString() + "\n" + auditRow(2) + "\n");
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QCOMPARE(summary.totals.rejections.size(), std::size_t{1});
    QCOMPARE(summary.totals.rejections[0].line, std::int64_t{2});
    QCOMPARE(summary.totals.rejections[0].byte, static_cast<std::int64_t>(auditRow(1).size() + 1));
    QVERIFY2(QString::fromStdString(summary.totals.rejections[0].reason).contains(reason),
             summary.totals.rejections[0].reason.c_str());
}

void AuditRowsTest::theSameIdWithOtherContentIsRejectedAndNamesTheKeptRow()
{
    ImportFixture store;
    const std::string other = auditRow(5, gate("CMP-01", "fail", "zeros: max_err=1.0 > atol=0.1 (scaled)"));
    const auto summary = store.importText(auditRow(5) + "\n" + auditRow(5) + "\n" + other + "\n");
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(summary.totals.alreadyPresent, std::int64_t{1});
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    QCOMPARE(summary.totals.rejections[0].line, std::int64_t{3});
    QVERIFY(summary.totals.rejections[0].reason.find("line 1") != std::string::npos);
}

void AuditRowsTest::aReferenceThatRaisesMakesTheCheckInapplicable()
{
    ImportFixture store;
    store.importText(auditRow(
        1,
        gate("CMP-03", "fail",
             "shape=(2, 4): exception \\u2014 [ref-inapplicable] RuntimeError: sizes; shape=(4, 8): max_err=1.0 > atol=0.1")));
    QCOMPARE(store.text("SELECT verdict FROM check_result WHERE code = 'shape=(2, 4)'"), std::string("inapplicable"));
    QCOMPARE(store.text("SELECT verdict FROM check_result WHERE code = 'shape=(4, 8)'"), std::string("fail"));
    QCOMPARE(store.text("SELECT reason_code FROM gate_result"), std::string("value"));
}

void AuditRowsTest::thePublishedAuditGivesItsPublishedFigures()
{
    ASSAY_REQUIRE_SHARED(shared);
    ImportFixture store;
    const std::filesystem::path file = (shared + QStringLiteral("/corpora/published-audit/audit_rows.jsonl.gz")).toStdString();
    const auto summary = store.import(file);
    QCOMPARE(summary.corpus, std::string("audit_rows"));
    QCOMPARE(summary.totals.rows, std::int64_t{3134});
    QCOMPARE(summary.totals.kept, std::int64_t{3134});
    QCOMPARE(store.number("SELECT count(*) FROM verdict WHERE extra IS NOT NULL"), std::int64_t{0});
    QCOMPARE(store.number("SELECT sum(accepted) FROM triage"), std::int64_t{2970});
    QCOMPARE(store.number("SELECT sum(audited) FROM triage"), std::int64_t{2638});
    QCOMPARE(store.number("SELECT sum(audited AND tolerance_free) FROM triage"), std::int64_t{1043});
    QCOMPARE(store.number("SELECT sum(audited AND any_violation) FROM triage"), std::int64_t{1639});

    const auto family = [&store](const std::string& name) {
        return store.text(
            "SELECT sum(audited) || '/' || sum(audited AND tolerance_free) || '/' || sum(audited AND any_violation) FROM triage "
            "WHERE family = '"
            + name + "'");
    };
    QCOMPARE(family("reduction"), std::string("758/448/544"));
    QCOMPARE(family("matmul"), std::string("751/257/471"));
    QCOMPARE(family("softmax"), std::string("390/102/185"));
    QCOMPARE(family("norm"), std::string("352/122/228"));
    QCOMPARE(family("conv"), std::string("239/74/133"));
    QCOMPARE(family("scan"), std::string("140/38/71"));
    QCOMPARE(family("attention"), std::string("8/2/7"));

    const auto failures = [&store](const std::string& id) {
        return store.number("SELECT count(*) FROM gate_result g JOIN triage t ON t.verdict_id = g.verdict_id "
                            "WHERE t.audited AND g.verdict = 'fail' AND g.gate = '"
                            + id + "'");
    };
    QCOMPARE(failures("CMP-01"), std::int64_t{608});
    QCOMPARE(failures("CMP-03"), std::int64_t{420});
    QCOMPARE(failures("ORD-01"), std::int64_t{351});
    QCOMPARE(failures("ORD-02"), std::int64_t{126});
    QCOMPARE(failures("ORD-03"), std::int64_t{136});
    QCOMPARE(failures("PRC-01"), std::int64_t{287});
    QCOMPARE(failures("PRC-02"), std::int64_t{352});
    QCOMPARE(failures("EXC-01"), std::int64_t{868});
    QCOMPARE(failures("EXC-02"), std::int64_t{238});
    QCOMPARE(failures("RES-01"), std::int64_t{45});
    QCOMPARE(store.number("SELECT count(*) FROM gate_result g JOIN triage t ON t.verdict_id = g.verdict_id "
                          "WHERE t.audited AND g.gate = 'CMP-03' AND g.verdict = 'inapplicable'"),
             std::int64_t{243});

    // Every reason of the real data has a known form and every failure a finding.
    QCOMPARE(store.number("SELECT count(*) FROM check_result WHERE reason_code = 'unparsed'"), std::int64_t{0});
    QCOMPARE(store.number("SELECT count(*) FROM gate_result WHERE verdict IN ('fail', 'crash') AND finding IS NULL"),
             std::int64_t{0});
    QCOMPARE(store.number("SELECT count(*) FROM check_result WHERE reason_code = 'value' AND value_class IS NULL"),
             std::int64_t{0});

    const auto again = store.import(file);
    QCOMPARE(again.totals.rows, std::int64_t{3134});
    QCOMPARE(again.totals.alreadyPresent, std::int64_t{3134});
    QCOMPARE(store.number("SELECT count(*) FROM verdict"), std::int64_t{3134});
}

void AuditRowsTest::thePublishedErrorIsKnownRelativeToTheScale()
{
    ASSAY_REQUIRE_SHARED(shared);
    ImportFixture store;
    store.import((shared + QStringLiteral("/corpora/published-audit/audit_rows.jsonl.gz")).toStdString());
    const std::string of179 = " FROM gate_result g JOIN verdict v ON v.id = g.verdict_id JOIN kernel k ON k.id = v.kernel_id "
                              "WHERE k.external_id = '179' AND g.gate = 'CMP-01'";
    QCOMPARE(store.real("SELECT g.value" + of179), 1.121e22);
    QVERIFY(std::abs(store.real("SELECT g.relative" + of179) - 7.98e-5) < 0.005e-5);
    QCOMPARE(store.text("SELECT v.finding" + of179),
             std::string("CMP-01: off by 1.1e+22 on random[0], 8.0e-5 of the output's scale, 1.9 times the allowed 6.1e+21."));
}

QTEST_APPLESS_MAIN(AuditRowsTest)
#include "tst_audit_rows.moc"
