// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gate_run.h"
#include "core/contract/judge.h"
#include "tests/core/contract/questioned.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

using namespace assay::contract;
using namespace assay::test;

namespace {

Task rows()
{
    Task task;
    task.inputs = {normal({4, 16})};
    return task;
}

Operation half()
{
    return elementwise([](auto x) { return x * decltype(x)(0.5); });
}

Operation zeroForNaN()
{
    return elementwise([](auto x) { return std::isnan(x) ? decltype(x)(0) : x * decltype(x)(0.5); });
}

Operation flushing()
{
    return elementwise([](auto x) {
        const auto y = x * decltype(x)(0.5);
        return std::abs(y) < decltype(x)(0x1p-126) ? decltype(x)(0) : y;
    });
}

constexpr auto kSum = [](auto row) { return std::accumulate(row.begin(), row.end(), decltype(row[0] + row[0])(0)); };
/// Of operands in TF32, which keeps ten bits of a fraction.
constexpr auto kRoughSum = [](auto row) {
    auto total = decltype(row[0] + row[0])(0);
    for (const auto value : row) {
        int exponent = 0;
        const auto fraction = std::frexp(value, &exponent);
        total += std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
    }
    return total;
};

/// Only the gates that these tests are about.
Contract exceptional()
{
    Contract contract;
    contract.gates = {Gate::Exc01, Gate::Exc02};
    return contract;
}

const GateResult& resultOf(const Judgement& judgement, Gate gate)
{
    return judgement.gates[static_cast<std::size_t>(indexOf(gate))];
}

struct Judged {
    explicit Judged(const Operation& candidate, const Contract& contract = exceptional(), const Operation& reference = half())
        : right(rows(), reference)
        , subject(candidate)
        , terms(contract)
    {
    }

    Judgement run(const JudgeOptions& options = {})
    {
        return judge(right, subject, terms, options, [this](const GateResult& result) { told.push_back(result.gate); });
    }

    FakeReference right;
    FakeCandidate subject;
    Contract terms;
    std::vector<Gate> told;
};

PartyFailure failure(PartyFailure::Kind kind, std::string message)
{
    return {kind, "ImportError", std::move(message), "", "load", false};
}

} // namespace

class JudgeTest : public QObject {
    Q_OBJECT

private slots:
    void theWorstCheckDecidesItsGate();
    void checksThatSaidNothingAreNotExercised();
    void aGateWithoutChecksHasNothingToAsk();
    void aSpentBudgetIsSaidOnce();
    void aGateThatAskedNothingHasAsLongAgain();
    void aCandidateThatTakesAllTheTimeTimesOutSoftly();
    void aReferenceThatTakesAllTheTimeIsNoFaultOfTheCandidate();
    void deathAndSilenceAreNoCleanFailures();
    void rightCandidatesPass();
    void hardFailuresAreToldApartFromSoftOnes();
    void aContractMayOnlyReportSoftFailures();
    void aReferenceThatCannotBeAskedIsInapplicable();
    void aCandidateThatCannotBeLoadedFails();
    void aCompilerThatIsNotHereIsNoFaultOfTheCandidate();
    void aCandidateThatRaisesOnItsOwnTaskFails();
    void aCandidateThatDiesIsACrash();
    void gatesOutsideTheContractStayAbsent();
    void aCandidateMayRoundAsTheShippedReferenceMay();
    void aCandidateMayRoundWhereTheReferenceHappensNotTo();
    void aStopRequestCancels();
};

