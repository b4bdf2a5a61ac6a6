// SPDX-License-Identifier: Apache-2.0
#include "core/runner/shrunk_check.h"
#include "core/runner/verdict_json.h"
#include "core/runner/verdict_read.h"

#include "core/runner/excess_json.h"
#include "core/text/base64.h"
#include "core/text/error.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <limits>

using namespace assay;
using namespace assay::runner;
using contract::Gate;
using contract::Severity;
using contract::Verdict;
using tensor::DType;
using tensor::HostTensor;

namespace {

contract::GateResult& gateOf(contract::Judgement& judgement, Gate gate)
{
    return judgement.gates[static_cast<std::size_t>(contract::indexOf(gate))];
}

HostTensor row(std::vector<double> values)
{
    return HostTensor::fromDoubles(DType::Float32, {static_cast<std::int64_t>(values.size())}, values);
}

contract::Judgement failing()
{
    contract::Judgement judgement;
    for (const Gate gate : contract::kAllGates)
        gateOf(judgement, gate).gate = gate;
    judgement.verdict = Verdict::Fail;
    judgement.hardFailed = true;
    judgement.reason = "far off";
    judgement.alignment = "by_shape";
    judgement.seconds = 1.25;
    judgement.flags.push_back({"permissive", Gate::Cmp03, "takes everything"});
    contract::GateResult& gate = gateOf(judgement, Gate::Cmp01);
    gate.verdict = Verdict::Fail;
    gate.severity = Severity::Hard;
    gate.exercised = gate.total = 2;
    gate.checks.resize(2);
    contract::CheckResult& passed = gate.checks.front();
    passed.code = "CMP-01.normal";
    contract::CheckResult& failed = gate.checks.back();
    failed.code = "CMP-01.wide";
    failed.verdict = Verdict::Fail;
    failed.severity = Severity::Hard;
    failed.metric = "error over bound";
    failed.value = tensor::measured(std::numeric_limits<double>::quiet_NaN());
    failed.threshold = tensor::measured(1);
    failed.reason = "bound";
    failed.sentence = "far off";
    auto call = std::make_shared<contract::CallSetup>();
    call->init = R"({"list":[]})";
    call->arguments = R"({"list":[{"tensor":0}]})";
    call->inputs = {row({1, 2, 3})};
    call->referenceState = {{"weight", true, true, row({4})}};
    call->candidateState = {{"w", true, true, row({4})}};
    failed.stimulus = {"wide", R"({"regime":"wide"})", "abc", 5, call};
    failed.evidence.emplace();
    failed.evidence->inputs = call->inputs;
    failed.evidence->reference = HostTensor::fromDoubles(DType::Float64, {3}, std::array{1.0, 2.0, 3.0});
    failed.evidence->candidate = row({1, 2, 4});
    failed.evidence->outputPath = "y";
    failed.evidence->worstIndex = {2};
    return judgement;
}

json::Document written(const contract::Judgement& judgement, std::int64_t evidenceBytes,
                       const std::optional<BaselineClaim>& baseline = {})
{
    VerdictContext context;
    context.baseline = baseline;
    context.contract = *contract::profile("inference");
    context.device = "cpu";
    context.versions = R"({"torch":"2.9.0"})";
    context.isolation = {"the network can be reached"};
    context.seed = 5;
    context.evidenceBytes = evidenceBytes;
    json::ObjectText out;
    writeVerdict(out, judgement, context);
    out.text("remedy", "");
    json::Document document;
    if (json::parse(out.finish(), document))
        qFatal("no JSON");
    return document;
}

const store::ArtifactRecord* find(const ReceivedVerdict& read, const std::string& role)
{
    for (const store::ArtifactRecord& artifact : read.judged.artifacts) {
        if (artifact.role == role)
            return &artifact;
    }
    return nullptr;
}

} // namespace

