// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/evidence_pane.h"

#include "core/store/artifact_store.h"
#include "views/diff/diff_page.h"
#include "views/evidence/checks_view.h"
#include "views/evidence/claim_view.h"
#include "views/evidence/evidence_actions.h"
#include "views/evidence/evidence_edits.h"
#include "views/evidence/evidence_header.h"
#include "views/evidence/gate_strip_bar.h"
#include "views/evidence/log_view.h"
#include "views/evidence/measure_text.h"
#include "views/evidence/note_model.h"
#include "views/evidence/notes_view.h"
#include "views/evidence/source_bundle.h"
#include "views/evidence/sources_view.h"
#include "views/state/context.h"
#include "views/state/judging.h"
#include "views/state/messages.h"
#include "views/state/query_channel.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QStackedLayout>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>
#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

/// A kernel's details, and which of its gates kept the outputs of both sides.
struct Shown {
    store::KernelDetails details;
    std::vector<store::KeptOutputs> kept;
};
using DetailsResult = std::optional<Shown>;

/// Names of the tabs, in their order.
const QStringList& sectionNames()
{
    static const QStringList names{u"checks"_s, u"outputs"_s, u"sources"_s, u"claim"_s, u"log"_s, u"notes"_s};
    return names;
}

/// The gate a person wants to see first: the chosen one, else the first that fails hard, else the first that fails.
std::optional<contract::Gate> leadingGate(const store::KernelDetails& details)
{
    const contract::GateStrip strip = EvidenceHeader::stripOf(details.verdict);
    for (const auto wanted : {contract::StripCell::FailHard, contract::StripCell::Crash, contract::StripCell::Timeout,
                              contract::StripCell::FailSoft}) {
        for (const contract::Gate gate : contract::kAllGates) {
            if (strip.cell(gate) == wanted)
                return gate;
        }
    }
    return std::nullopt;
}

} // namespace

struct EvidencePane::Private {
    Private(EvidencePane& owner, Context& shared)
        : pane(owner)
        , context(shared)
        , details(shared.workspace)
        , sourcesChannel(shared.workspace)
        , outputsChannel(shared.workspace)
        , edits(shared)
    {
    }

    void build();
    void restyle();
    void connectShared();
    void connectActions();
    void load();
    void show(DetailsResult found);
    void showEmpty(const QString& text);
    void loadSources();
    void loadOutputs();
    const store::KeptOutputs& chosenOutputs() const;
    void showGate();
    void showJudging();
    void updateTabs();
    void hideVerdict();
    /// Outputs are kept of checks that failed, so that there are any tells the verdict.
    bool hasOutputs() const { return !isBlinded && !kept.empty(); }
    QWidget* current() const { return tabs->currentWidget(); }

    EvidencePane& pane;
    Context& context;
    QueryChannel details;
    QueryChannel sourcesChannel;
    QueryChannel outputsChannel;
    EvidenceEdits edits;
    std::optional<store::KernelDetails> shown;
    bool stale = true; ///< what is shown is older than the selection or the database
    bool isBlinded = false;
    bool isUnderWay = false;    ///< the header shows what the judge is at
    std::int64_t sourcesOf = 0; ///< kernel whose sources are in the editors or on their way
    std::vector<store::KeptOutputs> kept;
    std::pair<std::int64_t, store::KeptOutputs> outputsOf; ///< verdict and what of it is compared or on its way

    QStackedLayout* stack = nullptr;
    QLabel* empty = nullptr;
    QWidget* page = nullptr;
    EvidenceHeader* header = nullptr;
    QTabWidget* tabs = nullptr;
    ChecksView* checks = nullptr;
    DiffPage* outputs = nullptr;
    SourcesView* sources = nullptr;
    ClaimView* claim = nullptr;
    LogView* log = nullptr;
    NotesView* notes = nullptr;
    EvidenceActions* actions = nullptr;
};

EvidencePane::EvidencePane(Context& context, QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>(*this, context))
{
    setAccessibleName(tr("Evidence"));
    d->build();
    d->restyle();
    d->connectShared();
    d->connectActions();
    setFocusProxy(&d->header->strip());
    d->load();
}

EvidencePane::~EvidencePane()
{
    // A begun note is kept even when the window closes over it.
    d->notes->saveDraft();
    // Tabs announce a new current page while they go, to a d that is gone by then.
    d->tabs->disconnect(this);
}

