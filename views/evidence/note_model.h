// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/kernel_details.h"

#include <QAbstractListModel>

#include <vector>

namespace assay::views {

/// The notes on one kernel, oldest first.
class NoteModel final : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { BodyRole = Qt::UserRole, AuthorRole, TimeRole };

    explicit NoteModel(QObject* parent = nullptr);

    void setNotes(std::vector<store::NoteRow> notes);
    const store::NoteRow* note(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<store::NoteRow> m_notes;
};

/// The waivers on one kernel, those that hold first.
class WaiverModel final : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { HoldsRole = Qt::UserRole };

    explicit WaiverModel(QObject* parent = nullptr);

    void setWaivers(std::vector<store::WaiverRow> waivers);
    const store::WaiverRow* waiver(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<store::WaiverRow> m_waivers;
};

/// "2026-11-29 22:15" from the database's UTC time stamp; unreadable ones come back as they are.
QString shortTime(const std::string& timestamp);

} // namespace assay::views
