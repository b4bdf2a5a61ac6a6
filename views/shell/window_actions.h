// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/shell/cheat_sheet.h"

#include <QList>
#include <QObject>

class QAction;
class QActionGroup;
class QMenu;
class QWidget;

namespace assay::views {

class JobBar;
class Theme;
struct Context;

/// Every action of the window itself, and the menu that lists them. What they do is connected by the window.
class WindowActions final : public QObject {
    Q_OBJECT
public:
    WindowActions(Context& context, QWidget* window);

    // Places and pages
    QList<QAction*> places; ///< in the order of places()
    QAction* overview;
    QAction* kernels;
    // Files
    QAction* open;
    QAction* import;
    QAction* sample;
    QAction* compareTensors;
    QAction* closeDatabase;
    QAction* quit;
    // Judging
    QAction* judge;
    QAction* judgeList;
    QAction* resumeJudging;
    QAction* leaveUnfinished;
    QAction* judgeSettings;
    QAction* machine;
    // Finding
    QAction* palette;
    QAction* goToKernel;
    QAction* copyLink;
    QAction* followLink;
    // Looks
    QAction* nextTheme;
    QAction* light;
    QAction* dark;
    QAction* system;
    QAction* dense;
    QAction* fullScreen;
    QAction* shortcuts;
    QAction* menuAction;
    QAction* resetLayout;
    QAction* dismissMessage;
    QAction* messages;

    /// The menu of the top bar; @p recent is filled by the window.
    QMenu* menu() const;
    QMenu* recentMenu() const;

    /// Lists the actions by subject, for the cheat sheet and the palette.
    QList<ActionGroup> groups() const;
    /// The job bar's cancel belongs to the same lists.
    void adoptCancel(QAction* cancel);

private:
    QAction* make(const QString& name, const QString& text, const QString& keys = {}, const QString& icon = {});
    void makePlaces();
    void makeFiles();
    void makeJudging();
    void makeLooks();
    void makeMenu();

    Context& m_context;
    QWidget* m_window;
    QMenu* m_menu = nullptr;
    QMenu* m_recent = nullptr;
    QAction* m_cancel = nullptr;
};

} // namespace assay::views
