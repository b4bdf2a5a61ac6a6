// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/row_copier.h"

#include "core/text/error.h"
#include "views/state/jobs.h"
#include "views/state/messages.h"
#include "views/state/workspace.h"
#include "views/triage/triage_words.h"

#include <QClipboard>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QMimeData>
#include <QSaveFile>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr std::int64_t kRowsAChunk = 1000;
constexpr qint64 kMillisecondsBetweenReports = 100;

/// Reads the requested rows in order and hands their text on, chunk by chunk, until @p take says that it has enough.
void streamRows(Workspace& workspace, std::int64_t scopeId, const RowRequest& request, const std::stop_token& stop,
                const Jobs::Progress& progress, const std::function<bool(const std::string&)>& take)
{
    const std::shared_ptr<store::Database> database = workspace.borrow();
    const store::InterruptOnStop interrupt(*database, stop);
    const RowText text(request.format, request.columns);
    const std::int64_t total = request.rows();
    std::int64_t done = 0;
    std::string chunk;
    if (request.withHeader)
        text.appendHeader(chunk);
    QElapsedTimer sinceReport;
    sinceReport.start();
    for (const RowRange& range : request.ranges) {
        for (std::int64_t first = range.first; first <= range.second; first += kRowsAChunk) {
            if (stop.stop_requested())
                throw Cancelled();
            const std::int64_t count = std::min<std::int64_t>(kRowsAChunk, range.second - first + 1);
            const std::span<const std::int64_t> ids(request.ids->data() + first, static_cast<std::size_t>(count));
            for (const store::TriageRow& row : store::triageRows(*database, scopeId, ids))
                text.appendRow(chunk, row);
            if (!take(chunk))
                return;
            chunk.clear();
            done += count;
            if (sinceReport.elapsed() >= kMillisecondsBetweenReports) {
                progress(done, total, words::countText(done) + u" rows"_s);
                sinceReport.restart();
            }
        }
    }
    if (!chunk.empty())
        take(chunk);
}

[[noreturn]] void throwFileError(const QSaveFile& file)
{
    throw Error("cannot write the rows: " + file.errorString().toStdString(), file.fileName().toStdString(),
                "Choose another folder or make room; the file that was there is unchanged.");
}

} // namespace

std::int64_t RowRequest::rows() const
{
    std::int64_t rows = 0;
    for (const RowRange& range : ranges)
        rows += range.second - range.first + 1;
    return rows;
}

RowCopier::RowCopier(Workspace& workspace, Jobs& jobs, Messages& messages, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_jobs(jobs)
    , m_messages(messages)
{
    const auto forget = [this](int job) {
        m_copies.erase(job);
        m_saves.erase(job);
    };
    connect(&jobs, &Jobs::finished, this, [this](int job) {
        if (const auto copy = m_copies.extract(job))
            finishCopy(*copy.mapped());
        if (const auto save = m_saves.extract(job))
            Q_EMIT saved(save.mapped());
    });
    connect(&jobs, &Jobs::failed, this, forget);
    connect(&jobs, &Jobs::cancelled, this, forget);
}

void RowCopier::setClipboardLimit(qint64 bytes)
{
    m_clipboardLimit = bytes;
}

void RowCopier::copy(const RowRequest& request)
{
    const auto copy = std::make_shared<Copy>();
    copy->request = request;
    const int job = m_jobs.start(tr("Copy %1 rows").arg(words::countText(request.rows())),
                                 [&workspace = m_workspace, scopeId = m_workspace.scopeId(), copy,
                                  limit = m_clipboardLimit](std::stop_token stop, const Jobs::Progress& progress) {
                                     streamRows(workspace, scopeId, copy->request, stop, progress, [&](const std::string& chunk) {
                                         copy->tooLarge = copy->text.size() + static_cast<qint64>(chunk.size()) > limit;
                                         if (!copy->tooLarge)
                                             copy->text.append(chunk.data(), static_cast<qsizetype>(chunk.size()));
                                         return !copy->tooLarge;
                                     });
                                     return copy->tooLarge ? tr("Nothing was copied: the rows are too large for the clipboard")
                                                           : tr("Copied %1 rows").arg(words::countText(copy->request.rows()));
                                 });
    m_copies[job] = copy;
}

void RowCopier::copyNow(const std::vector<store::TriageRow>& rows, const RowRequest& request)
{
    const RowText text(request.format, request.columns);
    std::string out;
    if (request.withHeader)
        text.appendHeader(out);
    for (const store::TriageRow& row : rows)
        text.appendRow(out, row);
    toClipboard(QByteArray::fromStdString(out), static_cast<std::int64_t>(rows.size()));
}

void RowCopier::finishCopy(const Copy& copy)
{
    if (!copy.tooLarge) {
        toClipboard(copy.text, copy.request.rows());
        return;
    }
    m_messages.post(Messages::Level::Warning,
                    tr("%1 rows are more than %2 MiB of text, too much for the clipboard.")
                        .arg(words::countText(copy.request.rows()), QString::number(m_clipboardLimit / (1024 * 1024))),
                    tr("The clipboard was left as it was. A file holds the same rows, columns and order."),
                    tr("Export to a file..."), [this, request = copy.request] { Q_EMIT saveWanted(request); });
}

void RowCopier::toClipboard(const QByteArray& text, std::int64_t rows)
{
    // As UTF-8 bytes: making a QString of 64 MiB would hold up the window.
    auto* data = new QMimeData;
    data->setData(u"text/plain"_s, text);
    QGuiApplication::clipboard()->setMimeData(data);
    Q_EMIT copied(rows);
}

void RowCopier::save(const RowRequest& request, const QString& path)
{
    const int job = m_jobs.start(tr("Export %1 rows").arg(words::countText(request.rows())),
                                 [&workspace = m_workspace, scopeId = m_workspace.scopeId(), request,
                                  path](std::stop_token stop, const Jobs::Progress& progress) {
                                     QSaveFile file(path);
                                     if (!file.open(QIODevice::WriteOnly))
                                         throwFileError(file);
                                     streamRows(workspace, scopeId, request, stop, progress, [&file](const std::string& chunk) {
                                         if (file.write(chunk.data(), static_cast<qint64>(chunk.size()))
                                             != static_cast<qint64>(chunk.size()))
                                             throwFileError(file);
                                         return true;
                                     });
                                     if (!file.commit())
                                         throwFileError(file);
                                     return tr("Wrote %1 rows to %2").arg(words::countText(request.rows()), path);
                                 });
    m_saves[job] = path;
}

} // namespace assay::views
