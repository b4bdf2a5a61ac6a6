// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/command_palette.h"

#include "views/theme/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kSize(640, 420);
constexpr int kRow = 32;
constexpr int kPad = 12;

/// Title on the left, section and keys on the right.
class EntryDelegate final : public QStyledItemDelegate {
public:
    EntryDelegate(const Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {0, kRow}; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        if (option.state & QStyle::State_Selected) {
            painter->fillRect(option.rect, m_theme.selected());
            painter->fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())), m_theme.accent());
        }
        QRect room = option.rect.adjusted(kPad + 4, 0, -kPad, 0);
        const QString keys = index.data(PaletteModel::KeysRole).toString();
        if (!keys.isEmpty()) {
            painter->setFont(m_theme.numberFont());
            painter->setPen(m_theme.mutedInk());
            painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, keys);
            room.setRight(room.right() - painter->fontMetrics().horizontalAdvance(keys) - 2 * kPad);
        }
        painter->setFont(m_theme.smallFont());
        painter->setPen(m_theme.mutedInk());
        const QString section = index.data(PaletteModel::SectionRole).toString();
        const int sectionWidth = painter->fontMetrics().horizontalAdvance(section);
        painter->setFont(m_theme.uiFont());
        const QString title = painter->fontMetrics().elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideRight,
                                                                room.width() - sectionWidth - kPad);
        painter->setPen(m_theme.ink());
        painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, title);
        const int titleWidth = painter->fontMetrics().horizontalAdvance(title);
        painter->setFont(m_theme.smallFont());
        painter->setPen(m_theme.mutedInk());
        painter->drawText(room.adjusted(titleWidth + kPad, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, section);
        painter->restore();
    }

private:
    const Theme& m_theme;
};

} // namespace

CommandPalette::CommandPalette(const Theme& theme, QWidget* window)
    : Overlay(window)
    , m_line(new QLineEdit(this))
    , m_list(new QListView(this))
    , m_nothing(new QLabel(tr("Nothing fits. Esc closes."), this))
{
    setObjectName(u"commandPalette"_s);
    setAccessibleName(tr("Command palette"));
    m_line->setObjectName(u"paletteLine"_s);
    m_line->setPlaceholderText(tr("Type an action, a place, a saved view or a kernel id"));
    m_line->setAccessibleName(tr("Search for an action"));
    m_line->setClearButtonEnabled(false);
    m_list->setObjectName(u"paletteList"_s);
    m_list->setAccessibleName(tr("Actions that fit"));
    m_list->setModel(&m_model);
    m_list->setItemDelegate(new EntryDelegate(theme, m_list));
    m_list->setUniformItemSizes(true);
    m_list->setMouseTracking(true);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_nothing->setProperty("look", u"muted"_s);
    m_nothing->setContentsMargins(kPad, kPad, kPad, kPad);

    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(8, 8, 8, 8);
    lines->setSpacing(8);
    lines->addWidget(m_line);
    lines->addWidget(m_list, 1);
    lines->addWidget(m_nothing, 1, Qt::AlignTop);

    m_line->installEventFilter(this);
    connect(m_line, &QLineEdit::textChanged, this, &CommandPalette::search);
    connect(m_list, &QListView::clicked, this, &CommandPalette::carryOut);
    connect(&theme, &Theme::changed, m_list, qOverload<>(&QWidget::update));
}

void CommandPalette::open(std::vector<PaletteEntry> entries, std::function<std::vector<PaletteEntry>(const QString&)> kernelQuery)
{
    m_fixed = std::move(entries);
    m_kernelQuery = std::move(kernelQuery);
    m_line->clear();
    search({});
    present(m_line);
}

void CommandPalette::append(std::vector<PaletteEntry> entries)
{
    std::ranges::copy(entries, std::back_inserter(m_fixed));
    search(m_line->text());
}

PaletteModel& CommandPalette::model()
{
    return m_model;
}

QSize CommandPalette::wantedSize() const
{
    return kSize;
}

void CommandPalette::search(const QString& text)
{
    std::vector<PaletteEntry> entries = m_kernelQuery ? m_kernelQuery(text.trimmed()) : std::vector<PaletteEntry>{};
    std::ranges::copy(m_fixed, std::back_inserter(entries));
    m_model.setQuery(text);
    m_model.setEntries(std::move(entries));
    m_list->setCurrentIndex(m_model.index(0));
    m_list->setVisible(m_model.rowCount() > 0);
    m_nothing->setVisible(m_model.rowCount() == 0);
}

void CommandPalette::carryOut(const QModelIndex& index)
{
    const auto command = m_model.command(index);
    dismiss();
    if (command)
        command();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_line || event->type() != QEvent::KeyPress)
        return Overlay::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const int row = m_list->currentIndex().row();
    const int page = std::max(1, m_list->viewport()->height() / kRow - 1);
    const auto moveTo = [this](int target) {
        m_list->setCurrentIndex(m_model.index(std::clamp(target, 0, std::max(0, m_model.rowCount() - 1))));
        return true;
    };
    switch (key->key()) {
    case Qt::Key_Down:
        return moveTo(row + 1);
    case Qt::Key_Up:
        return moveTo(row - 1);
    case Qt::Key_PageDown:
        return moveTo(row + page);
    case Qt::Key_PageUp:
        return moveTo(row - page);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        carryOut(m_list->currentIndex());
        return true;
    default:
        return false;
    }
}

} // namespace assay::views
