// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/density.h"
#include "core/calibration/detection.h"
#include "core/calibration/ecdf.h"
#include "core/calibration/kolmogorov_smirnov.h"
#include "core/calibration/link.h"
#include "core/calibration/roc.h"
#include "samples.h"

#include <QtTest>

#include <limits>

using namespace assay;
using namespace assay::calibration;
using namespace assay::tests;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> spread(int count, double low, double decades)
{
    std::vector<double> values;
    for (int i = 0; i < count; ++i)
        values.push_back(low * std::pow(10.0, decades * (i * 37 % count) / count));
    return values;
}

/// Share at or below @p x on a curve of steps.
double shareAt(const Ecdf& curve, double x)
{
    double share = curve.gutter;
    for (const EcdfStep& step : curve.steps)
        share = step.log10Value <= x ? step.share : share;
    return share;
}

} // namespace

class CalibrationCurvesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRocCurveIsAMonotoneStaircase();
    void itsAreaIsTheAucByTrapezoids();
    void clusteringOfSinglesChangesNoError();
    void aSideOfOneSampleHasNoArea();
    void noFalseAlarmIsBoundedByTheRuleOfThree();
    void missesAreCountedBySampleAndByKernel();
    void detectionWithoutAnAnswerSaysWhy();
    void oneSampleAtEachOfTwoScalesHasAClosedForm();
    void separatedDataFarFromTheCentreConverge();
    void doublingTheScaleShiftsTheFitAndNothingElse();
    void farTailsOfBothLinksStayFinite();
    void detectionCountsWhatTheThresholdCatches();
    void bootstrapOfTheFitHoldsIt();
    void aDensityHasAreaOne();
    void aSpikeHasNoDensity();
    void binsHaveFixedEdges();
    void theEcdfShowsGutterAndBeyond();
    void thinningMovesNoStepByAColumn();
    void equalSeriesDoNotDrift();
    void zerosAndNonFiniteValuesTakePartInDrift();
};

void CalibrationCurvesTest::aRocCurveIsAMonotoneStaircase()
{
    const Series low = seriesOf({0, 0, 1, 2, 2, 5, kNaN});
    const Series high = seriesOf({0, 2, 3, 5, 8, kInf});
    const std::vector<RocPoint> curve = rocCurve(low, high);
    QCOMPARE(curve.front(), (RocPoint{kInf, 0, 0}));
    QCOMPARE(curve.back(), (RocPoint{-1, 7, 6}));
    QCOMPARE(curve.size(), std::size_t{8}); // 8 5 3 2 1 0 and both ends
    for (std::size_t i = 1; i < curve.size(); ++i) {
        QVERIFY(curve[i].threshold < curve[i - 1].threshold);
        QVERIFY(curve[i].falseAlarms >= curve[i - 1].falseAlarms && curve[i].detections >= curve[i - 1].detections);
        QCOMPARE(curve[i].falseAlarms, low.above(curve[i].threshold));
        QCOMPARE(curve[i].detections, high.above(curve[i].threshold));
    }
}

void CalibrationCurvesTest::itsAreaIsTheAucByTrapezoids()
{
    const Series low = seriesOf({0, 0, 1, 2, 2, 5, kNaN});
    const Series high = seriesOf({0, 2, 3, 5, 8, kInf, kInf});
    const std::vector<RocPoint> curve = rocCurve(low, high);
    double area = 0;
    for (std::size_t i = 1; i < curve.size(); ++i)
        area += static_cast<double>((curve[i].falseAlarms - curve[i - 1].falseAlarms)
                                    * (curve[i].detections + curve[i - 1].detections));
    QVERIFY(std::abs(auc(low, high)->area - area / (2.0 * 7 * 7)) < 1e-15);
}

void CalibrationCurvesTest::clusteringOfSinglesChangesNoError()
{
    Series high;
    const std::vector<double> values = {1, 3, 3, 9, 20};
    for (std::size_t i = 0; i < values.size(); ++i)
        high.add(tensor::measured(values[i]), static_cast<std::uint32_t>(100 + i));
    high.finish();
    const auto area = auc(seriesOf({0, 1, 2, 4, 3}), high);
    QVERIFY(area->plainError > 0);
    QVERIFY(std::abs(area->clusteredError - area->plainError) < 1e-15);
    QCOMPARE(area->plain().high, 1.0);
}

