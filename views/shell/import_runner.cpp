// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/import_runner.h"

#include "core/ingest/data_file.h"
#include "core/text/error.h"
#include "views/state/context.h"
#include "views/state/messages.h"
#include "views/state/workspace.h"
#include "views/theme/number_text.h"

#include <QDir>
#include <QFileInfo>

#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

QString rejectionList(const store::WriterTotals& totals)
{
    QStringList lines;
    for (const store::Rejection& rejection : totals.rejections) {
        QStringList where;
        if (rejection.line > 0)
            where << u"line %1"_s.arg(rejection.line);
        if (rejection.byte >= 0)
            where << u"byte %1"_s.arg(rejection.byte);
        if (!rejection.item.empty())
            where << QString::fromStdString(rejection.item);
        lines << u"%1: %2"_s.arg(where.join(u", "_s), QString::fromStdString(rejection.reason));
    }
    const auto listed = static_cast<std::int64_t>(totals.rejections.size());
    if (totals.rejected > listed)
        lines << ImportRunner::tr("... and %1 more; `assay import --json` and the database list all of them")
                     .arg(number_text::count(totals.rejected - listed));
    return lines.join(u'\n');
}

/// The calibrations that come with the program, by name.
std::vector<std::filesystem::path> bundledCalibrations()
{
    const QDir folder(QString::fromStdString(ingest::dataFile("calibration").string()));
    std::vector<std::filesystem::path> files;
    for (const QString& name : folder.entryList({u"*.jsonl.gz"_s}, QDir::Files, QDir::Name))
        files.push_back(toFilesystemPath(folder.filePath(name)));
    return files;
}

} // namespace

QString sentence(const ingest::ImportSummary& summary)
{
    return ImportRunner::tr("%1 rows of %2 (%3): %4 kept, %5 already there, %6 rejected, in %7 s")
        .arg(number_text::count(summary.totals.rows), QString::fromStdString(summary.corpus),
             QString::fromStdString(summary.format), number_text::count(summary.totals.kept),
             number_text::count(summary.totals.alreadyPresent), number_text::count(summary.totals.rejected),
             QString::number(summary.seconds, 'f', 1));
}

QString sentence(const report::LoadedCalibration& calibration)
{
    return ImportRunner::tr("calibration %1: %2 samples%3")
        .arg(QString::fromStdString(calibration.title), number_text::count(calibration.samples),
             calibration.isNew ? QString() : ImportRunner::tr(", already there"));
}

ImportRunner::ImportRunner(Context& context, QObject* parent)
    : QObject(parent)
    , m_context(context)
{
    Jobs& jobs = context.jobs;
    connect(&jobs, &Jobs::finished, this, [this](int id) {
        if (id == m_job) {
            m_job = 0;
            report(*m_result);
        }
    });
    const auto end = [this](int id, const QString& message) {
        if (id == m_job) {
            m_job = 0;
            Q_EMIT failed(message);
        }
    };
    connect(&jobs, &Jobs::failed, this, end);
    connect(&jobs, &Jobs::cancelled, this, [end](int id) { end(id, {}); });
}

bool ImportRunner::isRunning() const
{
    return m_job != 0;
}

void ImportRunner::start(const QString& path)
{
    run(QFileInfo(path).fileName(), {{{toFilesystemPath(path), {}}}, {}});
}

QString ImportRunner::startSample()
{
    const QString folder = QString::fromStdString(ingest::dataFile("corpus/sample").string());
    if (!QFileInfo(folder).isDir())
        return tr("The sample corpus is not installed: there is no folder %1. Import an audit of your own instead.").arg(folder);
    ingest::ImportOptions audit;
    audit.corpusName = "sample";
    audit.auditName = "sample on an H200";
    ingest::ImportOptions bench;
    bench.corpusName = "sample run";
    bench.corpusOrigin = "illustrative";
    bench.values["problems"] = toFilesystemPath(folder + u"/kernelbench-run/problems"_s).string();
    Work work;
    for (const auto& [name, options] : {std::pair{u"/kernels.jsonl"_s, audit}, std::pair{u"/verdicts.jsonl.gz"_s, audit},
                                        std::pair{u"/kernelbench-run"_s, bench}}) {
        if (QFileInfo::exists(folder + name))
            work.parts.push_back({toFilesystemPath(folder + name), options});
    }
    work.calibrations = bundledCalibrations();
    run(tr("sample corpus"), std::move(work));
    return {};
}

/// Runs on the job's thread.
ImportRunner::Result ImportRunner::readIn(const std::filesystem::path& file, const Work& work, const std::stop_token& stop,
                                          const Jobs::Progress& progress)
{
    const auto database = store::Database::open(file, store::OpenMode::ReadWrite);
    ingest::JobControl control{stop, [&progress](std::int64_t done, std::int64_t total, std::int64_t rows) {
                                   progress(done, total, tr("%1 rows").arg(number_text::count(rows)));
                               }};
    Result result;
    for (const Part& part : work.parts)
        result.summaries.push_back(ingest::importPath(*database, part.path, {}, part.options, control));
    for (const std::filesystem::path& calibration : work.calibrations) {
        if (stop.stop_requested())
            throw Cancelled();
        result.calibrations.push_back(report::loadCalibrationFile(*database, calibration));
    }
    return result;
}

void ImportRunner::run(const QString& name, Work work)
{
    m_result = std::make_shared<Result>();
    m_job = m_context.jobs.start(tr("Import of %1").arg(name),
                                 [file = toFilesystemPath(m_context.workspace.path()), work = std::move(work),
                                  result = m_result](std::stop_token stop, const Jobs::Progress& progress) {
                                     *result = readIn(file, work, stop, progress);
                                     return QString(); // report() says more than one sentence could
                                 });
}

void ImportRunner::report(const Result& result)
{
    QStringList sentences;
    QStringList rejected;
    for (const ingest::ImportSummary& summary : result.summaries) {
        sentences << sentence(summary);
        if (summary.totals.rejected > 0)
            rejected << rejectionList(summary.totals);
    }
    for (const report::LoadedCalibration& calibration : result.calibrations)
        sentences << sentence(calibration);
    const bool clean = rejected.isEmpty();
    m_context.messages.post(clean ? Messages::Level::Info : Messages::Level::Warning,
                            tr("Imported: %1.").arg(sentences.join(u"; "_s)), rejected.join(u'\n'));
    m_context.workspace.checkForChanges();
    if (!result.summaries.empty())
        Q_EMIT imported(QString::fromStdString(result.summaries.front().corpus));
}

} // namespace assay::views
