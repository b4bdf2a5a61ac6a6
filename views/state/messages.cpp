// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/messages.h"

namespace assay::views {

using namespace Qt::StringLiterals;

QString Messages::Entry::whole() const
{
    return details.isEmpty() ? text : text + u'\n' + details;
}

Messages::Messages(QObject* parent)
    : QObject(parent)
{
}

void Messages::post(Level level, const QString& text, const QString& details, const QString& action, std::function<void()> run)
{
    const bool repeats = !m_history.empty() && m_history.front().level == level && m_history.front().text == text
        && m_history.front().details == details;
    if (repeats)
        m_history.pop_front();
    m_history.push_front({QDateTime::currentDateTime(), level, text, details});
    if (m_history.size() > kKept)
        m_history.pop_back();
    Q_EMIT posted(level, text, details, action, run);
}

const std::deque<Messages::Entry>& Messages::history() const
{
    return m_history;
}

QString iconOf(Messages::Level level)
{
    return level == Messages::Level::Error ? u"error"_s : level == Messages::Level::Warning ? u"warning"_s : u"info"_s;
}

} // namespace assay::views
