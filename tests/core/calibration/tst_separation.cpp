// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/holdout.h"
#include "core/calibration/separation_bootstrap.h"
#include "core/text/error.h"
#include "samples.h"

#include <QtTest>

#include <algorithm>
#include <limits>
#include <set>

using namespace assay;
using namespace assay::calibration;
using namespace assay::tests;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

class SeparationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyValueIsCountedInItsClass();
    void quantilesAreMeasuredValuesAtExactRanks();
    void weightsCountAsRepeatedSamples();
    void theThresholdLiesInTheMiddleOfTheGap();
    void theHardestGroupSetsTheOnset();
    void aThinGapIsCalledSo();
    void theThresholdStaysBetweenNeighbouringNumbers();
    void casesWithoutANumberHaveAName_data();
    void casesWithoutANumberHaveAName();
    void theOrderOfSamplesChangesNothing();
    void aPerturbationWithoutScaleIsRefused();
    void kernelsStayInTheirHalfWhenOthersAreAdded();
    void aThirdIsHeldOut();
    void aReplicateIsTheSameOnAnyNumberOfThreads();
    void replicatesDrawAsManyKernelsOfEachSort();
    void marginsAreThoseOfTheThresholdInHand();
    void aFloorOfZeroHasNoThresholdInAnyReplicate();
    void aLoneKernelOfItsSortLeavesTheIntervalsOfTheOthers();
    void replicatesOnOneSideHaveNoBca();
    void aStoppedBootstrapSaysSo();
};

void SeparationTest::everyValueIsCountedInItsClass()
{
    Series series;
    for (const double value : {0.0, -0.0, 3.0, 1e-300, kNaN, kInf, -kInf, -2.0})
        series.add(tensor::measured(value), 0);
    series.add({}, 0);
    series.finish();
    QCOMPARE(series.counts(), (ValueCounts{2, 2, 1, 1, 2, 1}));
    QCOMPARE(series.counts().ranked(), series.size());
    QCOMPARE(series.logarithms().size(), std::size_t{2});
    QCOMPARE(series.entries().front().value, 0.0);
    QVERIFY(!std::signbit(series.entries()[0].value) && !std::signbit(series.entries()[1].value));
    QCOMPARE(series.entries().back().value, kInf);
    QCOMPARE(series.above(1e300), 4);
    QCOMPARE(series.clustersAbove(1e300), 1);
}

void SeparationTest::quantilesAreMeasuredValuesAtExactRanks()
{
    std::vector<double> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(i + 1);
    const Series series = seriesOf(values);
    QCOMPARE(series.quantile({999, 1000}), 999.0);
    QCOMPARE(series.quantile({1, 100}), 10.0);
    QCOMPARE(series.quantile({1, 2}), 500.0);
    QCOMPARE(series.quantile({1, 1}), 1000.0);
    values.push_back(kNaN);
    QCOMPARE(seriesOf(values).quantile({999, 1000}), 1000.0);
    QVERIFY(std::isnan(seriesOf({}).quantile({1, 2})));
}

/// A weight of w is the same as w copies, at every quantile.
void SeparationTest::weightsCountAsRepeatedSamples()
{
    const std::vector<double> values = {5, 1, 4, 0, kInf, 2, 2};
    const std::vector<std::uint32_t> weights = {3, 0, 2, 1, 1, 4, 0};
    std::vector<double> copies;
    for (std::size_t i = 0; i < values.size(); ++i)
        copies.insert(copies.end(), weights[i], values[i]);
    const Series weighted = seriesOf(values);
    const Series repeated = seriesOf(copies);
    for (std::int64_t percent = 0; percent <= 100; ++percent)
        QCOMPARE(weighted.quantile({percent, 100}, weights), repeated.quantile({percent, 100}));
    QVERIFY(std::isnan(weighted.quantile({1, 2}, std::vector<std::uint32_t>(7, 0))));
}

