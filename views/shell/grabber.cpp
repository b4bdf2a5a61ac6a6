// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/grabber.h"

#include <QImageWriter>
#include <QPixmap>
#include <QWidget>

namespace assay::views {

namespace {
constexpr int kLookMs = 10;
} // namespace

Grabber::Grabber(QWidget& window, std::function<bool()> isSettled, QObject* parent)
    : QObject(parent)
    , m_window(window)
    , m_isSettled(std::move(isSettled))
{
    connect(&m_look, &QTimer::timeout, this, &Grabber::look);
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        m_look.stop();
        Q_EMIT failed(tr("No picture: the window was still loading after %1 s").arg(kPatienceMs / 1000));
    });
}

void Grabber::start(const QString& path, QSize size)
{
    m_path = path;
    m_window.resize(size);
    m_window.show();
    m_look.start(kLookMs);
    m_patience.start(kPatienceMs);
}

void Grabber::look()
{
    m_quietLooks = m_isSettled() ? m_quietLooks + 1 : 0;
    if (m_quietLooks * kLookMs < kQuietMs)
        return;
    m_look.stop();
    m_patience.stop();
    // Without a display the pointer rests in a corner, which is nobody's wish to see what is under it.
    for (QWidget* widget : m_window.findChildren<QWidget*>())
        widget->setAttribute(Qt::WA_UnderMouse, false);
    QImageWriter writer(m_path, "png");
    if (writer.write(m_window.grab().toImage()))
        Q_EMIT saved(m_path);
    else
        Q_EMIT failed(tr("The picture cannot be written: %1: %2").arg(m_path, writer.errorString()));
}

} // namespace assay::views
