// SPDX-License-Identifier: Apache-2.0
#include "core/report/threshold_proposal.h"
#include "tests/core/report/calibrated_corpus.h"
#include "tests/core/store/store_fixture.h"

#include <cmath>

using namespace assay;
using namespace assay::report;
using calibration::CellName;
using calibration::GapState;

/// Calibrations read back for figures, and what another threshold would do to verdicts.
class CalibrationDataTest final : public QObject {
    Q_OBJECT
private:
    tests::Folder m_folder;
    std::unique_ptr<store::Database> m_database;
    const CellName m_cell{"CMP-01", "softmax", "float32"};
    const calibration::BootstrapOptions m_options{.replicates = 100, .threads = 1};

    calibration::FigureData figure(const CellName& cell)
    {
        return loadFigure(*m_database, calibrationVersion(*m_database, ""), cell, m_options);
    }
    std::string flipped(double threshold)
    {
        std::string text;
        for (const VerdictFlip& flip : flipsUnder(*m_database, m_cell, threshold))
            text += flip.externalId + (flip.toFail ? "!" : "") + (flip.turnsKernel ? "* " : " ");
        return text;
    }

private Q_SLOTS:
    void init()
    {
        const std::string name = std::string(QTest::currentTestFunction()) + ".db";
        tests::writeCalibratedCorpus(m_folder.path(name));
        m_database = m_folder.open(name);
    }

    void everyStateComesBack()
    {
        QVERIFY(figure(m_cell).state == GapState::Safe);
        QVERIFY(figure({"CMP-01", "all", "float32"}).state == GapState::Safe);
        const auto close = figure({"PRC-02", "softmax", "float32"});
        QVERIFY2(close.state == GapState::NoSafeGap, calibration::captionOf(close)[1].c_str());
        QVERIFY(figure({"CMP-01", "softmax", "bfloat16"}).state == GapState::NoDefects);
        QVERIFY(figure({"ORD-01", "softmax", "float32"}).conforming.counts.zeros > 0);
        QVERIFY(figure(m_cell).defects.counts.nan > 0);
        QCOMPARE(figure(m_cell).detections.size(), 2U);
    }

    void everyFigureHasTheThresholdThatWasFrozen()
    {
        const CalibrationVersion version = calibrationVersion(*m_database, "");
        QVERIFY(version.frozen.thresholds.size() > 8);
        for (const calibration::FrozenThreshold& frozen : version.frozen.thresholds) {
            const auto shown = figure({frozen.gate, frozen.family, frozen.dtype});
            QVERIFY2(!shown.isByHand, calibration::title(shown.cell).c_str());
            QVERIFY(shown.state == frozen.state);
            QVERIFY(shown.threshold == frozen.threshold);
        }
    }

    void allFamiliesHaveTheSamplesOfEach()
    {
        const auto size = [&](const char* family) {
            const auto shown = figure({"CMP-01", family, "float32"});
            return shown.calibration.conforming.size() + shown.holdOut.conforming.size();
        };
        QCOMPARE(size("softmax"), 180);
        QCOMPARE(size("all"), size("softmax") + size("matmul"));
    }

    void thePublishedMarginsStandBeside()
    {
        const auto published = figure(m_cell).published;
        QVERIFY(published.has_value());
        QVERIFY(std::abs(std::pow(10, published->margins()->below) - 147.458) < 0.001);
        const auto files = publishedCalibrations(*m_database);
        QCOMPARE(files.size(), 1U);
        const auto thin = publishedGate(files, "ORD-03");
        QVERIFY(std::abs(std::pow(10, thin->margins()->above) - 1.2428) < 0.0001);
        QVERIFY(!publishedGate(files, "PRC-02"));
    }

    void aCellIsChosenByWhatIsNamed()
    {
        const CalibrationVersion version = calibrationVersion(*m_database, "");
        QVERIFY(chooseCell(version, "CMP-01", "", "") == CellName({"CMP-01", "all", "float32"}));
        QVERIFY(chooseCell(version, "CMP-01", "matmul", "") == CellName({"CMP-01", "matmul", "float32"}));
        QVERIFY(chooseCell(version, "CMP-01", "", "bfloat16") == CellName({"CMP-01", "all", "bfloat16"}));
        QVERIFY_EXCEPTION_THROWN(chooseCell(version, "ORD-03", "", ""), Error);
        QVERIFY_EXCEPTION_THROWN(calibrationVersion(*m_database, "zz"), Error);
        QVERIFY(calibrationVersion(*m_database, version.summary.version.substr(0, 6)).summary.id == version.summary.id);
    }