void CalibrationCurvesTest::aSideOfOneSampleHasNoArea()
{
    QVERIFY(!auc(seriesOf({1}), seriesOf({1, 2})));
    QVERIFY(!auc(seriesOf({1, 2}), seriesOf({})));
    Series one;
    one.add(tensor::measured(1), 4);
    one.add(tensor::measured(2), 4);
    one.finish();
    QVERIFY(std::isnan(auc(one, seriesOf({1, 2}))->clusteredError));
    QCOMPARE(auc(one, seriesOf({1, 2}))->clustered().high, 1.0);
}

void CalibrationCurvesTest::noFalseAlarmIsBoundedByTheRuleOfThree()
{
    std::vector<Sample> samples;
    for (int kernel = 0; kernel < 20; ++kernel) {
        for (int i = 0; i < 50; ++i)
            samples.push_back(conforming(std::to_string(kernel), 1e-6));
    }
    const SampleSet set(samples);
    const ErrorRates rates = errorRates(set.conforming(), set.defects(), 1e-3);
    QCOMPARE(rates.falseAlarmSamples.hits, 0);
    QCOMPARE(rates.falseAlarmSamples.of, 1000);
    QCOMPARE(rates.falseAlarmKernels.of, 20);
    QCOMPARE(rates.falseAlarmSamples.upper, 1 - std::pow(0.05, 1.0 / 1000));
    QCOMPARE(rates.falseAlarmKernels.upper, 1 - std::pow(0.05, 1.0 / 20));
    QVERIFY(rates.falseAlarmKernels.upper < 3.0 / 20);
    QCOMPARE(rates.missedSamples.upper, 1.0); // nothing was measured
}

void CalibrationCurvesTest::missesAreCountedBySampleAndByKernel()
{
    const std::vector<Sample> samples = {conforming("a", 2), conforming("a", 3), conforming("b", 0), defect("d", 0),
                                         defect("d", 5),     defect("e", 1),     defect("e", 1),     defect("f", kNaN)};
    const SampleSet set(samples);
    const ErrorRates rates = errorRates(set.conforming(), set.defects(), 1);
    QCOMPARE(rates.falseAlarmSamples.hits, 2);
    QCOMPARE(rates.falseAlarmKernels.hits, 1);
    QCOMPARE(rates.missedSamples.hits, 3);
    QCOMPARE(rates.missedKernels.hits, 2);
    QCOMPARE(rates.missedKernels.of, 3);
}

void CalibrationCurvesTest::detectionWithoutAnAnswerSaysWhy()
{
    const auto state = [](const std::vector<ScaleOutcome>& outcomes) { return fitDetection(outcomes, Link::Logistic).state; };
    QCOMPARE(state({}), FitState::TooFewScales);
    QCOMPARE(state({{1e-3, 2, 4}, {1e-2, 0, 0}}), FitState::TooFewScales);
    QCOMPARE(state({{1e-3, 0, 4}, {1e-2, 0, 4}}), FitState::NothingSeen);
    QCOMPARE(state({{1e-3, 4, 4}, {1e-2, 4, 4}}), FitState::EverythingSeen);
    QCOMPARE(state({{1e-3, 4, 4}, {1e-2, 0, 4}}), FitState::NotIncreasing);
    QCOMPARE(state({{1e-3, 0, 4}, {1e-2, 4, 4}}), FitState::Fitted);
    QVERIFY(deltaBand(fitDetection({}, Link::Probit), std::vector{0.0}).empty());
}

/// Both leverages are one, so the penalty is half a success and half a failure at each scale: 3/4 and 1/4.
void CalibrationCurvesTest::oneSampleAtEachOfTwoScalesHasAClosedForm()
{
    const DetectionFit fit = fitDetection(std::vector<ScaleOutcome>{{1e-3, 0, 1}, {1e-2, 1, 1}}, Link::Logistic);
    QVERIFY(fit.isFitted() && fit.separated);
    QVERIFY(std::abs(fit.slope - 2 * std::log(3.0)) < 1e-11);
    QVERIFY(std::abs(fit.log10Half + 2.5) < 1e-11);
    QVERIFY(std::abs(probabilityAt(fit, -2) - 0.75) < 1e-11);
}

