// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ingest/import.h"
#include "core/store/triage.h"
#include "core/store/triage_filter.h"
#include "tests/support/shared_data.h"
#include "tests/views/triage/kernel_corpus.h"
#include "views/overview/headline_panel.h"
#include "views/overview/overview_page.h"
#include "views/overview/published_model.h"

#include <QApplication>
#include <QTreeView>
#include <QtTest>

using namespace assay;
using namespace assay::tests;
using namespace assay::views;
using namespace Qt::StringLiterals;

/// The overview of the published audit of 3,134 kernels.
class PublishedOverviewTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        ASSAY_REQUIRE_SHARED(shared);
        const auto database = store::Database::open(toFilesystemPath(m_window.databasePath()), store::OpenMode::ReadWriteCreate);
        ingest::ImportOptions options;
        options.corpusName = "published";
        for (const char* file :
             {"audit_rows.jsonl.gz", "crossval_kernelbench.json", "kernelbench_actual_agreement.json", "env_b200.json",
              "threshold_calibration.json", "positive_control.json", "failure_sample_selected.json"})
            ingest::importPath(*database, toFilesystemPath(shared + u"/corpora/published-audit/"_s + QString::fromLatin1(file)),
                               "", options, {});
        QVERIFY(m_window.workspace.open(m_window.databasePath()));
        m_page = std::make_unique<OverviewPage>(m_window.context);
        m_page->resize(1500, 1000);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
        settle();
    }

    void cleanupTestCase() { m_page.reset(); }

    void theHeadlineIsThePublishedOne()
    {
        const QString said = m_page->findChild<HeadlinePanel*>()->sentences();
        QVERIFY2(said.startsWith(u"39.5\u00a0% of 2,638 audited kernels fail without any tolerance (37.7 to 41.4)"_s),
                 qPrintable(said));
        QVERIFY(said.contains(u"1,043 need no threshold"_s));
        QVERIFY(said.contains(u"62.1\u00a0% (1,639) violate at least one gate (60.3 to 64.0)"_s));
    }

    void ruleSetsChangeTheFloorAsDesigned_data()
    {
        QTest::addColumn<QString>("rules");
        QTest::addColumn<QString>("says");
        QTest::newRow("NaN equals NaN") << u"nan-equal"_s << u"1,043 \u2192 1,014 (29 fewer)"_s;
        QTest::newRow("loose") << u"nan-equal-loose"_s << u"1,043 \u2192 1,009 (34 fewer)"_s;
        QTest::newRow("union") << u"union"_s << u"1,639 \u2192 1,648 (9 more)"_s;
    }

    void ruleSetsChangeTheFloorAsDesigned()
    {
        QFETCH(QString, rules);
        QFETCH(QString, says);
        m_page->setRuleSet(rules);
        settle();
        const QString said = m_page->findChild<HeadlinePanel*>()->sentences();
        QVERIFY2(said.contains(says), qPrintable(said));
    }

    void everyNumberListsAsManyKernelsAsItSays_data()
    {
        QTest::addColumn<QString>("rules");
        for (const char* name : {"as-published", "nan-equal", "nan-equal-loose", "union"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    void everyNumberListsAsManyKernelsAsItSays()
    {
        QFETCH(QString, rules);
        m_page->setRuleSet(rules);
        settle();
        const auto database = m_window.otherProcess();
        const store::Scope& scope = *m_window.workspace.scope();
        report::storeRuleOutcomes(*database, *scope.auditId, report::ruleSetByName(*database, rules.toStdString()), {});
        int checked = 0;
        for (const LinkPanel* panel : m_page->findChildren<LinkPanel*>()) {
            for (const PanelLink& link : panel->links()) {
                if (link.count < 0)
                    continue;
                const auto listed = store::triageCount(*database, scope.id, store::parseFilter(link.filter.toStdString()));
                QVERIFY2(listed == link.count,
                         qPrintable(panel->title() + u": "_s + link.filter + u" lists "_s + QString::number(listed)
                                    + u", the number says "_s + QString::number(link.count)));
                ++checked;
            }
        }
        QVERIFY(checked > 120);
    }

    void fourKeysLeadToTheScanKernelWhoseErrorIs1e22()
    {
        m_page->setRuleSet(u"as-published"_s);
        settle();
        m_page->setFocus();
        for (const char letter : {'s', 'c'})
            QTest::keyClick(QApplication::focusWidget(), letter);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_End);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        const auto database = m_window.otherProcess();
        QCOMPARE(m_window.selection.kernelId(), kernelId(*database, "179"));
        QCOMPARE(m_window.selection.gate(), contract::Gate::Cmp01);
        const auto listed = store::triageIds(*database, m_window.workspace.scopeId(), m_window.filters.filter(), {});
        QVERIFY(std::find(listed.begin(), listed.end(), m_window.selection.kernelId()) != listed.end());
    }

    void publishedFiguresStandApart()
    {
        const auto* tree = m_page->findChild<QTreeView*>();
        const auto* model = qobject_cast<PublishedModel*>(tree->model());
        QVERIFY(model->figureCount() > 100);
        QVERIFY(tree->isVisibleTo(m_page.get()));
    }

private:
    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(!m_page->isLoading(), 30'000); }

    Window m_window;
    std::unique_ptr<OverviewPage> m_page;
};

QTEST_MAIN(PublishedOverviewTest)
#include "tst_published_overview.moc"
