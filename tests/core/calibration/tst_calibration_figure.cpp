// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/figure.h"
#include "core/calibration/holdout.h"
#include "core/text/error.h"
#include "samples.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::calibration;

/// What the figure of a cell says, against the statistics that it gathers.
class CalibrationFigureTest final : public QObject {
    Q_OBJECT
private:
    const CellName m_cell{"CMP-01", "all", "float32"};
    const BootstrapOptions m_options{.replicates = 200, .threads = 1};

    static FrozenCalibration frozenWith(const std::vector<Sample>& samples, std::optional<double> threshold)
    {
        FrozenCalibration frozen;
        frozen.seed = 7;
        frozen.device = "cpu";
        frozen.versions = {{"torch", "1.13.1"}};
        frozen.samplesDigest = digestOf(samples);
        const Split halves = split(samples, frozen.seed, frozen.holdOutShare);
        const Separation separation = separate(SampleSet(halves.calibration), frozen.rule);
        frozen.thresholds.push_back(freeze(separation, "CMP-01", "all", "float32"));
        if (threshold)
            frozen.thresholds.front().threshold = threshold;
        return frozen;
    }
    FigureData figure(const std::vector<Sample>& samples, std::optional<double> threshold = {}) const
    {
        const FrozenCalibration frozen = frozenWith(samples, threshold);
        return figureOf(m_cell, samples, frozen, versionOf(frozen), m_options);
    }
    static bool mentions(const FigureData& figure, const char* text)
    {
        return std::ranges::any_of(captionOf(figure),
                                   [&](const std::string& line) { return line.find(text) != std::string::npos; });
    }

private Q_SLOTS:
    void itAgreesWithTheCalibrationOfTheCell()
    {
        const std::vector<Sample> samples = tests::smallCalibration();
        const FigureData shown = figure(samples);
        BootstrapOptions options = m_options;
        options.seed = 7;
        const CellCalibration cell = calibrateCell(samples, ThresholdRule(), 1.0 / 3, options);
        QCOMPARE(*shown.threshold, *cell.separation.threshold);
        QVERIFY(!shown.isByHand);
        QVERIFY(shown.state == cell.separation.state);
        QCOMPARE(shown.estimates.below.value, cell.estimates.below.value);
        QCOMPARE(shown.estimates.above.bca->low, cell.estimates.above.bca->low);
        QCOMPARE(shown.calibration.kernels, cell.calibrationKernels);
        QCOMPARE(shown.holdOut.kernels, cell.holdOutKernels);
        QVERIFY(shown.holdOut.kernels > 0);
        QCOMPARE(shown.trial->onHoldOut.falseAlarmKernels.upper, cell.onHoldOut.falseAlarmKernels.upper);
        QCOMPARE(shown.area->area, cell.area->area);
    }

    void curvesCountEverySample()
    {
        std::vector<Sample> samples = tests::smallCalibration();
        for (Sample& sample : samples) { // one odd value a class, whichever half its kernel is in
            if (sample.kind == SampleKind::Conforming && sample.kernel == "kernel 3") {
                sample.value = tensor::measured(0);
                break;
            }
        }
        for (int k = 0; k < 30; ++k)
            samples.push_back(tests::defect("broken " + std::to_string(k), std::numeric_limits<double>::quiet_NaN()));
        const FigureData shown = figure(samples);
        std::int64_t conforming = 0;
        const Split halves = split(samples, 7, 1.0 / 3);
        for (const Sample& sample : halves.calibration)
            conforming += sample.kind == SampleKind::Conforming ? 1 : 0;
        QCOMPARE(shown.conforming.counts.ranked(), conforming);
        QVERIFY(shown.defects.counts.nan > 0);
        QVERIFY(shown.defects.ecdf.beyond > 0);
        QVERIFY(mentions(shown, " NaN)"));
        QVERIFY(shown.conforming.density.has_value());
    }

