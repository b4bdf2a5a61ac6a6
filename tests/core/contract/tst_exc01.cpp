// SPDX-License-Identifier: Apache-2.0
#include "core/contract/class_confusion.h"
#include "core/contract/gates/gates.h"
#include "tests/core/contract/questioned.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

using namespace assay::contract;
using namespace assay::test;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Task rows()
{
    Task task;
    task.inputs = {normal({4, 16})};
    return task;
}

Questioned judged(const Task& task, const Operation& reference, const Operation& candidate, const ModuleState& state = {})
{
    return question(&gates::nonFinite, task, reference, candidate, {}, state);
}

Operation rowMaximum()
{
    return reduceRows([](auto row) {
        auto best = row[0];
        for (const auto value : row)
            best = std::isnan(best) || !(value <= best) ? (std::isnan(best) ? best : value) : best;
        return best;
    });
}

Operation half()
{
    return elementwise([](auto x) { return x * decltype(x)(0.5); });
}

template <typename Row> void stableSoftmax(Row row)
{
    auto top = row[0];
    for (const auto value : row)
        top = std::max(top, value);
    using T = decltype(top);
    T sum = 0;
    for (auto& value : row)
        sum += value = std::exp(value - top);
    for (auto& value : row)
        value /= sum;
}

/// A row divided by its norm, whose square gets @p epsilon added.
Operation normalised(double epsilon)
{
    return mapRows([epsilon](auto row) {
        using T = std::remove_cvref_t<decltype(row[0])>;
        T sum = 0;
        for (const T value : row)
            sum += value * value;
        for (T& value : row)
            value /= std::sqrt(sum + static_cast<T>(epsilon));
    });
}

} // namespace

class Exc01Test : public QObject {
    Q_OBJECT

private slots:
    void classesAreCountedWhereTheOraclesAgree();
    void aMaximumThatSkipsNaNSwallows();
    void aMaximumThatStartsAtTheLowestNumberSwallows();
    void anotherOrderOfTheSameMaximumPasses();
    void aTurnedInfinityIsASign();
    void theSignOfWhatCancelsIsANote();
    void naNForInfinityIsANote();
    void aSkippedProductWithZeroIsStructural();
    void spreadingInsideABatchEntryIsANote();
    void spreadingToAnotherBatchEntryFailsSoftly();
    void whereEntriesDependOnEachOtherNothingSpreads();
    void aReferenceThatSwallowsMayBeFollowed();
    void infinityOverInfinityIsMinted();
    void aMintBesideAnOverflowIsExcused();
    void aZeroRowHiddenByAnEpsilonSwallows();
    void aMaskWithoutAOneSwallows();
    void masksNeverCarryNaN();
    void anOverflowOfTheReferenceIsANote();
    void parametersCarryNaNToo();
    void aParameterFollowedPasses();
    void aParameterThatIsNotFollowedIsNotExercised();
    void theNativeShapeIsAskedToo();
    void anIndexThatIgnoresNaNFailsSoftly();
    void aConvertedNaNIsNoDecision();
    void raisingOnNaNFailsSoftlyAndDyingHard();
    void whatTheReferenceRefusesIsInapplicable();
    void withoutFloatingInputsNothingApplies();
    void theBudgetOfCallsHolds();
    void aFailureSaysWhereItIs();
};

void Exc01Test::classesAreCountedWhereTheOraclesAgree()
{
    const HostTensor exact = tensorOf({6}, {kNaN, kInf, -kInf, 1, kInf, 1e39}, assay::tensor::DType::Float64);
    const HostTensor shipped = tensorOf({6}, {kNaN, kInf, -kInf, 1, kInf, kInf});
    const ClassConfusion found = confuse(exact, shipped, tensorOf({6}, {0, -kInf, kNaN, kNaN, kInf, 3}));
    QCOMPARE(found.undecided, 1);
    QCOMPARE(found.decided(), 5);
    QCOMPARE(found.referenceNonFinite(), 4);
    QCOMPARE(found.swallowed, (std::vector<std::int64_t>{0}));
    QCOMPARE(found.flipped, (std::vector<std::int64_t>{1}));
    QCOMPARE(found.otherKind, (std::vector<std::int64_t>{2}));
    QCOMPARE(found.gained, (std::vector<std::int64_t>{3}));
    QCOMPARE(found.dominantClass(), NumberClass::PositiveInfinity);
    QCOMPARE(found.counts[2][2], 1);
}

