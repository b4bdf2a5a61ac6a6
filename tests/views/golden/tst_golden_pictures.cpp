// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/sample_label.h"
#include "core/store/sample_plan.h"
#include "tests/core/report/calibrated_corpus.h"
#include "tests/views/audit/audited_corpus.h"
#include "tests/views/diff/outputs_corpus.h"
#include "tests/views/evidence/evidence_corpus.h"
#include "tests/views/golden/picture_compare.h"
#include "tests/views/launch/launched_corpus.h"
#include "tests/views/overview/rated_corpus.h"
#include "tests/views/triage/kernel_corpus.h"
#include "views/calibrate/figure_view.h"
#include "views/diff/diff_page.h"
#include "views/evidence/evidence_pane.h"
#include "views/launch/launch_form.h"
#include "views/launch/plan_view.h"
#include "views/shell/grabber.h"
#include "views/shell/main_window.h"
#include "views/state/workspace.h"
#include "views/theme/theme.h"
#include "views/triage/strip_geometry.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFontDatabase>
#include <QLabel>
#include <QPainter>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

using namespace assay;
using namespace Qt::StringLiterals;

namespace {

constexpr QSize kSize(1280, 800);
const auto kFontFolder = "/usr/share/fonts/truetype/dejavu";

/// Only DejaVu, smoothed the same way everywhere: what a machine has installed or configured must not show in the pictures.
bool useOneFont(const QTemporaryDir& folder)
{
    QFile file(folder.filePath(u"fonts.conf"_s));
    if (!file.open(QIODevice::WriteOnly))
        return false;
    file.write("<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig><dir>");
    file.write(kFontFolder);
    file.write("</dir><cachedir>" + folder.path().toUtf8()
               + "</cachedir><match target=\"font\">"
                 "<edit name=\"antialias\" mode=\"assign\"><bool>true</bool></edit>"
                 "<edit name=\"hinting\" mode=\"assign\"><bool>false</bool></edit>"
                 "<edit name=\"rgba\" mode=\"assign\"><const>none</const></edit></match></fontconfig>");
    qputenv("FONTCONFIG_FILE", file.fileName().toUtf8());
    return true;
}

} // namespace

