// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/published_section.h"

#include "views/overview/copy_table.h"
#include "views/overview/published_highlights.h"
#include "views/overview/published_model.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QShortcut>
#include <QTreeView>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

PublishedSection::PublishedSection(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_model(new PublishedModel(this))
    , m_title(new QLabel(tr("Published figures"), this))
    , m_remark(new QLabel(
          tr("As the audit's own files state them. Nothing here is recomputed, and no rows stand behind these numbers."), this))
    , m_highlights(new QLabel(this))
    , m_search(new QLineEdit(this))
    , m_tree(new QTreeView(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    for (QLabel* label : {m_title, m_remark, m_highlights}) {
        label->setWordWrap(true);
        layout->addWidget(label);
    }
    m_highlights->setTextFormat(Qt::RichText);
    m_highlights->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_highlights->setAccessibleName(tr("Published figures in sentences"));
    m_search->setPlaceholderText(tr("Find among the published figures"));
    m_search->setAccessibleName(tr("Find among the published figures"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(420);
    layout->addWidget(m_search);
    m_tree->setModel(m_model);
    m_tree->setAccessibleName(tr("All published figures"));
    m_tree->setUniformRowHeights(true);
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->setFixedHeight(240);
    m_tree->header()->setHighlightSections(false);
    m_tree->header()->setStretchLastSection(true);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    layout->addWidget(m_tree);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_model->setSearch(text);
        if (!text.isEmpty())
            m_tree->expandAll();
    });
    connect(m_tree, &QWidget::customContextMenuRequested, this, [this](const QPoint& position) {
        QMenu menu(m_tree);
        menu.addAction(tr("Copy (tab-separated)"), this, [this] { copySelection(false); });
        menu.addAction(tr("Copy as Markdown"), this, [this] { copySelection(true); });
        menu.exec(m_tree->viewport()->mapToGlobal(position));
    });
    auto* copy = new QShortcut(QKeySequence::Copy, m_tree, nullptr, nullptr, Qt::WidgetShortcut);
    connect(copy, &QShortcut::activated, this, [this] { copySelection(false); });
    connect(&theme, &Theme::changed, this, &PublishedSection::restyle);
    restyle();
}

void PublishedSection::setNumbers(const std::vector<report::PublishedNumber>& numbers)
{
    m_numbers = numbers;
    m_model->setNumbers(numbers);
    setHidden(numbers.empty());
    m_tree->setColumnWidth(PublishedModel::Name, 460);
    m_tree->setColumnWidth(PublishedModel::Value, 260);
    showHighlights();
}

void PublishedSection::showHighlights()
{
    QString html = u"<table cellspacing='0' cellpadding='3'>"_s;
    for (const PublishedHighlight& highlight : publishedHighlights(m_numbers)) {
        html
            += u"<tr><td style='color:%1;padding-right:18px;'>%2</td><td style='padding-right:18px;'>%3</td><td style='color:%1;'>%4</td></tr>"_s
                   .arg(m_theme.mutedInk().name(), highlight.title.toHtmlEscaped(), highlight.sentence.toHtmlEscaped(),
                        highlight.file.toHtmlEscaped());
    }
    m_highlights->setText(html + u"</table>"_s);
}

void PublishedSection::copySelection(bool markdown)
{
    QVector<QStringList> rows{{tr("figure"), tr("value"), tr("file")}};
    for (const QModelIndex& index : m_tree->selectionModel()->selectedRows()) {
        QStringList row;
        for (int column = 0; column < PublishedModel::ColumnCount; ++column)
            row << index.siblingAtColumn(column).data().toString();
        rows << row;
    }
    QApplication::clipboard()->setText(markdown ? toMarkdownTable(rows) : toTsv(rows));
    Q_EMIT copied(tr("published figures"));
}

void PublishedSection::restyle()
{
    QFont title = m_theme.uiFont();
    title.setWeight(QFont::DemiBold);
    title.setPointSizeF(title.pointSizeF() * 1.08);
    m_title->setFont(title);
    QPalette palette = m_remark->palette();
    palette.setColor(QPalette::WindowText, m_theme.mutedInk());
    m_remark->setPalette(palette);
    showHighlights();
}

} // namespace assay::views
