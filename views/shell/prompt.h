// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/shell/overlay.h"

#include <QList>

#include <functional>

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace assay::views {

class Theme;

/// Asks for one or two lines (a path, a kernel id) without a dialog. Paths complete while typing.
class Prompt final : public Overlay {
    Q_OBJECT
public:
    struct Field {
        QString label;
        QString text;
        QString placeholder;
        bool isPath = false;
    };
    struct Question {
        QString title;
        QString hint;
        QString accept; ///< label of the button
        QList<Field> fields;
        /// Called with the trimmed lines, "~" expanded in paths. @return "" to close, else why it cannot be done
        std::function<QString(const QStringList&)> answer;
    };

    Prompt(const Theme& theme, QWidget* window);
    void ask(const Question& question);
    /// Shows @p problem under the fields and keeps the panel open: an answer that turned out wrong later.
    void complain(const QString& problem);

protected:
    QSize wantedSize() const override;

private:
    void accept();
    QWidget* makeField(const Field& field);

    const Theme& m_theme;
    Question m_question;
    QLabel* m_title = nullptr;
    QLabel* m_hint = nullptr;
    QVBoxLayout* m_fields = nullptr;
    QList<QLineEdit*> m_lines;
    QLabel* m_problem = nullptr;
    QPushButton* m_accept = nullptr;
};

/// @p path with a leading "~" as the home folder, as an absolute path; "file:" URLs (dropped or pasted) as paths.
QString expandPath(const QString& path);

} // namespace assay::views
