// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/segment_bar.h"

#include "views/theme/theme.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>

namespace assay::views {

using namespace Qt::StringLiterals;

SegmentBar::SegmentBar(const Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_buttons(new QButtonGroup(this))
{
    setAccessibleName(name);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    connect(m_buttons, &QButtonGroup::idClicked, this, &SegmentBar::chosen);
    connect(&theme, &Theme::changed, this, &SegmentBar::restyle);
    restyle();
}

void SegmentBar::add(int id, const QString& text, const QString& tip)
{
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(accessibleName() + u": "_s + text);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    const bool isFirst = m_buttons->buttons().isEmpty();
    button->setChecked(isFirst);
    button->setProperty("first", isFirst); // the others' left lines are the right ones of their neighbours
    m_buttons->addButton(button, id);
    layout()->addWidget(button);
}

int SegmentBar::current() const
{
    return m_buttons->checkedId();
}

void SegmentBar::setCurrent(int id)
{
    if (QAbstractButton* button = m_buttons->button(id))
        button->setChecked(true);
}

void SegmentBar::step()
{
    const QList<QAbstractButton*> buttons = m_buttons->buttons();
    if (buttons.isEmpty())
        return;
    const qsizetype next = (buttons.indexOf(m_buttons->checkedButton()) + 1) % buttons.size();
    buttons[next]->setChecked(true);
    Q_EMIT chosen(m_buttons->id(buttons[next]));
}

void SegmentBar::restyle()
{
    setStyleSheet(u"QToolButton{border:1px solid %1;border-radius:0;padding:3px 8px;color:%2;background:%3;margin-left:-1px;}"
                  "QToolButton[first=\"true\"]{margin-left:0;} QToolButton:checked{background:%4;color:%5;border-color:%4;} "
                  "QToolButton:focus{border-color:%4;}"
                  "QToolButton:hover:!checked{background:%6;}"_s.arg(m_theme.line().name(), m_theme.ink().name(),
                                                                     m_theme.surface().name(), m_theme.accent().name(),
                                                                     m_theme.accentInk().name(), m_theme.hover().name()));
}

} // namespace assay::views