void JudgeTest::theWorstCheckDecidesItsGate()
{
    // From worst to best; a clean check outweighs one that said nothing.
    const std::array order = {std::pair(Verdict::Crash, Severity::Hard),        std::pair(Verdict::Timeout, Severity::Hard),
                              std::pair(Verdict::Fail, Severity::Hard),         std::pair(Verdict::Fail, Severity::Soft),
                              std::pair(Verdict::Error, Severity::None),        std::pair(Verdict::Unsupported, Severity::None),
                              std::pair(Verdict::Pass, Severity::None),         std::pair(Verdict::Unknown, Severity::None),
                              std::pair(Verdict::NotExercised, Severity::None), std::pair(Verdict::Inapplicable, Severity::None)};
    for (std::size_t i = 1; i < order.size(); ++i)
        QVERIFY(badness(order[i - 1].first, order[i - 1].second) > badness(order[i].first, order[i].second));

    FakeReference reference(rows(), half());
    FakeCandidate candidate(half());
    Session session(reference, candidate, {}, {});
    GateRun run(session, Gate::Exc01);
    run.pass("inject", {});
    run.fail("spread", Severity::Soft, "spread", "soft one", {});
    QVERIFY(!run.hasHardFailure());
    run.fail("swallow", Severity::Hard, "swallow", "hard one", {}, "elements", 3, 0);
    run.fail("spread", Severity::Soft, "spread", "later soft one", {});
    QVERIFY(run.hasHardFailure());
    const GateResult result = run.finish("clean");
    QCOMPARE(result.gate, Gate::Exc01);
    QCOMPARE(result.verdict, Verdict::Fail);
    QCOMPARE(result.severity, Severity::Hard);
    QCOMPARE(result.finding, std::string("hard one"));
    QCOMPARE(result.reason, std::string("swallow"));
    QCOMPARE(result.checks[2].code, std::string("EXC-01.swallow"));
    QCOMPARE(result.checks[2].value.value, 3.0);
}

void JudgeTest::checksThatSaidNothingAreNotExercised()
{
    FakeReference reference(rows(), half());
    FakeCandidate candidate(half());
    Session session(reference, candidate, {}, {});
    GateRun run(session, Gate::Cmp01);
    run.other("value", Verdict::Inapplicable, "reference_refuses", "refused", {});
    run.other("value", Verdict::NotExercised, "vacuous", "nothing there", {});
    GateRun passing = run;
    const GateResult silent = run.finish("clean");
    QCOMPARE(silent.verdict, Verdict::NotExercised);
    QCOMPARE(silent.exercised, 0);
    QCOMPARE(silent.total, 2);
    passing.pass("value", {});
    const GateResult clean = passing.finish("clean");
    QCOMPARE(clean.verdict, Verdict::Pass);
    QCOMPARE(clean.exercised, 1);
    QCOMPARE(clean.total, 3);
    QCOMPARE(clean.finding, std::string("clean"));
}

void JudgeTest::aGateWithoutChecksHasNothingToAsk()
{
    FakeReference reference(rows(), half());
    FakeCandidate candidate(half());
    Session session(reference, candidate, {}, {});
    const GateResult result = GateRun(session, Gate::Cmp02).finish("clean");
    QCOMPARE(result.verdict, Verdict::Inapplicable);
    QCOMPARE(result.reason, std::string("no_check"));
}

void JudgeTest::aSpentBudgetIsSaidOnce()
{
    Contract contract;
    contract.cpuBudgetSeconds = 0;
    FakeReference reference(rows(), half());
    FakeCandidate candidate(half());
    Session session(reference, candidate, contract, {});
    GateRun run(session, Gate::Cmp01);
    QVERIFY(!run.mayGoOn("value"));
    const GateResult result = run.finish("clean");
    QCOMPARE(result.verdict, Verdict::NotExercised);
    QCOMPARE(result.reason, std::string("budget"));
}

void JudgeTest::aGateThatAskedNothingHasAsLongAgain()
{
    double now = 100;
    Contract contract;
    contract.cpuBudgetSeconds = 10;
    JudgeOptions options;
    options.clock = [&now] { return now; };
    FakeReference reference(rows(), half());
    FakeCandidate candidate(half());
    Session session(reference, candidate, contract, options);
    GateRun early(session, Gate::Cmp01);
    early.pass("value", {});
    QVERIFY(early.mayGoOn("value"));
    now = 111;
    QVERIFY(!early.mayGoOn("value"));
    GateRun late(session, Gate::Prc01);
    QVERIFY(late.mayGoOn("dtype"));
    late.other("dtype", Verdict::NotExercised, "vacuous", "nothing there", {});
    QVERIFY(late.mayGoOn("dtype"));
    late.pass("dtype", {});
    QVERIFY(!late.mayGoOn("dtype"));
    now = 120;
    QVERIFY(!GateRun(session, Gate::Ord01).mayGoOn("order"));
}

