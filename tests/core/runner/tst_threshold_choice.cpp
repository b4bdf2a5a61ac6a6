// SPDX-License-Identifier: Apache-2.0
#include "core/runner/contract_json.h"
#include "core/runner/threshold_choice.h"
#include "core/runner/verdict_json.h"
#include "core/runner/verdict_read.h"
#include "core/runner/verify_ask.h"
#include "core/runner/verify_job.h"
#include "core/text/error.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using namespace assay;
using namespace assay::runner;
using contract::Gate;
using contract::Verdict;
using tensor::DType;

namespace {

constexpr const char* kSum = "import torch\nclass Model:\n    def forward(self, x):\n        return x.sum(-1)\n";

calibration::ThresholdTable table()
{
    calibration::ThresholdTable table{std::string(64, 'a'), "NVIDIA H200", {}};
    table.rows.push_back({"CMP-01", "reduction", "float32", 0.42, "", 0.1, 2.0, 20, 10, 0, 0.26});
    table.rows.push_back({"PRC-01", "reduction", "bfloat16", 1.5, "", 0.1, 20.0, 20, 10, 0, 0.26});
    table.rows.push_back({"ORD-01", "reduction", "float32", {}, "no safe gap", 0.1, 0.2, 20, 10, 0, 1});
    table.rows.push_back({"CMP-01", "matmul", "float32", 0.3, "", 0.1, 2.0, 20, 10, 0, 0.26});
    return table;
}

TablePtr known()
{
    auto known = std::make_shared<KnownTable>();
    known->table = table();
    known->version = calibration::versionOf(known->table);
    return known;
}

VerifyAsk askOf(const std::string& reference, const std::string& family = {})
{
    VerifyAsk ask;
    ask.reference = {reference, "r.py"};
    ask.candidate = {"class ModelNew: pass\n", "c.py"};
    ask.thresholds = known();
    ask.family = family;
    return ask;
}

VerifyRequest sent(const VerifyAsk& ask)
{
    json::Document document;
    if (json::parse("{" + membersOf(ask) + "}", document))
        qFatal("no JSON");
    return readVerifyRequest(document);
}

QString refusal(const std::string& members)
{
    json::Document document;
    if (json::parse(R"({"reference":{"source":"r"},"candidate":{"source":"c"},)" + members + "}", document))
        qFatal("no JSON: %s", members.c_str());
    try {
        readVerifyRequest(document);
    } catch (const Error& error) {
        return QString::fromStdString(error.problem());
    }
    return {};
}

} // namespace

class ThresholdChoiceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRequestBringsTheCellsOfItsFamily();
    void theFamilyThatTheAskerKnowsDecides();
    void kernelsOfNoFamilyAreJudgedUncalibratedUnderTheSameContract();
    void withoutATableNothingIsSaidOfThresholds();
    void aContractThatNamesATableReadsBack();
    void aContractMayNotNameWhatIsNotBrought();
    void hostileCellsAreRefused_data();
    void hostileCellsAreRefused();
    void aFileIsChosenOrNone();
    void aVerdictSaysWhereItsThresholdsComeFrom();
};

void ThresholdChoiceTest::aRequestBringsTheCellsOfItsFamily()
{
    const VerifyRequest request = sent(askOf(kSum));
    QCOMPARE(request.thresholds.version, known()->version);
    QCOMPARE(request.thresholds.cells.size(), std::size_t{2});
    const contract::ThresholdCell* cell = request.thresholds.find(Gate::Cmp01, DType::Float32);
    QVERIFY(cell != nullptr && cell->value == 0.42 && cell->holdOutBound == 0.26);
    QVERIFY(request.thresholds.find(Gate::Prc01, DType::BFloat16) != nullptr);
    QVERIFY(request.thresholds.find(Gate::Ord01, DType::Float32) == nullptr); // the calibration gives none
    QVERIFY(request.thresholds.find(Gate::Cmp01, DType::BFloat16) == nullptr);
    QCOMPARE(request.contract.thresholds, (contract::ThresholdTableName{known()->version, "NVIDIA H200"}));
}

void ThresholdChoiceTest::theFamilyThatTheAskerKnowsDecides()
{
    const VerifyRequest request = sent(askOf(kSum, "matmul"));
    QCOMPARE(request.thresholds.cells.size(), std::size_t{1});
    QCOMPARE(request.thresholds.cells.front().value, 0.3);
}

void ThresholdChoiceTest::kernelsOfNoFamilyAreJudgedUncalibratedUnderTheSameContract()
{
    const VerifyRequest request = sent(askOf("class Model: pass\n"));
    QVERIFY(request.thresholds.cells.empty());
    QCOMPARE(contract::canonicalText(request.contract), contract::canonicalText(sent(askOf(kSum)).contract)); // one audit
    QVERIFY(sent(askOf(kSum, "all")).thresholds.cells.empty());
}

void ThresholdChoiceTest::withoutATableNothingIsSaidOfThresholds()
{
    VerifyAsk ask = askOf(kSum);
    ask.thresholds = nullptr;
    QVERIFY(membersOf(ask).find("thresholds") == std::string::npos);
    const VerifyRequest request = sent(ask);
    QVERIFY(request.contract.thresholds.isEmpty() && request.thresholds.cells.empty());
    QCOMPARE(contract::canonicalText(request.contract), contract::canonicalText(contract::Contract{}));
}

