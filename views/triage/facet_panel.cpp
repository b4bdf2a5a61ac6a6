// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/facet_panel.h"

#include "views/theme/theme.h"
#include "views/triage/facet_model.h"
#include "views/triage/triage_words.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kGroupHeight = 32;
constexpr int kValueHeight = 24;
constexpr int kLeft = 12; // of group titles
constexpr int kRight = 12;
constexpr int kMark = 14; // room for the check or the shape
constexpr int kBar = 2;   // thickness of the share bar
constexpr int kPreferredWidth = 220;

QFont withWeight(QFont font, QFont::Weight weight)
{
    font.setWeight(weight);
    return font;
}

void paintChevron(QPainter* painter, const QPointF& centre, bool open, const QColor& color)
{
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->setBrush(Qt::NoBrush);
    if (open)
        painter->drawPolyline(QPolygonF({centre + QPointF(-3.5, -1.5), centre + QPointF(0, 2), centre + QPointF(3.5, -1.5)}));
    else
        painter->drawPolyline(QPolygonF({centre + QPointF(-1.5, -3.5), centre + QPointF(2, 0), centre + QPointF(-1.5, 3.5)}));
}

/// A check for what is kept, a dash for what is left out.
void paintState(QPainter* painter, const QRectF& box, FacetModel::FacetState state, const QColor& color)
{
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF c = box.center();
    if (state == FacetModel::Included)
        painter->drawPolyline(QPolygonF({c + QPointF(-4, 0), c + QPointF(-1, 3), c + QPointF(4, -3.5)}));
    else
        painter->drawLine(c + QPointF(-4, 0), c + QPointF(4, 0));
}

} // namespace

FacetDelegate::FacetDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
{
}

QSize FacetDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    return {kPreferredWidth, index.parent().isValid() ? kValueHeight : kGroupHeight};
}

void FacetDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    painter->save();
    if (index.parent().isValid())
        paintValue(painter, option, index);
    else
        paintGroup(painter, option, index);
    if (option.state & QStyle::State_HasFocus) {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(m_theme.accent(), 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(QRectF(option.rect).adjusted(4.5, 1.5, -4.5, -1.5), 4, 4);
    }
    painter->restore();
}

void FacetDelegate::paintGroup(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QRect rect = option.rect.adjusted(kLeft, 8, -kRight, 0);
    const bool empty = index.model()->rowCount(index) == 0;
    paintChevron(painter, QPointF(rect.left() + 5, rect.center().y() + 1), option.state & QStyle::State_Open,
                 empty ? m_theme.line() : m_theme.mutedInk());
    painter->setFont(withWeight(m_theme.smallFont(), QFont::DemiBold));
    painter->setPen(empty ? m_theme.mutedInk() : m_theme.ink());
    painter->drawText(rect.adjusted(16, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
    const int chosen = index.data(FacetModel::ChosenRole).toInt();
    if (chosen > 0) {
        painter->setPen(m_theme.accent());
        painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, FacetPanel::tr("%1 in use").arg(chosen));
    } else if (empty) {
        painter->setFont(m_theme.smallFont());
        painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, FacetPanel::tr("none"));
    }
}

void FacetDelegate::paintValue(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    if (option.state & QStyle::State_MouseOver) {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(m_theme.hover());
        painter->drawRoundedRect(QRectF(option.rect).adjusted(4, 1, -4, -1), 4, 4);
    }
    const QRect rect = option.rect.adjusted(kLeft, 0, -kRight, 0);
    const QRect text = rect.adjusted(kMark + 4, 0, 0, -kBar);
    if (index.data(FacetModel::MoreRole).toBool()) {
        painter->setFont(m_theme.smallFont());
        painter->setPen(m_theme.accent());
        painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
        return;
    }
    const auto state = static_cast<FacetModel::FacetState>(index.data(FacetModel::StateRole).toInt());
    const QRectF mark(rect.left() - 1, rect.top() + (rect.height() - kBar - 12) / 2.0, 12, 12);
    if (state != FacetModel::Neutral)
        paintState(painter, mark, state, m_theme.accent());
    else if (index.data(FacetModel::FieldRole).toString() == u"outcome"_s)
        m_theme.paintCell(*painter, mark, words::cellFromName(index.data(FacetModel::ValueRole).toString().toStdString()));

    const qlonglong count = index.data(FacetModel::CountRole).toLongLong();
    painter->setFont(m_theme.numberFont());
    const QString number = words::countText(count);
    const int numberWidth = painter->fontMetrics().horizontalAdvance(number);
    painter->setPen(m_theme.mutedInk());
    painter->drawText(text, Qt::AlignRight | Qt::AlignVCenter, number);

    QFont font = state == FacetModel::Included ? withWeight(m_theme.uiFont(), QFont::DemiBold) : m_theme.uiFont();
    font.setStrikeOut(state == FacetModel::Excluded);
    painter->setFont(font);
    painter->setPen(count == 0 || state == FacetModel::Excluded ? m_theme.mutedInk() : m_theme.ink());
    const int room = text.width() - numberWidth - 8;
    painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, room));

    const QRectF track(text.left(), rect.bottom() - kBar, text.width(), kBar);
    QColor fill = m_theme.accent();
    fill.setAlphaF(state == FacetModel::Excluded ? 0.0F : state == FacetModel::Included ? 1.0F : 0.45F);
    QColor ground = m_theme.line();
    ground.setAlphaF(0.5F);
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->fillRect(track, ground);
    const double share = index.data(FacetModel::ShareRole).toDouble();
    if (count > 0)
        painter->fillRect(QRectF(track.topLeft(), QSizeF(std::max(2.0, track.width() * share), kBar)), fill);
}

