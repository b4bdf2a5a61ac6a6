// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/main_window.h"

#include "views/shell/main_window_p.h"

#include "views/shell/places.h"
#include "views/shell/rail.h"

#include <QApplication>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr QSize kFirstSize(1440, 900);
constexpr QSize kSmallest(960, 600);
constexpr int kSaveAfterMs = 1500;
constexpr int kEvidenceMinimum = 340; // px
constexpr int kStatusIcon = 14;       // px

Theme::Mode modeOf(const QString& name)
{
    return name == u"light"_s ? Theme::Mode::Light : name == u"dark"_s ? Theme::Mode::Dark : Theme::Mode::System;
}

QString nameOf(Theme::Mode mode)
{
    return mode == Theme::Mode::Light ? u"light"_s : mode == Theme::Mode::Dark ? u"dark"_s : u"system"_s;
}
} // namespace

MainWindow::Private::Private(MainWindow& owner, const QString& sessionFile)
    : window(owner)
    , sessionPath(sessionFile)
{
}

MainWindow::MainWindow(const QString& sessionPath, QWidget* parent)
    : QMainWindow(parent)
    , d(std::make_unique<Private>(*this, sessionPath))
{
    setObjectName(u"mainWindow"_s);
    setAccessibleName(tr("Assay"));
    setAcceptDrops(true);
    setMinimumSize(kSmallest);
    resize(kFirstSize);
    setWindowIcon(QIcon(u":/icons/assay-workbench.svg"_s));

    QString problem;
    if (!sessionPath.isEmpty())
        d->session = loadSession(sessionPath, &problem).value_or(Session{});
    d->theme.setMode(modeOf(d->session.theme));
    d->theme.setDense(d->session.dense);
    d->theme.apply(*qApp);

    d->actions = new WindowActions(d->context, this);
    d->buildPages();
    d->buildFrame();
    d->connectState();
    d->connectMessages();
    d->connectCommands();
    d->connectJudging();
    d->connectTensors();
    d->connectFigures();
    d->connectLaunch();
    d->connectLooks();
    d->showSpot();
    if (!problem.isEmpty())
        d->messages.post(Messages::Level::Warning, problem);
}

// Pages go before the state they look at: QObject would delete them only after the members are gone.
MainWindow::~MainWindow()
{
    delete takeCentralWidget();
    delete d->palette;
    delete d->cheatSheet;
    delete d->history;
    delete d->machine;
    delete d->prompt;
}

Context& MainWindow::context()
{
    return d->context;
}

bool MainWindow::isSettled() const
{
    const bool isComparing = d->tensorFiles.isRunning() || !d->tensors->isSettled() || d->evidence->isLoading();
    const bool isWorking = d->workspace.isBusy() || d->jobs.running() > 0 || d->judge.isRunning() || d->audit->isLoading()
        || d->calibrate->isLoading() || d->launch->isLoading();
    return !d->starting && !isWorking && !isComparing;
}

void MainWindow::Private::buildPages()
{
    stack = new QStackedWidget(&window);
    overview = new OverviewPage(context, stack);
    kernels = new KernelsSplit(stack);
    triage = new TriagePage(context, kernels);
    evidence = new EvidencePane(context, kernels);
    evidence->setObjectName(u"triage.evidence"_s);
    evidence->setMinimumWidth(kEvidenceMinimum);
    evidence->addAction(kernels->wideAction());
    for (QAction* action : triage->kernelActions())
        evidence->addAction(action);
    tensors = new DiffPage(theme, stack);
    tensors->setObjectName(u"tensors"_s);
    tensors->setContentsMargins(16, 4, 16, 8);
    tensors->setProperty("look", u"page"_s);
    tensors->setAttribute(Qt::WA_StyledBackground);
    audit = new AuditPage(context, stack);
    buildPlaceholders();
    for (QWidget* page : std::initializer_list<QWidget*>{welcome, nothingImported, notJudged, overview, kernels, tensors, audit,
                                                         calibrate, launch})
        stack->addWidget(page);
    QObject::connect(triage, &TriagePage::drillRequested, evidence, [this] { evidence->setFocus(Qt::ShortcutFocusReason); });
    QObject::connect(evidence, &EvidencePane::left, triage, &TriagePage::focusList);
    QObject::connect(triage, &TriagePage::noteRequested, evidence, [this] { evidence->showSection(u"notes"_s); });
}