void EvidencePane::Private::build()
{
    const Theme& theme = context.theme;
    stack = new QStackedLayout(&pane);
    empty = new QLabel(&pane);
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    empty->setMargin(32);
    page = new QWidget(&pane);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(16, 12, 16, 8);
    layout->setSpacing(8);
    header = new EvidenceHeader(theme, page);
    tabs = new QTabWidget(page);
    tabs->setDocumentMode(true);
    tabs->setAccessibleName(EvidencePane::tr("Evidence sections"));
    checks = new ChecksView(theme, tabs);
    outputs = new DiffPage(theme, tabs);
    sources = new SourcesView(theme, tabs);
    claim = new ClaimView(theme, tabs);
    log = new LogView(theme, tabs);
    notes = new NotesView(theme, edits, tabs);
    tabs->addTab(checks, EvidencePane::tr("Checks"));
    tabs->addTab(outputs, EvidencePane::tr("Diff"));
    tabs->addTab(sources, EvidencePane::tr("Sources"));
    tabs->addTab(claim, EvidencePane::tr("Claim"));
    tabs->addTab(log, EvidencePane::tr("Log"));
    tabs->addTab(notes, EvidencePane::tr("Notes"));
    layout->addWidget(header);
    layout->addWidget(tabs, 1);
    stack->addWidget(empty);
    stack->addWidget(page);
}

void EvidencePane::Private::restyle()
{
    QPalette palette = pane.palette();
    palette.setColor(QPalette::Window, context.theme.surface());
    pane.setPalette(palette);
    pane.setAutoFillBackground(true);
    QPalette muted = palette;
    muted.setColor(QPalette::WindowText, context.theme.mutedInk());
    empty->setPalette(muted);
}

void EvidencePane::Private::connectShared()
{
    connect(&context.theme, &Theme::changed, &pane, [this] { restyle(); });
    connect(&context.selection, &Selection::kernelChanged, &pane, [this] { load(); });
    connect(&context.selection, &Selection::gateChanged, &pane, [this] { showGate(); });
    connect(&context.workspace, &Workspace::scopeChanged, &pane, [this] { load(); });
    connect(&context.workspace, &Workspace::closed, &pane, [this] { load(); });
    connect(&context.workspace, &Workspace::contentChanged, &pane, [this] { load(); });
    connect(&edits, &EvidenceEdits::changed, &pane, [this] { load(); });
    connect(&context.workspace.judging(), &Judging::stripChanged, &pane, [this](qint64 kernelId) {
        if (shown && shown->kernelId == kernelId)
            showJudging();
    });
    // A campaign that stops leaves the kernels that it was at as they were.
    connect(&context.workspace.judging(), &Judging::changed, &pane, [this] {
        if (isUnderWay)
            load();
        else if (shown)
            showJudging();
    });
    for (QueryChannel* channel : {&details, &sourcesChannel, &outputsChannel})
        connect(channel, &QueryChannel::failed, &pane,
                [this](const QString& message) { context.messages.post(Messages::Level::Error, message); });
    connect(&sourcesChannel, &QueryChannel::runningChanged, &pane, [this](bool running) { sources->setLoading(running); });
    connect(tabs, &QTabWidget::currentChanged, &pane, [this] {
        loadSources();
        loadOutputs();
    });
    connect(outputs, &DiffPage::left, &pane, &EvidencePane::left);
    const auto choose = [this](contract::Gate gate) { context.selection.setGate(gate); };
    connect(&header->strip(), &GateStripBar::chosen, &pane, choose);
    connect(checks, &ChecksView::gateChosen, &pane, choose);
    connect(header, &EvidenceHeader::bookmarkToggled, &pane, [this](bool on) {
        if (shown)
            edits.setBookmark(shown->kernelId, on);
    });
}

void EvidencePane::Private::connectActions()
{
    actions = new EvidenceActions(pane);
    connect(actions, &EvidenceActions::sectionAsked, &pane, &EvidencePane::showSection);
    connect(actions, &EvidenceActions::outputsAsked, &pane, [this] {
        if (!hasOutputs())
            return actions->askForSourceDiff();
        tabs->setCurrentWidget(outputs);
        outputs->setFocus(Qt::ShortcutFocusReason);
    });
    connect(actions, &EvidenceActions::diffToggled, &pane, [this] {
        const bool visible = current() == sources;
        sources->setShowsDiff(!visible || !sources->showsDiff());
        tabs->setCurrentWidget(sources);
    });
    connect(actions, &EvidenceActions::noteAsked, &pane, [this] {
        tabs->setCurrentWidget(notes);
        notes->beginNote();
    });
    connect(actions, &EvidenceActions::waiverAsked, &pane, [this] {
        tabs->setCurrentWidget(notes);
        notes->beginWaiver();
    });
    connect(actions, &EvidenceActions::findAsked, &pane, [this] {
        tabs->setCurrentWidget(sources);
        sources->openFind();
    });
    connect(actions, &EvidenceActions::gateAsked, &pane, [this](contract::Gate gate) {
        context.selection.setGate(gate);
        tabs->setCurrentWidget(checks);
    });
    for (QAction* action : {edits.undoAction(), edits.redoAction()})
        pane.addAction(action);
}

