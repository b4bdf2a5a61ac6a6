// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/triage_page.h"

#include "views/state/context.h"
#include "views/state/filter_stack.h"
#include "views/state/messages.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/theme.h"
#include "views/triage/column_catalog.h"
#include "views/triage/facet_model.h"
#include "views/triage/facet_panel.h"
#include "views/triage/filter_bar.h"
#include "views/triage/filter_edit.h"
#include "views/triage/kernel_header.h"
#include "views/triage/kernel_list.h"
#include "views/triage/row_menu.h"
#include "views/triage/saved_view_menu.h"
#include "views/triage/triage_words.h"

#include <QAction>
#include <QFileDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kStateVersion = 1;
constexpr int kFacetWidth = 220;
constexpr int kFacetLeast = 176;
constexpr double kFacetShare = 0.22; // of a page that is not wide
constexpr int kRoomForFacets = 700;  // px; in a narrower page the list needs all the room

QString columnsText(const KernelTableView& table)
{
    return QString::fromUtf8(QJsonDocument(table.columnState()).toJson(QJsonDocument::Compact));
}

/// Largest error first, without the NaN that no order fits: they are a filter of their own (error:nan).
void showLargestErrors(FilterStack& filters)
{
    store::TriageFilter filter = filters.filter();
    const store::FilterTerm withoutNaN{"error", ":", {"nan"}, true};
    if (std::find(filter.terms.begin(), filter.terms.end(), withoutNaN) == filter.terms.end())
        filter.terms.push_back(withoutNaN);
    filters.setFilter(filter);
    filters.setSort({store::TriageColumn::Error, true});
}

} // namespace

struct TriagePage::Private {
    Private(Context& shared, TriagePage& owner)
        : context(shared)
        , page(owner)
    {
    }

    Context& context;
    TriagePage& page;
    QSplitter* splitter = nullptr;
    FacetModel* facets = nullptr;
    FacetPanel* panel = nullptr;
    FilterBar* bar = nullptr;
    KernelList* list = nullptr;
    QAction* columns = nullptr;
    QAction* exportView = nullptr;
    QAction* showFacets = nullptr;
    bool isFacetChoiceMade = false; ///< a person showed or hid the facets; until then the room decides
    bool isSplitterMoved = false;

    void build();
    void connectParts();
    void addWalkActions();
    void addViewActions();
    void addCopyActions();
    QAction* action(const QString& name, const QString& text, const QKeySequence& key, std::function<void()> run,
                    QWidget* owner = nullptr);
    void updateCounts();
    void arrange();
    void onSortRequested(int column);
    void showSort();
    void stepOut();
    void popUp(QMenu* menu, const QPoint& position) const;
    void askExportPath(const RowRequest& request);
    void save(RowRequest request, const QString& path);
};

TriagePage::TriagePage(Context& context, QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>(context, *this))
{
    setObjectName(u"triage"_s);
    setAccessibleName(tr("Kernels"));
    d->build();
    d->addWalkActions();
    d->addCopyActions();
    d->addViewActions();
    d->connectParts();
    d->showSort();
    d->list->model().reload();
    d->facets->reload();
}

TriagePage::~TriagePage() = default;