/// All the information lies at one end of 24 scales that span fifty decades.
void CalibrationCurvesTest::separatedDataFarFromTheCentreConverge()
{
    for (const std::int64_t atLast : {12512, 65643}) {
        std::vector<ScaleOutcome> outcomes;
        for (int i = 0; i < 24; ++i)
            outcomes.push_back({std::pow(10.0, -40 + 2.19 * i), i < 23 ? 0 : atLast, 65643});
        for (const Link link : {Link::Logistic, Link::Probit}) {
            const DetectionFit fit = fitDetection(outcomes, link);
            QVERIFY2(fit.isFitted(), sentence(fit.state).data());
            QVERIFY(fit.separated && fit.log10HalfError > 0);
            const double seen = probabilityAt(fit, -40 + 2.19 * 23);
            QVERIFY(std::abs(seen - static_cast<double>(atLast) / 65643) < 1e-4); // the penalty is worth about one sample
            QVERIFY(probabilityAt(fit, -40 + 2.19 * 22) < 1e-4);
        }
    }
}

void CalibrationCurvesTest::doublingTheScaleShiftsTheFitAndNothingElse()
{
    const std::vector<ScaleOutcome> outcomes = {{1e-5, 0, 9}, {1e-4, 2, 9}, {1e-3, 7, 9}, {1e-2, 9, 9}};
    std::vector<ScaleOutcome> doubled = outcomes;
    for (ScaleOutcome& outcome : doubled)
        outcome.scale *= 2;
    for (const Link link : {Link::Logistic, Link::Probit}) {
        const DetectionFit fit = fitDetection(outcomes, link);
        const DetectionFit moved = fitDetection(doubled, link);
        QVERIFY(std::abs(moved.log10Half - fit.log10Half - std::log10(2.0)) < 1e-11);
        QVERIFY(std::abs(moved.slope - fit.slope) < 1e-11 * fit.slope);
        QVERIFY(std::abs(probabilityAt(fit, fit.log10Half) - 0.5) < 1e-14);
        QVERIFY(probabilityAt(fit, -4) < probabilityAt(fit, -3));
    }
}

void CalibrationCurvesTest::farTailsOfBothLinksStayFinite()
{
    for (const Link link : {Link::Logistic, Link::Probit}) {
        for (const double at : {-500.0, -60.0, -36.0, -34.0, -8.0, 0.0, 8.0, 34.0, 36.0, 60.0, 500.0}) {
            const LinkValue here = linkAt(link, at);
            const LinkValue mirrored = linkAt(link, -at);
            QVERIFY(std::isfinite(here.logSeen) && std::isfinite(here.scoreSeen) && std::isfinite(here.logWeightSlope));
            QVERIFY(here.weight >= 0 && here.logSeen <= 0);
            QCOMPARE(here.logUnseen, mirrored.logSeen);
            QCOMPARE(here.scoreUnseen, mirrored.scoreSeen);
        }
        // The score is the derivative of the log probability; across the seam at -35, too.
        for (const double at : {-40.0, -35.0, -2.0, 1.0}) {
            const double step = 1e-4;
            const double slope = (linkAt(link, at + step).logSeen - linkAt(link, at - step).logSeen) / (2 * step);
            QVERIFY(std::abs(slope - linkAt(link, at).scoreSeen) < 1e-7 * std::max(1.0, std::abs(slope)));
        }
    }
}

void CalibrationCurvesTest::detectionCountsWhatTheThresholdCatches()
{
    const std::vector<Sample> samples
        = {perturbed("a", "spike", 1e-2, kNaN), perturbed("a", "spike", 1e-2, 0.5), perturbed("a", "spike", 1e-3, 0.5),
           perturbed("b", "spike", 1e-3, 2), perturbed("b", "other", 1, 9)};
    const std::vector<ScaleOutcome> expected = {{1e-3, 1, 2}, {1e-2, 1, 2}};
    QCOMPARE(outcomesAt(SampleSet(samples), "spike", 0.5), expected);
}

void CalibrationCurvesTest::bootstrapOfTheFitHoldsIt()
{
    const SampleSet set(smallCalibration());
    const std::vector<double> at = {-4.0, -3.0};
    const auto entries = set.perturbations()[1].series.entries();
    const double threshold = entries[entries.size() / 2].value; // a measured value, which is not above itself
    const DetectionFit fit = fitDetection(outcomesAt(set, "additive", threshold), Link::Logistic);
    QVERIFY(fit.isFitted());
    const DetectionEstimates estimates = bootstrapDetection(set, "additive", threshold, Link::Logistic, at, {.replicates = 200});
    QCOMPARE(estimates.log10Half.value, fit.log10Half);
    QCOMPARE(estimates.slope.value, fit.slope);
    QVERIFY(estimates.log10Half.percentile->low < fit.log10Half && fit.log10Half < estimates.log10Half.percentile->high);
    QCOMPARE(estimates.band.size(), at.size());
    for (const BandPoint& point : estimates.band) {
        QCOMPARE(point.probability, probabilityAt(fit, point.log10Scale));
        QVERIFY(point.interval.low <= point.probability && point.probability <= point.interval.high);
    }
}

