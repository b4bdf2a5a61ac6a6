// SPDX-License-Identifier: Apache-2.0
#include "core/contract/value_judge.h"
#include "tests/core/contract/fake_party.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace assay::contract;
using namespace assay::test;
using assay::tensor::DType;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kU = 0x1p-24;

HostTensor doubles(std::vector<double> values)
{
    const auto count = static_cast<std::int64_t>(values.size());
    return tensorOf({count}, std::move(values), DType::Float64);
}

/// Truth @p r with condition scales @p s; the shipped reference gives the truth itself.
LeafTruth truth(std::vector<double> r, std::vector<double> s, std::int64_t extent = 4)
{
    LeafTruth made;
    made.r64 = doubles(r);
    made.scale = doubles(std::move(s));
    made.conforming = {doubles(std::move(r))};
    made.extent = extent;
    return made;
}

} // namespace

class ValueJudgeTest : public QObject {
    Q_OBJECT

private slots:
    void gammaGrowsToInfinity();
    void theBoundIsTheSumOfItsTerms();
    void aReductionTooLongForItsTypeHasTheProbabilisticBound();
    void anErrorBeyondBoundAndNoiseFails();
    void noiseOfRightEvaluationsExcuses();
    void noiseOfOtherMagnitudesDoesNot();
    void aHighNoiseRatioInsideTheBoundIsCounted();
    void illConditionedElementsAreNotJudged();
    void whatIsClippedMayRoundItsOperandsToo();
    void extrapolatedStimuliNeedGrossErrors();
    void classesAreJudgedOneByOne();
    void mintsNearTheMaximumAreExcused();
    void mintsInAnEntryThatOverflowsAreExcused();
    void halvesHaveAShorterHeadroom();
    void zerosOfOtherSignAreCounted();
    void theOracleMayRoundUnlessToldOtherwise();
    void exactElementsCountWhereTheDecisionIsFirm();
};

void ValueJudgeTest::gammaGrowsToInfinity()
{
    QCOMPARE(gammaBound(1, 0.25), 0.25 / 0.75);
    QCOMPARE(gammaBound(4, 0.25), kInf);
    QCOMPARE(gammaBound(0, 0.25), 0.0);
}

void ValueJudgeTest::theBoundIsTheSumOfItsTerms()
{
    ValueRules rules;
    rules.oracleRounds = false;
    const double expected = gammaBound(4, 2 * kU) * (10 + 2) + kU * 2 + 0x1p-126;
    QCOMPARE(errorBounds(truth({2}, {10}), rules)[0], expected);
    rules.probabilistic = true;
    QCOMPARE(errorBounds(truth({2}, {10}), rules)[0], 4 * std::sqrt(4.0) * kU * 12 + kU * 2 + 0x1p-126);
    rules.boundFactor = 16;
    QCOMPARE(errorBounds(truth({2}, {10}), rules)[0], 16 * 4 * std::sqrt(4.0) * kU * 12 + 16 * kU * 2 + 0x1p-126);
}

void ValueJudgeTest::aReductionTooLongForItsTypeHasTheProbabilisticBound()
{
    ValueRules rules;
    rules.oracleRounds = false;
    rules.accumulatorRoundoff = 0x1p-8; // bfloat16, where gamma of 128 terms is infinite
    rules.outputRoundoff = 0x1p-8;
    const LeafTruth right = truth({1024}, {0}, 256);
    QCOMPARE(gammaBound(256, 2 * rules.accumulatorRoundoff), kInf);
    QCOMPARE(errorBounds(right, rules)[0], 4 * 16 * 0x1p-8 * 1024 + 0x1p-8 * 1024 + 0x1p-126);
    QVERIFY(judgeFloat(right, doubles({0}), rules).boundBroken());
    QVERIFY(!judgeFloat(right, doubles({900}), rules).boundBroken());
}

void ValueJudgeTest::anErrorBeyondBoundAndNoiseFails()
{
    const LeafTruth right = truth({1, 2, 3}, {1, 2, 3});
    const ValueFinding good = judgeFloat(right, doubles({1, 2, 3}), {});
    QVERIFY(!good.boundBroken());
    QCOMPARE(good.judged, 3);
    QCOMPARE(good.worstOverBound, 0.0);
    const ValueFinding bad = judgeFloat(right, doubles({1, 2.001, 3}), {});
    QCOMPARE(bad.beyondBound, 1);
    QCOMPARE(bad.worstPosition, 1);
    QCOMPARE(bad.worstReference, 2.0);
    QCOMPARE(bad.worstCandidate, 2.001);
    QVERIFY(bad.worstOverBound > 100);
    QVERIFY(std::abs(bad.worstRelative - 5e-4) < 1e-9);
}

