// SPDX-License-Identifier: Apache-2.0
#include "core/contract/excess_probe.h"
#include "core/contract/judge.h"
#include "tests/core/contract/fake_party.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace assay::contract;
using namespace assay::test;
using assay::tensor::DType;

namespace {

/// What is collected while @p candidate is judged against the sum of every row.
std::vector<ExcessSample> collected(const Operation& candidate, std::uint64_t seed = 3)
{
    const auto sum = reduceRows([](auto row) {
        std::remove_cvref_t<decltype(row.front())> total = 0;
        for (const auto value : row)
            total += value;
        return total;
    });
    Task task = taskOfSize(64, [](std::int64_t size) { return std::vector{normal({16, size})}; });
    task.extent = 64; // counting would take long
    FakeReference right(task, sum);
    FakeCandidate subject(candidate);
    Contract terms;
    terms.gates = {Gate::Cmp01, Gate::Ord01, Gate::Ord02, Gate::Prc02};
    ExcessProbe probe(seed, "sum of rows");
    JudgeOptions options;
    options.seed = seed;
    options.kernelIdentity = "sum of rows";
    options.probe = &probe;
    judge(right, subject, terms, options, {});
    return probe.samples();
}

Operation backwardsSum()
{
    return reduceRows([](auto row) {
        std::remove_cvref_t<decltype(row.front())> total = 0;
        for (std::size_t i = row.size(); i > 0; --i)
            total += row[i - 1];
        return total;
    });
}

std::vector<ExcessSample> of(const std::vector<ExcessSample>& all, Gate gate, const std::string& source)
{
    std::vector<ExcessSample> found;
    std::ranges::copy_if(all, std::back_inserter(found),
                         [&](const ExcessSample& sample) { return sample.gate == gate && sample.source == source; });
    return found;
}

double valueOf(const ExcessSample& sample)
{
    return assay::tensor::toDouble(sample.value);
}

LeafTruth truthOf(std::vector<double> values)
{
    const auto count = static_cast<std::int64_t>(values.size());
    LeafTruth truth;
    truth.r64 = tensorOf({count}, values, DType::Float64);
    truth.scale = tensorOf({count}, std::vector<double>(values.size(), 1.0), DType::Float64);
    truth.conforming = {tensorOf({count}, values)};
    truth.extent = 16;
    return truth;
}

void look(ExcessProbe& probe, DType dtype, const LeafTruth& truth, const HostTensor& answer)
{
    probe.look(dtype, truth, judgeFloat(truth, answer, {}), {});
}

} // namespace

class ExcessProbeTest : public QObject {
    Q_OBJECT

private slots:
    void theLimitIsOne();
    void rightAnswersStayFarBelowTheLimit();
    void largerPerturbationsLieFurtherOut();
    void roundedOperandsAreSeen();
    void onlyGatesOfDegreeAreMeasured();
    void theSameSeedGivesTheSameSamples();
    void whatIsNotFiniteIsNaN();
    void theWorstCheckCounts();
    void aMeasuredJudgementEndsLikeAnyOther();
};

void ExcessProbeTest::theLimitIsOne()
{
    // Whatever is charged exceeds 1 and nothing else does, bound and noise ratio taken together.
    const LeafTruth truth = truthOf({1, 2, 3, 4});
    const ValueMeter meter(truth, {});
    for (double error = 0x1p-30; error < 1; error *= 1.25) {
        const ValueFinding found = meter.judge(std::vector<double>{1, 2, 3 + error, 4});
        QCOMPARE(found.boundBroken(), found.worstExcess > 1);
        QCOMPARE(found.noisy > 0, found.worstNoise > 1);
    }
}

void ExcessProbeTest::rightAnswersStayFarBelowTheLimit()
{
    const auto samples = collected(backwardsSum());
    for (const Gate gate : {Gate::Cmp01, Gate::Ord01, Gate::Prc02}) {
        const auto candidate = of(samples, gate, "candidate");
        QCOMPARE(candidate.size(), 1U);
        QCOMPARE(candidate.front().kind, ExcessKind::Conforming);
        QCOMPARE(candidate.front().dtype, DType::Float32);
        QVERIFY(candidate.front().checks > 1);
        QVERIFY(valueOf(candidate.front()) < 0.25);
        QCOMPARE(of(samples, gate, "shipped").size(), 1U);
    }
}

void ExcessProbeTest::largerPerturbationsLieFurtherOut()
{
    const auto samples = collected(backwardsSum());
    for (const char* source : {"multiplicative", "additive", "spike"}) {
        const auto found = of(samples, Gate::Cmp01, source); // by scale
        QCOMPARE(found.size(), 24U);
        QCOMPARE(found.front().scale, 1e-8);
        QVERIFY(std::abs(found.back().scale - 1e-1) < 1e-12);
        QVERIFY(valueOf(found.front()) < 1);
        QVERIFY(valueOf(found.back()) > 100);
        for (std::size_t i = 12; i < found.size(); ++i)
            QVERIFY2(valueOf(found[i]) > valueOf(found[i - 1]), source);
    }
    const auto truncated = of(samples, Gate::Cmp01, "truncation");
    QCOMPARE(truncated.size(), 22U);
    QVERIFY(valueOf(truncated.back()) > valueOf(truncated.front())); // 1 bit against 22
}