void ThresholdChoiceTest::aContractThatNamesATableReadsBack()
{
    contract::Contract asked;
    asked.thresholds = {known()->version, "NVIDIA H200"};
    json::Document document;
    QVERIFY(!json::parse(contract::canonicalText(asked), document));
    QVERIFY(readContract(document) == asked);
    VerifyAsk ask = askOf(kSum);
    ask.contract = contract::canonicalText(asked);
    QVERIFY(sent(ask).contract == asked);
}

void ThresholdChoiceTest::aContractMayNotNameWhatIsNotBrought()
{
    contract::Contract asked;
    asked.thresholds = {"0123", "NVIDIA H200"};
    VerifyAsk ask = askOf(kSum);
    ask.contract = contract::canonicalText(asked);
    for (const TablePtr& table : {known(), TablePtr()}) {
        ask.thresholds = table;
        QVERIFY_EXCEPTION_THROWN(sent(ask), Error);
    }
    QVERIFY_EXCEPTION_THROWN(chooseThresholds(kNoThresholds, ask.contract, "cuda:0"), Error);
    QVERIFY_EXCEPTION_THROWN(thresholdsNamedBy(ask.contract), Error);
    QVERIFY(thresholdsNamedBy(contract::canonicalText(contract::Contract{})) == nullptr);
}

void ThresholdChoiceTest::hostileCellsAreRefused_data()
{
    QTest::addColumn<QString>("member");
    QTest::newRow("no object") << R"("x")";
    QTest::newRow("no version") << R"({"device":"d","cells":[]})";
    QTest::newRow("quotes in the device") << R"({"version":"v","device":"\"","cells":[]})";
    QTest::newRow("no cells") << R"({"version":"v","device":"d"})";
    const auto cell = [](const char* text) { return QStringLiteral(R"({"version":"v","device":"d","cells":[%1]})").arg(text); };
    QTest::newRow("a gate without degree") << cell(R"({"gate":"EXC-01","dtype":"float32","value":1,"holdout_bound":0.1})");
    QTest::newRow("an integer dtype") << cell(R"({"gate":"CMP-01","dtype":"int64","value":1,"holdout_bound":0.1})");
    QTest::newRow("infinite") << cell(R"({"gate":"CMP-01","dtype":"float32","value":"Infinity","holdout_bound":0.1})");
    QTest::newRow("zero") << cell(R"({"gate":"CMP-01","dtype":"float32","value":0,"holdout_bound":0.1})");
    QTest::newRow("no bound") << cell(R"({"gate":"CMP-01","dtype":"float32","value":1})");
    QTest::newRow("two of one") << cell(R"({"gate":"CMP-01","dtype":"float32","value":1,"holdout_bound":0.1},)"
                                        R"({"gate":"CMP-01","dtype":"float32","value":2,"holdout_bound":0.1})");
}

void ThresholdChoiceTest::hostileCellsAreRefused()
{
    QFETCH(QString, member);
    QVERIFY(!refusal("\"thresholds\":" + member.toStdString()).isEmpty());
    QCOMPARE(refusal(R"("thresholds":null)"), QString());
}

void ThresholdChoiceTest::aFileIsChosenOrNone()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("t.json")).toStdString();
    std::ofstream(path) << calibration::toText(table());
    const TablePtr chosen = chooseThresholds(path, "strict", "cpu");
    QCOMPARE(chosen->version, known()->version);
    QVERIFY(chooseThresholds(kNoThresholds, "strict", "cuda:0") == nullptr);
    QVERIFY_EXCEPTION_THROWN(chooseThresholds(path + "x", "strict", "cuda:0"), Error);
}

void ThresholdChoiceTest::aVerdictSaysWhereItsThresholdsComeFrom()
{
    contract::Judgement judgement;
    for (const Gate gate : contract::kAllGates)
        judgement.gates[static_cast<std::size_t>(contract::indexOf(gate))].gate = gate;
    judgement.verdict = Verdict::Pass;
    contract::GateResult& gate = judgement.gates.front();
    gate.verdict = Verdict::Pass;
    gate.checks.resize(3);
    gate.checks[0].threshold = tensor::measured(0.42);
    gate.checks[0].calibrated = {known()->version, 0.031};
    gate.checks[1].threshold = tensor::measured(1);
    gate.checks[2].threshold = tensor::measured(0); // exact: nothing to calibrate
    VerdictContext context;
    context.contract.thresholds = {known()->version, "NVIDIA H200"};
    context.device = "cpu";
    json::ObjectText out;
    writeVerdict(out, judgement, context);
    json::Document document;
    QVERIFY(!json::parse(out.finish(), document));
    const json::Value& checks = document["gates"][0]["checks"];
    QVERIFY(checks[0]["calibrated"].GetBool() && checks[0]["calibration"] == known()->version.c_str());
    QVERIFY(!checks[1]["calibrated"].GetBool() && !checks[1].HasMember("calibration"));
    QVERIFY(!checks[2].HasMember("calibrated"));

    const ReceivedVerdict read = readVerdict(document); // its contract hash fits
    const auto& received = read.judged.judgement.gates.front().checks;
    QVERIFY(received[0].calibrated == gate.checks[0].calibrated);
    QVERIFY(!received[1].calibrated && !received[2].calibrated);
}

QTEST_APPLESS_MAIN(ThresholdChoiceTest)
#include "tst_threshold_choice.moc"