void SeparationTest::theThresholdLiesInTheMiddleOfTheGap()
{
    const Separation separation = separate(SampleSet(smallCalibration()), {});
    QCOMPARE(separation.state, GapState::Safe);
    QVERIFY(separation.floor < *separation.threshold && *separation.threshold < separation.onset);
    QVERIFY(std::abs(separation.margins->below - separation.margins->above) < 1e-12);
    QVERIFY(separation.floorIsLargest);   // 240 samples have no q.999 of their own
    QCOMPARE(separation.floorKernels, 2); // kernels 3 and 14 have the highest level
    QCOMPARE(separation.groups.front().isSmallest, true);
}

void SeparationTest::theHardestGroupSetsTheOnset()
{
    std::vector<Sample> samples = {conforming("a", 1e-6), defect("d", 1e-1)};
    for (int i = 0; i < 1000; ++i)
        samples.push_back(perturbed("a", "easy", 1e-2, 1.0));
    samples.push_back(perturbed("a", "hard", 1e-4, 1e-5)); // below what ought to be seen
    samples.push_back(perturbed("a", "hard", 2e-3, 1e-3));
    samples.push_back(perturbed("a", "hard", 1e-1, 1e-4)); // not the smallest that ought to be seen
    const Separation separation = separate(SampleSet(samples), {});
    QCOMPARE(separation.onset, 1e-3);
    QCOMPARE(separation.groups.size(), std::size_t{3});
    QCOMPARE(separation.groups[0].perturbation, std::string("hard"));
    QCOMPARE(separation.groups[0].scale, 2e-3);
    QCOMPARE(separation.groups[1].perturbation, std::string());
    QVERIFY(!separation.groups[2].isSmallest);
    QCOMPARE(separation.groups[2].kernels, 1);
}

void SeparationTest::aThinGapIsCalledSo()
{
    const auto state = [](double onset) {
        return separate(SampleSet(std::vector{conforming("a", 1.0), defect("d", onset)}), {}).state;
    };
    QCOMPARE(state(10.1), GapState::Safe);
    QCOMPARE(state(9.9), GapState::NoSafeGap); // 0.498 decades on either side
    QCOMPARE(state(1.24), GapState::NoSafeGap);
    QCOMPARE(state(1.0), GapState::Overlap);
    QCOMPARE(state(0.5), GapState::Overlap);
}

void SeparationTest::theThresholdStaysBetweenNeighbouringNumbers()
{
    for (double floor = 1e-9; floor < 1; floor *= 1.37) {
        const double onset = std::nextafter(floor, 1);
        QVERIFY(floor <= thresholdBetween(floor, onset) && thresholdBetween(floor, onset) <= onset);
        QCOMPARE(thresholdBetween(onset, floor), thresholdBetween(floor, onset));
    }
}

void SeparationTest::casesWithoutANumberHaveAName_data()
{
    QTest::addColumn<QList<double>>("floor");
    QTest::addColumn<QList<double>>("onset");
    QTest::addColumn<int>("state");
    const auto row = [](const char* name, QList<double> floor, QList<double> onset, GapState state) {
        QTest::newRow(name) << floor << onset << static_cast<int>(state);
    };
    row("nothing", {}, {}, GapState::NoConforming);
    row("no floor", {}, {1}, GapState::NoConforming);
    row("no defects", {1e-6}, {}, GapState::NoDefects);
    row("exact kernels", {0, 0}, {1}, GapState::ZeroFloor);
    row("an infinite floor", {1e-6, kInf}, {1}, GapState::FloorNonFinite);
    row("a NaN in the floor and no defects", {kNaN}, {}, GapState::FloorNonFinite);
    row("unseen defects", {1e-6}, {0, 1}, GapState::ZeroOnset);
    row("all zero", {0}, {0}, GapState::ZeroOnset);
    row("defects that are all NaN", {1e-6}, {kNaN, kInf}, GapState::OnsetNonFinite);
}

void SeparationTest::casesWithoutANumberHaveAName()
{
    QFETCH(QList<double>, floor);
    QFETCH(QList<double>, onset);
    QFETCH(int, state);
    std::vector<Sample> samples;
    for (const double value : floor)
        samples.push_back(conforming("a", value));
    for (const double value : onset)
        samples.push_back(defect("d", value));
    const Separation separation = separate(SampleSet(samples), {});
    QCOMPARE(static_cast<int>(separation.state), state);
    QVERIFY(!separation.threshold && !separation.margins && !separation.isSafe());
    QVERIFY(!sentence(separation.state).empty());
}