void Exc01Test::aMaximumThatSkipsNaNSwallows()
{
    const Operation skipping = reduceRows([](auto row) {
        auto best = row[0];
        for (const auto value : row)
            best = std::fmax(best, value);
        return best;
    });
    const Questioned asked = judged(rows(), rowMaximum(), skipping);
    QCOMPARE(asked.result.verdict, Verdict::Fail);
    QCOMPARE(asked.result.severity, Severity::Hard);
    QCOMPARE(asked.failureCode(), std::string("EXC-01.swallow"));
    QVERIFY2(asked.result.finding.find("skips NaN") != std::string::npos, asked.result.finding.c_str());
    QCOMPARE(asked.failure()->value.value, 1);
}

void Exc01Test::aMaximumThatStartsAtTheLowestNumberSwallows()
{
    const Operation starting = elementwise([](auto x) {
        using T = decltype(x);
        const T lowest = -static_cast<T>(std::numeric_limits<float>::max());
        return x > lowest ? x : lowest;
    });
    const Questioned asked = judged(rows(), elementwise([](auto x) { return x; }), starting);
    QCOMPARE(asked.failureCode(), std::string("EXC-01.swallow"));
    QVERIFY2(asked.result.finding.find("start value") != std::string::npos, asked.result.finding.c_str());
}

void Exc01Test::anotherOrderOfTheSameMaximumPasses()
{
    const Operation backwards = reduceRows([](auto row) {
        auto best = row.back();
        for (std::size_t i = row.size(); i-- > 0;) {
            if (std::isnan(row[i]) || row[i] > best)
                best = std::isnan(best) ? best : row[i];
        }
        return best;
    });
    const Questioned asked = judged(rows(), rowMaximum(), backwards);
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QCOMPARE(asked.result.exercised, asked.result.total);
    QVERIFY(asked.flags.empty());
}

void Exc01Test::aTurnedInfinityIsASign()
{
    const Questioned asked
        = judged(rows(), half(), elementwise([](auto x) { return std::isinf(x) ? -x : x * decltype(x)(0.5); }));
    QCOMPARE(asked.failureCode(), std::string("EXC-01.sign"));
    QCOMPARE(asked.result.severity, Severity::Hard);
}

/// A number times what is left of two that cancel: rounding may turn that, and then the infinity as well.
void Exc01Test::theSignOfWhatCancelsIsANote()
{
    Task task;
    task.inputs = {normal({4, 8}), tensorOf({2}, {1, 1 + 0x1p-23})};
    const auto times = [](double turnedBelow) {
        return operation([turnedBelow](auto& given) {
            auto out = given.inputs[0];
            auto left = given.inputs[1].values[0] - given.inputs[1].values[1];
            if (std::abs(left) < static_cast<decltype(left)>(turnedBelow))
                left = -left;
            for (auto& value : out.values)
                value *= left;
            return std::vector{out};
        });
    };
    const Questioned noise = judged(task, times(0), times(1e-6));
    QVERIFY2(noise.failure() == nullptr, noise.failureCode().c_str());
    QVERIFY(noise.hasFlag("sign_within_rounding"));
    QCOMPARE(judged(rows(), half(), elementwise([](auto x) { return x * decltype(x)(-0.5); })).failureCode(),
             std::string("EXC-01.sign"));
}

void Exc01Test::naNForInfinityIsANote()
{
    const Questioned asked
        = judged(rows(), half(), elementwise([](auto x) { return std::isinf(x) ? x - x : x * decltype(x)(0.5); }));
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(asked.hasFlag("kind"));
}

