// SPDX-License-Identifier: Apache-2.0
#include "core/runner/contract_json.h"
#include "core/runner/control.h"
#include "core/text/error.h"
#include "core/text/json.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <iterator>

using namespace assay;
using namespace assay::runner;
using contract::Gate;
using contract::Severity;
using contract::Verdict;

class ControlTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gatesAreTalliedOverKernels();
    void kernelsThatCouldNotBeJudgedCountForNoGate();
    void theRuleOfThreeBoundsWhatNeverFailed();
    void theShippedControlsAreWhole();
    void compiledControlsStandBehindTheirReference();
    void withoutACompilerCompiledControlsAreUnsupported();
    void aControlOfOneDeviceIsNoneElsewhere();
    void theDevicesNameControlsThatExist();
    void whatAControlDoesNotPromiseOnADeviceIsNotAskedThere();
    void aFolderWithoutControlsIsAnError();
    void aSummaryKeepsCountsAndNotes();
};

namespace {

VerdictSummary with(Gate gate, Verdict verdict, Severity severity, int exercised, int total)
{
    VerdictSummary summary;
    summary.verdict = contract::countsAgainstCandidate(verdict) ? Verdict::Fail : Verdict::Pass;
    summary.of(gate) = {verdict, severity, exercised, total, "", false};
    return summary;
}

const GateAlarms& of(const ControlTally& tally, Gate gate)
{
    return tally.gates[static_cast<std::size_t>(contract::indexOf(gate))];
}

} // namespace

void ControlTest::gatesAreTalliedOverKernels()
{
    const ControlTally tally = tallyOf({
        {"a", with(Gate::Exc01, Verdict::Pass, Severity::None, 20, 21)},
        {"b", with(Gate::Exc01, Verdict::Fail, Severity::Soft, 5, 5)},
        {"c", with(Gate::Exc01, Verdict::Crash, Severity::Hard, 0, 3)},
        {"d", with(Gate::Exc01, Verdict::NotExercised, Severity::None, 0, 4)},
    });
    QCOMPARE(tally.judged, 4);
    QCOMPARE(tally.passed, 2);
    const GateAlarms& gate = of(tally, Gate::Exc01);
    QCOMPARE(gate.kernels, 3);
    QCOMPARE(gate.exercised, 25);
    QCOMPARE(gate.planned, 33);
    QCOMPARE(gate.hard, 1);
    QCOMPARE(gate.soft, 1);
    // 2 of 3: what leaves 5 % for at most 2 alarms, 1 - p^3 = 0.05.
    QCOMPARE(gate.upperBound, std::cbrt(0.95));
    QCOMPARE(of(tally, Gate::Cmp01).kernels, 0);
    QCOMPARE(of(tally, Gate::Cmp01).upperBound, 1.0);
}

void ControlTest::kernelsThatCouldNotBeJudgedCountForNoGate()
{
    VerdictSummary error = with(Gate::Cmp01, Verdict::Pass, Severity::None, 9, 9);
    error.verdict = Verdict::Error;
    const ControlTally tally = tallyOf({{"a", error}, {"b", with(Gate::Cmp01, Verdict::Pass, Severity::None, 1, 1)}});
    QCOMPARE(tally.notJudged, 1);
    QCOMPARE(tally.judged, 1);
    QCOMPARE(of(tally, Gate::Cmp01).exercised, 1);
}

void ControlTest::theRuleOfThreeBoundsWhatNeverFailed()
{
    QCOMPARE(ruleOfThree(74), 3.0 / 74);
    QCOMPARE(ruleOfThree(2), 1.0);
    QCOMPARE(ruleOfThree(0), 1.0);
    const std::vector<ControlRow> rows(30, {"a", with(Gate::Cmp01, Verdict::Pass, Severity::None, 1, 1)});
    QCOMPARE(tallyOf(rows).upperBound, 1 - std::pow(0.05, 1.0 / 30));
}

void ControlTest::theShippedControlsAreWhole()
{
    const std::vector<Control> controls = loadControls(ASSAY_SOURCE_DIR "/resources/controls");
    QVERIFY(controls.size() >= 48);
    for (const Control& control : controls) {
        QVERIFY2(control.reference.text.find("class Model(") != std::string::npos, control.name.c_str());
        QVERIFY2(control.candidate.text.find("class ModelNew(") != std::string::npos, control.name.c_str());
    }
    QVERIFY(std::ranges::is_sorted(controls, {}, &Control::name));
}

void ControlTest::compiledControlsStandBehindTheirReference()
{
    const std::vector<Control> controls = loadCompiledControls(ASSAY_SOURCE_DIR "/resources/controls");
    QVERIFY(controls.size() >= 20);
    for (const Control& control : controls) {
        QVERIFY(control.name.starts_with("torch_compile/l"));
        QVERIFY(control.candidate.text.starts_with(control.reference.text));
        QVERIFY(control.needsCompiler);
        QVERIFY(control.candidate.text.find("class ModelNew(Model)") != std::string::npos);
    }
}

void ControlTest::withoutACompilerCompiledControlsAreUnsupported()
{
    const Control compiled{"torch_compile/x", {}, {}, true};
    VerdictSummary old = with(Gate::Cmp01, Verdict::Fail, Severity::Hard, 1, 1);
    old.torch = "1.13.1";
    QCOMPARE(outcomeOf(compiled, old).verdict, Verdict::Unsupported);
    QCOMPARE(outcomeOf({"x", {}, {}, false}, old).verdict, Verdict::Fail);
    old.torch = "2.9.0+cu128";
    QCOMPARE(outcomeOf(compiled, old).verdict, Verdict::Fail);
}

