// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/saved_view_menu.h"

#include "core/store/triage.h"
#include "views/state/context.h"
#include "views/state/filter_stack.h"
#include "views/state/messages.h"
#include "views/state/query_channel.h"
#include "views/state/workspace.h"
#include "views/triage/triage_words.h"

namespace assay::views {

using namespace Qt::StringLiterals;

SavedViewMenu::SavedViewMenu(Context& context, QWidget* parent)
    : QMenu(parent)
    , m_context(context)
    , m_channel(new QueryChannel(context.workspace, this))
{
    setObjectName(u"triage.views"_s);
    setToolTipsVisible(true);
    const auto reportFailure = [this](const QString& message) { m_context.messages.post(Messages::Level::Error, message); };
    connect(m_channel, &QueryChannel::failed, this, reportFailure);
    connect(&context.workspace, &Workspace::opened, this, &SavedViewMenu::reload);
    connect(&context.workspace, &Workspace::contentChanged, this, &SavedViewMenu::reload);
    if (context.workspace.isOpen())
        reload();
    rebuild();
}

const std::vector<store::SavedView>& SavedViewMenu::views() const
{
    return m_views;
}

void SavedViewMenu::reload()
{
    m_channel->start<std::vector<store::SavedView>>(
        [](store::Database& database, std::stop_token) { return store::savedViews(database); },
        [this](std::vector<store::SavedView> views) {
            m_views = std::move(views);
            rebuild();
            Q_EMIT reloaded();
        });
}

void SavedViewMenu::rebuild()
{
    clear();
    auto* removals = new QMenu(tr("Remove a view"), this);
    bool shipped = true;
    for (const store::SavedView& view : m_views) {
        if (shipped && !view.builtIn)
            addSeparator();
        shipped = view.builtIn;
        QAction* action = addAction(words::fromUtf8(view.name));
        action->setToolTip(view.filter.empty() ? tr("every kernel") : words::fromUtf8(view.filter));
        connect(action, &QAction::triggered, this, [this, view] { apply(view); });
        if (!view.builtIn)
            connect(removals->addAction(words::fromUtf8(view.name)), &QAction::triggered, this, [this, view] { remove(view); });
    }
    addSeparator();
    QAction* save = addAction(tr("Save this view..."));
    save->setEnabled(m_context.workspace.isOpen() && !m_context.workspace.isReadOnly());
    connect(save, &QAction::triggered, this, &SavedViewMenu::saveRequested);
    if (removals->isEmpty())
        removals->deleteLater();
    else
        addMenu(removals);
}

void SavedViewMenu::apply(const store::SavedView& view)
{
    if (!m_context.filters.setText(words::fromUtf8(view.filter))) {
        m_context.messages.post(
            Messages::Level::Error,
            tr("The view \"%1\" cannot be applied: %2").arg(words::fromUtf8(view.name), m_context.filters.problem()));
        return;
    }
    if (const auto sort = store::parseSort(view.sort))
        m_context.filters.setSort(*sort);
    if (!view.columns.empty())
        Q_EMIT columnsWanted(words::fromUtf8(view.columns));
}

void SavedViewMenu::save(const QString& name, const QString& columns)
{
    store::SavedView view;
    view.name = name.trimmed().toStdString();
    view.filter = m_context.filters.text().toStdString();
    view.sort = store::toText(m_context.filters.sort());
    view.columns = columns.toStdString();
    write([view](store::Database& database) { store::saveView(database, view); });
}

void SavedViewMenu::remove(const store::SavedView& view)
{
    write([id = view.id](store::Database& database) { store::removeView(database, id); });
    store::SavedView again = view;
    again.id = 0;
    m_context.messages.post(Messages::Level::Info, tr("Removed the view \"%1\".").arg(words::fromUtf8(view.name)), {}, tr("Undo"),
                            [this, again] { write([again](store::Database& database) { store::saveView(database, again); }); });
}

void SavedViewMenu::write(std::function<void(store::Database&)> work)
{
    m_context.workspace.write(std::move(work), this, [this](const QString& failure) {
        if (!failure.isEmpty())
            m_context.messages.post(Messages::Level::Error, failure);
        reload();
    });
}

} // namespace assay::views
