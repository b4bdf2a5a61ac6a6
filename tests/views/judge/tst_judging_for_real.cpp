// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/judge/judged_window.h"

#include "views/diff/diff_page.h"
#include "views/evidence/evidence_pane.h"

#include <QProcess>

using namespace assay;
using namespace assay::tests;
using namespace assay::views;
using namespace Qt::StringLiterals;
using contract::Gate;
using contract::StripCell;

namespace {

constexpr const char* kReference = R"(
import torch
from torch import nn

class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.randn(4, 8)]

def get_init_inputs():
    return []
)";

/// The reference with another forward.
std::string candidate(const std::string& forward)
{
    QString text = QString::fromLatin1(kReference);
    text.replace(u"class Model("_s, u"class ModelNew("_s);
    text.replace(u"torch.relu(x)"_s, QString::fromStdString(forward));
    return text.toStdString();
}

const QString kPython = QStringLiteral("/usr/bin/python3");

} // namespace

/// The window with the worker that judges: sandboxed processes, torch on the CPU, one gate.
class JudgingForRealTest final : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<JudgedWindow> m_judged;

private Q_SLOTS:
    void initTestCase()
    {
        QProcess probe;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"PYTHONPATH"_s, QStringLiteral(ASSAY_BINARY_DIR "/worker"));
        probe.setProcessEnvironment(environment);
        probe.start(kPython, {u"-c"_s, u"import torch, assay_worker._judge"_s});
        if (!probe.waitForFinished(120000) || probe.exitStatus() != QProcess::NormalExit || probe.exitCode() != 0)
            QSKIP("/usr/bin/python3 has no torch, or cannot load the judge");
        QProcess sandbox;
        sandbox.start(u"bwrap"_s, {u"--ro-bind"_s, u"/"_s, u"/"_s, u"--unshare-all"_s, u"true"_s});
        if (!sandbox.waitForFinished(30000) || sandbox.exitCode() != 0)
            QSKIP("there is no sandbox: bubblewrap is missing or may not make namespaces");
    }
    void init() { m_judged = std::make_unique<JudgedWindow>(); }
    void cleanup() { m_judged.reset(); }

    void twoKernelsGetTheVerdictsThatTheyDeserve()
    {
        m_judged->fill({{candidate("torch.where(torch.arange(8) == 5, 2, 1) * torch.relu(x)"), kReference},
                        {candidate("torch.clamp(x, min=0)"), std::string(kReference) + "# 2\n"}});
        m_judged->open();
        m_judged->chooseSettings(u"{\"gates\": [\"CMP-01\"]}"_s, kPython);
        m_judged->press(Qt::Key_J);
        QCOMPARE(m_judged->gate(0, Gate::Cmp01), StripCell::Absent);
        m_judged->press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(m_judged->window().isSettled(), 240000);
        QVERIFY2(m_judged->message().startsWith(u"Judged 1 kernel: 1 fail"_s), qPrintable(m_judged->message()));
        QTRY_COMPARE(m_judged->gate(0, Gate::Cmp01), StripCell::FailSoft);
        QVERIFY2(m_judged->finding().contains(u"5]"_s), qPrintable(m_judged->finding()));
        // What the judge kept is one key away.
        m_judged->press(Qt::Key_D);
        auto& pane = *m_judged->window().findChild<EvidencePane*>(u"triage.evidence"_s);
        auto& diff = *pane.findChild<DiffPage*>();
        QTRY_VERIFY_WITH_TIMEOUT(diff.hasPair() && diff.isSettled(), 20000);
        const QString where = diff.findChild<QLabel*>(u"diff.sentences"_s)->text();
        QVERIFY2(where.contains(u", 5) and (3, 5)."_s), qPrintable(where));
        // The other one joins the same audit. It is chosen in the list of what is not judged yet.
        QTest::mouseClick(&m_judged->messageAction(), Qt::LeftButton);
        QTRY_COMPARE(m_judged->shownAudit(), QString());
        QTRY_COMPARE(m_judged->cell(0, store::TriageColumn::Id), u"2"_s);
        QCOMPARE(m_judged->rows(), 1);
        m_judged->table().setFocus();
        m_judged->press(Qt::Key_J);
        m_judged->press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(m_judged->window().isSettled(), 240000);
        QTRY_COMPARE(m_judged->rows(), 2);
        QCOMPARE(m_judged->gate(1, Gate::Cmp01), StripCell::Pass);
        QCOMPARE(m_judged->stored("SELECT count(*) FROM audit WHERE origin = 'judged'"), 1);
    }

    void withoutASandboxNothingIsJudgedAndTheWindowSaysWhy()
    {
        m_judged->fill({{candidate("torch.clamp(x, min=0)"), kReference}});
        m_judged->open();
        m_judged->chooseSettings(u"{\"gates\": [\"CMP-01\"]}"_s, kPython);
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", QFile::encodeName(m_judged->path(u"empty"_s))); // no bwrap anywhere
        m_judged->press(Qt::Key_J);
        m_judged->press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(m_judged->window().isSettled(), 240000);
        qputenv("PATH", path);
        QVERIFY2(m_judged->message().startsWith(u"Nothing was judged: no sandbox: bwrap not found"_s),
                 qPrintable(m_judged->message()));
        QVERIFY2(m_judged->message().contains(u"Install bubblewrap"_s), qPrintable(m_judged->message()));
        QCOMPARE(m_judged->messageAction().text(), u"What is missing"_s);
        QCOMPARE(m_judged->stored("SELECT count(*) FROM audit WHERE origin = 'judged'"), 0);
    }
};

QTEST_MAIN(JudgingForRealTest)
#include "tst_judging_for_real.moc"
