// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/sources_view.h"

#include "views/evidence/find_bar.h"
#include "views/evidence/hint_model.h"
#include "views/evidence/measure_text.h"
#include "views/evidence/source_editor.h"
#include "views/theme/table_look.h"
#include "views/theme/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QResizeEvent>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSideBySideWidth = 860; ///< narrower than this, lines of code would be cut on both sides
constexpr int kShaShown = 12;

QString sizeText(std::int64_t bytes)
{
    const QLocale english(QLocale::English);
    return bytes < 1024 ? SourcesView::tr("%1 bytes").arg(bytes) : english.formattedDataSize(bytes, 1);
}

} // namespace

SourcesView::SourcesView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_pages(new QStackedWidget(this))
    , m_empty(new QLabel(this))
    , m_split(new QSplitter(Qt::Vertical, this))
    , m_find(new FindBar(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeToolbar());
    layout->addWidget(m_find);
    layout->addWidget(m_pages, 1);
    layout->addWidget(makeHints());

    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMargin(24);
    m_reference = makeSide(tr("Reference source"));
    m_candidate = makeSide(tr("Candidate source"));
    m_split->addWidget(m_reference.box);
    m_split->addWidget(m_candidate.box);
    m_split->setChildrenCollapsible(false);
    m_mergedBox = new QWidget(this);
    auto* merged = new QVBoxLayout(m_mergedBox);
    merged->setContentsMargins(0, 0, 0, 0);
    merged->setSpacing(0);
    m_mergedCaption = new QLabel(m_mergedBox);
    m_mergedCaption->setContentsMargins(4, 4, 4, 4);
    m_merged = new SourceEditor(theme, tr("Difference between reference and candidate"), m_mergedBox);
    m_merged->setObjectName(u"mergedSource"_s);
    merged->addWidget(m_mergedCaption);
    merged->addWidget(m_merged, 1);
    for (QWidget* page : {static_cast<QWidget*>(m_empty), static_cast<QWidget*>(m_split), m_mergedBox})
        m_pages->addWidget(page);
    clear();
}

QWidget* SourcesView::makeToolbar()
{
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 4, 0, 4);
    layout->setSpacing(6);
    const auto button = [&](const QString& text, const QString& name, const QString& tip) {
        auto* made = new QPushButton(text, bar);
        made->setObjectName(name);
        made->setToolTip(tip);
        made->setFocusPolicy(Qt::TabFocus);
        layout->addWidget(made);
        return made;
    };
    m_diff = button(tr("Difference"), u"diffButton"_s, tr("Merge reference and candidate and mark what differs (Shift+D)"));
    m_diff->setCheckable(true);
    m_wrap = button(tr("Wrap"), u"wrapButton"_s, tr("Wrap long lines"));
    m_wrap->setCheckable(true);
    auto* find = button(tr("Find"), u"findButton"_s, tr("Find in the source (Ctrl+F)"));
    layout->addStretch(1);
    connect(m_diff, &QPushButton::toggled, this, [this](bool on) {
        showPage();
        Q_EMIT diffToggled(on);
    });
    connect(m_wrap, &QPushButton::toggled, this, [this](bool on) {
        for (SourceEditor* editor : {m_reference.editor, m_candidate.editor, m_merged})
            editor->setWrapped(on);
    });
    connect(find, &QPushButton::clicked, this, &SourcesView::openFind);
    return bar;
}

QWidget* SourcesView::makeHints()
{
    m_hintBox = new QWidget(this);
    auto* layout = new QVBoxLayout(m_hintBox);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(2);
    m_hints = new HintModel(this);
    m_hintTable = new QTableView(m_hintBox);
    m_hintTable->setModel(m_hints);
    m_hintTable->setObjectName(u"hintTable"_s);
    m_hintTable->setAccessibleName(tr("Hints on the candidate's source, not verdicts"));
    giveTableLook(*m_hintTable, m_theme);
    m_hintTable->setColumnWidth(HintModel::Line, 52);
    m_hintTable->horizontalHeader()->setStretchLastSection(true);
    layout->addWidget(m_hintTable);
    connect(m_hintTable, &QTableView::clicked, this, [this](const QModelIndex& index) { showHint(index.row()); });
    connect(m_hintTable, &QTableView::activated, this, [this](const QModelIndex& index) { showHint(index.row()); });
    return m_hintBox;
}

