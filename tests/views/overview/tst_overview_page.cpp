// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/kernel_details.h"
#include "core/store/sample_label.h"
#include "core/store/sample_plan.h"
#include "core/store/triage.h"
#include "core/store/triage_filter.h"
#include "tests/views/overview/rated_corpus.h"
#include "tests/views/triage/kernel_corpus.h"
#include "views/overview/fail_set_panel.h"
#include "views/overview/family_panel.h"
#include "views/overview/funnel_panel.h"
#include "views/overview/gate_panel.h"
#include "views/overview/headline_panel.h"
#include "views/overview/matrix_panel.h"
#include "views/overview/overview_page.h"
#include "views/overview/rule_switch.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QScrollArea>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

using namespace assay;
using namespace assay::tests;
using namespace assay::views;
using namespace Qt::StringLiterals;

namespace {

/// The overview of the nine kernels, in a window of its own.
struct Page {
    Window window;
    std::unique_ptr<OverviewPage> page;

    explicit Page(bool open = true)
    {
        if (open)
            writeRatedCorpus(toFilesystemPath(window.databasePath()));
        if (open)
            window.workspace.open(window.databasePath());
        page = std::make_unique<OverviewPage>(window.context);
        page->resize(1500, 1000);
        page->show();
        QVERIFY(QTest::qWaitForWindowActive(page.get()));
        settle();
    }

    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(!page->isLoading(), 20'000); }

    template <typename Panel> Panel& panel() const { return *page->findChild<Panel*>(); }

    void type(const char* text) const
    {
        for (const char* letter = text; *letter; ++letter)
            QTest::keyClick(QApplication::focusWidget(), *letter);
    }

    void key(Qt::Key key) const { QTest::keyClick(QApplication::focusWidget(), key); }

    LinkPanel& focused() const { return *qobject_cast<LinkPanel*>(QApplication::focusWidget()); }
    const PanelLink& current() const { return focused().links()[focused().currentLink()]; }
};

const PanelLink& linkWith(const LinkPanel& panel, const QString& filter)
{
    for (const PanelLink& link : panel.links()) {
        if (link.filter == filter)
            return link;
    }
    qFatal("no link %s", qPrintable(filter));
}

} // namespace

class OverviewPageTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theHeadlineSaysTheRateAndItsInterval()
    {
        Page page;
        const QString said = page.panel<HeadlinePanel>().sentences();
        QVERIFY2(said.startsWith(u"50.0\u00a0% of 8 audited kernels fail without any tolerance (21.5 to 78.5)"_s),
                 qPrintable(said));
        QVERIFY(page.panel<HeadlinePanel>().accessibleDescription().contains(u"fail without any tolerance"_s));
    }

    /// The rate, its interval, how many labels it rests on, and the rate without them; nothing where nobody has labelled.
    void labelsAdjustTheRate()
    {
        Page page;
        auto& headline = page.panel<HeadlinePanel>();
        QVERIFY(!headline.sentences().contains(u"Checked by hand"_s));
        {
            const auto database = page.window.otherProcess();
            store::PlanRequest request;
            request.name = "two";
            request.scopeId = page.window.workspace.scope()->id;
            request.filter = "is:violation";
            request.by = {store::StratifyBy::Family};
            request.size = 4;
            const auto plan = store::drawSample(*database, store::createPlan(*database, request).id);
            const auto items = store::sampleItems(*database, plan.id);
            QCOMPARE(items.size(), std::size_t{4});
            for (const store::SampleItem& item : items) {
                store::NewLabel label;
                label.itemId = item.id;
                label.label = item.externalId == "9" ? store::AuditLabel::FalsePositive : store::AuditLabel::Confirmed;
                label.reviewer = "ada";
                store::addLabel(*database, label);
            }
        }
        page.window.workspace.checkForChanges();
        // 4 of 8 are flagged; 3 of them are defects, and everyone was looked at.
        const QString wanted
            = u"Checked by hand, 37.5\u00a0% are defects (37.5 to 37.5), where 50.0\u00a0% were flagged: n = 4 decided of 4 "
              u"in plan \u201ctwo\u201d, weighted by stratum."_s;
        QTRY_VERIFY2(headline.sentences().contains(wanted), qPrintable(headline.sentences()));
        QCOMPARE(linkWith(headline, u"is:violation is:audited"_s).count, 4);
        QCOMPARE(headline.table().last(),
                 (QStringList{u"defects, by 4 labels"_s, QString(), u"8"_s, u"37.5\u00a0%"_s, u"37.5 to 37.5"_s}));
        page.settle();
        checkEveryLink(page);
    }

    void everyNumberListsAsManyKernelsAsItSays_data()
    {
        QTest::addColumn<QString>("rules");
        QTest::newRow("as published") << u"as-published"_s;
        QTest::newRow("NaN equals NaN") << u"nan-equal"_s;
        QTest::newRow("union") << u"union"_s;
    }

    void everyNumberListsAsManyKernelsAsItSays()
    {
        QFETCH(QString, rules);
        Page page;
        page.page->setRuleSet(rules);
        page.settle();
        checkEveryLink(page);
    }

