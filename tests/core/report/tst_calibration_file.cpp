// SPDX-License-Identifier: Apache-2.0
#include "core/report/calibration_file.h"
#include "core/report/report.h"
#include "core/report/threshold_export.h"
#include "core/report/threshold_note.h"
#include "core/text/error.h"
#include "tests/core/report/calibrated_corpus.h"
#include "tests/core/store/store_fixture.h"

#include <QFile>

#include <zlib.h>

#include <algorithm>

using namespace assay;
using namespace assay::report;

namespace {

QByteArray contentOf(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
}

QByteArray unpacked(const std::filesystem::path& path)
{
    gzFile file = gzopen(path.c_str(), "rb");
    QByteArray all;
    char buffer[4096];
    for (int got = gzread(file, buffer, sizeof buffer); got > 0; got = gzread(file, buffer, sizeof buffer))
        all.append(buffer, got);
    gzclose(file);
    return all;
}

void write(const std::filesystem::path& path, const QByteArray& content)
{
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write %s", path.c_str());
}

} // namespace

/// Calibrations as files, and the thresholds that a judge takes of them.
class CalibrationFileTest final : public QObject {
    Q_OBJECT
private:
    tests::Folder m_folder;
    std::unique_ptr<store::Database> m_database;

    std::filesystem::path written()
    {
        const auto path = m_folder.path("c.jsonl.gz");
        writeCalibrationFile(*m_database, calibrationVersion(*m_database, ""), path);
        return path;
    }
    /// What loading @p content says; "" where it loads.
    QString refusal(const QByteArray& content)
    {
        write(m_folder.path("hostile.jsonl.gz"), content);
        const auto empty = m_folder.open("empty.db");
        QString said;
        try {
            loadCalibrationFile(*empty, m_folder.path("hostile.jsonl.gz"));
        } catch (const Error& error) {
            said = QString::fromStdString(error.problem());
        }
        if (store::calibrations(*empty).empty() == said.isEmpty())
            qFatal("a refused calibration was stored, or one that was read was not");
        return said;
    }

private Q_SLOTS:
    void initTestCase()
    {
        tests::writeCalibratedCorpus(m_folder.path("a.db"));
        m_database = m_folder.open("a.db");
    }
    void init() { std::filesystem::remove(m_folder.path("empty.db")); }

    void aCalibrationComesBackBitForBit()
    {
        const auto path = written();
        const auto other = m_folder.open("b.db");
        const LoadedCalibration loaded = loadCalibrationFile(*other, path);
        const CalibrationVersion was = calibrationVersion(*m_database, "");
        const CalibrationVersion is = calibrationVersion(*other, "");
        QVERIFY(loaded.isNew && loaded.version == was.summary.version && loaded.title == "cpu, 6 draws");
        QCOMPARE(is.summary.version, was.summary.version);
        QCOMPARE(is.summary.definition, was.summary.definition);
        QCOMPARE(is.summary.createdAt, was.summary.createdAt);
        QCOMPARE(is.summary.samples, was.summary.samples);
        const auto before = store::calibrationSamples(*m_database, was.summary.id);
        const auto after = store::calibrationSamples(*other, is.summary.id);
        QCOMPARE(after.size(), before.size());
        QVERIFY(std::ranges::equal(before, after, [](const store::CalibrationSample& a, const store::CalibrationSample& b) {
            return a.gate == b.gate && a.family == b.family && a.dtype == b.dtype && a.source == b.source
                && a.sample.kind == b.sample.kind && a.sample.kernel == b.sample.kernel
                && a.sample.perturbation == b.sample.perturbation && a.sample.scale == b.sample.scale
                && a.sample.value == b.sample.value;
        }));
        QVERIFY(!loadCalibrationFile(*other, path).isNew);
        QCOMPARE(store::calibrations(*other).size(), std::size_t{1});

        const auto again = m_folder.path("again.jsonl.gz");
        writeCalibrationFile(*other, is, again);
        QCOMPARE(contentOf(again), contentOf(path));
    }

