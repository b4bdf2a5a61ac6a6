// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/shell/overlay.h"

#include <QList>

class QAction;
class QScrollArea;

namespace assay::views {

class Theme;

/// Actions of one part of the window, as the cheat sheet and the palette show them.
struct ActionGroup {
    QString title;
    QList<QAction*> actions;
};

/// Every shortcut of the window on one sheet (F1), built from the real actions, so that it never tells stale keys.
class CheatSheet final : public Overlay {
    Q_OBJECT
public:
    CheatSheet(const Theme& theme, QWidget* window);
    void open(const QList<ActionGroup>& groups);

protected:
    QSize wantedSize() const override;

private:
    QWidget* makeSheet(const QList<ActionGroup>& groups) const;
    const Theme& m_theme;
    QScrollArea* m_scroll = nullptr;
};

} // namespace assay::views
