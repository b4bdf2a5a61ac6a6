// SPDX-License-Identifier: Apache-2.0
#include "core/runner/contract_json.h"
#include "core/runner/red_team.h"
#include "core/runner/verify_job.h"
#include "core/text/error.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace assay;
using namespace assay::runner;
using contract::Gate;
using contract::Severity;
using contract::Verdict;
using Outcome = MutantRow::Outcome;

/// Judges mutants with a judge that says what it is told to.
class RedTeamTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void mutantsComeInTheirOrder();
    void aBadMutantIsNamedWithItsFile_data();
    void aBadMutantIsNamedWithItsFile();
    void aFolderWithoutMutantsIsAnError();
    void aBreakageSeenByItsGateIsAsExpected();
    void oneOfTheNamedGatesSuffices();
    void aBreakageSeenByOtherGatesAloneIsMissed();
    void aChargedTwinIsAFalseAlarm();
    void aNotedBreakageHasToPassWithANoteOfItsGate();
    void aBenignOneFailsWithItsSwitchAlone();
    void whatCouldNotBeJudgedIsNeitherCaughtNorMissed();
    void crashesAndTimeoutsCatchToo();
    void theBoundCountsChargedMutantsThatWereJudged();
    void theShippedMutantsAreWhole();
    void aRequestReadsBackAsItWasAsked();

private:
    Mutant mutant(Severity severity, std::vector<Gate> gates) const;
    MutantRow judged(const Mutant& mutant, const VerdictSummary& broken, const VerdictSummary& conforming,
                     const VerdictSummary& switched = {});

    QTemporaryDir m_dir;
    std::vector<VerifyAsk> m_asked;
};

namespace {

VerdictSummary passing()
{
    VerdictSummary summary;
    summary.verdict = Verdict::Pass;
    for (GateSummary& gate : summary.gates)
        gate.verdict = Verdict::Pass;
    return summary;
}

VerdictSummary failing(Gate gate, Severity severity = Severity::Hard, Verdict verdict = Verdict::Fail)
{
    VerdictSummary summary = passing();
    summary.verdict = Verdict::Fail;
    summary.of(gate).verdict = verdict;
    summary.of(gate).severity = severity;
    return summary;
}

VerdictSummary noting(Gate gate)
{
    VerdictSummary summary = passing();
    summary.of(gate).noted = true;
    return summary;
}

void write(const QString& path, const QByteArray& content)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
}

QByteArray facts(const char* id, const char* number)
{
    return QByteArray(R"({"id":"%1","number":%2,"behaviour":"b","gates":["CMP-01"],"severity":"hard","verdict":"fail",)"
                      R"("forms":{"cpu":{"broken":"broken.py","conforming":"conforming.py"}},"reference":"../reference.py",)"
                      R"("profile":"inference"})")
        .replace("%1", id)
        .replace("%2", number);
}

std::filesystem::path pathOf(const QString& text)
{
    return text.toStdString();
}

} // namespace

void RedTeamTest::initTestCase()
{
    for (const char* name : {"reference", "broken", "conforming"})
        write(m_dir.filePath(QStringLiteral("%1.py").arg(QLatin1String(name))), name);
}

Mutant RedTeamTest::mutant(Severity severity, std::vector<Gate> gates) const
{
    Mutant made;
    made.id = "it";
    made.number = "7";
    made.gates = std::move(gates);
    made.severity = severity;
    made.verdict = severity == Severity::Note ? Verdict::Pass : Verdict::Fail;
    made.reference = pathOf(m_dir.filePath(QStringLiteral("reference.py")));
    made.profile = "inference";
    made.forms["cuda"]
        = {pathOf(m_dir.filePath(QStringLiteral("broken.py"))), pathOf(m_dir.filePath(QStringLiteral("conforming.py")))};
    return made;
}

MutantRow RedTeamTest::judged(const Mutant& mutant, const VerdictSummary& broken, const VerdictSummary& conforming,
                              const VerdictSummary& switched)
{
    m_asked.clear();
    VerifyAsk common;
    common.device = "cuda:1";
    common.seed = 5;
    return judgeMutant(mutant, common, [&](const VerifyAsk& ask) {
        m_asked.push_back(ask);
        if (ask.candidate.text == "conforming")
            return conforming;
        return ask.contract == mutant.profile ? broken : switched;
    });
}

void RedTeamTest::mutantsComeInTheirOrder()
{
    QTemporaryDir dir;
    for (const auto& [folder, number] : {std::pair{"e10-a", R"("E10")"}, {"02-b", "2"}, {"e2-c", R"("E2")"}, {"10-d", "10"}})
        write(dir.filePath(QStringLiteral("%1/mutant.json").arg(QLatin1String(folder))), facts(folder, number));
    write(dir.filePath(QStringLiteral("README.md")), "no mutant");
    QStringList order;
    for (const Mutant& mutant : loadMutants(pathOf(dir.path())))
        order << QString::fromStdString(mutant.number + " " + mutant.folder);
    QCOMPARE(order, QStringList({"2 02-b", "10 10-d", "E2 e2-c", "E10 e10-a"}));
}

