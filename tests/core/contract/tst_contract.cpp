// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gate_strip.h"

#include <QtTest>

#include <set>
#include <string>

using namespace assay::contract;

class ContractTest : public QObject {
    Q_OBJECT

private slots:
    void gatesAreFoundByEverySpelling();
    void verdictsAndSeveritiesReadBack();
    void severityDecidesTheCell();
    void aStripKeepsEveryCell();
    void onlyFailuresAreInTheMask();
};

void ContractTest::gatesAreFoundByEverySpelling()
{
    std::set<std::string_view> ids;
    for (const Gate gate : kAllGates) {
        QVERIFY(ids.insert(id(gate)).second);
        QCOMPARE(gateFromId(id(gate)), std::optional(gate));
        QVERIFY(!title(gate).empty());
        QCOMPARE(group(gate), id(gate).substr(0, 3));
    }
    QCOMPARE(ids.size(), static_cast<std::size_t>(kGateCount));
    QCOMPARE(gateFromId("exc-01"), std::optional(Gate::Exc01));
    QCOMPARE(gateFromId("cmp01"), std::optional(Gate::Cmp01));
    for (const char* wrong : {"", "CMP", "CMP-04", "CMP-1", "CMP-011", "XYZ-01"})
        QVERIFY2(!gateFromId(wrong), wrong);
}

void ContractTest::verdictsAndSeveritiesReadBack()
{
    for (const Verdict verdict : kAllVerdicts)
        QCOMPARE(verdictFromName(name(verdict)), std::optional(verdict));
    for (const Severity severity : {Severity::None, Severity::Note, Severity::Soft, Severity::Hard})
        QCOMPARE(severityFromName(name(severity)), std::optional(severity));
    QVERIFY(!verdictFromName("failed"));
    QVERIFY(!severityFromName("heavy"));
}

void ContractTest::severityDecidesTheCell()
{
    QCOMPARE(stripCell(Verdict::Fail, Severity::Hard), StripCell::FailHard);
    QCOMPARE(stripCell(Verdict::Fail, Severity::Soft), StripCell::FailSoft);
    QCOMPARE(stripCell(Verdict::Pass, Severity::Note), StripCell::PassWithNote);
    QCOMPARE(stripCell(Verdict::Pass, Severity::None), StripCell::Pass);
    QCOMPARE(stripCell(Verdict::Absent, Severity::None), StripCell::Absent);
    for (const Verdict verdict : kAllVerdicts)
        QCOMPARE(isFailing(stripCell(verdict, Severity::Soft)), countsAgainstCandidate(verdict));
}

void ContractTest::aStripKeepsEveryCell()
{
    for (const Gate gate : kAllGates) {
        for (int value = 0; value <= static_cast<int>(StripCell::PassWithNote); ++value) {
            const auto cell = static_cast<StripCell>(value);
            GateStrip strip;
            for (const Gate other : kAllGates)
                strip.set(other, StripCell::PassWithNote);
            strip.set(gate, cell);
            const GateStrip again(strip.packed());
            QCOMPARE(again.cell(gate), cell);
            for (const Gate other : kAllGates)
                QVERIFY(other == gate || again.cell(other) == StripCell::PassWithNote);
            QVERIFY(strip.packed() >= 0); // 48 bits, so SQLite's integer never turns negative
        }
    }
}

void ContractTest::onlyFailuresAreInTheMask()
{
    GateStrip strip;
    strip.set(Gate::Cmp01, StripCell::FailSoft);
    strip.set(Gate::Cmp02, StripCell::Error);
    strip.set(Gate::Exc01, StripCell::FailHard);
    strip.set(Gate::Ord01, StripCell::Inapplicable);
    strip.set(Gate::Res01, StripCell::Crash);
    strip.set(Gate::Res02, StripCell::Timeout);
    QCOMPARE(strip.failMask(), 1 << 0 | 1 << 3 | 1 << 10 | 1 << 11);
    QCOMPARE(GateStrip().failMask(), 0);
}

QTEST_GUILESS_MAIN(ContractTest)
#include "tst_contract.moc"
