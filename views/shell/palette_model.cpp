// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/palette_model.h"

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kWordStart = 100;
constexpr int kInside = 40;
constexpr int kScattered = 10;

bool isSubsequence(const QString& letters, const QString& text)
{
    qsizetype at = 0;
    for (const QChar letter : letters) {
        at = text.indexOf(letter, at, Qt::CaseInsensitive);
        if (at < 0)
            return false;
        ++at;
    }
    return true;
}

int wordScore(const QString& word, const QString& title)
{
    for (qsizetype at = title.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
         at = title.indexOf(word, at + 1, Qt::CaseInsensitive)) {
        if (at == 0 || !title[at - 1].isLetterOrNumber())
            return at == 0 ? kWordStart + 1 : kWordStart;
    }
    if (title.contains(word, Qt::CaseInsensitive))
        return kInside;
    return word.size() > 1 && isSubsequence(word, title) ? kScattered : 0;
}

} // namespace

int paletteScore(const QString& query, const QString& title)
{
    int total = 1; // an empty query fits everything equally
    for (const QString& word : query.split(u' ', Qt::SkipEmptyParts)) {
        const int score = wordScore(word, title);
        if (score == 0)
            return 0;
        total += score;
    }
    return total;
}

void PaletteModel::setEntries(std::vector<PaletteEntry> entries)
{
    m_entries = std::move(entries);
    rank();
}

void PaletteModel::addEntries(std::vector<PaletteEntry> entries)
{
    std::ranges::move(entries, std::back_inserter(m_entries));
    rank();
}

void PaletteModel::setQuery(const QString& query)
{
    m_query = query.trimmed();
    rank();
}

std::function<void()> PaletteModel::command(const QModelIndex& index) const
{
    return index.isValid() ? m_entries[m_shown[static_cast<std::size_t>(index.row())]].run : nullptr;
}

int PaletteModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const PaletteEntry& entry = m_entries[m_shown[static_cast<std::size_t>(index.row())]];
    switch (role) {
    case Qt::DisplayRole:
        return entry.title;
    case Qt::AccessibleTextRole:
        return entry.keys.isEmpty() ? u"%1, %2"_s.arg(entry.title, entry.section)
                                    : u"%1, %2, %3"_s.arg(entry.title, entry.section, entry.keys);
    case SectionRole:
        return entry.section;
    case KeysRole:
        return entry.keys;
    default:
        return {};
    }
}

void PaletteModel::rank()
{
    beginResetModel();
    std::vector<std::pair<int, std::size_t>> scored;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const PaletteEntry& entry = m_entries[i];
        const int own = paletteScore(m_query, entry.title);
        // The section's words count too ("view hard"), but less than a fitting title.
        const int withSection = own > 0 ? 0 : paletteScore(m_query, entry.title + u' ' + entry.section) / 2;
        if (own + withSection > 0)
            scored.emplace_back(own + withSection, i);
    }
    std::ranges::stable_sort(scored, std::greater{}, &std::pair<int, std::size_t>::first);
    m_shown.clear();
    for (const auto& [score, position] : scored)
        m_shown.push_back(position);
    endResetModel();
}

} // namespace assay::views
