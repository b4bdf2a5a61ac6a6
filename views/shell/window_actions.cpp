// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/window_actions.h"

#include "views/shell/places.h"
#include "views/state/context.h"
#include "views/state/filter_stack.h"
#include "views/state/selection.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QCoreApplication>
#include <QMenu>
#include <QWidget>

namespace assay::views {

using namespace Qt::StringLiterals;

WindowActions::WindowActions(Context& context, QWidget* window)
    : QObject(window)
    , m_context(context)
    , m_window(window)
{
    makePlaces();
    makeFiles();
    makeJudging();
    palette = make(u"palette"_s, tr("Search or run a command"), u"Ctrl+K"_s, u"palette"_s);
    goToKernel = make(u"go.kernel"_s, tr("Go to a kernel by its id"), u"Ctrl+G"_s);
    copyLink = make(u"link.copy"_s, tr("Copy a link to this spot"), u"Ctrl+Shift+L"_s, u"link"_s);
    followLink = make(u"link.follow"_s, tr("Follow a link"), u"Ctrl+Shift+O"_s);
    makeLooks();
    context.selection.backAction()->setIcon(context.theme.icon(u"back"_s));
    context.selection.forwardAction()->setIcon(context.theme.icon(u"forward"_s));
    for (QAction* action : {context.selection.backAction(), context.selection.forwardAction(), context.filters.undoAction(),
                            context.filters.redoAction(), context.filters.clearAction()})
        window->addAction(action);
    makeMenu();
}

QMenu* WindowActions::menu() const
{
    return m_menu;
}

QMenu* WindowActions::recentMenu() const
{
    return m_recent;
}

QAction* WindowActions::make(const QString& name, const QString& text, const QString& keys, const QString& icon)
{
    auto* action = new QAction(text, m_window);
    action->setObjectName(name);
    if (!keys.isEmpty())
        action->setShortcut(QKeySequence(keys));
    if (!icon.isEmpty())
        action->setIcon(m_context.theme.icon(icon));
    action->setToolTip(keys.isEmpty() ? text : tr("%1 (%2)").arg(text, action->shortcut().toString(QKeySequence::NativeText)));
    m_window->addAction(action);
    return action;
}

void WindowActions::makePlaces()
{
    auto* exclusive = new QActionGroup(this);
    for (const Place& place : views::places()) {
        QAction* action = make(u"place."_s + place.id, QCoreApplication::translate("Places", place.title), place.key, place.icon);
        action->setToolTip(tr("%1 (%2)").arg(QCoreApplication::translate("Places", place.hint), QString(place.key)));
        action->setCheckable(true);
        exclusive->addAction(action);
        places << action;
    }
    auto* pages = new QActionGroup(this);
    overview = make(u"page.overview"_s, tr("Overview"), u"Alt+1"_s);
    kernels = make(u"page.kernels"_s, tr("Kernels"), u"Alt+2"_s);
    for (QAction* page : {overview, kernels}) {
        page->setCheckable(true);
        pages->addAction(page);
    }
}

void WindowActions::makeFiles()
{
    open = make(u"file.open"_s, tr("Open a database"), u"Ctrl+O"_s, u"open"_s);
    import = make(u"file.import"_s, tr("Import an audit or a corpus"), u"Ctrl+I"_s, u"import"_s);
    sample = make(u"file.sample"_s, tr("Open the sample corpus"));
    compareTensors = make(u"file.tensors"_s, tr("Compare two files of tensors"), u"Ctrl+D"_s, u"diff"_s);
    closeDatabase = make(u"file.close"_s, tr("Close the database"), u"Ctrl+W"_s);
    quit = make(u"file.quit"_s, tr("Quit"), u"Ctrl+Q"_s);
}

void WindowActions::makeJudging()
{
    judge = make(u"judge.selected"_s, tr("Judge the selected kernels"), u"F5"_s);
    judgeList = make(u"judge.list"_s, tr("Judge every kernel of this list"), u"Shift+F5"_s);
    resumeJudging = make(u"judge.resume"_s, tr("Go on with the unfinished audit"), u"Ctrl+F5"_s);
    leaveUnfinished = make(u"judge.leave"_s, tr("Leave the unfinished audit as it is"));
    judgeSettings = make(u"judge.settings"_s, tr("How to judge: device, contract, seed, Python"), u"Ctrl+J"_s);
    machine = make(u"judge.machine"_s, tr("What this machine can judge"), u"Ctrl+Shift+J"_s);
}

void WindowActions::makeLooks()
{
    nextTheme = make(u"theme.next"_s, tr("Switch between light and dark"), u"Ctrl+Shift+D"_s, u"moon"_s);
    auto* modes = new QActionGroup(this);
    light = make(u"theme.light"_s, tr("Light look"));
    dark = make(u"theme.dark"_s, tr("Dark look"));
    system = make(u"theme.system"_s, tr("Look of the system"));
    for (QAction* mode : {light, dark, system}) {
        mode->setCheckable(true);
        modes->addAction(mode);
    }
    dense = make(u"density"_s, tr("Dense rows"), u"Ctrl+Shift+R"_s, u"density"_s);
    dense->setCheckable(true);
    fullScreen = make(u"fullscreen"_s, tr("Full screen"), u"F11"_s);
    fullScreen->setCheckable(true);
    shortcuts = make(u"help.keys"_s, tr("Keyboard shortcuts and legend"), u"F1"_s, u"keyboard"_s);
    menuAction = make(u"menu"_s, tr("Menu"), u"F10"_s, u"menu"_s);
    resetLayout = make(u"layout.reset"_s, tr("Reset the layout"));
    dismissMessage = make(u"message.dismiss"_s, tr("Dismiss the message"), u"Ctrl+Shift+M"_s);
    messages = make(u"message.history"_s, tr("Messages so far"), u"Ctrl+H"_s, u"history"_s);
}

void WindowActions::makeMenu()
{
    m_menu = new QMenu(m_window);
    m_menu->setAccessibleName(tr("Menu"));
    m_menu->addAction(open);
    m_recent = m_menu->addMenu(tr("Recent databases"));
    m_menu->addAction(import);
    m_menu->addAction(sample);
    m_menu->addAction(compareTensors);
    m_menu->addAction(closeDatabase);
    m_menu->addSeparator();
    for (QAction* action : {judge, judgeList, resumeJudging, judgeSettings, machine})
        m_menu->addAction(action);
    m_menu->addSeparator();
    m_menu->addAction(goToKernel);
    m_menu->addAction(copyLink);
    m_menu->addAction(followLink);
    m_menu->addSeparator();
    QMenu* look = m_menu->addMenu(tr("Look"));
    for (QAction* action : {light, dark, system})
        look->addAction(action);
    look->addSeparator();
    look->addAction(dense);
    look->addAction(fullScreen);
    look->addAction(resetLayout);
    m_menu->addAction(messages);
    m_menu->addAction(shortcuts);
    m_menu->addSeparator();
    m_menu->addAction(quit);
}

void WindowActions::adoptCancel(QAction* cancel)
{
    m_cancel = cancel;
    m_window->addAction(cancel);
}

QList<ActionGroup> WindowActions::groups() const
{
    QList<ActionGroup> list;
    QList<QAction*> going = places;
    going << overview << kernels << goToKernel << m_context.selection.backAction() << m_context.selection.forwardAction()
          << copyLink << followLink;
    list << ActionGroup{tr("Go"), going};
    list << ActionGroup{tr("Window"),
                        {palette, shortcuts, menuAction, nextTheme, light, dark, system, dense, fullScreen, resetLayout,
                         dismissMessage, messages}};
    list << ActionGroup{tr("Judge"), {judge, judgeList, resumeJudging, leaveUnfinished, judgeSettings, machine}};
    list << ActionGroup{tr("Data"), {open, import, sample, compareTensors, m_cancel, closeDatabase, quit}};
    list << ActionGroup{tr("Filter"),
                        {m_context.filters.undoAction(), m_context.filters.redoAction(), m_context.filters.clearAction()}};
    return list;
}

} // namespace assay::views
