// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/note_model.h"

#include "views/evidence/measure_text.h"

#include <QDateTime>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

QString shortTime(const std::string& timestamp)
{
    const QString text = measure_text::fromUtf8(timestamp);
    const QDateTime time = QDateTime::fromString(text, Qt::ISODate);
    return time.isValid() ? time.toLocalTime().toString(u"yyyy-MM-dd HH:mm"_s) : text;
}

NoteModel::NoteModel(QObject* parent)
    : QAbstractListModel(parent)
{
}

void NoteModel::setNotes(std::vector<store::NoteRow> notes)
{
    beginResetModel();
    m_notes = std::move(notes);
    endResetModel();
}

const store::NoteRow* NoteModel::note(int row) const
{
    return row >= 0 && row < int(m_notes.size()) ? &m_notes[std::size_t(row)] : nullptr;
}

int NoteModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_notes.size());
}

QVariant NoteModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const store::NoteRow& row = m_notes[std::size_t(index.row())];
    const QString body = measure_text::fromUtf8(row.body);
    const QString author = measure_text::fromUtf8(row.author);
    switch (role) {
    case Qt::DisplayRole:
        return QString(body + u"\n"_s + author + u", "_s + shortTime(row.createdAt));
    case Qt::ToolTipRole:
        return QString(author + u", "_s + measure_text::fromUtf8(row.createdAt));
    case BodyRole:
        return body;
    case AuthorRole:
        return author;
    case TimeRole:
        return measure_text::fromUtf8(row.createdAt);
    default:
        return {};
    }
}

WaiverModel::WaiverModel(QObject* parent)
    : QAbstractListModel(parent)
{
}

void WaiverModel::setWaivers(std::vector<store::WaiverRow> waivers)
{
    std::stable_partition(waivers.begin(), waivers.end(), [](const store::WaiverRow& w) { return w.withdrawnAt.empty(); });
    beginResetModel();
    m_waivers = std::move(waivers);
    endResetModel();
}

const store::WaiverRow* WaiverModel::waiver(int row) const
{
    return row >= 0 && row < int(m_waivers.size()) ? &m_waivers[std::size_t(row)] : nullptr;
}

int WaiverModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_waivers.size());
}

QVariant WaiverModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const store::WaiverRow& row = m_waivers[std::size_t(index.row())];
    if (role == HoldsRole)
        return row.withdrawnAt.empty();
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const QString what = row.gate.empty() ? tr("whole kernel") : measure_text::fromUtf8(row.gate);
    return QString(what + u": "_s + measure_text::fromUtf8(row.reason) + u"\n"_s + measure_text::fromUtf8(row.author) + u", "_s
                   + shortTime(row.createdAt)
                   + (row.withdrawnAt.empty() ? QString() : tr("; withdrawn ") + shortTime(row.withdrawnAt)));
}

} // namespace assay::views
