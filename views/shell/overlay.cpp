// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/overlay.h"

#include <QApplication>
#include <QKeyEvent>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kMargin = 24; // px to the window's edges
constexpr int kTop = 56;    // px: below the top bar
} // namespace

Overlay::Overlay(QWidget* window)
    : QFrame(window)
    , m_window(window)
{
    setProperty("look", u"overlay"_s);
    setFocusPolicy(Qt::StrongFocus);
    hide();
    window->installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        // Focus that leaves the program (now == nullptr) keeps the panel: the person may come back with something to paste.
        if (isVisible() && now && now != this && !isAncestorOf(now))
            dismiss();
    });
}

void Overlay::present(QWidget* focus)
{
    if (!isVisible())
        m_focusBefore = m_window->focusWidget();
    place();
    show();
    raise();
    focus->setFocus(Qt::ShortcutFocusReason);
}

void Overlay::dismiss()
{
    if (!isVisible())
        return;
    const QWidget* focus = QApplication::focusWidget();
    const bool hadFocus = focus && (focus == this || isAncestorOf(focus));
    hide();
    if (hadFocus && m_focusBefore && m_focusBefore->isVisible())
        m_focusBefore->setFocus(Qt::OtherFocusReason);
    Q_EMIT dismissed();
}

void Overlay::place()
{
    const QSize room(m_window->width() - 2 * kMargin, m_window->height() - kTop - kMargin);
    const QSize size = wantedSize().boundedTo(room);
    setGeometry((m_window->width() - size.width()) / 2, kTop, size.width(), size.height());
}

bool Overlay::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_window && event->type() == QEvent::Resize && isVisible())
        place();
    return QFrame::eventFilter(watched, event);
}

void Overlay::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        dismiss();
    else
        QFrame::keyPressEvent(event);
}

} // namespace assay::views
