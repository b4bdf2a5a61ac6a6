// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QList>

class QAction;
class QComboBox;
class QMenu;
class QToolButton;

namespace assay::views {

class Theme;
class Workspace;

/// Back and forward, the pages of the place, the audit that is shown, the way to everything else.
class TopBar final : public QFrame {
    Q_OBJECT
public:
    struct Actions {
        QAction* back;
        QAction* forward;
        QList<QAction*> pages; ///< of Triage
        QAction* palette;
        QAction* theme;
        QAction* menu; ///< opens the menu by keyboard
    };
    TopBar(Workspace& workspace, const Theme& theme, const Actions& actions, QMenu* menu, QWidget* parent = nullptr);

    /// The pages are Triage's; elsewhere they hide.
    void showPages(bool on);

private:
    QToolButton* addButton(QAction* action, const QString& look = {});
    void fillScopes();
    void chooseCurrent();

    Workspace& m_workspace;
    const Theme& m_theme;
    QWidget* m_pages = nullptr;
    QComboBox* m_scopes = nullptr;
};

} // namespace assay::views