namespace {

/// half(), each element of which takes a quarter of a second by the clock of its options.
struct SlowHalf {
    double now = 100;
    JudgeOptions options;
    Operation operation = elementwise([this](auto x) {
        now += 0.25;
        return x * decltype(x)(0.5);
    });

    SlowHalf()
    {
        options.clock = [this] { return now; };
    }
    SlowHalf(const SlowHalf&) = delete;
    SlowHalf& operator=(const SlowHalf&) = delete;
};

} // namespace

void JudgeTest::aCandidateThatTakesAllTheTimeTimesOutSoftly()
{
    SlowHalf slow;
    Contract terms = exceptional();
    terms.cpuBudgetSeconds = 20;
    const Judgement judgement = Judged(slow.operation, terms).run(slow.options);
    const GateResult& late = resultOf(judgement, Gate::Exc02);
    QCOMPARE(late.verdict, Verdict::Timeout);
    QCOMPARE(late.severity, Severity::Soft);
    QCOMPARE(late.reason, std::string("slow"));
    QCOMPARE(late.checks.size(), std::size_t{1});
    QCOMPARE(judgement.verdict, Verdict::Fail);
    QVERIFY(!judgement.hardFailed);
    QVERIFY2(judgement.reason.find("more than the 20 s") != std::string::npos, judgement.reason.c_str());
    // What was not asked is no pass where soft failures are only reported.
    terms.softFailures = Contract::SoftFailures::Report;
    QCOMPARE(Judged(slow.operation, terms).run(slow.options).verdict, Verdict::Error);
}

void JudgeTest::aReferenceThatTakesAllTheTimeIsNoFaultOfTheCandidate()
{
    SlowHalf slow;
    Contract terms = exceptional();
    terms.cpuBudgetSeconds = 40;
    const Judgement judgement = Judged(half(), terms, slow.operation).run(slow.options);
    QCOMPARE(resultOf(judgement, Gate::Exc01).verdict, Verdict::NotExercised);
    QCOMPARE(judgement.verdict, Verdict::Error);
}

void JudgeTest::deathAndSilenceAreNoCleanFailures()
{
    FakeReference reference(rows(), half());
    FakeCandidate candidate(half());
    Session session(reference, candidate, {}, {});
    StimulusRecord record;
    record.label = "zeros";
    const auto folded = [&](PartyFailure::Kind kind) {
        GateRun run(session, Gate::Cmp01);
        run.failure("value", failure(kind, "why"), Severity::Soft, record);
        return run.finish("clean");
    };
    QCOMPARE(folded(PartyFailure::Kind::Raised).verdict, Verdict::Fail);
    QCOMPARE(folded(PartyFailure::Kind::Raised).severity, Severity::Soft);
    QCOMPARE(folded(PartyFailure::Kind::Died).verdict, Verdict::Crash);
    QCOMPARE(folded(PartyFailure::Kind::Nonsense).severity, Severity::Hard);
    QCOMPARE(folded(PartyFailure::Kind::TimedOut).verdict, Verdict::Timeout);
    QVERIFY(folded(PartyFailure::Kind::Died).finding.find("zeros") != std::string::npos);
}

void JudgeTest::rightCandidatesPass()
{
    Judged pair(half());
    const Judgement judgement = pair.run();
    QCOMPARE(judgement.verdict, Verdict::Pass);
    QVERIFY(!judgement.hardFailed);
    QCOMPARE(judgement.alignment, std::string("none needed"));
    QVERIFY(judgement.reason.empty());
    QCOMPARE(pair.told, (std::vector{Gate::Exc01, Gate::Exc02}));
}

