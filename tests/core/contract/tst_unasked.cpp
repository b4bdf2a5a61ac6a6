// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "core/contract/judge.h"
#include "tests/core/contract/questioned.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace assay::contract;
using namespace assay::test;

namespace {

using assay::tensor::DType;

Task rows(std::int64_t width = 32)
{
    Task task;
    task.inputs = {normal({4, width})};
    return task;
}

Task integers()
{
    Task task;
    task.inputs = {tensorOf({6}, {3, 1, 2, 5, 0, 4}, DType::Int64)};
    return task;
}

Operation half()
{
    return elementwise([](auto x) { return x * decltype(x)(0.5); });
}

Operation sums()
{
    return reduceRows([](auto row) {
        auto sum = row[0] * 0;
        for (const auto value : row)
            sum += value;
        return sum;
    });
}

/// Counts that hold no floating number, of integers.
Operation plusOne()
{
    return operation([](auto& given) {
        auto out = given.inputs[0];
        out.dtype = DType::Int64;
        for (auto& value : out.values)
            value += 1;
        return std::vector{out};
    });
}

/// Returns no element at all.
Operation nothing()
{
    return operation([](auto& given) {
        auto out = given.inputs[0];
        out.shape = {0};
        out.values.clear();
        return std::vector{out};
    });
}

Operation notANumber()
{
    return elementwise([](auto x) { return x * std::numeric_limits<decltype(x)>::quiet_NaN(); });
}

template <typename Thrown> Operation halfButFor(float limit)
{
    return elementwise([limit](auto x) {
        if (std::abs(x) > decltype(x)(limit))
            throw Thrown{};
        return x * decltype(x)(0.5);
    });
}

/// Built for one model.
Operation halfOfEightColumns()
{
    return operation([](auto& given) {
        auto out = given.inputs[0];
        if (out.row() != 8)
            throw Raises{"AssertionError", "built for 8 columns"};
        for (auto& value : out.values)
            value *= 0.5F;
        return std::vector{out};
    });
}

Questioned asked(GateResult (*gate)(Session&), const Task& task, const Operation& both, const Contract& contract = {})
{
    return question(gate, task, both, both, contract);
}

} // namespace

#define COMPARE_UNASKED(questioned, expectedVerdict, expectedReason)                                                             \
    QCOMPARE((questioned).result.verdict, expectedVerdict);                                                                      \
    QCOMPARE((questioned).result.reason, std::string(expectedReason));                                                           \
    QCOMPARE((questioned).result.exercised, 0);                                                                                  \
    QVERIFY(!(questioned).result.finding.empty())

/// Why gates are not asked: what the task does not hold is inapplicable, what the harness did not manage is not exercised.
class UnaskedTest : public QObject {
    Q_OBJECT

private slots:
    void integersHaveNoClassesAndNoSubnormals();
    void outputsWithoutElementsHaveNoValues();
    void valuesThatNobodyCanJudgeAreNotExercised();
    void dtypesAreAskedWhereValuesSayNothing();
    void inputsWithoutSizesHaveNoOtherShapes();
    void sizesOfTheModelAreNoOtherShapes();
    void oneRefusedSizeOfTheModelIsRemarkedOn();
    void noSizeOfTheModelIsAskedWhereAnswersAreDear();
    void elementwiseOperationsHaveNoOrder();
    void noGradientIsAskedOfAReferenceThatHasNone();
    void inputsBeyondTheMemoryAreNotExercised();
    void aReferenceThatDiesIsNotExercised();
    void anOracleThatRaisesIsNoTaskThatCannotBeAsked();
    void aJudgementThatCouldNotAskIsNoPass();
    void aJudgementWithNothingToAskInOneGatePasses();
};