FacetPanel::FacetPanel(FacetModel& model, const Theme& theme, QWidget* parent)
    : QTreeView(parent)
    , m_model(model)
{
    setObjectName(u"triage.facets"_s);
    setAccessibleName(tr("Facets"));
    setModel(&model);
    setItemDelegate(new FacetDelegate(theme, this));
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setIndentation(0);
    setItemsExpandable(false); // clicks and keys below decide
    setUniformRowHeights(false);
    setSelectionMode(NoSelection);
    setEditTriggers(NoEditTriggers);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    setFrameShape(NoFrame);
    setMouseTracking(true);
    setTabKeyNavigation(false);
    setMinimumWidth(160);
    expandAll();
    connect(&theme, &Theme::changed, viewport(), [this] {
        doItemsLayout();
        viewport()->update();
    });
}

QSize FacetPanel::sizeHint() const
{
    return {kPreferredWidth, 400};
}

QStringList FacetPanel::collapsed() const
{
    QStringList fields;
    for (int row = 0; row < m_model.rowCount(); ++row) {
        const QModelIndex group = m_model.index(row, 0);
        if (!isExpanded(group))
            fields << group.data(FacetModel::FieldRole).toString();
    }
    return fields;
}

void FacetPanel::setCollapsed(const QStringList& fields)
{
    for (int row = 0; row < m_model.rowCount(); ++row) {
        const QModelIndex group = m_model.index(row, 0);
        setExpanded(group, !fields.contains(group.data(FacetModel::FieldRole).toString()));
    }
}

void FacetPanel::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->button() == Qt::LeftButton ? indexAt(event->pos()) : QModelIndex();
    if (m_pressed.isValid())
        setCurrentIndex(m_pressed);
    event->accept();
}

void FacetPanel::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_pressed.isValid() && indexAt(event->pos()) == m_pressed)
        activateIndex(m_pressed, event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    m_pressed = QModelIndex();
}

// Two quick clicks are two clicks: keep, then let go again.
void FacetPanel::mouseDoubleClickEvent(QMouseEvent* event)
{
    mousePressEvent(event);
}

void FacetPanel::keyPressEvent(QKeyEvent* event)
{
    const QModelIndex index = currentIndex();
    const bool acts = event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (acts && index.isValid()) {
        activateIndex(index, event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
        return;
    }
    const bool group = index.isValid() && !index.parent().isValid();
    if (event->key() == Qt::Key_Left && index.isValid()) {
        if (group)
            collapse(index);
        else
            setCurrentIndex(index.parent());
        return;
    }
    if (event->key() == Qt::Key_Right && group) {
        expand(index);
        return;
    }
    QTreeView::keyPressEvent(event);
}

void FacetPanel::activateIndex(const QModelIndex& index, bool exclude)
{
    if (index.parent().isValid())
        m_model.activate(index, exclude);
    else
        setExpanded(index, !isExpanded(index));
}

void FacetPanel::contextMenuEvent(QContextMenuEvent* event)
{
    const QModelIndex index = event->reason() == QContextMenuEvent::Keyboard ? currentIndex() : indexAt(event->pos());
    if (!index.parent().isValid() || index.data(FacetModel::MoreRole).toBool())
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(u"triage.facetMenu"_s);
    const QPersistentModelIndex kept(index);
    const auto add = [&](const QString& text, bool exclude) {
        connect(menu->addAction(text), &QAction::triggered, this, [this, kept, exclude] {
            if (kept.isValid())
                m_model.activate(kept, exclude);
        });
    };
    const QString value = index.data().toString();
    if (index.data(FacetModel::StateRole).toInt() != FacetModel::Neutral) {
        add(tr("Take \"%1\" out of the filter").arg(value), false);
    } else {
        add(tr("Keep \"%1\"").arg(value), false);
        add(tr("Leave out \"%1\"").arg(value), true);
    }
    menu->popup(event->globalPos());
}

// The delegate draws the chevron; the style's own mark would stand beside it.
void FacetPanel::drawBranches(QPainter*, const QRect&, const QModelIndex&) const { }

// Letters are keys of the window.
void FacetPanel::keyboardSearch(const QString&) { }

} // namespace assay::views
