// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/kernel_details.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

class QAction;

namespace assay::views {

struct Context;

/// Who writes notes and waivers: the name of the system's user.
QString systemUser();

/// What a person adds to a kernel, written at once on the writer thread, with undo and redo.
class EvidenceEdits final : public QObject {
    Q_OBJECT
public:
    explicit EvidenceEdits(Context& context, QObject* parent = nullptr);

    void addNote(std::int64_t kernelId, const QString& body);
    void removeNote(std::int64_t kernelId, const store::NoteRow& note);
    /// @param gate  "" for the whole kernel
    void addWaiver(std::int64_t kernelId, const QString& gate, const QString& reason);
    void withdrawWaiver(std::int64_t waiverId);
    void setBookmark(std::int64_t kernelId, bool on);

    QAction* undoAction() const { return m_undo; }
    QAction* redoAction() const { return m_redo; }

Q_SIGNALS:
    /// The database holds the change.
    void changed();

private:
    using Work = std::function<void(store::Database&)>;
    struct Step { // one change and its inverse
        QString name;
        Work apply;
        Work revert;
    };
    static Work puttingBack(std::int64_t kernelId, const std::shared_ptr<store::NoteRow>& note);
    static Work takingAway(const std::shared_ptr<store::NoteRow>& note);
    /// @param offerUndo  what the message bar says beside its Undo button; "" for no message
    void perform(Step step, const QString& offerUndo = {});
    void undo();
    void redo();
    void write(const Work& work, std::function<void()> done);
    void updateActions();

    Context& m_context;
    std::vector<Step> m_steps;
    std::size_t m_position = 0; ///< steps before it are applied
    QAction* m_undo = nullptr;
    QAction* m_redo = nullptr;
};

} // namespace assay::views