    void aDetectionCurveRisesThroughAHalf()
    {
        const FigureData shown = figure(tests::smallCalibration());
        QCOMPARE(shown.detections.size(), 1U);
        const FigureDetection& detection = shown.detections.front();
        QCOMPARE(QString::fromStdString(detection.perturbation), QStringLiteral("additive"));
        QCOMPARE(detection.outcomes.size(), 4U);
        QVERIFY(detection.fit.isFitted());
        QCOMPARE(detection.estimates.band.size(), detection.log10Scales.size());
        QVERIFY(probabilityAt(detection.fit, detection.log10Scales.front()) < 0.5);
        QVERIFY(probabilityAt(detection.fit, detection.log10Scales.back()) > 0.5);
    }

    void aThresholdThatIsTriedChangesNothing()
    {
        const FigureData shown = figure(tests::smallCalibration());
        const double stored = *shown.threshold;
        const ThresholdTrial low = tryThreshold(shown, stored / 1e4);
        QVERIFY(low.onHoldOut.falseAlarmSamples.hits == low.onHoldOut.falseAlarmSamples.of);
        QCOMPARE(low.onHoldOut.missedSamples.hits, 0);
        const ThresholdTrial high = tryThreshold(shown, stored * 1e6);
        QCOMPARE(high.onHoldOut.falseAlarmSamples.hits, 0);
        QCOMPARE(high.onHoldOut.missedSamples.hits, high.onHoldOut.missedSamples.of);
        QVERIFY(high.margins->above < 0);
        QCOMPARE(*shown.threshold, stored);
    }

    void aThresholdSetByHandIsJudgedByTheRule()
    {
        const std::vector<Sample> samples = tests::smallCalibration();
        const FigureData ruled = figure(samples);
        QVERIFY(ruled.state == GapState::Safe);
        const double near = ruled.separation.floor * 1.1;
        const FigureData byHand = figure(samples, near);
        QVERIFY(byHand.isByHand);
        QCOMPARE(*byHand.threshold, near);
        QVERIFY(byHand.state == GapState::NoSafeGap);
        QVERIFY(std::abs(byHand.estimates.below.value - std::log10(1.1)) < 1e-12);
        QVERIFY(mentions(byHand, "set by hand"));
        QVERIFY(byHand.version != ruled.version);
    }

    /// Floor and onset overlap: a decade above the floor decides, and all that is shown is of that limit.
    void whatDecidesIsTheLimitAndNotTheMidpoint()
    {
        std::vector<Sample> samples = tests::smallCalibration(60);
        for (int k = 0; k < 4; ++k) // hardly disturbed at all, yet of a scale that ought to be seen
            samples.push_back(tests::perturbed("kernel " + std::to_string(k), "faint", 1e-2, 1e-7));
        FrozenCalibration frozen;
        frozen.seed = 7;
        frozen.samplesDigest = digestOf(samples);
        const Separation separation
            = separate(SampleSet(split(samples, frozen.seed, frozen.holdOutShare).calibration), frozen.rule);
        QVERIFY(separation.state == GapState::Overlap && separation.threshold);
        const CellName cell{"CMP-01", "softmax", "float32"};
        frozen.thresholds.push_back(freeze(separation, cell.gate, cell.family, cell.dtype));
        const FigureData shown = figureOf(cell, samples, frozen, versionOf(frozen), m_options);
        QVERIFY(shown.limit && shown.limit->kind == LimitKind::AboveFloor);
        QCOMPARE(shown.limit->value, 10 * separation.floor);
        QVERIFY(shown.line() == shown.limit->value && shown.threshold == separation.threshold);
        QCOMPARE(shown.trial->threshold, shown.limit->value);
        QVERIFY(std::abs(shown.estimates.below.value - 1) < 1e-9);
        const ThresholdRow row = rowOf(frozen.thresholds[0], samples, frozen.seed, frozen.holdOutShare, frozen.rule);
        QCOMPARE(1 - shown.missed.rate(), row.seenShare);
        QVERIFY(shown.missed.hits >= 4);
        QCOMPARE(shown.trial->onHoldOut.falseAlarmKernels.upper, row.holdOutBound);
        for (const std::string& part :
             {std::string("decides, a decade above the floor; it sees ") + std::to_string(shown.missed.of - shown.missed.hits)
                  + " of " + std::to_string(shown.missed.of) + " samples",
              std::string("does not promise to see them all"), std::string("(dotted), decides nothing"), std::string("at most ")})
            QVERIFY2(mentions(shown, part.c_str()), part.c_str());
        // Whatever is frozen there, it does not decide while there is no safe gap.
        QVERIFY(limitUnder(shown, 2 * separation.floor) == *shown.limit);
    }

