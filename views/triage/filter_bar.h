// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QTimer;
class QToolButton;

namespace assay::views {

struct Context;
class FilterEdit;
class SavedViewMenu;

/// Above the kernel list: the filter line, what is wrong with it, how many kernels it leaves, and the saved views.
class FilterBar final : public QWidget {
    Q_OBJECT
public:
    explicit FilterBar(Context& context, QWidget* parent = nullptr);

    FilterEdit& edit() const { return *m_edit; }
    SavedViewMenu& views() const { return *m_views; }
    /// Buttons at the right end: columns, export.
    void addButton(QAction* action);

    /// "1,043 of 2,638"; @p known false while the list is still being asked for: the last figures stay.
    void setCounts(std::int64_t shown, std::int64_t all, bool known);
    QString counts() const;

Q_SIGNALS:
    /// Down, Enter or Esc in the line: the keyboard goes to the list.
    void leaveRequested();
    /// A name for the view was given.
    void saveViewRequested(const QString& name);

private:
    void apply(const QString& line);
    void showApplied();
    void updateHint();
    void showProblem(bool shown);
    void askName(bool shown);
    QToolButton* button(const QString& icon, const QString& name);

    Context& m_context;
    FilterEdit* m_edit;
    QLabel* m_problem;
    QLabel* m_counts;
    QLabel* m_hint; ///< that the line is not in force yet
    QLabel* m_busy;
    QToolButton* m_clear;
    SavedViewMenu* m_views;
    QWidget* m_nameRow;
    QLineEdit* m_name;
    QTimer* m_busyTimer;
    QHBoxLayout* m_buttons;
};

} // namespace assay::views
