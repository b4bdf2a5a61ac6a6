// SPDX-License-Identifier: Apache-2.0
#include "core/runner/junit.h"

#include <QXmlStreamReader>
#include <QtTest>

#include <map>

using namespace assay;

namespace {

/// What a CI system reads: the suite's counts, and of every case the element inside with its message.
struct Suite {
    std::map<QString, QString> counts;
    std::map<QString, QString> cases; ///< "failure: message", "" for a pass
};

Suite read(const std::string& verdict)
{
    json::Document document;
    if (json::parse(verdict, document))
        qFatal("no JSON");
    QXmlStreamReader xml(QString::fromStdString(runner::toJUnit(document, "new & <fast>.py")));
    Suite suite;
    QString name;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        const auto text = [&](const char* key) { return xml.attributes().value(QLatin1String(key)).toString(); };
        if (xml.name() == QLatin1String("testsuite")) {
            for (const char* key : {"name", "tests", "failures", "errors", "skipped"})
                suite.counts[QLatin1String(key)] = text(key);
        } else if (xml.name() == QLatin1String("testcase")) {
            name = text("name");
            suite.cases[name] = QString();
        } else {
            suite.cases[name] = xml.name().toString() + QStringLiteral(": ") + text("message");
        }
    }
    if (xml.hasError())
        qFatal("no XML: %s", qPrintable(xml.errorString()));
    return suite;
}

std::string verdict(const std::string& softFailures)
{
    return R"({"verdict":"fail","contract":{"soft_failures":")" + softFailures + R"("},"gates":[
        {"id":"CMP-01","verdict":"fail","severity":"soft","finding":"off by 3 < 4","reason":"bound"},
        {"id":"CMP-02","verdict":"pass","severity":null,"finding":"clean"},
        {"id":"EXC-01","verdict":"crash","severity":"hard","finding":"dies","reason":"crash"},
        {"id":"PRC-01","verdict":"not_exercised","severity":null,"finding":"no memory"},
        {"id":"RES-02","verdict":"error","severity":null,"finding":"ours"}]})";
}

} // namespace

class JUnitTest : public QObject {
    Q_OBJECT

private slots:
    void everyGateIsACase();
    void whatIsOnlyReportedTurnsNoBuildRed();
    void whatCouldNotBeJudgedIsAnError();
};

void JUnitTest::everyGateIsACase()
{
    const Suite suite = read(verdict("fail"));
    QCOMPARE(suite.counts.at("name"), QStringLiteral("new & <fast>.py"));
    QVERIFY(suite.counts.at("tests") == "5" && suite.counts.at("failures") == "2");
    QVERIFY(suite.counts.at("errors") == "1" && suite.counts.at("skipped") == "1");
    QCOMPARE(suite.cases.at("CMP-01"), QStringLiteral("failure: off by 3 < 4"));
    QVERIFY(suite.cases.at("CMP-02").isEmpty());
    QCOMPARE(suite.cases.at("EXC-01"), QStringLiteral("failure: dies"));
    QCOMPARE(suite.cases.at("PRC-01"), QStringLiteral("skipped: not_exercised: no memory"));
    QCOMPARE(suite.cases.at("RES-02"), QStringLiteral("error: ours"));
}

void JUnitTest::whatIsOnlyReportedTurnsNoBuildRed()
{
    const Suite suite = read(verdict("report"));
    QVERIFY(suite.counts.at("failures") == "1" && suite.counts.at("skipped") == "2");
    QCOMPARE(suite.cases.at("CMP-01"), QStringLiteral("skipped: reported, not charged: off by 3 < 4"));
    QCOMPARE(suite.cases.at("EXC-01"), QStringLiteral("failure: dies"));
}

void JUnitTest::whatCouldNotBeJudgedIsAnError()
{
    const Suite suite = read(R"({"verdict":"error","reason":"no sandbox","gates":[]})");
    QVERIFY(suite.counts.at("tests") == "1" && suite.counts.at("errors") == "1");
    QCOMPARE(suite.cases.at("judgement"), QStringLiteral("error: no sandbox"));
}

QTEST_GUILESS_MAIN(JUnitTest)
#include "tst_junit.moc"
