// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/calibrate.h"
#include "core/calibration/frozen.h"
#include "core/calibration/holdout.h"
#include "core/calibration/published_calibration.h"
#include "core/calibration/what_if.h"
#include "core/text/error.h"
#include "core/text/json.h"
#include "samples.h"
#include "tests/support/shared_data.h"

#include <QFile>
#include <QtTest>

#include <algorithm>
#include <limits>
#include <set>

using namespace assay;
using namespace assay::calibration;
using namespace assay::tests;

class CalibrationVersionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aThresholdIsSetOnOneHalfAndTriedOnTheOther();
    void heldOutKernelsHaveNoPartInTheThreshold();
    void aCellWithoutThresholdHasNoRates();
    void theCanonicalTextIsTheSameHoweverItWasPutTogether();
    void everythingThatMattersChangesTheVersion();
    void twoThresholdsForOnePlaceAreRefused();
    void theDigestCountsSamplesAndNotTheirOrder();
    void anotherThresholdTurnsTheValuesBetween();
    void thePublishedCalibrationIsRead();
    void hostileFilesGiveOneLine_data();
    void hostileFilesGiveOneLine();
};

namespace {

FrozenCalibration frozen()
{
    FrozenCalibration calibration;
    calibration.thresholds = {{"ORD-03", "matmul", "bf16", GapState::NoSafeGap, 1e-6, 2e-6, 1.4142135623730951e-06},
                              {"CMP-01", "softmax", "fp32", GapState::ZeroFloor, 0.0, 1e-3, std::nullopt}};
    calibration.samplesDigest = digestOf(smallCalibration());
    calibration.device = "CPU \"x\"";
    calibration.versions = {{"torch", "2.5"}, {"driver", "570"}};
    calibration.seed = std::numeric_limits<std::uint64_t>::max();
    return calibration;
}

} // namespace

void CalibrationVersionTest::aThresholdIsSetOnOneHalfAndTriedOnTheOther()
{
    const std::vector<Sample> samples = smallCalibration(60);
    const CellCalibration cell = calibrateCell(samples, {}, 1.0 / 3, {.seed = 4, .replicates = 100});
    QVERIFY(cell.separation.isSafe());
    QCOMPARE(cell.calibrationKernels + cell.holdOutKernels, 80);
    QCOMPARE(cell.onCalibration.falseAlarmSamples.of + cell.onHoldOut.falseAlarmSamples.of, 600);
    QCOMPARE(cell.onCalibration.falseAlarmKernels.of + cell.onHoldOut.falseAlarmKernels.of, 60);
    QCOMPARE(cell.onCalibration.missedSamples.of + cell.onHoldOut.missedSamples.of, 30 * 4 + 20 * 5); // scale 1e-3 and defects
    QCOMPARE(cell.onHoldOut.falseAlarmSamples.hits, 0);
    QCOMPARE(cell.onHoldOut.falseAlarmKernels.upper,
             1 - std::pow(0.05, 1.0 / static_cast<double>(cell.onHoldOut.falseAlarmKernels.of)));
    QCOMPARE(cell.estimates.below.value, cell.separation.margins->below);
    QCOMPARE(cell.area->area, 1.0);
    const FrozenThreshold frozenCell = freeze(cell.separation, "CMP-01", "softmax", "fp32");
    QCOMPARE(frozenCell.threshold, cell.separation.threshold);
    QCOMPARE(*frozenCell.floor, cell.separation.floor);
}

void CalibrationVersionTest::heldOutKernelsHaveNoPartInTheThreshold()
{
    std::vector<Sample> samples = smallCalibration(60);
    const CellCalibration before = calibrateCell(samples, {}, 1.0 / 3, {.seed = 4, .replicates = 10});
    std::int64_t spoiled = 0;
    for (Sample& sample : samples) {
        if (sample.kind == SampleKind::Conforming && halfOf(sample.kernel, 4) == Half::HoldOut) {
            sample.value = tensor::measured(1e3);
            ++spoiled;
        }
    }
    const CellCalibration after = calibrateCell(samples, {}, 1.0 / 3, {.seed = 4, .replicates = 10});
    QVERIFY(spoiled > 0);
    QCOMPARE(after.separation.threshold, before.separation.threshold);
    QCOMPARE(after.onHoldOut.falseAlarmSamples.hits, spoiled);
    QCOMPARE(after.onCalibration.falseAlarmSamples.hits, 0);
}

