// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/notes_view.h"

#include "views/evidence/evidence_edits.h"
#include "views/evidence/measure_text.h"
#include "views/evidence/note_model.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

QListView* makeList(QAbstractItemModel& model, const QString& name, QWidget* parent)
{
    auto* list = new QListView(parent);
    list->setModel(&model);
    list->setAccessibleName(name);
    list->setWordWrap(true);
    list->setFrameShape(QFrame::NoFrame);
    list->setSpacing(2);
    list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    return list;
}

/// As tall as its rows, up to a third of a pane; then it scrolls.
void fitList(QListView& list)
{
    constexpr int kTallest = 260;
    int height = 2 * list.spacing() + 4;
    for (int row = 0; row < list.model()->rowCount() && height < kTallest; ++row)
        height += list.sizeHintForRow(row) + 2 * list.spacing();
    list.setFixedHeight(std::min(height, kTallest));
}

QPushButton* makeButton(const QString& text, const QString& name, QWidget* parent)
{
    auto* button = new QPushButton(text, parent);
    button->setObjectName(name);
    return button;
}

} // namespace

NotesView::NotesView(const Theme& theme, EvidenceEdits& edits, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_edits(edits)
    , m_notes(new NoteModel(this))
    , m_waivers(new WaiverModel(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 8);
    layout->setSpacing(12);
    layout->addWidget(makeNotes());
    layout->addWidget(makeWaivers());
    layout->addStretch(1);
    connect(&theme, &Theme::changed, this, &NotesView::restyle);
    updateButtons();
    restyle();
}

NotesView::~NotesView() = default;

QWidget* NotesView::makeNotes()
{
    auto* box = new QWidget(this);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    m_noNotes = new QLabel(tr("No notes on this kernel."), box);
    m_noteList = makeList(*m_notes, tr("Notes"), box);
    m_noteList->setObjectName(u"noteList"_s);
    m_draft = new QPlainTextEdit(box);
    m_draft->setObjectName(u"noteDraft"_s);
    m_draft->setPlaceholderText(tr("Write a note. Ctrl+Enter saves it; moving on saves it too."));
    m_draft->setAccessibleName(tr("New note"));
    m_draft->setTabChangesFocus(true);
    m_draft->setFixedHeight(72);
    m_draft->installEventFilter(this);
    auto* buttons = new QHBoxLayout;
    m_addNote = makeButton(tr("Add note"), u"addNote"_s, box);
    m_deleteNote = makeButton(tr("Delete note"), u"deleteNote"_s, box);
    buttons->addWidget(m_addNote);
    buttons->addWidget(m_deleteNote);
    buttons->addStretch(1);
    layout->addWidget(m_noNotes);
    layout->addWidget(m_noteList);
    layout->addWidget(m_draft);
    layout->addLayout(buttons);
    connect(m_addNote, &QPushButton::clicked, this, &NotesView::saveDraft);
    connect(m_deleteNote, &QPushButton::clicked, this, &NotesView::deleteNote);
    connect(m_draft, &QPlainTextEdit::textChanged, this, &NotesView::updateButtons);
    connect(m_noteList->selectionModel(), &QItemSelectionModel::selectionChanged, this, &NotesView::updateButtons);
    auto* remove = new QAction(m_noteList);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    connect(remove, &QAction::triggered, this, &NotesView::deleteNote);
    m_noteList->addAction(remove);
    return box;
}

QWidget* NotesView::makeWaivers()
{
    auto* box = new QWidget(this);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    m_noWaivers = new QLabel(tr("Nothing is waived. A waiver keeps the verdict and says why it is accepted."), box);
    m_noWaivers->setWordWrap(true);
    m_waiverList = makeList(*m_waivers, tr("Waivers"), box);
    m_waiverList->setObjectName(u"waiverList"_s);
    m_waiverFor = new QComboBox(box);
    m_waiverFor->setAccessibleName(tr("What is waived"));
    m_waiverFor->setObjectName(u"waiverFor"_s);
    m_waiverReason = new QLineEdit(box);
    m_waiverReason->setObjectName(u"waiverReason"_s);
    m_waiverReason->setPlaceholderText(tr("Reason, for the next reader"));
    m_waiverReason->setAccessibleName(tr("Reason of the waiver"));
    m_addWaiver = makeButton(tr("Waive"), u"addWaiver"_s, box);
    m_withdraw = makeButton(tr("Withdraw"), u"withdrawWaiver"_s, box);
    auto* row = new QHBoxLayout;
    row->addWidget(m_waiverFor);
    row->addWidget(m_waiverReason, 1);
    row->addWidget(m_addWaiver);
    row->addWidget(m_withdraw);
    layout->addWidget(m_noWaivers);
    layout->addWidget(m_waiverList);
    layout->addLayout(row);
    connect(m_addWaiver, &QPushButton::clicked, this, &NotesView::addWaiver);
    connect(m_waiverReason, &QLineEdit::returnPressed, this, &NotesView::addWaiver);
    connect(m_waiverReason, &QLineEdit::textChanged, this, &NotesView::updateButtons);
    connect(m_withdraw, &QPushButton::clicked, this, &NotesView::withdrawWaiver);
    connect(m_waiverList->selectionModel(), &QItemSelectionModel::selectionChanged, this, &NotesView::updateButtons);
    return box;
}

void NotesView::setDetails(const store::KernelDetails& details)
{
    if (details.kernelId != m_kernelId)
        saveDraft();
    m_kernelId = details.kernelId;
    m_notes->setNotes(details.notes);
    m_waivers->setWaivers(details.waivers);
    setGate(m_gate);
    updateButtons();
    fitList(*m_noteList);
    fitList(*m_waiverList);
}

void NotesView::setGate(std::optional<contract::Gate> gate)
{
    m_gate = gate;
    m_waiverFor->clear();
    if (gate)
        m_waiverFor->addItem(measure_text::gateId(*gate), measure_text::gateId(*gate));
    m_waiverFor->addItem(tr("whole kernel"), QString());
}

void NotesView::saveDraft()
{
    const QString body = m_draft->toPlainText().trimmed();
    if (body.isEmpty() || m_kernelId == 0)
        return;
    m_edits.addNote(m_kernelId, body);
    m_draft->clear();
}

void NotesView::beginNote()
{
    m_draft->setFocus(Qt::ShortcutFocusReason);
}

void NotesView::beginWaiver()
{
    m_waiverReason->setFocus(Qt::ShortcutFocusReason);
}

void NotesView::addWaiver()
{
    if (m_waiverReason->text().trimmed().isEmpty() || m_kernelId == 0)
        return;
    m_edits.addWaiver(m_kernelId, m_waiverFor->currentData().toString(), m_waiverReason->text());
    m_waiverReason->clear();
}

void NotesView::deleteNote()
{
    if (const store::NoteRow* note = m_notes->note(m_noteList->currentIndex().row()))
        m_edits.removeNote(m_kernelId, *note);
}

void NotesView::withdrawWaiver()
{
    const store::WaiverRow* waiver = m_waivers->waiver(m_waiverList->currentIndex().row());
    if (waiver && waiver->withdrawnAt.empty())
        m_edits.withdrawWaiver(waiver->id);
}

void NotesView::updateButtons()
{
    m_addNote->setEnabled(!m_draft->toPlainText().trimmed().isEmpty());
    m_deleteNote->setEnabled(m_noteList->currentIndex().isValid());
    m_addWaiver->setEnabled(!m_waiverReason->text().trimmed().isEmpty());
    const store::WaiverRow* waiver = m_waivers->waiver(m_waiverList->currentIndex().row());
    m_withdraw->setEnabled(waiver && waiver->withdrawnAt.empty());
    m_noNotes->setVisible(m_notes->rowCount() == 0);
    m_noteList->setVisible(m_notes->rowCount() > 0);
    m_noWaivers->setVisible(m_waivers->rowCount() == 0);
    m_waiverList->setVisible(m_waivers->rowCount() > 0);
}

bool NotesView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_draft && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (enter && key->modifiers() & Qt::ControlModifier) {
            saveDraft();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void NotesView::restyle()
{
    QPalette muted = palette();
    muted.setColor(QPalette::WindowText, m_theme.mutedInk());
    m_noNotes->setPalette(muted);
    m_noWaivers->setPalette(muted);
}

} // namespace assay::views
