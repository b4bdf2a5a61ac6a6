// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ingest/import.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <memory>
#include <vector>

namespace assay::views {

struct Context;

/// Imports files into the open database as jobs. Importing parses and never executes.
class ImportRunner final : public QObject {
    Q_OBJECT
public:
    explicit ImportRunner(Context& context, QObject* parent = nullptr);

    /// One file or folder, and the options it goes in with.
    struct Part {
        std::filesystem::path path;
        ingest::ImportOptions options;
    };

    /// Imports @p path as it is; a database must be open for writing.
    void start(const QString& path);
    /// Imports the bundled sample corpus, which is illustrative. @return "" or why it cannot be done
    QString startSample();

    bool isRunning() const;

Q_SIGNALS:
    /// Everything of the last start() is in the database. The newest audit of @p corpus is what a person wants to see.
    void imported(const QString& corpus);
    /// Nothing of the last start() was kept. @p message is one line, "" after a cancel.
    void failed(const QString& message);

private:
    void run(const QString& name, std::vector<Part> parts);
    void report(const std::vector<ingest::ImportSummary>& summaries);
    Context& m_context;
    int m_job = 0;                                                   ///< 0: none
    std::shared_ptr<std::vector<ingest::ImportSummary>> m_summaries; ///< written by the job, read after its end
};

/// "3,134 rows of audit_rows: 3,134 kept, 0 already there, 0 rejected, in 0.9 s".
QString sentence(const ingest::ImportSummary& summary);

} // namespace assay::views