void ValueJudgeTest::noiseOfRightEvaluationsExcuses()
{
    LeafTruth right = truth({1, 2, 3}, {1, 2, 3});
    right.conforming.push_back(doubles({1, 2.001, 3}));
    QVERIFY(!judgeFloat(right, doubles({1, 2.0011, 3}), {}).boundBroken());
    QVERIFY(judgeFloat(right, doubles({1, 2.05, 3}), {}).boundBroken());
}

void ValueJudgeTest::noiseOfOtherMagnitudesDoesNot()
{
    LeafTruth right = truth({1e-6, 2e3}, {1e-6, 2e3});
    right.conforming.push_back(doubles({1.1e-6, 2e3}));
    QVERIFY(judgeFloat(right, doubles({1e-6, 2.1e3}), {}).boundBroken());
    QVERIFY(!judgeFloat(right, doubles({1.1e-6, 2e3}), {}).boundBroken());
}

void ValueJudgeTest::aHighNoiseRatioInsideTheBoundIsCounted()
{
    // N is large, so the bound is wide; 1000 roundings off is far from what right evaluations give.
    const LeafTruth right = truth({1}, {1}, 4096);
    const HostTensor candidate = doubles({1 + 2 * 8000 * kU});
    const ValueFinding found = judgeFloat(right, candidate, {});
    QVERIFY(!found.boundBroken());
    QCOMPARE(found.noisy, 1);
    QVERIFY(found.worstRho > 30);
    ValueRules lenient;
    lenient.judgeNoiseRatio = false;
    QCOMPARE(judgeFloat(right, candidate, lenient).noisy, 0);
}

void ValueJudgeTest::illConditionedElementsAreNotJudged()
{
    const LeafTruth right = truth({1e-9, 1}, {1e6, 1});
    const ValueFinding found = judgeFloat(right, doubles({1e-3, 1}), {});
    QCOMPARE(found.illConditioned, 1);
    QCOMPARE(found.judged, 1);
    QVERIFY(!found.boundBroken());
    QVERIFY(judgeFloat(right, doubles({1e3, 1}), {}).boundBroken()); // no conditioning explains that
}

/// What a ReLU clips has no scale of its own: barely below zero in truth, barely above with rounded operands.
void ValueJudgeTest::whatIsClippedMayRoundItsOperandsToo()
{
    ValueRules rules;
    rules.nativeScale = 0.5;
    const LeafTruth right = truth({0, 0.5}, {0, 0.5}, 54);
    QCOMPARE(judgeFloat(right, doubles({1e-4, 0.5}), rules).beyondBound, 1);
    QCOMPARE(judgeFloat(right, doubles({5e-7, 0.5}), rules).beyondBound, 0);
    rules.operandRoundoff = 0x1p-11;
    QCOMPARE(judgeFloat(right, doubles({1e-4, 0.5}), rules).beyondBound, 0);
    QCOMPARE(judgeFloat(right, doubles({1e-2, 0.5}), rules).beyondBound, 1);
    // A thousand times the task's own draw rounds a thousand times as far.
    const LeafTruth large = truth({0, 500}, {0, 500}, 54);
    QCOMPARE(judgeFloat(large, doubles({0.1, 500}), rules).beyondBound, 0);
    QCOMPARE(judgeFloat(large, doubles({10, 500}), rules).beyondBound, 1);
    rules.operandRoundoff = 0;
    QCOMPARE(judgeFloat(large, doubles({0.1, 500}), rules).beyondBound, 1);
}

void ValueJudgeTest::extrapolatedStimuliNeedGrossErrors()
{
    const LeafTruth right = truth({1}, {1});
    ValueRules rules;
    rules.extrapolated = true;
    QVERIFY(!judgeFloat(right, doubles({1.005}), rules).boundBroken());
    QVERIFY(judgeFloat(right, doubles({1.02}), rules).boundBroken());
}