void JudgeTest::hardFailuresAreToldApartFromSoftOnes()
{
    const Judgement hard = Judged(zeroForNaN()).run();
    QCOMPARE(hard.verdict, Verdict::Fail);
    QVERIFY(hard.hardFailed);
    QCOMPARE(hard.reason, resultOf(hard, Gate::Exc01).finding);
    const Judgement soft = Judged(flushing()).run();
    QCOMPARE(soft.verdict, Verdict::Fail);
    QVERIFY(!soft.hardFailed);
    QCOMPARE(resultOf(soft, Gate::Exc01).verdict, Verdict::Pass);
    QCOMPARE(soft.reason, resultOf(soft, Gate::Exc02).finding);
}

void JudgeTest::aContractMayOnlyReportSoftFailures()
{
    Contract lenient = exceptional();
    lenient.softFailures = Contract::SoftFailures::Report;
    const Judgement soft = Judged(flushing(), lenient).run();
    QCOMPARE(soft.verdict, Verdict::Pass);
    QCOMPARE(resultOf(soft, Gate::Exc02).verdict, Verdict::Fail);
    QCOMPARE(Judged(zeroForNaN(), lenient).run().verdict, Verdict::Fail);
}

void JudgeTest::aReferenceThatCannotBeAskedIsInapplicable()
{
    Judged unloadable(half());
    unloadable.right.loadFailure = failure(PartyFailure::Kind::NoEntry, "no Model");
    const Judgement judgement = unloadable.run();
    QCOMPARE(judgement.verdict, Verdict::Inapplicable);
    QVERIFY(!judgement.hardFailed);
    QVERIFY2(judgement.reason.find("no Model") != std::string::npos, judgement.reason.c_str());
    const Operation raising = elementwise([]([[maybe_unused]] auto x) -> decltype(x) {
        throw Raises{"RuntimeError", "needs a GPU"};
    });
    QCOMPARE(Judged(half(), exceptional(), raising).run().verdict, Verdict::Inapplicable);
}

void JudgeTest::aCandidateThatCannotBeLoadedFails()
{
    Judged unloadable(half());
    unloadable.subject.loadFailure = failure(PartyFailure::Kind::Raised, "No module named 'tritonic'");
    unloadable.subject.loadFailure->type = "ModuleNotFoundError";
    const Judgement load = unloadable.run();
    QCOMPARE(load.verdict, Verdict::Fail);
    QVERIFY(load.hardFailed);
    QVERIFY(load.reason.find("tritonic") != std::string::npos);
    Judged unbuildable(half());
    unbuildable.subject.buildFailure = failure(PartyFailure::Kind::Raised, "missing argument");
    QCOMPARE(unbuildable.run().verdict, Verdict::Fail);
}

void JudgeTest::aCompilerThatIsNotHereIsNoFaultOfTheCandidate()
{
    for (const char* const message : {"No module named 'triton'", "No module named 'cupy.cuda'"}) {
        Judged pair(half());
        pair.subject.loadFailure = failure(PartyFailure::Kind::Raised, message);
        pair.subject.loadFailure->type = "ModuleNotFoundError";
        const Judgement judgement = pair.run();
        QCOMPARE(judgement.verdict, Verdict::Error);
        QVERIFY(!judgement.hardFailed);
        QVERIFY2(judgement.reason.find("this Python does not have") != std::string::npos, judgement.reason.c_str());
    }
}

void JudgeTest::aCandidateThatRaisesOnItsOwnTaskFails()
{
    const Operation raising = elementwise([]([[maybe_unused]] auto x) -> decltype(x) {
        throw Raises{"TypeError", "unexpected argument"};
    });
    Contract contract = exceptional();
    contract.gates.insert(Gate::Cmp01);
    Judged pair(raising, contract);
    const Judgement judgement = pair.run();
    QCOMPARE(judgement.verdict, Verdict::Fail);
    QCOMPARE(resultOf(judgement, Gate::Cmp01).verdict, Verdict::Fail);
    QCOMPARE(resultOf(judgement, Gate::Exc01).verdict, Verdict::NotExercised);
    QCOMPARE(pair.told.size(), std::size_t{3});
}

