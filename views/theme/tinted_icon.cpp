// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/tinted_icon.h"

#include "views/theme/theme.h"

#include <QFile>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace assay::views {

using namespace Qt::StringLiterals;

TintedIconEngine::TintedIconEngine(const Theme& theme, QString path)
    : m_theme(&theme)
    , m_path(std::move(path))
{
}

void TintedIconEngine::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state)
{
    const qreal scale = painter->device()->devicePixelRatioF();
    painter->drawPixmap(rect, scaledPixmap(rect.size() * scale, mode, state, scale));
}

QPixmap TintedIconEngine::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state)
{
    return render(size, mode, state);
}

QPixmap TintedIconEngine::scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale)
{
    QPixmap pixmap = render(size, mode, state);
    pixmap.setDevicePixelRatio(scale);
    return pixmap;
}

QIconEngine* TintedIconEngine::clone() const
{
    return new TintedIconEngine(*this);
}

QString TintedIconEngine::key() const
{
    return u"assay-tinted"_s;
}

QPixmap TintedIconEngine::render(const QSize& pixels, QIcon::Mode mode, QIcon::State state) const
{
    if (!m_theme || pixels.isEmpty())
        return {};
    const QColor colour = mode == QIcon::Disabled ? m_theme->line() : state == QIcon::On ? m_theme->accent() : m_theme->ink();
    const QString cacheKey = u"%1/%2/%3x%4"_s.arg(m_path, colour.name()).arg(pixels.width()).arg(pixels.height());
    QPixmap pixmap;
    if (QPixmapCache::find(cacheKey, &pixmap))
        return pixmap;
    QFile file(m_path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QSvgRenderer renderer(file.readAll().replace("currentColor", colour.name().toLatin1()));
    pixmap = QPixmap(pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    const int side = std::min(pixels.width(), pixels.height());
    renderer.render(&painter, QRectF((pixels.width() - side) / 2, (pixels.height() - side) / 2, side, side));
    painter.end();
    QPixmapCache::insert(cacheKey, pixmap);
    return pixmap;
}

} // namespace assay::views
