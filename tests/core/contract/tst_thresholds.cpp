// SPDX-License-Identifier: Apache-2.0
#include "core/contract/judge.h"
#include "core/contract/shrink.h"
#include "tests/core/contract/fake_party.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace assay::contract;
using namespace assay::test;
using assay::tensor::DType;

namespace {

constexpr std::array kJudgedGates = {Gate::Cmp01, Gate::Ord01, Gate::Prc02};

/// The sum of every row, off by @p relative.
Operation sumOff(double relative)
{
    return reduceRows([relative](auto row) {
        using T = std::remove_cvref_t<decltype(row.front())>;
        T total = 0;
        for (const auto value : row)
            total += value;
        return static_cast<T>(total * (1 + relative));
    });
}

Thresholds cells(std::vector<ThresholdCell> cells)
{
    return {"0123abcd", std::move(cells)};
}

struct Judged {
    Judgement judgement;
    std::vector<ExcessSample> samples;

    const GateResult& of(Gate gate) const { return judgement.gates[static_cast<std::size_t>(indexOf(gate))]; }
    /// What the candidate itself measured.
    double excess(Gate gate) const
    {
        for (const ExcessSample& sample : samples) {
            if (sample.gate == gate && sample.source == "candidate")
                return assay::tensor::toDouble(sample.value);
        }
        return std::numeric_limits<double>::quiet_NaN();
    }
};

class Pair {
public:
    explicit Pair(const Operation& candidate)
        : m_reference(task(), sumOff(0))
        , m_candidate(candidate)
    {
        m_terms.gates = {kJudgedGates.begin(), kJudgedGates.end()};
        m_terms.gates.insert(Gate::Ord02); // whose own limits are nobody's matter of degree
    }

    Judged judge(const Thresholds& thresholds)
    {
        ExcessProbe probe(3, "sum of rows");
        JudgeOptions options;
        options.seed = 3;
        options.kernelIdentity = "sum of rows";
        options.thresholds = thresholds;
        options.probe = &probe;
        Judged judged;
        judged.judgement = assay::contract::judge(m_reference, m_candidate, m_terms, options, {});
        judged.samples = probe.samples();
        return judged;
    }

    Judgement shrunk(const Thresholds& thresholds)
    {
        JudgeOptions options;
        options.seed = 3;
        options.kernelIdentity = "sum of rows";
        options.thresholds = thresholds;
        Judgement judgement = assay::contract::judge(m_reference, m_candidate, m_terms, options, {});
        shrinkFailures(m_reference, m_candidate, m_terms, options, judgement);
        return judgement;
    }

private:
    static Task task()
    {
        Task task = taskOfSize(64, [](std::int64_t size) { return std::vector{normal({16, size})}; });
        task.extent = 64; // counting would take long
        return task;
    }

    FakeReference m_reference;
    FakeCandidate m_candidate;
    Contract m_terms;
};

} // namespace

class ThresholdsTest : public QObject {
    Q_OBJECT

private slots:
    void aCellDecidesWhereTheExcessPassesIt();
    void aCellAboveOneLetsMorePass();
    void aCheckSaysWhereItsThresholdComesFrom();
    void aCellIsForItsGateAndDtypeAlone();
    void gatesWithoutDegreeKnowNoThreshold();
    void hardFindingsStandUnderAnyThreshold();
    void aSmallerStimulusIsHeldToTheSameThreshold();
    void withoutThresholdsTheContractIsWhatItWas();
    void theTableIsPartOfTheContract();
};

