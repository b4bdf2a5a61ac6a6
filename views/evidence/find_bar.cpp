// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/find_bar.h"

#include "views/evidence/measure_text.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include <Qsci/qsciscintilla.h>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

FindBar::FindBar(QWidget* parent)
    : QWidget(parent)
    , m_text(new QLineEdit(this))
    , m_state(new QLabel(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 4);
    layout->setSpacing(6);
    m_text->setPlaceholderText(tr("Find in the source"));
    m_text->setAccessibleName(tr("Find in the source"));
    m_text->installEventFilter(this);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_state);
    const auto button = [&](const QString& text, const QString& name) {
        auto* made = new QPushButton(text, this);
        made->setProperty("look", u"quiet"_s);
        made->setAccessibleName(name);
        made->setToolTip(name);
        made->setFocusPolicy(Qt::TabFocus);
        layout->addWidget(made);
        return made;
    };
    connect(button(u"\u2191"_s, tr("Previous match")), &QPushButton::clicked, this, [this] { find(false); });
    connect(button(u"\u2193"_s, tr("Next match")), &QPushButton::clicked, this, [this] { find(true); });
    connect(button(u"\u00d7"_s, tr("Close the find bar")), &QPushButton::clicked, this, &FindBar::close);
    connect(m_text, &QLineEdit::textEdited, this, [this] {
        if (m_editor) {
            // Search as typed starts where the last match began, so that a longer word keeps its place.
            int line = 0, column = 0, endLine = 0, endColumn = 0;
            m_editor->getSelection(&line, &column, &endLine, &endColumn);
            if (line >= 0)
                m_editor->setCursorPosition(line, column);
        }
        find(true);
    });
    hide();
}

void FindBar::openFor(QsciScintilla* editor)
{
    m_editor = editor;
    const QString selected = editor ? editor->selectedText() : QString();
    if (!selected.isEmpty() && !selected.contains(u'\n'))
        m_text->setText(selected);
    m_state->clear();
    show();
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
}

int FindBar::count() const
{
    return m_editor && !m_text->text().isEmpty() ? int(m_editor->text().count(m_text->text(), Qt::CaseInsensitive)) : 0;
}

bool FindBar::find(bool forward)
{
    if (!m_editor || m_text->text().isEmpty()) {
        m_state->clear();
        return false;
    }
    if (!forward) {
        // A backward search from the end of a match would find that match again.
        int line = 0, column = 0, endLine = 0, endColumn = 0;
        m_editor->getSelection(&line, &column, &endLine, &endColumn);
        if (line >= 0)
            m_editor->setCursorPosition(line, column);
    }
    const bool found = m_editor->findFirst(m_text->text(), false, false, false, true, forward);
    m_state->setText(found ? measure_text::counted(count(), tr("match"), tr("matches")) : tr("not found"));
    return found;
}

bool FindBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_text && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            find(!(key->modifiers() & Qt::ShiftModifier));
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            close();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void FindBar::close()
{
    hide();
    if (m_editor)
        m_editor->setFocus(Qt::OtherFocusReason);
}

} // namespace assay::views