void CalibrationVersionTest::aCellWithoutThresholdHasNoRates()
{
    const std::vector<Sample> samples = {conforming("a", std::numeric_limits<double>::infinity()), defect("d", 1)};
    const CellCalibration cell = calibrateCell(samples, {}, 0, {.replicates = 10});
    QCOMPARE(cell.separation.state, GapState::FloorNonFinite);
    QCOMPARE(cell.onCalibration.falseAlarmSamples.of, 0);
    QCOMPARE(cell.holdOutKernels, 0);
    QVERIFY(!cell.area);
    FrozenCalibration calibration;
    calibration.thresholds = {freeze(cell.separation, "CMP-01", "softmax", "fp32")};
    QVERIFY(!calibration.thresholds[0].floor && calibration.thresholds[0].onset);
    QVERIFY(canonicalJson(calibration).find("floor-non-finite") != std::string::npos);
}

void CalibrationVersionTest::theCanonicalTextIsTheSameHoweverItWasPutTogether()
{
    FrozenCalibration other = frozen();
    std::reverse(other.thresholds.begin(), other.thresholds.end());
    QCOMPARE(canonicalJson(other), canonicalJson(frozen()));
    QCOMPARE(versionOf(other).size(), std::size_t{64});
    json::Document document;
    QVERIFY(!json::parse(canonicalJson(other), document));
    QCOMPARE(*json::stringAt(document, "seed"), std::string("18446744073709551615"));
    QCOMPARE(*json::stringAt(document["thresholds"][0], "gate"), std::string("CMP-01"));
    QVERIFY(document["thresholds"][0]["threshold"].IsNull());
    QCOMPARE(*json::numberAt(document["thresholds"][1], "threshold"), 1.4142135623730951e-06);
}

void CalibrationVersionTest::everythingThatMattersChangesTheVersion()
{
    std::set<std::string> versions = {versionOf(frozen())};
    const auto differs = [&](auto change) {
        FrozenCalibration other = frozen();
        change(other);
        return versions.insert(versionOf(other)).second;
    };
    QVERIFY(differs([](auto& c) { c.thresholds[0].threshold = std::nextafter(*c.thresholds[0].threshold, 1); }));
    QVERIFY(differs([](auto& c) { c.thresholds[0].state = GapState::Safe; }));
    QVERIFY(differs([](auto& c) { c.thresholds[0].dtype = "fp16"; }));
    QVERIFY(differs([](auto& c) { c.thresholds.pop_back(); }));
    QVERIFY(differs([](auto& c) { c.samplesDigest.back() = 'x'; }));
    QVERIFY(differs([](auto& c) { c.device = "H200"; }));
    QVERIFY(differs([](auto& c) { c.versions["torch"] = "2.6"; }));
    QVERIFY(differs([](auto& c) { --c.seed; }));
    QVERIFY(differs([](auto& c) { c.holdOutShare = 0.5; }));
    QVERIFY(differs([](auto& c) { c.rule.floorShare = {99, 100}; }));
    QVERIFY(differs([](auto& c) { c.rule.seenFrom = 1e-4; }));
}

void CalibrationVersionTest::twoThresholdsForOnePlaceAreRefused()
{
    FrozenCalibration twice = frozen();
    twice.thresholds.push_back(twice.thresholds.front());
    QVERIFY_THROWS_EXCEPTION(Error, canonicalJson(twice));
    FrozenCalibration endless = frozen();
    endless.thresholds[0].onset = std::numeric_limits<double>::infinity();
    QVERIFY_THROWS_EXCEPTION(Error, versionOf(endless));
}

void CalibrationVersionTest::theDigestCountsSamplesAndNotTheirOrder()
{
    std::vector<Sample> samples = smallCalibration();
    const std::string digest = digestOf(samples);
    std::reverse(samples.begin(), samples.end());
    QCOMPARE(digestOf(samples), digest);
    samples.push_back(samples.front());
    QVERIFY(digestOf(samples) != digest);
    samples.pop_back();
    samples.front().value = tensor::measured(std::numeric_limits<double>::quiet_NaN());
    QVERIFY(digestOf(samples) != digest);
}

void CalibrationVersionTest::anotherThresholdTurnsTheValuesBetween()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<JudgedValue> values = {{1, tensor::measured(0)}, {2, tensor::measured(0.5)}, {3, tensor::measured(1.0)},
                                             {4, tensor::measured(3)}, {5, tensor::measured(nan)}, {6, {}},
                                             {7, tensor::measured(-1)}};
    const Flips stricter = flipsBetween(values, 1.0, 0.4);
    QCOMPARE(stricter.toFail, (std::vector<std::int64_t>{2, 3}));
    QVERIFY(stricter.toPass.empty());
    const Flips looser = flipsBetween(values, 1.0, 3.0);
    QCOMPARE(looser.toPass, (std::vector<std::int64_t>{4}));
    QVERIFY(looser.toFail.empty());
    QVERIFY(trips(tensor::measured(nan), 1e300) && trips(tensor::measured(-1), 1e300) && !trips({}, 0));
}

