// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QsciScintilla;

namespace assay::views {

/// Finds text in one editor: Enter next, Shift+Enter previous, Escape closes.
class FindBar final : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(QWidget* parent = nullptr);

    /// Shows the bar for @p editor with its selection as the text.
    void openFor(QsciScintilla* editor);
    /// @return whether the text was found
    bool find(bool forward);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void close();
    int count() const;

    QPointer<QsciScintilla> m_editor;
    QLineEdit* m_text = nullptr;
    QLabel* m_state = nullptr;
};

} // namespace assay::views
