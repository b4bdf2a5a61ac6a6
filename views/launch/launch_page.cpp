// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/launch_page.h"

#include "core/launch/stored_launch.h"
#include "core/text/error.h"
#include "views/diff/background_task.h"
#include "views/launch/device_facts.h"
#include "views/launch/gate_tile_model.h"
#include "views/launch/gate_tiles.h"
#include "views/launch/launch_form.h"
#include "views/launch/launch_words.h"
#include "views/launch/measures_view.h"
#include "views/launch/plan_view.h"
#include "views/launch/run_head.h"
#include "views/state/context.h"
#include "views/state/messages.h"
#include "views/state/place.h"
#include "views/state/query_channel.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/page_action.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QFileInfo>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QTime>
#include <QVBoxLayout>

#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kFormWidth = 340;    // px
constexpr int kCentreWidth = 1180; // px
constexpr int kLogLines = 5000;
} // namespace

struct LaunchPage::Private {
    Private(LaunchPage& owner, Context& shared)
        : page(owner)
        , context(shared)
        , runner(shared.jobs, launch::launch)
        , search(shared.workspace)
        , history(shared.workspace)
    {
    }

    void build();
    QWidget* buildResults();
    void addKeys();
    void connectForm();
    void connectRun();
    void forget();
    void load();
    void lookForDevices();
    void showPlan();
    void showKeeping();
    void run();
    void begin();
    void end(const LaunchOutcome& outcome);
    void showTile(int row);
    void showTimes();
    void showTab(QWidget* tab);
    void goToRow(bool toDifference);
    void offerRow(std::optional<std::int64_t> kernel, std::optional<std::int64_t> verdict);
    void showStored(const launch::StoredLaunch& stored);
    QString planName() const;

    LaunchPage& page;
    Context& context;
    LaunchRunner runner;
    QueryChannel search;
    QueryChannel history;
    BackgroundTask looking{BackgroundTask::WhenBusy::Finish};
    BackgroundTask planning{BackgroundTask::WhenBusy::Stop};
    QString python;
    bool isLooked = false; ///< for devices, once
    bool isStale = true;   ///< what the database has was not read yet
    bool hasRun = false;   ///< in this window: what was stored before is no longer shown
    launch::LaunchRequest shown;
    std::optional<launch::LaunchTiming> timing;
    std::optional<std::int64_t> kernelId;
    std::optional<std::int64_t> verdictId;

    LaunchForm* form = nullptr;
    QWidget* results = nullptr;
    RunHead* head = nullptr;
    GateTileModel* tileModel = nullptr;
    GateTiles* tiles = nullptr;
    QLabel* finding = nullptr;
    QTabWidget* tabs = nullptr;
    MeasuresView* measures = nullptr;
    PlanView* plan = nullptr;
    QPlainTextEdit* log = nullptr;
    QAction* showAction = nullptr;
    QAction* differenceAction = nullptr;
};

LaunchPage::LaunchPage(Context& context, QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>(*this, context))
{
    setUpPlace(*this, u"launch.page"_s, tr("Launch"));
    d->build();
    d->addKeys();
    d->connectForm();
    d->connectRun();
    setFocusProxy(d->tiles);
}

LaunchPage::~LaunchPage() = default;

void LaunchPage::Private::build()
{
    auto* row = new QHBoxLayout(&page);
    row->setContentsMargins(0, 0, 0, 0);
    auto* split = new QSplitter(&page);
    form = new LaunchForm(context.theme, split);
    form->setProperty("look", u"panel"_s);
    form->setAttribute(Qt::WA_StyledBackground);
    auto* scroll = new QScrollArea(split);
    scroll->setWidget(form);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(kFormWidth - 40);
    scroll->setFocusPolicy(Qt::NoFocus);
    split->addWidget(scroll);
    results = buildResults();
    split->addWidget(results);
    split->setStretchFactor(1, 1);
    split->setSizes({kFormWidth, kCentreWidth});
    split->setChildrenCollapsible(false);
    row->addWidget(split);
}

