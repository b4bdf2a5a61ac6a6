// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/cell_shape.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace assay::views {

namespace {

/// The square a shape lives in, and a pen that covers whole device pixels.
struct Frame {
    QRectF square;
    qreal unit = 1;  ///< a twelfth of the side
    qreal thin = 1;  ///< pen of outlines
    qreal heavy = 2; ///< pen of what must weigh
};

Frame frameIn(const QPainter& painter, const QRectF& rect)
{
    const qreal scale = painter.device() ? painter.device()->devicePixelRatioF() : 1.0;
    const auto snap = [scale](qreal length) { return std::round(length * scale) / scale; };
    const auto penOf = [&](qreal length) { return std::max(1.0 / scale, snap(length)); };
    // An even number of device pixels keeps the middle on a pixel edge and the shape symmetric.
    const qreal side = std::floor(std::min(rect.width(), rect.height()) * scale / 2.0) * 2.0 / scale;
    Frame frame;
    frame.square = QRectF(snap(rect.center().x() - side / 2), snap(rect.center().y() - side / 2), side, side);
    frame.unit = side / 12.0;
    frame.thin = penOf(1.25 * frame.unit);
    frame.heavy = penOf(1.9 * frame.unit);
    return frame;
}

QRectF inset(const QRectF& rect, qreal by)
{
    return rect.adjusted(by, by, -by, -by);
}

void disc(QPainter& painter, const Frame& f, const QColor& colour, qreal by)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(inset(f.square, by * f.unit));
}

void ring(QPainter& painter, const Frame& f, const QColor& colour, qreal width)
{
    painter.setPen(QPen(colour, width));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(inset(f.square, 1.0 * f.unit + width / 2));
}

void crossInSquare(QPainter& painter, const Frame& f, const QColor& colour, const QColor& ground)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(f.square, 1.5 * f.unit, 1.5 * f.unit);
    painter.setPen(QPen(ground, f.heavy, Qt::SolidLine, Qt::RoundCap));
    const QRectF arms = inset(f.square, 3.4 * f.unit);
    painter.drawLine(arms.topLeft(), arms.bottomRight());
    painter.drawLine(arms.topRight(), arms.bottomLeft());
}

