// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/messages.h"

namespace assay::views {

Messages::Messages(QObject* parent)
    : QObject(parent)
{
}

void Messages::post(Level level, const QString& text, const QString& details, const QString& action, std::function<void()> run)
{
    Q_EMIT posted(level, text, details, action, run);
}

} // namespace assay::views