class VerdictReadTest : public QObject {
    Q_OBJECT

private slots:
    void aJudgementComesBack();
    void theWorstCheckBringsItsTensors();
    void largeTensorsAreNamedOnly();
    void withoutBeingAskedNoTensorGoes();
    void nonsenseIsRefused_data();
    void nonsenseIsRefused();
    void base64IsItsOwnInverse();
    void aBaselineComesBackAsAClaim();
    void aBaselineThatCouldNotRunHasNoTrials();
    void samplesOfACalibrationComeBack();
    void aSmallerStimulusComesBackBesideTheJudges();
    void aSearchThatFoundNothingSaysWhy();
};

void VerdictReadTest::aJudgementComesBack()
{
    const contract::Judgement judgement = failing();
    const ReceivedVerdict read = readVerdict(written(judgement, 0));
    QCOMPARE(QByteArray::fromStdString(read.key.contract),
             QByteArray::fromStdString(contract::canonicalText(*contract::profile("inference"))));
    QVERIFY(read.key.seed == 5 && read.key.device == "cpu" && read.key.versions == R"({"torch":"2.9.0"})");
    const contract::Judgement& back = read.judged.judgement;
    QVERIFY(back.verdict == Verdict::Fail && back.hardFailed && back.seconds == 1.25);
    QVERIFY(back.alignment == "by_shape" && back.reason == "far off");
    QVERIFY(back.flags.size() == 1 && back.flags.front().gate == Gate::Cmp03);
    QVERIFY(back.gates.front().checks.size() == 2 && back.gates.back().verdict == Verdict::Absent);
    const contract::CheckResult& check = back.gates.front().checks.back();
    const contract::CheckResult& sent = judgement.gates.front().checks.back();
    QVERIFY(check.code == sent.code && check.verdict == sent.verdict && check.severity == sent.severity);
    QVERIFY(check.value == sent.value && check.threshold == sent.threshold && check.reason == sent.reason);
    QVERIFY(check.stimulus.recipe == sent.stimulus.recipe && check.stimulus.sha256 == sent.stimulus.sha256);
    QVERIFY(check.evidence && check.evidence->outputPath == "y" && check.evidence->worstIndex == sent.evidence->worstIndex);
    QVERIFY(!back.gates.front().checks.front().value.isPresent());
    QVERIFY(read.judged.isolation.size() == 1);
}

void VerdictReadTest::theWorstCheckBringsItsTensors()
{
    const ReceivedVerdict read = readVerdict(written(failing(), 1024));
    QCOMPARE(read.judged.artifacts.size(), std::size_t{6});
    for (const store::ArtifactRecord& artifact : read.judged.artifacts)
        QVERIFY(artifact.gate == "CMP-01" && artifact.ordinal == 1);
    const std::array<float, 3> candidate{1, 2, 4};
    const store::ArtifactRecord* const got = find(read, "candidate");
    QVERIFY(got != nullptr && got->dtype == "float32" && got->name == "y");
    QVERIFY(got->bytes == std::string(reinterpret_cast<const char*>(candidate.data()), sizeof candidate));
    QVERIFY(find(read, "candidate_state")->name == "w" && find(read, "reference_state")->name == "weight");
    QCOMPARE(QByteArray::fromStdString(find(read, "call")->bytes),
             QByteArray(R"({"init":{"list":[]},"arguments":{"list":[{"tensor":0}]},"cast":"","seed":5,"left_out":[]})"));
}

void VerdictReadTest::largeTensorsAreNamedOnly()
{
    const ReceivedVerdict read = readVerdict(written(failing(), 12)); // three floats fit, three doubles do not
    QVERIFY(find(read, "candidate") != nullptr && find(read, "reference") == nullptr);
    QVERIFY(find(read, "call")->bytes.find(R"("left_out":["reference y"])") != std::string::npos);
}

void VerdictReadTest::withoutBeingAskedNoTensorGoes()
{
    QVERIFY(readVerdict(written(failing(), 0)).judged.artifacts.empty());
    QVERIFY(json::toText(written(failing(), 0)).find("evidence") == std::string::npos);
}