void Exc01Test::aSkippedProductWithZeroIsStructural()
{
    const auto weighted = [](bool skips) {
        return reduceRows([skips](auto row) {
            using T = std::remove_cvref_t<decltype(row[0])>;
            T sum = 0;
            for (std::size_t i = 0; i < row.size(); ++i) {
                const T weight = i % 2 == 0 ? 1 : 0;
                if (!skips || weight != 0)
                    sum += weight * row[i];
            }
            return sum;
        });
    };
    const Questioned asked = judged(rows(), weighted(false), weighted(true));
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(asked.hasFlag("structural"));
}

void Exc01Test::spreadingInsideABatchEntryIsANote()
{
    const Operation chunked = mapRows([](auto row) {
        using T = std::remove_cvref_t<decltype(row[0])>;
        T sum = 0;
        for (const T value : row)
            sum += value;
        for (T& value : row)
            value = value * T(0.5) + T(0) * sum;
    });
    const Questioned asked = judged(rows(), half(), chunked);
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(asked.hasFlag("over_propagation"));
}

namespace {

Operation halvedBesideTheSumOfAll()
{
    return operation([](auto& given) {
        auto out = given.inputs[0];
        using T = std::remove_cvref_t<decltype(out.values[0])>;
        const T sum = std::accumulate(out.values.begin(), out.values.end(), T(0));
        for (T& value : out.values)
            value = value * T(0.5) + T(0) * sum;
        return std::vector{out};
    });
}

} // namespace

void Exc01Test::spreadingToAnotherBatchEntryFailsSoftly()
{
    const Questioned asked = judged(rows(), half(), halvedBesideTheSumOfAll());
    QCOMPARE(asked.failureCode(), std::string("EXC-01.spread"));
    QCOMPARE(asked.result.severity, Severity::Soft);
}

void Exc01Test::whereEntriesDependOnEachOtherNothingSpreads()
{
    // A running sum over dimension 0, which is therefore no batch.
    const auto scan = [](bool spreads) {
        return operation([spreads](auto& given) {
            auto out = given.inputs[0];
            using T = std::remove_cvref_t<decltype(out.values[0])>;
            const T sum = std::accumulate(out.values.begin(), out.values.end(), T(0));
            for (std::size_t i = out.row(); i < out.values.size(); ++i)
                out.values[i] += out.values[i - out.row()];
            for (T& value : out.values)
                value += spreads ? T(0) * sum : T(0);
            return std::vector{out};
        });
    };
    const Questioned asked = judged(rows(), scan(false), scan(true));
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(asked.hasFlag("over_propagation"));
}

void Exc01Test::aReferenceThatSwallowsMayBeFollowed()
{
    const Operation cleaned = elementwise([](auto x) { return std::isnan(x) ? decltype(x)(0) : x; });
    QCOMPARE(judged(rows(), cleaned, cleaned).result.verdict, Verdict::Pass);
}

void Exc01Test::infinityOverInfinityIsMinted()
{
    const Operation capped = elementwise([](auto x) { return decltype(x)(50) * std::tanh(x / decltype(x)(50)); });
    const Operation ratio = elementwise([](auto x) {
        using T = decltype(x);
        const T p = std::exp(x / T(50));
        const T n = std::exp(-x / T(50));
        return T(50) * (p - n) / (p + n);
    });
    const Questioned asked = judged(rows(), capped, ratio);
    QCOMPARE(asked.failureCode(), std::string("EXC-01.mint"));
    QCOMPARE(asked.result.severity, Severity::Hard);
}

void Exc01Test::aMintBesideAnOverflowIsExcused()
{
    // The fourth power that leads every row overflows fp32 where the draw is stretched: the entry is lost in the reference too.
    const auto led = [](bool infects) {
        return mapRows([infects](auto row) {
            using T = std::remove_cvref_t<decltype(row[0])>;
            row[0] = row[0] * row[0] * row[0] * row[0];
            const bool restIsFinite = std::ranges::all_of(row.subspan(1), [](T value) { return std::isfinite(value); });
            if (infects && restIsFinite && std::isinf(static_cast<float>(row[0])))
                std::ranges::fill(row, std::numeric_limits<T>::infinity());
        });
    };
    const Questioned asked = judged(rows(), led(false), led(true));
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(asked.hasFlag("shared_overflow"));
}