void MainWindow::Private::buildPlaceholders()
{
    welcome = new EmptyState(
        theme, u"assay-workbench"_s, tr("Is the kernel really right?"),
        tr("Assay shows which machine-written GPU kernels fail, at which gate, and the number that decided. Start "
           "with the sample corpus, an audit of your own, or a database."),
        stack);
    for (QAction* action : {actions->sample, actions->import, actions->open})
        welcome->addAction(action);
    nothingImported
        = new EmptyState(theme, u"import"_s, tr("This database is empty"),
                         tr("Import an audit (.jsonl, .jsonl.gz), a benchmark run folder or a corpus of kernels. Importing "
                            "reads and never executes. A file dropped on the window is imported as well."),
                         stack);
    for (QAction* action : {actions->import, actions->sample})
        nothingImported->addAction(action);
    notJudged
        = new EmptyState(theme, u"overview"_s, tr("No audit has judged these kernels"),
                         tr("There is nothing to count yet. The kernels and their sources can be read all the same; results "
                            "that are imported under the same corpus name join them."),
                         stack);
    for (QAction* action : {actions->kernels, actions->judgeList, actions->import})
        notJudged->addAction(action);

    auto* uncalibrated = new EmptyState(
        theme, u"calibrate"_s, tr("Nothing is calibrated here"),
        tr("A calibration measures what right kernels and known disturbances give, and sets each threshold in the gap between. "
           "This place then shows every gate's gap as a figure fit for print."),
        stack);
    uncalibrated->addHint(tr("assay calibrate --db DB measures it: about three minutes on a CPU."));
    uncalibrated->addHint(tr("A published threshold_calibration.json that is imported is shown as well."));
    uncalibrated->addAction(actions->import);
    calibrate = new CalibratePage(context, stack);
    calibrate->setEmptyState(uncalibrated);
    launch = new LaunchPage(context, stack);
}

void MainWindow::Private::buildFrame()
{
    topBar = new TopBar(workspace, theme,
                        {selection.backAction(),
                         selection.forwardAction(),
                         {actions->overview, actions->kernels},
                         actions->palette,
                         actions->nextTheme,
                         actions->menuAction},
                        actions->menu(), &window);
    banner = new BannerStrip(workspace, theme, &window);
    messageBar = new MessageBar(messages, theme, &window);
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    column->addWidget(topBar);
    column->addWidget(banner);
    column->addWidget(messageBar);
    column->addWidget(stack, 1);
    auto* centre = new QWidget(&window);
    auto* row = new QHBoxLayout(centre);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    rail = new Rail(actions->places, centre);
    row->addWidget(rail);
    row->addLayout(column, 1);
    window.setCentralWidget(centre);

    fileLabel = new QLabel(&window);
    fileLabel->setObjectName(u"fileLabel"_s);
    fileLabel->setAccessibleName(tr("Open database"));
    fileLabel->setProperty("look", u"muted"_s);
    fileLabel->setContentsMargins(12, 0, 12, 0);
    jobBar = new JobBar(jobs, messages, theme, &window);
    actions->adoptCancel(jobBar->cancelAction());
    window.statusBar()->setSizeGripEnabled(false);
    window.statusBar()->addWidget(fileLabel, 1);
    window.statusBar()->addPermanentWidget(jobBar);
    auto* said = new QToolButton(&window);
    said->setObjectName(u"openMessageHistory"_s);
    said->setDefaultAction(actions->messages);
    said->setAccessibleName(actions->messages->text());
    said->setIconSize({kStatusIcon, kStatusIcon});
    window.statusBar()->addPermanentWidget(said);

    palette = new CommandPalette(theme, &window);
    cheatSheet = new CheatSheet(theme, &window);
    history = new MessageHistory(messages, theme, &window);
    machine = new MachinePanel(jobs, theme, &window);
    prompt = new Prompt(theme, &window);
}

void MainWindow::Private::connectState()
{
    for (const auto signal : {&Workspace::opened, &Workspace::closed, &Workspace::scopesChanged, &Workspace::scopeChanged})
        QObject::connect(&workspace, signal, &window, [this] { showSpot(); });
    QObject::connect(&workspace, &Workspace::opened, &window, [this] { rememberDatabase(); });
    QObject::connect(&workspace, &Workspace::checked, &window, [this] { showImported(); });
    QObject::connect(&selection, &Selection::placeChanged, &window, [this] { showSpot(); });
    // The filter follows the spot on the way back; on the way forward the spot remembers the filter.
    QObject::connect(&selection, &Selection::filterWanted, &filters, [this](const QString& line) { filters.setText(line); });
    QObject::connect(&filters, &FilterStack::filterChanged, &selection, [this] { selection.noteFilter(filters.text()); });
    saveSoon.setSingleShot(true);
    saveSoon.setInterval(kSaveAfterMs);
    QObject::connect(&saveSoon, &QTimer::timeout, &window, [this] {
        if (!starting)
            save();
    });
    const auto later = [this] { saveSoon.start(); };
    QObject::connect(&selection, &Selection::spotChanged, &saveSoon, later);
    QObject::connect(&filters, &FilterStack::filterChanged, &saveSoon, later);
    QObject::connect(&filters, &FilterStack::sortChanged, &saveSoon, later);
    QObject::connect(&workspace, &Workspace::scopeChanged, &saveSoon, later);
    connectImports();
}

