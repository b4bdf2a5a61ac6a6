// SPDX-License-Identifier: Apache-2.0
#include "core/store/calibration_run.h"
#include "core/store/calibration_store.h"
#include "store_fixture.h"

#include <QtTest>

#include <limits>

using namespace assay;
using namespace assay::store;
using calibration::SampleKind;

namespace {

CalibrationSample row(SampleKind kind, const std::string& source, double scale, tensor::Measured value)
{
    CalibrationSample made{"CMP-01", "softmax", "float32", source, {}};
    made.sample.kind = kind;
    made.sample.kernel = "control softmax-online";
    made.sample.value = value;
    if (kind == SampleKind::Perturbed) {
        made.sample.perturbation = source;
        made.sample.scale = scale;
    }
    return made;
}

std::vector<CalibrationSample> rows()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {row(SampleKind::Conforming, "shipped", 0, tensor::measured(0x1p-7)),
            row(SampleKind::Conforming, "candidate", 0, tensor::measured(0)),
            row(SampleKind::Perturbed, "multiplicative", 3.8e-4, tensor::measured(17.5)),
            row(SampleKind::Defect, "candidate", 0, tensor::measured(nan))};
}

calibration::FrozenCalibration frozen(double threshold = 0.31)
{
    calibration::FrozenCalibration made;
    made.thresholds = {{"CMP-01", "softmax", "float32", calibration::GapState::Safe, 0.01, 5, threshold},
                       {"PRC-01", "softmax", "bfloat16", calibration::GapState::FloorNonFinite, {}, {}, {}}};
    made.samplesDigest = "d";
    made.device = "cpu";
    made.versions = {{"torch", "1.13.1"}};
    made.seed = 7;
    return made;
}

} // namespace

class CalibrationStoreTest : public QObject {
    Q_OBJECT

private slots:
    void init() { m_database = m_folder.open(std::to_string(++m_number) + ".db"); }

    void whatWasMeasuredComesBack()
    {
        const std::int64_t id = insertCalibration(*m_database, frozen(), "two kernels", rows());
        const auto found = calibrations(*m_database);
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found.front().id, id);
        QCOMPARE(found.front().version, calibration::versionOf(frozen()));
        QCOMPARE(found.front().definition, calibration::canonicalJson(frozen()));
        QCOMPARE(found.front().title, std::string("two kernels"));
        QCOMPARE(found.front().samples, 4);
        const auto samples = calibrationSamples(*m_database, id);
        const auto given = rows();
        QCOMPARE(samples.size(), given.size());
        for (std::size_t i = 0; i < samples.size(); ++i) {
            QVERIFY(samples[i].gate == given[i].gate && samples[i].family == given[i].family
                    && samples[i].dtype == given[i].dtype);
            QCOMPARE(samples[i].source, given[i].source);
            QCOMPARE(samples[i].sample.kind, given[i].sample.kind);
            QCOMPARE(samples[i].sample.kernel, given[i].sample.kernel);
            QCOMPARE(samples[i].sample.perturbation, given[i].sample.perturbation);
            QCOMPARE(samples[i].sample.scale, given[i].sample.scale);
            QCOMPARE(samples[i].sample.value, given[i].sample.value);
        }
    }

    void aVersionIsWrittenOnce()
    {
        const std::int64_t first = insertCalibration(*m_database, frozen(), "once", rows());
        QCOMPARE(insertCalibration(*m_database, frozen(), "again", rows()), first);
        QCOMPARE(calibrations(*m_database).size(), 1U);
        QCOMPARE(calibrationSamples(*m_database, first).size(), 4U);
    }

    void whatARunMeasuredIsKeptUntilItEnds()
    {
        QVERIFY(!findCalibrationRun(*m_database, "ask"));
        const std::int64_t run = beginCalibrationRun(*m_database, "ask");
        QCOMPARE(findCalibrationRun(*m_database, "ask"), std::optional(run));
        QVERIFY(!findCalibrationRun(*m_database, "another"));
        QVERIFY_EXCEPTION_THROWN(beginCalibrationRun(*m_database, "ask"), DatabaseError);
        keepJudgement(*m_database, run, {2, {}, "control x: no sandbox", ""});
        keepJudgement(*m_database, run, {0, rows(), "", "{}"});
        keepJudgement(*m_database, run, {0, {}, "by another process", "{}"});
        const auto kept = keptJudgements(*m_database, run);
        QCOMPARE(kept.size(), 2U);
        QCOMPARE(kept[0].place, 0U);
        QCOMPARE(kept[0].samples.size(), 4U);
        QCOMPARE(kept[0].samples[2].sample.scale, 3.8e-4);
        QCOMPARE(kept[0].samples[3].sample.value, rows()[3].sample.value);
        QCOMPARE(kept[0].versions, std::string("{}"));
        QCOMPARE(kept[1].notJudged, std::string("control x: no sandbox"));
        QVERIFY(calibrations(*m_database).empty()); // not before it is whole
        beginCalibrationRun(*m_database, "another");
        const auto runs = calibrationRuns(*m_database);
        QCOMPARE(runs.size(), 2U);
        QCOMPARE(runs[0].ask + runs[1].ask, std::string("anotherask")); // the newest first
        QCOMPARE(runs[0].kept, 0);
        QCOMPARE(runs[1].kept, 2);
        QCOMPARE(runs[1].versions, std::string("{}"));
        QVERIFY(runs[1].startedAt.ends_with('Z'));
        discardCalibrationRun(*m_database, run);
        QVERIFY(!findCalibrationRun(*m_database, "ask") && keptJudgements(*m_database, run).empty());
        QCOMPARE(calibrationRuns(*m_database).size(), 1U);
        QVERIFY_EXCEPTION_THROWN(keepJudgement(*m_database, run, {1, rows(), "", ""}), Error);
    }

    void anotherThresholdIsAnotherVersion()
    {
        insertCalibration(*m_database, frozen(), "measured", rows());
        insertCalibration(*m_database, frozen(0.5), "proposed", rows());
        const auto found = calibrations(*m_database);
        QCOMPARE(found.size(), 2U);
        QCOMPARE(found.front().title, std::string("proposed")); // the newest first
        QVERIFY(found.front().version != found.back().version);
    }

    void aKindThatNobodyKnowsIsNotGuessed()
    {
        const std::int64_t id = insertCalibration(*m_database, frozen(), "t", rows());
        m_database->sqlite().exec("UPDATE calibration_sample SET kind = 'perhaps' WHERE id = 2");
        QVERIFY_EXCEPTION_THROWN(calibrationSamples(*m_database, id), DatabaseError);
    }

    void onlyThresholdsThatExistAreRows()
    {
        insertCalibration(*m_database, frozen(), "t", rows());
        SQLite::Statement query(m_database->sqlite(), "SELECT gate, family, dtype, value FROM threshold");
        QVERIFY(query.executeStep());
        QCOMPARE(query.getColumn(0).getString(), std::string("CMP-01"));
        QCOMPARE(query.getColumn(3).getDouble(), 0.31);
        QVERIFY(!query.executeStep());
    }

private:
    tests::Folder m_folder;
    std::unique_ptr<Database> m_database;
    int m_number = 0;
};

QTEST_APPLESS_MAIN(CalibrationStoreTest)
#include "tst_calibration_store.moc"
