// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "core/contract/subnormal_stimuli.h"
#include "tests/core/contract/questioned.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace assay::contract;
using namespace assay::test;

namespace {

Task rows()
{
    Task task;
    task.inputs = {normal({8, 32})};
    return task;
}

Contract with(Contract::Subnormals policy)
{
    Contract contract;
    contract.subnormals = policy;
    return contract;
}

Questioned judged(const Operation& reference, const Operation& candidate, const Contract& contract = {})
{
    return question(&gates::subnormals, rows(), reference, candidate, contract);
}

/// In fp64 these numbers are normal, so an operation says itself what fp32 would call subnormal.
template <typename T> bool isSubnormal(T x)
{
    return x != 0 && std::abs(x) < static_cast<T>(0x1p-126);
}

template <typename T> T flushed(T x)
{
    return isSubnormal(x) ? T(0) : x;
}

Operation half()
{
    return elementwise([](auto x) { return x * decltype(x)(0.5); });
}

Operation halfThatFlushesResults()
{
    return elementwise([](auto x) { return flushed(x * decltype(x)(0.5)); });
}

/// Keeps subnormals in fp64, loses them in fp32: a reference on a device that flushes.
Operation halfOnAFlushingDevice()
{
    return {halfThatFlushesResults().single, half().exact};
}

bool passed(const Questioned& asked, std::string_view code)
{
    return std::ranges::any_of(asked.result.checks,
                               [code](const CheckResult& check) { return check.code == code && check.verdict == Verdict::Pass; });
}

} // namespace

class Exc02Test : public QObject {
    Q_OBJECT

private slots:
    void stimuliHoldWhatTheyPromise();
    void keptSubnormalsPass();
    void flushedResultsFailSoftly();
    void flushedInputsFailSoftly();
    void subnormalExponentialsAreAsked();
    void aReferenceThatRemovesThemMayBeFollowed();
    void whereTheReferenceFlushesBothWaysPass();
    void theContractOverridesTheReference();
    void nanFromSubnormalsIsHard();
    void nanFromNothingButSubnormalsIsHard();
    void garbageFromSubnormalsIsHard();
    void partialSumsThatAreFlushedAreNoGarbage();
    void garbageEverywhereIsAnotherGatesBusiness();
    void smallNumbersLostByCancellationAreNoGarbage();
    void withoutFloatingOutputsNothingApplies();
    void anIndexThatTheReferenceRefusesMayBeAccepted();
    void aWrappedIndexMustBeWrapped();
    void dyingOfAnIndexFailsSoftly();
    void integersThatAreNoIndexAreLeftAlone();
};

void Exc02Test::stimuliHoldWhatTheyPromise()
{
    Task task = rows();
    task.inputs.push_back(normal({8, 32}, 2));
    FakeReference reference(task, half());
    FakeCandidate candidate(half());
    Session session(reference, candidate, {}, {.seed = 1, .kernelIdentity = "k", .stop = {}});
    QVERIFY(!session.open());
    const auto stimuli = subnormalStimuli(session, session.working());
    QCOMPARE(stimuli.size(), std::size_t{10});
    const auto count = [](const HostTensor& leaf) {
        const std::vector<double> values = leaf.toDoubles();
        return std::ranges::count_if(values, [](double value) { return isSubnormal(value); });
    };
    int withSubnormals = 0;
    for (const SubnormalStimulus& made : stimuli) {
        std::int64_t before = 0;
        for (const HostTensor& leaf : made.stimulus->leaves)
            before += count(leaf);
        QCOMPARE(before > 0, made.hasSubnormalInputs());
        withSubnormals += made.hasSubnormalInputs();
        for (const HostTensor& leaf : made.flushed->leaves)
            QCOMPARE(count(leaf), 0);
        QVERIFY(made.record.recipe.find("pattern") != std::string::npos);
    }
    QCOMPARE(withSubnormals, 5);
    QVERIFY(std::ranges::all_of(stimuli[1].stimulus->leaves[0].toDoubles(), [](double value) { return isSubnormal(value); }));
    const std::vector<double> cycle = stimuli[0].stimulus->leaves[0].toDoubles();
    QCOMPARE(cycle[0], 0x1p-149);
    QCOMPARE(cycle[1], 0x1p-140);
    QCOMPARE(cycle[2], 0x1p-126 - 0x1p-149);
    QCOMPARE(cycle[9], -0x1p-126);
}

void Exc02Test::keptSubnormalsPass()
{
    const Questioned asked = judged(half(), half());
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(passed(asked, "EXC-02.n"));
    QVERIFY(passed(asked, "EXC-02.flush"));
}

void Exc02Test::flushedResultsFailSoftly()
{
    const Questioned asked = judged(half(), halfThatFlushesResults());
    QCOMPARE(asked.failureCode(), std::string("EXC-02.flush"));
    QCOMPARE(asked.result.severity, Severity::Soft);
    QVERIFY2(asked.result.finding.find("that the reference keeps") != std::string::npos, asked.result.finding.c_str());
}

