// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>

#include <functional>
#include <vector>

namespace assay::views {

/// One thing the command palette can do.
struct PaletteEntry {
    QString title;
    QString section; ///< where it belongs: "Window", "Kernels", "Saved view"
    QString keys;    ///< its shortcut, "" for none
    std::function<void()> run;
};

/// How well @p query fits @p title: 0 not at all; whole words' beginnings beat parts of words beat scattered letters.
int paletteScore(const QString& query, const QString& title);

/// The entries that fit the typed words, best first.
class PaletteModel final : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { SectionRole = Qt::UserRole, KeysRole };

    using QAbstractListModel::QAbstractListModel;

    void setEntries(std::vector<PaletteEntry> entries);
    void addEntries(std::vector<PaletteEntry> entries);
    void setQuery(const QString& query);
    /// Carried out only by the caller: the palette closes first, so that the action finds the keyboard where it belongs.
    std::function<void()> command(const QModelIndex& index) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    void rank();
    std::vector<PaletteEntry> m_entries;
    std::vector<std::size_t> m_shown; ///< positions in m_entries
    QString m_query;
};

} // namespace assay::views