void ValueJudgeTest::classesAreJudgedOneByOne()
{
    const LeafTruth right = truth({kNaN, kInf, -kInf, 1, kNaN, kInf}, {0, 0, 0, 1, 0, 0});
    const ValueFinding found = judgeFloat(right, doubles({1, -kInf, kNaN, 1, kNaN, kInf}), {});
    QCOMPARE(found.swallowed, 1);
    QCOMPARE(found.signFlipped, 1);
    QCOMPARE(found.kindDiffers, 1);
    QCOMPARE(found.minted, 0);
    QCOMPARE(found.firstClassMismatch, 0);
    QCOMPARE(judgeFloat(truth({1, 2}, {1, 1}), doubles({1, kNaN}), {}).minted, 1);
}

void ValueJudgeTest::mintsNearTheMaximumAreExcused()
{
    const ValueFinding found = judgeFloat(truth({1e37, 1e25}, {1e37, 1e25}), doubles({kInf, kInf}), {});
    QCOMPARE(found.mintExcused, 1);
    QCOMPARE(found.minted, 1);
    LeafTruth shared = truth({1, 2}, {1, 2});
    shared.conforming.push_back(doubles({kInf, 2}));
    const ValueFinding both = judgeFloat(shared, doubles({kInf, 2}), {});
    QCOMPARE(both.minted, 0);
    QCOMPARE(both.overflowShared, 1);
}

void ValueJudgeTest::mintsInAnEntryThatOverflowsAreExcused()
{
    LeafTruth right = truth({kInf, 1, 1, 1}, {0, 1, 1, 1});
    for (HostTensor* tensor : {&right.r64, &right.scale, &right.conforming[0]})
        *tensor = HostTensor::fromDoubles(DType::Float64, {2, 2}, tensor->toDoubles());
    ValueRules rules;
    rules.batchExtent = 2;
    const HostTensor candidate = tensorOf({2, 2}, {kInf, kNaN, kNaN, 1});
    const ValueFinding found = judgeFloat(right, candidate, rules);
    QCOMPARE(found.mintExcused, 1); // beside the infinity
    QCOMPARE(found.minted, 1);      // in the other entry
}

void ValueJudgeTest::halvesHaveAShorterHeadroom()
{
    ValueRules rules;
    rules.outputLargest = 65504;
    rules.halfRange = true;
    const ValueFinding found = judgeFloat(truth({5000, 100}, {1, 1}), doubles({kInf, kInf}), rules);
    QCOMPARE(found.mintExcused, 1);
    QCOMPARE(found.minted, 1);
}

void ValueJudgeTest::zerosOfOtherSignAreCounted()
{
    const ValueFinding found = judgeFloat(truth({0, -0.0, 1}, {0, 0, 1}), doubles({-0.0, -0.0, 1}), {});
    QCOMPARE(found.signedZeros, 1);
    QVERIFY(!found.boundBroken());
}

void ValueJudgeTest::theOracleMayRoundUnlessToldOtherwise()
{
    const LeafTruth tiny = truth({1e-40}, {1e-40});
    ValueRules rules;
    rules.inputLargest = 3;
    QVERIFY(errorBounds(tiny, rules)[0] > 1e-15);
    rules.oracleRounds = false;
    QVERIFY(errorBounds(tiny, rules)[0] < 2e-38);
}

void ValueJudgeTest::exactElementsCountWhereTheDecisionIsFirm()
{
    const HostTensor reference = tensorOf({4}, {1, 2, 3, 4}, DType::Int64);
    const HostTensor candidate = tensorOf({4}, {1, 0, 3, 9}, DType::Int64);
    const ExactFinding all = judgeExact(reference, candidate, std::nullopt);
    QCOMPARE(all.different, 2);
    QCOMPARE(all.worstPosition, 1);
    QCOMPARE(all.reference, 2.0);
    QCOMPARE(all.candidate, 0.0);
    const ExactFinding firm = judgeExact(reference, candidate, tensorOf({4}, {1, 0, 1, 1}, DType::Bool));
    QCOMPARE(firm.judged, 3);
    QCOMPARE(firm.different, 1);
    QCOMPARE(firm.worstPosition, 3);
}

QTEST_GUILESS_MAIN(ValueJudgeTest)
#include "tst_value_judge.moc"
