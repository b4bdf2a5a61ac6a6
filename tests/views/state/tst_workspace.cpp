// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/state/small_audit.h"
#include "views/state/query_channel.h"
#include "views/state/workspace.h"

#include <SQLiteCpp/Statement.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <thread>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

class WorkspaceTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    QString m_path;

private Q_SLOTS:
    void init()
    {
        static int number = 0;
        m_path = m_folder.filePath(u"审计 Ü #1%20 %1.db"_s.arg(++number));
        tests::makeSmallAudit(toFilesystemPath(m_path), 9);
    }

    void openingShowsTheNewestAudit()
    {
        tests::addSecondAudit(*store::Database::open(toFilesystemPath(m_path), store::OpenMode::ReadWrite));
        Workspace workspace;
        QSignalSpy opened(&workspace, &Workspace::opened);
        QVERIFY(workspace.open(m_path));
        QCOMPARE(opened.size(), 1);
        QCOMPARE(workspace.scopes().size(), std::size_t{2});
        QCOMPARE(workspace.scope()->auditName, std::string("later"));
        QCOMPARE(workspace.scope()->kernels, std::int64_t{9});
    }

    void aFileThatCannotBeOpenedLeavesTheOpenOneOpen()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        QSignalSpy failed(&workspace, &Workspace::openFailed);
        QVERIFY(!workspace.open(m_folder.filePath(u"absent.db"_s)));
        QCOMPARE(failed.size(), 1);
        QVERIFY(failed[0][0].toString().contains(u"absent.db"_s));
        QCOMPARE(workspace.path(), m_path);
        QCOMPARE(workspace.scopeId(), std::int64_t{1});
    }

    void readOnlyRefusesToWrite()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path, true));
        QVERIFY(workspace.isReadOnly());
        QString problem;
        bool ran = false;
        workspace.write([&ran](store::Database&) { ran = true; }, &workspace, [&](const QString& text) { problem = text; });
        QVERIFY(problem.contains(u"read-only"_s));
        QVERIFY(!ran);
    }

    void anotherProcessThatWritesIsNoticed()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        QSignalSpy content(&workspace, &Workspace::contentChanged);
        QSignalSpy scopes(&workspace, &Workspace::scopesChanged);
        tests::addKernel(*store::Database::open(toFilesystemPath(m_path), store::OpenMode::ReadWrite), 77);
        QTRY_COMPARE(content.size(), 1);
        QCOMPARE(scopes.size(), 1);
        QCOMPARE(workspace.scope()->kernels, std::int64_t{10});
    }

    void aReadOnlyWindowNoticesAnotherWriterAndReadsWhatItWrote()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path, true));
        QCOMPARE(store::triageCount(*workspace.borrow(), 1, {}), std::int64_t{9});
        QSignalSpy content(&workspace, &Workspace::contentChanged);
        const auto writer = store::Database::open(toFilesystemPath(m_path), store::OpenMode::ReadWrite);
        tests::addKernel(*writer, 77);
        QTRY_VERIFY(content.size() >= 1);
        QCOMPARE(workspace.scope()->kernels, std::int64_t{10});
        QCOMPARE(store::triageCount(*workspace.borrow(), 1, {}), std::int64_t{10});
    }

    void writesRunInOrderAndTellTheirEnd()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        QSignalSpy content(&workspace, &Workspace::contentChanged);
        QStringList order;
        for (const QString& title : {u"a"_s, u"b"_s, u"c"_s}) {
            workspace.write(
                [title](store::Database& database) {
                    SQLite::Statement update(database.sqlite(), "UPDATE kernel SET title = title || ? WHERE id = 1");
                    update.bind(1, title.toStdString());
                    update.exec();
                },
                this, [&order, title](const QString& problem) { order << title + problem; });
        }
        QTRY_COMPARE(order.size(), 3);
        QCOMPARE(order.join(u""_s), u"abc"_s);
        QTRY_VERIFY(content.size() >= 1); // one's own writes refresh the lists as well
        const auto title = workspace.borrow()->sqlite().execAndGet("SELECT title FROM kernel WHERE id = 1").getString();
        QCOMPARE(QString::fromStdString(title), u"kernel 1abc"_s);
    }

    void aFailedWriteTellsItsReason()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        QString problem;
        workspace.write(
            [](store::Database& database) { database.sqlite().exec("INSERT INTO note VALUES (1, 4711, '', '', '')"); }, this,
            [&](const QString& text) { problem = text; });
        QTRY_VERIFY(!problem.isEmpty());
        QVERIFY(problem.contains(m_path));
    }

    void closingTheWindowWritesWhatWasQueued()
    {
        {
            Workspace workspace;
            QVERIFY(workspace.open(m_path));
            for (int i = 0; i < 20; ++i)
                workspace.write(
                    [](store::Database& database) { database.sqlite().exec("UPDATE kernel SET title = title || '+'"); }, this,
                    [](const QString&) {});
        }
        const auto database = store::Database::open(toFilesystemPath(m_path), store::OpenMode::ReadOnly);
        QCOMPARE(QString::fromStdString(database->sqlite().execAndGet("SELECT title FROM kernel WHERE id = 1").getString()),
                 u"kernel 1"_s + QString(20, u'+'));
    }

    void onlyTheNewestRequestIsDelivered()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        QueryChannel channel(workspace);
        std::vector<int> delivered;
        std::atomic<bool> firstRuns = false;
        channel.start<int>(
            [&firstRuns](store::Database& database, std::stop_token) {
                firstRuns = true;
                // Ends by interruption only.
                return database.sqlite()
                    .execAndGet("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
                    .getInt();
            },
            [&](int value) { delivered.push_back(value); });
        QTRY_VERIFY(firstRuns);
        for (int i = 1; i <= 3; ++i)
            channel.start<int>([i](store::Database&, std::stop_token) { return i; },
                               [&](int value) { delivered.push_back(value); });
        QVERIFY(channel.isRunning());
        QTRY_VERIFY(!channel.isRunning());
        QCOMPARE(delivered, std::vector<int>{3});
        QVERIFY(!workspace.isBusy());
    }

    void whatCanWaitIsPutOffWhileSomethingUrgentRunsAndBeginsAgain()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        QueryChannel patient(workspace);
        QueryChannel urgent(workspace);
        std::atomic<int> begun = 0;
        std::atomic<bool> released = false;
        std::vector<int> delivered;
        patient.start<int>(
            [&begun](store::Database& database, std::stop_token) {
                // The first time it ends by interruption only.
                return ++begun > 1 ? 2
                                   : database.sqlite()
                                         .execAndGet("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                                                     "SELECT count(*) FROM n")
                                         .getInt();
            },
            [&](int value) { delivered.push_back(value); }, QueryChannel::Urgency::Later);
        QTRY_COMPARE(begun.load(), 1);
        urgent.start<int>(
            [&released](store::Database&, std::stop_token) {
                while (!released)
                    std::this_thread::yield();
                return 1;
            },
            [&](int value) { delivered.push_back(value); }, QueryChannel::Urgency::First);
        QVERIFY(patient.isRunning());
        QCoreApplication::processEvents();
        QCOMPARE(begun.load(), 1);
        released = true;
        QTRY_VERIFY(!workspace.isBusy());
        QCOMPARE(delivered, (std::vector<int>{1, 2}));
        QCOMPARE(begun.load(), 2);
    }

    void whatIsAskedWhileSomethingUrgentRunsWaitsAndIsDroppedByACancel()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        QueryChannel kept(workspace);
        QueryChannel dropped(workspace);
        QueryChannel urgent(workspace);
        std::atomic<bool> released = false;
        std::vector<int> delivered;
        urgent.start<int>(
            [&released](store::Database&, std::stop_token) {
                while (!released)
                    std::this_thread::yield();
                return 1;
            },
            [&](int value) { delivered.push_back(value); }, QueryChannel::Urgency::First);
        kept.start<int>([](store::Database&, std::stop_token) { return 2; }, [&](int value) { delivered.push_back(value); },
                        QueryChannel::Urgency::Later);
        dropped.start<int>([](store::Database&, std::stop_token) { return 3; }, [&](int value) { delivered.push_back(value); },
                           QueryChannel::Urgency::Later);
        QVERIFY(kept.isRunning() && dropped.isRunning());
        dropped.cancel();
        released = true;
        QTRY_VERIFY(!workspace.isBusy());
        QCOMPARE(delivered, (std::vector<int>{1, 2}));
    }

    void aCancelledRequestIsSilentAndTheChannelGoesOn()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        QueryChannel channel(workspace);
        QSignalSpy failed(&channel, &QueryChannel::failed);
        int delivered = 0;
        channel.start<int>(
            [](store::Database& database, std::stop_token) {
                return database.sqlite()
                    .execAndGet("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
                    .getInt();
            },
            [&](int) { delivered = -1; });
        channel.cancel();
        QVERIFY(!channel.isRunning());
        QVERIFY(!workspace.isBusy());
        channel.start<int>([](store::Database&, std::stop_token) { return 7; }, [&](int value) { delivered = value; });
        QTRY_COMPARE(delivered, 7);
        QCOMPARE(failed.size(), 0);
    }

    void aFailureArrivesAsOneLineAndEndsTheWait()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        QueryChannel channel(workspace);
        QSignalSpy failed(&channel, &QueryChannel::failed);
        channel.start<int>([](store::Database& database, std::stop_token) { return database.sqlite().exec("SELECT nonsense"); },
                           [](int) { QFAIL("no result is due"); });
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(!failed[0][0].toString().contains(u'\n'));
        QTRY_VERIFY(!channel.isRunning());
    }

    void nothingIsDeliveredAfterTheChannelIsGone()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        bool delivered = false;
        std::atomic<bool> finished = false;
        {
            QueryChannel channel(workspace);
            channel.start<int>(
                [&finished](store::Database&, std::stop_token) {
                    finished = true;
                    return 1;
                },
                [&](int) { delivered = true; });
            while (!finished)
                std::this_thread::yield();
        }
        QCoreApplication::processEvents();
        QVERIFY(!delivered);
        QVERIFY(!workspace.isBusy());
    }

    void aConsumerMayDestroyTheChannelInItsCallback()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        auto* channel = new QueryChannel(workspace);
        QPointer<QueryChannel> watch(channel);
        channel->start<int>([](store::Database&, std::stop_token) { return 1; }, [channel](int) { delete channel; });
        QTRY_VERIFY(watch.isNull());
        QVERIFY(!workspace.isBusy());
    }

    void resultsOfAClosedDatabaseAreDropped()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        QueryChannel channel(workspace);
        bool delivered = false;
        std::atomic<bool> finished = false;
        channel.start<int>(
            [&finished](store::Database&, std::stop_token) {
                finished = true;
                return 1;
            },
            [&](int) { delivered = true; });
        while (!finished)
            std::this_thread::yield();
        const QString other = m_folder.filePath(u"other.db"_s);
        QFile::remove(other);
        tests::makeSmallAudit(toFilesystemPath(other), 2);
        QVERIFY(workspace.open(other));
        QTRY_VERIFY(!channel.isRunning());
        QVERIFY(!delivered);
    }

    void busyEndsAfterTheConsumerHasItsData()
    {
        Workspace workspace;
        QVERIFY(workspace.open(m_path));
        QueryChannel channel(workspace);
        bool hasData = false;
        bool hadDataWhenIdle = false;
        connect(&workspace, &Workspace::busyChanged, this, [&](bool busy) {
            if (!busy)
                hadDataWhenIdle = hasData;
        });
        channel.start<int>([](store::Database&, std::stop_token) { return 1; }, [&](int) { hasData = true; });
        QTRY_VERIFY(hasData);
        QTRY_VERIFY(!workspace.isBusy());
        QVERIFY(hadDataWhenIdle);
    }
};

QTEST_MAIN(WorkspaceTest)
#include "tst_workspace.moc"