void Exc01Test::aZeroRowHiddenByAnEpsilonSwallows()
{
    const Questioned asked = judged(rows(), normalised(0), normalised(1e-12));
    QCOMPARE(asked.failureCode(), std::string("EXC-01.swallow"));
    QVERIFY2(asked.result.finding.find("zero rows") != std::string::npos, asked.result.finding.c_str());
    QCOMPARE(judged(rows(), normalised(1e-12), normalised(1e-12)).result.verdict, Verdict::Pass);
}

namespace {

Task maskedRows()
{
    Task task = rows();
    std::vector<double> ones(64, 0);
    for (std::size_t i = 0; i < ones.size(); ++i)
        ones[i] = i % 16 <= 8 ? 1 : 0;
    task.inputs.push_back(tensorOf({4, 16}, ones));
    return task;
}

/// Mean over what the mask leaves of a row; @p floor keeps the number of ones from being zero.
Operation maskedMean(double floor)
{
    return operation([floor](auto& given) {
        const auto& x = given.inputs[0];
        const auto& mask = given.inputs[1];
        using T = std::remove_cvref_t<decltype(x.values[0])>;
        auto out = x;
        out.shape = {x.shape[0]};
        out.values.clear();
        for (std::size_t at = 0; at < x.values.size(); at += x.row()) {
            T sum = 0;
            T count = 0;
            for (std::size_t i = at; i < at + x.row(); ++i) {
                sum += mask.values[i] != 0 ? x.values[i] : T(0);
                count += mask.values[i];
            }
            out.values.push_back(sum / std::max(count, static_cast<T>(floor)));
        }
        return std::vector{out};
    });
}

} // namespace

void Exc01Test::aMaskWithoutAOneSwallows()
{
    const Questioned asked = judged(maskedRows(), maskedMean(0), maskedMean(1));
    QCOMPARE(asked.failureCode(), std::string("EXC-01.swallow"));
    QCOMPARE(judged(maskedRows(), maskedMean(1), maskedMean(1)).result.verdict, Verdict::Pass);
}

void Exc01Test::masksNeverCarryNaN()
{
    const Operation watching = operation([](auto& given) {
        for (const auto value : given.inputs[1].values) {
            if (value != 0 && value != 1)
                throw Raises{"AssertionError", "not a mask"};
        }
        return std::vector{given.inputs[0]};
    });
    const Operation copying = operation([](auto& given) { return std::vector{given.inputs[0]}; });
    QCOMPARE(judged(maskedRows(), copying, watching).result.verdict, Verdict::Pass);
}

void Exc01Test::anOverflowOfTheReferenceIsANote()
{
    const Operation naive = mapRows([](auto row) {
        using T = std::remove_cvref_t<decltype(row[0])>;
        T sum = 0;
        for (T& value : row)
            sum += value = std::exp(value);
        for (T& value : row)
            value /= sum;
    });
    const Questioned asked = judged(rows(), naive, mapRows([](auto row) { stableSoftmax(row); }));
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(asked.hasFlag("reference_overflow"));
}

namespace {

Operation affine(bool cleansWeights)
{
    return operation([cleansWeights](auto& given) {
        auto out = given.inputs[0];
        const auto& weight = given.state.at("weight").values;
        using T = std::remove_cvref_t<decltype(out.values[0])>;
        for (std::size_t i = 0; i < out.values.size(); ++i) {
            const T w = weight[i % weight.size()];
            out.values[i] *= cleansWeights && std::isnan(w) ? T(0) : w;
        }
        return std::vector{out};
    });
}

} // namespace

void Exc01Test::parametersCarryNaNToo()
{
    Task task = rows();
    task.state = {parameter("weight", normal({16}, 5))};
    const Questioned asked = judged(task, affine(false), affine(true), task.state);
    QCOMPARE(asked.failureCode(), std::string("EXC-01.swallow"));
    QVERIFY2(asked.result.finding.find("parameter weight") != std::string::npos, asked.result.finding.c_str());
}

