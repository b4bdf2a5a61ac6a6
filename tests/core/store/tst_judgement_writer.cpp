// SPDX-License-Identifier: Apache-2.0
#include "core/store/artifact_store.h"
#include "core/store/gdn_run.h"
#include "core/store/judgement_reader.h"
#include "core/store/judgement_writer.h"
#include "core/store/kernel_details.h"
#include "core/store/maintenance.h"
#include "core/store/threshold_words.h"
#include "core/store/triage.h"
#include "core/text/sha256.h"

// After the others: Qt's keywords are macros, and a member of SizeChoice is called slots.
#include "tests/core/store/store_fixture.h"

#include <limits>

using namespace assay;
using namespace assay::store;
using namespace assay::tests;
using contract::Gate;
using contract::Severity;
using contract::Verdict;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

contract::GateResult& gateOf(contract::Judgement& judgement, Gate gate)
{
    return judgement.gates[static_cast<std::size_t>(contract::indexOf(gate))];
}

contract::CheckResult check(std::string code, Verdict verdict, Severity severity, double value)
{
    contract::CheckResult check;
    check.code = std::move(code);
    check.verdict = verdict;
    check.severity = severity;
    check.metric = "error over bound";
    check.value = tensor::measured(value);
    check.threshold = tensor::measured(1);
    check.stimulus = {"1e3 N(0,1)", R"({"regime":"wide"})", "5ha", 7, nullptr};
    return check;
}

/// CMP-01 fails hard with an infinite error, EXC-01 passes, the others were not asked.
JudgedKernel failing()
{
    JudgedKernel judged;
    contract::Judgement& judgement = judged.judgement;
    for (const Gate gate : contract::kAllGates)
        gateOf(judgement, gate).gate = gate;
    judgement.verdict = Verdict::Fail;
    judgement.hardFailed = true;
    judgement.reason = "Element [1] is infinitely far off.";
    judgement.alignment = "seed";
    judgement.seconds = 2.5;
    judgement.flags.push_back({"signed_zero", Gate::Exc01, "A zero has another sign."});
    contract::GateResult& gate = gateOf(judgement, Gate::Cmp01);
    gate.verdict = Verdict::Fail;
    gate.severity = Severity::Hard;
    gate.exercised = 2;
    gate.total = 3;
    gate.finding = judgement.reason;
    gate.reason = "bound";
    gate.power = "3 regimes";
    gate.checks.push_back(check("CMP-01.normal", Verdict::Pass, Severity::None, 0.25));
    gate.checks.push_back(check("CMP-01.wide", Verdict::Fail, Severity::Hard, kInfinity));
    gate.checks.back().reason = "bound";
    gate.checks.back().sentence = judgement.reason;
    gate.checks.back().evidence.emplace();
    gate.checks.back().evidence->outputPath = "0";
    gate.checks.back().evidence->worstIndex = {1, 2};
    gateOf(judgement, Gate::Exc01).verdict = Verdict::Pass;
    gateOf(judgement, Gate::Exc01).exercised = 1;
    gateOf(judgement, Gate::Exc01).total = 1;
    judged.isolation = {"the network can be reached"};
    judged.baselines.push_back({"kb-paper", "pass", R"({"passed":5,"total":5})", ""});
    judged.artifacts.push_back({"CMP-01", 1, "input", "0", "float32", {1000, 2}, {1, 1000}, std::string(8000, '\0')});
    judged.artifacts.push_back({"CMP-01", 1, "call", "call", "", {}, {}, R"({"cast":""})"});
    return judged;
}

JudgedKernel passing()
{
    JudgedKernel judged = failing();
    judged.judgement.verdict = Verdict::Pass;
    judged.judgement.hardFailed = false;
    judged.judgement.reason.clear();
    judged.artifacts.clear();
    contract::GateResult& gate = gateOf(judged.judgement, Gate::Cmp01);
    gate.verdict = Verdict::Pass;
    gate.severity = Severity::None;
    gate.checks.pop_back();
    return judged;
}

JudgedAuditKey key(std::uint64_t seed = 7)
{
    return {R"({"profile":"strict"})", "cpu", R"({"torch":"2.9.0"})", seed};
}

} // namespace

class JudgementWriterTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Folder> m_folder;
    std::unique_ptr<Database> m_database; ///< one corpus of three kernels that nobody judged

    Database& db() { return *m_database; }
    std::int64_t kernel(const std::string& id) { return number(db(), "SELECT id FROM kernel WHERE external_id = '" + id + "'"); }
    JudgementWriter writer(JudgementWriter::Audit audit, const JudgedAuditKey& asked = key())
    {
        return {db(), number(db(), "SELECT id FROM corpus"), asked, audit};
    }
    std::int64_t scopeOf(std::int64_t audit)
    {
        return number(db(), "SELECT id FROM scope WHERE audit_id = " + std::to_string(audit));
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<Folder>();
        m_database = m_folder->open();
        import(db(), {sourceRow("1", "candidate 1", "reference"), sourceRow("2", "candidate 2", "reference"), row("3")});
    }
    void cleanup()
    {
        QVERIFY(checkDatabase(db(), {}, {}).problems == 0);
        m_database.reset();
        m_folder.reset();
    }

    void aJudgementComesBackAsItWas();
    void artifactsComeBackWithTheirBytes();
    void theAuditSaysUnderWhatItJudged();
    void aKernelLeavesTheUnjudgedWithItsVerdict();
    void resumingFindsTheAuditOfTheSameKeyAlone();
    void errorsAreJudgedAgainInPlace();
    void aLaunchStaysBesideItsVerdict();
    void aDamagedTensorIsRefused();
    void aCalibratedThresholdSaysSo();
};

void JudgementWriterTest::aCalibratedThresholdSaysSo()
{
    JudgedKernel judged = passing();
    contract::CheckResult& first = gateOf(judged.judgement, Gate::Cmp01).checks.front();
    first.metric = "excess";
    first.threshold = tensor::measured(0.42);
    first.calibrated = {"0123abcd", 0.031};
    gateOf(judged.judgement, Gate::Cmp01).checks.push_back(check("CMP-01.change", Verdict::Pass, Severity::None, 0.1));
    JudgedAuditKey asked = key();
    asked.contract = R"({"profile":"strict","thresholds":{"device":"NVIDIA H200","version":"0123abcd"}})";
    JudgementWriter writer = this->writer(JudgementWriter::Audit::New, asked);
    const std::int64_t verdictId = writer.store(kernel("1"), judged);

    const auto details = kernelDetails(db(), scopeOf(writer.auditId()), kernel("1"));
    const GateRecord& gate = details->verdict->gates.front();
    const std::string calibrated = "threshold 0.42, calibrated (NVIDIA H200, hold-out false alarms at most 3.1 %)";
    QCOMPARE(thresholdWords(gate.checks[0], details->audit), calibrated);
    QCOMPARE(thresholdWords(gate, details->audit), calibrated); // the first check decided
    QCOMPARE(thresholdWords(gate.checks[1], details->audit), std::string("threshold 1, not calibrated"));
    QVERIFY(thresholdWords(details->verdict->gates[1], details->audit).empty()); // nothing was measured
    CheckRecord exact = gate.checks[1];
    exact.threshold = tensor::measured(0);
    QVERIFY(thresholdWords(exact, details->audit).empty());
    AuditRecord published;
    QCOMPARE(thresholdWords(gate.checks[1], published), std::string("threshold 1, as published"));

    const JudgedKernel read = readJudgedKernel(db(), verdictId);
    const auto& checks = read.judgement.gates.front().checks;
    QVERIFY(checks[0].calibrated == (contract::CalibratedLimit{"0123abcd", 0.031}));
    QVERIFY(!checks[1].calibrated);
}