void CalibrationVersionTest::thePublishedCalibrationIsRead()
{
    ASSAY_REQUIRE_SHARED(shared);
    QFile file(shared + QStringLiteral("/corpora/published-audit/threshold_calibration.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const PublishedCalibration published = readPublishedCalibration(file.readAll().toStdString(), "t.json");
    QCOMPARE(published.device, std::string("cpu"));
    QCOMPARE(published.shape, (std::vector<std::int64_t>{2, 64, 32}));
    QCOMPARE(published.gates.size(), std::size_t{8});
    QCOMPARE(std::ranges::count_if(published.gates, &PublishedGate::thresholded), 5);
    const PublishedGate& thin = published.gates[3];
    QCOMPARE(thin.gate, std::string("ORD-03"));
    QCOMPARE(std::round(*thin.onsetOverTrip * 100), 124.0);
    QCOMPARE(*thin.honestFloor, 2.852858407216819e-07);
    QVERIFY(thin.tripSweep->lastPassEps < *thin.tripPoint && *thin.tripPoint < thin.tripSweep->firstFailEps);
    const ThresholdRule rule;
    for (const PublishedGate& gate : published.gates) {
        if (!gate.margins())
            continue;
        // The file's ratios are those of its own numbers.
        QVERIFY(std::abs(std::log10(*gate.onsetOverTrip) - gate.margins()->above) < 1e-12);
        QVERIFY(std::abs(std::log10(*gate.tripOverFloor) - gate.margins()->below) < 1e-12);
        QCOMPARE(gate.margins()->above >= rule.leastAbove, gate.gate != "ORD-03");
    }
    QCOMPARE(published.gates[4].accumulator.size(), std::size_t{4});
    QVERIFY(published.gates[4].accumulator[2].halfFails && !published.gates[4].accumulator[1].halfFails);
}

void CalibrationVersionTest::hostileFilesGiveOneLine_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const auto gate = [](const char* members) {
        return QByteArray(R"({"gates":[{"gate_id":"ORD-01","kind":"thresholded",)") + members + "}]}";
    };
    QTest::newRow("empty") << QByteArray() << "byte 0";
    QTest::newRow("cut off") << QByteArray(R"({"gates":[{"gate_id":"CM)") << "byte";
    QTest::newRow("no object") << QByteArray("[1]") << "no JSON object";
    QTest::newRow("no gates") << QByteArray("{}") << "\"gates\" is no array";
    QTest::newRow("a gate without a name") << QByteArray(R"({"gates":[7]})") << "gate 1 has no";
    QTest::newRow("an unknown kind") << QByteArray(R"({"gates":[{"gate_id":"A","kind":"guess"}]})") << "kind";
    QTest::newRow("text for a number") << gate(R"("trip_point":"4e-5")") << "gate ORD-01";
    QTest::newRow("a negative number") << gate(R"("honest_floor":-1)") << "honest_floor";
    QTest::newRow("NaN") << gate(R"("honest_floor":NaN)") << "honest_floor";
    QTest::newRow("a huge number") << gate(R"("honest_floor":1e400)") << "byte";
    QTest::newRow("a turned sweep") << gate(R"("trip_sweep":{"last_pass_eps":2,"first_fail_eps":1})") << "sweep";
    QTest::newRow("half a sweep") << gate(R"("trip_sweep":{"last_pass_eps":2})") << "first_fail_eps";
    QTest::newRow("a sweep without outcome") << gate(R"("sweep_over_N":[{"seq_len":64}])") << "sweep_over_N";
    QTest::newRow("a gate twice") << QByteArray(
        R"({"gates":[{"gate_id":"A","kind":"thresholded"},{"gate_id":"A","kind":"thresholded"}]})")
                                  << "twice";
    QTest::newRow("line breaks in a name") << QByteArray(R"({"gates":[{"gate_id":"A\n\u001b[2J","kind":"x"}]})") << "kind";
    QTest::newRow("a fractional shape") << QByteArray(R"({"shape":[1.5],"gates":[]})") << "shape";
    QTest::newRow("deep nesting") << QByteArray(100000, '[') << "byte";
}

void CalibrationVersionTest::hostileFilesGiveOneLine()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    try {
        readPublishedCalibration(text.toStdString(), "t.json");
        QFAIL("it was read");
    } catch (const Error& error) {
        const QString line = QString::fromUtf8(error.what());
        QVERIFY2(line.contains(says) && line.contains(QStringLiteral("t.json")), error.what());
        QVERIFY2(std::none_of(line.begin(), line.end(), [](QChar c) { return c.unicode() < 0x20; }), error.what());
        QVERIFY(line.size() < 300);
    }
}

QTEST_APPLESS_MAIN(CalibrationVersionTest)
#include "tst_calibration_version.moc"
