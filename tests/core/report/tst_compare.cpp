// SPDX-License-Identifier: Apache-2.0
#include "core/report/compare.h"
#include "report_fixture.h"

using namespace assay;
using namespace assay::tests;
using contract::Gate;
using contract::Verdict;

class CompareTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void flipsAreFoundPerKernelAndPerGateWithReasons();
    void kernelsOfOneAuditAloneAreCountedApart();
    void aGateThatOneAuditDidNotRunIsNamedAndNoFlip();
    void equalAuditsHaveNoFlip();
    void auditsWithoutACommonKernelSayWhy();
    void jsonHasEveryFlip();
};

namespace {

/// Two audits of one corpus.
struct TwoAudits : ImportFixture {
    TwoAudits(const std::string& before, const std::string& after, const std::string& corpusAfter = "c")
    {
        ingest::ImportOptions options;
        options.corpusName = "c";
        options.auditName = "june";
        importText(before, "june.jsonl", "", options);
        options.corpusName = corpusAfter;
        options.auditName = "july";
        importText(after, "july.jsonl", "", options);
    }

    report::Comparison compare()
    {
        return report::compareAudits(*database, report::resolveScope(*database, "", "june"),
                                     report::resolveScope(*database, "", "july"));
    }
};

std::string before()
{
    return lines(
        {gatedRow(1, gate("CMP-01", "fail", "random[0]: max_err=2.0e+00 > atol=1.0e-03") + ", " + gate("EXC-01", "pass")),
         gatedRow(2, gate("CMP-01", "pass") + ", " + gate("EXC-01", "pass")), gatedRow(3, gate("CMP-01", "pass"))});
}

std::string after()
{
    return lines({gatedRow(1, gate("CMP-01", "pass") + ", " + gate("EXC-01", "error", "gate crashed: x")),
                  gatedRow(2, gate("CMP-01", "pass") + ", " + gate("EXC-01", "fail", "scattered_nan: NaN mask mismatch")),
                  gatedRow(4, gate("CMP-01", "pass"))});
}

} // namespace

void CompareTest::flipsAreFoundPerKernelAndPerGateWithReasons()
{
    TwoAudits store(before(), after());
    const report::Comparison comparison = store.compare();
    QCOMPARE(comparison.joined, 2);
    QCOMPARE(comparison.verdictFlips, 2);
    QCOMPARE(comparison.flips.size(), std::size_t{2});
    const report::KernelFlip& first = comparison.flips[0];
    QCOMPARE(first.externalId, std::string("1"));
    QCOMPARE(first.before, Verdict::Fail);
    QCOMPARE(first.gates.size(), std::size_t{2});
    QCOMPARE(first.gates[0].gate, Gate::Cmp01);
    QCOMPARE(first.gates[0].reasonBefore, std::string("random[0]: max_err=2.0e+00 > atol=1.0e-03"));
    QCOMPARE(first.gates[1].after, Verdict::Error);
    QCOMPARE(comparison.perGate[contract::indexOf(Gate::Cmp01)].failToPass, 1);
    QCOMPARE(comparison.perGate[contract::indexOf(Gate::Exc01)].passToFail, 1);
    QCOMPARE(comparison.perGate[contract::indexOf(Gate::Exc01)].other, 1); // pass to error says nothing of the kernel
    const QString text = QString::fromStdString(report::toText(comparison));
    QVERIFY(text.contains("EXC-01  pass -> fail; after: scattered_nan: NaN mask mismatch"));
}

void CompareTest::kernelsOfOneAuditAloneAreCountedApart()
{
    TwoAudits store(before(), after());
    const report::Comparison comparison = store.compare();
    QCOMPARE(comparison.onlyBefore, 1);
    QCOMPARE(comparison.onlyAfter, 1);
}

void CompareTest::aGateThatOneAuditDidNotRunIsNamedAndNoFlip()
{
    TwoAudits store(lines({gatedRow(1, gate("CMP-01", "pass"))}),
                    lines({gatedRow(1, gate("CMP-01", "pass") + ", " + gate("RES-02", "fail"))}));
    const report::Comparison comparison = store.compare();
    QCOMPARE(comparison.gatesOfOneAudit, std::vector<Gate>{Gate::Res02});
    QVERIFY(comparison.flips.at(0).gates.empty());
    QCOMPARE(comparison.perGate[contract::indexOf(Gate::Res02)].passToFail, 0);
}

void CompareTest::equalAuditsHaveNoFlip()
{
    // The time differs, so that the second audit's rows are rows of their own.
    TwoAudits store(lines({gatedRow(1, gate("CMP-01", "fail"))}),
                    lines({gatedRow(1, gate("CMP-01", "fail"), "scan", "1.5", false, "3.0")}));
    const report::Comparison comparison = store.compare();
    QCOMPARE(comparison.joined, 1);
    QCOMPARE(comparison.verdictFlips, 0);
    QVERIFY(comparison.flips.empty());
}

void CompareTest::auditsWithoutACommonKernelSayWhy()
{
    TwoAudits store(before(), after(), "other");
    const report::Comparison comparison = store.compare();
    QCOMPARE(comparison.joined, 0);
    QVERIFY(QString::fromStdString(report::toText(comparison)).contains("Nothing to compare"));
}

void CompareTest::jsonHasEveryFlip()
{
    TwoAudits store(before(), after());
    json::Document document;
    QVERIFY(!json::parse(report::toJson(store.compare()), document));
    QCOMPARE(*json::stringAt(document, "schema"), std::string("assay.compare/1"));
    QCOMPARE(*json::stringAt(document, "before"), std::string("c/june"));
    QCOMPARE(*json::integerAt(document, "verdict_flips"), 2);
    const json::Value& kernels = *json::find(document, "kernels");
    QCOMPARE(kernels.Size(), rapidjson::SizeType{2});
    QCOMPARE(*json::stringAt((*json::find(kernels[1], "gates"))[0], "reason_after"),
             std::string("scattered_nan: NaN mask mismatch"));
}

QTEST_APPLESS_MAIN(CompareTest)
#include "tst_compare.moc"
