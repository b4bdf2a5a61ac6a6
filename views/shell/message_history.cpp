// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/message_history.h"

#include "views/state/messages.h"
#include "views/theme/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kSize(760, 480);
constexpr int kWholeHeight = 120;
constexpr int kIcon = 16; // px

QString clockText(const QDateTime& time)
{
    const bool today = time.date() == QDate::currentDate();
    return time.toString(today ? u"HH:mm:ss"_s : u"yyyy-MM-dd HH:mm:ss"_s);
}

} // namespace

MessageHistory::MessageHistory(const Messages& messages, const Theme& theme, QWidget* window)
    : Overlay(window)
    , m_messages(messages)
    , m_theme(theme)
    , m_list(new QListWidget(this))
    , m_nothing(new QLabel(tr("Nothing has been said so far."), this))
    , m_whole(new QPlainTextEdit(this))
    , m_copy(new QPushButton(tr("Copy"), this))
{
    setObjectName(u"messageHistory"_s);
    setAccessibleName(tr("Messages so far"));
    auto* title = new QLabel(tr("Messages so far"), this);
    title->setFont(theme.titleFont());
    m_list->setObjectName(u"messageHistoryList"_s);
    m_list->setAccessibleName(tr("Messages, newest first"));
    m_list->setIconSize({kIcon, kIcon});
    m_list->setSpacing(2);
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_nothing->setProperty("look", u"muted"_s);
    m_whole->setObjectName(u"messageHistoryWhole"_s);
    m_whole->setAccessibleName(tr("The chosen message with its details"));
    m_whole->setReadOnly(true);
    m_whole->setTabChangesFocus(true);
    m_whole->setFixedHeight(kWholeHeight);
    m_copy->setObjectName(u"messageHistoryCopy"_s);
    m_copy->setAccessibleName(tr("Copy the chosen message"));

    auto* hint = new QLabel(tr("Newest first. Esc closes."), this);
    hint->setProperty("look", u"muted"_s);
    auto* foot = new QHBoxLayout;
    foot->addWidget(hint, 1);
    foot->addWidget(m_copy);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(24, 20, 24, 16);
    lines->setSpacing(8);
    lines->addWidget(title);
    lines->addWidget(m_list, 1);
    lines->addWidget(m_nothing, 1, Qt::AlignTop);
    lines->addWidget(m_whole);
    lines->addLayout(foot);

    auto* copyKey = new QShortcut(QKeySequence::Copy, m_list);
    copyKey->setContext(Qt::WidgetShortcut);
    connect(copyKey, &QShortcut::activated, this, &MessageHistory::copy);
    connect(m_copy, &QPushButton::clicked, this, &MessageHistory::copy);
    connect(m_list, &QListWidget::currentRowChanged, this, &MessageHistory::showWhole);
    connect(&messages, &Messages::posted, this, [this] {
        if (isVisible())
            fill();
    });
}

void MessageHistory::open()
{
    fill();
    m_list->setCurrentRow(0);
    present(m_list->count() > 0 ? static_cast<QWidget*>(m_list) : this);
}

QSize MessageHistory::wantedSize() const
{
    return kSize;
}

void MessageHistory::fill()
{
    // New ones come in above: the chosen one stays chosen.
    const int fromTheEnd = m_list->count() - m_list->currentRow();
    m_list->clear();
    for (const Messages::Entry& entry : m_messages.history()) {
        auto* item = new QListWidgetItem(m_theme.icon(iconOf(entry.level)), clockText(entry.time) + u"  "_s + entry.text, m_list);
        item->setToolTip(entry.text);
    }
    m_list->setCurrentRow(std::max(0, m_list->count() - fromTheEnd));
    const bool any = m_list->count() > 0;
    m_list->setVisible(any);
    m_whole->setVisible(any);
    m_copy->setVisible(any);
    m_nothing->setVisible(!any);
}

void MessageHistory::showWhole(int row)
{
    const auto& history = m_messages.history();
    const bool known = row >= 0 && row < static_cast<int>(history.size());
    m_whole->setPlainText(known ? history[static_cast<std::size_t>(row)].whole() : QString());
}

void MessageHistory::copy() const
{
    QGuiApplication::clipboard()->setText(m_whole->toPlainText());
}

} // namespace assay::views
