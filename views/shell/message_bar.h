// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/state/messages.h"

#include <QFrame>
#include <QTimer>

#include <deque>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace assay::views {

class Theme;

/// The window's one message bar. Messages queue; the most serious one shows first. Only information goes by itself; warnings and
/// errors stay until a person dismisses them. Never modal, never takes the focus.
class MessageBar final : public QFrame {
    Q_OBJECT
public:
    MessageBar(Messages& messages, const Theme& theme, QWidget* parent = nullptr);

    int count() const; ///< shown and waiting
    QString text() const;

public Q_SLOTS:
    void dismiss();

Q_SIGNALS:
    void countChanged(int count);

private:
    struct Message {
        Messages::Entry entry;
        QString action;
        std::function<void()> run;
    };
    void add(Message message);
    void show(const Message& message);
    void refresh();
    void copy() const;

    const Theme& m_theme;
    std::deque<Message> m_queue; ///< the front one is shown
    QTimer m_infoTimer;
    QLabel* m_icon = nullptr;
    QLabel* m_text = nullptr;
    QLabel* m_more = nullptr;
    QPushButton* m_action = nullptr;
    QPushButton* m_detailsButton = nullptr;
    QPushButton* m_copy = nullptr;
    QToolButton* m_close = nullptr;
    QPlainTextEdit* m_details = nullptr;
};

} // namespace assay::views
