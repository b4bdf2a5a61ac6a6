// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/rule_switch.h"

#include "views/theme/theme.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

RuleSwitch::RuleSwitch(const Theme& theme, const std::vector<report::RuleSet>& ruleSets, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_buttons(new QButtonGroup(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* caption = new QLabel(tr("Rules"), this);
    caption->setContentsMargins(0, 0, 8, 0);
    layout->addWidget(caption);
    m_buttons->setExclusive(true);
    for (const report::RuleSet& rules : ruleSets) {
        auto* button = new QToolButton(this);
        button->setObjectName(QString::fromStdString(rules.name));
        button->setText(label(rules));
        button->setToolTip(QString::fromStdString(rules.title));
        button->setAccessibleName(tr("Rules: ") + label(rules));
        button->setAccessibleDescription(QString::fromStdString(rules.title));
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
        m_buttons->addButton(button);
        layout->addWidget(button);
    }
    layout->addStretch(1);
    connect(m_buttons, &QButtonGroup::buttonToggled, this, [this](QAbstractButton* button, bool on) {
        if (on)
            Q_EMIT chosen(button->objectName());
    });
    connect(&theme, &Theme::changed, this, &RuleSwitch::restyle);
    restyle();
}

QString RuleSwitch::label(const report::RuleSet& rules)
{
    static const std::pair<QString, QString> labels[] = {
        {u"as-published"_s, tr("as published")},
        {u"nan-equal"_s, tr("NaN equals NaN")},
        {u"nan-equal-loose"_s, tr("loose")},
        {u"union"_s, tr("union")},
    };
    const QString name = QString::fromStdString(rules.name);
    for (const auto& [key, text] : labels) {
        if (key == name)
            return text;
    }
    return name;
}

QString RuleSwitch::current() const
{
    return m_buttons->checkedButton() ? m_buttons->checkedButton()->objectName() : QString();
}

void RuleSwitch::setCurrent(const QString& name)
{
    for (QAbstractButton* button : m_buttons->buttons()) {
        if (button->objectName() == name)
            button->setChecked(true);
    }
}

void RuleSwitch::restyle()
{
    setStyleSheet(u"QLabel{color:%1;} QToolButton{border:1px solid %2;padding:3px 10px;color:%3;background:%4;margin-left:-1px;}"
                  "QToolButton:checked{background:%5;color:%6;border-color:%5;} QToolButton:focus{border-color:%5;}"
                  "QToolButton:hover:!checked{background:%7;}"_s.arg(
                      m_theme.mutedInk().name(), m_theme.line().name(), m_theme.ink().name(), m_theme.surface().name(),
                      m_theme.accent().name(), m_theme.isDark() ? u"#0F1419"_s : u"#FFFFFF"_s, m_theme.raised().name()));
}

} // namespace assay::views
