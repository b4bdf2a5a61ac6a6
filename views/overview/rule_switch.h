// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/rule_set.h"

#include <QString>
#include <QWidget>

class QButtonGroup;

namespace assay::views {

class Theme;

/// One button a rule set, exactly one pressed. Left and right arrows choose; the tool tip carries the rule set's title.
class RuleSwitch final : public QWidget {
    Q_OBJECT
public:
    RuleSwitch(const Theme& theme, const std::vector<report::RuleSet>& ruleSets, QWidget* parent = nullptr);

    QString current() const;
    void setCurrent(const QString& name);

Q_SIGNALS:
    void chosen(const QString& name);

private:
    void restyle();
    static QString label(const report::RuleSet& rules);

    const Theme& m_theme;
    QButtonGroup* m_buttons = nullptr;
};

} // namespace assay::views
