// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/session.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QStandardPaths>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kRecent = 10;

QString say(const char* text)
{
    return QCoreApplication::translate("Session", text);
}

QString base64(const QByteArray& bytes)
{
    return QString::fromLatin1(bytes.toBase64());
}

QByteArray bytes(const QJsonValue& value)
{
    return QByteArray::fromBase64(value.toString().toLatin1());
}
} // namespace

QString defaultSessionPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) + u"/session.json"_s;
}

QString saveSession(const QString& path, const Session& session)
{
    const QJsonObject object{
        {u"version"_s, Session::kVersion},
        {u"geometry"_s, base64(session.geometry)},
        {u"theme"_s, session.theme},
        {u"dense"_s, session.dense},
        {u"database"_s, session.database},
        {u"audit"_s, session.audit},
        {u"page"_s, session.page},
        {u"kernelId"_s, session.kernelId},
        {u"filter"_s, session.filter},
        {u"sort"_s, session.sort},
        {u"triage"_s, base64(session.triageState)},
        {u"splitter"_s, base64(session.splitter)},
        {u"recent"_s, QJsonArray::fromStringList(session.recent)},
        {u"judge"_s, toJson(session.judge)},
        {u"launch"_s, toJson(session.launch)},
    };
    if (!QDir().mkpath(QFileInfo(path).path()))
        return say("The session cannot be saved: the folder %1 cannot be made.").arg(QFileInfo(path).path());
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(object).toJson()) < 0 || !file.commit())
        return say("The session cannot be saved: %1: %2.").arg(path, file.errorString());
    return {};
}

std::optional<Session> loadSession(const QString& path, QString* problem)
{
    const auto refuse = [problem](const QString& why) {
        if (problem)
            *problem = why;
        return std::nullopt;
    };
    QFile file(path);
    if (!file.exists())
        return refuse({});
    if (!file.open(QIODevice::ReadOnly))
        return refuse(say("The last session cannot be read: %1: %2.").arg(path, file.errorString()));
    const QJsonObject object = QJsonDocument::fromJson(file.readAll()).object();
    if (object.isEmpty())
        return refuse(say("The last session is damaged and was left alone: %1. The window starts afresh.").arg(path));
    if (object[u"version"_s].toInt() != Session::kVersion)
        return refuse(say("The last session is of another version and was left alone: %1. The window starts afresh.").arg(path));
    Session session;
    session.geometry = bytes(object[u"geometry"_s]);
    session.theme = object[u"theme"_s].toString(session.theme);
    session.dense = object[u"dense"_s].toBool(true);
    session.database = object[u"database"_s].toString();
    session.audit = object[u"audit"_s].toString();
    session.page = object[u"page"_s].toString();
    session.kernelId = object[u"kernelId"_s].toInteger();
    session.filter = object[u"filter"_s].toString();
    session.sort = object[u"sort"_s].toString();
    session.triageState = bytes(object[u"triage"_s]);
    session.splitter = bytes(object[u"splitter"_s]);
    for (const QJsonValue& recent : object[u"recent"_s].toArray())
        session.recent << recent.toString();
    session.judge = judgeSettingsFrom(object[u"judge"_s].toObject());
    session.launch = launchSettingsFrom(object[u"launch"_s].toObject());
    return session;
}

QStringList withRecent(QStringList recent, const QString& database)
{
    recent.removeAll(database);
    recent.prepend(database);
    return recent.mid(0, kRecent);
}

} // namespace assay::views
