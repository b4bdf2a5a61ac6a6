// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/diff_page.h"

#include "core/tensorfile/tensor_layout.h"
#include "views/diff/background_task.h"
#include "views/diff/class_bar.h"
#include "views/diff/diff_engine.h"
#include "views/diff/diff_words.h"
#include "views/diff/layout_bar.h"
#include "views/diff/range_control.h"
#include "views/diff/segment_bar.h"
#include "views/diff/tensor_pane.h"
#include "views/diff/viewport.h"
#include "views/diff/worst_model.h"
#include "views/theme/number_text.h"
#include "views/theme/table_look.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <bit>
#include <cmath>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr double kMargin = 0.25;       // of the view, drawn around it: a short pan shows no edge
constexpr double kErrorDecades = 1e-4; // of the largest error: where a fitted logarithmic range begins
constexpr double kLongRows = 4;        // times as many columns as rows: panes stand below each other
constexpr int kBoundWidth = 64;        // px
constexpr int kLeastBelow = 150;       // px: range, overlays, and a few rows of the list
constexpr int kMostBelow = 240;        // px
constexpr double kBelowShare = 0.34;   // of the height, between the two
constexpr int kNarrow = 640;           // px: below, what stood beside each other stands below each other
constexpr QSize kLeastTable(200, 110); // px
constexpr int kWideEnough = 1000;      // px: below, the list leaves out the relative error

enum Mode { SideBySide, Blink, ErrorAlone };
enum Target { OfErrors, OfValues };

/// The range of one kind of picture.
struct Range {
    ScaleKind kind = ScaleKind::Linear;
    ColorScale::Map map = ColorScale::Map::Viridis;
    double low = 0;
    double high = 1;
    bool isFitted = true; ///< follows the data; a range that was dragged stays

    ColorScale scale() const { return {map, kind, low, high}; }
};

std::int64_t edgeFor(double scale, double devicePixelRatio)
{
    const double elements = 1 / (scale * devicePixelRatio);
    std::int64_t edge = 1;
    while (static_cast<double>(edge) < elements)
        edge *= 2;
    return edge;
}

} // namespace

struct DiffPage::Private {
    Private(DiffPage& owner, const Theme& sharedTheme)
        : page(owner)
        , theme(sharedTheme)
    {
    }

    void build();
    void arrange();
    QWidget* makeToolbar();
    QWidget* makePanes();
    QWidget* makeBelow();
    void makeActions();
    void addAction(const QString& name, const QString& text, const QList<QKeySequence>& keys, std::function<void()> run);
    void connectParts();

    void restyle();
    void choosePair(int index);
    DiffView view() const;
    void look();
    void showMode();
    void showPyramid();
    void showHistogram();
    void showFacts();
    void showWorstSlice();
    void showPicked();
    void showCaptions();
    void setRange(Target target, double low, double high);
    void setScaleKind(ScaleKind kind);
    void fitRanges();
    void fitToView();
    void fitErrors(double largest);
    void fitValues(double least, double greatest);
    void updateRangeControl();
    void requestPicture();
    void pickAt(QPointF position);
    void setBlinking(bool on);
    void readIndex();
    void readBound();
    void checkSettled();
    Range& range(Target target) { return target == OfErrors ? errors : values; }
    Target target() const { return static_cast<Target>(targets->current()); }

    DiffPage& page;
    const Theme& theme;
    DiffSources sources;
    Viewport viewport;
    Range errors{ScaleKind::Log};
    Range values;
    bool isFirstPicture = true;
    bool hasTurned = false; ///< another slice was asked for, or the first one has been found
    bool wasSettled = true;
    diff::Arrangement shown;                         ///< that the viewport is set to
    std::optional<std::vector<std::int64_t>> wanted; ///< index to pick once its slice is there
    DiffPicturePtr picture;

    bool isSplitByHand = false;