void ThresholdsTest::aCellDecidesWhereTheExcessPassesIt()
{
    Pair pair(sumOff(1e-6));
    const Judged free = pair.judge({});
    for (const Gate gate : kJudgedGates) {
        const double excess = free.excess(gate);
        QVERIFY2(excess > 0.01 && excess < 1, qPrintable(QString::number(excess)));
        QCOMPARE(free.of(gate).verdict, Verdict::Pass);

        const Judged below = pair.judge(cells({{gate, DType::Float32, std::nextafter(excess, 0.0), 0.03}}));
        QCOMPARE(below.of(gate).verdict, Verdict::Fail);
        QCOMPARE(below.of(gate).severity, Severity::Soft);
        QVERIFY(below.of(gate).finding.find("Operands rounded") == std::string::npos); // fp32 itself may err as much
        QCOMPARE(below.excess(gate), excess); // what is measured does not hang on what decides

        const Judged at = pair.judge(cells({{gate, DType::Float32, excess, 0.03}}));
        QCOMPARE(at.of(gate).verdict, Verdict::Pass);
    }
}

void ThresholdsTest::aCellAboveOneLetsMorePass()
{
    Pair pair(sumOff(4e-5));
    const Judged free = pair.judge({});
    const double excess = free.excess(Gate::Cmp01);
    QVERIFY(excess > 1);
    QCOMPARE(free.of(Gate::Cmp01).verdict, Verdict::Fail);
    const Judged held = pair.judge(cells({{Gate::Cmp01, DType::Float32, excess, 0.03}}));
    QCOMPARE(held.of(Gate::Cmp01).verdict, Verdict::Pass);
    QVERIFY(held.of(Gate::Cmp01).finding.starts_with("Nothing exceeds the calibrated threshold of ")); // not the rules' own
    QCOMPARE(pair.judge(cells({{Gate::Cmp01, DType::Float32, excess / 2, 0.03}})).of(Gate::Cmp01).verdict, Verdict::Fail);
}

void ThresholdsTest::aCheckSaysWhereItsThresholdComesFrom()
{
    Pair pair(sumOff(1e-6));
    const Judged free = pair.judge({});
    const double excess = free.excess(Gate::Cmp01);
    const Judged judged = pair.judge(cells({{Gate::Cmp01, DType::Float32, excess / 2, 0.03}}));
    const GateResult& gate = judged.of(Gate::Cmp01);
    int calibrated = 0;
    for (const CheckResult& check : gate.checks) {
        if (!check.calibrated)
            continue;
        ++calibrated;
        QCOMPARE(check.calibrated->version, std::string("0123abcd"));
        QCOMPARE(check.calibrated->holdOutBound, 0.03);
        QCOMPARE(check.metric, std::string("excess"));
        QCOMPARE(check.threshold.value, excess / 2);
        // The number that is shown is the one that decides.
        QCOMPARE(check.verdict == Verdict::Fail, check.value.value > check.threshold.value);
    }
    QVERIFY(calibrated > 10);
    QVERIFY(gate.finding.find("worst excess") != std::string::npos);
    for (const CheckResult& check : judged.of(Gate::Ord01).checks)
        QVERIFY(!check.calibrated);
    for (const CheckResult& check : free.of(Gate::Cmp01).checks)
        QVERIFY(!check.calibrated && check.metric != "excess");
}

void ThresholdsTest::aCellIsForItsGateAndDtypeAlone()
{
    Pair pair(sumOff(1e-6));
    const double tiny = 1e-9;
    const Judged judged = pair.judge(cells({{Gate::Cmp01, DType::Float64, tiny, 0},
                                            {Gate::Cmp01, DType::BFloat16, tiny, 0},
                                            {Gate::Prc02, DType::Float32, tiny, 0}}));
    QCOMPARE(judged.of(Gate::Cmp01).verdict, Verdict::Pass);
    QCOMPARE(judged.of(Gate::Ord01).verdict, Verdict::Pass);
    QCOMPARE(judged.of(Gate::Prc02).verdict, Verdict::Fail);
}

void ThresholdsTest::gatesWithoutDegreeKnowNoThreshold()
{
    Pair pair(sumOff(1e-6));
    std::vector<ThresholdCell> all;
    for (const Gate gate : kAllGates) {
        if (!ExcessProbe::isCalibrated(gate))
            all.push_back({gate, DType::Float32, 1e-9, 0});
    }
    const Judged judged = pair.judge(cells(all));
    for (const Gate gate : {Gate::Cmp01, Gate::Ord01, Gate::Ord02, Gate::Prc02}) {
        QCOMPARE(judged.of(gate).verdict, Verdict::Pass);
        for (const CheckResult& check : judged.of(gate).checks)
            QVERIFY(!check.calibrated);
    }
}

