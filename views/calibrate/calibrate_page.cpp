// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/calibrate_page.h"

#include "core/report/threshold_proposal.h"
#include "core/text/error.h"
#include "views/calibrate/calibrate_data.h"
#include "views/calibrate/cell_model.h"
#include "views/calibrate/figure_export.h"
#include "views/calibrate/figure_view.h"
#include "views/calibrate/proposal_panel.h"
#include "views/calibrate/trial_words.h"
#include "views/figure/figure_canvas.h"
#include "views/state/context.h"
#include "views/state/messages.h"
#include "views/state/place.h"
#include "views/state/query_channel.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/number_text.h"
#include "views/theme/page_action.h"
#include "views/theme/table_look.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kListWidth = 700;
constexpr int kFigureWidth = 740;
constexpr double kStep = 0.05; ///< decades a key moves the tried threshold
constexpr double kStride = 0.5;
constexpr int kVersionDigits = 8;
} // namespace

struct CalibratePage::Private {
    Private(CalibratePage& owner, Context& shared)
        : page(owner)
        , context(shared)
        , list(shared.workspace)
        , drawing(shared.workspace)
        , flipping(shared.workspace)
    {
    }

    void build();
    QWidget* buildSide();
    QWidget* buildCentre();
    void addKeys();
    void connectAll();
    void load();
    void show(CalibrateData found);
    void showVersions();
    void showCell();
    void adoptGate();
    void drawn(ShownFigure found);
    void showTrial();
    void step(int by);
    void takeBack();
    void propose();
    void showFlips(std::vector<report::VerdictFlip> found);
    void writeProposal();
    void closeProposal();
    QString suggestedName() const;
    const report::CalibrationVersion* version() const { return data.versions.empty() ? nullptr : &data.versions[data.chosen]; }

    CalibratePage& page;
    Context& context;
    QueryChannel list;
    QueryChannel drawing;
    QueryChannel flipping;
    CalibrateData data;
    std::string chosenVersion; ///< hash; "" : the newest
    std::optional<calibration::CellName> chosenCell;
    bool isStale = true;
    bool isPresenting = false;
    int writing = 0;

    QStackedLayout* stack = nullptr;
    QWidget* bench = nullptr;
    QWidget* empty = nullptr;
    QWidget* side = nullptr;
    QComboBox* versions = nullptr;
    QLabel* about = nullptr;
    CellModel* cells = nullptr;
    QTableView* table = nullptr;
    FigureView* figure = nullptr;
    QWidget* below = nullptr;
    QLabel* trial = nullptr;
    QLabel* drift = nullptr;
    QPushButton* proposeButton = nullptr;
    ProposalPanel* proposal = nullptr;
};

CalibratePage::CalibratePage(Context& context, QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>(*this, context))
{
    setUpPlace(*this, u"calibrate.page"_s, tr("Calibrate"));
    d->build();
    d->addKeys();
    d->connectAll();
}

CalibratePage::~CalibratePage() = default;

void CalibratePage::Private::build()
{
    stack = new QStackedLayout(&page);
    stack->setContentsMargins(0, 0, 0, 0);
    bench = new QWidget(&page);
    auto* row = new QVBoxLayout(bench);
    row->setContentsMargins(0, 0, 0, 0);
    auto* split = new QSplitter(bench);
    side = buildSide();
    split->addWidget(side);
    split->addWidget(buildCentre());
    split->setStretchFactor(1, 1);
    split->setSizes({kListWidth, kFigureWidth});
    split->setChildrenCollapsible(false);
    row->addWidget(split);
    stack->addWidget(bench);
}

QWidget* CalibratePage::Private::buildSide()
{
    auto* column = new QWidget(&page);
    auto* lines = new QVBoxLayout(column);
    lines->setContentsMargins(16, 10, 8, 8);
    lines->setSpacing(6);
    versions = new QComboBox(column);
    versions->setObjectName(u"calibrate.versions"_s);
    versions->setAccessibleName(CalibratePage::tr("Version of the thresholds"));
    about = new QLabel(column);
    about->setObjectName(u"calibrate.about"_s);
    about->setProperty("look", u"muted"_s);
    about->setWordWrap(true);
    cells = new CellModel(context.theme, column);
    table = new QTableView(column);
    table->setObjectName(u"calibrate.cells"_s);
    table->setAccessibleName(CalibratePage::tr("Gates, families and types"));
    table->setModel(cells);
    giveTableLook(*table, context.theme);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->horizontalHeader()->setStretchLastSection(true);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // a long state has its tool tip
    lines->addWidget(versions);
    lines->addWidget(about);
    lines->addWidget(table, 1);
    return column;
}

