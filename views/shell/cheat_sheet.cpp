// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/cheat_sheet.h"

#include "views/theme/theme.h"
#include "views/theme/verdict_legend.h"

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kSize(940, 880);
constexpr int kColumns = 2;

QString keysOf(const QAction& action)
{
    QStringList keys;
    for (const QKeySequence& sequence : action.shortcuts())
        keys << sequence.toString(QKeySequence::NativeText);
    return keys.join(u"  "_s);
}

} // namespace

CheatSheet::CheatSheet(const Theme& theme, QWidget* window)
    : Overlay(window)
    , m_theme(theme)
    , m_scroll(new QScrollArea(this))
{
    setObjectName(u"cheatSheet"_s);
    setAccessibleName(tr("Keyboard shortcuts"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setAccessibleName(tr("List of keyboard shortcuts"));
    auto* title = new QLabel(tr("Keyboard"), this);
    title->setFont(theme.titleFont());
    auto* hint = new QLabel(tr("Single letters work while no text field has the keyboard. Esc closes."), this);
    hint->setProperty("look", u"muted"_s);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(24, 20, 24, 16);
    lines->setSpacing(4);
    lines->addWidget(title);
    lines->addWidget(hint);
    lines->addSpacing(12);
    lines->addWidget(m_scroll, 1);
    lines->addSpacing(8);
    auto* rule = new QFrame(this);
    rule->setProperty("look", u"rule"_s);
    lines->addWidget(rule);
    lines->addSpacing(8);
    lines->addWidget(new VerdictLegend(theme, this));
}

void CheatSheet::open(const QList<ActionGroup>& groups)
{
    m_scroll->setWidget(makeSheet(groups));
    present(m_scroll);
}

QSize CheatSheet::wantedSize() const
{
    return kSize;
}

QWidget* CheatSheet::makeSheet(const QList<ActionGroup>& groups) const
{
    auto* sheet = new QWidget;
    auto* columns = new QHBoxLayout(sheet);
    columns->setContentsMargins(0, 0, 12, 0);
    columns->setSpacing(40);
    std::array<QGridLayout*, kColumns> grids{};
    std::array<int, kColumns> rows{};
    for (QGridLayout*& grid : grids) {
        grid = new QGridLayout;
        grid->setHorizontalSpacing(16);
        grid->setVerticalSpacing(4);
        grid->setColumnStretch(1, 1);
        columns->addLayout(grid, 1);
    }
    for (const ActionGroup& group : groups) {
        if (std::ranges::all_of(group.actions, [](const QAction* action) { return keysOf(*action).isEmpty(); }))
            continue;
        const auto shortest = static_cast<std::size_t>(std::ranges::min_element(rows) - rows.begin());
        QGridLayout& grid = *grids[shortest];
        int& row = rows[shortest];
        auto* heading = new QLabel(group.title, sheet);
        QFont bold = m_theme.uiFont();
        bold.setWeight(QFont::DemiBold);
        heading->setFont(bold);
        heading->setContentsMargins(0, row == 0 ? 0 : 12, 0, 4);
        grid.addWidget(heading, row++, 0, 1, 2);
        for (const QAction* action : group.actions) {
            const QString keys = keysOf(*action);
            if (keys.isEmpty())
                continue;
            auto* key = new QLabel(keys, sheet);
            key->setFont(m_theme.numberFont());
            key->setProperty("look", u"muted"_s);
            auto* text = new QLabel(action->iconText().isEmpty() ? action->text() : action->iconText(), sheet);
            grid.addWidget(key, row, 0);
            grid.addWidget(text, row++, 1);
        }
    }
    for (std::size_t i = 0; i < kColumns; ++i)
        grids[i]->setRowStretch(rows[i], 1);
    return sheet;
}

} // namespace assay::views
