// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/calibrate.h"
#include "core/calibration/holdout.h"
#include "core/calibration/limit.h"
#include "core/calibration/threshold_table.h"
#include "core/text/error.h"
#include "samples.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::calibration;
using namespace assay::tests;

namespace {

constexpr std::uint64_t kSeed = 4;
constexpr double kShare = 1.0 / 3;

FrozenThreshold frozenOf(const std::vector<Sample>& samples, const std::string& family = "softmax")
{
    const Separation separation = separate(SampleSet(split(samples, kSeed, kShare).calibration), {});
    return freeze(separation, "CMP-01", family, "float32");
}

ThresholdTable tableOf(const std::vector<Sample>& samples)
{
    ThresholdTable table{std::string(64, 'a'), "NVIDIA H200", {}};
    for (const char* family : {"softmax", "matmul"})
        table.rows.push_back(rowOf(frozenOf(samples, family), samples, kSeed, kShare, {}));
    table.rows.push_back({"ORD-01", "softmax", "float32", {}, "conforming kernels measure exactly 0", 0.0, 1e-3, 12, 6});
    return table;
}

QString refusal(std::string text, const std::string& from = {}, const std::string& to = {})
{
    if (!from.empty()) {
        const auto at = text.find(from);
        if (at == std::string::npos)
            qFatal("the text has no %s", from.c_str());
        text.replace(at, from.size(), to);
    }
    try {
        readThresholdTable(text, "t.json");
    } catch (const Error& error) {
        return QString::fromStdString(error.where() + ": " + error.problem());
    }
    return {};
}

} // namespace

class ThresholdTableTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSafeGapGivesItsThresholdAndWhatTheHoldOutSays();
    void heldOutKernelsThatItChargesAreCounted();
    void withoutASafeGapTheFloorSetsTheLimit();
    void tooFewKernelsAreNoGround();
    void aLimitSaysHowItCameAbout();
    void aFileComesBackAsItWas();
    void theVersionDoesNotHangOnTheOrderOfRows();
    void kernelsOfNoKnownFamilyHaveNone();
    void hostileFilesGiveOneLine_data();
    void hostileFilesGiveOneLine();
};

void ThresholdTableTest::aSafeGapGivesItsThresholdAndWhatTheHoldOutSays()
{
    const std::vector<Sample> samples = smallCalibration(60);
    const ThresholdRow row = rowOf(frozenOf(samples), samples, kSeed, kShare, {});
    const CellCalibration cell = calibrateCell(samples, {}, kShare, {.seed = kSeed, .replicates = 1});
    QVERIFY(row.threshold && row.threshold == cell.separation.threshold);
    QVERIFY(row.reason.empty());
    QCOMPARE(row.kernels + row.holdOutKernels, 60); // defects are no right kernels
    QCOMPARE(row.holdOutKernels, cell.onHoldOut.falseAlarmKernels.of);
    QCOMPARE(row.holdOutAlarms, 0);
    QCOMPARE(row.holdOutBound, 1 - std::pow(0.05, 1.0 / static_cast<double>(row.holdOutKernels)));
    QVERIFY(*row.floor < *row.threshold && *row.threshold < *row.onset);
}

void ThresholdTableTest::heldOutKernelsThatItChargesAreCounted()
{
    std::vector<Sample> samples = smallCalibration(60);
    const FrozenThreshold frozen = frozenOf(samples);
    const auto noisy = std::ranges::find_if(
        samples, [](const Sample& sample) { return halfOf(sample.kernel, kSeed, kShare) == Half::HoldOut; });
    noisy->value = tensor::measured(*frozen.threshold * 2);
    const ThresholdRow row = rowOf(frozen, samples, kSeed, kShare, {});
    QCOMPARE(row.threshold, frozen.threshold);
    QCOMPARE(row.holdOutAlarms, 1);
    QVERIFY(row.holdOutBound > 1.0 / static_cast<double>(row.holdOutKernels));
}

void ThresholdTableTest::withoutASafeGapTheFloorSetsTheLimit()
{
    std::vector<Sample> samples = smallCalibration(60);
    FrozenThreshold frozen = frozenOf(samples);
    frozen.state = GapState::NoSafeGap; // the margins are below what the rule demands, the number is there
    const ThresholdRow row = rowOf(frozen, samples, kSeed, kShare, {});
    QVERIFY(row.isOneSided);
    QCOMPARE(row.threshold, std::optional(std::min(1.0, 10 * *frozen.floor)));
    QVERIFY(row.seenShare > 0 && row.seenShare <= 1);
    QVERIFY(row.holdOutBound < 1);

    // Never looser than the rules, and only where that leaves room.
    frozen.floor = 0.2;
    QCOMPARE(rowOf(frozen, samples, kSeed, kShare, {}).threshold, std::optional(1.0));
    frozen.floor = 0.5;
    QVERIFY(!rowOf(frozen, samples, kSeed, kShare, {}).threshold);
    QVERIFY(rowOf(frozen, samples, kSeed, kShare, {}).reason.starts_with("no safe gap, and"));

    // A kernel that was held out and is charged by it is a reason against it.
    frozen = frozenOf(samples);
    frozen.state = GapState::Overlap;
    const auto noisy = std::ranges::find_if(
        samples, [](const Sample& sample) { return halfOf(sample.kernel, kSeed, kShare) == Half::HoldOut; });
    noisy->value = tensor::measured(*frozen.floor * 20);
    QVERIFY(!rowOf(frozen, samples, kSeed, kShare, {}).threshold);

    frozen.floor = std::nullopt;
    QCOMPARE(rowOf(frozen, samples, kSeed, kShare, {}).reason, std::string(sentence(GapState::Overlap)));
}