void JudgementWriterTest::aJudgementComesBackAsItWas()
{
    JudgementWriter writer = this->writer(JudgementWriter::Audit::New);
    const std::int64_t verdictId = writer.store(kernel("1"), failing());
    const auto details = kernelDetails(db(), scopeOf(writer.auditId()), kernel("1"));
    QVERIFY(details && details->verdict && details->verdictId == verdictId);
    const VerdictRecord& verdict = *details->verdict;
    QCOMPARE(bytes(verdict.status), QByteArray("judged"));
    QVERIFY(verdict.outcome == Verdict::Fail && verdict.severity == Severity::Hard);
    QVERIFY(verdict.accepted && verdict.audited && verdict.toleranceFree && verdict.anyViolation);
    QCOMPARE(*verdict.elapsedSeconds, 2.5);
    QCOMPARE(bytes(verdict.alignment), QByteArray("seed"));
    QVERIFY(verdict.flags == std::vector<FlagRecord>({{"signed_zero", "EXC-01", "A zero has another sign."}}));
    QVERIFY(verdict.isolation == std::vector<std::string>{"the network can be reached"});
    QCOMPARE(verdict.baselines.size(), std::size_t{1});
    QCOMPARE(bytes(verdict.baselines.front().trials), QByteArray(R"({"passed":5,"total":5})"));
    QCOMPARE(verdict.gates.size(), std::size_t{2}); // those that were not asked have no row
    const GateRecord& gate = verdict.gates.front();
    QVERIFY(gate.gate == Gate::Cmp01 && gate.verdict == Verdict::Fail && gate.exercised == 2 && gate.total == 3);
    QCOMPARE(bytes(gate.power), QByteArray("3 regimes"));
    QCOMPARE(bytes(gate.reasonCode), QByteArray("bound"));
    QVERIFY(gate.value.valueClass == tensor::ValueClass::PosInf && gate.threshold == tensor::measured(1));
    QCOMPARE(gate.checks.size(), std::size_t{2});
    const CheckRecord& passed = gate.checks.front();
    QVERIFY(passed.verdict == Verdict::Pass && passed.value == tensor::measured(0.25) && !passed.output);
    const CheckRecord& failed = gate.checks.back();
    QCOMPARE(bytes(failed.code), QByteArray("CMP-01.wide"));
    QCOMPARE(bytes(failed.stimulus), QByteArray("1e3 N(0,1)"));
    QCOMPARE(bytes(failed.recipe), QByteArray(R"({"regime":"wide"})"));
    QCOMPARE(bytes(failed.stimulusSha256), QByteArray("5ha"));
    QCOMPARE(bytes(failed.finding), QByteArray("Element [1] is infinitely far off."));
    QVERIFY(failed.output == "0" && failed.worstIndex == std::vector<std::int64_t>({1, 2}));
}

void JudgementWriterTest::artifactsComeBackWithTheirBytes()
{
    JudgementWriter writer = this->writer(JudgementWriter::Audit::New);
    const JudgedKernel judged = failing();
    const std::int64_t verdictId = writer.store(kernel("1"), judged);
    const auto artifacts = artifactsOf(db(), verdictId, "CMP-01");
    QCOMPARE(artifacts.size(), std::size_t{2});
    QCOMPARE(artifacts.front().ordinal, 1);
    QCOMPARE(bytes(artifacts.front().dtype), QByteArray("float32"));
    QVERIFY(artifacts.front().shape == judged.artifacts.front().shape);
    QVERIFY(artifacts.front().strides == judged.artifacts.front().strides);
    QVERIFY(artifacts.front().bytes == judged.artifacts.front().bytes);
    QVERIFY(number(db(), "SELECT length(data) FROM artifact WHERE role = 'input'") < 8000); // zeros compress
    QCOMPARE(bytes(artifacts.back().bytes), QByteArray(R"({"cast":""})"));
    QVERIFY(artifactsOf(db(), verdictId, "CMP-01", 0).empty());
    QVERIFY(artifactsOf(db(), verdictId, "EXC-01").empty());
}

void JudgementWriterTest::theAuditSaysUnderWhatItJudged()
{
    JudgementWriter writer = this->writer(JudgementWriter::Audit::New);
    const std::string where = " FROM audit WHERE id = " + std::to_string(writer.auditId());
    QCOMPARE(text(db(), "SELECT origin || taxonomy || device || seed" + where), QByteArray("judgedassaycpu7"));
    QCOMPARE(text(db(), "SELECT gate_config" + where), QByteArray(R"({"profile":"strict"})"));
    QCOMPARE(text(db(), "SELECT config_hash" + where), bytes(sha256Hex(R"({"profile":"strict"})")));
    QCOMPARE(text(db(), "SELECT versions" + where), QByteArray(R"({"torch":"2.9.0"})"));
    QCOMPARE(number(db(), "SELECT started_at IS NOT NULL AND finished_at IS NULL" + where), 1);
    writer.finish();
    QCOMPARE(number(db(), "SELECT finished_at IS NOT NULL" + where), 1);
}

