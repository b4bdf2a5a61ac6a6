// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/options.h"
#include "core/store/triage.h"
#include "tests/views/state/small_audit.h"
#include "views/state/workspace.h"

#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace assay;
using namespace Qt::StringLiterals;

namespace {

struct Outcome {
    int code = -1;
    QString error;
    QString output;
};

Outcome runProgram(const QStringList& arguments)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& name : {u"DISPLAY"_s, u"WAYLAND_DISPLAY"_s, u"QT_QPA_PLATFORM"_s})
        environment.remove(name);
    environment.insert(u"ASSAY_STARTUP_TRACE"_s, u"1"_s);
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(ASSAY_BINARY_DIR "/bin/assay-workbench"), arguments);
    if (!process.waitForFinished(90000))
        process.kill();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardError()), QString::fromUtf8(process.readAllStandardOutput())};
}

} // namespace

class WorkbenchTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    QString m_database;

    QString write(const QString& name, const QByteArray& text) const
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
        return file.fileName();
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_database = m_folder.filePath(u"a.db"_s);
        tests::makeSmallAudit(views::toFilesystemPath(m_database), 9);
    }

    void aPictureHasTheAskedSizeAtEveryScale_data()
    {
        QTest::addColumn<QString>("scale");
        QTest::addColumn<QSize>("pixels");
        QTest::newRow("1") << u"1"_s << QSize(1200, 800);
        QTest::newRow("1.5") << u"1.5"_s << QSize(1800, 1200);
        QTest::newRow("2") << u"2"_s << QSize(2400, 1600);
    }
    void aPictureHasTheAskedSizeAtEveryScale()
    {
        QFETCH(QString, scale);
        QFETCH(QSize, pixels);
        const QString path = m_folder.filePath(scale + u".png"_s);
        const Outcome outcome = runProgram({m_database, u"--grab"_s, path, u"--size"_s, u"1200x800"_s, u"--scale"_s, scale});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.error));
        QCOMPARE(QImage(path).size(), pixels);
        QVERIFY(outcome.error.contains(u"startup_ms "_s));
    }

    void darkAndLightPicturesDiffer()
    {
        const QString light = m_folder.filePath(u"light.png"_s);
        const QString dark = m_folder.filePath(u"dark.png"_s);
        QCOMPARE(runProgram({m_database, u"--theme"_s, u"light"_s, u"--grab"_s, light}).code, 0);
        QCOMPARE(runProgram({m_database, u"--theme"_s, u"dark"_s, u"--grab"_s, dark}).code, 0);
        QVERIFY(QImage(light).pixelColor(4, 900).lightness() > 200);
        QVERIFY(QImage(dark).pixelColor(4, 900).lightness() < 60);
    }

    void failuresAreOneLineAndExitOne_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        QTest::newRow("no such database") << QStringList{u"/nowhere/x.db"_s, u"--grab"_s, u"x.png"_s} << u"/nowhere/x.db"_s;
        QTest::newRow("no such kernel") << QStringList{u"DB"_s, u"--kernel"_s, u"4711"_s, u"--grab"_s, u"x.png"_s} << u"4711"_s;
        QTest::newRow("bad filter") << QStringList{u"DB"_s, u"--filter"_s, u"famly:x"_s, u"--grab"_s, u"x.png"_s} << u"famly"_s;
        QTest::newRow("unwritable picture") << QStringList{u"DB"_s, u"--grab"_s, u"/nowhere/x.png"_s} << u"/nowhere/x.png"_s;
        QTest::newRow("nothing to import") << QStringList{u"NEW"_s, u"--import"_s, u"/nowhere/x.jsonl"_s, u"--grab"_s, u"x.png"_s}
                                           << u"/nowhere/x.jsonl"_s;
        QTest::newRow("imported, but no such kernel")
            << QStringList{u"NEW"_s, u"--import"_s, u"ROWS"_s, u"--kernel"_s, u"4711"_s, u"--grab"_s, u"x.png"_s} << u"4711"_s;
        QTest::newRow("no corpus") << QStringList{u"NEW"_s, u"--import"_s, u"TEXT"_s, u"--grab"_s, u"x.png"_s} << u"poem.txt"_s;
        QTest::newRow("no display") << QStringList{u"DB"_s} << u"display"_s;
    }
    void failuresAreOneLineAndExitOne()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const QString rows = write(u"row.jsonl"_s, QByteArray::fromStdString(tests::auditRowText(1, true)));
        const QString text = write(u"poem.txt"_s, "roses are red");
        for (QString& argument : arguments) {
            argument = argument == u"DB"_s ? m_database
                : argument == u"NEW"_s     ? m_folder.filePath(u"new.db"_s)
                : argument == u"ROWS"_s    ? rows
                : argument == u"TEXT"_s    ? text
                                           : argument;
        }
        const Outcome outcome = runProgram(arguments);
        QVERIFY2(outcome.code == 1, qPrintable(outcome.error));
        QStringList lines = outcome.error.split(u'\n', Qt::SkipEmptyParts);
        lines.removeIf(
            [](const QString& line) { return line.startsWith(u"startup_ms"_s) || line.startsWith(u"QStandardPaths"_s); });
        QCOMPARE(lines.size(), 1);
        QVERIFY2(lines[0].contains(says), qPrintable(lines[0]));
    }

    void aFileIsImportedBeforeThePictureIsTaken()
    {
        QByteArray text;
        for (int i = 1; i <= 5; ++i)
            text += QByteArray::fromStdString(tests::auditRowText(i, true));
        const QString rows = write(u"rows.jsonl"_s, text);
        const QString database = m_folder.filePath(u"made.db"_s);
        const QString picture = m_folder.filePath(u"imported.png"_s);
        const Outcome outcome = runProgram({database, u"--import"_s, rows, u"--kernel"_s, u"4"_s, u"--grab"_s, picture});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.error));
        QVERIFY(!QImage(picture).isNull());
        const auto made = store::Database::open(views::toFilesystemPath(database), store::OpenMode::ReadOnly);
        const auto scopes = store::scopes(*made);
        QCOMPARE(scopes.size(), std::size_t{1});
        QCOMPARE(scopes[0].kernels, std::int64_t{5});
        QCOMPARE(scopes[0].corpusName, std::string("rows"));
    }

    void theCommandLineIsRead()
    {
        const auto [options, problem] = workbench::parseOptions(
            {u"w"_s, u"/a.db"_s, u"--kernel"_s, u"179"_s, u"--gate"_s, u"exc-01"_s, u"--size"_s, u"800x600"_s, u"--read-only"_s});
        QCOMPARE(problem, QString());
        QCOMPARE(options.start.spot.database, u"/a.db"_s);
        QCOMPARE(options.start.spot.place, u"kernels"_s);
        QCOMPARE(options.start.spot.gate, std::optional(contract::Gate::Exc01));
        QCOMPARE(options.size, QSize(800, 600));
        QVERIFY(options.start.readOnly);
        const auto tensors = workbench::parseOptions({u"w"_s, u"--diff"_s, u"/r.npy"_s, u"/c.npy"_s, u"--tensor"_s, u"y"_s});
        QCOMPARE(tensors.problem, QString());
        QCOMPARE(tensors.options.start.tensors, (QStringList{u"/r.npy"_s, u"/c.npy"_s}));
        QCOMPARE(tensors.options.start.tensor, u"y"_s);
        QCOMPARE(tensors.options.start.spot.database, QString());
        const auto figure = workbench::parseOptions({u"w"_s, u"/a.db"_s, u"--figure"_s, u"f.svg"_s, u"--gate"_s, u"cmp-01"_s,
                                                     u"--dtype"_s, u"float32"_s, u"--size"_s, u"85mm"_s});
        QCOMPARE(figure.problem, QString());
        QCOMPARE(figure.options.figure.gate, u"CMP-01"_s);
        QCOMPARE(figure.options.figure.dtype, u"float32"_s);
        QCOMPARE(figure.options.figure.size, u"85mm"_s);
        QVERIFY(!workbench::parseOptions({u"w"_s, u"--figure"_s, u"f.svg"_s}).problem.isEmpty()); // of which database
        const auto plan = workbench::parseOptions({u"w"_s, u"--figure"_s, u"f.svg"_s, u"--plan"_s, u"128x64"_s});
        QCOMPARE(plan.problem, QString());
        QCOMPARE(plan.options.figure.values, 64);
        QVERIFY(!workbench::parseOptions({u"w"_s, u"--figure"_s, u"f.svg"_s, u"--plan"_s, u"96x64"_s}).problem.isEmpty());
        QVERIFY(!workbench::parseOptions({u"w"_s, u"--plan"_s, u"128x64"_s}).problem.isEmpty());
        QVERIFY(!workbench::parseOptions({u"w"_s, u"/a.db"_s, u"--family"_s, u"scan"_s}).problem.isEmpty());
        QVERIFY(!workbench::parseOptions({u"w"_s, u"--diff"_s, u"/r.npy"_s}).problem.isEmpty());
        QVERIFY(!workbench::parseOptions({u"w"_s, u"--tensor"_s, u"y"_s}).problem.isEmpty());
        QVERIFY(!workbench::parseOptions({u"w"_s, u"--place"_s, u"moon"_s}).problem.isEmpty());
        QVERIFY(!workbench::parseOptions({u"w"_s, u"--gate"_s, u"XYZ-01"_s}).problem.isEmpty());
        QVERIFY(!workbench::parseOptions({u"w"_s, u"--size"_s, u"huge"_s}).problem.isEmpty());
        QVERIFY(!workbench::parseOptions({u"w"_s, u"--nonsense"_s}).problem.isEmpty());
    }

    void usageErrorsExitTwoAndVersionZero()
    {
        QCOMPARE(runProgram({u"--nonsense"_s}).code, 2);
        const Outcome version = runProgram({u"--version"_s});
        QCOMPARE(version.code, 0);
        QVERIFY(version.output.startsWith(u"assay-workbench "_s));
        QVERIFY(runProgram({u"--help"_s}).output.contains(u"--grab"_s));
    }
};

QTEST_MAIN(WorkbenchTest)
#include "tst_workbench.moc"
