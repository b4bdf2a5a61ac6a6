// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/class_bar.h"
#include "views/diff/diff_page_p.h"
#include "views/diff/diff_toolbar.h"
#include "views/diff/layout_bar.h"
#include "views/diff/range_panel.h"
#include "views/diff/tensor_pane.h"
#include "views/diff/worst_model.h"
#include "views/theme/page_action.h"
#include "views/theme/table_look.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kLeastBelow = 150;       // px: range, overlays, and a few rows of the list
constexpr int kMostBelow = 240;        // px
constexpr double kBelowShare = 0.34;   // of the height, between the two
constexpr int kNarrow = 640;           // px: below, what stood beside each other stands below each other
constexpr QSize kLeastTable(200, 110); // px
constexpr int kWideEnough = 1000;      // px: below, the list leaves out the relative error
constexpr int kCramped = 840;          // px: below, the ulp, too, and digits of the values
} // namespace

void DiffPage::Private::build()
{
    stack = new QStackedLayout(&page);
    message = new QLabel(&page);
    message->setObjectName(u"diff.message"_s);
    message->setAlignment(Qt::AlignCenter);
    message->setWordWrap(true);
    message->setMargin(24);
    // Small windows scroll; pictures of a few pixels would be of no use.
    auto* scroll = new QScrollArea(&page);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    body = new QWidget(scroll);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 8, 0, 0);
    column->setSpacing(6);
    toolbar = new DiffToolbar(theme, body);
    layoutBar = toolbar->layoutBar();
    column->addWidget(toolbar);
    sentences = new QLabel(body);
    sentences->setObjectName(u"diff.sentences"_s);
    sentences->setWordWrap(true);
    sentences->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(sentences);
    split = new QSplitter(Qt::Vertical, body);
    connect(split, &QSplitter::splitterMoved, &page, [this] { isSplitByHand = true; });
    split->setChildrenCollapsible(false);
    split->addWidget(makePanes());
    split->addWidget(makeBelow());
    column->addWidget(split, 1);
    auto* line = new QHBoxLayout;
    picked = new QLabel(&page);
    picked->setObjectName(u"diff.picked"_s);
    picked->setAccessibleName(tr("Picked element"));
    picked->setFont(theme.numberFont());
    picked->setTextInteractionFlags(Qt::TextSelectableByMouse);
    picked->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    indexEdit = new QLineEdit(&page);
    indexEdit->setObjectName(u"diff.index"_s);
    indexEdit->setAccessibleName(tr("Go to index"));
    indexEdit->setPlaceholderText(tr("Go to index (Ctrl+G)"));
    indexEdit->setFixedWidth(170);
    line->addWidget(picked, 1);
    line->addWidget(indexEdit);
    scroll->setWidget(body);
    shownPair = new QWidget(&page);
    auto* outer = new QVBoxLayout(shownPair);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(6);
    outer->addWidget(scroll, 1);
    outer->addLayout(line);
    stack->addWidget(message);
    stack->addWidget(shownPair);
}

QWidget* DiffPage::Private::makePanes()
{
    auto* box = new QWidget(body);
    paneLayout = new QBoxLayout(QBoxLayout::LeftToRight, box);
    paneLayout->setContentsMargins(0, 0, 0, 6);
    paneLayout->setSpacing(4);
    const QString names[] = {tr("Reference"), tr("Candidate"), tr("Error")};
    for (int i = 0; i < 3; ++i) {
        panes[i] = new TensorPane(theme, viewport, static_cast<TensorPane::Side>(i), box);
        panes[i]->setObjectName(u"diff.pane%1"_s.arg(i));
        panes[i]->setAccessibleName(tr("%1 picture").arg(names[i]));
        paneLayout->addWidget(panes[i], 1);
    }
    return box;
}

QWidget* DiffPage::Private::makeBelow()
{
    auto* box = new QWidget(body);
    below = new QBoxLayout(QBoxLayout::LeftToRight, box);
    below->setContentsMargins(0, 6, 0, 0);
    below->setSpacing(12);
    auto* left = new QVBoxLayout;
    left->setSpacing(6);
    ranges = new RangePanel(theme, box);
    classes = new ClassBar(theme, box);
    left->addWidget(ranges, 1);
    left->addWidget(classes);
    worst = new WorstModel(&page);
    worstTable = new QTableView(box);
    worstTable->setObjectName(u"diff.worst"_s);
    worstTable->setAccessibleName(tr("Elements to look at first"));
    worstTable->setModel(worst);
    giveTableLook(*worstTable, theme);
    worstTable->setSelectionMode(QAbstractItemView::SingleSelection);
    worstTable->setFont(theme.numberFont());
    worstTable->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    worstTable->horizontalHeader()->setSectionResizeMode(WorstModel::Place, QHeaderView::ResizeToContents);
    worstTable->setMinimumSize(kLeastTable);
    worstTable->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored); // its rows scroll
    below->addLayout(left, 1);
    below->addWidget(worstTable, 1);
    return box;
}