void RedTeamTest::aBadMutantIsNamedWithItsFile_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("complaint");
    QTest::newRow("no json") << QByteArray("{") << "is no JSON at byte";
    QTest::newRow("foreign gate") << facts("x", "1").replace("CMP-01", "CMP-09") << "names a gate that is none";
    QTest::newRow("no gate") << facts("x", "1").replace(R"(["CMP-01"])", "[]") << "names no gate that has to catch it";
    QTest::newRow("foreign severity") << facts("x", "1").replace("hard", "heavy") << "has an unknown severity";
    QTest::newRow("no twin") << facts("x", "1").replace("conforming\"", "other\"") << "lacks a broken or a conforming form";
    QTest::newRow("no reference") << facts("x", "1").replace("reference\"", "task\"") << "has no text \"reference\"";
}

void RedTeamTest::aBadMutantIsNamedWithItsFile()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, complaint);
    QTemporaryDir dir;
    write(dir.filePath(QStringLiteral("01-x/mutant.json")), content);
    try {
        loadMutants(pathOf(dir.path()));
        QFAIL("it was taken");
    } catch (const Error& error) {
        QVERIFY2(QString::fromStdString(error.problem()).contains(complaint), error.what());
        QVERIFY2(error.where().ends_with("01-x/mutant.json"), error.what());
    }
}

void RedTeamTest::aFolderWithoutMutantsIsAnError()
{
    QVERIFY_THROWS_EXCEPTION(Error, loadMutants(pathOf(m_dir.path())));
    QVERIFY_THROWS_EXCEPTION(Error, loadMutants("/nowhere"));
}

void RedTeamTest::aBreakageSeenByItsGateIsAsExpected()
{
    const MutantRow row = judged(mutant(Severity::Hard, {Gate::Cmp01}), failing(Gate::Cmp01, Severity::Soft), passing());
    QCOMPARE(row.outcome, Outcome::AsExpected);
    QCOMPARE(row.caughtBy, std::vector{Gate::Cmp01});
    QCOMPARE(m_asked.size(), 2U);
    QCOMPARE(m_asked[0].reference.text, std::string("reference"));
    QCOMPARE(m_asked[0].candidate.text, std::string("broken"));
    QCOMPARE(m_asked[0].contract, std::string("inference"));
    QCOMPARE(m_asked[1].candidate.text, std::string("conforming"));
    QCOMPARE(m_asked[1].device, std::string("cuda:1"));
    QCOMPARE(m_asked[1].seed, 5U);
}

void RedTeamTest::oneOfTheNamedGatesSuffices()
{
    const MutantRow row = judged(mutant(Severity::Hard, {Gate::Ord01, Gate::Cmp03}), failing(Gate::Cmp03), passing());
    QCOMPARE(row.outcome, Outcome::AsExpected);
    QCOMPARE(row.caughtBy, std::vector{Gate::Cmp03});
}

void RedTeamTest::aBreakageSeenByOtherGatesAloneIsMissed()
{
    const MutantRow row = judged(mutant(Severity::Hard, {Gate::Exc02}), failing(Gate::Cmp01), passing());
    QCOMPARE(row.outcome, Outcome::Missed);
    QVERIFY(row.caughtBy.empty());
    QCOMPARE(judged(mutant(Severity::Hard, {Gate::Exc02}), passing(), passing()).outcome, Outcome::Missed);
    QCOMPARE(judged(mutant(Severity::Hard, {Gate::Exc02}), noting(Gate::Exc02), passing()).outcome, Outcome::Missed);
}

void RedTeamTest::aChargedTwinIsAFalseAlarm()
{
    const MutantRow row
        = judged(mutant(Severity::Soft, {Gate::Cmp01}), failing(Gate::Cmp01), failing(Gate::Prc02, Severity::Soft));
    QCOMPARE(row.outcome, Outcome::TwinCharged);
}

void RedTeamTest::aNotedBreakageHasToPassWithANoteOfItsGate()
{
    const Mutant kind = mutant(Severity::Note, {Gate::Exc01});
    QCOMPARE(judged(kind, noting(Gate::Exc01), passing()).outcome, Outcome::AsExpected);
    QCOMPARE(judged(kind, passing(), passing()).outcome, Outcome::Missed);
    QCOMPARE(judged(kind, noting(Gate::Cmp01), passing()).outcome, Outcome::Missed);
    VerdictSummary charged = failing(Gate::Exc01);
    charged.of(Gate::Exc01).noted = true;
    QCOMPARE(judged(kind, charged, passing()).outcome, Outcome::WrongVerdict);
}