    QStackedLayout* stack = nullptr;
    QSplitter* split = nullptr;
    QLabel* message = nullptr;
    QWidget* body = nullptr;
    QWidget* shownPair = nullptr; ///< the body in what scrolls it, and below it what is picked
    QBoxLayout* measures = nullptr;
    QLabel* title = nullptr;
    QComboBox* pairs = nullptr;
    LayoutBar* layoutBar = nullptr;
    SegmentBar* metrics = nullptr;
    SegmentBar* modes = nullptr;
    SegmentBar* scales = nullptr;
    SegmentBar* targets = nullptr;
    QLineEdit* absolute = nullptr;
    QLineEdit* relative = nullptr;
    QLabel* sentences = nullptr;
    QBoxLayout* paneLayout = nullptr;
    TensorPane* panes[3] = {};
    RangeControl* control = nullptr;
    QLabel* zeros = nullptr;
    QBoxLayout* below = nullptr;
    ClassBar* classes = nullptr;
    WorstModel* worst = nullptr;
    QTableView* worstTable = nullptr;
    QLabel* picked = nullptr;
    QLineEdit* indexEdit = nullptr;

    DiffEngine engine;
    BackgroundTask pictures{BackgroundTask::WhenBusy::Finish};
};

DiffPage::DiffPage(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>(*this, theme))
{
    setAccessibleName(tr("Output difference"));
    d->build();
    d->makeActions();
    d->connectParts();
    showMessage(tr("There are no tensors to compare."));
}

DiffPage::~DiffPage() = default;

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
    column->addWidget(makeToolbar());
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

QWidget* DiffPage::Private::makeToolbar()
{
    auto* bar = new QWidget(body);
    auto* rows = new QVBoxLayout(bar);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(6);
    title = new QLabel(bar);
    title->setObjectName(u"diff.title"_s);
    title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    pairs = new QComboBox(bar);
    pairs->setObjectName(u"diff.pairs"_s);
    pairs->setAccessibleName(tr("Tensor"));
    pairs->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    layoutBar = new LayoutBar(theme, bar);
    metrics = new SegmentBar(theme, tr("Error"), bar);
    metrics->setObjectName(u"diff.metric"_s);
    metrics->add(int(diff::Metric::Absolute), tr("abs"), tr("Absolute error (X steps through the four)"));
    metrics->add(int(diff::Metric::Relative), tr("rel"), tr("Error over the reference's magnitude"));
    metrics->add(int(diff::Metric::Ulp), tr("ulp"), tr("Units in the last place of the reference's type"));
    metrics->add(int(diff::Metric::OverBound), tr("bound"), tr("Error over what atol + rtol \u00d7 |reference| allows"));
    modes = new SegmentBar(theme, tr("Pictures"), bar);
    modes->setObjectName(u"diff.mode"_s);
    modes->add(SideBySide, tr("Side by side"), tr("Reference, candidate and error"));
    modes->add(Blink, tr("Blink"), tr("The reference; the candidate in its place while B is held"));
    modes->add(ErrorAlone, tr("Error"), tr("The error alone"));
    const auto bound = [&](const QString& name) {
        auto* edit = new QLineEdit(bar);
        edit->setPlaceholderText(name);
        edit->setAccessibleName(tr("Bound: %1").arg(name));
        edit->setToolTip(
            tr("An element is within the bound where |candidate \u2212 reference| \u2264 atol + rtol \u00d7 |reference|"));
        edit->setFixedWidth(kBoundWidth);
        return edit;
    };
    absolute = bound(u"atol"_s);
    absolute->setObjectName(u"diff.atol"_s);
    relative = bound(u"rtol"_s);
    relative->setObjectName(u"diff.rtol"_s);
    auto* first = new QHBoxLayout;
    first->setSpacing(8);
    first->addWidget(title);
    first->addWidget(pairs);
    first->addWidget(layoutBar->axes());
    first->addStretch(1);
    measures = new QBoxLayout(QBoxLayout::LeftToRight);
    measures->setSpacing(8);
    auto* bounds = new QHBoxLayout;
    bounds->setSpacing(8);
    for (QWidget* part : std::initializer_list<QWidget*>{metrics, absolute, relative})
        bounds->addWidget(part);
    bounds->addStretch(1);
    measures->addWidget(modes);
    measures->addLayout(bounds, 1);
    rows->addLayout(first);
    rows->addLayout(measures);
    rows->addWidget(layoutBar);
    return bar;
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
    targets = new SegmentBar(theme, tr("Range of"), box);
    targets->setObjectName(u"diff.target"_s);
    targets->add(OfErrors, tr("Error"), tr("The range below is that of the error"));
    targets->add(OfValues, tr("Values"), tr("The range below is that of reference and candidate, which share it"));
    scales = new SegmentBar(theme, tr("Scale"), box);
    scales->setObjectName(u"diff.scale"_s);
    scales->add(int(ScaleKind::Linear), tr("linear"), tr("Colours spread evenly"));
    scales->add(int(ScaleKind::Log), tr("log"), tr("Colours spread by magnitude; needs values above zero"));
    scales->add(int(ScaleKind::SymLog), tr("symlog"), tr("By magnitude on both sides of zero"));
    auto* choices = new QHBoxLayout;
    choices->setSpacing(8);
    choices->addWidget(targets);
    choices->addWidget(scales);
    zeros = new QLabel(box);
    zeros->setObjectName(u"diff.zeros"_s);
    zeros->setProperty("look", u"muted"_s);
    choices->addWidget(zeros);
    choices->addStretch(1);
    control = new RangeControl(theme, box);
    control->setObjectName(u"diff.range"_s);
    classes = new ClassBar(theme, box);
    left->addLayout(choices);
    left->addWidget(control, 1);
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

void DiffPage::Private::addAction(const QString& name, const QString& text, const QList<QKeySequence>& keys,
                                  std::function<void()> run)
{
    auto* action = new QAction(text, &page);
    action->setObjectName(u"diff."_s + name);
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, &page, [run = std::move(run)] { run(); });
    page.addAction(action);
}

