// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/link_panel.h"

#include "views/overview/copy_table.h"
#include "views/theme/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <cmath>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr qreal kFocusMargin = 3;

bool isTyping(const QKeyEvent& event)
{
    const auto held = event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier);
    const QString text = event.text();
    return held == Qt::NoModifier && !text.isEmpty() && (text[0].isLetterOrNumber() || text[0] == u'-' || text[0] == u'_');
}

} // namespace

LinkPanel::LinkPanel(const Theme& theme, const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_title(title)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(title);
    connect(&theme, &Theme::changed, this, [this] { refresh(); });
}

void LinkPanel::setCurrentLink(int index)
{
    if (index < 0 || index >= m_links.size() || index == m_current)
        return;
    m_current = index;
    update();
    announce();
    Q_EMIT currentLinkChanged(m_links[index].rect.toAlignedRect());
}

int LinkPanel::findLink(const QString& text) const
{
    for (int i = 0; i < m_links.size(); ++i) {
        if (m_links[i].typeKey.startsWith(text, Qt::CaseInsensitive))
            return i;
    }
    return -1;
}

int LinkPanel::arrangeFor(int width)
{
    if (width != m_arrangedWidth) {
        const QString meaning = m_current >= 0 && m_current < m_links.size() ? m_links[m_current].filter : QString();
        m_links.clear();
        m_hover = m_pressed = -1;
        m_height = static_cast<int>(std::ceil(arrange(width)));
        m_arrangedWidth = width;
        int current = -1;
        for (int i = 0; i < m_links.size() && !meaning.isEmpty(); ++i) {
            if (m_links[i].filter == meaning) {
                current = i;
                break;
            }
        }
        m_current = current >= 0 ? current : (m_links.isEmpty() ? -1 : 0);
        setAccessibleDescription(textAlternative());
    }
    return m_height;
}

void LinkPanel::refresh()
{
    m_arrangedWidth = -1;
    if (width() > 0)
        arrangeFor(width());
    updateGeometry();
    update();
}

int LinkPanel::addLink(PanelLink link)
{
    m_links.push_back(std::move(link));
    return static_cast<int>(m_links.size()) - 1;
}

void LinkPanel::setLinkRect(int index, const QRectF& rect)
{
    m_links[index].rect = rect;
}

QString LinkPanel::textAlternative() const
{
    QStringList lines{m_title};
    for (const QStringList& row : table())
        lines << row.join(u", "_s);
    return lines.join(u'\n');
}

QSize LinkPanel::sizeHint() const
{
    return {320, m_height};
}

QFont LinkPanel::textFont() const
{
    return m_theme.uiFont();
}

QFont LinkPanel::titleFont() const
{
    QFont font = textFont();
    font.setWeight(QFont::DemiBold);
    font.setPointSizeF(font.pointSizeF() * 1.08);
    return font;
}

QFont LinkPanel::smallFont() const
{
    QFont font = textFont();
    font.setPointSizeF(font.pointSizeF() * 0.88);
    return font;
}

QFont LinkPanel::numberFont() const
{
    QFont font = m_theme.numberFont();
    font.setPointSizeF(textFont().pointSizeF() * 0.95);
    return font;
}

qreal LinkPanel::drawTitle(QPainter& painter) const
{
    painter.setFont(titleFont());
    painter.setPen(m_theme.ink());
    painter.drawText(QRectF(0, 0, width(), kTitleHeight - 10), Qt::AlignLeft | Qt::AlignVCenter, m_title);
    return kTitleHeight;
}

QColor LinkPanel::linkColor(int index, const QColor& rest) const
{
    return isHot(index) || (m_isRingShown && hasFocus() && index >= 0 && index == m_current) ? m_theme.accent() : rest;
}

void LinkPanel::drawLink(QPainter& painter, int index, const QString& text, Qt::Alignment alignment, const QFont& font) const
{
    QFont shown = font;
    shown.setUnderline(isHot(index));
    painter.setFont(shown);
    painter.setPen(linkColor(index, m_theme.ink()));
    painter.drawText(m_links[index].rect, alignment | Qt::AlignVCenter, text);
}

bool LinkPanel::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        // Typing a family or a gate is worth more here than single-letter shortcuts of the window.
        if (isTyping(*static_cast<QKeyEvent*>(event))) {
            event->accept();
            return true;
        }
    } else if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int index = link_walk::at(m_links, help->pos());
        if (index < 0) {
            QToolTip::hideText();
            event->ignore();
        } else {
            QToolTip::showText(help->globalPos(), m_links[index].spoken, this, m_links[index].rect.toAlignedRect());
        }
        return true;
    }
    return QWidget::event(event);
}

