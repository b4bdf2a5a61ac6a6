// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/main_window_p.h"

#include "core/store/kernel_details.h"
#include "views/shell/places.h"

#include <QAction>
#include <QFileInfo>
#include <QMenu>
#include <QRegularExpression>
#include <QShortcut>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

QString shortcutText(const QAction& action)
{
    return action.shortcut().toString(QKeySequence::NativeText);
}

} // namespace

void MainWindow::Private::connectCommands()
{
    for (int i = 0; i < actions->places.size(); ++i) {
        const QString place = places()[static_cast<std::size_t>(i)].id;
        QObject::connect(actions->places[i], &QAction::triggered, &window, [this, place] {
            selection.setPlace(place == u"triage"_s ? lastTriagePage : place);
            showSpot();
        });
    }
    QObject::connect(actions->overview, &QAction::triggered, &window, [this] { selection.setPlace(u"overview"_s); });
    QObject::connect(actions->kernels, &QAction::triggered, &window, [this] { selection.setPlace(u"kernels"_s); });
    QObject::connect(actions->open, &QAction::triggered, &window, [this] { askOpen(); });
    QObject::connect(actions->import, &QAction::triggered, &window, [this] { askImport(); });
    QObject::connect(actions->sample, &QAction::triggered, &window, [this] { openSample(); });
    QObject::connect(actions->closeDatabase, &QAction::triggered, &workspace, &Workspace::close);
    QObject::connect(actions->quit, &QAction::triggered, &window, &QWidget::close);
    QObject::connect(actions->palette, &QAction::triggered, &window, [this] { openPalette(); });
    QObject::connect(actions->goToKernel, &QAction::triggered, &window, [this] { askKernel(); });
    QObject::connect(actions->copyLink, &QAction::triggered, &navigator, &Navigator::copyLink);
    QObject::connect(actions->followLink, &QAction::triggered, &window, [this] { askLink(); });
    QObject::connect(actions->messages, &QAction::triggered, &window,
                     [this] { history->isVisible() ? history->dismiss() : history->open(); });
    QObject::connect(actions->shortcuts, &QAction::triggered, &window,
                     [this] { cheatSheet->isVisible() ? cheatSheet->dismiss() : cheatSheet->open(allGroups()); });
    for (QAction* action : triage->actions()) {
        if (action->objectName() == u"triage.export"_s)
            actions->menu()->insertAction(actions->closeDatabase, action);
    }
    // The filter line is a key away from every page of Triage, not only from the list that carries it.
    for (QWidget* page : std::initializer_list<QWidget*>{overview, notJudged}) {
        auto* filter = new QShortcut(Qt::Key_Slash, page);
        filter->setContext(Qt::WidgetWithChildrenShortcut);
        QObject::connect(filter, &QShortcut::activated, &window, [this] {
            selection.setPlace(u"kernels"_s);
            triage->focusFilter();
        });
    }
    QObject::connect(audit, &AuditPage::exportAsked, &window, [this](const QString& plan) { askReport(plan); });
    QObject::connect(actions->recentMenu(), &QMenu::aboutToShow, &window, [this] { fillRecent(); });
    fillRecent();
}

void MainWindow::Private::connectLooks()
{
    QObject::connect(actions->light, &QAction::triggered, &window, [this] { setTheme(u"light"_s); });
    QObject::connect(actions->dark, &QAction::triggered, &window, [this] { setTheme(u"dark"_s); });
    QObject::connect(actions->system, &QAction::triggered, &window, [this] { setTheme(u"system"_s); });
    QObject::connect(actions->nextTheme, &QAction::triggered, &window,
                     [this] { setTheme(theme.isDark() ? u"light"_s : u"dark"_s); });
    QObject::connect(actions->dense, &QAction::triggered, &window, [this](bool on) {
        theme.setDense(on);
        save();
    });
    QObject::connect(actions->fullScreen, &QAction::triggered, &window, [this](bool on) {
        present(on && selection.spot().place == u"calibrate"_s);
        on ? window.showFullScreen() : window.showNormal();
    });
    QObject::connect(actions->resetLayout, &QAction::triggered, &window, [this] { resetLayout(); });
    QObject::connect(&theme, &Theme::changed, &window, [this] { updateThemeActions(); });
    updateThemeActions();
}

void MainWindow::Private::fillRecent()
{
    QMenu* menu = actions->recentMenu();
    menu->clear();
    for (const QString& path : session.recent) {
        QAction* entry = menu->addAction(path);
        QObject::connect(entry, &QAction::triggered, &window, [this, path] { workspace.open(path); });
    }
    menu->setEnabled(!session.recent.isEmpty());
}

void MainWindow::Private::askOpen()
{
    prompt->ask({tr("Open a database"),
                 tr("The file is opened for writing where that is possible, else read-only. Nothing in it is executed."),
                 tr("Open"),
                 {{tr("Database"), session.recent.value(0), u"/path/to/audit.db"_s, true}},
                 [this](const QStringList& answers) {
                     if (!QFileInfo(answers[0]).isFile())
                         return tr("There is no file %1. Check the path.").arg(answers[0]);
                     if (!looksLikeDatabase(answers[0]))
                         return tr("%1 is not a database. To read an audit or a corpus, import it (%2).")
                             .arg(answers[0], shortcutText(*actions->import));
                     QString problem;
                     const auto listen = QObject::connect(&workspace, &Workspace::openFailed, prompt,
                                                          [&problem](const QString& message) { problem = message; });
                     workspace.open(answers[0]);
                     QObject::disconnect(listen);
                     return problem;
                 }});
}