void VerdictReadTest::nonsenseIsRefused_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::newRow("verdict") << QByteArray(R"("verdict":"fail")") << QByteArray(R"("verdict":"perhaps")");
    QTest::newRow("gate") << QByteArray(R"("id":"CMP-01")") << QByteArray(R"("id":"CMP-99")");
    QTest::newRow("contract") << QByteArray(R"("repeats":32)") << QByteArray(R"("repeats":33)");
    QTest::newRow("shape") << QByteArray(R"("shape":[3])") << QByteArray(R"("shape":[4])");
    QTest::newRow("shape below zero") << QByteArray(R"("shape":[3])") << QByteArray(R"("shape":[-3])");
    QTest::newRow("dtype") << QByteArray(R"("dtype":"float32")") << QByteArray(R"("dtype":"float31")");
    QTest::newRow("base64") << QByteArray(R"("data":"AA)") << QByteArray(R"("data":"A?)");
    QTest::newRow("index") << QByteArray(R"("worst_index":[2])") << QByteArray(R"("worst_index":["2"])");
}

void VerdictReadTest::nonsenseIsRefused()
{
    QFETCH(const QByteArray, from);
    QFETCH(const QByteArray, to);
    const QByteArray text = QByteArray::fromStdString(json::toText(written(failing(), 1024)));
    const qsizetype at = text.indexOf(from);
    QVERIFY(at >= 0);
    QByteArray changed = text;
    changed.replace(at, from.size(), to);
    json::Document document;
    QVERIFY(!json::parse({changed.constData(), static_cast<std::size_t>(changed.size())}, document));
    QVERIFY_EXCEPTION_THROWN(readVerdict(document), Error);
}

void VerdictReadTest::base64IsItsOwnInverse()
{
    std::string bytes;
    for (int i = 0; i < 259; ++i) {
        const std::string text = toBase64(bytes);
        QCOMPARE(QByteArray::fromStdString(text), QByteArray::fromStdString(bytes).toBase64());
        QVERIFY(fromBase64(text) == bytes);
        bytes += static_cast<char>(i);
    }
    for (const char* wrong : {"A", "AAA", "A===", "AA=A", "AAA=AAAA", "AB==", "AA A", "-AAA"})
        QVERIFY2(!fromBase64(wrong), wrong);
}

void VerdictReadTest::aBaselineComesBackAsAClaim()
{
    const BaselineClaim claim{"kb-head", "fail", 3, 5, "output mismatch"};
    const ReceivedVerdict read = readVerdict(written(failing(), 0, claim));
    QCOMPARE(read.judged.baselines.size(), std::size_t{1});
    const store::BaselineRecord& record = read.judged.baselines.front();
    QVERIFY(record.mode == "kb-head" && record.verdict == "fail" && record.detail == "output mismatch");
    QCOMPARE(QByteArray::fromStdString(record.trials), QByteArray(R"({"passed":3,"total":5})"));
    QVERIFY(readVerdict(written(failing(), 0)).judged.baselines.empty());
}

void VerdictReadTest::aBaselineThatCouldNotRunHasNoTrials()
{
    const ReceivedVerdict read = readVerdict(written(failing(), 0, couldNotRun("kb-paper", "the disk is full")));
    const store::BaselineRecord& record = read.judged.baselines.front();
    QVERIFY(record.verdict == "error" && record.trials.empty());
    QCOMPARE(record.detail, std::string("could not run: the disk is full"));
}