void LinkPanel::paintEvent(QPaintEvent*)
{
    arrangeFor(width());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    draw(painter);
    if (m_isRingShown && hasFocus() && m_current >= 0 && m_current < m_links.size()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.accent(), 1.5));
        const QRectF ring
            = m_links[m_current].rect.adjusted(-kFocusMargin, -1, kFocusMargin, 1).intersected(rect().adjusted(1, 1, -1, -1));
        painter.drawRoundedRect(ring, 4, 4);
    }
}

void LinkPanel::resizeEvent(QResizeEvent* event)
{
    arrangeFor(event->size().width());
    QWidget::resizeEvent(event);
}

void LinkPanel::keyPressEvent(QKeyEvent* event)
{
    showRing(true);
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: {
        const int next = link_walk::neighbour(m_links, m_current, event->key());
        if (next >= 0)
            setCurrentLink(next);
        else
            Q_EMIT leftAtEdge(event->key(), m_current >= 0 ? m_links[m_current].rect.center().x() : 0);
        return;
    }
    case Qt::Key_Home:
        setCurrentLink(event->modifiers() & Qt::ControlModifier ? 0 : link_walk::rowEnd(m_links, m_current, true));
        return;
    case Qt::Key_End:
        setCurrentLink(event->modifiers() & Qt::ControlModifier ? int(m_links.size()) - 1
                                                                : link_walk::rowEnd(m_links, m_current, false));
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_current >= 0)
            Q_EMIT followed(m_links[m_current]);
        return;
    case Qt::Key_C:
        if (event->modifiers() == Qt::ControlModifier) {
            copyTable(false);
            return;
        }
        break;
    default:
        break;
    }
    if (isTyping(*event)) {
        Q_EMIT typed(event->text());
        return;
    }
    QWidget::keyPressEvent(event);
}

void LinkPanel::mouseMoveEvent(QMouseEvent* event)
{
    setHover(link_walk::at(m_links, event->position()));
}

void LinkPanel::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->button() == Qt::LeftButton ? link_walk::at(m_links, event->position()) : -1;
    if (m_pressed >= 0)
        setCurrentLink(m_pressed);
}

void LinkPanel::mouseReleaseEvent(QMouseEvent* event)
{
    const int released = link_walk::at(m_links, event->position());
    const bool follow = event->button() == Qt::LeftButton && released >= 0 && released == m_pressed;
    m_pressed = -1;
    if (follow)
        Q_EMIT followed(m_links[released]);
}

void LinkPanel::leaveEvent(QEvent*)
{
    setHover(-1);
}

void LinkPanel::showRing(bool shown)
{
    if (shown == m_isRingShown)
        return;
    m_isRingShown = shown;
    update();
}

void LinkPanel::focusInEvent(QFocusEvent* event)
{
    // A ring is for who uses the keyboard; a page that was just opened or clicked has none yet.
    showRing(event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason
             || event->reason() == Qt::ShortcutFocusReason);
    QWidget::focusInEvent(event);
    update();
    announce();
    if (m_current >= 0 && event->reason() != Qt::MouseFocusReason)
        Q_EMIT currentLinkChanged(m_links[m_current].rect.toAlignedRect());
}

void LinkPanel::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

void LinkPanel::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    const int index = event->reason() == QContextMenuEvent::Keyboard ? m_current : link_walk::at(m_links, event->pos());
    if (index >= 0) {
        menu.addAction(tr("List the kernels behind this number"), this, [this, index] { Q_EMIT followed(m_links[index]); });
        menu.addAction(tr("Copy the filter"), this, [this, index] {
            QApplication::clipboard()->setText(m_links[index].filter);
            Q_EMIT copied(tr("filter"));
        });
        menu.addSeparator();
    }
    menu.addAction(tr("Copy the table (tab-separated)"), this, [this] { copyTable(false); });
    menu.addAction(tr("Copy the table as Markdown"), this, [this] { copyTable(true); });
    menu.exec(event->globalPos());
}

void LinkPanel::setHover(int index)
{
    if (index == m_hover)
        return;
    m_hover = index;
    setCursor(index >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void LinkPanel::announce()
{
    if (m_current < 0 || m_current >= m_links.size())
        return;
    setAccessibleName(m_title + u": "_s + m_links[m_current].spoken);
}

void LinkPanel::copyTable(bool markdown)
{
    QApplication::clipboard()->setText(markdown ? toMarkdownTable(table()) : toTsv(table()));
    Q_EMIT copied(m_title);
}

} // namespace assay::views
