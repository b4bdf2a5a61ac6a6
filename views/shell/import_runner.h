// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ingest/import.h"
#include "core/report/calibration_file.h"
#include "views/state/jobs.h"

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
    /// Imports the bundled sample corpus, some of which is illustrative, and the calibrations that come with it. @return "" or
    /// why it cannot be done
    QString startSample();

    bool isRunning() const;

Q_SIGNALS:
    /// Everything of the last start() is in the database. The newest audit of @p corpus is what a person wants to see.
    void imported(const QString& corpus);
    /// Nothing of the last start() was kept. @p message is one line, "" after a cancel.
    void failed(const QString& message);

private:
    /// What a job reads, and what it found.
    struct Work {
        std::vector<Part> parts;
        std::vector<std::filesystem::path> calibrations;
    };
    struct Result {
        std::vector<ingest::ImportSummary> summaries;
        std::vector<report::LoadedCalibration> calibrations;
    };

    static Result readIn(const std::filesystem::path& database, const Work& work, const std::stop_token& stop,
                         const Jobs::Progress& progress);
    void run(const QString& name, Work work);
    void report(const Result& result);
    Context& m_context;
    int m_job = 0;                    ///< 0: none
    std::shared_ptr<Result> m_result; ///< written by the job, read after its end
};

/// "3,134 rows of audit_rows: 3,134 kept, 0 already there, 0 rejected, in 0.9 s".
QString sentence(const ingest::ImportSummary& summary);
/// "calibration H200: 60,639 samples".
QString sentence(const report::LoadedCalibration& calibration);

} // namespace assay::views