    void overAllFamiliesNothingDecides()
    {
        const FigureData shown = figure(tests::smallCalibration());
        QVERIFY(!shown.isDecided() && shown.limit->kind == LimitKind::ByFamily);
        QVERIFY(shown.line() == shown.threshold);
        QVERIFY(mentions(shown, "No one limit decides, each family has its own"));
    }

    void aSafeGapGivesAHandTheWord()
    {
        const std::vector<Sample> samples = tests::smallCalibration(60);
        FrozenCalibration frozen = frozenWith(samples, {});
        frozen.thresholds.front().family = "softmax";
        const double byHand = 1.2 * *frozen.thresholds.front().threshold;
        frozen.thresholds.front().threshold = byHand;
        const FigureData shown = figureOf({"CMP-01", "softmax", "float32"}, samples, frozen, versionOf(frozen), m_options);
        QVERIFY(shown.limit->kind == LimitKind::InGap && shown.line() == byHand);
        QVERIFY(mentions(shown, "decides, set by hand"));
        QVERIFY(!mentions(shown, "(dotted)"));
        // Too near the floor it would not decide.
        QVERIFY(limitUnder(shown, 1.1 * shown.separation.floor).kind == LimitKind::AboveFloor);
    }

    void theCaptionSaysWhereItComesFrom()
    {
        const FigureData shown = figure(tests::smallCalibration());
        for (const char* part :
             {"Seed 7", "cpu", "torch 1.13.1", "200 replicates", "false alarms in 0 of", "at most ", "safe gap"})
            QVERIFY2(mentions(shown, part), part);
        QVERIFY(mentions(shown, shown.version.substr(0, 12).c_str()));
    }

    void withoutDefectsThereIsNoThresholdAndItSaysSo()
    {
        std::vector<Sample> samples;
        for (int k = 0; k < 9; ++k)
            samples.push_back(tests::conforming("kernel " + std::to_string(k), 1e-6 * (k + 1)));
        const FigureData shown = figure(samples);
        QVERIFY(!shown.threshold);
        QVERIFY(!shown.trial);
        QVERIFY(shown.detections.empty());
        QVERIFY(mentions(shown, "no defect was measured"));
    }

    void aDefinitionReadsBackToItself()
    {
        FrozenCalibration frozen = frozenWith(tests::smallCalibration(), {});
        frozen.seed = std::numeric_limits<std::uint64_t>::max();
        frozen.thresholds.push_back({"PRC-02", "scan", "bfloat16", GapState::NoDefects, 0.25, {}, {}});
        const std::string text = canonicalJson(frozen);
        QCOMPARE(canonicalJson(readFrozen(text, "test")), text);
        QCOMPARE(versionOf(readFrozen(text, "test")), versionOf(frozen));
        for (const std::string& broken : {std::string("[]"), std::string("{"), text.substr(0, text.size() - 1)})
            QVERIFY_EXCEPTION_THROWN(readFrozen(broken, "test"), Error);
        std::string otherState = text;
        otherState.replace(otherState.find("no-defects"), 10, "no-defectz");
        QVERIFY_EXCEPTION_THROWN(readFrozen(otherState, "test"), Error);
    }
};

QTEST_APPLESS_MAIN(CalibrationFigureTest)
#include "tst_calibration_figure.moc"