QWidget* LaunchPage::Private::buildResults()
{
    auto* column = new QWidget(&page);
    column->setObjectName(u"launch.results"_s);
    auto* lines = new QVBoxLayout(column);
    lines->setContentsMargins(20, 14, 20, 8);
    lines->setSpacing(8);
    head = new RunHead(context.theme, column);
    lines->addWidget(head);
    tileModel = new GateTileModel(column);
    tiles = new GateTiles(*tileModel, context.theme, column);
    lines->addWidget(tiles);
    finding = new QLabel(column);
    finding->setObjectName(u"launch.finding"_s);
    finding->setTextFormat(Qt::PlainText);
    finding->setWordWrap(true);
    finding->setTextInteractionFlags(Qt::TextSelectableByMouse);
    finding->setMinimumHeight(2 * finding->fontMetrics().lineSpacing()); // longer findings do not push the tiles about
    finding->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    lines->addWidget(finding);
    tabs = new QTabWidget(column);
    tabs->setObjectName(u"launch.tabs"_s);
    tabs->setDocumentMode(true);
    tabs->setAccessibleName(LaunchPage::tr("Plan, measurements and log"));
    tabs->tabBar()->setAccessibleName(tabs->accessibleName());
    measures = new MeasuresView(context.theme, tabs);
    plan = new PlanView(context.theme, tabs);
    log = new QPlainTextEdit(tabs);
    log->setObjectName(u"launch.log"_s);
    log->setAccessibleName(LaunchPage::tr("Log of the run"));
    log->setReadOnly(true);
    log->setFont(context.theme.numberFont());
    log->setMaximumBlockCount(kLogLines);
    log->setFrameShape(QFrame::NoFrame);
    log->setPlaceholderText(LaunchPage::tr("What the run says comes here."));
    tabs->addTab(plan, LaunchPage::tr("Plan"));
    tabs->addTab(measures, LaunchPage::tr("Errors and times"));
    tabs->addTab(log, LaunchPage::tr("Log"));
    lines->addWidget(tabs, 1);
    return column;
}

void LaunchPage::Private::addKeys()
{
    const auto add
        = [this](const QString& name, const QString& text, const QList<QKeySequence>& keys, std::function<void()> run) {
              return addPageAction(page, u"launch."_s + name, text, keys, std::move(run));
          };
    add(u"runKey"_s, LaunchPage::tr("Run the operator through the gates"),
        {QKeySequence(u"Ctrl+Return"_s), QKeySequence(u"Ctrl+Enter"_s)}, [this] { run(); });
    add(u"planKey"_s, LaunchPage::tr("Plan of the device kernels"), {Qt::Key_P}, [this] { showTab(plan); });
    add(u"measuresKey"_s, LaunchPage::tr("Errors and times"), {Qt::Key_E}, [this] { showTab(measures); });
    add(u"logKey"_s, LaunchPage::tr("Log of the run"), {Qt::Key_L}, [this] { showTab(log); });
    add(u"tilesKey"_s, LaunchPage::tr("To the gates"), {Qt::Key_G}, [this] { tiles->setFocus(Qt::ShortcutFocusReason); });
    add(u"formKey"_s, LaunchPage::tr("To the form"), {Qt::Key_F}, [this] { form->focusFirst(); });
    add(u"exportKey"_s, LaunchPage::tr("Write the plan to a file"), {QKeySequence(u"Ctrl+E"_s)},
        [this] { Q_EMIT page.exportAsked(planName()); });
    // Enter in the form runs; among the results it leads to the row.
    showAction = addPageAction(*results, u"launch.showKey"_s, LaunchPage::tr("Show the result in Triage"),
                               {Qt::Key_Return, Qt::Key_Enter}, [this] { goToRow(false); });
    differenceAction = addPageAction(page, u"launch.differenceKey"_s, LaunchPage::tr("Difference of the result's outputs"),
                                     {Qt::Key_D}, [this] { goToRow(true); });
}