void JudgeTest::aCandidateThatDiesIsACrash()
{
    const Operation dying = elementwise([]([[maybe_unused]] auto x) -> decltype(x) { throw Dies{}; });
    Contract contract = exceptional();
    contract.gates.insert(Gate::Cmp01);
    const Judgement judgement = Judged(dying, contract).run();
    QCOMPARE(judgement.verdict, Verdict::Fail);
    QVERIFY(judgement.hardFailed);
    QCOMPARE(resultOf(judgement, Gate::Cmp01).verdict, Verdict::Crash);
}

void JudgeTest::gatesOutsideTheContractStayAbsent()
{
    const Judgement judgement = Judged(half()).run();
    QCOMPARE(resultOf(judgement, Gate::Cmp01).verdict, Verdict::Absent);
    QCOMPARE(resultOf(judgement, Gate::Exc01).verdict, Verdict::Pass);
}

void JudgeTest::aCandidateMayRoundAsTheShippedReferenceMay()
{
    using Tf32 = Contract::Tf32;
    using Operations = std::vector<std::string>;
    // A secret: the reference computes by nothing that may round, whatever the settings of other operations are.
    for (const auto& [tf32, mayRound, device, verdict] :
         {std::tuple(Tf32::AsReference, Operations{"convolution"}, "cuda:0", Verdict::Pass),
          std::tuple(Tf32::AsReference, Operations{}, "cuda:0", Verdict::Fail),
          std::tuple(Tf32::AsReference, Operations{"convolution"}, "cpu", Verdict::Fail),
          std::tuple(Tf32::Forbid, Operations{"convolution"}, "cuda:0", Verdict::Fail),
          std::tuple(Tf32::Allow, Operations{}, "cuda:0", Verdict::Pass)}) {
        FakeReference reference(rows(), reduceRows(kSum));
        reference.process().tf32Ops = mayRound;
        FakeCandidate candidate(reduceRows(kRoughSum));
        Contract terms;
        terms.gates = {Gate::Cmp01, Gate::Prc02};
        terms.tf32 = tf32;
        JudgeOptions options;
        options.device = device;
        const Judgement judgement = judge(reference, candidate, terms, options, {});
        QVERIFY2(judgement.verdict == verdict, judgement.reason.c_str());
        const bool flagged
            = std::ranges::any_of(judgement.flags, [](const Flag& flag) { return flag.code == "tf32_as_reference"; });
        QCOMPARE(flagged, tf32 == Tf32::AsReference && verdict == Verdict::Pass);
        // Who reads the failure is told what it looks like.
        const std::string& finding = resultOf(judgement, Gate::Cmp01).finding;
        QVERIFY2(verdict == Verdict::Pass || finding.find("Operands rounded to TF32 or float16") != std::string::npos,
                 finding.c_str());
    }
}

/// The library behind the reference rounds at some sizes and not at others: a candidate that cuts a batch has other sizes.
void JudgeTest::aCandidateMayRoundWhereTheReferenceHappensNotTo()
{
    const Task task = taskOfSize(16, [](std::int64_t n) {
        if (n == 0)
            throw Raises{};
        return std::vector{normal({4, n})};
    });
    const Operation roughElsewhere = reduceRows([](auto row) { return row.size() == 16 ? kSum(row) : kRoughSum(row); });
    for (const bool mayRound : {true, false}) {
        FakeReference reference(task, reduceRows(kSum));
        if (mayRound)
            reference.process().tf32Ops = {"convolution"};
        FakeCandidate candidate(roughElsewhere);
        Contract terms;
        terms.gates = {Gate::Cmp03};
        JudgeOptions options;
        options.device = "cuda:0";
        const Judgement judgement = judge(reference, candidate, terms, options, {});
        QVERIFY2(judgement.verdict == (mayRound ? Verdict::Pass : Verdict::Fail), judgement.reason.c_str());
    }
}

void JudgeTest::aStopRequestCancels()
{
    std::stop_source source;
    source.request_stop();
    JudgeOptions options;
    options.stop = source.get_token();
    QVERIFY_THROWS_EXCEPTION(Cancelled, Judged(half()).run(options));
}

QTEST_GUILESS_MAIN(JudgeTest)
#include "tst_judge.moc"