void MainWindow::Private::askKernel()
{
    prompt->ask({tr("Go to a kernel"),
                 tr("Its id in the corpus, such as 179, or # and a row number."),
                 tr("Go"),
                 {{tr("Kernel id"), {}, u"179"_s, false}},
                 [this](const QStringList& answers) {
                     if (answers[0].isEmpty())
                         return tr("Type an id.");
                     navigator.goToKernel(answers[0]);
                     return QString();
                 }});
}

void MainWindow::Private::askLink()
{
    prompt->ask({tr("Follow a link"),
                 tr("A link that Copy a link to this spot (%1) made.").arg(shortcutText(*actions->copyLink)),
                 tr("Follow"),
                 {{tr("Link"), {}, u"workbench:///path/to/audit.db?kernel=179&gate=EXC-01"_s, false}},
                 [this](const QStringList& answers) {
                     const auto link = parseDeepLink(answers[0]);
                     if (!link)
                         return tr("This is not a link of Assay: it begins with workbench:/// and names a database.");
                     navigator.follow(*link);
                     return QString();
                 }});
}

QList<ActionGroup> MainWindow::Private::allGroups() const
{
    QList<ActionGroup> groups = actions->groups();
    groups << ActionGroup{tr("Overview"), overview->actions()} << ActionGroup{tr("Kernels"), triage->actions()}
           << ActionGroup{tr("Evidence"), evidence->actions()} << ActionGroup{tr("Output difference"), tensors->actions()};
    // The evidence also carries the list's actions; one line each is enough.
    const QList<QAction*> shared = triage->kernelActions();
    groups[groups.size() - 2].actions.removeIf([&shared](QAction* action) { return shared.contains(action); });
    // A note is written in the evidence; the list's menu only leads there.
    groups[groups.size() - 3].actions.removeIf(
        [this](QAction* action) { return action->objectName() == u"triage.note"_s || action == actions->judge; });
    groups << ActionGroup{tr("Audit"), audit->actions()} << ActionGroup{tr("Calibrate"), calibrate->actions()}
           << ActionGroup{tr("Launch"), launch->keyActions()};
    return groups;
}

std::vector<PaletteEntry> MainWindow::Private::paletteEntries()
{
    std::vector<PaletteEntry> entries;
    for (const ActionGroup& group : allGroups()) {
        // The keys of the output difference work on the one that the keyboard is in, of which a command cannot know.
        if (group.title == tr("Output difference"))
            continue;
        for (QAction* action : group.actions) {
            if (action == actions->palette || action->isSeparator() || action->text().isEmpty() || !action->isEnabled())
                continue;
            QString title = action->text();
            title.remove(u'&');
            // A page's action needs its page on screen: the list's keys work on the list.
            const bool needsList = triage->actions().contains(action) || evidence->actions().contains(action);
            const bool needsSample = audit->actions().contains(action);
            const QString place = needsList             ? u"kernels"_s
                : needsSample                           ? u"audit"_s
                : calibrate->actions().contains(action) ? u"calibrate"_s
                : launch->keyActions().contains(action) ? u"launch"_s
                                                        : QString();
            entries.push_back({title, group.title, shortcutText(*action), [this, action, place] {
                                   if (!place.isEmpty())
                                       selection.setPlace(place);
                                   action->trigger();
                               }});
        }
    }
    return entries;
}

std::vector<PaletteEntry> MainWindow::Private::kernelEntries(const QString& typed)
{
    static const QRegularExpression id(u"^#?[0-9]+$"_s);
    if (!workspace.scope() || !id.match(typed).hasMatch())
        return {};
    return {{tr("Go to kernel %1").arg(typed), tr("Kernel"), {}, [this, typed] { navigator.goToKernel(typed); }}};
}

void MainWindow::Private::openPalette()
{
    if (palette->isVisible()) {
        palette->dismiss();
        return;
    }
    palette->open(paletteEntries(), [this](const QString& typed) { return kernelEntries(typed); });
    if (!workspace.isOpen())
        return;
    viewSearch.start<std::vector<store::SavedView>>(
        [](store::Database& database, std::stop_token) { return store::savedViews(database); },
        [this](const std::vector<store::SavedView>& views) {
            std::vector<PaletteEntry> entries;
            for (const store::SavedView& view : views)
                entries.push_back({QString::fromStdString(view.name), tr("Saved view"), {}, [this, view] {
                                       if (const auto sort = store::parseSort(view.sort))
                                           filters.setSort(*sort);
                                       if (filters.setText(QString::fromStdString(view.filter)))
                                           selection.setPlace(u"kernels"_s);
                                       else
                                           messages.post(Messages::Level::Warning, filters.problem());
                                   }});
            for (const store::Scope& scope : workspace.scopes())
                entries.push_back({scopeName(scope), tr("Audit"), {}, [this, id = scope.id] { workspace.setScope(id); }});
            if (palette->isVisible())
                palette->append(std::move(entries));
        });
}

} // namespace assay::views