QWidget* CalibratePage::Private::buildCentre()
{
    auto* column = new QWidget(&page);
    auto* lines = new QVBoxLayout(column);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    figure = new FigureView(context.theme, column);
    lines->addWidget(figure, 1);

    below = new QFrame(column);
    below->setProperty("look", u"topbar"_s);
    auto* row = new QHBoxLayout(below);
    row->setContentsMargins(16, 6, 16, 6);
    row->setSpacing(12);
    auto* said = new QVBoxLayout;
    trial = new QLabel(below);
    trial->setObjectName(u"calibrate.trial"_s);
    trial->setWordWrap(true);
    drift = new QLabel(below);
    drift->setObjectName(u"calibrate.drift"_s);
    drift->setProperty("look", u"muted"_s);
    drift->setWordWrap(true);
    said->addWidget(trial);
    said->addWidget(drift);
    proposeButton = new QPushButton(CalibratePage::tr("Propose\u2026"), below);
    proposeButton->setObjectName(u"calibrate.propose"_s);
    proposeButton->setToolTip(CalibratePage::tr("See which verdicts would flip, then write a new version (P)"));
    auto* save = new QPushButton(CalibratePage::tr("Figure\u2026"), below);
    save->setObjectName(u"calibrate.export"_s);
    save->setToolTip(CalibratePage::tr("SVG, PDF or PNG on white paper, with its numbers as CSV (Ctrl+E)"));
    row->addLayout(said, 1);
    row->addWidget(proposeButton);
    row->addWidget(save);
    connect(proposeButton, &QPushButton::clicked, &page, [this] { propose(); });
    connect(save, &QPushButton::clicked, &page, [this] { Q_EMIT page.exportAsked(suggestedName()); });
    lines->addWidget(below);

    proposal = new ProposalPanel(context.theme, column);
    proposal->hide();
    connect(proposal, &ProposalPanel::writeAsked, &page, [this] { writeProposal(); });
    connect(proposal, &ProposalPanel::left, &page, [this] { closeProposal(); });
    lines->addWidget(proposal);
    return column;
}

void CalibratePage::Private::addKeys()
{
    const auto add
        = [this](const QString& name, const QString& text, const QList<QKeySequence>& keys, std::function<void()> run) {
              addPageAction(page, u"calibrate."_s + name, text, keys, std::move(run));
          };
    add(u"next"_s, CalibratePage::tr("Next cell"), {Qt::Key_Right, Qt::Key_J}, [this] { step(1); });
    add(u"previous"_s, CalibratePage::tr("Previous cell"), {Qt::Key_Left, Qt::Key_K}, [this] { step(-1); });
    add(u"lower"_s, CalibratePage::tr("Try a lower threshold"), {Qt::Key_BracketLeft}, [this] { figure->nudge(-kStep); });
    add(u"higher"_s, CalibratePage::tr("Try a higher threshold"), {Qt::Key_BracketRight}, [this] { figure->nudge(kStep); });
    add(u"muchLower"_s, CalibratePage::tr("Try a much lower threshold"),
        {Qt::Key_BraceLeft, Qt::SHIFT | Qt::Key_BracketLeft, Qt::SHIFT | Qt::Key_BraceLeft}, [this] { figure->nudge(-kStride); });
    add(u"muchHigher"_s, CalibratePage::tr("Try a much higher threshold"),
        {Qt::Key_BraceRight, Qt::SHIFT | Qt::Key_BracketRight, Qt::SHIFT | Qt::Key_BraceRight},
        [this] { figure->nudge(kStride); });
    add(u"takeBack"_s, CalibratePage::tr("Take the tried threshold back"), {Qt::Key_Escape}, [this] { takeBack(); });
    add(u"proposeKey"_s, CalibratePage::tr("Propose the tried threshold"), {Qt::Key_P}, [this] { propose(); });
    add(u"exportKey"_s, CalibratePage::tr("Write the figure to a file"), {QKeySequence(u"Ctrl+E"_s)},
        [this] { Q_EMIT page.exportAsked(suggestedName()); });
}

