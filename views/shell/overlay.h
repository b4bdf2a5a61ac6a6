// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QPointer>

namespace assay::views {

/// A panel above the window that is not a dialog: the window stays alive, Escape or a click elsewhere closes it and the
/// keyboard returns to where it was.
class Overlay : public QFrame {
    Q_OBJECT
public:
    explicit Overlay(QWidget* window);

    /// Shows the panel at the top of the window's middle and gives @p focus the keyboard.
    void present(QWidget* focus);
    void dismiss();

Q_SIGNALS:
    void dismissed();

protected:
    /// At most this size; the window may leave less.
    virtual QSize wantedSize() const = 0;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void place();

private:
    QWidget* m_window;
    QPointer<QWidget> m_focusBefore;
};

} // namespace assay::views