void EvidencePane::Private::showEmpty(const QString& text)
{
    notes->saveDraft();
    details.cancel();
    sourcesChannel.cancel();
    outputsChannel.cancel();
    shown.reset();
    sourcesOf = 0;
    kept.clear();
    outputsOf = {};
    empty->setText(text);
    stack->setCurrentWidget(empty);
}

void EvidencePane::Private::load()
{
    // Nothing is read for a pane that no one sees; what changed meanwhile is read when it comes into view.
    stale = !pane.isVisible();
    if (stale)
        return;
    const std::int64_t kernelId = context.selection.kernelId();
    if (!context.workspace.isOpen()) {
        showEmpty(EvidencePane::tr("No database is open."));
        return;
    }
    if (kernelId == 0) {
        showEmpty(EvidencePane::tr("Choose a kernel to see why it fails or passes."));
        return;
    }
    details.start<DetailsResult>(
        [scope = context.workspace.scopeId(), kernelId](store::Database& database, std::stop_token stop) -> DetailsResult {
            const store::InterruptOnStop interrupt(database, std::move(stop));
            auto found = store::kernelDetails(database, scope, kernelId);
            if (!found)
                return DetailsResult();
            auto outputsKept
                = found->verdictId != 0 ? store::keptOutputs(database, found->verdictId) : std::vector<store::KeptOutputs>();
            return DetailsResult(Shown{std::move(*found), std::move(outputsKept)});
        },
        [this](DetailsResult found) { show(std::move(found)); });
}

void EvidencePane::Private::show(DetailsResult found)
{
    if (!found) {
        showEmpty(EvidencePane::tr("This kernel is no longer in the database."));
        Q_EMIT pane.loaded();
        return;
    }
    const store::KernelDetails& now = found->details;
    const bool other = !shown || shown->kernelId != now.kernelId || shown->candidateSourceId != now.candidateSourceId
        || shown->referenceSourceId != now.referenceSourceId;
    kept = std::move(found->kept);
    shown = std::move(found->details);
    header->setDetails(*shown);
    checks->setDetails(*shown);
    claim->setDetails(*shown);
    log->setDetails(*shown);
    notes->setDetails(*shown);
    isUnderWay = false;
    showJudging();
    showGate();
    updateTabs();
    stack->setCurrentWidget(page);
    if (other) {
        sourcesOf = 0;
        loadSources();
    }
    loadOutputs();
    Q_EMIT pane.loaded();
}

void EvidencePane::Private::updateTabs()
{
    const auto notesCount = shown->notes.size();
    const auto held = std::count_if(shown->waivers.begin(), shown->waivers.end(),
                                    [](const store::WaiverRow& w) { return w.withdrawnAt.empty(); });
    QString text = notesCount > 0 ? EvidencePane::tr("Notes (%1)").arg(notesCount) : EvidencePane::tr("Notes");
    if (held > 0)
        text += EvidencePane::tr(" \u00b7 waived");
    tabs->setTabText(tabs->indexOf(notes), text);
    tabs->setTabEnabled(tabs->indexOf(outputs), hasOutputs());
    tabs->setTabToolTip(tabs->indexOf(outputs),
                        !hasOutputs() ? EvidencePane::tr("No check of this verdict kept the outputs of both sides")
                                      : EvidencePane::tr("Outputs of reference and candidate, compared element by element (D)"));
}

void EvidencePane::Private::hideVerdict()
{
    header->setBlinded(isBlinded);
    for (QWidget* telling : std::initializer_list<QWidget*>{checks, outputs, claim, log, notes})
        tabs->setTabVisible(tabs->indexOf(telling), !isBlinded);
    for (QAction* action : pane.actions()) {
        const QString name = action->objectName();
        const bool tellsNothing = name == u"evidence.sources"_s || name == u"evidence.outputs"_s
            || name == u"evidence.difference"_s || name == u"evidence.find"_s;
        if (name.startsWith(u"evidence."_s) && !tellsNothing)
            action->setEnabled(!isBlinded);
    }
}