void ControlTest::aControlOfOneDeviceIsNoneElsewhere()
{
    Control control{"x", {}, {}};
    QVERIFY(!outcomeElsewhere(control, "cuda:0"));
    control.onlyOn = "cpu";
    control.because = "no such product";
    QVERIFY(!outcomeElsewhere(control, "cpu"));
    const auto none = outcomeElsewhere(control, "cuda:0");
    QVERIFY(none.has_value());
    QCOMPARE(none->verdict, Verdict::Unsupported);
    QCOMPARE(none->reason, std::string("a control on the cpu alone: no such product"));
    const ControlTally tally = tallyOf({{"x", *none, true}, {"y", with(Gate::Cmp01, Verdict::Pass, Severity::None, 1, 1)}});
    QCOMPARE(tally.elsewhere, 1);
    QCOMPARE(tally.notJudged, 0);
    QCOMPARE(tally.passed, 1);
}

void ControlTest::theDevicesNameControlsThatExist()
{
    const Source devices = readSource(ASSAY_SOURCE_DIR "/resources/controls/only_on.json", "the controls' devices");
    json::Document document;
    QVERIFY(!json::parse(devices.text, document));
    std::vector<Control> controls = loadControls(ASSAY_SOURCE_DIR "/resources/controls");
    std::ranges::move(loadCompiledControls(ASSAY_SOURCE_DIR "/resources/controls"), std::back_inserter(controls));
    int named = 0;
    for (const auto& [device, names] : document.GetObject()) {
        for (const auto& [name, because] : names.GetObject()) {
            const auto it = std::ranges::find(controls, std::string(name.GetString()), &Control::name);
            QVERIFY2(it != controls.end(), name.GetString());
            QCOMPARE(it->onlyOn, std::string(device.GetString()));
            QCOMPARE(it->because, std::string(because.GetString()));
            ++named;
        }
    }
    QCOMPARE(std::ranges::count_if(controls, [](const Control& control) { return !control.onlyOn.empty(); }), named);
}

void ControlTest::whatAControlDoesNotPromiseOnADeviceIsNotAskedThere()
{
    const std::vector<Control> controls = loadCompiledControls(ASSAY_SOURCE_DIR "/resources/controls");
    const Source file = readSource(ASSAY_SOURCE_DIR "/resources/controls/contracts.json", "the controls' contracts");
    json::Document document;
    QVERIFY(!json::parse(file.text, document));
    int named = 0;
    for (const auto& [device, names] : document.GetObject()) {
        for (const auto& [name, said] : names.GetObject()) {
            const auto it = std::ranges::find(controls, std::string(name.GetString()), &Control::name);
            QVERIFY2(it != controls.end(), name.GetString());
            const auto contract = contractOn(*it, std::string(device.GetString()) + ":0");
            QVERIFY(contract.has_value());
            json::Document asked;
            QVERIFY(!json::parse(*contract, asked));
            QCOMPARE(readContract(asked).subnormals, contract::Contract::Subnormals::Either);
            QVERIFY(!contractOn(*it, "cpu"));
            QVERIFY(!json::stringAt(said, "because").value_or("").empty());
            ++named;
        }
    }
    QVERIFY(named > 0);
    QVERIFY(!contractOn({"x", {}, {}}, "cuda:0"));
}

void ControlTest::aFolderWithoutControlsIsAnError()
{
    QVERIFY_THROWS_EXCEPTION(Error, loadControls("/nowhere"));
    QVERIFY_THROWS_EXCEPTION(Error, loadCompiledControls(ASSAY_SOURCE_DIR "/resources/mutants"));
}

void ControlTest::aSummaryKeepsCountsAndNotes()
{
    ReceivedVerdict received;
    received.key.versions = R"({"python":"3.11","torch":"2.9.0"})";
    contract::Judgement& judgement = received.judged.judgement;
    judgement.verdict = Verdict::Fail;
    judgement.seconds = 1.5;
    judgement.flags = {{"x", Gate::Ord02, ""}};
    for (const Gate gate : {Gate::Cmp01, Gate::Exc01, Gate::Ord02, Gate::Prc01}) {
        auto& result = judgement.gates[static_cast<std::size_t>(contract::indexOf(gate))];
        result.gate = gate;
        result.verdict = gate == Gate::Cmp01 ? Verdict::Fail : Verdict::Pass;
        result.severity = gate == Gate::Cmp01 ? Severity::Hard : Severity::None;
        result.exercised = 3;
        result.total = 4;
        result.finding = contract::id(gate);
        result.checks.resize(2);
        result.checks[1].severity = gate == Gate::Exc01 ? Severity::Note : Severity::None;
    }
    const VerdictSummary summary = summaryOf(received);
    QCOMPARE(summary.verdict, Verdict::Fail);
    QCOMPARE(summary.torch, std::string("2.9.0"));
    QCOMPARE(summary.seconds, 1.5);
    QCOMPARE(summary.of(Gate::Cmp01).severity, Severity::Hard);
    QCOMPARE(summary.of(Gate::Cmp01).exercised, 3);
    QCOMPARE(summary.of(Gate::Cmp01).total, 4);
    QCOMPARE(summary.of(Gate::Cmp01).finding, std::string("CMP-01"));
    QVERIFY(!summary.of(Gate::Cmp01).noted);
    QVERIFY(summary.of(Gate::Exc01).noted);
    QVERIFY(summary.of(Gate::Ord02).noted);
    QVERIFY(!summary.of(Gate::Prc01).noted);
    QCOMPARE(summary.of(Gate::Res01).verdict, Verdict::Absent);
}

QTEST_APPLESS_MAIN(ControlTest)
#include "tst_control.moc"
