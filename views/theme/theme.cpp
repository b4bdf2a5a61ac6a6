// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/theme.h"

#include "views/theme/cell_shape.h"
#include "views/theme/style_sheet.h"
#include "views/theme/tinted_icon.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPainter>
#include <QStyleFactory>

#include <qcustomplot.h>

// Resources of a static library are only linked in when something asks for them; the macro must stand outside every namespace.
static void registerIcons()
{
    Q_INIT_RESOURCE(icons);
}

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

/// The first of @p wanted that is installed, or "".
QString firstFamily(std::initializer_list<QString> wanted)
{
    for (const QString& family : wanted) {
        if (QFontDatabase::hasFamily(family))
            return family;
    }
    return {};
}

QColor mixed(const QColor& a, const QColor& b, qreal share)
{
    const auto mix = [share](int x, int y) { return static_cast<int>(x + (y - x) * share + 0.5); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

void styleAxis(QCPAxis& axis, const Theme& theme)
{
    axis.setBasePen(QPen(theme.line(), 1));
    axis.setTickPen(QPen(theme.line(), 1));
    axis.setSubTickPen(QPen(theme.line(), 1));
    axis.setTickLabelColor(theme.mutedInk());
    axis.setLabelColor(theme.ink());
    axis.setTickLabelFont(theme.smallFont());
    axis.setLabelFont(theme.smallFont());
    axis.grid()->setPen(QPen(mixed(theme.surface(), theme.line(), 0.6), 1));
    axis.grid()->setSubGridPen(QPen(mixed(theme.surface(), theme.line(), 0.3), 1));
    axis.grid()->setZeroLinePen(QPen(theme.line(), 1));
}

} // namespace

Theme::Theme(QObject* parent)
    : QObject(parent)
{
    registerIcons();
    // Before apply() the application still has the platform's palette; QStyleHints::colorScheme() only came with Qt 6.5.
    m_systemIsDark = qApp && QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
}

void Theme::setMode(Mode mode)
{
    if (mode == m_mode)
        return;
    m_mode = mode;
    if (m_application)
        apply(*m_application);
    Q_EMIT changed();
}

Theme::Mode Theme::mode() const
{
    return m_mode;
}

bool Theme::isDark() const
{
    return m_mode == Mode::Dark || (m_mode == Mode::System && m_systemIsDark);
}

void Theme::apply(QApplication& application)
{
    if (!m_application)
        application.setStyle(QStyleFactory::create(u"Fusion"_s));
    m_application = &application;
    application.setFont(uiFont());
    application.setPalette(palette());
    application.setStyleSheet(styleSheet(*this));
}

QColor Theme::surface() const
{
    return isDark() ? QColor(0x0F1419) : QColor(0xFFFFFF);
}

QColor Theme::raised() const
{
    return isDark() ? QColor(0x171C22) : QColor(0xF6F8FA);
}

QColor Theme::line() const
{
    return isDark() ? QColor(0x2D333B) : QColor(0xD0D7DE);
}

QColor Theme::ink() const
{
    return isDark() ? QColor(0xE6EDF3) : QColor(0x1F2328);
}

// 4.5 : 1 against surface() and raised() in both looks.
QColor Theme::mutedInk() const
{
    return isDark() ? QColor(0x9198A1) : QColor(0x59636E);
}

QColor Theme::accent() const
{
    return isDark() ? QColor(0x56B4E9) : QColor(0x0072B2);
}

QColor Theme::accentInk() const
{
    return isDark() ? QColor(0x0F1419) : QColor(0xFFFFFF);
}

QColor Theme::hover() const
{
    return mixed(surface(), accent(), isDark() ? 0.10 : 0.06);
}

QColor Theme::selected() const
{
    return mixed(surface(), accent(), isDark() ? 0.24 : 0.14);
}

QColor Theme::warning() const
{
    return mixed(surface(), cell(contract::StripCell::FailSoft), isDark() ? 0.20 : 0.16);
}

QColor Theme::cell(contract::StripCell cell) const
{
    using contract::StripCell;
    const bool dark = isDark();
    switch (cell) {
    case StripCell::Pass:
    case StripCell::PassWithNote:
        return dark ? QColor(0x2FBF95) : QColor(0x009E73);
    case StripCell::FailHard:
        return dark ? QColor(0xFF7A3D) : QColor(0xC8410B);
    case StripCell::FailSoft:
        return dark ? QColor(0xF2B84B) : QColor(0xC98700);
    case StripCell::Unsupported:
        return dark ? QColor(0xA98BDB) : QColor(0x7B61A8);
    case StripCell::Crash:
    case StripCell::Timeout:
        return dark ? QColor(0xFF6B6B) : QColor(0x8B1A1A);
    case StripCell::Unknown:
    case StripCell::Error:
        return dark ? QColor(0xC9D1D9) : QColor(0x3B3F46);
    case StripCell::Running:
        return accent();
    case StripCell::Inapplicable:
    case StripCell::NotExercised:
    case StripCell::Absent:
        break;
    }
    return dark ? QColor(0x6E7681) : QColor(0x9AA1AC);
}

QFont Theme::uiFont() const
{
    static const QString family = firstFamily({u"Inter"_s, u"DejaVu Sans"_s});
    QFont font = family.isEmpty() ? QFontDatabase::systemFont(QFontDatabase::GeneralFont) : QFont(family);
    font.setPointSizeF(10);
    return font;
}

QFont Theme::smallFont() const
{
    QFont font = uiFont();
    font.setPointSizeF(9);
    return font;
}

QFont Theme::titleFont() const
{
    QFont font = uiFont();
    font.setPointSizeF(15);
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont Theme::numberFont() const
{
    static const QString family = firstFamily({u"JetBrains Mono"_s, u"DejaVu Sans Mono"_s});
    QFont font = family.isEmpty() ? QFontDatabase::systemFont(QFontDatabase::FixedFont) : QFont(family);
    font.setStyleHint(QFont::Monospace);
    font.setPointSizeF(9);
    return font;
}

int Theme::rowHeight() const
{
    return m_dense ? 24 : 30;
}

void Theme::setDense(bool dense)
{
    if (dense == m_dense)
        return;
    m_dense = dense;
    if (m_application)
        apply(*m_application);
    Q_EMIT changed();
}

bool Theme::isDense() const
{
    return m_dense;
}

QIcon Theme::icon(const QString& name) const
{
    return QIcon(new TintedIconEngine(*this, u":/icons/%1.svg"_s.arg(name)));
}

void Theme::paintCell(QPainter& painter, const QRectF& rect, contract::StripCell cell) const
{
    const QColor colour = cell == contract::StripCell::Absent ? line() : this->cell(cell);
    drawCellShape(painter, rect, cell, colour, surface());
}

QPixmap Theme::cellPixmap(contract::StripCell cell, int side, qreal devicePixelRatio) const
{
    QPixmap pixmap(QSize(side, side) * devicePixelRatio);
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintCell(painter, QRectF(0, 0, side, side), cell);
    return pixmap;
}

void Theme::style(QCustomPlot& plot) const
{
    plot.setBackground(QBrush(surface()));
    for (int i = 0; i < plot.axisRectCount(); ++i) {
        plot.axisRect(i)->setBackground(QBrush(surface()));
        for (QCPAxis* axis : plot.axisRect(i)->axes())
            styleAxis(*axis, *this);
    }
    if (plot.legend) {
        plot.legend->setBrush(QBrush(raised()));
        plot.legend->setBorderPen(QPen(line(), 1));
        plot.legend->setTextColor(ink());
        plot.legend->setFont(smallFont());
    }
    for (int i = 0; i < plot.itemCount(); ++i) {
        if (auto* text = qobject_cast<QCPItemText*>(plot.item(i)))
            text->setColor(ink());
    }
    plot.replot(QCustomPlot::rpQueuedReplot);
}

QPalette Theme::palette() const
{
    QPalette p;
    p.setColor(QPalette::Window, raised());
    p.setColor(QPalette::WindowText, ink());
    p.setColor(QPalette::Base, surface());
    p.setColor(QPalette::AlternateBase, raised());
    p.setColor(QPalette::Text, ink());
    p.setColor(QPalette::PlaceholderText, mutedInk());
    p.setColor(QPalette::Button, raised());
    p.setColor(QPalette::ButtonText, ink());
    p.setColor(QPalette::BrightText, accentInk());
    p.setColor(QPalette::ToolTipBase, raised());
    p.setColor(QPalette::ToolTipText, ink());
    p.setColor(QPalette::Highlight, accent());
    p.setColor(QPalette::HighlightedText, accentInk());
    p.setColor(QPalette::Link, accent());
    p.setColor(QPalette::LinkVisited, accent());
    p.setColor(QPalette::Light, mixed(raised(), surface(), 0.5));
    p.setColor(QPalette::Midlight, raised());
    p.setColor(QPalette::Mid, line());
    p.setColor(QPalette::Dark, mixed(line(), ink(), 0.2));
    p.setColor(QPalette::Shadow, mixed(line(), ink(), 0.4));
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, mixed(surface(), mutedInk(), 0.6));
    p.setColor(QPalette::Disabled, QPalette::Highlight, line());
    return p;
}

} // namespace assay::views
