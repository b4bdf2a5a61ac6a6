// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/json.h"

#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QtTest>

namespace assay::tests {

/// What the real program said and how it ended.
struct Run {
    int exitCode = -1;
    QByteArray out;
    QByteArray err;

    /// The one object on standard output; fails the test where it is none.
    json::Document object() const
    {
        json::Document document;
        if (json::parse({out.constData(), static_cast<std::size_t>(out.size())}, document) || !document.IsObject())
            qFatal("not one JSON object: %s / %s", out.constData(), err.constData());
        return document;
    }
};

/// Runs build/bin/assay in a folder of its own.
class CommandLine {
public:
    explicit CommandLine(const QString& folder = QStringLiteral("work"))
    {
        QDir(m_dir.path()).mkdir(folder);
        m_folder = m_dir.filePath(folder);
    }

    QString path(const QString& name) const { return m_folder + QLatin1Char('/') + name; }

    void write(const QString& name, const QByteArray& content) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
    }

    QByteArray read(const QString& name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
    }

    QStringList files() const { return QDir(m_folder).entryList(QDir::Files | QDir::Hidden); }

    void emptyEnvironment() { m_environment = QProcessEnvironment(); }
    void setEnvironment(const QString& name, const QString& value) { m_environment.insert(name, value); }

    Run operator()(const QStringList& arguments) const
    {
        QProcess process;
        start(process, arguments);
        if (!process.waitForFinished(120000))
            qFatal("assay did not end");
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
                process.readAllStandardError()};
    }

    void start(QProcess& process, const QStringList& arguments) const
    {
        process.setWorkingDirectory(m_folder);
        process.setProcessEnvironment(m_environment);
        process.start(QStringLiteral(ASSAY_CLI), arguments);
        if (!process.waitForStarted())
            qFatal("cannot start %s", ASSAY_CLI);
    }

private:
    QTemporaryDir m_dir;
    QString m_folder;
    QProcessEnvironment m_environment = QProcessEnvironment::systemEnvironment();
};

} // namespace assay::tests
