// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/judge/judged_window.h"

#include "core/contract/contract.h"
#include "views/diff/diff_page.h"
#include "views/evidence/evidence_pane.h"

#include <QTabWidget>

using namespace assay;
using namespace assay::tests;
using namespace assay::views;
using namespace Qt::StringLiterals;

namespace {

const QString kWorker = QStringLiteral(ASSAY_SOURCE_DIR "/tests/support/fake_worker.py");

} // namespace

/// The output diff of a kernel that is judged while a person looks on: what the tab shows is what the last judgement kept.
class LiveDiffTest final : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<JudgedWindow> m_judged;

    /// The kernel's second element from now on; its reference is 2.
    void answer(const char* value) const
    {
        QFile file(m_judged->path(u"answer"_s));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(value) > 0);
    }
    EvidencePane& pane() const { return *m_judged->window().findChild<EvidencePane*>(u"triage.evidence"_s); }
    DiffPage& page() const { return *pane().findChild<DiffPage*>(); }
    bool hasDiffTab() const { return pane().findChild<QTabWidget*>()->isTabEnabled(1); }
    QString said(const char* label) const { return page().findChild<QLabel*>(QString::fromLatin1(label))->text(); }
    QString picked() const
    {
        page().goTo({1});
        return said("diff.picked");
    }
    void judge() const
    {
        m_judged->press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(m_judged->window().isSettled(), 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(page().isSettled(), 20'000);
    }

private Q_SLOTS:
    void init()
    {
        m_judged = std::make_unique<JudgedWindow>();
        m_judged->fill({{"fail-by " + m_judged->mark(u"answer"_s), "reference"}});
        m_judged->open();
        const QString contract = QString::fromStdString(contract::canonicalText(*contract::profile("strict")));
        m_judged->chooseSettings(contract, kWorker);
        m_judged->press(Qt::Key_J);
        QTRY_VERIFY(m_judged->window().isSettled());
    }
    void cleanup() { m_judged.reset(); }

    void fFiveFillsTheDiffTab()
    {
        QVERIFY(!hasDiffTab());
        answer("3");
        judge();
        QTRY_VERIFY(hasDiffTab());
        m_judged->press(Qt::Key_D);
        QTRY_VERIFY_WITH_TIMEOUT(page().hasPair() && page().isSettled(), 20'000);
        QCOMPARE(pane().section(), u"outputs"_s);
        QVERIFY2(said("diff.sentences").startsWith(u"1 element (50 %) differs: at (1)."_s), qPrintable(said("diff.sentences")));
        QVERIFY2(picked().contains(u"ref 2 "_s) && picked().contains(u"cand 3 "_s), qPrintable(picked()));
        QVERIFY(said("diff.picked").contains(u"abs 1 "_s));
    }

    /// Judged once more in front of the open tab, it shows the new outputs, though the verdict takes the old one's place.
    void fFiveAgainShowsTheFreshOutputs()
    {
        answer("3");
        judge();
        m_judged->press(Qt::Key_D);
        QTRY_VERIFY_WITH_TIMEOUT(page().hasPair() && page().isSettled(), 20'000);
        QVERIFY2(picked().contains(u"cand 3 "_s), qPrintable(picked()));
        answer("66");
        judge();
        QCOMPARE(m_judged->stored("SELECT count(*) FROM verdict"), 1);
        QCOMPARE(pane().section(), u"outputs"_s);
        QTRY_VERIFY2(picked().contains(u"cand 66 "_s), qPrintable(picked()));
        QVERIFY2(said("diff.sentences").contains(u"Largest error 64,"_s), qPrintable(said("diff.sentences")));
    }

    /// A verdict without outputs takes them away: what is left would be of a judgement that no longer counts.
    void aPassTakesTheOutputsAway()
    {
        answer("3");
        judge();
        m_judged->press(Qt::Key_D);
        QTRY_VERIFY_WITH_TIMEOUT(page().hasPair() && page().isSettled(), 20'000);
        answer("2");
        judge();
        QTRY_VERIFY(!page().hasPair());
        QVERIFY2(said("diff.message").startsWith(u"No check of this verdict kept the outputs"_s),
                 qPrintable(said("diff.message")));
    }

    /// A note is no judgement: whoever looks at an element stays there.
    void aNoteLeavesThePicturesAlone()
    {
        answer("3");
        judge();
        m_judged->press(Qt::Key_D);
        QTRY_VERIFY_WITH_TIMEOUT(page().hasPair() && page().isSettled(), 20'000);
        QVERIFY2(picked().contains(u"cand 3 "_s), qPrintable(picked()));
        QSignalSpy anew(&page(), &DiffPage::firstPictureShown);
        m_judged->change(
            "INSERT INTO note (kernel_id, body, author, created_at) VALUES (1, 'seen', 'me', '2026-01-01T00:00:00Z')");
        QTRY_COMPARE(m_judged->stored("SELECT count(*) FROM note"), 1);
        m_judged->context().workspace.checkForChanges();
        QTRY_VERIFY(m_judged->window().isSettled());
        QCOMPARE(anew.count(), 0);
        QVERIFY2(said("diff.picked").contains(u"cand 3 "_s), qPrintable(said("diff.picked")));
    }
};

QTEST_MAIN(LiveDiffTest)
#include "tst_live_diff.moc"
