// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QLabel;
class QVBoxLayout;

namespace assay::views {

class Theme;

/// A page without data: says what will be here and names the next action. Never a dead end.
class EmptyState final : public QWidget {
    Q_OBJECT
public:
    EmptyState(const Theme& theme, const QString& icon, const QString& title, const QString& text, QWidget* parent = nullptr);

    /// A bulleted line under the text: what to do meanwhile, command included.
    void addHint(const QString& text);
    /// A button for @p action; the first one is the primary.
    void addAction(QAction* action);

private:
    void dress();
    const Theme& m_theme;
    QString m_iconName;
    QLabel* m_icon = nullptr;
    QLabel* m_title = nullptr;
    QVBoxLayout* m_hints = nullptr;
    QVBoxLayout* m_buttons = nullptr;
};

} // namespace assay::views