void DiffPage::Private::makeActions()
{
    addAction(u"metric"_s, tr("Error: next measure"), {u"X"_s}, [this] { metrics->step(); });
    addAction(u"fit"_s, tr("Fit the colours to the data"), {u"R"_s}, [this] { fitRanges(); });
    addAction(u"fitView"_s, tr("Fit the colours to what is in view"), {u"Shift+R"_s}, [this] { fitToView(); });
    addAction(u"previousSlice"_s, tr("Previous slice"), {u"["_s}, [this] { layoutBar->stepSlice(-1, false); });
    addAction(u"nextSlice"_s, tr("Next slice"), {u"]"_s}, [this] { layoutBar->stepSlice(1, false); });
    addAction(u"previousFailing"_s, tr("Previous slice with differences"), {u"Shift+["_s, u"{"_s, u"Shift+{"_s},
              [this] { layoutBar->stepSlice(-1, true); });
    addAction(u"nextFailing"_s, tr("Next slice with differences"), {u"Shift+]"_s, u"}"_s, u"Shift+}"_s},
              [this] { layoutBar->stepSlice(1, true); });
    addAction(u"whole"_s, tr("Show the whole tensor"), {u"0"_s}, [this] { viewport.fit(); });
}

void DiffPage::Private::connectParts()
{
    connect(&theme, &Theme::changed, &page, [this] { restyle(); });
    connect(pairs, &QComboBox::activated, &page, [this](int index) { choosePair(index); });
    connect(layoutBar, &LayoutBar::arrangementChanged, &page, [this] {
        hasTurned = true;
        look();
    });
    connect(metrics, &SegmentBar::chosen, &page, [this] {
        errors.isFitted = true;
        look();
    });
    connect(modes, &SegmentBar::chosen, &page, [this] { showMode(); });
    connect(targets, &SegmentBar::chosen, &page, [this] { updateRangeControl(); });
    connect(scales, &SegmentBar::chosen, &page, [this](int kind) { setScaleKind(static_cast<ScaleKind>(kind)); });
    for (QLineEdit* edit : {absolute, relative})
        connect(edit, &QLineEdit::editingFinished, &page, [this] { readBound(); });
    for (TensorPane* pane : panes)
        connect(pane, &TensorPane::clicked, &page, [this](QPointF position) { pickAt(position); });
    connect(control, &RangeControl::rangeChanged, &page, [this](double low, double high) { setRange(target(), low, high); });
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
        updateRangeControl();
        checkSettled();
    });
    connect(&engine, &DiffEngine::factsChanged, &page, [this] { showFacts(); });
    connect(&engine, &DiffEngine::failed, &page, [this](const QString& text) { page.showMessage(text); });
    connect(&pictures, &BackgroundTask::failed, &page, [this](const QString& text) { page.showMessage(text); });
}