void Exc02Test::flushedInputsFailSoftly()
{
    const Questioned asked = judged(elementwise([](auto x) { return x * decltype(x)(0x1p20); }),
                                    elementwise([](auto x) { return flushed(x) * decltype(x)(0x1p20); }));
    QCOMPARE(asked.failureCode(), std::string("EXC-02.flush"));
    QVERIFY2(asked.result.finding.find("reads subnormal inputs as zero") != std::string::npos, asked.result.finding.c_str());
}

void Exc02Test::subnormalExponentialsAreAsked()
{
    // Inputs that are subnormal themselves show nothing here: e^x is 1.
    const Questioned asked
        = judged(elementwise([](auto x) { return std::exp(x); }), elementwise([](auto x) { return flushed(std::exp(x)); }));
    QCOMPARE(asked.failureCode(), std::string("EXC-02.flush"));
    QCOMPARE(asked.failure()->stimulus.label, std::string("exponents of subnormal numbers"));
}

void Exc02Test::aReferenceThatRemovesThemMayBeFollowed()
{
    const Operation shrink = elementwise([](auto x) { return std::abs(x) <= decltype(x)(1e-30) ? decltype(x)(0) : x; });
    const Questioned asked = judged(shrink, shrink);
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(passed(asked, "EXC-02.n"));
}

void Exc02Test::whereTheReferenceFlushesBothWaysPass()
{
    const Questioned flushing = judged(halfOnAFlushingDevice(), halfThatFlushesResults());
    QCOMPARE(flushing.result.verdict, Verdict::Pass);
    QVERIFY(!flushing.hasFlag("keeps_subnormals"));
    const Questioned keeping = judged(halfOnAFlushingDevice(), half());
    QCOMPARE(keeping.result.verdict, Verdict::Pass);
    QVERIFY(keeping.hasFlag("keeps_subnormals"));
}

void Exc02Test::theContractOverridesTheReference()
{
    const Questioned preserve = judged(halfOnAFlushingDevice(), halfThatFlushesResults(), with(Contract::Subnormals::Preserve));
    QCOMPARE(preserve.failureCode(), std::string("EXC-02.flush"));
    const Questioned flush = judged(half(), half(), with(Contract::Subnormals::Flush));
    QCOMPARE(flush.failureCode(), std::string("EXC-02.flush"));
    QCOMPARE(flush.result.reason, std::string("kept"));
    QCOMPARE(judged(half(), halfThatFlushesResults(), with(Contract::Subnormals::Flush)).result.verdict, Verdict::Pass);
    QCOMPARE(judged(half(), halfThatFlushesResults(), with(Contract::Subnormals::Either)).result.verdict, Verdict::Pass);
}

void Exc02Test::nanFromSubnormalsIsHard()
{
    const Questioned asked
        = judged(half(), elementwise([](auto x) {
                     return isSubnormal(x) ? std::numeric_limits<decltype(x)>::quiet_NaN() : x * decltype(x)(0.5);
                 }));
    QCOMPARE(asked.failureCode(), std::string("EXC-02.n"));
    QCOMPARE(asked.result.severity, Severity::Hard);
    QCOMPARE(asked.result.reason, std::string("non_finite"));
}

void Exc02Test::nanFromNothingButSubnormalsIsHard()
{
    // Scaled by the largest number, which is flushed first: one normal number in the tensor hides it.
    const Operation scaling = operation([](auto& given) {
        auto out = given.inputs[0];
        using T = std::remove_cvref_t<decltype(out.values[0])>;
        T peak = 0;
        for (const T value : out.values)
            peak = std::max(peak, std::abs(value));
        const T ratio = peak == 0 || !std::isfinite(peak) ? T(1) : peak / flushed(peak);
        for (T& value : out.values)
            value = value * T(0.5) * ratio / ratio;
        return std::vector{out};
    });
    const Questioned asked = judged(half(), scaling);
    QCOMPARE(asked.failureCode(), std::string("EXC-02.n"));
    QCOMPARE(asked.failure()->stimulus.label, std::string("nothing but subnormal numbers"));
}

void Exc02Test::garbageFromSubnormalsIsHard()
{
    const Questioned asked
        = judged(half(), elementwise([](auto x) { return isSubnormal(x) ? decltype(x)(1) : x * decltype(x)(0.5); }));
    QCOMPARE(asked.failureCode(), std::string("EXC-02.n"));
    QCOMPARE(asked.result.severity, Severity::Hard);
    QCOMPARE(asked.result.reason, std::string("garbage"));
}