void UnaskedTest::integersHaveNoClassesAndNoSubnormals()
{
    COMPARE_UNASKED(asked(&gates::nonFinite, integers(), plusOne()), Verdict::Inapplicable, "no_float_output");
    COMPARE_UNASKED(asked(&gates::subnormals, integers(), plusOne()), Verdict::Inapplicable, "no_float_input");
    COMPARE_UNASKED(asked(&gates::dtypeRegimes, integers(), plusOne()), Verdict::Inapplicable, "no_float_input");
    QCOMPARE(asked(&gates::inputVariation, integers(), plusOne()).result.verdict, Verdict::Pass);
}

void UnaskedTest::outputsWithoutElementsHaveNoValues()
{
    COMPARE_UNASKED(asked(&gates::inputVariation, rows(), nothing()), Verdict::Inapplicable, "empty");
}

void UnaskedTest::valuesThatNobodyCanJudgeAreNotExercised()
{
    COMPARE_UNASKED(asked(&gates::inputVariation, rows(), notANumber()), Verdict::NotExercised, "vacuous");
    COMPARE_UNASKED(asked(&gates::subnormals, rows(), notANumber()), Verdict::Inapplicable, "not_finite");
}

void UnaskedTest::dtypesAreAskedWhereValuesSayNothing()
{
    const Questioned questioned = asked(&gates::dtypeRegimes, rows(), notANumber());
    QCOMPARE(questioned.result.verdict, Verdict::Pass);
    QCOMPARE(questioned.result.exercised, 2); // bfloat16 and float16
    for (const CheckResult& check : questioned.result.checks)
        QCOMPARE(check.verdict == Verdict::Pass, check.code == "PRC-01.dtype");
}

void UnaskedTest::inputsWithoutSizesHaveNoOtherShapes()
{
    COMPARE_UNASKED(asked(&gates::shapes, rows(), half()), Verdict::Inapplicable, "no_sizes");
}

void UnaskedTest::sizesOfTheModelAreNoOtherShapes()
{
    const Task task = taskOfSize(8, [](std::int64_t size) { return std::vector{normal({4, size})}; });
    QCOMPARE(asked(&gates::shapes, task, half()).result.verdict, Verdict::Pass);
    COMPARE_UNASKED(asked(&gates::shapes, sizedByItsModel(task), half()), Verdict::Inapplicable, "model_sizes");
}

void UnaskedTest::oneRefusedSizeOfTheModelIsRemarkedOn()
{
    const Task task = sizedTwiceByItsModel();
    const Questioned questioned = question(&gates::shapes, task, half(), halfOfEightColumns());
    QVERIFY(questioned.hasFlag("specialised"));
    QCOMPARE(questioned.calls, 1); // the second size would say the same
    QCOMPARE(asked(&gates::shapes, task, half()).calls, 2);
    QVERIFY(!asked(&gates::shapes, task, half()).hasFlag("specialised"));
}

void UnaskedTest::noSizeOfTheModelIsAskedWhereAnswersAreDear()
{
    double now = 100;
    JudgeOptions options;
    options.clock = [&now] { return now; };
    FakeReference reference(sizedTwiceByItsModel(), half());
    FakeCandidate candidate(half());
    Session session(reference, candidate, {}, options);
    double seconds = 0;
    candidate.process().beforeCall = [&](Step::Memory) { now += seconds; };
    seconds = 4; // eight times as long is more than a gate of sizes may take of 60 s
    QVERIFY(!session.open());
    const int before = candidate.calls();
    QCOMPARE(gates::shapes(session).verdict, Verdict::Inapplicable);
    QCOMPARE(candidate.calls(), before);
    QCOMPARE(session.flags().size(), std::size_t{0});
}

void UnaskedTest::elementwiseOperationsHaveNoOrder()
{
    for (const auto gate : {&gates::reductionOrder, &gates::adversarialOrder, &gates::accumulator}) {
        COMPARE_UNASKED(asked(gate, rows(), half()), Verdict::Inapplicable, "no_reduction");
        QCOMPARE(asked(gate, rows(), sums()).result.verdict, Verdict::Pass);
    }
}