void Exc01Test::aParameterFollowedPasses()
{
    Task task = rows();
    task.state = {parameter("weight", normal({16}, 5))};
    const Questioned asked = judged(task, affine(false), affine(false), task.state);
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(std::ranges::any_of(asked.result.checks, [](const CheckResult& check) { return check.code == "EXC-01.parameter"; }));
}

void Exc01Test::aParameterThatIsNotFollowedIsNotExercised()
{
    // The first weights that it sees stay: another gate's finding, and no swallowed NaN.
    Task task = rows();
    task.state = {parameter("weight", normal({16}, 5))};
    Operation remembering = affine(false);
    const auto seen = std::make_shared<std::map<std::string, Array<float>>>();
    remembering.single = [seen, follow = affine(false).single](Arguments<float>& given) {
        if (seen->empty())
            *seen = given.state;
        Arguments<float> old{given.inputs, *seen};
        return follow(old);
    };
    const Questioned asked = judged(task, affine(false), remembering, task.state);
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(std::ranges::any_of(asked.result.checks, [](const CheckResult& check) { return check.reason == "ignores_state"; }));
}

void Exc01Test::theNativeShapeIsAskedToo()
{
    constexpr std::int64_t kNative = std::int64_t{1} << 17;
    Task task = taskOfSize(kNative, [](std::int64_t size) { return std::vector{normal({2, size})}; });
    task.extent = 1;
    const auto wrongAbove = [](std::size_t limit) {
        return operation([limit](auto& given) {
            auto out = given.inputs[0];
            for (std::size_t i = limit; i < out.values.size(); ++i)
                out.values[i] = std::isnan(out.values[i]) ? 0 : out.values[i];
            return std::vector{out};
        });
    };
    const Operation copy = wrongAbove(std::size_t{1} << 20);
    const Questioned asked = judged(task, copy, wrongAbove((std::size_t{1} << 17) + 4096));
    QCOMPARE(asked.failureCode(), std::string("EXC-01.swallow"));
    QCOMPARE(asked.failure()->verdict, Verdict::Fail);
    QVERIFY(asked.failure()->stimulus.recipe.find("native_shape") != std::string::npos);
    QCOMPARE(judged(task, copy, copy).result.verdict, Verdict::Pass);
}

namespace {

/// Index of the largest number of a row; NaN wins or is passed over.
Operation argumentOfMaximum(bool naNWins)
{
    return operation([naNWins](auto& given) {
        const auto& in = given.inputs[0];
        auto out = in;
        out.shape = {in.shape[0]};
        out.values.clear();
        out.dtype = assay::tensor::DType::Int64;
        for (std::size_t at = 0; at < in.values.size(); at += in.row()) {
            std::size_t best = 0;
            for (std::size_t i = 1; i < in.row(); ++i) {
                const auto value = in.values[at + i];
                const auto held = in.values[at + best];
                const bool wins = naNWins ? !std::isnan(held) && !(value <= held) : (std::isnan(held) || value > held);
                best = wins ? i : best;
            }
            out.values.push_back(static_cast<std::remove_cvref_t<decltype(in.values[0])>>(best));
        }
        return std::vector{out};
    });
}

Operation converted(double forNaN)
{
    return operation([forNaN](auto& given) {
        auto out = given.inputs[0];
        out.dtype = assay::tensor::DType::Int64;
        for (auto& value : out.values)
            value = std::isfinite(value) ? std::trunc(value) : static_cast<std::remove_cvref_t<decltype(value)>>(forNaN);
        return std::vector{out};
    });
}

} // namespace

void Exc01Test::anIndexThatIgnoresNaNFailsSoftly()
{
    const Questioned asked = judged(rows(), argumentOfMaximum(true), argumentOfMaximum(false));
    QCOMPARE(asked.failureCode(), std::string("EXC-01.decision"));
    QCOMPARE(asked.result.severity, Severity::Soft);
    QCOMPARE(judged(rows(), argumentOfMaximum(true), argumentOfMaximum(true)).result.verdict, Verdict::Pass);
}

void Exc01Test::aConvertedNaNIsNoDecision()
{
    QCOMPARE(judged(rows(), converted(0), converted(-1e6)).result.verdict, Verdict::Pass);
}

