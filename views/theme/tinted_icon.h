// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIconEngine>
#include <QPointer>
#include <QString>

namespace assay::views {

class Theme;

/// An icon drawn from a monochrome SVG in the ink of the theme at the moment of painting: it follows a theme switch by itself.
class TintedIconEngine final : public QIconEngine {
public:
    TintedIconEngine(const Theme& theme, QString path);

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override;
    QIconEngine* clone() const override;
    QString key() const override;

private:
    QPixmap render(const QSize& pixels, QIcon::Mode mode, QIcon::State state) const;
    QPointer<const Theme> m_theme;
    QString m_path;
};

} // namespace assay::views