    void clickingANumberListsItsKernels()
    {
        Page page;
        auto& families = page.panel<FamilyPanel>();
        const PanelLink link = linkWith(families, u"is:tolerance_free family:scan"_s);
        QTest::mouseClick(&families, Qt::LeftButton, Qt::NoModifier, link.rect.center().toPoint());
        QCOMPARE(page.window.filters.text(), u"is:tolerance_free family:scan"_s);
        QCOMPARE(page.window.selection.spot().place, u"kernels"_s);
    }

    void pressingOneNumberAndReleasingOnAnotherFollowsNeither()
    {
        Page page;
        auto& families = page.panel<FamilyPanel>();
        QTest::mousePress(&families, Qt::LeftButton, Qt::NoModifier, families.links()[0].rect.center().toPoint());
        QTest::mouseRelease(&families, Qt::LeftButton, Qt::NoModifier, families.links()[3].rect.center().toPoint());
        QCOMPARE(page.window.selection.spot().place, u"overview"_s);
    }

    void typingAFamilyMovesThereAndEnterFollows()
    {
        Page page;
        page.page->setFocus();
        page.type("sc");
        QCOMPARE(page.current().typeKey, u"scan"_s);
        page.key(Qt::Key_Return);
        QCOMPARE(page.window.filters.text(), u"is:audited family:scan"_s);
        QCOMPARE(page.window.selection.spot().place, u"kernels"_s);
    }

    void typingAGateMovesToItsRow()
    {
        Page page;
        page.page->setFocus();
        page.type("exc-01");
        QCOMPARE(&page.focused(), &page.panel<GatePanel>());
        QCOMPARE(page.current().filter, u"is:audited EXC-01:fail"_s);
    }

    void aLetterThatLeadsNowhereIsForgotten()
    {
        Page page;
        page.page->setFocus();
        page.type("sq");
        page.type("c");
        QCOMPARE(page.current().typeKey, u"scan"_s);
    }

    void theLargestErrorOfAFamilyIsFourKeysAway()
    {
        Page page;
        page.page->setFocus();
        page.type("sc");
        page.key(Qt::Key_End);
        QVERIFY2(page.current().spoken.contains(u"1.1e+22"_s), qPrintable(page.current().spoken));
        QVERIFY(page.current().spoken.contains(u"8.0e-5 of the output's scale"_s));
        page.key(Qt::Key_Return);
        QCOMPARE(page.window.selection.kernelId(), kernelId(*page.window.otherProcess(), "3"));
        QCOMPARE(page.window.selection.gate(), contract::Gate::Cmp01);
        QCOMPARE(page.window.selection.spot().place, u"kernels"_s);
    }

    void arrowsWalkTheLinksAndLeaveAPanelAtItsEdge()
    {
        Page page;
        auto& funnel = page.panel<FunnelPanel>();
        funnel.setFocus();
        funnel.setCurrentLink(0);
        page.key(Qt::Key_Down);
        QCOMPARE(funnel.currentLink(), 1);
        page.key(Qt::Key_Up);
        page.key(Qt::Key_Up);
        QCOMPARE(&page.focused(), static_cast<LinkPanel*>(&page.panel<HeadlinePanel>()));
        page.key(Qt::Key_Tab);
        QCOMPARE(&page.focused(), static_cast<LinkPanel*>(&funnel));
        page.key(Qt::Key_Tab);
        QCOMPARE(&page.focused(), static_cast<LinkPanel*>(&page.panel<FamilyPanel>()));
        page.key(Qt::Key_Right);
        QCOMPARE(page.current().filter, u"is:tolerance_free"_s);
    }

    void theLinkUnderTheKeyboardIsScrolledIntoView()
    {
        Page page;
        page.page->resize(1500, 400);
        auto& sets = page.panel<FailSetPanel>();
        sets.setFocus(Qt::TabFocusReason);
        QCoreApplication::processEvents();
        const QRect shown = sets.links()[sets.currentLink()].rect.toAlignedRect();
        const QRect inPage(sets.mapTo(page.page.get(), shown.topLeft()), shown.size());
        QVERIFY2(page.page->rect().contains(inPage), "the current link is outside the page");
    }

    void choosingRulesShowsWhatTheyChange()
    {
        Page page;
        auto* button = page.page->findChild<QToolButton*>(u"union"_s);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(page.page->ruleSet(), u"union"_s);
        page.settle();
        QVERIFY2(page.panel<HeadlinePanel>().sentences().contains(u"any violation 4 \u2192 5 (1 more)"_s),
                 qPrintable(page.panel<HeadlinePanel>().sentences()));
        page.page->setRuleSet(u"nan-equal"_s);
        page.settle();
        QVERIFY2(page.panel<HeadlinePanel>().sentences().contains(
                     u"without tolerance 4 \u2192 3 (1 fewer), any violation 4 \u2192 3 (1 fewer); 1 row is forgiven"_s),
                 qPrintable(page.panel<HeadlinePanel>().sentences()));
        page.page->setRuleSet(u"as-published"_s);
        page.settle();
        page.page->grab();
        QVERIFY(!page.panel<HeadlinePanel>().sentences().contains(u"Against"_s));
    }