void DiffPage::Private::restyle()
{
    if (values.map != ColorScale::Map::Viridis)
        values.map = theme.isDark() ? ColorScale::Map::DarkDiverging : ColorScale::Map::Diverging;
    updateRangeControl();
    requestPicture();
}

void DiffPage::setSources(DiffSources sources, const QString& title)
{
    d->sources = std::move(sources);
    if (d->sources.pairs.empty()) {
        showMessage(d->sources.refusals.isEmpty() ? tr("There are no tensors to compare.") : d->sources.refusals.join(u'\n'));
        return;
    }
    d->title->setText(title);
    d->title->setVisible(!title.isEmpty());
    const QSignalBlocker quiet(d->pairs);
    d->pairs->clear();
    for (const DiffSourcePtr& pair : d->sources.pairs)
        d->pairs->addItem(pair->name);
    d->pairs->setVisible(d->sources.pairs.size() > 1 || !d->sources.pairs.front()->name.isEmpty());
    d->stack->setCurrentWidget(d->shownPair);
    setFocusProxy(d->panes[0]);
    d->choosePair(0);
}

void DiffPage::showMessage(const QString& text)
{
    d->sources = {};
    d->pictures.cancel();
    d->engine.setSource(nullptr, {});
    d->picture.reset();
    d->message->setText(text);
    d->stack->setCurrentWidget(d->message);
    d->checkSettled();
}

bool DiffPage::hasPair() const
{
    return d->engine.source() != nullptr;
}

bool DiffPage::isSettled() const
{
    return !d->engine.isBusy() && !d->pictures.isRunning();
}

void DiffPage::Private::checkSettled()
{
    const bool isNow = page.isSettled();
    if (isNow && !std::exchange(wasSettled, isNow))
        Q_EMIT page.settled();
    wasSettled = isNow;
}

void DiffPage::Private::choosePair(int index)
{
    const DiffSourcePtr& source = sources.pairs[static_cast<std::size_t>(index)];
    pairs->setCurrentIndex(index);
    layoutBar->setShape(source->reference.view.shape);
    errors = Range{ScaleKind::Log};
    values = {};
    isFirstPicture = true;
    hasTurned = false;
    wasSettled = false;
    wanted.reset();
    shown = {};
    picture.reset();
    for (TensorPane* pane : panes)
        pane->setPicture(nullptr);
    worst->setElements({});
    classes->clear();
    sentences->setText(tr("Comparing\u2026"));
    engine.setSource(source, view());
    showMode();
    showPicked();
}

DiffView DiffPage::Private::view() const
{
    DiffView wantedView;
    wantedView.arrangement = layoutBar->arrangement();
    wantedView.metric = static_cast<diff::Metric>(metrics->current());
    const DiffSourcePtr& source
        = pairs->currentIndex() >= 0 ? sources.pairs[static_cast<std::size_t>(pairs->currentIndex())] : nullptr;
    if (wantedView.metric == diff::Metric::Ulp && source && source->countsUlpOfCandidate())
        wantedView.metric = diff::Metric::UlpOfCandidate;
    bool isAbsolute = false, isRelative = false;
    const double a = absolute->text().toDouble(&isAbsolute), r = relative->text().toDouble(&isRelative);
    if ((isAbsolute && a >= 0) || (isRelative && r >= 0))
        wantedView.bound = diff::Bound{isAbsolute ? std::max(0.0, a) : 0, isRelative ? std::max(0.0, r) : 0};
    return wantedView;
}

