// SPDX-License-Identifier: Apache-2.0
#include "core/report/rule_engine.h"
#include "core/text/error.h"
#include "core/text/sha256.h"

#include <QtTest>

using namespace assay;
using contract::Gate;
using contract::Verdict;
using report::VerdictFacts;

template <> inline char* QTest::toString(const std::string& text)
{
    return qstrdup(text.c_str());
}

class RuleEngineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void acceptedNeedsASpeedupAboveTheBound();
    void excludedStatusesAndArtifactsLeaveTheDenominator();
    void anArtifactNeedsItsStatusAndItsError();
    void anyGateThatFailsIsAViolation();
    void theFloorTakesOnlyItsChannels_data();
    void theFloorTakesOnlyItsChannels();
    void aRowOutsideTheDenominatorCountsNowhere();
    void aCudaErrorIsACrashWhateverTheGateSays();
    void nanEqualForgivesTheThreeGatesAtOnce();
    void nanEqualWantsThatCmp01Passes();
    void nanEqualForgivesNoOtherFailure();
    void nanEqualLeavesDeterminismFailuresWithNumbersAlone();
    void unionAddsTheFloorToTheViolations();
    void conditionsCanAskForReasonCodeAndNumberClass();
    void theFailMaskLeavesForgivenGatesOut();
    void theHashIsThatOfTheCanonicalText();
    void layoutAndKeyOrderDoNotChangeTheHash();
    void whatIsNoRuleSetIsRefusedWithItsPlace_data();
    void whatIsNoRuleSetIsRefusedWithItsPlace();
};

namespace {

report::Rules rulesOf(const std::string& name)
{
    for (const report::RuleSet& ruleSet : report::builtInRuleSets()) {
        if (ruleSet.name == name)
            return report::compileRules(ruleSet);
    }
    qFatal("no such rule set");
}

report::GateFacts& at(VerdictFacts& facts, Gate gate)
{
    return facts.gates[static_cast<std::size_t>(gate)];
}

/// A gated, accepted kernel that passes the published audit's ten gates.
VerdictFacts passing()
{
    VerdictFacts facts;
    facts.status = "gated";
    facts.speedup = 1.5;
    for (const Gate gate : contract::kAllGates) {
        if (gate != Gate::Cmp02 && gate != Gate::Res02)
            at(facts, gate).verdict = Verdict::Pass;
    }
    return facts;
}

VerdictFacts failing(Gate gate, const std::string& reason = "")
{
    VerdictFacts facts = passing();
    at(facts, gate).verdict = Verdict::Fail;
    at(facts, gate).reason = reason;
    return facts;
}

VerdictFacts preGate(const std::string& status, const std::string& error)
{
    VerdictFacts facts;
    facts.status = status;
    facts.error = error;
    facts.speedup = 1.5;
    return facts;
}

/// What the published audit looks like where reference and candidate both emit NaN.
VerdictFacts nanOnBothSides()
{
    VerdictFacts facts = failing(Gate::Ord02, "run 0 and run 1 differ (non-deterministic)");
    at(facts, Gate::Ord01).verdict = Verdict::Fail;
    at(facts, Gate::Ord01).reason = "max_err=nan > atol=1.723e-04";
    at(facts, Gate::Ord03).verdict = Verdict::Fail;
    at(facts, Gate::Ord03).reason = "not within atol=1.0e-03/rtol=1.0e-03: max_err=nan (reduction)";
    return facts;
}

report::RuleOutcome judge(const std::string& rules, const VerdictFacts& facts)
{
    return report::evaluate(rulesOf(rules), facts);
}

/// A rule set with one floor channel and one violation channel.
std::string minimal(const std::string& floor, const std::string& violation, const std::string& forgiveness = "")
{
    return R"({"schema": "assay.rules/1", "name": "mine", "population": {"accepted": {"speedup_above": 0}}, "floor": [)" + floor
        + R"(], "violations": [)" + violation + R"(], "forgiveness": [)" + forgiveness + "]}";
}

} // namespace

void RuleEngineTest::acceptedNeedsASpeedupAboveTheBound()
{
    VerdictFacts facts = passing();
    QVERIFY(judge("as-published", facts).accepted);
    facts.speedup = 0.0; // how the corpus writes "rejected"
    QVERIFY(!judge("as-published", facts).accepted);
    facts.speedup.reset();
    QVERIFY(!judge("as-published", facts).accepted);
}

void RuleEngineTest::excludedStatusesAndArtifactsLeaveTheDenominator()
{
    QVERIFY(!judge("as-published", preGate("not_auditable", "no floating-point tensor input")).audited);
    QVERIFY(!judge("as-published", preGate("ref_broken", "")).audited);
    for (const char* error : {"CompilationError: x", "UnsupportedLanguageConstruct: x", "OutOfResources: x", "PTXASError: x"})
        QVERIFY(!judge("as-published", preGate("cand_native_fail", error)).audited);
    QVERIFY(!judge("as-published", preGate("sandbox_other", "worker: unpickle error")).audited);
    QVERIFY(judge("as-published", preGate("sandbox_timeout", "")).audited);
}