void MainWindow::Private::connectMessages()
{
    const auto post
        = [this](Messages::Level level) { return [this, level](const QString& text) { messages.post(level, text); }; };
    QObject::connect(&workspace, &Workspace::openFailed, &window, post(Messages::Level::Error));
    QObject::connect(&workspace, &Workspace::trouble, &window, post(Messages::Level::Error));
    QObject::connect(&navigator, &Navigator::failed, &window, post(Messages::Level::Warning));
    QObject::connect(&viewSearch, &QueryChannel::failed, &window, post(Messages::Level::Warning));
    QObject::connect(&navigator, &Navigator::linkCopied, &window,
                     [this](const QString& link) { messages.post(Messages::Level::Info, tr("Link copied: %1").arg(link)); });
    QObject::connect(&navigator, &Navigator::arrived, &window, [this] { starting = imports.isRunning(); });
    QObject::connect(actions->dismissMessage, &QAction::triggered, messageBar, &MessageBar::dismiss);
    const auto fail = [this](const QString& message) {
        if (std::exchange(starting, false))
            Q_EMIT window.startFailed(message);
    };
    QObject::connect(&workspace, &Workspace::openFailed, &window, fail);
    QObject::connect(&navigator, &Navigator::failed, &window, fail);
    QObject::connect(&imports, &ImportRunner::failed, &window, fail);
}

void MainWindow::Private::showSpot()
{
    const QString page = selection.spot().place;
    const QString place = placeOfPage(page);
    const bool isTriage = place == u"triage"_s;
    if (isTriage)
        lastTriagePage = page;
    if (page != u"calibrate"_s && calibrate->isPresenting())
        present(false);
    QWidget* shown = page == u"tensors"_s ? static_cast<QWidget*>(tensors)
        : page == u"calibrate"_s          ? static_cast<QWidget*>(calibrate)
        : page == u"launch"_s             ? static_cast<QWidget*>(launch)
        : !workspace.isOpen()             ? static_cast<QWidget*>(welcome)
        : !workspace.scope()              ? nothingImported
        : page == u"audit"_s              ? static_cast<QWidget*>(audit)
        : page == u"kernels"_s            ? static_cast<QWidget*>(kernels)
        : !workspace.scope()->auditId     ? static_cast<QWidget*>(notJudged)
                                          : overview;
    const bool moved = stack->currentWidget() != shown;
    stack->setCurrentWidget(shown);
    const bool hasData = isTriage && workspace.scope();
    topBar->showPages(hasData);
    for (int i = 0; i < actions->places.size(); ++i)
        actions->places[i]->setChecked(places()[static_cast<std::size_t>(i)].id == place);
    actions->overview->setChecked(page == u"overview"_s);
    actions->kernels->setChecked(page == u"kernels"_s);
    for (QAction* action : {actions->overview, actions->kernels, actions->goToKernel})
        action->setEnabled(workspace.scope() != nullptr);
    for (QAction* action : {actions->copyLink, actions->closeDatabase})
        action->setEnabled(workspace.isOpen());
    if (moved && page != u"kernels"_s)
        shown->setFocus(Qt::OtherFocusReason);
    updateTitle();
}

void MainWindow::Private::updateTitle()
{
    QStringList parts;
    if (const store::Scope* scope = workspace.scope()) {
        parts << QString::fromStdString(scope->corpusName);
        if (scope->auditId)
            parts << QString::fromStdString(scope->auditName);
        if (!scope->device.empty())
            parts << QString::fromStdString(scope->device);
    } else if (workspace.isOpen()) {
        parts << QFileInfo(workspace.path()).fileName();
    }
    window.setWindowTitle(parts.isEmpty() ? tr("Assay") : parts.join(u" \u00b7 "_s) + tr(" \u2013 Assay"));
    const QString path = workspace.path();
    fileLabel->setText(!workspace.isOpen()          ? tr("No database is open")
                           : workspace.isReadOnly() ? tr("%1 (read-only)").arg(path)
                                                    : path);
}