void triangle(QPainter& painter, const Frame& f, const QColor& colour)
{
    const QRectF r = inset(f.square, 0.6 * f.unit);
    painter.setPen(QPen(colour, f.unit, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.setBrush(colour);
    const qreal low = r.bottom() - 0.9 * f.unit;
    painter.drawPolygon(QPolygonF{QPointF(r.center().x(), r.top() + 0.9 * f.unit), QPointF(r.right() - 0.4 * f.unit, low),
                                  QPointF(r.left() + 0.4 * f.unit, low)});
}

void dash(QPainter& painter, const Frame& f, const QColor& colour)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    const QPointF centre = f.square.center();
    painter.drawRect(QRectF(centre.x() - 3.5 * f.unit, centre.y() - f.heavy / 2, 7 * f.unit, f.heavy));
}

void barredCircle(QPainter& painter, const Frame& f, const QColor& colour)
{
    ring(painter, f, colour, f.thin);
    const qreal reach = (f.square.width() / 2 - 1.6 * f.unit) * M_SQRT1_2;
    const QPointF centre = f.square.center();
    painter.setPen(QPen(colour, f.heavy)); // a thin bar would leave it too close to the hollow disc
    painter.drawLine(centre + QPointF(-reach, reach), centre + QPointF(reach, -reach));
}

/// Four corners without the middles of the sides: a frame that broke.
void brokenSquare(QPainter& painter, const Frame& f, const QColor& colour)
{
    const QRectF r = inset(f.square, f.heavy / 2);
    const qreal arm = 2.6 * f.unit;
    painter.setPen(QPen(colour, f.heavy, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.setBrush(Qt::NoBrush);
    const auto corner = [&](QPointF at, qreal dx, qreal dy) {
        painter.drawPolyline(QPolygonF{at + QPointF(dx * arm, 0), at, at + QPointF(0, dy * arm)});
    };
    corner(r.topLeft(), 1, 1);
    corner(r.topRight(), -1, 1);
    corner(r.bottomLeft(), 1, -1);
    corner(r.bottomRight(), -1, -1);
}

void exclamation(QPainter& painter, const Frame& f, const QColor& colour)
{
    const QPointF centre = f.square.center();
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRect(QRectF(centre.x() - f.heavy / 2, centre.y() - 3.6 * f.unit, f.heavy, 4.4 * f.unit));
    painter.drawRect(QRectF(centre.x() - f.heavy / 2, centre.y() + 1.9 * f.unit, f.heavy, f.heavy));
}

/// A question mark built from strokes: a font's glyph is mud at 12 px.
void question(QPainter& painter, const Frame& f, const QColor& colour)
{
    const QPointF c = f.square.center();
    const qreal u = f.unit;
    QPainterPath hook;
    hook.moveTo(c + QPointF(-1.9 * u, -1.6 * u));
    hook.cubicTo(c + QPointF(-1.8 * u, -4.0 * u), c + QPointF(2.1 * u, -4.0 * u), c + QPointF(2.0 * u, -1.5 * u));
    hook.cubicTo(c + QPointF(2.0 * u, -0.2 * u), c + QPointF(0, -0.1 * u), c + QPointF(0, 1.3 * u));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, f.thin, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.drawPath(hook);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRect(QRectF(c.x() - f.thin / 2, c.y() + 2.2 * u, f.thin, f.thin));
}

void questionInSquare(QPainter& painter, const Frame& f, const QColor& colour)
{
    painter.setPen(QPen(colour, f.thin, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(inset(f.square, f.thin / 2));
    question(painter, f, colour);
}

void runningRing(QPainter& painter, const Frame& f, const QColor& colour)
{
    painter.setPen(QPen(colour, f.heavy, Qt::SolidLine, Qt::FlatCap));
    painter.setBrush(Qt::NoBrush);
    constexpr int kSixteenths = 16; // QPainter's unit of angle
    painter.drawArc(inset(f.square, 0.8 * f.unit + f.heavy / 2), 60 * kSixteenths, -290 * kSixteenths);
}

void passWithNote(QPainter& painter, const Frame& f, const QColor& colour)
{
    Frame lower = f;
    lower.square = QRectF(f.square.left(), f.square.top() + 2.5 * f.unit, 9.5 * f.unit, 9.5 * f.unit);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(inset(lower.square, 0.6 * f.unit));
    painter.drawRect(QRectF(f.square.right() - 3 * f.unit, f.square.top(), 3 * f.unit, 3 * f.unit));
}

} // namespace

void drawCellShape(QPainter& painter, const QRectF& rect, contract::StripCell cell, const QColor& colour, const QColor& ground)
{
    using contract::StripCell;
    const Frame f = frameIn(painter, rect);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    switch (cell) {
    case StripCell::Pass:
        disc(painter, f, colour, 0.8);
        break;
    case StripCell::PassWithNote:
        passWithNote(painter, f, colour);
        break;
    case StripCell::FailHard:
        crossInSquare(painter, f, colour, ground);
        break;
    case StripCell::FailSoft:
        triangle(painter, f, colour);
        break;
    case StripCell::Inapplicable:
        dash(painter, f, colour);
        break;
    case StripCell::Unsupported:
        barredCircle(painter, f, colour);
        break;
    case StripCell::NotExercised:
        ring(painter, f, colour, f.thin);
        break;
    case StripCell::Crash:
    case StripCell::Timeout:
        brokenSquare(painter, f, colour);
        exclamation(painter, f, colour);
        break;
    case StripCell::Unknown:
    case StripCell::Error:
        questionInSquare(painter, f, colour);
        break;
    case StripCell::Running:
        runningRing(painter, f, colour);
        break;
    case StripCell::Absent:
        disc(painter, f, colour, 5.0); // a speck that keeps the strip's grid readable
        break;
    }
    painter.restore();
}

QString cellTitle(contract::StripCell cell)
{
    using contract::StripCell;
    const auto say = [](const char* text) { return QCoreApplication::translate("StripCell", text); };
    switch (cell) {
    case StripCell::Absent:
        return say("not run");
    case StripCell::Pass:
        return say("passed");
    case StripCell::PassWithNote:
        return say("passed, with a note");
    case StripCell::FailHard:
        return say("failed, no tolerance involved");
    case StripCell::FailSoft:
        return say("failed by tolerance");
    case StripCell::Inapplicable:
        return say("not applicable");
    case StripCell::Unsupported:
        return say("not supported by the candidate");
    case StripCell::NotExercised:
        return say("not exercised");
    case StripCell::Crash:
        return say("candidate crashed");
    case StripCell::Timeout:
        return say("candidate hung");
    case StripCell::Unknown:
        return say("unknown");
    case StripCell::Error:
        return say("could not be judged");
    case StripCell::Running:
        return say("running");
    }
    return {};
}

} // namespace assay::views
