// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/place.h"

#include "views/state/context.h"
#include "views/state/messages.h"
#include "views/state/query_channel.h"
#include "views/state/workspace.h"

#include <QVariant>
#include <QWidget>

namespace assay::views {

using namespace Qt::StringLiterals;

void setUpPlace(QWidget& place, const QString& objectName, const QString& title)
{
    place.setObjectName(objectName);
    place.setAccessibleName(title);
    place.setFocusPolicy(Qt::StrongFocus);
    place.setProperty("look", u"page"_s);
    place.setAttribute(Qt::WA_StyledBackground);
}

void followDatabase(QWidget& place, Context& context, std::initializer_list<QueryChannel*> channels, std::function<void()> load)
{
    for (QueryChannel* channel : channels)
        QObject::connect(channel, &QueryChannel::failed, &place,
                         [&context](const QString& message) { context.messages.post(Messages::Level::Error, message); });
    for (const auto signal : {&Workspace::opened, &Workspace::closed, &Workspace::contentChanged})
        QObject::connect(&context.workspace, signal, &place, [load] { load(); });
}

} // namespace assay::views
