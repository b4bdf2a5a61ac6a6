// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"
#include "tests/core/report/calibrated_corpus.h"

#include <QtEndian>

using namespace assay;

/// assay figure, with the real programs.
class FigureVerbTest final : public QObject {
    Q_OBJECT
private:
    tests::CommandLine m_assay;

    tests::Run figure(const QStringList& more) const
    {
        return m_assay(QStringList{"figure", "calibration", "--db", "a.db"} + more);
    }

private Q_SLOTS:
    void initTestCase() { tests::writeCalibratedCorpus(m_assay.path("a.db").toStdString()); }

    void aFigureAndItsNumbersAreWritten()
    {
        const tests::Run run = figure({"--gate", "cmp-01", "--out", "f.svg", "--size", "85mm", "--json"});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        const json::Document said = run.object();
        QCOMPARE(json::stringAt(said, "family").value_or(""), std::string("all"));
        QVERIFY(m_assay.read("f.svg").contains("width=\"85mm\""));
        QVERIFY(m_assay.read("f.csv").startsWith("part,series,x,y,low,high"));
    }

    void theSameFigureIsTheSameBytes()
    {
        for (const char* name : {"one.png", "two.png"}) {
            const tests::Run run = figure({"--gate", "CMP-01", "--family", "softmax", "--out", name, "--size", "16:9"});
            QVERIFY2(run.exitCode == 0, run.err.constData());
        }
        QCOMPARE(m_assay.read("one.png"), m_assay.read("two.png"));
        const QByteArray png = m_assay.read("one.png");
        QCOMPARE(qFromBigEndian<quint32>(png.constData() + 16), 3840U); // IHDR: width, height
        QCOMPARE(qFromBigEndian<quint32>(png.constData() + 20), 2160U);
    }

    void thePlanNeedsNoDatabase()
    {
        const tests::Run run = m_assay({"figure", "plan", "--keys", "128", "--values", "64", "--out", "p.svg", "--json"});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(json::integerAt(run.object(), "values").value_or(0), 64);
        QVERIFY(m_assay.read("p.svg").contains("peak 512 of 512"));
        QVERIFY(m_assay.read("p.csv").contains("accumulator,dH,0,128"));
        QCOMPARE(m_assay({"figure", "plan", "--keys", "96", "--out", "q.svg"}).exitCode, 2);
        QCOMPARE(m_assay({"figure", "plan", "--db", "a.db", "--out", "q.svg"}).exitCode, 2);
        QCOMPARE(m_assay({"figure", "calibration", "--out", "q.svg"}).exitCode, 2);
        QVERIFY(!m_assay.files().contains("q.svg"));
    }

    void whatCannotBeDrawnIsOneLine()
    {
        const tests::Run gate = figure({"--gate", "ORD-03", "--out", "g.svg"});
        QCOMPARE(gate.exitCode, 1);
        QVERIFY2(gate.err.contains("PRC-02, softmax, float32"), gate.err.constData());
        QCOMPARE(figure({"--gate", "CMP-01", "--out", "g.tiff"}).exitCode, 2);
        QCOMPARE(figure({"--gate", "CMP-01", "--out", "g.svg", "--size", "90mm"}).exitCode, 2);
        QVERIFY(!m_assay.files().contains("g.svg"));
    }
};

QTEST_APPLESS_MAIN(FigureVerbTest)
#include "tst_figure_verb.moc"