void CalibratePage::Private::connectAll()
{
    followDatabase(page, context, {&list, &drawing, &flipping}, [this] { load(); });
    connect(versions, &QComboBox::activated, &page, [this](int index) {
        chosenVersion = data.versions[std::size_t(index)].summary.version;
        table->setFocus(Qt::OtherFocusReason);
        load();
    });
    connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, &page, [this] { showCell(); });
    connect(figure, &FigureView::ghostChanged, &page, [this] {
        closeProposal();
        showTrial();
    });
    connect(&context.selection, &Selection::gateChanged, &page, [this] { adoptGate(); });
}

void CalibratePage::Private::load()
{
    isStale = !page.isVisible();
    if (isStale)
        return;
    if (!context.workspace.isOpen()) {
        if (empty != nullptr)
            stack->setCurrentWidget(empty);
        return;
    }
    list.start<CalibrateData>(
        [hash = chosenVersion](store::Database& database, std::stop_token stop) {
            const store::InterruptOnStop interrupt(database, std::move(stop));
            return loadCalibrateData(database, hash);
        },
        [this](CalibrateData found) { show(std::move(found)); });
}

void CalibratePage::Private::show(CalibrateData found)
{
    data = std::move(found);
    if (data.rows.empty() && empty != nullptr) {
        stack->setCurrentWidget(empty);
        return;
    }
    const bool isNew = stack->currentWidget() != bench;
    stack->setCurrentWidget(bench);
    if (isNew || page.hasFocus())
        table->setFocus(Qt::OtherFocusReason);
    showVersions();
    {
        const QSignalBlocker quiet(table->selectionModel());
        cells->setRows(data.rows);
        const int known = chosenCell ? cells->indexOf(*chosenCell) : -1;
        table->setCurrentIndex(cells->index(std::max(known, 0), 0));
        if (known < 0)
            adoptGate();
    }
    table->resizeColumnsToContents();
    showCell();
}

/// A gate that is looked at elsewhere is the first one looked at here.
void CalibratePage::Private::adoptGate()
{
    const auto gate = context.selection.gate();
    if (!gate)
        return;
    const std::string wanted(contract::id(*gate));
    const CellRow* now = cells->row(table->currentIndex().row());
    if (now != nullptr && now->cell.gate == wanted)
        return;
    for (int row = 0; row < cells->rowCount(); ++row) {
        if (cells->row(row)->cell.gate == wanted) {
            table->setCurrentIndex(cells->index(row, 0));
            return;
        }
    }
}

void CalibratePage::Private::showVersions()
{
    const QSignalBlocker quiet(versions);
    versions->clear();
    for (const report::CalibrationVersion& one : data.versions)
        versions->addItem(u"%1  %2"_s.arg(QString::fromStdString(one.summary.version).left(kVersionDigits),
                                          QString::fromStdString(one.summary.title)));
    versions->setVisible(!data.versions.empty());
    if (data.versions.empty()) {
        about->setText(CalibratePage::tr("Nothing was calibrated here; these margins were published. assay calibrate --db %1 "
                                         "measures yours.")
                           .arg(context.workspace.path()));
        return;
    }
    versions->setCurrentIndex(int(data.chosen));
    const report::CalibrationVersion& shown = data.versions[data.chosen];
    about->setText(CalibratePage::tr("%1 samples on %2, frozen %3. Margins of the threshold in decades.")
                       .arg(number_text::count(shown.summary.samples), QString::fromStdString(shown.frozen.device),
                            QString::fromStdString(shown.summary.createdAt).left(10)));
}

void CalibratePage::Private::showCell()
{
    const CellRow* row = cells->row(table->currentIndex().row());
    if (row == nullptr)
        return;
    chosenCell = row->cell;
    table->scrollTo(table->currentIndex());
    drawing.start<ShownFigure>(
        [data = data, cell = row->cell](store::Database& database, std::stop_token stop) {
            const store::InterruptOnStop interrupt(database, stop);
            return loadShownFigure(database, data, cell, std::move(stop));
        },
        [this](ShownFigure found) { drawn(std::move(found)); });
}

void CalibratePage::Private::drawn(ShownFigure found)
{
    figure->setFigure(found.figure);
    const QString said = trial_words::drift(found.drifts);
    drift->setText(said);
    drift->setVisible(!said.isEmpty());
    showTrial();
}