void DiffPage::Private::look()
{
    wasSettled = false;
    engine.setView(view());
    showCaptions();
    checkSettled();
}

void DiffPage::Private::showMode()
{
    const auto mode = static_cast<Mode>(modes->current());
    panes[0]->setVisible(mode != ErrorAlone);
    panes[1]->setVisible(mode == SideBySide);
    panes[2]->setVisible(mode != Blink);
    page.setFocusProxy(panes[mode == ErrorAlone ? 2 : 0]);
    showCaptions();
}

void DiffPage::Private::showCaptions()
{
    const DiffSourcePtr& source = engine.source();
    if (!source)
        return;
    const auto told = [](const tensorfile::LoadedTensor& tensor) -> QString {
        const std::string_view dtype = tensor::name(tensor.view.dtype);
        return QString::fromLatin1(dtype.data(), qsizetype(dtype.size())) + u' '
            + QString::fromStdString(tensorfile::shapeText(tensor.view.shape));
    };
    panes[0]->setCaption(told(source->reference));
    panes[1]->setCaption(told(source->candidate));
    panes[2]->setCaption(diff_words::metric(view().metric));
}

void DiffPage::Private::showPyramid()
{
    const auto& pyramid = engine.pyramid();
    diff::Arrangement place = engine.view().arrangement;
    std::ranges::fill(place.at, 0); // another slice is looked at from the same spot
    if (isFirstPicture || place != shown) {
        shown = place;
        // Long rows get the whole width each, else three thirds of it would be mostly empty.
        const bool isLong
            = static_cast<double>(pyramid->reference().columns()) > kLongRows * static_cast<double>(pyramid->reference().rows());
        paneLayout->setDirection(isLong ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
        paneLayout->activate();
        viewport.setPlane(pyramid->reference().rows(), pyramid->reference().columns());
    }
    if (errors.isFitted)
        fitErrors(pyramid->largestError());
    if (values.isFitted)
        fitValues(pyramid->leastValue(), pyramid->greatestValue());
    updateRangeControl();
    requestPicture();
    if (const auto index = std::exchange(wanted, std::nullopt))
        page.goTo(*index);
    showPicked();
}

void DiffPage::Private::fitErrors(double largest)
{
    errors.isFitted = true;
    errors.high = largest > 0 ? largest : 1;
    errors.low = errors.kind == ScaleKind::Log ? errors.high * kErrorDecades : 0;
}

void DiffPage::Private::fitValues(double least, double greatest)
{
    values.isFitted = true;
    const double magnitude = std::max(std::fabs(least), std::fabs(greatest));
    if (least < 0 && values.kind != ScaleKind::Log) {
        values.map = theme.isDark() ? ColorScale::Map::DarkDiverging : ColorScale::Map::Diverging;
        values.low = -magnitude;
        values.high = magnitude;
        return;
    }
    values.map = ColorScale::Map::Viridis;
    values.low = values.kind == ScaleKind::Log ? std::max(least, magnitude * kErrorDecades) : least;
    values.high = greatest;
    if (!(values.low < values.high)) { // all values are the same
        values.low = values.kind == ScaleKind::Log && magnitude > 0 ? magnitude / 2 : values.low - 1;
        values.high = values.low + std::max(1.0, magnitude);
    }
}

void DiffPage::Private::fitRanges()
{
    if (const auto& pyramid = engine.pyramid()) {
        fitErrors(pyramid->largestError());
        fitValues(pyramid->leastValue(), pyramid->greatestValue());
        updateRangeControl();
        requestPicture();
    }
}

void DiffPage::Private::fitToView()
{
    if (!picture)
        return;
    const diff::CellGrid& grid = picture->grid;
    const diff::ElementRect seen = viewport.visible();
    double largest = 0, least = HUGE_VAL, greatest = -HUGE_VAL;
    for (std::int64_t row = 0; row < grid.rows; ++row) {
        for (std::int64_t column = 0; column < grid.columns; ++column) {
            const std::int64_t y = grid.firstRow + row * grid.edge, x = grid.firstColumn + column * grid.edge;
            if (y + grid.edge <= seen.row || y >= seen.row + seen.rows || x + grid.edge <= seen.column
                || x >= seen.column + seen.columns)
                continue;
            const std::size_t cell = grid.at(row, column);
            if (std::isfinite(grid.error[cell]))
                largest = std::max(largest, grid.error[cell]);
            for (const double value : {grid.reference[cell], grid.candidate[cell]}) {
                if (std::isfinite(value)) {
                    least = std::min(least, value);
                    greatest = std::max(greatest, value);
                }
            }
        }
    }
    fitErrors(largest);
    if (least <= greatest)
        fitValues(least, greatest);
    errors.isFitted = values.isFitted = false;
    updateRangeControl();
    requestPicture();
}

void DiffPage::Private::setRange(Target which, double low, double high)
{
    Range& changed = range(which);
    changed.low = low;
    changed.high = high;
    changed.isFitted = false;
    updateRangeControl();
    requestPicture();
}

void DiffPage::Private::setScaleKind(ScaleKind kind)
{
    range(target()).kind = kind;
    if (const auto& pyramid = engine.pyramid()) {
        if (target() == OfErrors)
            fitErrors(pyramid->largestError());
        else
            fitValues(pyramid->leastValue(), pyramid->greatestValue());
    }
    updateRangeControl();
    requestPicture();
}

void DiffPage::Private::updateRangeControl()
{
    const Range& of = range(target());
    scales->setCurrent(int(of.kind));
    control->setScale(of.scale());
    const auto& histograms = engine.histograms();
    if (!histograms) {
        control->setData({}, of.low, of.high);
        zeros->clear();
        return;
    }
    diff::ValueHistogram histogram = histograms->errors;
    if (target() == OfValues) {
        histogram = histograms->reference;
        histogram.merge(histograms->candidate);
    }
    auto bins = histogram.bins();
    double low = of.low, high = of.high;
    if (of.kind == ScaleKind::Log) {
        std::erase_if(bins, [](const auto& bin) { return bin.low < 0; });
        // Far below what can be told apart the axis would be all empty.
        if (!bins.empty())
            low = std::max(bins.front().low, bins.back().high * std::pow(10.0, -ColorScale::kLogDecades));
    } else if (!bins.empty()) {
        low = histogram.zeros() > 0 ? std::min(0.0, bins.front().low) : bins.front().low;
    }
    if (!bins.empty())
        high = bins.back().high;
    control->setData(std::move(bins), low, high);
    zeros->setText(histogram.zeros() == 0     ? QString()
                       : target() == OfErrors ? tr("%1 equal").arg(number_text::count(histogram.zeros()))
                                              : tr("%1 zeros").arg(number_text::count(histogram.zeros())));
}

void DiffPage::Private::requestPicture()
{
    if (!engine.pyramid())
        return;
    if (!page.isVisible())
        return engine.measureRest(); // nobody waits for a picture
    PictureStyle style;
    style.values = values.scale();
    style.errors = errors.scale();
    style.colors = ClassColors::of(theme);
    style.overlays = classes->overlays();
    const std::int64_t edge = edgeFor(viewport.scale(), page.devicePixelRatioF());
    pictures.start<DiffPicturePtr>(
        [pyramid = engine.pyramid(), rect = viewport.visible(kMargin), edge, style](const std::stop_token& stop)
            -> DiffPicturePtr { return std::make_shared<DiffPicture>(paintGrid(pyramid->cells(rect, edge, stop), style)); },
        [this](DiffPicturePtr made) {
            picture = std::move(made);
            for (TensorPane* pane : panes)
                pane->setPicture(picture);
            engine.measureRest();
            Q_EMIT page.pictureShown();
            if (std::exchange(isFirstPicture, false))
                Q_EMIT page.firstPictureShown();
            checkSettled();
        });
    wasSettled = false;
}

void DiffPage::Private::showFacts()
{
    const DiffFacts& facts = *engine.facts();
    classes->setCounts(facts.comparison);
    worst->setElements(facts.worst);
    const QString failing[] = {tr("beyond the bound"), tr("with differences"), tr("with large errors")};
    layoutBar->setFailures(facts.failures, failing[static_cast<int>(facts.failing)]);
    showWorstSlice();
    const tensor::Comparison& found = facts.comparison;
    QStringList lines = facts.sentences;
    if (found.count == 0)
        lines = QStringList{tr("The tensors have no elements.")};
    else if (found.bitDifferent == 0)
        lines
            = QStringList{engine.source()->reference.view.dtype == engine.source()->candidate.view.dtype
                              ? tr("All %1 elements are equal, bit for bit.").arg(number_text::count(found.count))
                              : tr("All %1 elements have equal values; the types differ.").arg(number_text::count(found.count))};
    else if (lines.isEmpty() && engine.view().bound)
        lines = QStringList{tr("All elements are within the bound; %1 of %2 differ.")
                                .arg(number_text::count(found.bitDifferent), number_text::count(found.count))};
    else if (lines.isEmpty())
        lines = QStringList{
            tr("%1 of %2 elements differ.").arg(number_text::count(found.bitDifferent), number_text::count(found.count))};
    if (found.finitePairs > 0 && found.bitDifferent > 0)
        lines << tr("Largest error %1, relative %2, %3 ulp; mean %4.")
                     .arg(diff_words::number(found.maxAbsolute), diff_words::number(found.maxRelative),
                          diff_words::ulp(found.maxUlp), diff_words::number(found.meanAbsolute));
    sentences->setText((lines + sources.refusals).join(u'\n'));
    body->layout()->activate(); // the words take their room before what is left is shared out
    arrange();
    checkSettled();
}

/// A pair is opened at its largest error; whoever has turned a slider meanwhile stays where they are.
void DiffPage::Private::showWorstSlice()
{
    if (std::exchange(hasTurned, true) || engine.facts()->worst.empty())
        return;
    const auto& worstElements = engine.facts()->worst;
    const auto largest = std::ranges::find_if(worstElements, &diff::ExactPair::isFinite);
    layoutBar->showIndex(largest != worstElements.end() ? largest->index : worstElements.front().index);
}

void DiffPage::Private::pickAt(QPointF position)
{
    const auto cell = viewport.cellAt(position);
    if (!cell || !engine.pyramid())
        return;
    const std::int64_t edge = picture ? picture->grid.edge : 1;
    if (edge == 1)
        return viewport.pick(cell);
    // A pixel stands for many elements: its worst one is meant, one of another class before all.
    const diff::ElementRect block{cell->row / edge * edge, cell->column / edge * edge, edge, edge};
    const diff::CellGrid grid = engine.pyramid()->cells(block, 1);
    std::size_t best = 0;
    for (std::size_t i = 0; i < grid.error.size(); ++i) {
        const auto rank = [&](std::size_t at) { return std::pair((grid.flags[at] & diff::kMismatch) != 0, grid.error[at]); };
        if (rank(i) > rank(best))
            best = i;
    }
    const auto at = static_cast<std::int64_t>(best);
    viewport.pick(diff::Cell{grid.firstRow + at / grid.columns, grid.firstColumn + at % grid.columns});
}

void DiffPage::Private::showPicked()
{
    const auto cell = viewport.picked();
    const DiffSourcePtr& source = engine.source();
    const auto& pyramid = engine.pyramid();
    if (!cell || !source || !pyramid) {
        picked->setText(tr("Click an element, or press Enter in the list."));
        return;
    }
    if (cell->column >= pyramid->reference().columnsIn(cell->row))
        return; // behind the end of a folded axis
    picked->setText(diff_words::picked(diff::exactPair(source->reference.view, source->candidate.view,
                                                       pyramid->reference().index(*cell), source->countsUlpOfCandidate())));
    picked->setToolTip(picked->text());
}

void DiffPage::goTo(const std::vector<std::int64_t>& index)
{
    if (!d->engine.source())
        return;
    if (d->layoutBar->showIndex(index) || !d->engine.pyramid()) {
        d->wanted = index; // the slice is on its way
        return;
    }
    const auto cell = d->engine.pyramid()->reference().find(index);
    if (!cell)
        return;
    d->viewport.reveal(*cell);
    d->viewport.pick(cell);
}

void DiffPage::Private::readIndex()
{
    if (!engine.source())
        return;
    const auto& shape = engine.source()->reference.view.shape;
    const auto index = diff_words::parseIndex(indexEdit->text(), shape);
    if (!index) {
        picked->setText(tr("\"%1\" is no index of a tensor of shape %2.").arg(indexEdit->text(), diff_words::index(shape)));
        return;
    }
    indexEdit->clear();
    page.setFocus(Qt::OtherFocusReason);
    page.goTo(*index);
}

void DiffPage::Private::readBound()
{
    if (view() == engine.view())
        return;
    if (view().bound && engine.view().metric != diff::Metric::OverBound)
        metrics->setCurrent(int(diff::Metric::OverBound));
    errors.isFitted = true;
    look();
}

void DiffPage::Private::setBlinking(bool on)
{
    panes[0]->setShownSide(on ? TensorPane::Side::Candidate : TensorPane::Side::Reference);
}

bool DiffPage::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        // The window goes to a kernel by these keys; in here they go to an element.
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_G && key->modifiers() == Qt::ControlModifier && hasPair()) {
            key->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

/// A table takes letters for a search in its rows; B is not meant for it.
bool DiffPage::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress || event->type() == QEvent::KeyRelease) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_B && key->modifiers() == Qt::NoModifier) {
            event->type() == QEvent::KeyPress ? keyPressEvent(key) : keyReleaseEvent(key);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void DiffPage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_B && event->modifiers() == Qt::NoModifier)
        d->setBlinking(true);
    else if (event->key() == Qt::Key_G && event->modifiers() == Qt::ControlModifier)
        d->indexEdit->setFocus(Qt::ShortcutFocusReason);
    else if (event->key() == Qt::Key_Escape && d->indexEdit->hasFocus())
        setFocus(Qt::OtherFocusReason);
    else if (event->key() == Qt::Key_Escape)
        Q_EMIT left();
    else
        QWidget::keyPressEvent(event);
}

void DiffPage::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_B && !event->isAutoRepeat())
        d->setBlinking(false);
    else
        QWidget::keyReleaseEvent(event);
}

/// Pictures come first: what is below gets what it needs and no more, unless a person has moved the border.
void DiffPage::Private::arrange()
{
    const int width = page.width();
    measures->setDirection(width < kNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    worstTable->setColumnHidden(WorstModel::Relative, width < kWideEnough);
    below->setDirection(width < kNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    body->layout()->activate();
    const int height = split->height();
    if (isSplitByHand || height <= 0)
        return;
    const int least = std::max(kLeastBelow, split->widget(1)->minimumSizeHint().height());
    const int share = std::clamp(static_cast<int>(kBelowShare * height), least, std::max(least, kMostBelow));
    split->setSizes({std::max(1, height - share), share});
}

void DiffPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    d->arrange();
    d->requestPicture();
}

void DiffPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    d->arrange();
    d->requestPicture();
}

} // namespace assay::views
