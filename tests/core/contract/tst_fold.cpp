// SPDX-License-Identifier: Apache-2.0
#include "core/contract/fold.h"

#include <QtTest>

#include <algorithm>

using namespace assay::contract;

namespace {

GateResult result(Gate gate, Verdict verdict, const std::string& finding = "why", Severity severity = Severity::None)
{
    GateResult made;
    made.gate = gate;
    made.verdict = verdict;
    made.severity = severity;
    made.exercised = verdict == Verdict::Pass || countsAgainstCandidate(verdict) ? 1 : 0;
    made.total = 1;
    made.finding = finding;
    return made;
}

/// Every gate is asked and clean, but for @p others.
Judgement folded(const std::vector<GateResult>& others, const Contract& contract = {})
{
    Judgement judgement;
    for (const Gate gate : kAllGates)
        judgement.gates[static_cast<std::size_t>(indexOf(gate))] = result(gate, Verdict::Pass, "clean");
    for (const GateResult& other : others)
        judgement.gates[static_cast<std::size_t>(indexOf(other.gate))] = other;
    foldGates(judgement, contract);
    return judgement;
}

} // namespace

class FoldTest : public QObject {
    Q_OBJECT

private slots:
    void cleanGatesPass();
    void aGateThatWasNotAskedMakesNoPass_data();
    void aGateThatWasNotAskedMakesNoPass();
    void aGateWithoutResultMakesNoPass();
    void whatCannotBeAskedStandsInNobodysWay();
    void nothingAskedAtAllIsNoPass();
    void failuresWinOverWhatWasNotAsked();
    void reportedFailuresDoNotHideWhatWasNotAsked();
    void gatesOfOneReasonShareASentence();
    void gatesOutsideTheContractDoNotCount();
};

void FoldTest::cleanGatesPass()
{
    const Judgement judgement = folded({});
    QCOMPARE(judgement.verdict, Verdict::Pass);
    QVERIFY(judgement.reason.empty());
    QVERIFY(!judgement.hardFailed);
}

void FoldTest::aGateThatWasNotAskedMakesNoPass_data()
{
    QTest::addColumn<int>("verdict");
    QTest::newRow("vacuous") << static_cast<int>(Verdict::NotExercised);
    QTest::newRow("without evidence") << static_cast<int>(Verdict::Unknown);
    QTest::newRow("broken harness") << static_cast<int>(Verdict::Error);
}

void FoldTest::aGateThatWasNotAskedMakesNoPass()
{
    QFETCH(int, verdict);
    for (const Gate gate : kAllGates) {
        const Judgement judgement = folded({result(gate, static_cast<Verdict>(verdict), "No time was left.")});
        QCOMPARE(judgement.verdict, Verdict::Error);
        QCOMPARE(judgement.reason, std::string(id(gate)) + " applies and could not be asked: No time was left.");
        QVERIFY(!judgement.hardFailed);
    }
}

void FoldTest::aGateWithoutResultMakesNoPass()
{
    const Judgement judgement = folded({result(Gate::Cmp02, Verdict::Absent, "")});
    QCOMPARE(judgement.verdict, Verdict::Error);
    QCOMPARE(judgement.reason, std::string("CMP-02 applies and could not be asked: No result is recorded."));
}

void FoldTest::whatCannotBeAskedStandsInNobodysWay()
{
    const Judgement judgement = folded({result(Gate::Cmp02, Verdict::Inapplicable), result(Gate::Prc01, Verdict::Unsupported),
                                        result(Gate::Res02, Verdict::Inapplicable)});
    QCOMPARE(judgement.verdict, Verdict::Pass);
    QVERIFY(judgement.reason.empty());
}

void FoldTest::nothingAskedAtAllIsNoPass()
{
    std::vector<GateResult> results;
    for (const Gate gate : kAllGates)
        results.push_back(result(gate, Verdict::Inapplicable));
    const Judgement judgement = folded(results);
    QCOMPARE(judgement.verdict, Verdict::Error);
    QCOMPARE(judgement.reason, std::string("No check could be exercised."));
}

void FoldTest::failuresWinOverWhatWasNotAsked()
{
    const GateResult vacuous = result(Gate::Cmp01, Verdict::NotExercised);
    const Judgement soft = folded({vacuous, result(Gate::Prc02, Verdict::Fail, "narrow", Severity::Soft)});
    QCOMPARE(soft.verdict, Verdict::Fail);
    QCOMPARE(soft.reason, std::string("narrow"));
    QVERIFY(!soft.hardFailed);
    for (const Verdict verdict : {Verdict::Fail, Verdict::Crash, Verdict::Timeout}) {
        const Judgement hard = folded({vacuous, result(Gate::Ord02, verdict, "worse", Severity::Hard)});
        QCOMPARE(hard.verdict, Verdict::Fail);
        QCOMPARE(hard.reason, std::string("worse"));
        QVERIFY(hard.hardFailed);
    }
}

void FoldTest::reportedFailuresDoNotHideWhatWasNotAsked()
{
    Contract lenient;
    lenient.softFailures = Contract::SoftFailures::Report;
    const GateResult narrow = result(Gate::Prc02, Verdict::Fail, "narrow", Severity::Soft);
    QCOMPARE(folded({narrow}, lenient).verdict, Verdict::Pass);
    QCOMPARE(folded({narrow}, lenient).reason, std::string("narrow"));
    const Judgement judgement = folded({narrow, result(Gate::Cmp03, Verdict::NotExercised, "No memory.")}, lenient);
    QCOMPARE(judgement.verdict, Verdict::Error);
    QCOMPARE(judgement.reason, std::string("CMP-03 applies and could not be asked: No memory."));
}

void FoldTest::gatesOfOneReasonShareASentence()
{
    const Judgement judgement
        = folded({result(Gate::Cmp02, Verdict::NotExercised, "No time."), result(Gate::Ord01, Verdict::Unknown, "No evidence."),
                  result(Gate::Prc01, Verdict::NotExercised, "No time.")});
    QCOMPARE(judgement.reason,
             std::string("CMP-02, PRC-01 apply and could not be asked: No time. "
                         "ORD-01 applies and could not be asked: No evidence."));
}

void FoldTest::gatesOutsideTheContractDoNotCount()
{
    Contract contract;
    contract.gates.erase(Gate::Res02);
    QCOMPARE(folded({result(Gate::Res02, Verdict::Unknown)}, contract).verdict, Verdict::Pass);
    QCOMPARE(folded({result(Gate::Res02, Verdict::Absent)}, contract).verdict, Verdict::Pass);
}

QTEST_GUILESS_MAIN(FoldTest)
#include "tst_fold.moc"