void SeparationTest::theOrderOfSamplesChangesNothing()
{
    std::vector<Sample> samples = smallCalibration();
    const SeparationEstimates before = bootstrapSeparation(SampleSet(samples), {}, std::nullopt, {.replicates = 200});
    std::reverse(samples.begin(), samples.end());
    std::rotate(samples.begin(), samples.begin() + 101, samples.end());
    const SeparationEstimates after = bootstrapSeparation(SampleSet(samples), {}, std::nullopt, {.replicates = 200});
    QCOMPARE(after.threshold.value, before.threshold.value);
    QCOMPARE(after.threshold.percentile->low, before.threshold.percentile->low);
    QCOMPARE(after.threshold.percentile->high, before.threshold.percentile->high);
}

void SeparationTest::aPerturbationWithoutScaleIsRefused()
{
    for (const double scale : {0.0, -1.0, kNaN, kInf})
        QVERIFY_THROWS_EXCEPTION(Error, SampleSet(std::vector{perturbed("a", "spike", scale, 1)}));
}

void SeparationTest::kernelsStayInTheirHalfWhenOthersAreAdded()
{
    const std::vector<Sample> few = smallCalibration(12);
    const std::vector<Sample> many = smallCalibration(48);
    const auto kernels = [](const std::vector<Sample>& samples) {
        std::set<std::string> names;
        for (const Sample& sample : samples)
            names.insert(sample.kernel);
        return names;
    };
    const Split before = split(few, 5);
    const Split after = split(many, 5);
    QCOMPARE(before.calibration.size() + before.holdOut.size(), few.size());
    QVERIFY(std::ranges::includes(kernels(after.holdOut), kernels(before.holdOut)));
    QVERIFY(std::ranges::includes(kernels(after.calibration), kernels(before.calibration)));
    std::vector<std::string> both;
    std::ranges::set_intersection(kernels(after.calibration), kernels(after.holdOut), std::back_inserter(both));
    QVERIFY(both.empty());
    QVERIFY(kernels(split(many, 6).holdOut) != kernels(after.holdOut));
}

void SeparationTest::aThirdIsHeldOut()
{
    int heldOut = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::string kernel = std::to_string(i);
        heldOut += halfOf(kernel, 1) == Half::HoldOut ? 1 : 0;
        QCOMPARE(halfOf(kernel, 1, 0), Half::Calibration);
        QCOMPARE(halfOf(kernel, 1, 1), Half::HoldOut);
    }
    QVERIFY(std::abs(heldOut - 1000) < 104); // four standard deviations; the seed is fixed
    QCOMPARE(name(Half::HoldOut), std::string_view("hold-out"));
}

void SeparationTest::aReplicateIsTheSameOnAnyNumberOfThreads()
{
    const SampleSet set(smallCalibration());
    const Statistics statistics = [&](std::span<const std::uint32_t> weights, std::span<double> out) {
        out[0] = set.conforming().quantile({1, 2}, weights);
    };
    const Replicates one
        = resample(set.strata(), set.kernels().size(), 1, statistics, {.seed = 9, .replicates = 300, .threads = 1});
    const Replicates many
        = resample(set.strata(), set.kernels().size(), 1, statistics, {.seed = 9, .replicates = 300, .threads = 7});
    const Replicates other = resample(set.strata(), set.kernels().size(), 1, statistics, {.seed = 10, .replicates = 300});
    QCOMPARE(many.drawn, one.drawn);
    QCOMPARE(many.leftOut, one.leftOut);
    QVERIFY(other.drawn != one.drawn);
}