void TriagePage::Private::build()
{
    facets = new FacetModel(context.workspace, context.filters, &page);
    splitter = new QSplitter(Qt::Horizontal, &page);
    splitter->setObjectName(u"triage.splitter"_s);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
    panel = new FacetPanel(*facets, context.theme, splitter);
    auto* centre = new QWidget(splitter);
    bar = new FilterBar(context, centre);
    list = new KernelList(context, centre);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(list, 1);
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({kFacetWidth, 900});
    QObject::connect(splitter, &QSplitter::splitterMoved, &page, [this] { isSplitterMoved = true; });
    auto* layout = new QVBoxLayout(&page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    page.setFocusProxy(list);
    QWidget::setTabOrder(&bar->edit(), &list->table());
    QWidget::setTabOrder(&list->table(), panel);
}

QAction* TriagePage::Private::action(const QString& name, const QString& text, const QKeySequence& key, std::function<void()> run,
                                     QWidget* owner)
{
    auto* made = new QAction(text, &page);
    made->setObjectName(u"triage."_s + name);
    made->setShortcut(key);
    // Letters work wherever the keyboard is in this window; a text field keeps the letters it is given.
    made->setShortcutContext(owner ? Qt::WidgetWithChildrenShortcut : Qt::WindowShortcut);
    if (owner)
        owner->addAction(made);
    page.addAction(made);
    QObject::connect(made, &QAction::triggered, &page, std::move(run));
    return made;
}

void TriagePage::Private::addWalkActions()
{
    action(u"next"_s, tr("Next kernel"), Qt::Key_J, [this] { list->step(true); });
    action(u"previous"_s, tr("Previous kernel"), Qt::Key_K, [this] { list->step(false); });
    action(u"nextFailing"_s, tr("Next failing kernel"), Qt::SHIFT | Qt::Key_J, [this] { list->stepFailing(true); });
    action(u"previousFailing"_s, tr("Previous failing kernel"), Qt::SHIFT | Qt::Key_K, [this] { list->stepFailing(false); });
    action(u"largestErrors"_s, tr("Largest errors first"), Qt::Key_E, [this] {
        showLargestErrors(context.filters);
        list->selectFirstWhenLoaded();
        page.focusList();
    });
    action(u"bookmark"_s, tr("Bookmark the kernel"), Qt::Key_M, [this] { list->toggleBookmark(); });
    // The evidence pane owns the key N; two owners of one key would silence both.
    action(u"note"_s, tr("Write a note"), {}, [this] { Q_EMIT page.noteRequested(); });
    action(u"filter"_s, tr("Go to the filter line"), Qt::Key_Slash, [this] { page.focusFilter(); });
}

void TriagePage::Private::addCopyActions()
{
    // In the table only: every pane copies what it shows.
    action(
        u"copy"_s, tr("Copy rows"), QKeySequence::Copy, [this] { list->copySelection(RowFormat::Tsv, false); }, list);
    action(
        u"copyWithHeaders"_s, tr("Copy rows with headers"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
        [this] { list->copySelection(RowFormat::Tsv, true); }, list);
    action(
        u"copyMarkdown"_s, tr("Copy rows as Markdown"), {}, [this] { list->copySelection(RowFormat::Markdown, true); }, list);
}

void TriagePage::Private::addViewActions()
{
    columns = action(u"columns"_s, tr("Columns..."), {}, [this] {
        auto* menu = new QMenu(&page);
        list->table().fillColumnMenu(*menu);
        popUp(menu, list->mapToGlobal(QPoint(list->width() - menu->sizeHint().width(), 0)));
    });
    showFacets = action(u"facets"_s, tr("Facets"), Qt::Key_F, [this] {
        isFacetChoiceMade = true;
        arrange();
    });
    showFacets->setCheckable(true);
    showFacets->setChecked(true);
    exportView = action(u"export"_s, tr("Export this view..."), Qt::CTRL | Qt::Key_E,
                        [this] { askExportPath(list->everything(RowFormat::Csv)); });
    action(u"saveView"_s, tr("Save this view..."), {}, [this] { Q_EMIT bar->views().saveRequested(); });
    const auto setIcons = [this] {
        columns->setIcon(context.theme.icon(u"columns"_s));
        exportView->setIcon(context.theme.icon(u"export"_s));
    };
    setIcons();
    QObject::connect(&context.theme, &Theme::changed, &page, setIcons);
    bar->addButton(columns);
    bar->addButton(exportView);
}

void TriagePage::Private::connectParts()
{
    QObject::connect(bar, &FilterBar::leaveRequested, &page, &TriagePage::focusList);
    QObject::connect(bar, &FilterBar::saveViewRequested, &page,
                     [this](const QString& name) { bar->views().save(name, columnsText(list->table())); });
    QObject::connect(&bar->views(), &SavedViewMenu::columnsWanted, &page, [this](const QString& text) {
        list->table().restoreColumns(QJsonDocument::fromJson(text.toUtf8()).array());
    });
    QObject::connect(list, &KernelList::stateChanged, &page, [this] { updateCounts(); });
    QObject::connect(list, &KernelList::drillRequested, &page, &TriagePage::drillRequested);
    QObject::connect(list, &KernelList::outRequested, &page, [this] { stepOut(); });
    QObject::connect(list, &KernelList::rowMenuRequested, &page, [this](const QModelIndex& index, const QPoint& position) {
        popUp(makeRowMenu(index, context.filters, page.actions(), &page), position);
    });
    QObject::connect(&list->table(), &KernelTableView::sortRequested, &page, [this](int column) { onSortRequested(column); });
    QObject::connect(&list->table(), &KernelTableView::headerMenuRequested, &page,
                     [this](int column, const QPoint& position, const QPoint& globalPosition) {
                         const auto* header = static_cast<const KernelHeader*>(list->table().horizontalHeader());
                         popUp(makeHeaderMenu(list->table(), column, header->gateAt(position), context.filters, &page),
                               globalPosition);
                     });
    QObject::connect(&list->copier(), &RowCopier::saveWanted, &page,
                     [this](const RowRequest& request) { askExportPath(request); });
    QObject::connect(&context.filters, &FilterStack::sortChanged, &page, [this] { showSort(); });
    QObject::connect(&context.workspace, &Workspace::scopeChanged, facets, &FacetModel::reload);
    QObject::connect(&context.workspace, &Workspace::contentChanged, facets, &FacetModel::reload);
    QObject::connect(&context.workspace, &Workspace::closed, facets, &FacetModel::reload);
    QObject::connect(&context.workspace, &Workspace::scopesChanged, &page, [this] { updateCounts(); });
    QObject::connect(facets, &FacetModel::failed, &page,
                     [this](const QString& message) { context.messages.post(Messages::Level::Error, message); });
    QObject::connect(&context.selection, &Selection::placeChanged, &page, [this](const QString& place) {
        if (place == u"kernels"_s)
            page.focusList();
    });
}

void TriagePage::Private::updateCounts()
{
    const store::Scope* scope = context.workspace.scope();
    const KernelTableModel& model = list->model();
    bar->setCounts(model.rowCount(), (scope ? scope->kernels : 0) + model.waitingRows(),
                   model.isComplete() && !model.isLoading());
}

void TriagePage::Private::arrange()
{
    if (!isFacetChoiceMade)
        showFacets->setChecked(page.width() >= kRoomForFacets);
    panel->setVisible(showFacets->isChecked());
    if (isSplitterMoved)
        return;
    const int facetWidth = std::clamp(static_cast<int>(page.width() * kFacetShare), kFacetLeast, kFacetWidth);
    splitter->setSizes({facetWidth, page.width() - facetWidth});
}

void TriagePage::Private::onSortRequested(int column)
{
    const auto asked = static_cast<store::TriageColumn>(column);
    const store::TriageSort& sort = context.filters.sort();
    const bool descending = sort.column == asked ? !sort.descending : columnInfo(asked).largestFirst;
    context.filters.setSort({asked, descending});
    showSort(); // the header has moved its own mark already
}

void TriagePage::Private::showSort()
{
    const store::TriageSort& sort = context.filters.sort();
    list->table().horizontalHeader()->setSortIndicator(static_cast<int>(sort.column),
                                                       sort.descending ? Qt::DescendingOrder : Qt::AscendingOrder);
}

void TriagePage::Private::stepOut()
{
    if (context.selection.gate())
        context.selection.setGate(std::nullopt);
    else
        context.selection.setPlace(u"overview"_s);
}

void TriagePage::Private::popUp(QMenu* menu, const QPoint& position) const
{
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(position);
}

void TriagePage::Private::askExportPath(const RowRequest& request)
{
    const QString name = u"triage.exportDialog"_s;
    delete page.findChild<QFileDialog*>(name); // asked anew: the rows may be others by now
    auto* dialog = new QFileDialog(&page, tr("Export %1 rows").arg(words::countText(request.rows())));
    dialog->setObjectName(name);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(
        {tr("CSV, exact numbers (*.csv)"), tr("Tab-separated (*.tsv)"), tr("Markdown (*.md)"), tr("JSON Lines (*.jsonl)")});
    dialog->setDefaultSuffix(u"csv"_s);
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog,
                     [dialog](const QString& filter) { dialog->setDefaultSuffix(filter.section(u"*."_s, 1).chopped(1)); });
    QObject::connect(dialog, &QFileDialog::fileSelected, &page, [this, request](const QString& path) { save(request, path); });
    dialog->setModal(false);
    dialog->show();
}

void TriagePage::Private::save(RowRequest request, const QString& path)
{
    const auto format = rowFormatOf(path);
    if (!format) {
        context.messages.post(Messages::Level::Error,
                              tr("%1 has no suffix that says how to write it: use .csv, .tsv, .md or .jsonl.").arg(path));
        return;
    }
    request.format = *format;
    request.withHeader = true;
    list->copier().save(request, path);
}

QByteArray TriagePage::saveState() const
{
    QJsonArray sizes;
    for (const int size : d->isSplitterMoved ? d->splitter->sizes() : QList<int>())
        sizes.append(size);
    QJsonObject state{{u"version"_s, kStateVersion},
                      {u"columns"_s, d->list->table().columnState()},
                      {u"collapsedFacets"_s, QJsonArray::fromStringList(d->panel->collapsed())},
                      {u"splitter"_s, sizes}};
    if (d->isFacetChoiceMade)
        state[u"facets"_s] = d->showFacets->isChecked();
    return QJsonDocument(state).toJson(QJsonDocument::Compact);
}

bool TriagePage::restoreState(const QByteArray& state)
{
    const QJsonObject object = QJsonDocument::fromJson(state).object();
    if (object[u"version"_s].toInt() != kStateVersion)
        return false;
    d->list->table().restoreColumns(object[u"columns"_s].toArray());
    QStringList collapsed;
    for (const QJsonValue& field : object[u"collapsedFacets"_s].toArray())
        collapsed << field.toString();
    d->panel->setCollapsed(collapsed);
    QList<int> sizes;
    for (const QJsonValue& size : object[u"splitter"_s].toArray())
        sizes << size.toInt();
    d->isSplitterMoved = sizes.size() == d->splitter->count();
    if (d->isSplitterMoved)
        d->splitter->setSizes(sizes);
    d->isFacetChoiceMade = object[u"facets"_s].isBool();
    if (d->isFacetChoiceMade)
        d->showFacets->setChecked(object[u"facets"_s].toBool());
    d->arrange();
    return true;
}

void TriagePage::resetLayout()
{
    d->isSplitterMoved = false;
    d->isFacetChoiceMade = false;
    d->list->table().resetColumns();
    d->panel->setCollapsed({});
    d->arrange();
}

void TriagePage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    d->arrange();
}

QList<QAction*> TriagePage::kernelActions() const
{
    QList<QAction*> walk;
    for (const auto* name : {"next", "previous", "nextFailing", "previousFailing", "bookmark", "largestErrors"})
        walk << findChild<QAction*>(u"triage."_s + QLatin1String(name), Qt::FindDirectChildrenOnly);
    return walk;
}

std::vector<std::int64_t> TriagePage::selectedKernels() const
{
    std::vector<std::int64_t> kernels;
    for (const RowRange& range : d->list->table().selectedRanges()) {
        for (int row = range.first; row <= range.second; ++row)
            kernels.push_back(d->list->model().kernelAt(row));
    }
    const std::int64_t shown = d->context.selection.kernelId();
    if (kernels.empty() && shown != 0)
        kernels.push_back(shown);
    return kernels;
}

void TriagePage::focusList()
{
    d->list->table().setFocus(Qt::ShortcutFocusReason);
}

void TriagePage::focusFilter()
{
    d->bar->edit().setFocus(Qt::ShortcutFocusReason);
    d->bar->edit().selectAll();
}

void TriagePage::exportTo(const QString& path)
{
    d->save(d->list->everything(RowFormat::Csv), path);
}

} // namespace assay::views