void JudgementWriterTest::aKernelLeavesTheUnjudgedWithItsVerdict()
{
    JudgementWriter writer = this->writer(JudgementWriter::Audit::New);
    writer.store(kernel("1"), failing());
    writer.store(kernel("2"), passing());
    const std::int64_t scope = scopeOf(writer.auditId());
    QCOMPARE(triageCount(db(), scope, parseFilter("outcome:fail_hard CMP-01:hard reason:bound")), 1);
    QCOMPARE(triageCount(db(), scope, parseFilter("outcome:pass baseline:pass")), 1);
    QCOMPARE(number(db(), "SELECT kernels FROM scope WHERE audit_id IS NULL"), 1);
}

void JudgementWriterTest::resumingFindsTheAuditOfTheSameKeyAlone()
{
    using Audit = JudgementWriter::Audit;
    const std::int64_t first = writer(Audit::New).auditId();
    const std::int64_t second = writer(Audit::New).auditId();
    QVERIFY(first != second);
    QCOMPARE(writer(Audit::Resume).auditId(), second);
    JudgedAuditKey gpu = key();
    gpu.device = "cuda:0";
    JudgedAuditKey newer = key();
    newer.versions = R"({"torch":"2.10.0"})";
    JudgedAuditKey looser = key();
    looser.contract = R"({"profile":"inference"})";
    for (const JudgedAuditKey& other : {key(8), gpu, newer, looser})
        QVERIFY(writer(Audit::Resume, other).auditId() > second);
    QCOMPARE(writer(Audit::Resume).auditId(), second);
}

void JudgementWriterTest::errorsAreJudgedAgainInPlace()
{
    JudgementWriter writer = this->writer(JudgementWriter::Audit::New);
    JudgedKernel lost;
    lost.judgement.verdict = Verdict::Error;
    lost.judgement.reason = "the worker was lost";
    lost.remedy = "Run it again";
    const std::int64_t one = kernel("1");
    QVERIFY(!writer.hasJudged(one));
    writer.store(one, lost);
    QVERIFY(!writer.hasJudged(one));
    QCOMPARE(text(db(), "SELECT error FROM verdict"), QByteArray("the worker was lost. Run it again"));
    QCOMPARE(triageCount(db(), scopeOf(writer.auditId()), parseFilter("outcome:error is:audited")), 0);
    writer.store(one, failing());
    writer.store(one, failing());
    QVERIFY(writer.hasJudged(one));
    QCOMPARE(number(db(), "SELECT count(*) FROM verdict"), 1);
    QCOMPARE(number(db(), "SELECT count(*) FROM check_result"), 2);
    QCOMPARE(number(db(), "SELECT count(*) FROM artifact"), 2);
}

void JudgementWriterTest::aLaunchStaysBesideItsVerdict()
{
    JudgementWriter writer = this->writer(JudgementWriter::Audit::New);
    const std::int64_t verdictId = writer.store(kernel("1"), failing());
    QVERIFY(!gdnRunOf(db(), verdictId));
    addGdnRun(db(), {verdictId, "kda", "[1,64,2,64,64]", "bfloat16", "cuda:0", "", R"({"errors":{"o":0.001}})"});
    addGdnRun(db(), {verdictId, "kda", "[1,64,2,64,64]", "bfloat16", "cuda:0", R"({"forward_ms":1.5})", ""});
    const std::optional<GdnRunRecord> run = gdnRunOf(db(), verdictId);
    QVERIFY(run);
    QCOMPARE(run->family, std::string("kda"));
    QCOMPARE(run->timings, std::string(R"({"forward_ms":1.5})"));
    QCOMPARE(run->errors, std::string());
    QCOMPARE(number(db(), "SELECT count(*) FROM gdn_run WHERE created_at LIKE '20%Z'"), 2);
    // What came to a verdict goes with it where the audit judges the kernel anew.
    QVERIFY(!gdnRunOf(db(), writer.store(kernel("1"), failing())));
    QCOMPARE(number(db(), "SELECT count(*) FROM gdn_run"), 0);
}

void JudgementWriterTest::aDamagedTensorIsRefused()
{
    JudgementWriter writer = this->writer(JudgementWriter::Audit::New);
    const std::int64_t verdictId = writer.store(kernel("1"), failing());
    db().sqlite().exec("UPDATE artifact SET shape = '[1000,3]' WHERE role = 'input'");
    const auto error = errorOf([&] { artifactsOf(db(), verdictId, "CMP-01"); });
    QVERIFY(error && error->kind() == DatabaseError::Kind::Corrupt);
}

QTEST_GUILESS_MAIN(JudgementWriterTest)
#include "tst_judgement_writer.moc"
