// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/list_empty_state.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

ListEmptyState::ListEmptyState(QWidget* parent)
    : QWidget(parent)
    , m_title(new QLabel(this))
    , m_hint(new QLabel(this))
    , m_button(new QPushButton(this))
{
    setObjectName(u"triage.empty"_s);
    QFont font = m_title->font();
    font.setPointSizeF(font.pointSizeF() * 1.2);
    font.setWeight(QFont::DemiBold);
    m_title->setFont(font);
    m_hint->setProperty("look", u"muted"_s);
    m_hint->setWordWrap(true);
    m_hint->setAlignment(Qt::AlignHCenter);
    m_hint->setMinimumWidth(320);
    m_button->setObjectName(u"triage.emptyAction"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(8);
    layout->addStretch(2);
    layout->addWidget(m_title, 0, Qt::AlignHCenter);
    layout->addWidget(m_hint, 0, Qt::AlignHCenter);
    layout->addSpacing(4);
    layout->addWidget(m_button, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_action)
            m_action->trigger();
    });
    hide();
}

void ListEmptyState::show(const QString& title, const QString& hint, QAction* action)
{
    m_title->setText(title);
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
    m_action = action;
    m_button->setVisible(action != nullptr);
    if (action) {
        const QString key = action->shortcut().toString(QKeySequence::NativeText);
        m_button->setText(key.isEmpty() ? action->text() : action->text() + u"  ("_s + key + u")"_s);
    }
    QWidget::show();
}

} // namespace assay::views
