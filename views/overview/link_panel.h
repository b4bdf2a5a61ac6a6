// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/overview/link_walk.h"

#include <QFont>
#include <QStringList>
#include <QVector>
#include <QWidget>

namespace assay::views {

class Theme;

/// A painted table or figure whose numbers are links.
///
/// Subclasses lay out in arrange() and paint in draw(); this class does focus, arrow keys, hover, following, copying and the
/// text alternative. The arrow keys move between links and leave the panel at its edge; Home and End go to the ends of a row.
class LinkPanel : public QWidget {
    Q_OBJECT
public:
    LinkPanel(const Theme& theme, const QString& title, QWidget* parent = nullptr);

    const QString& title() const { return m_title; }
    const QVector<PanelLink>& links() const { return m_links; }
    int currentLink() const { return m_current; }
    void setCurrentLink(int index);
    /// Index of the first link whose type key starts with @p text (any case), or -1.
    int findLink(const QString& text) const;

    /// Lays out for @p width. @return the height the panel needs
    int arrangeFor(int width);

    /// The panel as rows of text, header first.
    virtual QVector<QStringList> table() const = 0;
    /// The panel in words: title and table.
    QString textAlternative() const;

    QSize sizeHint() const override;

Q_SIGNALS:
    void followed(const assay::views::PanelLink& link);
    void typed(const QString& text);
    void leftAtEdge(int key, qreal x); ///< an arrow key found no further link
    void currentLinkChanged(const QRect& rect);
    void copied(const QString& what);

protected:
    /// Fills links() through addLink() and keeps what draw() needs. @return height in pixels
    virtual qreal arrange(qreal width) = 0;
    virtual void draw(QPainter& painter) = 0;

    /// New data: lays out again, keeping the current link where one with the same meaning is left.
    void refresh();
    int addLink(PanelLink link);
    void setLinkRect(int index, const QRectF& rect);
    /// Draws @p text of link @p index right- or left-aligned, in the look of a link.
    void drawLink(QPainter& painter, int index, const QString& text, Qt::Alignment alignment, const QFont& font) const;
    QColor linkColor(int index, const QColor& rest) const;
    bool isHot(int index) const { return index >= 0 && index == m_hover; }

    const Theme& theme() const { return m_theme; }
    QFont titleFont() const;
    QFont textFont() const;
    QFont smallFont() const;
    QFont numberFont() const;
    qreal drawTitle(QPainter& painter) const;
    static constexpr qreal kTitleHeight = 32;

    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void showRing(bool shown);
    void setHover(int index);
    void announce();
    void copyTable(bool markdown);

    const Theme& m_theme;
    QString m_title;
    QVector<PanelLink> m_links;
    int m_current = -1;
    bool m_isRingShown = false;
    int m_hover = -1;
    int m_pressed = -1;
    int m_arrangedWidth = -1;
    int m_height = 0;
};

} // namespace assay::views