void MainWindow::Private::setTheme(const QString& name)
{
    theme.setMode(modeOf(name));
    updateThemeActions();
    save();
}

void MainWindow::Private::updateThemeActions()
{
    actions->light->setChecked(theme.mode() == Theme::Mode::Light);
    actions->dark->setChecked(theme.mode() == Theme::Mode::Dark);
    actions->system->setChecked(theme.mode() == Theme::Mode::System);
    actions->nextTheme->setIcon(theme.icon(theme.isDark() ? u"sun"_s : u"moon"_s));
    actions->dense->setChecked(theme.isDense());
}

Session MainWindow::Private::currentSession() const
{
    Session now = session;
    now.geometry = window.saveGeometry();
    now.theme = nameOf(theme.mode());
    now.dense = theme.isDense();
    now.database = workspace.path();
    now.audit = workspace.scope() ? scopeName(*workspace.scope()) : QString();
    // The files of a comparison are not part of a session.
    now.page = selection.spot().place == u"tensors"_s ? lastTriagePage : selection.spot().place;
    now.kernelId = selection.kernelId();
    now.filter = filters.text();
    now.sort = QString::fromStdString(store::toText(filters.sort()));
    now.triageState = triage->saveState();
    now.splitter = kernels->saveSizes();
    now.judge = judge.settings();
    now.launch = launch->settings();
    return now;
}

void MainWindow::Private::save()
{
    if (sessionPath.isEmpty())
        return;
    session = currentSession();
    if (const QString problem = saveSession(sessionPath, session); !problem.isEmpty())
        messages.post(Messages::Level::Warning, problem);
}

void MainWindow::Private::rememberDatabase()
{
    session.recent = withRecent(session.recent, QFileInfo(workspace.path()).absoluteFilePath());
    fillRecent();
    save();
}

void MainWindow::Private::resetLayout()
{
    window.resize(kFirstSize);
    kernels->wideAction()->setChecked(false);
    kernels->resetSizes();
    triage->resetLayout();
}

void MainWindow::Private::restoreWindow(const Session& stored, const StartRequest& request)
{
    if (!request.theme.isEmpty())
        theme.setMode(modeOf(request.theme));
    updateThemeActions();
    if (request.resetLayout) {
        resetLayout();
        return;
    }
    if (!stored.geometry.isEmpty())
        window.restoreGeometry(stored.geometry);
    if (!stored.triageState.isEmpty())
        triage->restoreState(stored.triageState);
    kernels->restoreSizes(stored.splitter);
}

void MainWindow::start(const StartRequest& request)
{
    const Session stored = d->session; // opening a database rewrites d->session
    d->restoreWindow(stored, request);
    d->starting = true;
    if (!request.section.isEmpty()) {
        d->kernels->wideAction()->setChecked(request.section == u"sources"_s || request.section == u"diff"_s
                                             || request.section == u"outputs"_s);
        d->evidence->showSection(request.section);
    }
    if (request.tensors.size() == 2) {
        compareTensors(request.tensors[0], request.tensors[1], request.tensor, request.dtype);
        if (request.spot.database.isEmpty())
            return;
    }
    DeepLink spot = request.spot;
    const bool asked = !spot.database.isEmpty();
    if (!asked && request.importPath.isEmpty() && !stored.database.isEmpty() && QFileInfo::exists(stored.database)) {
        spot.database = stored.database;
        if (spot.audit.isEmpty())
            spot.audit = stored.audit;
        if (spot.place.isEmpty() && spot.kernel.isEmpty()) {
            spot.place = stored.page;
            spot.kernel = stored.kernelId > 0 ? u"#%1"_s.arg(stored.kernelId) : QString();
        }
        if (const auto sort = store::parseSort(stored.sort.toStdString()))
            d->filters.restore(spot.filter.isEmpty() ? stored.filter : spot.filter, *sort);
    }
    if (!request.importPath.isEmpty()) {
        d->importInto(expandPath(request.importPath), spot.database.isEmpty() ? d->defaultDatabase() : spot.database);
        if (d->imports.isRunning())
            d->afterImport = spot;
        return;
    }
    if (spot.database.isEmpty()) {
        if (!spot.place.isEmpty())
            d->selection.setPlace(spot.place);
        d->starting = false;
        return;
    }
    if (!d->workspace.open(spot.database, request.readOnly))
        return;
    d->navigator.goTo(spot);
}

void MainWindow::openDatabase(const QString& path, bool readOnly)
{
    d->workspace.open(path, readOnly);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    d->save();
    QMainWindow::closeEvent(event);
}

} // namespace assay::views