void VerdictReadTest::samplesOfACalibrationComeBack()
{
    using contract::ExcessKind;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<contract::ExcessSample> samples
        = {{contract::Gate::Prc01, tensor::DType::BFloat16, ExcessKind::Conforming, "shipped", 0, tensor::measured(0x1p-9), 6},
           {contract::Gate::Cmp01, tensor::DType::Float32, ExcessKind::Perturbed, "spike", 1e-8, tensor::measured(nan), 1}};
    json::ObjectText out;
    writeExcess(out, samples);
    json::Document document;
    QVERIFY(!json::parse(out.finish(), document));
    const auto read = readExcess(document);
    QCOMPARE(read.size(), samples.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
        QVERIFY(read[i].gate == samples[i].gate && read[i].dtype == samples[i].dtype && read[i].kind == samples[i].kind);
        QVERIFY(read[i].source == samples[i].source && read[i].scale == samples[i].scale && read[i].checks == samples[i].checks);
        QCOMPARE(read[i].value.valueClass, samples[i].value.valueClass);
        QCOMPARE(read[i].value.value, samples[i].value.value);
    }
    QVERIFY(!json::parse(
        R"({"calibration":[7,{"gate":"CMP-99"},{"gate":"CMP-01","dtype":"float32","kind":"guessed","value":1}]})", document));
    QVERIFY(readExcess(document).empty());
    QVERIFY(readVerdict(written(failing(), 0)).excess.empty());
}

void VerdictReadTest::aSmallerStimulusComesBackBesideTheJudges()
{
    contract::Judgement judgement = failing();
    contract::CheckResult& failed = gateOf(judgement, Gate::Cmp01).checks.back();
    auto smaller = std::make_shared<contract::CheckResult>(failed);
    auto call = std::make_shared<contract::CallSetup>(*failed.stimulus.call);
    call->inputs = {row({7})};
    smaller->stimulus = {"wide, shrunk to [1]", R"({"regime":"wide"})", "def", 5, call};
    smaller->evidence->inputs = call->inputs;
    smaller->evidence->worstIndex = {0};
    smaller->sentence = "still far off";
    failed.shrunk = contract::Shrunk{smaller, "3 became 1", 9};
    json::Document verdict = written(judgement, 1024);
    const ReceivedVerdict read = readVerdict(verdict);
    const auto shrunk = shrunkCheckIn(read.judged.artifacts);
    QVERIFY(shrunk && shrunk->isFound());
    QVERIFY(shrunk->ordinal == 1 && shrunk->questions == 9 && shrunk->remark == "3 became 1");
    QVERIFY(shrunk->check.code == "CMP-01.wide" && shrunk->check.finding == "still far off");
    QVERIFY(shrunk->check.verdict == Verdict::Fail && shrunk->check.severity == Severity::Hard);
    QVERIFY(shrunk->check.stimulusSha256 == "def" && shrunk->check.worstIndex == std::vector<std::int64_t>{0});
    QVERIFY(shrunk->check.output == "y");
    QCOMPARE(shrunk->artifacts.size(), std::size_t{6});
    const auto input = std::ranges::find(shrunk->artifacts, "input", &store::ArtifactRecord::role);
    QVERIFY(input != shrunk->artifacts.end() && input->shape == std::vector<std::int64_t>{1});
    // The judge's own stimulus stays what it was.
    QCOMPARE(find(read, "input")->shape, std::vector<std::int64_t>{3});
    eraseEvidence(verdict);
    QVERIFY(json::toText(verdict).find("\"data\"") == std::string::npos);
    QVERIFY(json::toText(verdict).find("3 became 1") != std::string::npos);
}

void VerdictReadTest::aSearchThatFoundNothingSaysWhy()
{
    contract::Judgement judgement = failing();
    gateOf(judgement, Gate::Cmp01).checks.back().shrunk = contract::Shrunk{nullptr, "it hangs", 0};
    const auto shrunk = shrunkCheckIn(readVerdict(written(judgement, 1024)).judged.artifacts);
    QVERIFY(shrunk && !shrunk->isFound());
    QCOMPARE(shrunk->remark, std::string("it hangs"));
    QVERIFY(shrunk->artifacts.empty());
    QVERIFY(!shrunkCheckIn(readVerdict(written(failing(), 1024)).judged.artifacts));
}

QTEST_GUILESS_MAIN(VerdictReadTest)
#include "tst_verdict_read.moc"
