// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/empty_state.h"

#include "views/theme/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kColumn = 520; // px: a line length that reads well
constexpr int kIcon = 40;

QLabel* wrapped(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}
} // namespace

EmptyState::EmptyState(const Theme& theme, const QString& icon, const QString& title, const QString& text, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_iconName(icon)
{
    setProperty("look", u"page"_s);
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(title);

    auto* column = new QWidget(this);
    column->setFixedWidth(kColumn);
    auto* lines = new QVBoxLayout(column);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(8);
    m_icon = new QLabel(column);
    m_title = new QLabel(title, column);
    auto* body = wrapped(text, column);
    body->setProperty("look", u"muted"_s);
    lines->addWidget(m_icon);
    lines->addSpacing(4);
    lines->addWidget(m_title);
    lines->addWidget(body);
    m_hints = new QVBoxLayout;
    m_hints->setSpacing(8);
    lines->addSpacing(4);
    lines->addLayout(m_hints);
    m_buttons = new QVBoxLayout;
    m_buttons->setSpacing(8);
    lines->addSpacing(8);
    lines->addLayout(m_buttons);

    auto* page = new QVBoxLayout(this);
    page->addStretch(2);
    // Stretches instead of an alignment: aligned items ignore that wrapped text needs its height.
    auto* middle = new QHBoxLayout;
    middle->addStretch();
    middle->addWidget(column);
    middle->addStretch();
    page->addLayout(middle);
    page->addStretch(3);
    connect(&theme, &Theme::changed, this, &EmptyState::dress);
    dress();
}

void EmptyState::dress()
{
    m_icon->setPixmap(m_theme.icon(m_iconName).pixmap(QSize(kIcon, kIcon), devicePixelRatioF()));
    m_title->setFont(m_theme.titleFont());
}

void EmptyState::addHint(const QString& text)
{
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    auto* bullet = new QLabel(u"\u2013"_s, this);
    bullet->setProperty("look", u"muted"_s);
    bullet->setAlignment(Qt::AlignTop);
    row->addWidget(bullet);
    row->addWidget(wrapped(text, this), 1);
    m_hints->addLayout(row);
}

void EmptyState::addAction(QAction* action)
{
    auto* row = new QHBoxLayout;
    auto* button = new QPushButton(action->text(), this);
    button->setAccessibleName(action->text());
    button->setMinimumWidth(200);
    if (m_buttons->count() == 0) {
        button->setProperty("look", u"primary"_s);
        setFocusProxy(button);
    }
    button->setToolTip(action->toolTip());
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    row->addWidget(button);
    auto* keys = new QLabel(action->shortcut().toString(QKeySequence::NativeText), this);
    keys->setProperty("look", u"muted"_s);
    row->addSpacing(8);
    row->addWidget(keys);
    row->addStretch();
    m_buttons->addLayout(row);
}

} // namespace assay::views