void RuleEngineTest::anArtifactNeedsItsStatusAndItsError()
{
    QVERIFY(judge("as-published", preGate("cand_native_fail", "TypeError: CompilationError")).audited);
    QVERIFY(judge("as-published", preGate("cand_load_fail", "CompilationError: x")).audited);
}

void RuleEngineTest::anyGateThatFailsIsAViolation()
{
    QVERIFY(!judge("as-published", passing()).anyViolation);
    for (const Gate gate : contract::kAllGates)
        QVERIFY(judge("as-published", failing(gate)).anyViolation);
    VerdictFacts facts = passing();
    at(facts, Gate::Cmp01).verdict = Verdict::Error;
    at(facts, Gate::Cmp03).verdict = Verdict::Inapplicable;
    QVERIFY(!judge("as-published", facts).anyViolation);
}

void RuleEngineTest::theFloorTakesOnlyItsChannels_data()
{
    QTest::addColumn<int>("gate");
    QTest::addColumn<bool>("inFloor");
    for (const Gate gate : contract::kAllGates)
        QTest::newRow(std::string(contract::id(gate)).c_str())
            << contract::indexOf(gate) << (gate == Gate::Exc01 || gate == Gate::Ord02);
}

void RuleEngineTest::theFloorTakesOnlyItsChannels()
{
    QFETCH(int, gate);
    QFETCH(bool, inFloor);
    QCOMPARE(judge("as-published", failing(static_cast<Gate>(gate))).toleranceFree, inFloor);
}

void RuleEngineTest::aRowOutsideTheDenominatorCountsNowhere()
{
    VerdictFacts facts = failing(Gate::Exc01);
    facts.speedup = 0.0;
    const report::RuleOutcome outcome = judge("as-published", facts);
    QVERIFY(!outcome.audited);
    QVERIFY(!outcome.toleranceFree);
    QVERIFY(!outcome.anyViolation);
}

void RuleEngineTest::aCudaErrorIsACrashWhateverTheGateSays()
{
    VerdictFacts facts = passing();
    at(facts, Gate::Res01).verdict = Verdict::Error;
    at(facts, Gate::Res01).reason = "gate crashed: AcceleratorError: CUDA error: misaligned address";
    const report::RuleOutcome outcome = judge("as-published", facts);
    QVERIFY(outcome.toleranceFree);
    QVERIFY(outcome.anyViolation);
    QCOMPARE(outcome.failMask, 0);
}

void RuleEngineTest::nanEqualForgivesTheThreeGatesAtOnce()
{
    QVERIFY(judge("as-published", nanOnBothSides()).toleranceFree);
    const report::RuleOutcome outcome = judge("nan-equal", nanOnBothSides());
    QVERIFY(outcome.audited);
    QVERIFY(!outcome.toleranceFree);
    QVERIFY(!outcome.anyViolation);
    QCOMPARE(outcome.forgiven.size(), std::size_t{3});
    QCOMPARE(outcome.forgiven[0], std::string("ORD-01"));
    QCOMPARE(outcome.forgiven[1], std::string("ORD-02"));
    QCOMPARE(outcome.forgiven[2], std::string("ORD-03"));
}

void RuleEngineTest::nanEqualWantsThatCmp01Passes()
{
    VerdictFacts facts = nanOnBothSides();
    at(facts, Gate::Cmp01).verdict = Verdict::Fail;
    QVERIFY(judge("nan-equal", facts).toleranceFree);
    QVERIFY(judge("nan-equal", facts).forgiven.empty());
    const report::RuleOutcome loose = judge("nan-equal-loose", facts);
    QVERIFY(!loose.toleranceFree);
    QVERIFY(loose.anyViolation); // CMP-01 itself is not forgiven
}

void RuleEngineTest::nanEqualForgivesNoOtherFailure()
{
    VerdictFacts facts = nanOnBothSides();
    at(facts, Gate::Exc01).verdict = Verdict::Fail;
    const report::RuleOutcome outcome = judge("nan-equal", facts);
    QVERIFY(outcome.toleranceFree);
    QVERIFY(outcome.anyViolation);
}

void RuleEngineTest::nanEqualLeavesDeterminismFailuresWithNumbersAlone()
{
    VerdictFacts facts = nanOnBothSides();
    at(facts, Gate::Ord01).reason = "max_err=1.0e-03 > atol=1.723e-04";
    QVERIFY(judge("nan-equal", facts).toleranceFree);
    facts = nanOnBothSides();
    at(facts, Gate::Ord02).reason = "exception during run: shape is invalid";
    QVERIFY(judge("nan-equal", facts).toleranceFree);
}

void RuleEngineTest::unionAddsTheFloorToTheViolations()
{
    VerdictFacts facts = passing();
    facts.outputAliasing = true;
    QVERIFY(judge("as-published", facts).toleranceFree);
    QVERIFY(!judge("as-published", facts).anyViolation);
    QVERIFY(judge("union", facts).anyViolation);
}