void CalibratePage::Private::showTrial()
{
    if (!figure->hasFigure())
        return;
    proposeButton->setEnabled(figure->ghost().has_value() && !context.workspace.isReadOnly());
    trial->setText(trial_words::trial(figure->figure(), cells->row(table->currentIndex().row()), figure->ghost()));
}

void CalibratePage::Private::step(int by)
{
    const int row = table->currentIndex().row() + by;
    if (cells->row(row) != nullptr)
        table->setCurrentIndex(cells->index(row, 0));
}

void CalibratePage::Private::takeBack()
{
    if (proposal->isVisible())
        closeProposal();
    else if (figure->ghost())
        figure->setGhost({});
    else if (isPresenting)
        Q_EMIT page.presentationLeft();
}

void CalibratePage::Private::closeProposal()
{
    proposal->hide();
    if (!isPresenting)
        table->setFocus(Qt::OtherFocusReason);
}

void CalibratePage::Private::propose()
{
    if (proposal->isVisible()) {
        writeProposal();
        return;
    }
    if (!figure->ghost() || isPresenting) {
        context.messages.post(Messages::Level::Info, CalibratePage::tr("Move the threshold first: [ and ], or drag its line."));
        return;
    }
    if (context.workspace.isReadOnly()) {
        context.messages.post(Messages::Level::Warning,
                              CalibratePage::tr("The database is open read-only: a proposal cannot be written."));
        return;
    }
    flipping.start<std::vector<report::VerdictFlip>>(
        [cell = figure->figure().cell, threshold = *figure->ghost()](store::Database& database, std::stop_token stop) {
            const store::InterruptOnStop interrupt(database, std::move(stop));
            return report::flipsUnder(database, cell, threshold);
        },
        [this](std::vector<report::VerdictFlip> found) { showFlips(std::move(found)); });
}

void CalibratePage::Private::showFlips(std::vector<report::VerdictFlip> found)
{
    if (!figure->ghost())
        return; // taken back while they were looked up
    proposal->setFlips(*figure->ghost(), std::move(found));
    proposal->show();
}

void CalibratePage::Private::writeProposal()
{
    const report::CalibrationVersion* from = version();
    if (from == nullptr || !figure->ghost() || writing > 0)
        return;
    ++writing;
    const auto hash = std::make_shared<std::string>();
    context.workspace.write(
        [hash, from = *from, shown = figure->figure(), threshold = *figure->ghost()](store::Database& database) {
            *hash = report::proposeThreshold(database, from, shown, threshold);
        },
        &page,
        [this, hash](const QString& problem) {
            --writing;
            if (!problem.isEmpty()) {
                context.messages.post(Messages::Level::Error, problem);
                return;
            }
            context.messages.post(Messages::Level::Info,
                                  CalibratePage::tr("Written as version %1. The version before it stays.")
                                      .arg(QString::fromStdString(*hash).left(kVersionDigits)));
            chosenVersion = *hash;
            figure->setGhost({});
            load();
        });
}

QString CalibratePage::Private::suggestedName() const
{
    if (!figure->hasFigure())
        return u"calibration.svg"_s;
    const calibration::CellName& cell = figure->figure().cell;
    QString name = QString::fromStdString(cell.gate + "-" + cell.family);
    if (!cell.dtype.empty())
        name += u'-' + QString::fromStdString(cell.dtype);
    return name + u".svg"_s;
}

void CalibratePage::setEmptyState(QWidget* state)
{
    d->empty = state;
    d->stack->addWidget(state);
    d->stack->setCurrentWidget(state);
}

bool CalibratePage::isLoading() const
{
    return d->list.isRunning() || d->drawing.isRunning() || d->flipping.isRunning() || d->writing > 0;
}

void CalibratePage::setPresenting(bool on)
{
    d->isPresenting = on;
    d->side->setVisible(!on);
    d->below->setVisible(!on);
    d->closeProposal();
    if (on)
        d->figure->setFocus(Qt::OtherFocusReason);
}

bool CalibratePage::isPresenting() const
{
    return d->isPresenting;
}

void CalibratePage::exportShown(const FigureSize& size, const QString& path) const
{
    if (!d->figure->hasFigure())
        throw Error("there is no figure to write", "", "Calibrate first");
    exportFigure(d->figure->figure(), size, path);
}

void CalibratePage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (d->isStale)
        d->load();
}

} // namespace assay::views
