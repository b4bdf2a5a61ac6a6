// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/page_action.h"

#include <QAction>
#include <QWidget>

namespace assay::views {

QAction* addPageAction(QWidget& page, const QString& name, const QString& text, const QList<QKeySequence>& keys,
                       std::function<void()> run)
{
    auto* action = new QAction(text, &page);
    action->setObjectName(name);
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    QObject::connect(action, &QAction::triggered, &page, [run = std::move(run)] { run(); });
    page.addAction(action);
    return action;
}

} // namespace assay::views