void DiffPage::Private::makeActions()
{
    const auto add = [this](const QString& name, const QString& text, const QList<QKeySequence>& keys,
                            std::function<void()> run) { addPageAction(page, u"diff."_s + name, text, keys, std::move(run)); };
    add(u"metric"_s, tr("Error: next measure"), {u"X"_s}, [this] { toolbar->stepMetric(); });
    add(u"fit"_s, tr("Fit the colours to the data"), {u"R"_s}, [this] { ranges->fit(); });
    add(u"fitView"_s, tr("Fit the colours to what is in view"), {u"Shift+R"_s}, [this] { fitToView(); });
    add(u"previousSlice"_s, tr("Previous slice"), {u"["_s}, [this] { layoutBar->stepSlice(-1, false); });
    add(u"nextSlice"_s, tr("Next slice"), {u"]"_s}, [this] { layoutBar->stepSlice(1, false); });
    add(u"previousFailing"_s, tr("Previous slice with differences"), {u"Shift+["_s, u"{"_s, u"Shift+{"_s},
        [this] { layoutBar->stepSlice(-1, true); });
    add(u"nextFailing"_s, tr("Next slice with differences"), {u"Shift+]"_s, u"}"_s, u"Shift+}"_s},
        [this] { layoutBar->stepSlice(1, true); });
    add(u"whole"_s, tr("Show the whole tensor"), {u"0"_s}, [this] { viewport.fit(); });
}

void DiffPage::Private::connectParts()
{
    connect(toolbar, &DiffToolbar::pairChosen, &page, [this](int index) { choosePair(index); });
    connect(layoutBar, &LayoutBar::arrangementChanged, &page, [this] {
        hasTurned = true;
        look();
    });
    connect(toolbar, &DiffToolbar::metricChosen, &page, [this] {
        ranges->followErrors();
        look();
    });
    connect(toolbar, &DiffToolbar::modeChosen, &page, [this] { showMode(); });
    connect(toolbar, &DiffToolbar::boundEdited, &page, [this] { readBound(); });
    for (TensorPane* pane : panes)
        connect(pane, &TensorPane::clicked, &page, [this](QPointF position) { pickAt(position); });
    connect(ranges, &RangePanel::changed, &page, [this] { requestPicture(); });
    connect(classes, &ClassBar::overlaysChanged, &page, [this] { requestPicture(); });
    connect(worstTable, &QTableView::activated, &page, [this](const QModelIndex& index) {
        if (const diff::ExactPair* pair = worst->element(index.row()))
            page.goTo(pair->index);
    });
    worstTable->installEventFilter(&page);
    connect(indexEdit, &QLineEdit::returnPressed, &page, [this] { readIndex(); });
    connect(&viewport, &Viewport::changed, &page, [this] { requestPicture(); });
    connect(&viewport, &Viewport::pickChanged, &page, [this] { showPicked(); });
    connect(&engine, &DiffEngine::pyramidChanged, &page, [this] { showPyramid(); });
    connect(&engine, &DiffEngine::histogramsChanged, &page, [this] {
        ranges->setHistograms(engine.histograms());
        checkSettled();
    });
    connect(&engine, &DiffEngine::factsChanged, &page, [this] { showFacts(); });
    connect(&engine, &DiffEngine::failed, &page, [this](const QString& text) { page.showMessage(text); });
    connect(&pictures, &BackgroundTask::failed, &page, [this](const QString& text) { page.showMessage(text); });
}

/// Pictures come first: what is below gets what it needs and no more, unless a person has moved the border.
void DiffPage::Private::arrange()
{
    const int width = page.width();
    toolbar->setNarrow(width < kNarrow);
    worstTable->setColumnHidden(WorstModel::Relative, width < kWideEnough);
    worstTable->setColumnHidden(WorstModel::Ulp, width < kCramped);
    worst->setBrief(width < kCramped);
    worstTable->horizontalHeader()->setSectionResizeMode(WorstModel::Absolute,
                                                         width < kCramped ? QHeaderView::ResizeToContents : QHeaderView::Stretch);
    below->setDirection(width < kNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    body->layout()->activate();
    const int height = split->height();
    if (isSplitByHand || height <= 0)
        return;
    const int least = std::max(kLeastBelow, split->widget(1)->minimumSizeHint().height());
    const int share = std::clamp(static_cast<int>(kBelowShare * height), least, std::max(least, kMostBelow));
    split->setSizes({std::max(1, height - share), share});
}

} // namespace assay::views
