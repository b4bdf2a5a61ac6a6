// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/kernel_details.h"
#include "tests/views/evidence/evidence_corpus.h"
#include "tests/views/triage/kernel_corpus.h"
#include "views/evidence/check_model.h"
#include "views/evidence/checks_view.h"
#include "views/evidence/evidence_edits.h"
#include "views/evidence/evidence_pane.h"
#include "views/evidence/gate_strip_bar.h"
#include "views/evidence/note_model.h"
#include "views/evidence/notes_view.h"
#include "views/evidence/source_editor.h"
#include "views/evidence/sources_view.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

using namespace assay;
using namespace assay::tests;
using namespace assay::views;
using namespace Qt::StringLiterals;
using contract::Gate;

namespace {

/// The pane in a window of its own, on kernel "179".
struct Pane {
    Window window;
    std::unique_ptr<EvidencePane> pane;

    explicit Pane(const char* kernel = "179")
    {
        writeEvidenceCorpus(toFilesystemPath(window.databasePath()));
        QVERIFY(window.workspace.open(window.databasePath()));
        pane = std::make_unique<EvidencePane>(window.context);
        pane->resize(620, 900);
        pane->show();
        QVERIFY(QTest::qWaitForWindowActive(pane.get()));
        select(kernel);
    }

    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(!pane->isLoading() && !window.workspace.isBusy(), 20'000); }

    void select(const char* kernel)
    {
        window.selection.setKernel(kernelId(*window.otherProcess(), kernel));
        settle();
    }

    store::KernelDetails stored(const char* kernel = "179") const
    {
        const auto database = window.otherProcess();
        return *store::kernelDetails(*database, window.workspace.scopeId(), kernelId(*database, kernel));
    }

    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) const
    {
        QWidget* focus = pane->focusWidget() ? pane->focusWidget() : pane.get();
        QTest::keyClick(focus, key, modifiers);
    }

    template <typename T> T& find(const QString& name = {}) const { return *pane->findChild<T*>(name); }
    QString label(const QString& name) const { return find<QLabel>(name).text(); }
    GateStripBar& strip() const { return find<GateStripBar>(); }
    CheckModel& checks() const { return find<ChecksView>().checks(); }

    SourceEditor& editor(const QString& name) const
    {
        for (SourceEditor* editor : pane->findChildren<SourceEditor*>()) {
            if (editor->accessibleName() == name)
                return *editor;
        }
        qFatal("no editor %s", qPrintable(name));
    }

    SourceEditor& candidate() const { return editor(u"Candidate source"_s); }

    void openSources() const
    {
        pane->showSection(u"sources"_s);
        settle();
    }
};

int lineOf(const SourceEditor& editor, const QString& text)
{
    for (int line = 0; line < editor.lines(); ++line) {
        if (editor.text(line).contains(text))
            return line;
    }
    return -1;
}

} // namespace

class EvidencePaneTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theHeaderSaysWhatTheKernelIsAndWhyItFails()
    {
        Pane pane;
        QCOMPARE(pane.label(u"title"_s), u"#179  scan_forward"_s);
        QVERIFY2(
            pane.label(u"facts"_s)
                .startsWith(u"scan  \u00b7  triton  \u00b7  (64, 128)  \u00b7  speedup 2.08\u00d7  \u00b7  judged in 12.5 s"_s),
            qPrintable(pane.label(u"facts"_s)));
        QVERIFY(pane.label(u"finding"_s).startsWith(u"CMP-01: the error of random[0]"_s));
    }

    void theFirstFailingGateIsShownWithItsNumbers()
    {
        Pane pane;
        QCOMPARE(pane.strip().gate(), Gate::Cmp01);
        QVERIFY2(pane.label(u"gateTitle"_s)
                     .contains(u"fails, soft, 12 of 13 checks exercised. Measured 1.1e+22, that is 8.0e-5 of the output's scale, "
                               "1.9\u00d7 the allowed 6.1e+21"_s),
                 qPrintable(pane.label(u"gateTitle"_s)));
        QCOMPARE(pane.checks().rowCount(), 3);
        QCOMPARE(pane.checks().index(0, CheckModel::Stimulus).data().toString(), u"random[0]"_s);
        QCOMPARE(pane.checks().index(0, CheckModel::Measured).data().toString(), u"1.1e+22"_s);
        QCOMPARE(pane.checks().index(0, CheckModel::Allowed).data().toString(), u"6.1e+21"_s);
        QCOMPARE(pane.checks().index(0, CheckModel::OfScale).data().toString(), u"8.0e-5"_s);
        QCOMPARE(pane.label(u"checkLimit"_s), u"Threshold 6.05e+21, as published."_s);
        QVERIFY(pane.find<QLabel>(u"checkLimit"_s).isVisible());
        QCOMPARE(pane.label(u"reason"_s), u"random[0]: max_err=1.121e+22 > atol=6.053e+21 (scaled)"_s);
    }

    void arrowsAndClicksOnTheStripChooseAGate()
    {
        Pane pane;
        pane.strip().setFocus();
        pane.key(Qt::Key_End);
        QCOMPARE(pane.window.selection.gate(), Gate::Res02);
        QVERIFY(pane.label(u"gateTitle"_s).contains(u"not run in this audit"_s));
        QTest::mouseClick(&pane.strip(), Qt::LeftButton, Qt::NoModifier, pane.strip().cellRect(Gate::Prc02).center().toPoint());
        QCOMPARE(pane.window.selection.gate(), Gate::Prc02);
        QCOMPARE(pane.checks().index(0, CheckModel::Measured).data().toString(), u"+Inf"_s);
        pane.key(Qt::Key_Left);
        QCOMPARE(pane.window.selection.gate(), Gate::Prc01);
    }

    void gAndADigitChooseAGateFromAnywhere()
    {
        Pane pane;
        pane.pane->showSection(u"log"_s);
        pane.key(Qt::Key_G);
        pane.key(Qt::Key_4);
        QCOMPARE(pane.window.selection.gate(), Gate::Exc01);
        QCOMPARE(pane.pane->section(), u"checks"_s);
        pane.key(Qt::Key_G);
        pane.key(Qt::Key_Equal);
        QCOMPARE(pane.window.selection.gate(), Gate::Res02);
    }

    void lettersTurnToTheSections()
    {
        Pane pane;
        pane.strip().setFocus();
        pane.key(Qt::Key_S);
        QCOMPARE(pane.pane->section(), u"sources"_s);
        pane.settle();
        pane.key(Qt::Key_D);
        QCOMPARE(pane.pane->section(), u"diff"_s);
        pane.key(Qt::Key_D);
        QCOMPARE(pane.pane->section(), u"sources"_s);
        pane.key(Qt::Key_L);
        QCOMPARE(pane.pane->section(), u"log"_s);
        pane.key(Qt::Key_O);
        QCOMPARE(pane.pane->section(), u"claim"_s);
        pane.key(Qt::Key_C);
        QCOMPARE(pane.pane->section(), u"checks"_s);
    }

    void lettersInATextFieldStayLetters()
    {
        Pane pane;
        pane.strip().setFocus();
        pane.key(Qt::Key_N);
        auto& draft = pane.find<QPlainTextEdit>(u"noteDraft"_s);
        QVERIFY(draft.hasFocus());
        QTest::keyClicks(&draft, u"scan log d"_s);
        QCOMPARE(draft.toPlainText(), u"scan log d"_s);
        QCOMPARE(pane.pane->section(), u"notes"_s);
    }

    void notesAreWrittenDeletedAndBroughtBack()
    {
        Pane pane;
        pane.key(Qt::Key_N);
        QTest::keyClicks(&pane.find<QPlainTextEdit>(u"noteDraft"_s), u"looks like TF32"_s);
        pane.key(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(pane.stored().notes.size(), std::size_t(1));
        QCOMPARE(pane.stored().notes[0].body, std::string("looks like TF32"));
        QCOMPARE(QString::fromStdString(pane.stored().notes[0].author), systemUser());
        auto& list = pane.find<QListView>(u"noteList"_s);
        QTRY_COMPARE(list.model()->rowCount(), 1);
        pane.window.otherProcess()->sqlite().exec("UPDATE note SET created_at = '2025-01-02T03:04:05Z'");
        list.setCurrentIndex(list.model()->index(0, 0));
        QTest::mouseClick(&pane.find<QPushButton>(u"deleteNote"_s), Qt::LeftButton);
        QTRY_COMPARE(list.model()->rowCount(), 0);
        QCOMPARE(pane.stored().notes.size(), std::size_t(0));
        pane.strip().setFocus();
        pane.key(Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(list.model()->rowCount(), 1);
        QCOMPARE(pane.stored().notes[0].body, std::string("looks like TF32"));
        QCOMPARE(pane.stored().notes[0].createdAt, std::string("2025-01-02T03:04:05Z"));
        pane.key(Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(list.model()->rowCount(), 0);
        pane.key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(list.model()->rowCount(), 1);
    }

    void aBegunNoteIsKeptWhenTheKernelChanges()
    {
        Pane pane;
        pane.key(Qt::Key_N);
        QTest::keyClicks(&pane.find<QPlainTextEdit>(u"noteDraft"_s), u"half a thought"_s);
        pane.select("200");
        QTRY_COMPARE(pane.stored("179").notes.size(), std::size_t(1));
        QCOMPARE(pane.stored("200").notes.size(), std::size_t(0));
        QVERIFY(pane.find<QPlainTextEdit>(u"noteDraft"_s).toPlainText().isEmpty());
    }

    void aHiddenPaneKeepsTheBegunNoteAndReadsWhenItIsShownAgain()
    {
        Pane pane;
        pane.key(Qt::Key_N);
        QTest::keyClicks(&pane.find<QPlainTextEdit>(u"noteDraft"_s), u"before the pane goes"_s);
        pane.pane->hide();
        QTRY_COMPARE(pane.stored("179").notes.size(), std::size_t(1));
        pane.select("200");
        QVERIFY(pane.label(u"title"_s).startsWith(u"#179"_s));
        pane.pane->show();
        QTRY_VERIFY(pane.label(u"title"_s).startsWith(u"#200"_s));
    }

    void aGateIsWaivedWithAReasonAndTheWaiverWithdrawn()
    {
        Pane pane;
        pane.key(Qt::Key_W);
        auto& reason = pane.find<QLineEdit>(u"waiverReason"_s);
        QVERIFY(reason.hasFocus());
        QTest::keyClicks(&reason, u"cumprod overflows by design"_s);
        QTest::keyClick(&reason, Qt::Key_Return);
        QTRY_COMPARE(pane.stored().waivers.size(), std::size_t(1));
        QCOMPARE(pane.stored().waivers[0].gate, std::string("CMP-01"));
        QTRY_VERIFY(pane.label(u"gateTitle"_s).contains(u"Waived by"_s));
        auto& list = pane.find<QListView>(u"waiverList"_s);
        list.setCurrentIndex(list.model()->index(0, 0));
        QTest::mouseClick(&pane.find<QPushButton>(u"withdrawWaiver"_s), Qt::LeftButton);
        const auto waived = [&pane] { return pane.label(u"gateTitle"_s).contains(u"Waived by"_s); };
        QTRY_VERIFY(!waived());
        QVERIFY(!pane.stored().waivers[0].withdrawnAt.empty());
        pane.strip().setFocus();
        pane.key(Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(waived());
        pane.key(Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(!waived());
        pane.key(Qt::Key_Y, Qt::ControlModifier);
        QTRY_VERIFY(waived());
        QCOMPARE(pane.stored().waivers.size(), std::size_t(1));
    }

    void theWholeKernelCanBeWaived()
    {
        Pane pane;
        pane.key(Qt::Key_W);
        auto& what = pane.find<QComboBox>(u"waiverFor"_s);
        what.setCurrentIndex(what.findText(u"whole kernel"_s));
        QTest::keyClicks(&pane.find<QLineEdit>(u"waiverReason"_s), u"toy"_s);
        QTest::mouseClick(&pane.find<QPushButton>(u"addWaiver"_s), Qt::LeftButton);
        QTRY_COMPARE(pane.stored().waivers.size(), std::size_t(1));
        QVERIFY(pane.stored().waivers[0].gate.empty());
    }

    void theStarBookmarks()
    {
        Pane pane;
        auto& star = pane.find<QToolButton>(u"bookmark"_s);
        QTest::mouseClick(&star, Qt::LeftButton);
        QTRY_VERIFY(pane.stored().bookmarked);
        pane.settle();
        QTRY_COMPARE(star.text(), u"\u2605"_s);
        QTest::mouseClick(&star, Qt::LeftButton);
        QTRY_VERIFY(!pane.stored().bookmarked);
    }

    void aReadOnlyDatabaseSaysWhyNothingIsWritten()
    {
        Pane pane;
        QVERIFY(pane.window.workspace.open(pane.window.databasePath(), true));
        pane.settle();
        QSignalSpy posted(&pane.window.messages, &Messages::posted);
        QTest::mouseClick(&pane.find<QToolButton>(u"bookmark"_s), Qt::LeftButton);
        QCOMPARE(posted.count(), 1);
        QVERIFY(posted[0][1].toString().contains(u"read-only"_s));
        QVERIFY(!pane.stored().bookmarked);
    }

    void sourcesStandSideBySideWithHints()
    {
        Pane pane;
        pane.openSources();
        QVERIFY(pane.candidate().text().contains(u"def scan_kernel"_s));
        QVERIFY(pane.editor(u"Reference source"_s).text().contains(u"class Model(torch"_s));
        QVERIFY(pane.candidate().isReadOnly());
        const int maximum = lineOf(pane.candidate(), u"tl.maximum"_s);
        QVERIFY(pane.candidate().hasHintMark(maximum));
        QVERIFY2(pane.candidate().remarkAt(maximum).startsWith(u"Hint, not a verdict: "_s),
                 qPrintable(pane.candidate().remarkAt(maximum)));
        QVERIFY(!pane.candidate().hasHintMark(lineOf(pane.candidate(), u"tl.store"_s)));
        auto& hints = pane.find<QTableView>(u"hintTable"_s);
        QVERIFY(hints.isVisible());
        QCOMPARE(hints.model()->rowCount(), 3);
        QTest::mouseClick(hints.viewport(), Qt::LeftButton, Qt::NoModifier,
                          hints.visualRect(hints.model()->index(1, 1)).center());
        int line = -1;
        int column = -1;
        pane.candidate().getCursorPosition(&line, &column);
        QCOMPARE(line, hints.model()->index(1, 0).data().toInt() - 1);
    }

    void theDifferenceMarksAddedAndRemovedLines()
    {
        Pane pane;
        pane.pane->showSection(u"diff"_s);
        pane.settle();
        auto& merged = pane.find<SourceEditor>(u"mergedSource"_s);
        QVERIFY(merged.isVisible());
        QVERIFY(merged.isAdded(lineOf(merged, u"import triton"_s)));
        QVERIFY(merged.isRemoved(lineOf(merged, u"class Model("_s)));
        const int common = lineOf(merged, u"import torch"_s);
        QVERIFY(!merged.isAdded(common) && !merged.isRemoved(common));
        QCOMPARE(merged.remarkAt(lineOf(merged, u"class Model("_s)), u"only in the reference, line 3"_s);
    }

    void ctrlFFindsInTheSource()
    {
        Pane pane;
        pane.openSources();
        pane.key(Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(QApplication::focusWidget(), u"tl.load"_s);
        QCOMPARE(pane.candidate().selectedText(), u"tl.load"_s);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(pane.candidate().hasFocus());
    }

    void changingTheLookRestylesTheEditors()
    {
        Pane pane;
        pane.openSources();
        const auto paper
            = [&pane] { return QColor::fromRgb(QRgb(pane.candidate().SendScintilla(QsciScintillaBase::SCI_STYLEGETBACK, 0UL))); };
        QCOMPARE(paper(), QColor(0xFF, 0xFF, 0xFF));
        pane.window.theme.setMode(Theme::Mode::Dark);
        QVERIFY2(paper().lightness() < 60, qPrintable(paper().name()));
        const QColor caretLine = QColor::fromRgb(QRgb(pane.candidate().SendScintilla(QsciScintillaBase::SCI_GETCARETLINEBACK)));
        QVERIFY(caretLine.lightness() < 80);
    }

    void aKernelWithoutSourcesSaysHowToAttachThem()
    {
        Pane pane("200");
        pane.openSources();
        bool said = false;
        for (const QLabel* label : pane.find<SourcesView>().findChildren<QLabel*>())
            said = said
                || (label->isVisible() && label->text().contains(u"Import the corpus' sources under the same corpus name"_s));
        QVERIFY(said);
        pane.select("202");
        QVERIFY(pane.candidate().text().contains(u"only me"_s));
        pane.key(Qt::Key_D);
        QVERIFY(pane.candidate().isVisible());
    }

    void theClaimIsShownAsRecorded()
    {
        Pane pane;
        pane.pane->showSection(u"claim"_s);
        QCOMPARE(pane.label(u"claim"_s), u"The corpus accepts this kernel as correct, with a speedup of 2.08\u00d7."_s);
        const QString json = pane.find<QPlainTextEdit>(u"claimJson"_s).toPlainText();
        QVERIFY2(json.contains(u"\"speedup\": 2.080"_s), qPrintable(json));
    }

    void theLogHoldsTheErrorVerbatim()
    {
        Pane pane("201");
        QVERIFY2(pane.label(u"finding"_s).contains(u"RuntimeError: no such device"_s), qPrintable(pane.label(u"finding"_s)));
        QVERIFY(pane.find<QPlainTextEdit>(u"log"_s).toPlainText().contains(u"RuntimeError: no such device\n  at line 2"_s));
    }

    void emptyPanesSayWhatToDo()
    {
        Pane pane;
        pane.window.selection.setKernel(0);
        bool said = false;
        for (const QLabel* label : pane.pane->findChildren<QLabel*>())
            said = said || (label->isVisible() && label->text() == u"Choose a kernel to see why it fails or passes."_s);
        QVERIFY(said);
    }

    void aMegabyteOfSourceDoesNotHoldUpTheWindow()
    {
        Window window;
        SourceEditor editor(window.theme, u"big"_s);
        editor.resize(600, 600);
        editor.show();
        QString text;
        while (text.size() < 1'000'000)
            text += u"    value = tl.load(x + offsets, mask=offsets < n, other=0.0)\n"_s;
        editor.setSource(text, {});
        // Colouring is what takes the time; the text itself is all there.
        QVERIFY(editor.lexer() == nullptr);
        QCOMPARE(editor.text().size(), text.size());
    }

    void everyPartHasANameForScreenReaders()
    {
        Pane pane;
        pane.openSources();
        for (const QWidget* widget : pane.pane->findChildren<QWidget*>()) {
            const bool interactive = widget->focusPolicy() != Qt::NoFocus && widget->isVisible();
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            const bool named = !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty())
                || qobject_cast<const QLabel*>(widget);
            const bool part = widget->objectName().startsWith(u"qt_"_s) || widget->inherits("QTabBar")
                || widget->inherits("QScrollBar") || widget->inherits("QHeaderView");
            QVERIFY2(!interactive || named || part, widget->metaObject()->className());
        }
    }
};

QTEST_MAIN(EvidencePaneTest)
#include "tst_evidence_pane.moc"