    void aDatabaseWithoutOneSaysWhatToRun()
    {
        const auto empty = m_folder.open("empty.db");
        try {
            calibrationVersion(*empty, "");
            QFAIL("nothing was said");
        } catch (const Error& error) {
            QVERIFY(error.remedy().find("assay calibrate") != std::string::npos);
        }
    }

    void verdictsFlipByTheirWorstValue()
    {
        // 8 fails by a NaN as well: its gate stays failed whatever the threshold.
        QCOMPARE(flipped(0.55), "6!* 7!* ");
        QCOMPARE(flipped(0.05), "1!* 2!* 3!* 4!* 5!* 6!* 7!* ");
        QCOMPARE(flipped(1), "");
        QCOMPARE(flipped(5), "");
        m_database->sqlite().exec("UPDATE gate_result SET verdict = 'fail', value = 3; "
                                  "UPDATE check_result SET verdict = 'fail', value = 3 WHERE metric = 'error over bound'");
        QCOMPARE(flipped(5), "1* 2* 3* 4* 5* 6* 7* ");
        m_database->sqlite().exec("UPDATE kernel SET family = 'scan'");
        QCOMPARE(flipped(5), "");
    }

    void aVerdictThatAlsoFailsElsewhereStaysAsItIs()
    {
        m_database->sqlite().exec("INSERT INTO gate_result (verdict_id, gate, verdict) "
                                  "SELECT v.id, 'EXC-01', 'fail' FROM verdict v JOIN kernel k ON k.id = v.kernel_id "
                                  "WHERE k.external_id = '6'");
        QCOMPARE(flipped(0.55), "6! 7!* ");
    }

    void aProposalIsAVersionOfItsOwn()
    {
        const CalibrationVersion before = calibrationVersion(*m_database, "");
        const auto shown = loadFigure(*m_database, before, m_cell, m_options);
        QVERIFY_EXCEPTION_THROWN(proposeThreshold(*m_database, before, shown, *shown.threshold), Error);
        QVERIFY_EXCEPTION_THROWN(proposeThreshold(*m_database, before, shown, -1), Error);
        const double near = shown.separation.floor * 1.2;
        const std::string hash = proposeThreshold(*m_database, before, shown, near);
        const CalibrationVersion after = calibrationVersion(*m_database, "");
        QCOMPARE(after.summary.version, hash);
        QCOMPARE(calibrationVersions(*m_database).size(), 2U);
        QCOMPARE(calibrationVersion(*m_database, before.summary.version).summary.definition, before.summary.definition);
        QCOMPARE(after.summary.samples, before.summary.samples);
        QCOMPARE(after.frozen.samplesDigest, before.frozen.samplesDigest);
        const auto proposed = loadFigure(*m_database, after, m_cell, m_options);
        QCOMPARE(*proposed.threshold, near);
        QVERIFY(proposed.isByHand);
        QVERIFY(proposed.state == GapState::NoSafeGap);
        const auto other = loadFigure(*m_database, after, {"CMP-01", "matmul", "float32"}, m_options);
        QVERIFY(!other.isByHand);
        QCOMPARE(proposeThreshold(*m_database, before, shown, near), hash); // twice is once
        QCOMPARE(calibrationVersions(*m_database).size(), 2U);
    }

    void theCsvHasEveryPartOfTheFigure()
    {
        const auto shown = figure(m_cell);
        const QString csv = QString::fromStdString(toCsv(shown));
        QVERIFY(csv.startsWith(QStringLiteral("part,series,x,y,low,high\r\n")));
        for (const char* part : {"density_per_decade,conforming,", "ecdf,disturbed,", "ecdf,defects,", "floor,conforming,",
                                 "onset,", "threshold,frozen,", "limit,midway in the gap,", "seen_samples,both halves,",
                                 "margin_decades,below,", "published_margin_decades,above,", "detected,additive,",
                                 "detection_fit,spike,", "roc,calibration,", "auc,calibration,"})
            QVERIFY2(csv.contains(QStringLiteral("\n") + QLatin1String(part)), part);
        QVERIFY(csv.contains(QStringLiteral("samples_nan,defects,,%1").arg(shown.defects.counts.nan)));
    }
};

QTEST_APPLESS_MAIN(CalibrationDataTest)
#include "tst_calibration_data.moc"