void ThresholdTableTest::tooFewKernelsAreNoGround()
{
    const std::vector<Sample> samples = smallCalibration(60);
    const FrozenThreshold frozen = frozenOf(samples);
    QCOMPARE(rowOf(frozen, samples, kSeed, 0, {}).reason, std::string("no kernel was held out to try it on"));
    QCOMPARE(rowOf(frozen, samples, kSeed, 1, {}).reason, std::string("too few kernels"));
}

void ThresholdTableTest::aLimitSaysHowItCameAbout()
{
    const std::vector<Sample> samples = smallCalibration(60);
    FrozenThreshold frozen = frozenOf(samples);
    const auto limit = [&] { return limitOf(rowOf(frozen, samples, kSeed, kShare, {})); };
    QVERIFY(limit() == (Limit{LimitKind::InGap, *frozen.threshold, {}}));
    QCOMPARE(wordsOf(limit()), std::string("midway in the gap"));
    QCOMPARE(wordsOf(limit(), true), std::string("set by hand"));
    frozen.state = GapState::Overlap;
    QVERIFY(limit() == (Limit{LimitKind::AboveFloor, 10 * *frozen.floor, {}}));
    QCOMPARE(wordsOf(limit()), std::string("a decade above the floor"));
    frozen.floor = 0.2;
    QVERIFY(limit() == (Limit{LimitKind::RulesOwn, 1, {}}));
    QVERIFY(limit().isOneSided() && limit().isCalibrated());
    frozen.floor = 0.5;
    QVERIFY(limit().kind == LimitKind::NotCalibrated && !limit().isCalibrated());
    QCOMPARE(limit().value, 1.0);
    QVERIFY(limit().reason.find("near the limit of the rules") != std::string::npos);
    // No judge takes these, whatever the row says.
    frozen = frozenOf(samples, "all");
    QVERIFY(limit().kind == LimitKind::ByFamily);
    frozen.family = "unknown";
    QVERIFY(limit().kind == LimitKind::NotCalibrated && !limit().reason.empty());
}

void ThresholdTableTest::aFileComesBackAsItWas()
{
    const ThresholdTable table = tableOf(smallCalibration(60));
    const std::string text = toText(table);
    const ThresholdTable read = readThresholdTable(text, "t.json");
    QCOMPARE(read.calibration, table.calibration);
    QCOMPARE(read.device, table.device);
    QCOMPARE(read.rows.size(), std::size_t{3});
    for (const ThresholdRow& row : table.rows)
        QVERIFY(std::ranges::find(read.rows, row) != read.rows.end());
    QCOMPARE(toText(read), text);
    QCOMPARE(std::ranges::count(text, '\n'), 5); // a row a line
}

void ThresholdTableTest::theVersionDoesNotHangOnTheOrderOfRows()
{
    ThresholdTable table = tableOf(smallCalibration(60));
    const std::string version = versionOf(table);
    std::ranges::reverse(table.rows);
    QCOMPARE(versionOf(table), version);
    table.rows.front().threshold = 0.5;
    QVERIFY(versionOf(table) != version);
}

void ThresholdTableTest::kernelsOfNoKnownFamilyHaveNone()
{
    ThresholdTable table = tableOf(smallCalibration(60));
    QCOMPARE(table.of("softmax").size(), std::size_t{1}); // ORD-01 has a reason instead
    QCOMPARE(table.of("conv").size(), std::size_t{0});
    ThresholdRow row = table.rows.front();
    for (const char* family : {"unknown", "all"}) {
        row.family = family;
        table.rows.push_back(row);
        QCOMPARE(table.of(family).size(), std::size_t{0});
    }
}

void ThresholdTableTest::hostileFilesGiveOneLine_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::newRow("another schema") << "assay.thresholds/1"
                                    << "assay.thresholds/9";
    QTest::newRow("a gate without degree") << "\"gate\":\"ORD-01\""
                                           << "\"gate\":\"EXC-01\"";
    QTest::newRow("a threshold outside its gap") << "\"onset\":"
                                                 << "\"onset\":1e-9,\"was\":";
    QTest::newRow("no gap") << "\"floor\":"
                            << "\"was\":";
    QTest::newRow("a threshold with a reason") << "\"reason\":\"\""
                                               << "\"reason\":\"none\"";
    QTest::newRow("a bound that is no share") << "\"hold_out_bound\":0."
                                              << "\"hold_out_bound\":7.";
    QTest::newRow("more alarms than kernels") << "\"hold_out_alarms\":0"
                                              << "\"hold_out_alarms\":999";
    QTest::newRow("a device with quotes") << "NVIDIA H200"
                                          << "N\\\"";
    QTest::newRow("changed") << "\"kernels\":12"
                             << "\"kernels\":13";
    QTest::newRow("cut off") << "}\n"
                             << "";
    QTest::newRow("two of one") << "\"family\":\"matmul\""
                                << "\"family\":\"softmax\"";
}

void ThresholdTableTest::hostileFilesGiveOneLine()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    const std::string text = toText(tableOf(smallCalibration(60)));
    QCOMPARE(refusal(text), QString());
    const QString line = refusal(text, from.toStdString(), to.toStdString());
    QVERIFY(!line.isEmpty());
    QVERIFY2(!line.contains(QLatin1Char('\n')), qPrintable(line));
    for (const char* foreign : {"", "[]", "{}", "\x1f\x8b not gzip"})
        QVERIFY(!refusal(foreign).isEmpty());
}

QTEST_APPLESS_MAIN(ThresholdTableTest)
#include "tst_threshold_table.moc"