void Exc01Test::raisingOnNaNFailsSoftlyAndDyingHard()
{
    const Operation raising = elementwise([](auto x) {
        if (std::isnan(x))
            throw Raises{"ValueError", "NaN in input"};
        return x * decltype(x)(0.5);
    });
    const Questioned raised = judged(rows(), half(), raising);
    QCOMPARE(raised.result.verdict, Verdict::Fail);
    QCOMPARE(raised.result.severity, Severity::Soft);
    QCOMPARE(raised.result.reason, std::string("exception"));

    const Operation dying = elementwise([](auto x) {
        if (std::isnan(x))
            throw Dies{};
        return x * decltype(x)(0.5);
    });
    const Questioned dead = judged(rows(), half(), dying);
    QCOMPARE(dead.result.verdict, Verdict::Crash);
    QCOMPARE(dead.result.severity, Severity::Hard);
    // Found by asking the calls of the lost script one by one, and the process is there again for the next gate.
    QVERIFY2(dead.result.finding.find("NaN at") != std::string::npos, dead.result.finding.c_str());
    QCOMPARE(dead.restarts, 2);
}

void Exc01Test::whatTheReferenceRefusesIsInapplicable()
{
    const Operation picky = elementwise([](auto x) {
        if (!std::isfinite(x))
            throw Raises{"ValueError", "finite numbers only"};
        return x * decltype(x)(0.5);
    });
    const Questioned asked = judged(rows(), picky, half());
    QCOMPARE(asked.result.verdict, Verdict::Pass); // zero rows and extremes were judged
    QVERIFY(asked.result.exercised < asked.result.total);
    QCOMPARE(asked.result.checks.front().verdict, Verdict::Inapplicable);
}

void Exc01Test::withoutFloatingInputsNothingApplies()
{
    const Operation nothing = operation([](auto& given) {
        using T = std::remove_cvref_t<decltype(given.inputs[0].values[0])>;
        const Array<T> one{{1}, {T(1)}, assay::tensor::DType::Int64};
        return std::vector{one};
    });
    Task task;
    task.inputs = {tensorOf({4}, {3, 1, 2, 5}, assay::tensor::DType::Int64)};
    const Questioned asked = judged(task, nothing, nothing);
    QCOMPARE(asked.result.verdict, Verdict::Inapplicable);
    QCOMPARE(asked.result.exercised, 0);
}

void Exc01Test::theBudgetOfCallsHolds()
{
    Task task = rows();
    for (std::uint64_t i = 2; i < 8; ++i)
        task.inputs.push_back(normal({4, 16}, i));
    for (int i = 0; i < 6; ++i)
        task.state.push_back(parameter("p" + std::to_string(i), normal({16}, 20 + static_cast<std::uint64_t>(i))));
    const Operation first = elementwise([](auto x) { return x; });
    const Questioned asked = judged(task, first, first, task.state);
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY2(asked.calls <= 64, std::to_string(asked.calls).c_str());
    QVERIFY2(asked.calls >= 40, std::to_string(asked.calls).c_str());
}

void Exc01Test::aFailureSaysWhereItIs()
{
    const Questioned asked = judged(rows(), rowMaximum(), reduceRows([](auto row) {
                                        auto best = row[0];
                                        for (const auto value : row)
                                            best = std::fmax(best, value);
                                        return best;
                                    }));
    const CheckResult& check = *asked.failure();
    QVERIFY(check.stimulus.recipe.find(R"("places":[[)") != std::string::npos);
    QCOMPARE(check.stimulus.sha256.size(), std::size_t{64});
    QCOMPARE(check.stimulus.runSeed, std::uint64_t{7});
    QVERIFY(check.evidence);
    QCOMPARE(check.evidence->worstIndex.size(), std::size_t{1});
    const auto at = static_cast<std::size_t>(check.evidence->worstIndex[0]);
    QVERIFY(std::isnan(check.evidence->reference->toDoubles()[at]));
    QVERIFY(std::isfinite(check.evidence->candidate->toDoubles()[at]));
}

QTEST_GUILESS_MAIN(Exc01Test)
#include "tst_exc01.moc"
