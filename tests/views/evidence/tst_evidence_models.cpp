// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/contract/gate_strip.h"
#include "views/evidence/check_model.h"
#include "views/evidence/evidence_header.h"
#include "views/evidence/facts_model.h"
#include "views/evidence/gate_model.h"
#include "views/evidence/hint_model.h"
#include "views/evidence/log_view.h"
#include "views/evidence/note_model.h"

#include <QAbstractItemModelTester>
#include <QtTest>

#include <cmath>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;
using contract::Gate;
using contract::Severity;
using contract::StripCell;
using contract::Verdict;

namespace {

constexpr auto kReport = QAbstractItemModelTester::FailureReportingMode::QtTest;

store::GateRecord failingGate()
{
    store::GateRecord gate;
    gate.gate = Gate::Cmp01;
    gate.verdict = Verdict::Fail;
    gate.severity = Severity::Soft;
    gate.value = tensor::measured(INFINITY);
    gate.threshold = tensor::measured(1e-3);
    gate.reasonCode = "value";
    gate.reason = "max_err=inf";
    return gate;
}

} // namespace

class EvidenceModelsTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void gatesThatDidNotRunAreSaidToBeAbsent()
    {
        GateModel model;
        QAbstractItemModelTester tester(&model, kReport);
        store::VerdictRecord verdict;
        verdict.gates = {failingGate()};
        model.setVerdict(verdict);
        QCOMPARE(model.rowCount(), 12);
        QCOMPARE(model.index(0, GateModel::State).data().toString(), u"fails, soft"_s);
        QCOMPARE(model.index(0, GateModel::Sentence).data().toString(), u"max_err=inf"_s);
        verdict.gates[0].finding = "CMP-01: the largest difference is infinite.";
        model.setVerdict(verdict);
        QCOMPARE(model.index(0, GateModel::Sentence).data().toString(), u"the largest difference is infinite."_s);
        QCOMPARE(model.index(0, 0).data(GateModel::CellRole).toInt(), int(StripCell::FailSoft));
        QCOMPARE(model.index(1, GateModel::State).data().toString(), u"not run"_s);
        QVERIFY(!model.record(1));
        model.setVerdict(std::nullopt);
        QCOMPARE(model.index(0, GateModel::State).data().toString(), u"not run"_s);
    }

    void aGateWithoutChecksShowsTheOneThatDecided()
    {
        CheckModel model;
        QAbstractItemModelTester tester(&model, kReport);
        const store::GateRecord gate = failingGate();
        model.setGate(&gate);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, CheckModel::Stimulus).data().toString(), u"the deciding check"_s);
        QCOMPARE(model.index(0, CheckModel::Measured).data().toString(), u"+Inf"_s);
        QCOMPARE(model.index(0, CheckModel::Allowed).data().toString(), u"1.0e-3"_s);
        QCOMPARE(model.index(0, CheckModel::OfScale).data().toString(), u"\u2013"_s);
        QVERIFY(model.sentence(0).contains(u"+Inf, allowed"_s));
        QCOMPARE(model.limit(0), u"Threshold 0.001, as published."_s);
        store::GateRecord judged = gate;
        judged.checks.resize(2);
        judged.checks[0].threshold = tensor::measured(0.42);
        judged.checks[0].holdOutBound = 0.031;
        judged.checks[1].threshold = tensor::measured(1);
        store::AuditRecord audit;
        audit.origin = "judged";
        audit.gateConfig = R"({"thresholds":{"device":"NVIDIA H200","version":"0123"}})";
        model.setGate(&judged, audit);
        QCOMPARE(model.limit(0), u"Threshold 0.42, calibrated (NVIDIA H200, hold-out false alarms at most 3.1 %)."_s);
        QCOMPARE(model.limit(1), u"Threshold 1, not calibrated."_s);
        QVERIFY(model.index(1, CheckModel::Allowed).data(Qt::ToolTipRole).toString().contains(model.limit(1)));
        model.setGate(nullptr);
        QVERIFY(model.limit(0).isEmpty());
        QCOMPARE(model.rowCount(), 0);
        QVERIFY(model.sentence(0).isEmpty());
    }

    void notesWaiversHintsAndFactsAreHonestModels()
    {
        NoteModel notes;
        QAbstractItemModelTester noteTester(&notes, kReport);
        notes.setNotes({{1, "first\nsecond line", "ana", "2026-01-02T03:04:05Z"}, {2, "x", "bo", "soon"}});
        QCOMPARE(notes.rowCount(), 2);
        QCOMPARE(notes.index(1, 0).data().toString(), u"x\nbo, soon"_s);
        QCOMPARE(notes.index(0, 0).data(NoteModel::BodyRole).toString(), u"first\nsecond line"_s);

        WaiverModel waivers;
        QAbstractItemModelTester waiverTester(&waivers, kReport);
        waivers.setWaivers({{1, "EXC-01", "old", "ana", "t", "later"}, {2, "", "documented", "bo", "t", ""}});
        QVERIFY(waivers.index(0, 0).data().toString().startsWith(u"whole kernel: documented"_s));
        QVERIFY(!waivers.index(1, 0).data(WaiverModel::HoldsRole).toBool());

        HintModel hints;
        QAbstractItemModelTester hintTester(&hints, kReport);
        hints.setHints({{4, "atomic", "order changes"}});
        QCOMPARE(hints.index(0, HintModel::Line).data().toInt(), 5);
        QCOMPARE(hints.headerData(HintModel::Reason, Qt::Horizontal, Qt::DisplayRole).toString(), u"Hint, not a verdict"_s);

        FactsModel facts({u"a"_s, u"b"_s});
        QAbstractItemModelTester factTester(&facts, kReport);
        facts.setRows({{u"1"_s, u"2"_s}});
        QCOMPARE(facts.index(0, 1).data().toString(), u"2"_s);
    }

    void anImportedAuditSaysWhereItWasJudged()
    {
        store::KernelDetails details;
        details.audit.name = "sample";
        details.audit.device = "cuda:0";
        details.audit.versions = R"({"torch":"2.11.0","device":"NVIDIA H200"})";
        details.audit.startedAt = "2026-11-30T18:06:22Z";
        QVERIFY(!LogView::textOf(details).contains(u"imported"_s) && !EvidenceHeader::factsOf(details).contains(u"imported"_s));
        details.audit.importedFrom = "verdicts.jsonl";
        QVERIFY(
            LogView::textOf(details).contains(u"imported from verdicts.jsonl, judged on NVIDIA H200 at 2026-11-30T18:06:22Z"_s));
        QVERIFY(EvidenceHeader::factsOf(details).endsWith(u"judged on NVIDIA H200, imported"_s));
    }
};

QTEST_MAIN(EvidenceModelsTest)
#include "tst_evidence_models.moc"