void UnaskedTest::noGradientIsAskedOfAReferenceThatHasNone()
{
    COMPARE_UNASKED(asked(&gates::gradient, rows(), half()), Verdict::Inapplicable, "reference_refuses");
    COMPARE_UNASKED(asked(&gates::gradient, integers(), plusOne()), Verdict::Inapplicable, "no_float_output");
    Contract contract;
    contract.training = Contract::Training::Off;
    COMPARE_UNASKED(asked(&gates::gradient, rows(), half(), contract), Verdict::Inapplicable, "training_off");
}

void UnaskedTest::inputsBeyondTheMemoryAreNotExercised()
{
    Contract contract;
    contract.memoryBudget = 1;
    COMPARE_UNASKED(asked(&gates::residency, rows(), half(), contract), Verdict::NotExercised, "memory");
}

void UnaskedTest::aReferenceThatDiesIsNotExercised()
{
    const Operation dying = operation([](auto& given) {
        for (const auto value : given.inputs[0].values) {
            if (std::isnan(value))
                throw Dies{};
        }
        return std::vector{given.inputs[0]};
    });
    const Questioned questioned = question(&gates::nonFinite, rows(), dying, half());
    const auto lost = std::ranges::find(questioned.result.checks, "reference_lost", &CheckResult::reason);
    QVERIFY(lost != questioned.result.checks.end());
    QCOMPARE(lost->verdict, Verdict::NotExercised);
    const Questioned refusing = question(&gates::nonFinite, rows(), halfButFor<Raises>(1e30F), half());
    const auto refused = std::ranges::find(refusing.result.checks, "reference_refuses", &CheckResult::reason);
    QVERIFY(refused != refusing.result.checks.end());
    QCOMPARE(refused->verdict, Verdict::Inapplicable);
}

void UnaskedTest::anOracleThatRaisesIsNoTaskThatCannotBeAsked()
{
    Task task = rows();
    task.extent = 1;
    Operation reference = half();
    reference.exact = [](Arguments<double>&) -> Outputs<double> { throw Raises{"AssertionError", "already registered"}; };
    for (const auto gate : {&gates::inputVariation, &gates::nonFinite}) {
        const Questioned questioned = question(gate, task, reference, half());
        COMPARE_UNASKED(questioned, Verdict::NotExercised, "oracle");
    }
    // What nobody could compare is no pass.
    FakeReference right(task, reference);
    FakeCandidate wrong(notANumber());
    Contract terms;
    terms.gates = {Gate::Cmp01, Gate::Exc01};
    const Judgement judgement = judge(right, wrong, terms, {}, {});
    QCOMPARE(judgement.verdict, Verdict::Error);
    QVERIFY(judgement.reason.find("cannot be evaluated in fp64") != std::string::npos);
}

void UnaskedTest::aJudgementThatCouldNotAskIsNoPass()
{
    Contract contract;
    contract.gates = {Gate::Exc02, Gate::Cmp01};
    contract.cpuBudgetSeconds = 0;
    FakeReference reference(rows(), half());
    FakeCandidate candidate(half());
    const Judgement judgement = judge(reference, candidate, contract, {});
    QCOMPARE(judgement.verdict, Verdict::Error);
    QCOMPARE(judgement.reason,
             std::string("CMP-01, EXC-02 apply and could not be asked: The time budget of this judgement was "
                         "spent before this check."));
}

void UnaskedTest::aJudgementWithNothingToAskInOneGatePasses()
{
    Contract contract;
    contract.gates = {Gate::Cmp01, Gate::Cmp03, Gate::Ord03, Gate::Res02};
    FakeReference reference(rows(), half());
    FakeCandidate candidate(half());
    const Judgement judgement = judge(reference, candidate, contract, {});
    QCOMPARE(judgement.verdict, Verdict::Pass);
    for (const Gate gate : {Gate::Cmp03, Gate::Ord03, Gate::Res02})
        QCOMPARE(judgement.gates[static_cast<std::size_t>(indexOf(gate))].verdict, Verdict::Inapplicable);
}

QTEST_GUILESS_MAIN(UnaskedTest)
#include "tst_unasked.moc"
