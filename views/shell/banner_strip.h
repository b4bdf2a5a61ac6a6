// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;

namespace assay::views {

class Theme;
class Workspace;

/// What must stay in view for as long as it holds: results that were not measured, a file that cannot be written.
class BannerStrip final : public QFrame {
    Q_OBJECT
public:
    BannerStrip(Workspace& workspace, const Theme& theme, QWidget* parent = nullptr);

    QString text() const;

private:
    void refresh();
    void dress();
    Workspace& m_workspace;
    const Theme& m_theme;
    QLabel* m_icon = nullptr;
    QLabel* m_text = nullptr;
};

} // namespace assay::views