SourcesView::Side SourcesView::makeSide(const QString& name)
{
    Side side;
    side.box = new QWidget(this);
    auto* layout = new QVBoxLayout(side.box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    side.caption = new QLabel(side.box);
    side.caption->setContentsMargins(4, 4, 4, 4);
    side.caption->setTextInteractionFlags(Qt::TextSelectableByMouse);
    side.editor = new SourceEditor(m_theme, name, side.box);
    side.absent = new QLabel(side.box);
    side.absent->setAlignment(Qt::AlignCenter);
    side.absent->setWordWrap(true);
    layout->addWidget(side.caption);
    layout->addWidget(side.editor, 1);
    layout->addWidget(side.absent, 1);
    return side;
}

void SourcesView::showSide(Side& side, const QString& name, const SourceText& source)
{
    side.editor->setVisible(source.present);
    side.absent->setVisible(!source.present);
    if (!source.present) {
        side.caption->setText(name);
        side.absent->setText(tr("The corpus brought no source for it."));
        side.editor->setSource({}, {});
        return;
    }
    side.caption->setText(name + u"  \u00b7  "_s + sizeText(source.bytes) + u"  \u00b7  "_s
                          + measure_text::counted(source.lines, tr("line"), tr("lines")) + u"  \u00b7  sha256 "_s
                          + QString::fromStdString(source.sha256).left(kShaShown)
                          + (source.remark.isEmpty() ? QString() : u"  \u00b7  "_s + source.remark));
    side.caption->setToolTip(QString::fromStdString(source.sha256));
    side.editor->setSource(source.text, source.language);
}

QString SourcesView::diffSentence() const
{
    const LineDiff& diff = m_bundle->diff;
    if (diff.added == 0 && diff.removed == 0)
        return tr("Reference and candidate are the same, line by line.");
    const int same = int(diff.lines.size()) - diff.added - diff.removed;
    return tr("Reference to candidate: +%1 \u2212%2, %3 lines in common").arg(diff.added).arg(diff.removed).arg(same)
        + (diff.coarse ? tr("; too different to match line by line, shown as two blocks") : QString());
}

void SourcesView::showMerged()
{
    m_merged->setSource(m_bundle->merged, m_bundle->mergedLanguage);
    m_merged->setDiff(m_bundle->diff);
    m_mergedCaption->setText(diffSentence());
}

void SourcesView::setBundle(SourceBundlePtr bundle)
{
    m_bundle = std::move(bundle);
    showSide(m_reference, tr("Reference"), m_bundle->reference);
    showSide(m_candidate, tr("Candidate"), m_bundle->candidate);
    m_candidate.editor->setHints(m_bundle->hints);
    m_hints->setHints(m_bundle->hints);
    m_hintBox->setVisible(!m_bundle->hints.empty());
    fitHeight(*m_hintTable, 5);
    const bool both = m_bundle->reference.present && m_bundle->candidate.present;
    m_diff->setEnabled(both);
    if (both)
        showMerged();
    showPage();
}

void SourcesView::clear()
{
    m_bundle.reset();
    m_hintBox->hide();
    m_hints->setHints({});
    m_diff->setEnabled(false);
    showPage();
}

void SourcesView::setLoading(bool loading)
{
    if (loading && !m_bundle)
        m_empty->setText(tr("Reading the sources\u2026"));
    else if (!m_bundle)
        showPage();
}

void SourcesView::showPage()
{
    const bool any = m_bundle && (m_bundle->candidate.present || m_bundle->reference.present);
    const bool both = m_bundle && m_bundle->candidate.present && m_bundle->reference.present;
    m_wrap->setEnabled(any);
    if (!any) {
        m_empty->setText(m_bundle
                             ? tr("No source imported. Import the corpus' sources under the same corpus name to attach them.")
                             : QString());
        m_pages->setCurrentWidget(m_empty);
    } else if (both && m_diff->isChecked()) {
        m_pages->setCurrentWidget(m_mergedBox);
    } else {
        m_pages->setCurrentWidget(m_split);
    }
}

bool SourcesView::showsDiff() const
{
    return m_diff->isChecked();
}

void SourcesView::setShowsDiff(bool on)
{
    m_diff->setChecked(on);
}

SourceEditor* SourcesView::activeEditor() const
{
    if (m_pages->currentWidget() == m_mergedBox)
        return m_merged;
    return m_reference.editor->hasFocus() || !m_candidate.editor->isVisibleTo(this) ? m_reference.editor : m_candidate.editor;
}

void SourcesView::openFind()
{
    if (m_pages->currentWidget() != m_empty)
        m_find->openFor(activeEditor());
}

void SourcesView::showHint(int row)
{
    m_diff->setChecked(false);
    m_candidate.editor->showLine(m_hints->index(row, 0).data(HintModel::LineRole).toInt());
}

void SourcesView::resizeEvent(QResizeEvent* event)
{
    m_split->setOrientation(event->size().width() >= kSideBySideWidth ? Qt::Horizontal : Qt::Vertical);
    QWidget::resizeEvent(event);
}

} // namespace assay::views
