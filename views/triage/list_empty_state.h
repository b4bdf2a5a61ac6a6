// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QLabel;
class QPushButton;

namespace assay::views {

/// What stands in place of a list that has nothing to show: why, and what to do next.
class ListEmptyState final : public QWidget {
    Q_OBJECT
public:
    explicit ListEmptyState(QWidget* parent = nullptr);

    /// @param action  offered as a button and named there with its key; nullptr for none
    void show(const QString& title, const QString& hint, QAction* action = nullptr);

private:
    QLabel* m_title;
    QLabel* m_hint;
    QPushButton* m_button;
    QAction* m_action = nullptr;
};

} // namespace assay::views