void EvidencePane::Private::showGate()
{
    if (!shown)
        return;
    const std::optional<contract::Gate> gate = context.selection.gate() ? context.selection.gate() : leadingGate(*shown);
    header->strip().setGate(gate);
    checks->setGate(gate);
    notes->setGate(gate);
    loadOutputs();
}

/// What the judge is at comes before the verdict that it will replace.
void EvidencePane::Private::showJudging()
{
    if (!context.workspace.isShowingCampaign())
        return;
    const Judging& judging = context.workspace.judging();
    if (const auto strip = judging.strip(shown->kernelId))
        header->setUnderWay(*strip, EvidencePane::tr("Is being judged: %1.").arg(progressText(*strip)));
    else if (judging.isWaiting(shown->kernelId))
        header->setUnderWay(EvidenceHeader::stripOf(shown->verdict), EvidencePane::tr("Waits to be judged."));
    else
        return;
    isUnderWay = true;
}

void EvidencePane::Private::loadSources()
{
    // Only what is looked at is read: walking the list with the sources closed stays as fast as the list.
    if (!shown || current() != sources || sourcesOf == shown->kernelId)
        return;
    sourcesOf = shown->kernelId;
    sourcesChannel.start<SourceBundlePtr>(
        [wanted = *shown](store::Database& database, std::stop_token stop) {
            return views::loadSources(database, wanted, std::move(stop));
        },
        [this](SourceBundlePtr bundle) {
            sources->setBundle(std::move(bundle));
            Q_EMIT pane.sourcesLoaded();
        });
}

/// The chosen gate where it kept outputs, else the first one that did.
const store::KeptOutputs& EvidencePane::Private::chosenOutputs() const
{
    const auto chosen = header->strip().gate();
    const std::string wanted = chosen ? std::string(contract::id(*chosen)) : std::string();
    const auto found = std::ranges::find(kept, wanted, &store::KeptOutputs::gate);
    return found != kept.end() ? *found : kept.front();
}

/// As with the sources, only what is looked at is read: outputs are the largest part of a verdict.
void EvidencePane::Private::loadOutputs()
{
    if (!shown || current() != outputs)
        return;
    if (!hasOutputs()) {
        outputsOf = {};
        outputs->showMessage(
            EvidencePane::tr("No check of this verdict kept the outputs of both sides. Judge the kernel (F5) to get them."));
        return;
    }
    const std::pair wanted(shown->verdictId, chosenOutputs());
    if (std::exchange(outputsOf, wanted) == wanted)
        return;
    outputsChannel.start<DiffSources>(
        [wanted](store::Database& database, std::stop_token stop) {
            const store::InterruptOnStop interrupt(database, std::move(stop));
            return views::sourcesOf(store::outputsOf(database, wanted.first, wanted.second.gate));
        },
        [this](DiffSources found) { outputs->setSources(std::move(found)); });
}

void EvidencePane::showSection(const QString& section)
{
    if (section == u"diff"_s) {
        d->sources->setShowsDiff(true);
        d->tabs->setCurrentWidget(d->sources);
        return;
    }
    const auto index = sectionNames().indexOf(section);
    if (index < 0)
        return;
    if (section == u"sources"_s)
        d->sources->setShowsDiff(false);
    d->tabs->setCurrentIndex(int(index));
}

QString EvidencePane::section() const
{
    return d->current() == d->sources && d->sources->showsDiff() ? u"diff"_s : sectionNames().value(d->tabs->currentIndex());
}

void EvidencePane::setBlinded(bool blinded)
{
    if (d->isBlinded == blinded)
        return;
    d->isBlinded = blinded;
    d->hideVerdict();
    d->tabs->setCurrentWidget(blinded ? static_cast<QWidget*>(d->sources) : d->checks);
}

bool EvidencePane::isBlinded() const
{
    return d->isBlinded;
}

bool EvidencePane::isLoading() const
{
    return d->details.isRunning() || d->sourcesChannel.isRunning() || d->outputsChannel.isRunning() || !d->outputs->isSettled();
}

void EvidencePane::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (d->stale)
        d->load();
}

void EvidencePane::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    d->notes->saveDraft();
}

bool EvidencePane::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        // Undo belongs to the place the keyboard is in; the filter's undo has the same keys in the rest of the window.
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            key->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void EvidencePane::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Undo))
        d->edits.undoAction()->trigger();
    else if (event->matches(QKeySequence::Redo))
        d->edits.redoAction()->trigger();
    else if (event->key() == Qt::Key_Escape)
        Q_EMIT left();
    else
        QWidget::keyPressEvent(event);
}

} // namespace assay::views
