// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSize>
#include <QTimer>

#include <functional>

class QWidget;

namespace assay::views {

/// Renders a window to a PNG once it has nothing left to load. Waits for the condition, never for a guess.
class Grabber final : public QObject {
    Q_OBJECT
public:
    /// @param isSettled  asked while the event loop runs; the picture is taken after it held for kQuiet
    Grabber(QWidget& window, std::function<bool()> isSettled, QObject* parent = nullptr);

    /// @param size  logical pixels; the picture has size times the device pixel ratio
    void start(const QString& path, QSize size);

    static constexpr int kQuietMs = 60; ///< delayed requests (typing pauses) start within it
    static constexpr int kPatienceMs = 60000;

Q_SIGNALS:
    void saved(const QString& path);
    void failed(const QString& message);

private:
    void look();
    QWidget& m_window;
    std::function<bool()> m_isSettled;
    QString m_path;
    QTimer m_look;
    QTimer m_patience;
    int m_quietLooks = 0;
};

} // namespace assay::views