/// The pages of the program, drawn on small audits of the tests and compared with pictures that a person has looked at.
/// ASSAY_REFRESH_GOLDEN=1 writes them anew instead: look at every one before committing it.
class GoldenPicturesTest final : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;

    QString database(const QString& corpus)
    {
        const QString path = m_folder.filePath(corpus + u".assay"_s);
        if (QFile::exists(path))
            return path;
        const auto file = views::toFilesystemPath(path);
        if (corpus == u"rated"_s)
            tests::writeRatedCorpus(file);
        else if (corpus == u"twelve"_s)
            tests::writeTwelveKernels(file);
        else if (corpus == u"evidence"_s)
            tests::writeEvidenceCorpus(file);
        else if (corpus == u"outputs"_s)
            tests::writeOutputsCorpus(file);
        else if (corpus == u"calibrated"_s)
            tests::writeCalibratedCorpus(file);
        else if (corpus == u"launched"_s)
            tests::writeLaunchedCorpus(file);
        else if (corpus == u"sample"_s)
            writeSample(file);
        return path;
    }

    /// A sample of 31 kernels with two reviewers half-way through it.
    static void writeSample(const std::filesystem::path& path)
    {
        tests::writeAuditedCorpus(path);
        const auto database = store::Database::open(path, store::OpenMode::ReadWrite);
        store::PlanRequest request;
        request.name = "sample 1";
        request.scopeId = 1;
        request.filter = "is:violation";
        request.by = {store::StratifyBy::Channel};
        request.size = 31;
        request.seed = 1;
        const store::SamplePlan plan = store::drawSample(*database, store::createPlan(*database, request).id);
        for (const store::SampleItem& item : store::sampleItems(*database, plan.id)) {
            store::NewLabel label;
            label.itemId = item.id;
            label.label = item.position % 7 == 0 ? store::AuditLabel::FalsePositive : store::AuditLabel::Confirmed;
            label.reviewer = "ada";
            if (item.position <= 20)
                store::addLabel(*database, label);
            label.reviewer = "bob";
            label.label = item.position == 3 ? store::AuditLabel::Ambiguous : label.label;
            if (item.position <= 8)
                store::addLabel(*database, label);
        }
    }

    /// The window at @p spot, as a picture. @p prepare runs once everything is loaded.
    static QImage picture(const views::DeepLink& spot, const QString& theme,
                          const std::function<void(views::MainWindow&)>& prepare = {})
    {
        views::MainWindow window({});
        window.resize(kSize);
        window.show();
        views::StartRequest request;
        request.spot = spot;
        request.theme = theme;
        window.start(request);
        if (!QTest::qWaitForWindowActive(&window) || !QTest::qWaitFor([&] { return window.isSettled(); }, 20'000))
            return {};
        if (prepare)
            prepare(window);
        window.findChild<QLabel*>(u"fileLabel"_s)->setText(u"audit.db"_s);               // else the path of a temporary folder
        window.findChild<QLabel*>(u"calibrate.about"_s)->setText(u"Frozen just now."_s); // else today's date
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"actual.png"_s);
        views::Grabber grabber(window, [&window] { return window.isSettled(); });
        QSignalSpy saved(&grabber, &views::Grabber::saved);
        grabber.start(path, kSize);
        return saved.wait(20'000) ? QImage(path).convertToFormat(QImage::Format_RGB32) : QImage();
    }

    static void compare(const QImage& actual, const QString& name)
    {
        const QString golden = QStringLiteral(ASSAY_TEST_DATA) + u'/' + name + u".png"_s;
        QCOMPARE(actual.size(), kSize);
        if (qEnvironmentVariableIsSet("ASSAY_REFRESH_GOLDEN")) {
            QVERIFY2(actual.save(golden), qPrintable(golden));
            return;
        }
        const QImage wanted = QImage(golden).convertToFormat(QImage::Format_RGB32);
        QVERIFY2(wanted.size() == actual.size(), qPrintable(golden + u" is missing or of another size"_s));
        const tests::PictureDifference found = tests::difference(wanted, actual);
        if (tests::isSame(found))
            return;
        const QString out = QStringLiteral(ASSAY_BINARY_DIR) + u"/golden"_s;
        QDir().mkpath(out);
        actual.save(out + u'/' + name + u"-actual.png"_s);
        found.map.save(out + u'/' + name + u"-difference.png"_s);
        QFAIL(qPrintable(u"%1: %2. See %3."_s.arg(name, tests::describe(found), out)));
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!QFontDatabase::families().contains(u"DejaVu Sans"_s) || !QFontDatabase::families().contains(u"DejaVu Sans Mono"_s))
            QSKIP("the pictures are drawn with DejaVu, which is not in /usr/share/fonts/truetype/dejavu");
    }

    void thePagesLookAsTheyDid_data()
    {
        QTest::addColumn<QString>("corpus");
        QTest::addColumn<QString>("page");
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QString>("theme");
        QTest::newRow("overview-light") << u"rated"_s << u"overview"_s << QString() << u"light"_s;
        QTest::newRow("overview-dark") << u"rated"_s << u"overview"_s << QString() << u"dark"_s;
        QTest::newRow("kernels-light") << u"twelve"_s << u"kernels"_s << u"3"_s << u"light"_s;
        QTest::newRow("kernels-dark") << u"twelve"_s << u"kernels"_s << u"3"_s << u"dark"_s;
        QTest::newRow("audit-dark") << u"sample"_s << u"audit"_s << QString() << u"dark"_s;
        QTest::newRow("audit-light") << u"sample"_s << u"audit"_s << QString() << u"light"_s;
        QTest::newRow("audit-plan-light") << u"rated"_s << u"audit"_s << QString() << u"light"_s;
        QTest::newRow("calibrate-light") << u"calibrated"_s << u"calibrate"_s << QString() << u"light"_s;
        QTest::newRow("calibrate-dark") << u"calibrated"_s << u"calibrate"_s << QString() << u"dark"_s;
        QTest::newRow("uncalibrated-light") << u"rated"_s << u"calibrate"_s << QString() << u"light"_s;
        QTest::newRow("welcome-light") << QString() << QString() << QString() << u"light"_s;
    }

    void thePagesLookAsTheyDid()
    {
        QFETCH(QString, corpus);
        QFETCH(QString, page);
        QFETCH(QString, kernel);
        QFETCH(QString, theme);
        views::DeepLink spot;
        spot.database = corpus.isEmpty() ? QString() : database(corpus);
        spot.place = page;
        spot.kernel = kernel;
        compare(picture(spot, theme), QString::fromLatin1(QTest::currentDataTag()));
    }

    void sourcesLookAsTheyDid()
    {
        views::DeepLink spot;
        spot.database = database(u"evidence"_s);
        spot.place = u"kernels"_s;
        spot.kernel = u"179"_s;
        const QImage actual = picture(spot, u"light"_s, [](views::MainWindow& window) {
            window.findChild<QAction*>(u"evidence.wide"_s)->trigger();
            auto* evidence = window.findChild<views::EvidencePane*>(u"triage.evidence"_s);
            QSignalSpy loaded(evidence, &views::EvidencePane::sourcesLoaded);
            evidence->showSection(u"sources"_s);
            loaded.wait(20'000);
        });
        compare(actual, u"sources-light"_s);
    }

    void outputsLookAsTheyDid_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::newRow("outputs-light") << u"light"_s;
        QTest::newRow("outputs-dark") << u"dark"_s;
    }

    /// Wide, with an element picked that is NaN in the candidate alone, zoomed in until its hatch is seen.
    void outputsLookAsTheyDid()
    {
        QFETCH(QString, theme);
        views::DeepLink spot;
        spot.database = database(u"outputs"_s);
        spot.place = u"kernels"_s;
        spot.kernel = u"7"_s;
        const QImage actual = picture(spot, theme, [](views::MainWindow& window) {
            window.findChild<QAction*>(u"evidence.wide"_s)->trigger();
            auto* evidence = window.findChild<views::EvidencePane*>(u"triage.evidence"_s);
            evidence->showSection(u"outputs"_s);
            auto* page = evidence->findChild<views::DiffPage*>();
            QTRY_VERIFY_WITH_TIMEOUT(page->hasPair() && page->isSettled(), 20'000);
            page->goTo({2, 0, 10, 20});
            QTRY_VERIFY_WITH_TIMEOUT(page->isSettled(), 20'000);
        });
        compare(actual, QString::fromLatin1(QTest::currentDataTag()));
    }

    /// What the machine of the picture has: neither a GPU nor the compiler that made the images may show.
    static void settleLaunch(views::MainWindow& window)
    {
        views::DeviceFacts facts;
        facts.isKnown = true;
        facts.gpuLack = u"nvidia-smi is not there"_s;
        facts.library = u"libassay_gdn.so"_s;
        window.findChild<views::LaunchForm*>()->setFacts(facts);
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 20'000);
        views::PlanFigure figure = views::loadPlanFigure(128, 64, false, views::usualTarget());
        figure.imageLack.clear();
        // The picture is about the drawing: kernels that are tuned do not change it.
        int kib = 36;
        for (launch::PlannedKernel& kernel : figure.kernels) {
            kernel.sharedBytes = kib * 1024;
            kib += 15;
        }
        figure.images.assign(figure.kernels.size(), launch::KernelImage{168, 0, 3, 2, 0.125});
        window.findChild<views::PlanView*>()->setFigure(figure);
    }

    void aLaunchLooksAsItDid_data()
    {
        QTest::addColumn<QString>("corpus");
        QTest::addColumn<QString>("theme");
        QTest::newRow("launch-light") << u"launched"_s << u"light"_s;
        QTest::newRow("launch-dark") << u"launched"_s << u"dark"_s;
        QTest::newRow("launch-plan-light") << QString() << u"light"_s;
        QTest::newRow("launch-plan-dark") << QString() << u"dark"_s;
    }

    /// A run that ended in every way a gate can, and the plan before any run.
    void aLaunchLooksAsItDid()
    {
        QFETCH(QString, corpus);
        QFETCH(QString, theme);
        views::DeepLink spot;
        spot.database = corpus.isEmpty() ? QString() : database(corpus);
        spot.place = u"launch"_s;
        compare(picture(spot, theme, settleLaunch), QString::fromLatin1(QTest::currentDataTag()));
    }

    /// A threshold that is tried, and the verdicts that it would flip.
    void aProposalLooksAsItDid()
    {
        views::DeepLink spot;
        spot.database = database(u"calibrated"_s);
        spot.place = u"calibrate"_s;
        const QImage actual = picture(spot, u"light"_s, [](views::MainWindow& window) {
            window.findChild<views::FigureView*>()->setGhost(0.25);
            window.findChild<QAction*>(u"calibrate.proposeKey"_s)->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 20'000);
        });
        compare(actual, u"proposal-light"_s);
    }

    void aMissingStripCellAndAWrongColourAreDifferencesAndAnotherSmoothingIsNot()
    {
        QRectF cell;
        QColor surface;
        views::DeepLink spot;
        spot.database = database(u"twelve"_s);
        spot.place = u"kernels"_s;
        const QImage whole = picture(spot, u"light"_s, [&](views::MainWindow& window) {
            const auto* table = window.findChild<QTableView*>(u"triage.table"_s);
            const auto index = table->model()->index(9, static_cast<int>(store::TriageColumn::Gates));
            cell = views::StripGeometry(QRectF(table->visualRect(index))).cell(contract::Gate::Ord02);
            cell.translate(table->viewport()->mapTo(&window, QPoint(0, 0)));
            surface = window.context().theme.surface();
        });
        QCOMPARE(whole.size(), kSize);
        QVERIFY(tests::isSame(tests::difference(whole, whole)));

        QImage missing = whole;
        QPainter(&missing).fillRect(cell, surface);
        QVERIFY2(!tests::isSame(tests::difference(whole, missing)), "a strip cell that is not drawn must be noticed");

        QImage recoloured = whole;
        QImage part = recoloured.copy(cell.toAlignedRect()).rgbSwapped();
        QPainter(&recoloured).drawImage(cell.toAlignedRect().topLeft(), part);
        QVERIFY2(!tests::isSame(tests::difference(whole, recoloured)), "a strip cell in another colour must be noticed");

        QImage smoothed = whole;
        QPainter painter(&smoothed);
        painter.setOpacity(0.12);
        painter.drawImage(1, 0, whole);
        painter.end();
        const auto found = tests::difference(whole, smoothed);
        QVERIFY2(tests::isSame(found), qPrintable(tests::describe(found)));
    }
};

int main(int argc, char** argv)
{
    const QTemporaryDir fonts;
    if (!useOneFont(fonts))
        return 1;
    qputenv("QT_FONT_DPI", "96");
    qputenv("QT_SCALE_FACTOR", "1");
    qputenv("USER", "ada"); // who labels unless another name is typed
    QApplication application(argc, argv);
    GoldenPicturesTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_golden_pictures.moc"