void ExcessProbeTest::roundedOperandsAreSeen()
{
    const auto samples = collected(backwardsSum());
    for (const char* source : {"tf32 operands", "float16 operands", "bfloat16 operands"}) {
        const auto found = of(samples, Gate::Prc02, source);
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found.front().kind, ExcessKind::Perturbed);
        QVERIFY2(valueOf(found.front()) > 1, source);
    }
    QCOMPARE(of(samples, Gate::Prc02, "tf32 operands").front().scale, 0x1p-11);
    QCOMPARE(of(samples, Gate::Prc02, "bfloat16 operands").front().scale, 0x1p-8);
    QVERIFY(valueOf(of(samples, Gate::Prc02, "bfloat16 operands").front())
            > valueOf(of(samples, Gate::Prc02, "tf32 operands").front()));
}

void ExcessProbeTest::onlyGatesOfDegreeAreMeasured()
{
    std::set<Gate> gates;
    for (const ExcessSample& sample : collected(backwardsSum()))
        gates.insert(sample.gate);
    QCOMPARE(gates, (std::set<Gate>{Gate::Cmp01, Gate::Ord01, Gate::Prc02}));
}

void ExcessProbeTest::theSameSeedGivesTheSameSamples()
{
    const auto once = collected(backwardsSum(), 7);
    const auto again = collected(backwardsSum(), 7);
    const auto other = collected(backwardsSum(), 8);
    QCOMPARE(once.size(), again.size());
    for (std::size_t i = 0; i < once.size(); ++i)
        QVERIFY(once[i].value == again[i].value && once[i].source == again[i].source);
    QVERIFY(std::ranges::any_of(of(other, Gate::Cmp01, "multiplicative"), [&](const ExcessSample& sample) {
        return std::ranges::none_of(of(once, Gate::Cmp01, "multiplicative"),
                                    [&](const ExcessSample& mine) { return mine.value == sample.value; });
    }));
}

void ExcessProbeTest::whatIsNotFiniteIsNaN()
{
    ExcessProbe probe(0, "k");
    probe.enter(Gate::Cmp01);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    look(probe, DType::Float32, truthOf({1, 2, 3}), tensorOf({3}, {1, nan, 3}));
    const auto samples = probe.samples();
    QCOMPARE(of(samples, Gate::Cmp01, "candidate").front().value.valueClass, assay::tensor::ValueClass::NaN);
    QVERIFY(of(samples, Gate::Cmp01, "shipped").front().value.isFinite());

    // The shipped reference overflows itself: a right candidate is excused, and so is the reference.
    ExcessProbe excused(0, "k");
    excused.enter(Gate::Prc01);
    LeafTruth truth = truthOf({1, 2, 3});
    truth.conforming = {tensorOf({3}, {1, nan, 3})};
    look(excused, DType::Float32, truth, tensorOf({3}, {1, nan, 3}));
    for (const char* source : {"candidate", "shipped"})
        QVERIFY(of(excused.samples(), Gate::Prc01, source).front().value.isFinite());
}

void ExcessProbeTest::theWorstCheckCounts()
{
    ExcessProbe probe(0, "k");
    probe.enter(Gate::Ord01);
    const LeafTruth truth = truthOf({1, 2, 3});
    look(probe, DType::Float32, truth, tensorOf({3}, {1, 2, 3.5}));
    look(probe, DType::Float32, truth, tensorOf({3}, {1, 2, 3}));
    look(probe, DType::Float16, truth, tensorOf({3}, {1, 2, 3}));
    const auto found = of(probe.samples(), Gate::Ord01, "candidate");
    QCOMPARE(found.size(), 2U); // a dtype each
    QCOMPARE(found[0].dtype, DType::Float32);
    QCOMPARE(found[0].checks, 2);
    QVERIFY(valueOf(found[0]) > 1);
    QCOMPARE(valueOf(found[1]), 0.0);
}

void ExcessProbeTest::aMeasuredJudgementEndsLikeAnyOther()
{
    Task task = taskOfSize(64, [](std::int64_t size) { return std::vector{normal({16, size})}; });
    task.extent = 64;
    const auto judged = [&](ExcessProbe* probe) {
        FakeReference right(task, backwardsSum());
        FakeCandidate subject(backwardsSum());
        Contract terms;
        terms.gates = {Gate::Cmp01, Gate::Cmp03, Gate::Ord01, Gate::Prc02};
        JudgeOptions options;
        options.probe = probe;
        return judge(right, subject, terms, options, {});
    };
    ExcessProbe probe(0, "k");
    const Judgement with = judged(&probe);
    const Judgement without = judged(nullptr);
    QCOMPARE(with.verdict, Verdict::Pass);
    QCOMPARE(without.verdict, Verdict::Pass);
    for (std::size_t gate = 0; gate < with.gates.size(); ++gate)
        QCOMPARE(with.gates[gate].checks.size(), without.gates[gate].checks.size());
}

QTEST_APPLESS_MAIN(ExcessProbeTest)
#include "tst_excess_probe.moc"