void Exc02Test::partialSumsThatAreFlushedAreNoGarbage()
{
    // As atomics on a GPU's global memory do: each block's sum that is subnormal becomes zero.
    const auto summed = [](bool flushes) {
        return reduceRows([flushes](auto row) {
            auto sum = row[0] * 0;
            for (std::size_t first = 0; first < row.size(); first += 4) {
                auto block = row[0] * 0;
                for (std::size_t i = first; i < std::min(first + 4, row.size()); ++i)
                    block += row[i];
                sum += flushes ? flushed(block) : block;
            }
            return sum;
        });
    };
    Task task;
    task.inputs = {normal({16, 64})};
    const Questioned asked = question(gates::subnormals, task, summed(false), summed(true));
    QCOMPARE(asked.result.verdict, Verdict::Fail);
    QCOMPARE(asked.result.severity, Severity::Soft);
    QCOMPARE(asked.failureCode(), std::string("EXC-02.flush"));
}

void Exc02Test::garbageEverywhereIsAnotherGatesBusiness()
{
    const Questioned asked = judged(elementwise([](auto x) { return x + decltype(x)(1); }),
                                    elementwise([](auto x) { return x + decltype(x)(1.25); }));
    QCOMPARE(asked.result.verdict, Verdict::Pass);
}

void Exc02Test::smallNumbersLostByCancellationAreNoGarbage()
{
    // Wrong for every small x, subnormal or not.
    const Questioned asked = judged(elementwise([](auto x) { return std::expm1(x); }),
                                    elementwise([](auto x) { return std::exp(x) - decltype(x)(1); }));
    QVERIFY2(asked.result.severity != Severity::Hard, asked.result.finding.c_str());
}

void Exc02Test::withoutFloatingOutputsNothingApplies()
{
    const Operation signs = operation([](auto& given) {
        auto out = given.inputs[0];
        out.dtype = assay::tensor::DType::Int32;
        for (auto& value : out.values)
            value = value > 0 ? 1 : 0;
        return std::vector{out};
    });
    const Questioned asked = judged(signs, signs);
    QCOMPARE(asked.result.verdict, Verdict::Inapplicable);
    QCOMPARE(asked.result.reason, std::string("no_float_output"));
}

namespace {

Task lookup()
{
    Task task;
    task.inputs = {normal({8, 4}), tensorOf({6}, {0, 3, 7, 2, 5, 1}, assay::tensor::DType::Int64)};
    return task;
}

enum class Policy { RefuseAll, WrapNegative, Clamp, Die };

Operation gather(Policy policy)
{
    return operation([policy](auto& given) {
        const auto& table = given.inputs[0];
        auto out = table;
        out.shape = {static_cast<std::int64_t>(given.inputs[1].values.size()), table.shape[1]};
        out.values.clear();
        for (const auto wanted : given.inputs[1].values) {
            auto index = static_cast<std::int64_t>(wanted);
            if (policy == Policy::WrapNegative && index < 0)
                index += table.shape[0];
            if (index < 0 || index >= table.shape[0]) {
                if (policy == Policy::Die)
                    throw Dies{};
                if (policy != Policy::Clamp)
                    throw Raises{"IndexError", "index out of range"};
                index = std::clamp<std::int64_t>(index, 0, table.shape[0] - 1);
            }
            const auto first = table.values.begin() + index * table.shape[1];
            out.values.insert(out.values.end(), first, first + table.shape[1]);
        }
        return std::vector{out};
    });
}

Questioned looked(Policy reference, Policy candidate)
{
    return question(&gates::subnormals, lookup(), gather(reference), gather(candidate));
}

} // namespace

void Exc02Test::anIndexThatTheReferenceRefusesMayBeAccepted()
{
    const Questioned parity = looked(Policy::RefuseAll, Policy::RefuseAll);
    QCOMPARE(parity.result.verdict, Verdict::Pass);
    QVERIFY(passed(parity, "EXC-02.o"));
    QVERIFY(!parity.hasFlag("permissive"));
    const Questioned clamped = looked(Policy::RefuseAll, Policy::Clamp);
    QCOMPARE(clamped.result.verdict, Verdict::Pass);
    QVERIFY(clamped.hasFlag("permissive"));
    QVERIFY(clamped.restarts > 0);
}

void Exc02Test::aWrappedIndexMustBeWrapped()
{
    QCOMPARE(looked(Policy::WrapNegative, Policy::WrapNegative).result.verdict, Verdict::Pass);
    QCOMPARE(looked(Policy::WrapNegative, Policy::Clamp).failureCode(), std::string("EXC-02.o"));
    QCOMPARE(looked(Policy::WrapNegative, Policy::RefuseAll).failureCode(), std::string("EXC-02.o"));
}

void Exc02Test::dyingOfAnIndexFailsSoftly()
{
    const Questioned asked = looked(Policy::RefuseAll, Policy::Die);
    QCOMPARE(asked.failureCode(), std::string("EXC-02.o"));
    QCOMPARE(asked.result.severity, Severity::Soft);
    QCOMPARE(asked.result.reason, std::string("out_of_bounds"));
}

void Exc02Test::integersThatAreNoIndexAreLeftAlone()
{
    const Questioned asked = looked(Policy::Clamp, Policy::Clamp);
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(!passed(asked, "EXC-02.o"));
}

QTEST_GUILESS_MAIN(Exc02Test)
#include "tst_exc02.moc"
