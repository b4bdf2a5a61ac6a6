// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/message_bar.h"

#include "views/theme/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>

namespace assay::views {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {
constexpr auto kInfoStays = 6s; // long enough to read one line twice
constexpr int kIcon = 16;       // px
constexpr int kDetailsHeight = 120;
} // namespace

MessageBar::MessageBar(Messages& messages, const Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_theme(theme)
{
    setObjectName(u"messageBar"_s);
    setAccessibleName(tr("Message"));
    setProperty("look", u"banner"_s);

    m_icon = new QLabel(this);
    m_text = new QLabel(this);
    m_text->setObjectName(u"messageText"_s);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_more = new QLabel(this);
    m_more->setProperty("look", u"muted"_s);
    m_action = new QPushButton(this);
    m_action->setObjectName(u"messageAction"_s);
    m_detailsButton = new QPushButton(tr("Details"), this);
    m_detailsButton->setObjectName(u"messageDetails"_s);
    m_detailsButton->setProperty("look", u"quiet"_s);
    m_detailsButton->setCheckable(true);
    m_copy = new QPushButton(tr("Copy"), this);
    m_copy->setObjectName(u"messageCopy"_s);
    m_copy->setProperty("look", u"quiet"_s);
    m_copy->setAccessibleName(tr("Copy the message"));
    m_close = new QToolButton(this);
    m_close->setObjectName(u"messageDismiss"_s);
    m_close->setIcon(theme.icon(u"close"_s));
    m_close->setIconSize({kIcon - 4, kIcon - 4});
    m_close->setToolTip(tr("Dismiss this message"));
    m_close->setAccessibleName(m_close->toolTip());
    m_details = new QPlainTextEdit(this);
    m_details->setReadOnly(true);
    m_details->setFixedHeight(kDetailsHeight);
    m_details->setAccessibleName(tr("Details of the message"));
    m_details->hide();

    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    row->addWidget(m_more);
    row->addWidget(m_action);
    row->addWidget(m_detailsButton);
    row->addWidget(m_copy);
    row->addWidget(m_close);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(12, 4, 8, 4);
    lines->setSpacing(4);
    lines->addLayout(row);
    lines->addWidget(m_details);

    m_infoTimer.setSingleShot(true);
    connect(&m_infoTimer, &QTimer::timeout, this, &MessageBar::dismiss);
    connect(m_close, &QToolButton::clicked, this, &MessageBar::dismiss);
    connect(m_copy, &QPushButton::clicked, this, &MessageBar::copy);
    connect(m_detailsButton, &QPushButton::toggled, m_details, &QWidget::setVisible);
    connect(m_action, &QPushButton::clicked, this, [this] {
        const auto run = m_queue.empty() ? nullptr : m_queue.front().run;
        dismiss();
        if (run)
            run();
    });
    connect(&messages, &Messages::posted, this,
            [this](Messages::Level level, const QString& text, const QString& details, const QString& action,
                   const std::function<void()>& run) {
                add({{QDateTime::currentDateTime(), level, text, details}, action, run});
            });
    connect(&theme, &Theme::changed, this, &MessageBar::refresh);
    refresh();
}

int MessageBar::count() const
{
    return static_cast<int>(m_queue.size());
}

QString MessageBar::text() const
{
    return m_queue.empty() ? QString() : m_queue.front().entry.text;
}

void MessageBar::add(Message message)
{
    // A line that repeats what is waiting already says nothing new.
    const auto same = [&](const Message& other) {
        return other.entry.level == message.entry.level && other.entry.text == message.entry.text;
    };
    if (std::ranges::any_of(m_queue, same))
        return;
    std::erase_if(m_queue, [](const Message& other) { return other.entry.level == Messages::Level::Info; });
    const auto place
        = std::ranges::find_if(m_queue, [&](const Message& other) { return other.entry.level < message.entry.level; });
    m_queue.insert(place, std::move(message));
    refresh();
}

void MessageBar::dismiss()
{
    if (m_queue.empty())
        return;
    m_queue.pop_front();
    refresh();
}

void MessageBar::refresh()
{
    if (m_queue.empty()) {
        m_infoTimer.stop();
        hide();
    } else {
        show(m_queue.front());
        setVisible(true);
    }
    Q_EMIT countChanged(count());
}

void MessageBar::show(const Message& message)
{
    const auto& [time, level, text, details] = message.entry;
    m_icon->setPixmap(m_theme.icon(iconOf(level)).pixmap(QSize(kIcon, kIcon), devicePixelRatioF()));
    m_text->setText(text);
    m_more->setVisible(m_queue.size() > 1);
    m_more->setText(tr("+%1 more").arg(m_queue.size() - 1));
    m_action->setVisible(!message.action.isEmpty());
    m_action->setText(message.action);
    m_action->setAccessibleName(message.action);
    m_detailsButton->setVisible(!details.isEmpty());
    m_detailsButton->setChecked(false);
    m_details->setPlainText(details);
    setProperty("look", level == Messages::Level::Info ? u"notice"_s : u"banner"_s);
    style()->unpolish(this); // a property takes effect only when the style is computed again
    style()->polish(this);
    setAccessibleDescription(text);
    if (level == Messages::Level::Info)
        m_infoTimer.start(kInfoStays);
    else
        m_infoTimer.stop();
}

void MessageBar::copy() const
{
    if (!m_queue.empty())
        QGuiApplication::clipboard()->setText(m_queue.front().entry.whole());
}

} // namespace assay::views
