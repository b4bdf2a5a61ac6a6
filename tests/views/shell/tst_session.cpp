// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/session.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace assay::views;
using namespace Qt::StringLiterals;

class SessionTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;

private Q_SLOTS:
    void whatIsSavedComesBack()
    {
        const QString path = m_folder.filePath(u"deep/审计/session.json"_s);
        Session session;
        session.geometry = QByteArray("\x00\x01\xff geometry", 12);
        session.theme = u"dark"_s;
        session.dense = false;
        session.database = u"/data/审计 #1.db"_s;
        session.audit = u"demo/first"_s;
        session.page = u"kernels"_s;
        session.kernelId = Q_INT64_C(9007199254740000);
        session.filter = u"family:scan \"two words\""_s;
        session.sort = u"-error"_s;
        session.triageState = "{}";
        session.recent = {u"/a.db"_s, u"/b.db"_s};
        session.judge = {u"cuda:1"_s, u"training"_s, Q_UINT64_C(18446744073709551615), 4, u"/opt/python"_s, u"ssh gpu01"_s};
        QCOMPARE(saveSession(path, session), QString());
        const auto back = loadSession(path);
        QVERIFY(back.has_value());
        QVERIFY(*back == session);
    }

    void aDamagedSessionIsLeftAloneAndSaidSo()
    {
        const QString path = m_folder.filePath(u"damaged.json"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{ \"version\": 1, \"theme\": ");
        file.close();
        QString problem;
        QVERIFY(!loadSession(path, &problem));
        QVERIFY(problem.contains(path));
        QVERIFY(QFile::exists(path));
    }

    void anotherVersionIsNotGuessedAt()
    {
        const QString path = m_folder.filePath(u"future.json"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{ \"version\": 99, \"theme\": \"dark\" }");
        file.close();
        QString problem;
        QVERIFY(!loadSession(path, &problem));
        QVERIFY(problem.contains(u"version"_s));
    }

    void noSessionIsNoProblem()
    {
        QString problem = u"?"_s;
        QVERIFY(!loadSession(m_folder.filePath(u"absent.json"_s), &problem));
        QCOMPARE(problem, QString());
    }

    void aFolderThatCannotBeMadeIsOneLine()
    {
        const QString problem = saveSession(u"/proc/nowhere/session.json"_s, {});
        QVERIFY(problem.contains(u"/proc/nowhere"_s));
        QVERIFY(!problem.contains(u'\n'));
    }

    void recentFilesKeepTheNewestFirstWithoutDoubles()
    {
        QStringList recent;
        for (int i = 0; i < 14; ++i)
            recent = withRecent(recent, u"/%1.db"_s.arg(i));
        recent = withRecent(recent, u"/9.db"_s);
        QCOMPARE(recent.size(), 10);
        QCOMPARE(recent.first(), u"/9.db"_s);
        QCOMPARE(recent.count(u"/9.db"_s), 1);
    }
};

QTEST_MAIN(SessionTest)
#include "tst_session.moc"