void RuleEngineTest::conditionsCanAskForReasonCodeAndNumberClass()
{
    const auto ruleSet
        = report::parseRuleSet(minimal(R"({"gate": "EXC-01", "reason_code": "nan_mask"})",
                                       R"({"gate": "any", "verdicts": ["fail", "timeout"], "value_class": "+inf"})"));
    const report::Rules rules = report::compileRules(ruleSet);
    VerdictFacts facts = failing(Gate::Exc01);
    QVERIFY(!report::evaluate(rules, facts).toleranceFree);
    at(facts, Gate::Exc01).reasonCode = "nan_mask";
    QVERIFY(report::evaluate(rules, facts).toleranceFree);
    QVERIFY(!report::evaluate(rules, facts).anyViolation);
    at(facts, Gate::Prc02).verdict = Verdict::Timeout;
    at(facts, Gate::Prc02).valueClass = tensor::ValueClass::PosInf;
    QVERIFY(report::evaluate(rules, facts).anyViolation);
}

void RuleEngineTest::theFailMaskLeavesForgivenGatesOut()
{
    VerdictFacts facts = nanOnBothSides();
    at(facts, Gate::Prc01).verdict = Verdict::Fail;
    QCOMPARE(judge("nan-equal", facts).failMask, 1 << contract::indexOf(Gate::Prc01));
    const contract::GateStrip strip = report::stripUnder(judge("nan-equal", facts), facts);
    QCOMPARE(strip.cell(Gate::Ord02), contract::StripCell::Pass);
    QCOMPARE(strip.cell(Gate::Cmp02), contract::StripCell::Absent);
    QCOMPARE(strip.failMask(), 1 << contract::indexOf(Gate::Prc01));
}

void RuleEngineTest::theHashIsThatOfTheCanonicalText()
{
    for (const report::RuleSet& ruleSet : report::builtInRuleSets()) {
        QCOMPARE(ruleSet.hash, sha256Hex(ruleSet.definition));
        QCOMPARE(report::parseRuleSet(ruleSet.definition).hash, ruleSet.hash);
    }
    // Rule sets are named in publications by their hash: changing a built-in one is changing the product's word.
    QCOMPARE(report::builtInRuleSets().front().hash.substr(0, 12), std::string("150f88c0976b"));
}

void RuleEngineTest::layoutAndKeyOrderDoNotChangeTheHash()
{
    const std::string one = minimal(R"({"gate": "EXC-01", "verdicts": ["fail"]})", R"({"status": ["gated"]})");
    const std::string other = minimal("{ \"verdicts\" : [\"fail\"],\n\"gate\":\"EXC-01\" }", R"({"status":["gated"]})");
    QCOMPARE(report::parseRuleSet(one).hash, report::parseRuleSet(other).hash);
}

void RuleEngineTest::whatIsNoRuleSetIsRefusedWithItsPlace_data()
{
    QTest::addColumn<std::string>("definition");
    QTest::addColumn<std::string>("where");
    const std::string gate = R"({"gate": "EXC-01"})";
    QTest::newRow("not JSON") << std::string("{\"schema\": ") << std::string("byte 11");
    QTest::newRow("a list") << std::string("[]") << std::string("whole document");
    QTest::newRow("unknown gate") << minimal(R"({"gate": "EXC-09"})", gate) << std::string("/floor/0/gate");
    QTest::newRow("unknown verdict") << minimal(gate, R"({"gate": "any", "verdicts": ["pass", "meh"]})")
                                     << std::string("/violations/0/verdicts/1");
    QTest::newRow("unknown member") << minimal(R"({"gate": "any", "reason_holds": "x"})", gate)
                                    << std::string("/floor/0/reason_holds");
    QTest::newRow("unknown class") << minimal(R"({"gate": "any", "value_class": "big"})", gate)
                                   << std::string("/floor/0/value_class");
    QTest::newRow("two channels in one") << minimal(R"({"status": ["a"], "output_aliasing": true})", gate)
                                         << std::string("/floor/0");
    QTest::newRow("floor of itself") << minimal(R"({"channel": "floor"})", gate) << std::string("/floor/0");
    QTest::newRow("text for a list") << minimal(R"({"status": "gated"})", gate) << std::string("/floor/0/status");
    QTest::newRow("forgiving without condition")
        << minimal(gate, gate, R"({"because": "x", "when": [], "forgive": [{"gate": "ORD-02"}]})")
        << std::string("/forgiveness/0/when");
    QTest::newRow("other schema") << std::string(R"({"schema": "assay.rules/9"})") << std::string("/schema");
    QTest::newRow("a name with a space") << std::string(
        R"({"schema": "assay.rules/1", "name": "my rules", "population": {"accepted": {"speedup_above": 0}}, "floor": [], "violations": []})")
                                         << std::string("/name");
}

void RuleEngineTest::whatIsNoRuleSetIsRefusedWithItsPlace()
{
    QFETCH(std::string, definition);
    QFETCH(std::string, where);
    try {
        report::parseRuleSet(definition);
        QFAIL("was taken for a rule set");
    } catch (const Error& error) {
        QCOMPARE(error.where(), where);
        QVERIFY(!error.remedy().empty());
    }
}

QTEST_APPLESS_MAIN(RuleEngineTest)
#include "tst_rule_engine.moc"