    void hostileFilesAreRefusedAndNothingIsStored()
    {
        const auto path = written();
        const QByteArray packed = contentOf(path);
        const QByteArray plain = unpacked(path);
        QVERIFY(refusal(packed).isEmpty());
        init();
        QVERIFY(refusal(plain).isEmpty()); // uncompressed it is the same
        init();
        QVERIFY(refusal(packed.first(packed.size() / 2)).startsWith(u"this is no calibration"));
        QVERIFY(refusal(plain.first(plain.size() / 2)).startsWith(u"this is no calibration"));
        QVERIFY(refusal(plain + "[1]\n").startsWith(u"this is no calibration"));
        QVERIFY(!refusal("").isEmpty());
        QVERIFY(!refusal("{\"schema\":\"other/1\"}\n").isEmpty());
        QVERIFY(!refusal("\x1f\x8b\x08 nothing").isEmpty());
        // Every sample and the definition are under a hash.
        for (const auto& [from, to] :
             {std::pair("\"matmul\"", "\"mutmal\""), std::pair("\"seed\":\"3\"", "\"seed\":\"4\""),
              std::pair("\"conforming\"", "\"defect\""), std::pair("control softmax 1", "control x 1")}) {
            QByteArray changed = plain;
            const qsizetype at = changed.lastIndexOf(from);
            QVERIFY2(at >= 0, from);
            changed.replace(at, qsizetype(qstrlen(from)), to);
            QVERIFY2(!refusal(changed).isEmpty(), from);
        }
        for (const QString& line : {refusal(plain.first(100)), refusal("[]\n")})
            QVERIFY2(!line.isEmpty() && !line.contains(u'\n'), qPrintable(line));
    }

    void aReportSaysWhichLimitsAreCalibrated()
    {
        store::Database& database = *m_database;
        const std::int64_t audit = tests::number(database, "SELECT id FROM audit WHERE origin = 'judged'");
        QCOMPARE(thresholdNote(database, audit), std::string("No threshold is calibrated."));
        QCOMPARE(thresholdNote(database, 0), std::string()); // nobody's audit
        database.sqlite().exec(R"(UPDATE audit SET gate_config = '{"thresholds":{"device":"NVIDIA H200","version":"01"}}')");
        database.sqlite().exec(
            "UPDATE check_result SET holdout_bound = 0.031 WHERE metric = 'error over bound' AND verdict_id < 4");
        const std::string note = thresholdNote(database, audit);
        QCOMPARE(note,
                 std::string("Thresholds calibrated (NVIDIA H200, hold-out false alarms at most 3.1 %): CMP-01 of 3 kernels. "
                             "Every other threshold is not calibrated."));
        const AuditReport report = buildReport(database, resolveScope(database, "", ""), builtInRuleSets().front());
        QVERIFY(toText(report).find(note) != std::string::npos && toMarkdown(report).find(note) != std::string::npos
                && toHtml(report).find(note) != std::string::npos && toJson(report).find(note) != std::string::npos);
    }

    void aTableOfThresholdsHasWhatIsSafeAndWhyTheRestIsNot()
    {
        const CalibrationVersion version = calibrationVersion(*m_database, "");
        const calibration::ThresholdTable table = thresholdTable(*m_database, version);
        QCOMPARE(table.calibration, version.summary.version);
        QCOMPARE(table.device, std::string("cpu"));
        QCOMPARE(table.rows.size(), std::size_t{7}); // none over all families
        for (const calibration::ThresholdRow& row : table.rows) {
            const bool isSafe = (row.gate == "CMP-01" && row.dtype == "float32") || row.gate == "PRC-01";
            const auto shown = row.gate + " " + row.family + " " + row.dtype;
            if (row.gate != "ORD-01")
                QVERIFY2((row.threshold && !row.isOneSided) == isSafe, shown.c_str());
            QVERIFY2(row.threshold.has_value() == row.reason.empty(), shown.c_str());
            QCOMPARE(row.kernels + row.holdOutKernels, 30);
            if (!row.threshold)
                continue;
            const auto frozen = std::ranges::find_if(version.frozen.thresholds, [&](const auto& one) {
                return one.gate == row.gate && one.family == row.family && one.dtype == row.dtype;
            });
            if (row.isOneSided)
                QVERIFY(*row.threshold <= 1 && *row.threshold <= 10 * *frozen->floor);
            else
                QCOMPARE(row.threshold, frozen->threshold);
            QVERIFY(row.holdOutBound < 0.5);
        }
    }
};

QTEST_GUILESS_MAIN(CalibrationFileTest)
#include "tst_calibration_file.moc"