void SeparationTest::replicatesDrawAsManyKernelsOfEachSort()
{
    const SampleSet set(smallCalibration());
    QCOMPARE(set.strata().size(), std::size_t{3}); // plain, disturbed, defects
    for (std::uint32_t replicate = 0; replicate < 50; ++replicate) {
        const std::vector<std::uint32_t> weights = drawWeights(set.strata(), set.kernels().size(), replicate, 3);
        for (const auto& stratum : set.strata()) {
            std::size_t drawn = 0;
            for (const std::uint32_t cluster : stratum)
                drawn += weights[cluster];
            QCOMPARE(drawn, stratum.size());
        }
    }
}

void SeparationTest::marginsAreThoseOfTheThresholdInHand()
{
    const SampleSet set(smallCalibration());
    const Separation separation = separate(set, {});
    const double dragged = *separation.threshold * 10;
    const SeparationEstimates estimates = bootstrapSeparation(set, {}, dragged, {.replicates = 200});
    const Margins margins = *marginsOf(dragged, separation.floor, separation.onset);
    QCOMPARE(estimates.below.value, margins.below);
    QCOMPARE(estimates.above.value, margins.above);
    QVERIFY(std::abs(margins.below - separation.margins->below - 1) < 1e-12);
    QVERIFY(std::abs(separation.margins->above - margins.above - 1) < 1e-12);
    QVERIFY(estimates.below.percentile->low <= margins.below && margins.below <= estimates.below.percentile->high);
}

void SeparationTest::aFloorOfZeroHasNoThresholdInAnyReplicate()
{
    const std::vector<Sample> samples = {conforming("a", 0), conforming("b", 0), defect("d", 1), defect("e", 2)};
    const SeparationEstimates estimates = bootstrapSeparation(SampleSet(samples), {}, std::nullopt, {.replicates = 100});
    QCOMPARE(estimates.threshold.undefined, 100U);
    QVERIFY(!estimates.threshold.percentile && !estimates.threshold.bca);
    QCOMPARE(estimates.floor.value, -kInf);
    QCOMPARE(estimates.floor.percentile->high, -kInf);
    QVERIFY(!estimates.floor.bca);
    QVERIFY(estimates.onset.percentile->low < estimates.onset.percentile->high);
}

/// Without its one defect a calibration has no onset, and drawing that one defect again and again says nothing about others.
void SeparationTest::aLoneKernelOfItsSortLeavesTheIntervalsOfTheOthers()
{
    std::vector<Sample> samples = {defect("only", 1)};
    for (int i = 0; i < 40; ++i)
        samples.push_back(conforming("kernel " + std::to_string(i), std::pow(10.0, -6 + 0.05 * (i * 7 % 19))));
    const SampleSet set(samples);
    ThresholdRule rule;
    rule.floorShare = {1, 2};
    const SeparationEstimates estimates = bootstrapSeparation(set, rule, std::nullopt, {.replicates = 500});
    QVERIFY(estimates.threshold.bca.has_value());
    QVERIFY(estimates.threshold.bca->low < estimates.threshold.bca->high);
    QCOMPARE(estimates.onset.percentile->low, estimates.onset.percentile->high);
    QVERIFY(!estimates.onset.bca);
}

void SeparationTest::replicatesOnOneSideHaveNoBca()
{
    Replicates replicates;
    replicates.statistics = 1;
    replicates.strata = {{0, 1, 2}};
    replicates.original = {1};
    replicates.leftOut = {0.5, 1, 1.75};
    replicates.drawn = {2, 3, 2, kNaN, 4};
    const Estimate above = estimate(replicates, 0, 0.5);
    QVERIFY(!above.bca);
    QCOMPARE(above.undefined, 1U);
    QCOMPARE(above.percentile->low, 2.0);
    QCOMPARE(above.percentile->high, 4.0);
    replicates.drawn = {0.5, 3, 0.25, kNaN, 4};
    QVERIFY(estimate(replicates, 0, 0.5).bca.has_value());
}

void SeparationTest::aStoppedBootstrapSaysSo()
{
    std::stop_source source;
    source.request_stop();
    BootstrapOptions options;
    options.stop = source.get_token();
    QVERIFY_THROWS_EXCEPTION(Cancelled, bootstrapSeparation(SampleSet(smallCalibration()), {}, std::nullopt, options));
}

QTEST_APPLESS_MAIN(SeparationTest)
#include "tst_separation.moc"
