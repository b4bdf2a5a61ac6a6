// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QRectF>
#include <QString>
#include <QVector>

class QPainter;

namespace assay::views {

/// A stretch of text in one look; `link` says which link of a panel it is, -1 for none.
struct TextRun {
    QString text;
    QFont font;
    QColor color;
    int link = -1;
};

/// Sets runs one after another on lines of a given width, on a common baseline, breaking between words.
class RunLayout {
public:
    /// @return the height used from @p top
    qreal set(const QVector<TextRun>& runs, qreal left, qreal top, qreal width, qreal leading = 1.3);

    /// Where run @p run stands (its first line's part).
    QRectF rectOf(int run) const;

    struct Piece {
        int run = 0;
        QString text;
        QPointF baseline;
        QRectF rect;
    };
    const QVector<Piece>& pieces() const { return m_pieces; }

private:
    QVector<Piece> m_pieces;
};

} // namespace assay::views
