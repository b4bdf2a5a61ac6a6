// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/diff/outputs_corpus.h"
#include "tests/views/triage/kernel_corpus.h"
#include "views/diff/diff_page.h"
#include "views/evidence/evidence_pane.h"
#include "views/shell/main_window.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QSignalSpy>
#include <QTabWidget>
#include <QtTest>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

namespace {

QByteArray npy(const DiffSource& source, bool isCandidate)
{
    const auto& view = (isCandidate ? source.candidate : source.reference).view;
    QByteArray header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (const std::int64_t size : view.shape)
        header += QByteArray::number(qlonglong(size)) + ", ";
    header = (header + "), }").leftJustified(117, ' ') + '\n';
    return QByteArray("\x93NUMPY\x01\0", 8) + char(header.size()) + '\0' + header
        + QByteArray(reinterpret_cast<const char*>(view.data), qsizetype(view.count() * qsizetype(sizeof(float))));
}

struct Opened {
    QTemporaryDir folder;
    MainWindow window{QString()};

    Opened()
    {
        window.resize(1280, 800);
        window.show();
        if (!QTest::qWaitForWindowActive(&window))
            qFatal("the window is not active");
    }

    QString write(const QString& name, const QByteArray& bytes) const
    {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write");
        return file.fileName();
    }
    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 20'000); }
    DiffPage& tensors() const { return *window.findChild<DiffPage*>(u"tensors"_s); }
    void drop(const QStringList& paths)
    {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& path : paths)
            urls << QUrl::fromLocalFile(path);
        data.setUrls(urls);
        const QPoint middle = window.rect().center();
        QDragEnterEvent enter(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &enter);
        QDropEvent event(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &event);
    }
    void openKernel(const QString& id)
    {
        const QString database = folder.filePath(u"outputs.assay"_s);
        if (!QFile::exists(database))
            tests::writeOutputsCorpus(toFilesystemPath(database));
        StartRequest request;
        request.spot.database = database;
        request.spot.place = u"kernels"_s;
        request.spot.kernel = id;
        window.start(request);
        settle();
    }
};

} // namespace

/// The output diff where a person meets it: in the evidence of a kernel, and as the page of two files.
class DiffWindowTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void dOpensTheOutputsOfAKernelThatKeptThem()
    {
        Opened opened;
        opened.openKernel(u"7"_s);
        auto& pane = *opened.window.findChild<EvidencePane*>(u"triage.evidence"_s);
        pane.setFocus();
        QTest::keyClick(pane.focusWidget() ? pane.focusWidget() : &pane, Qt::Key_D);
        opened.settle();
        QCOMPARE(pane.section(), u"outputs"_s);
        auto& page = *pane.findChild<DiffPage*>();
        QTRY_VERIFY_WITH_TIMEOUT(page.hasPair() && page.isSettled(), 20'000);
        QVERIFY2(page.findChild<QLabel*>(u"diff.sentences"_s)->text().contains(u"the last 7 columns"_s),
                 qPrintable(page.findChild<QLabel*>(u"diff.sentences"_s)->text()));
        // Escape goes back to the list, Ctrl+G stays here.
        QTest::keyClick(page.focusWidget() ? page.focusWidget() : &page, Qt::Key_G, Qt::ControlModifier);
        QVERIFY(page.findChild<QLineEdit*>(u"diff.index"_s)->hasFocus());
    }

    void dShowsTheSourcesWhereNoOutputsAreKept()
    {
        Opened opened;
        opened.openKernel(u"8"_s);
        auto& pane = *opened.window.findChild<EvidencePane*>(u"triage.evidence"_s);
        QVERIFY(!pane.findChild<QTabWidget*>()->isTabEnabled(1));
        pane.setFocus();
        QTest::keyClick(pane.focusWidget() ? pane.focusWidget() : &pane, Qt::Key_D);
        QCOMPARE(pane.section(), u"diff"_s);
    }

    void anotherKernelWithoutOutputsSaysSo()
    {
        Opened opened;
        opened.openKernel(u"7"_s);
        auto& pane = *opened.window.findChild<EvidencePane*>(u"triage.evidence"_s);
        pane.showSection(u"outputs"_s);
        opened.settle();
        QVERIFY(pane.findChild<DiffPage*>()->hasPair());
        opened.openKernel(u"8"_s);
        QTRY_VERIFY(!pane.findChild<DiffPage*>()->hasPair());
    }

    void twoDroppedFilesAreComparedWhateverTheirOrder()
    {
        const DiffSourcePtr pair = tests::wrongTail();
        Opened opened;
        const QString reference = opened.write(u"my_ref.npy"_s, npy(*pair, false));
        const QString candidate = opened.write(u"mine.npy"_s, npy(*pair, true));
        opened.drop({candidate, reference});
        opened.settle();
        QVERIFY(opened.tensors().isVisible() && opened.tensors().hasPair());
        QCOMPARE(opened.tensors().findChild<QLabel*>(u"diff.title"_s)->text(), u"my_ref.npy \u2192 mine.npy"_s);
    }

    void aLoneDroppedTensorWaitsForItsCandidate()
    {
        const DiffSourcePtr pair = tests::wrongTail();
        Opened opened;
        const QString first = opened.write(u"a.npy"_s, npy(*pair, false));
        const QString second = opened.write(u"b.npy"_s, npy(*pair, true));
        opened.drop({first});
        QCOMPARE(opened.tensors().findChild<QLabel*>(u"diff.message"_s)->text(),
                 u"a.npy is the reference. Drop the candidate."_s);
        opened.drop({second});
        opened.settle();
        QVERIFY(opened.tensors().hasPair());
    }

    void aDamagedFileIsSaidOnThePage()
    {
        const DiffSourcePtr pair = tests::wrongTail();
        Opened opened;
        const QString good = opened.write(u"a.npy"_s, npy(*pair, false));
        const QString bad = opened.write(u"b.npy"_s, npy(*pair, true).chopped(5));
        QSignalSpy failed(&opened.window, &MainWindow::startFailed);
        StartRequest request;
        request.tensors = {good, bad};
        opened.window.start(request);
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(failed[0][0].toString().contains(u"ends early"_s));
        QVERIFY(opened.tensors().findChild<QLabel*>(u"diff.message"_s)->text().contains(u"ends early"_s));
    }
};

QTEST_MAIN(DiffWindowTest)
#include "tst_diff_window.moc"