void ThresholdsTest::hardFindingsStandUnderAnyThreshold()
{
    const Thresholds loose = cells({{Gate::Cmp01, DType::Float32, 1e30, 0}});
    Pair minting(reduceRows([](auto row) { return std::numeric_limits<std::remove_cvref_t<decltype(row[0])>>::quiet_NaN(); }));
    const Judged minted = minting.judge(loose);
    QCOMPARE(minted.of(Gate::Cmp01).verdict, Verdict::Fail);
    QCOMPARE(minted.of(Gate::Cmp01).severity, Severity::Hard);
    for (const CheckResult& check : minted.of(Gate::Cmp01).checks)
        QVERIFY(check.verdict == Verdict::Pass || !check.calibrated);

    // Integers that come out wrong are charged hard where values break the rules' own limit as well, whatever is calibrated.
    Pair off(sumOff(4e-5));
    const Judged free = off.judge({});
    QCOMPARE(free.of(Gate::Prc02).severity, Severity::Hard);
    const Judged held = off.judge(cells({{Gate::Prc02, DType::Float32, 1e30, 0}}));
    QCOMPARE(held.of(Gate::Prc02).severity, Severity::Hard);
    for (const CheckResult& check : held.of(Gate::Prc02).checks)
        QCOMPARE(check.verdict == Verdict::Fail, check.severity == Severity::Hard);

    Pair shapeless(elementwise([](auto x) { return x; })); // rows where their sums are wanted
    const Judged misshapen = shapeless.judge(loose);
    QCOMPARE(misshapen.judgement.verdict, Verdict::Fail);
    QVERIFY(misshapen.judgement.hardFailed);
}

void ThresholdsTest::aSmallerStimulusIsHeldToTheSameThreshold()
{
    Pair pair(sumOff(1e-6));
    const double excess = pair.judge({}).excess(Gate::Cmp01);
    const Judgement judgement = pair.shrunk(cells({{Gate::Cmp01, DType::Float32, excess / 2, 0.03}}));
    bool found = false;
    for (const CheckResult& check : judgement.gates[static_cast<std::size_t>(indexOf(Gate::Cmp01))].checks) {
        if (!check.shrunk || !check.shrunk->check)
            continue;
        found = true;
        QCOMPARE(check.shrunk->check->calibrated, check.calibrated);
        QVERIFY(check.shrunk->check->value.value > excess / 2);
    }
    QVERIFY(found);
}

void ThresholdsTest::withoutThresholdsTheContractIsWhatItWas()
{
    QCOMPARE(
        canonicalText(Contract{}),
        std::string(R"({"atomics":"forbid","bitwise_order":false,"cpu_budget_seconds":60,"gates":["CMP-01","CMP-02","CMP-03",)"
                    R"("EXC-01","EXC-02","ORD-01","ORD-02","ORD-03","PRC-01","PRC-02","RES-01","RES-02"],)"
                    R"("memory_budget":2147483648,"profile":"strict","repeats":32,"soft_failures":"fail",)"
                    R"("subnormals":"as-reference","tf32":"as-reference","training":"auto"})"));
}

void ThresholdsTest::theTableIsPartOfTheContract()
{
    Contract contract;
    contract.thresholds = {"0123abcd", "NVIDIA H200"};
    const std::string text = canonicalText(contract);
    QVERIFY(text.find(R"("tf32":"as-reference","thresholds":{"device":"NVIDIA H200","version":"0123abcd"},"training")")
            != std::string::npos);
    contract.thresholds.version = "0123abce";
    QVERIFY(canonicalText(contract) != text);
    contract.thresholds = {};
    QCOMPARE(canonicalText(contract), canonicalText(Contract{}));
}

QTEST_APPLESS_MAIN(ThresholdsTest)
#include "tst_thresholds.moc"
