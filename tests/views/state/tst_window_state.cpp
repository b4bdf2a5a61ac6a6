// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/error.h"
#include "views/state/deep_link.h"
#include "views/state/filter_stack.h"
#include "views/state/jobs.h"
#include "views/state/selection.h"

#include <QAction>
#include <QSignalSpy>
#include <QtTest>

#include <atomic>
#include <thread>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

class WindowStateTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void backAndForwardWalkTheSpotsLikeABrowser()
    {
        Selection selection;
        selection.setPlace(u"kernels"_s);
        selection.setKernel(5);
        selection.setGate(contract::Gate::Exc01);
        selection.backAction()->trigger();
        QVERIFY(!selection.gate());
        QCOMPARE(selection.kernelId(), std::int64_t{5});
        selection.back();
        selection.back();
        QCOMPARE(selection.spot().place, u"overview"_s);
        QVERIFY(!selection.canGoBack());
        QVERIFY(!selection.backAction()->isEnabled());
        selection.forward();
        selection.setKernel(9); // a new step drops what was ahead
        QVERIFY(!selection.canGoForward());
        selection.back();
        QCOMPARE(selection.spot().place, u"kernels"_s);
        QCOMPARE(selection.kernelId(), std::int64_t{0});
    }

    void theSameSpotIsNoStep()
    {
        Selection selection;
        QSignalSpy changed(&selection, &Selection::spotChanged);
        selection.setPlace(u"overview"_s);
        selection.setKernel(0);
        QCOMPARE(changed.size(), 0);
        QVERIFY(!selection.canGoBack());
    }

    void backAsksForTheFilterThatLedThere()
    {
        Selection selection;
        QSignalSpy wanted(&selection, &Selection::filterWanted);
        selection.noteFilter(u"family:scan"_s);
        QCOMPARE(wanted.size(), 0);
        selection.go({u"kernels"_s, 3, std::nullopt, u"gate:EXC-01"_s});
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].toString(), u"gate:EXC-01"_s);
        selection.back();
        QCOMPARE(wanted.size(), 2);
        QCOMPARE(wanted[1][0].toString(), u"family:scan"_s);
    }

    void filtersAreUndoneAndRedone()
    {
        FilterStack filters;
        QVERIFY(filters.setText(u"family:scan"_s));
        QVERIFY(filters.setText(u"family:scan gate:EXC-01"_s));
        filters.undoAction()->trigger();
        QCOMPARE(filters.text(), u"family:scan"_s);
        filters.undoAction()->trigger();
        QCOMPARE(filters.text(), QString());
        QVERIFY(!filters.undoAction()->isEnabled());
        filters.redoAction()->trigger();
        QCOMPARE(filters.text(), u"family:scan"_s);
        QVERIFY(filters.setText(u"language:cuda"_s));
        QVERIFY(!filters.redoAction()->isEnabled());
    }

    void aLineThatDoesNotParseKeepsTheFilterAndSaysWhy()
    {
        FilterStack filters;
        QVERIFY(filters.setText(u"family:scan"_s));
        QSignalSpy changed(&filters, &FilterStack::filterChanged);
        QVERIFY(!filters.setText(u"famly:scan"_s));
        QVERIFY(!filters.problem().isEmpty());
        QCOMPARE(filters.text(), u"family:scan"_s);
        QCOMPARE(changed.size(), 0);
        QVERIFY(filters.setText(u"family:scan"_s)); // mended by going back to what holds
        QCOMPARE(filters.problem(), QString());
    }

    void aFacetClickAddsTakesOutAndTurnsAround()
    {
        FilterStack filters;
        filters.toggleValue(u"family"_s, u"scan"_s);
        filters.toggleValue(u"family"_s, u"norm"_s);
        QCOMPARE(filters.text(), u"family:scan,norm"_s);
        QVERIFY(filters.hasValue(u"family"_s, u"norm"_s));
        filters.toggleValue(u"family"_s, u"scan"_s);
        QCOMPARE(filters.text(), u"family:norm"_s);
        filters.toggleValue(u"family"_s, u"norm"_s, true);
        QCOMPARE(filters.text(), u"-family:norm"_s);
        QVERIFY(!filters.hasValue(u"family"_s, u"norm"_s));
        filters.clearAction()->trigger();
        QVERIFY(filters.filter().isEmpty());
    }

    void aRestoredFilterHasNothingToUndo()
    {
        FilterStack filters;
        QVERIFY(filters.restore(u"gate:EXC-01"_s, {store::TriageColumn::Error, true}));
        QCOMPARE(filters.text(), u"gate:EXC-01"_s);
        QCOMPARE(filters.sort().column, store::TriageColumn::Error);
        QVERIFY(!filters.undoAction()->isEnabled());
        QVERIFY(!filters.restore(u"famly:scan"_s, {}));
        QCOMPARE(filters.text(), u"gate:EXC-01"_s);
    }

    void aJobReportsProgressAndItsSentence()
    {
        Jobs jobs;
        QSignalSpy progressed(&jobs, &Jobs::progressed);
        QSignalSpy finished(&jobs, &Jobs::finished);
        const int id = jobs.start(u"count"_s, [](std::stop_token, const Jobs::Progress& progress) {
            progress(1, 4, u"one"_s);
            progress(1, 0, u"unknown"_s);
            return u"done"_s;
        });
        QTRY_COMPARE(finished.size(), 1);
        QCOMPARE(finished[0][0].toInt(), id);
        QCOMPARE(finished[0][1].toString(), u"done"_s);
        QCOMPARE(progressed.size(), 2);
        QCOMPARE(progressed[0][1].toDouble(), 0.25);
        QVERIFY(progressed[1][1].toDouble() < 0);
        QCOMPARE(jobs.running(), 0);
    }

    void aCancelledJobSaysSoAndAFailedOneWhy()
    {
        Jobs jobs;
        QSignalSpy cancelled(&jobs, &Jobs::cancelled);
        QSignalSpy failed(&jobs, &Jobs::failed);
        const int waiting = jobs.start(u"wait"_s, [](std::stop_token stop, const Jobs::Progress&) -> QString {
            while (!stop.stop_requested())
                std::this_thread::yield();
            throw Cancelled();
        });
        jobs.start(u"fail"_s,
                   [](std::stop_token, const Jobs::Progress&) -> QString { throw Error("disk full", "/x", "Free space"); });
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(failed[0][1].toString().contains(u"disk full"_s));
        jobs.cancel(waiting);
        QTRY_COMPARE(cancelled.size(), 1);
        QCOMPARE(cancelled[0][0].toInt(), waiting);
    }

    void theEndOfTheWindowStopsRunningJobs()
    {
        std::atomic<bool> stopped = false;
        {
            Jobs jobs;
            jobs.start(u"wait"_s, [&stopped](std::stop_token stop, const Jobs::Progress& progress) -> QString {
                while (!stop.stop_requested()) {
                    progress(0, 0, {});
                    std::this_thread::yield();
                }
                stopped = true;
                throw Cancelled();
            });
        }
        QVERIFY(stopped);
    }

    void aLinkSurvivesTheRoundTrip_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("filter");
        QTest::newRow("plain") << u"/data/a.db"_s << u""_s;
        QTest::newRow("hazards") << u"/data/审计 Ü #1%20/a&b=c?.db"_s << u"family:scan \"two words\" error>1e3 a+b&c=d"_s;
    }
    void aLinkSurvivesTheRoundTrip()
    {
        QFETCH(QString, path);
        QFETCH(QString, filter);
        const DeepLink link{path, u"kernels"_s, u"demo/first"_s, u"179"_s, contract::Gate::Exc01, filter};
        const QString text = toText(link);
        QVERIFY2(text.startsWith(u"workbench:///"_s), qPrintable(text));
        QVERIFY(!text.contains(u' '));
        const auto back = parseDeepLink(text);
        QVERIFY(back.has_value());
        QVERIFY2(*back == link, qPrintable(back->database + u' ' + back->filter));
    }

    void whatIsNoLinkIsRefused()
    {
        QVERIFY(!parseDeepLink(u"https://example.org/a.db?kernel=1"_s));
        QVERIFY(!parseDeepLink(u"workbench:///a.db?kernel=1&gate=NOPE-01"_s));
        QVERIFY(!parseDeepLink(u"workbench://"_s));
        QVERIFY(parseDeepLink(u"workbench:///a.db?kernel=1&gate=exc-01"_s));
    }
};

QTEST_MAIN(WindowStateTest)
#include "tst_window_state.moc"
