// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/kernel_details.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QListView;
class QPlainTextEdit;
class QPushButton;

namespace assay::views {

class EvidenceEdits;
class NoteModel;
class Theme;
class WaiverModel;

/// Notes and waivers of one kernel. A note that was begun is kept when the kernel changes, never lost.
class NotesView final : public QWidget {
    Q_OBJECT
public:
    NotesView(const Theme& theme, EvidenceEdits& edits, QWidget* parent = nullptr);
    ~NotesView() override;

    void setDetails(const store::KernelDetails& details);
    /// The gate a new waiver is offered for.
    void setGate(std::optional<contract::Gate> gate);
    /// Writes a begun note to the kernel it was begun on.
    void saveDraft();
    void beginNote();
    void beginWaiver();

    NoteModel& notes() { return *m_notes; }
    WaiverModel& waivers() { return *m_waivers; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeNotes();
    QWidget* makeWaivers();
    void addWaiver();
    void deleteNote();
    void withdrawWaiver();
    void updateButtons();
    void restyle();

    const Theme& m_theme;
    EvidenceEdits& m_edits;
    std::int64_t m_kernelId = 0;
    std::optional<contract::Gate> m_gate;
    NoteModel* m_notes = nullptr;
    WaiverModel* m_waivers = nullptr;
    QListView* m_noteList = nullptr;
    QPlainTextEdit* m_draft = nullptr;
    QPushButton* m_addNote = nullptr;
    QPushButton* m_deleteNote = nullptr;
    QLabel* m_noNotes = nullptr;
    QListView* m_waiverList = nullptr;
    QComboBox* m_waiverFor = nullptr;
    QLineEdit* m_waiverReason = nullptr;
    QPushButton* m_addWaiver = nullptr;
    QPushButton* m_withdraw = nullptr;
    QLabel* m_noWaivers = nullptr;
};

} // namespace assay::views