void LaunchPage::Private::connectForm()
{
    connect(form, &LaunchForm::runAsked, &page, [this] { run(); });
    connect(form, &LaunchForm::stopAsked, &page, [this] { runner.stop(); });
    connect(form, &LaunchForm::settingsChanged, &page, [this] {
        showPlan();
        showTimes();
        Q_EMIT page.settingsChanged();
    });
    connect(tiles, &GateTiles::currentChanged, &page, [this](int row) { showTile(row); });
    connect(tiles, &GateTiles::activated, &page, [this] { goToRow(false); });
    connect(tileModel, &QAbstractItemModel::dataChanged, &page, [this] { showTile(tiles->current()); });
    connect(head, &RunHead::rowAsked, &page, [this] { goToRow(false); });
    connect(head, &RunHead::differenceAsked, &page, [this] { goToRow(true); });
    connect(&context.theme, &Theme::changed, &page, [this] { log->setFont(context.theme.numberFont()); });
    connect(&planning, &BackgroundTask::failed, &page,
            [this](const QString& why) { context.messages.post(Messages::Level::Warning, why); });
    for (const auto signal : {&Workspace::opened, &Workspace::closed})
        connect(&context.workspace, signal, &page, [this] { forget(); });
    followDatabase(page, context, {&search, &history}, [this] { load(); });
    forget();
    showTile(0);
    showKeeping();
}

void LaunchPage::Private::connectRun()
{
    connect(&runner, &LaunchRunner::gateStarted, &page, [this](contract::Gate gate) { tileModel->setRunning(gate); });
    connect(&runner, &LaunchRunner::gateFinished, &page, [this](const contract::GateResult& result) {
        tileModel->setResult(result);
        head->setOutcome(contract::StripCell::Running, launch_words::progress(tileModel->done(), tileModel->exercised()));
    });
    connect(&runner, &LaunchRunner::measured, &page,
            [this](const std::vector<launch::LaunchError>& found) { measures->setErrors(found); });
    connect(&runner, &LaunchRunner::timed, &page, [this](const launch::LaunchTiming& found) {
        timing = found;
        showTimes();
    });
    connect(&runner, &LaunchRunner::logged, &page,
            [this](const QString& line) { log->appendPlainText(QTime::currentTime().toString(u"HH:mm:ss  "_s) + line); });
    connect(&runner, &LaunchRunner::ended, &page, [this](const LaunchOutcome& outcome) { end(outcome); });
}

/// Another database: its rows have other numbers. A run goes on, and what was shown goes.
void LaunchPage::Private::forget()
{
    offerRow({}, {});
    if (runner.isRunning())
        return;
    hasRun = false;
    timing.reset();
    tileModel->clear();
    measures->setErrors({});
    log->clear();
    head->setTitle(LaunchPage::tr("No run yet"));
    head->setOutcome(
        contract::StripCell::Absent,
        LaunchPage::tr("Nothing has run. Ctrl+Enter puts the operator through the twelve gates; the tiles light one by one."));
    showTimes();
    showTab(plan);
}

void LaunchPage::Private::load()
{
    showKeeping();
    isStale = !page.isVisible();
    if (isStale || hasRun || runner.isRunning() || !context.workspace.isOpen())
        return;
    history.start<std::optional<launch::StoredLaunch>>(
        [](store::Database& database, std::stop_token stop) {
            const store::InterruptOnStop interrupt(database, std::move(stop));
            return launch::newestLaunch(database);
        },
        [this](const std::optional<launch::StoredLaunch>& found) {
            if (found && !hasRun && !runner.isRunning())
                showStored(*found);
        });
}

void LaunchPage::Private::lookForDevices()
{
    if (std::exchange(isLooked, true))
        return;
    looking.start<DeviceFacts>([](std::stop_token) { return findDevices(); },
                               [this](const DeviceFacts& facts) { form->setFacts(facts); });
}