void CalibrationCurvesTest::aDensityHasAreaOne()
{
    std::vector<double> values = spread(300, 1e-8, 3);
    values.insert(values.end(), {0.0, kInf});
    const auto density = densityOf(seriesOf(values), 400);
    double area = 0;
    for (std::size_t i = 1; i < density->at.size(); ++i)
        area += (density->at[i] - density->at[i - 1]) * (density->density[i] + density->density[i - 1]) / 2;
    QVERIFY(std::abs(area - 1) < 1e-3); // three bandwidths leave at most 0.27 % of the outermost kernels outside
}

void CalibrationCurvesTest::aSpikeHasNoDensity()
{
    QVERIFY(!densityOf(seriesOf({2, 2, 2})));
    QVERIFY(!densityOf(seriesOf({0, kNaN, 5})));
    const std::vector<double> mostlyEqual = {0, 1, 1, 1, 1, 1, 1, 2};
    QVERIFY(*silvermanBandwidth(mostlyEqual) > 0); // its quartiles are equal
}

void CalibrationCurvesTest::binsHaveFixedEdges()
{
    const DecadeHistogram histogram = histogramOf(seriesOf({0, 1e-3, 1.5e-3, 0.9, 1.0, 11, kNaN}), 1);
    QCOMPARE(histogram.first, -3);
    QCOMPARE(histogram.counts, (std::vector<std::int64_t>{2, 0, 1, 1, 1}));
    QCOMPARE(histogram.classes.zeros, 1);
    QCOMPARE(histogram.classes.nan, 1);
    QVERIFY(histogramOf(seriesOf({0, kInf})).counts.empty());
}

void CalibrationCurvesTest::theEcdfShowsGutterAndBeyond()
{
    const Ecdf curve = ecdfOf(seriesOf({0, 10, 10, 100, kNaN}));
    QCOMPARE(curve.gutter, 0.2);
    QCOMPARE(curve.beyond, 0.2);
    QCOMPARE(curve.steps, (std::vector<EcdfStep>{{1, 0.6}, {2, 0.8}}));
}

void CalibrationCurvesTest::thinningMovesNoStepByAColumn()
{
    const Series series = seriesOf(spread(5000, 1e-9, 8));
    const Ecdf full = ecdfOf(series);
    const double low = -8.3;
    const double high = -1.7;
    const int pixels = 150;
    const double column = (high - low) / pixels;
    const Ecdf thin = thinnedEcdf(series, low, high, pixels);
    QVERIFY(thin.steps.size() <= std::size_t{pixels} + 1);
    QCOMPARE(thin.steps.front().log10Value >= low, true);
    for (double x = low + column; x < high; x += column / 7) {
        QVERIFY(shareAt(thin, x) <= shareAt(full, x));
        QVERIFY(shareAt(thin, x) >= shareAt(full, x - column));
    }
}

void CalibrationCurvesTest::equalSeriesDoNotDrift()
{
    const Series series = seriesOf({0, 1, 2, kInf});
    const auto result = kolmogorovSmirnov(series, series);
    QCOMPARE(result->statistic, 0.0);
    QCOMPARE(result->p, 1.0);
    QVERIFY(!kolmogorovSmirnov(series, seriesOf({})));
}

void CalibrationCurvesTest::zerosAndNonFiniteValuesTakePartInDrift()
{
    const auto result = kolmogorovSmirnov(seriesOf({0, 0, 0, 0}), seriesOf({kNaN, kInf, 1, 2}));
    QCOMPARE(result->statistic, 1.0);
    QCOMPARE(result->atValue, 0.0);
    QVERIFY(std::abs(result->p - 2.0 / 70) < 1e-15); // 2 of the 70 orders are apart like this
}

QTEST_APPLESS_MAIN(CalibrationCurvesTest)
#include "tst_calibration_curves.moc"
