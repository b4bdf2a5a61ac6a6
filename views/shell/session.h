// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/judge/judge_settings.h"
#include "views/launch/launch_settings.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <optional>

namespace assay::views {

/// What the next start brings back. A change of meaning raises kVersion; other versions are ignored, not guessed at.
struct Session {
    static constexpr int kVersion = 1;

    QByteArray geometry;                      ///< QWidget::saveGeometry()
    QString theme = QStringLiteral("system"); ///< "light", "dark", "system"
    bool dense = true;
    QString database;
    QString audit; ///< corpus/audit, see scopeName()
    QString page;
    qint64 kernelId = 0;
    QString filter;
    QString sort;           ///< store::toText(TriageSort)
    QByteArray triageState; ///< TriagePage::saveState()
    QByteArray splitter;
    QStringList recent; ///< databases, newest first
    JudgeSettings judge;
    LaunchSettings launch;
    bool operator==(const Session&) const = default;
};

/// Where sessions live unless the caller says otherwise.
QString defaultSessionPath();

/// Writes all or nothing: a crash half-way leaves the last session. @return "" or the failure's one line
QString saveSession(const QString& path, const Session& session);

/// @return nothing where there is none, or where it is damaged or of another version; then @p problem says so ("" for none)
std::optional<Session> loadSession(const QString& path, QString* problem = nullptr);

/// @p database first, without doubles, at most ten.
QStringList withRecent(QStringList recent, const QString& database);

} // namespace assay::views