/// The plan follows the sizes of the form as far as kernels are built for them.
void LaunchPage::Private::showPlan()
{
    const LaunchSettings settings = form->settings();
    const auto isBuilt = [](const QString& size) { return size == u"64"_s || size == u"128"_s; };
    const int keys = isBuilt(settings.keys) ? settings.keys.toInt() : 128;
    const int values = isBuilt(settings.values) ? settings.values.toInt() : 128;
    const bool hasTokenDecay = settings.family == u"gdn"_s || settings.family == u"mamba2"_s;
    const auto& now = plan->figure();
    if (now && now->keys == keys && now->values == values && now->hasTokenDecay == hasTokenDecay)
        return;
    planning.start<PlanFigure>([=](std::stop_token) { return loadPlanFigure(keys, values, hasTokenDecay, usualTarget()); },
                               [this](PlanFigure figure) { plan->setFigure(std::move(figure)); });
}

void LaunchPage::Private::showKeeping()
{
    const Workspace& workspace = context.workspace;
    form->setKeeping(
        !workspace.isOpen() ? LaunchPage::tr("No database is open: the run is shown and not kept.")
            : workspace.isReadOnly()
            ? LaunchPage::tr("%1 is open read-only: the run is shown and not kept.").arg(QFileInfo(workspace.path()).fileName())
            : LaunchPage::tr("The result becomes a row of %1.").arg(QFileInfo(workspace.path()).fileName()));
}

void LaunchPage::Private::run()
{
    if (runner.isRunning())
        return context.messages.post(Messages::Level::Info,
                                     LaunchPage::tr("A run is under way. Wait for it, or stop it (Ctrl+.)."));
    if (!form->isValid())
        return form->focusProblem();
    launch::LaunchRequest request = requestOf(form->settings());
    request.python = python.toStdString();
    if (context.workspace.isOpen() && !context.workspace.isReadOnly())
        request.dbPath = toFilesystemPath(context.workspace.path());
    shown = request;
    begin();
    runner.start(request);
}

void LaunchPage::Private::begin()
{
    hasRun = true;
    timing.reset();
    tileModel->begin();
    measures->setErrors({});
    log->clear();
    offerRow({}, {});
    form->setRunning(true);
    showTimes();
    showTab(measures);
    head->setTitle(launch_words::request(shown));
    head->setOutcome(contract::StripCell::Running, LaunchPage::tr("Starting \u2026"));
    tiles->setFocus(Qt::OtherFocusReason);
}

void LaunchPage::Private::end(const LaunchOutcome& outcome)
{
    form->setRunning(false);
    const launch::LaunchResult& result = outcome.result;
    // A judgement may know more than the events told.
    for (const contract::GateResult& gate : result.judgement.gates) {
        if (gate.verdict != contract::Verdict::Absent && tileModel->result(gate.gate) == nullptr)
            tileModel->setResult(gate);
    }
    tileModel->end(result.end == launch::LaunchResult::End::CouldNotRun || !outcome.failure.isEmpty());
    if (!result.errors.empty())
        measures->setErrors(result.errors);
    if (result.timing) {
        timing = result.timing;
        showTimes();
    }
    const QString sentence = launch_words::ending(outcome, tileModel->done(), tileModel->exercised());
    head->setOutcome(launch_words::cellOf(outcome), sentence);
    log->appendPlainText(QTime::currentTime().toString(u"HH:mm:ss  "_s) + sentence);
    if (!shown.dbPath.empty() && shown.dbPath == toFilesystemPath(context.workspace.path()))
        offerRow(result.kernelId, result.verdictId);
    if (context.workspace.isOpen())
        context.workspace.checkForChanges();
}

void LaunchPage::Private::showTile(int row)
{
    const QModelIndex index = tileModel->index(row);
    const QString whole = index.data(GateTileModel::FindingRole).toString();
    finding->setText(!whole.isEmpty()
                         ? whole
                         : LaunchPage::tr("%1: %2, %3.")
                               .arg(index.data(GateTileModel::IdRole).toString(), index.data(GateTileModel::TitleRole).toString(),
                                    index.data(GateTileModel::StateRole).toString()));
}

/// Before a run the peers of the sizes in the form, after it what was measured.
void LaunchPage::Private::showTimes()
{
    const bool isOfRun = runner.isRunning() || timing.has_value();
    if (!isOfRun && !form->isValid())
        return;
    const launch::LaunchRequest request = isOfRun ? shown : requestOf(form->settings());
    measures->setTimes(request, timing);
}

