// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/diff_page_p.h"

#include "core/tensorfile/tensor_layout.h"
#include "views/diff/class_bar.h"
#include "views/diff/diff_toolbar.h"
#include "views/diff/diff_words.h"
#include "views/diff/fact_lines.h"
#include "views/diff/grid_reading.h"
#include "views/diff/layout_bar.h"
#include "views/diff/range_panel.h"
#include "views/diff/tensor_pane.h"
#include "views/diff/worst_model.h"
#include "views/theme/theme.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStackedLayout>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr double kMargin = 0.25; // of the view, drawn around it: a short pan shows no edge
constexpr double kLongRows = 4;  // times as many columns as rows: panes stand below each other

std::int64_t edgeFor(double scale, double devicePixelRatio)
{
    const double elements = 1 / (scale * devicePixelRatio);
    std::int64_t edge = 1;
    while (static_cast<double>(edge) < elements)
        edge *= 2;
    return edge;
}

} // namespace

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

void DiffPage::setSources(DiffSources sources, const QString& title)
{
    d->sources = std::move(sources);
    if (d->sources.pairs.empty()) {
        showMessage(d->sources.refusals.isEmpty() ? tr("There are no tensors to compare.") : d->sources.refusals.join(u'\n'));
        return;
    }
    QStringList names;
    for (const DiffSourcePtr& pair : d->sources.pairs)
        names << pair->name;
    d->toolbar->setTitle(title);
    d->toolbar->setPairs(names);
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
    layoutBar->setShape(source->reference.view.shape);
    ranges->reset();
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
    const int index = toolbar->pair();
    const DiffSourcePtr& source = index >= 0 ? sources.pairs[static_cast<std::size_t>(index)] : nullptr;
    DiffView wantedView{layoutBar->arrangement(), toolbar->metric(), toolbar->bound()};
    if (wantedView.metric == diff::Metric::Ulp && source && source->countsUlpOfCandidate())
        wantedView.metric = diff::Metric::UlpOfCandidate;
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
    using Mode = DiffToolbar::Mode;
    const Mode mode = toolbar->mode();
    panes[0]->setVisible(mode != Mode::ErrorAlone);
    panes[1]->setVisible(mode == Mode::SideBySide);
    panes[2]->setVisible(mode != Mode::Blink);
    page.setFocusProxy(panes[mode == Mode::ErrorAlone ? 2 : 0]);
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
    ranges->setHistograms(engine.histograms());
    ranges->setExtent(extentOf(*pyramid));
    requestPicture();
    if (const auto index = std::exchange(wanted, std::nullopt))
        page.goTo(*index);
    showPicked();
}

void DiffPage::Private::fitToView()
{
    if (picture)
        ranges->fitTo(extentOf(picture->grid, viewport.visible()));
}

void DiffPage::Private::requestPicture()
{
    if (!engine.pyramid())
        return;
    if (!page.isVisible())
        return engine.measureRest(); // nobody waits for a picture
    PictureStyle style;
    style.values = ranges->valueScale();
    style.errors = ranges->errorScale();
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
    const QStringList lines = factLines(facts, *engine.source(), engine.view().bound.has_value());
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
    // A pixel stands for many elements: its worst one is meant.
    viewport.pick(worstIn(*engine.pyramid(), *cell, edge));
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
        toolbar->setMetric(diff::Metric::OverBound);
    ranges->followErrors();
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
