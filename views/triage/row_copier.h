// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/triage/kernel_table_model.h"
#include "views/triage/kernel_table_view.h"
#include "views/triage/row_text.h"

#include <QObject>

#include <map>
#include <memory>
#include <vector>

namespace assay::views {

class Jobs;
class Messages;
class Workspace;

/// Which rows of a list to write, and how.
struct RowRequest {
    KernelIds ids;
    std::vector<RowRange> ranges;
    std::vector<store::TriageColumn> columns;
    RowFormat format = RowFormat::Tsv;
    bool withHeader = false;

    std::int64_t rows() const;
};

/// Puts rows on the clipboard or into a file. Rows are read off the GUI thread, page by page, as a job that can be cancelled;
/// what is too large for the clipboard is offered as a file.
class RowCopier final : public QObject {
    Q_OBJECT
public:
    /// Text above this many bytes is not put on the clipboard: other programs take it whole, and some hang on it.
    static constexpr qint64 kClipboardLimit = qint64{64} * 1024 * 1024;

    RowCopier(Workspace& workspace, Jobs& jobs, Messages& messages, QObject* parent = nullptr);

    void setClipboardLimit(qint64 bytes);

    void copy(const RowRequest& request);

    /// Copies @p rows at once: for a handful of rows that are in memory.
    void copyNow(const std::vector<store::TriageRow>& rows, const RowRequest& request);

    /// Writes the rows to @p path, whole or not at all.
    void save(const RowRequest& request, const QString& path);

Q_SIGNALS:
    void copied(std::int64_t rows);
    /// The text would pass the limit and a person wants it in a file instead.
    void saveWanted(const assay::views::RowRequest& request);
    void saved(const QString& path);

private:
    struct Copy {
        RowRequest request;
        QByteArray text;
        bool tooLarge = false;
    };
    void finishCopy(const Copy& copy);
    void toClipboard(const QByteArray& text, std::int64_t rows);

    Workspace& m_workspace;
    Jobs& m_jobs;
    Messages& m_messages;
    qint64 m_clipboardLimit = kClipboardLimit;
    std::map<int, std::shared_ptr<Copy>> m_copies; ///< by job
    std::map<int, QString> m_saves;                ///< path by job
};

} // namespace assay::views