void RedTeamTest::aBenignOneFailsWithItsSwitchAlone()
{
    Mutant reorder = mutant(Severity::Note, {Gate::Ord03});
    reorder.failsWith = R"({"bitwise_order":true})";
    QCOMPARE(judged(reorder, passing(), passing(), failing(Gate::Ord03, Severity::Soft)).outcome, Outcome::AsExpected);
    QCOMPARE(m_asked.size(), 3U);
    json::Document spelled;
    QVERIFY(!json::parse(m_asked[1].contract, spelled));
    const contract::Contract switched = readContract(spelled);
    QCOMPARE(switched.profile, std::string("inference"));
    QVERIFY(switched.bitwiseOrder);
    QCOMPARE(m_asked[2].contract, std::string("inference"));

    QCOMPARE(judged(reorder, passing(), passing(), passing()).outcome, Outcome::Missed);
    QCOMPARE(judged(reorder, failing(Gate::Ord03), passing(), failing(Gate::Ord03)).outcome, Outcome::WrongVerdict);
    QCOMPARE(judged(reorder, passing(), passing(), VerdictSummary{}).outcome, Outcome::NotJudged);
}

void RedTeamTest::whatCouldNotBeJudgedIsNeitherCaughtNorMissed()
{
    const Mutant plain = mutant(Severity::Hard, {Gate::Cmp01});
    const VerdictSummary error; // a verdict "error"
    const MutantRow row = judged(plain, error, passing());
    QCOMPARE(row.outcome, Outcome::NotJudged);
    QCOMPARE(catchesOf({row}, false).charged, 0);
    QCOMPARE(judged(plain, failing(Gate::Cmp01), error).outcome, Outcome::NotJudged);
}

void RedTeamTest::crashesAndTimeoutsCatchToo()
{
    const Mutant endless = mutant(Severity::Hard, {Gate::Res02});
    QCOMPARE(judged(endless, failing(Gate::Res02, Severity::Hard, Verdict::Timeout), passing()).outcome, Outcome::AsExpected);
    QCOMPARE(judged(endless, failing(Gate::Res02, Severity::Hard, Verdict::Crash), passing()).outcome, Outcome::AsExpected);
}

void RedTeamTest::theBoundCountsChargedMutantsThatWereJudged()
{
    std::vector<MutantRow> rows(18, judged(mutant(Severity::Hard, {Gate::Cmp01}), failing(Gate::Cmp01), passing()));
    rows.push_back(judged(mutant(Severity::Note, {Gate::Cmp01}), noting(Gate::Cmp01), passing()));
    Mutant extension = mutant(Severity::Soft, {Gate::Cmp01});
    extension.number = "E1";
    rows.push_back(judged(extension, passing(), passing()));
    const Catches published = catchesOf(rows, true);
    QCOMPARE(published.caught, 18);
    QCOMPARE(published.charged, 18);
    QCOMPARE(std::round(published.lowerBound * 1000), 847.0);
    const Catches all = catchesOf(rows, false);
    QCOMPARE(all.caught, 18);
    QCOMPARE(all.charged, 19);
    QVERIFY(all.lowerBound < published.lowerBound);
}

void RedTeamTest::theShippedMutantsAreWhole()
{
    const std::vector<Mutant> mutants = loadMutants(ASSAY_SOURCE_DIR "/resources/mutants");
    QCOMPARE(mutants.size(), 31U);
    QCOMPARE(std::ranges::count_if(mutants, [](const Mutant& m) { return isPublished(m) && isCharged(m); }), 18);
    for (const Mutant& mutant : mutants) {
        QVERIFY2(contract::profile(mutant.profile), mutant.id.c_str());
        QVERIFY2(std::filesystem::exists(mutant.reference), mutant.id.c_str());
        for (const auto& [device, forms] : mutant.forms)
            QVERIFY2(std::filesystem::exists(forms.broken) && std::filesystem::exists(forms.conforming), mutant.id.c_str());
    }
}

void RedTeamTest::aRequestReadsBackAsItWasAsked()
{
    VerifyAsk ask;
    ask.reference = {"class Model: \"quoted\"\n", "r.py"};
    ask.candidate = {"class ModelNew: pass\n", "c.py"};
    ask.device = "cuda:1";
    ask.contract = R"({"profile":"training","repeats":64})";
    ask.gates = {"EXC-01"};
    ask.seed = std::uint64_t{1} << 63;
    ask.requestSeconds = 2.5;
    ask.unsafeNoSandbox = true;
    json::Document document;
    QVERIFY(!json::parse("{" + membersOf(ask) + "}", document));
    const VerifyRequest read = readVerifyRequest(document);
    QCOMPARE(read.referenceSource, ask.reference.text);
    QCOMPARE(read.candidateSource, ask.candidate.text);
    QCOMPARE(read.device, ask.device);
    QCOMPARE(read.contract.profile, std::string("training"));
    QCOMPARE(read.contract.repeats, 64);
    QCOMPARE(read.contract.gates, std::set{Gate::Exc01});
    QCOMPARE(read.seed, ask.seed);
    QCOMPARE(read.requestSeconds, 2.5);
    QVERIFY(!read.sandbox);
}

QTEST_APPLESS_MAIN(RedTeamTest)
#include "tst_red_team.moc"
