// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/evidence_edits.h"

#include "views/state/context.h"
#include "views/state/messages.h"
#include "views/state/workspace.h"

#include <QAction>
#include <QPointer>

#include <pwd.h>
#include <unistd.h>

#include <memory>

namespace assay::views {

using namespace Qt::StringLiterals;

QString systemUser()
{
    if (const passwd* entry = getpwuid(getuid()); entry && entry->pw_name && *entry->pw_name)
        return QString::fromLocal8Bit(entry->pw_name);
    const QString named = qEnvironmentVariable("USER");
    return named.isEmpty() ? u"uid "_s + QString::number(getuid()) : named;
}

// A note that goes and comes back keeps its words, its author and its time; only its row id changes.
EvidenceEdits::Work EvidenceEdits::puttingBack(std::int64_t kernelId, const std::shared_ptr<store::NoteRow>& note)
{
    return [=](store::Database& database) { note->id = store::restoreNote(database, kernelId, *note); };
}

EvidenceEdits::Work EvidenceEdits::takingAway(const std::shared_ptr<store::NoteRow>& note)
{
    return [=](store::Database& database) { *note = store::removeNote(database, note->id); };
}

EvidenceEdits::EvidenceEdits(Context& context, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_undo(new QAction(this))
    , m_redo(new QAction(this))
{
    m_undo->setObjectName(u"evidence.undo"_s);
    m_redo->setObjectName(u"evidence.redo"_s);
    connect(m_undo, &QAction::triggered, this, &EvidenceEdits::undo);
    connect(m_redo, &QAction::triggered, this, &EvidenceEdits::redo);
    // Row ids belong to one database.
    connect(&context.workspace, &Workspace::opened, this, [this] {
        m_steps.clear();
        m_position = 0;
        updateActions();
    });
    updateActions();
}

void EvidenceEdits::addNote(std::int64_t kernelId, const QString& body)
{
    const auto note
        = std::make_shared<store::NoteRow>(store::NoteRow{0, body.trimmed().toStdString(), systemUser().toStdString(), {}});
    perform({tr("add note"), puttingBack(kernelId, note), takingAway(note)});
}

void EvidenceEdits::removeNote(std::int64_t kernelId, const store::NoteRow& note)
{
    const auto shared = std::make_shared<store::NoteRow>(note);
    perform({tr("delete note"), takingAway(shared), puttingBack(kernelId, shared)}, tr("Note deleted."));
}

void EvidenceEdits::addWaiver(std::int64_t kernelId, const QString& gate, const QString& reason)
{
    const auto id = std::make_shared<std::int64_t>(0);
    perform({gate.isEmpty() ? tr("waive the kernel") : tr("waive %1").arg(gate),
             [=, gateId = gate.toStdString(), text = reason.trimmed().toStdString(),
              author = systemUser().toStdString()](store::Database& database) {
                 if (*id == 0)
                     *id = store::addWaiver(database, kernelId, gateId, text, author);
                 else
                     store::restoreWaiver(database, *id);
             },
             [=](store::Database& database) { store::withdrawWaiver(database, *id); }});
}

void EvidenceEdits::withdrawWaiver(std::int64_t waiverId)
{
    perform({tr("withdraw waiver"), [=](store::Database& database) { store::withdrawWaiver(database, waiverId); },
             [=](store::Database& database) { store::restoreWaiver(database, waiverId); }},
            tr("Waiver withdrawn."));
}

void EvidenceEdits::setBookmark(std::int64_t kernelId, bool on)
{
    const auto set = [kernelId, author = systemUser().toStdString()](bool value) {
        return [=](store::Database& database) { store::setBookmark(database, kernelId, value, author); };
    };
    perform({on ? tr("bookmark") : tr("remove bookmark"), set(on), set(!on)});
}

void EvidenceEdits::write(const Work& work, std::function<void()> done)
{
    if (m_context.workspace.isReadOnly()) {
        m_context.messages.post(
            Messages::Level::Warning,
            tr("This database is read-only. Notes, waivers and bookmarks need a copy in a folder you can write."));
        return;
    }
    m_context.workspace.write(work, this, [this, done = std::move(done)](const QString& problem) {
        if (!problem.isEmpty()) {
            m_context.messages.post(Messages::Level::Error, problem);
            return;
        }
        done();
        updateActions();
        Q_EMIT changed();
    });
}

void EvidenceEdits::perform(Step step, const QString& offerUndo)
{
    const Work apply = step.apply;
    write(apply, [this, offerUndo, step = std::move(step)]() mutable {
        m_steps.resize(m_position);
        m_steps.push_back(std::move(step));
        m_position = m_steps.size();
        if (offerUndo.isEmpty())
            return;
        m_context.messages.post(Messages::Level::Info, offerUndo, {}, tr("Undo"), [self = QPointer(this)] {
            if (self)
                self->undo();
        });
    });
}

void EvidenceEdits::undo()
{
    if (m_position == 0)
        return;
    const std::size_t target = m_position - 1;
    write(m_steps[target].revert, [this, target] { m_position = target; });
}

void EvidenceEdits::redo()
{
    if (m_position >= m_steps.size())
        return;
    const std::size_t target = m_position;
    write(m_steps[target].apply, [this, target] { m_position = target + 1; });
}

void EvidenceEdits::updateActions()
{
    m_undo->setEnabled(m_position > 0);
    m_undo->setText(m_position > 0 ? tr("Undo: %1").arg(m_steps[m_position - 1].name) : tr("Undo"));
    m_redo->setEnabled(m_position < m_steps.size());
    m_redo->setText(m_position < m_steps.size() ? tr("Redo: %1").arg(m_steps[m_position].name) : tr("Redo"));
}

} // namespace assay::views
