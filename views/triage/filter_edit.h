// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

class QCompleter;
class QStringListModel;

namespace assay::views {

class Theme;

/// The filter line: completes keys and values of the filter language and underlines where a line stops making sense.
///
/// Enter applies; Esc goes back to the filter in force.
class FilterEdit final : public QLineEdit {
    Q_OBJECT
public:
    explicit FilterEdit(const Theme& theme, QWidget* parent = nullptr);

    /// The filter in force: shown, and what Esc comes back to.
    void setApplied(const QString& line);
    bool isApplied() const;

    /// What is wrong with the text as it stands, "" when it parses.
    QString problem() const;
    /// The line only stops too early: someone is still writing it.
    bool isUnfinished() const;

Q_SIGNALS:
    void applyRequested(const QString& line);
    void leaveRequested();
    void problemChanged(const QString& problem);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool focusNextPrevChild(bool next) override; ///< Tab takes the completion that is offered
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void check();
    void offerCompletions();
    void insertCompletion(const QString& completion);

    const Theme& m_theme;
    QStringListModel* m_completions;
    QCompleter* m_completer;
    QString m_applied;
    QString m_problem;
    int m_problemAt = -1; ///< in UTF-16 units
};

} // namespace assay::views