void LaunchPage::Private::showTab(QWidget* tab)
{
    tabs->setCurrentWidget(tab);
}

void LaunchPage::Private::offerRow(std::optional<std::int64_t> kernel, std::optional<std::int64_t> verdict)
{
    kernelId = kernel;
    verdictId = verdict;
    const bool has = kernel && verdict;
    head->setOffered(has);
    for (QAction* action : {showAction, differenceAction})
        action->setEnabled(has);
}

/// To the audit that holds the run's verdict, and there to its row.
void LaunchPage::Private::goToRow(bool toDifference)
{
    if (!kernelId || !verdictId)
        return;
    const auto gate = contract::kAllGates[std::size_t(tiles->current())];
    search.start<std::optional<launch::LaunchRow>>(
        [verdict = *verdictId](store::Database& database, std::stop_token) { return launch::rowOf(database, verdict); },
        [this, gate, kernel = *kernelId, toDifference](const std::optional<launch::LaunchRow>& row) {
            if (!row) {
                context.messages.post(Messages::Level::Warning, LaunchPage::tr("The row of this run is gone from the database."));
                return;
            }
            context.workspace.setScope(row->scopeId);
            context.selection.go({u"kernels"_s, kernel, gate, {}});
            if (!toDifference)
                return;
            if (row->keepsOutputs)
                Q_EMIT page.differenceAsked();
            else
                context.messages.post(Messages::Level::Info,
                                      LaunchPage::tr("No check of this run kept outputs: only those that fail do."));
        });
}

/// A run that the database remembers, as it ended.
void LaunchPage::Private::showStored(const launch::StoredLaunch& stored)
{
    shown = stored.request;
    timing = stored.timing;
    tileModel->begin();
    for (const contract::GateResult& gate : stored.judgement.gates) {
        if (gate.verdict != contract::Verdict::Absent)
            tileModel->setResult(gate);
    }
    tileModel->end(false);
    measures->setErrors(stored.errors);
    head->setTitle(launch_words::request(shown));
    LaunchOutcome outcome;
    outcome.result.end = launch::LaunchResult::End::Judged;
    outcome.result.judgement = stored.judgement;
    outcome.result.seconds = stored.seconds;
    head->setOutcome(launch_words::cellOf(outcome),
                     launch_words::ending(outcome, tileModel->done(), tileModel->exercised()) + u' '
                         + LaunchPage::tr("Run on %1.").arg(QString::fromStdString(stored.createdAt).left(10)));
    showTimes();
    showTab(measures);
    offerRow(stored.kernelId, stored.verdictId);
}

QString LaunchPage::Private::planName() const
{
    const auto& figure = plan->figure();
    return figure ? u"gdn-plan-%1x%2.svg"_s.arg(figure->keys).arg(figure->values) : u"gdn-plan.svg"_s;
}

LaunchSettings LaunchPage::settings() const
{
    return d->form->settings();
}

void LaunchPage::setSettings(const LaunchSettings& settings)
{
    d->form->setSettings(settings);
}

void LaunchPage::setPython(const QString& python)
{
    d->python = python;
}

void LaunchPage::launchWith(LaunchFunction launch)
{
    d->runner.launchWith(std::move(launch));
}

QList<QAction*> LaunchPage::keyActions() const
{
    return actions() + d->results->actions();
}

bool LaunchPage::isLoading() const
{
    return d->looking.isRunning() || d->planning.isRunning() || d->search.isRunning() || d->history.isRunning();
}

bool LaunchPage::isRunning() const
{
    return d->runner.isRunning();
}

void LaunchPage::exportPlan(const FigureSize& size, const QString& path) const
{
    if (!d->plan->figure())
        throw Error("the plan is not there yet", "", "Wait a moment");
    views::exportPlan(*d->plan->figure(), size, path);
}

void LaunchPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    d->lookForDevices();
    d->showPlan();
    if (d->isStale)
        d->load();
}

} // namespace assay::views