    void theRowsBehindARescoredNumberAreListed()
    {
        Page page;
        page.page->setRuleSet(u"union"_s);
        page.settle();
        auto& families = page.panel<FamilyPanel>();
        const PanelLink link = linkWith(families, u"rule:union/violation"_s);
        QTest::mouseClick(&families, Qt::LeftButton, Qt::NoModifier, link.rect.center().toPoint());
        QTRY_COMPARE(page.window.filters.text(), u"rule:union/violation"_s);
        const auto database = page.window.otherProcess();
        QCOMPARE(store::triageCount(*database, page.window.workspace.scopeId(), store::parseFilter("rule:union/violation")),
                 link.count);
    }

    void aPanelCopiesAsTabSeparatedText()
    {
        Page page;
        auto& gates = page.panel<GatePanel>();
        gates.setFocus();
        QTest::keyClick(&gates, Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QApplication::clipboard()->text().split(u'\n');
        QVERIFY(lines[0].startsWith(u"gate\tjudges\tfail"_s));
        QVERIFY2(lines[1].startsWith(u"CMP-01\tvalue under input variation\t2\t"_s), qPrintable(lines[1]));
        QCOMPARE(lines.size(), 14);
    }

    void theMatrixShadesByTheShareOfTheFamily()
    {
        Page page;
        auto& matrix = page.panel<MatrixPanel>();
        QVERIFY(matrix.shade(0.0) != matrix.shade(0.3));
        const PanelLink& link = linkWith(matrix, u"is:audited family:scan CMP-01:fail"_s);
        QCOMPARE(link.count, 1);
        QVERIFY2(link.spoken.contains(u"1 of 3"_s), qPrintable(link.spoken));
    }

    void newContentIsCountedWhileTheOldStays()
    {
        Page page;
        auto& funnel = page.panel<FunnelPanel>();
        QCOMPARE(funnel.links()[0].count, 9);
        QSignalSpy loaded(page.page.get(), &OverviewPage::loaded);
        {
            const auto database = page.window.otherProcess();
            store::addNote(*database, kernelId(*database, "1"), "seen", "someone");
        }
        page.window.workspace.checkForChanges();
        QCOMPARE(funnel.links()[0].count, 9);
        QTRY_VERIFY(loaded.count() >= 1);
        QCOMPARE(funnel.links()[0].count, 9);
    }

    void aHiddenPageCountsOnlyWhenItIsShownAgain()
    {
        Page page;
        page.page->hide();
        page.page->setRuleSet(u"union"_s);
        QVERIFY(!page.page->isLoading());
        page.page->show();
        QVERIFY(page.page->isLoading());
        page.settle();
        QVERIFY(page.panel<HeadlinePanel>().sentences().contains(u"4 \u2192 5 (1 more)"_s));
    }

    void bothLooksRepaintWithTheirColours()
    {
        Page page;
        const QImage light = page.page->grab().toImage();
        page.window.theme.setMode(Theme::Mode::Dark);
        const QImage dark = page.page->grab().toImage();
        QCOMPARE(light.pixelColor(5, 5), QColor(0xFF, 0xFF, 0xFF));
        QVERIFY(dark.pixelColor(5, 5).lightness() < 60);
    }

    void emptyWindowsSayWhatToDo()
    {
        Page page(false);
        auto* text = page.page->findChild<QLabel*>();
        QVERIFY(text->isVisible());
        QVERIFY(text->text().startsWith(u"No database is open."_s));
    }

    void noPanelNeedsMoreWidthThanThePageHas()
    {
        Page page;
        for (const int width : {520, 800, 1200, 2400}) {
            page.page->resize(width, 900);
            QCoreApplication::processEvents();
            for (const LinkPanel* panel : page.page->findChildren<LinkPanel*>()) {
                for (const PanelLink& link : panel->links())
                    QVERIFY2(link.rect.right() <= panel->width() + 1,
                             qPrintable(panel->title() + u": "_s + link.spoken + QString::number(width)));
            }
        }
    }

private:
    static void checkEveryLink(Page& page)
    {
        const auto database = page.window.otherProcess();
        const auto* scope = page.window.workspace.scope();
        const report::RuleSet rules = report::ruleSetByName(*database, page.page->ruleSet().toStdString());
        report::storeRuleOutcomes(*database, *scope->auditId, rules, {});
        int checked = 0;
        for (const LinkPanel* panel : page.page->findChildren<LinkPanel*>()) {
            for (const PanelLink& link : panel->links()) {
                if (link.count < 0)
                    continue;
                const auto listed = store::triageCount(*database, scope->id, store::parseFilter(link.filter.toStdString()));
                QVERIFY2(listed == link.count,
                         qPrintable(panel->title() + u": "_s + link.filter + u" lists "_s + QString::number(listed)
                                    + u", the number says "_s + QString::number(link.count)));
                ++checked;
            }
        }
        QVERIFY(checked > 20);
    }
};

QTEST_MAIN(OverviewPageTest)
#include "tst_overview_page.moc"
