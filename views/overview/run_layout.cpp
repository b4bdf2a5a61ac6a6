// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/run_layout.h"

#include <QFontMetricsF>

#include <algorithm>

namespace assay::views {

namespace {

/// Words with the blank that follows them.
QStringList words(const QString& text)
{
    QStringList result;
    qsizetype from = 0;
    while (from < text.size()) {
        qsizetype to = text.indexOf(u' ', from);
        to = to < 0 ? text.size() : to + 1;
        result << text.mid(from, to - from);
        from = to;
    }
    return result;
}

} // namespace

qreal RunLayout::set(const QVector<TextRun>& runs, qreal left, qreal top, qreal width, qreal leading)
{
    m_pieces.clear();
    qreal x = left;
    qreal y = top;
    qsizetype lineStart = 0;
    qreal ascent = 0;
    qreal height = 0;
    const auto endLine = [&] {
        for (qsizetype i = lineStart; i < m_pieces.size(); ++i) {
            const QFontMetricsF metrics(runs[m_pieces[i].run].font);
            m_pieces[i].baseline.setY(y + ascent);
            m_pieces[i].rect.moveTop(y + ascent - metrics.ascent());
        }
        y += height;
        lineStart = m_pieces.size();
        x = left;
        ascent = height = 0;
    };
    for (int r = 0; r < runs.size(); ++r) {
        const QFontMetricsF metrics(runs[r].font);
        for (const QString& word : words(runs[r].text)) {
            const qreal advance = metrics.horizontalAdvance(word);
            if (x > left && x + metrics.horizontalAdvance(word.trimmed()) > left + width)
                endLine();
            ascent = std::max(ascent, metrics.ascent());
            height = std::max(height, metrics.height() * leading);
            const bool continues = m_pieces.size() > lineStart && m_pieces.last().run == r;
            if (continues) {
                m_pieces.last().text += word;
                m_pieces.last().rect.setWidth(m_pieces.last().rect.width() + advance);
            } else {
                m_pieces.push_back({r, word, {x, 0}, {x, 0, advance, metrics.height()}});
            }
            x += advance;
        }
    }
    endLine();
    return y - top;
}

QRectF RunLayout::rectOf(int run) const
{
    const auto piece = std::find_if(m_pieces.begin(), m_pieces.end(), [run](const Piece& p) { return p.run == run; });
    return piece == m_pieces.end() ? QRectF() : piece->rect;
}

} // namespace assay::views
