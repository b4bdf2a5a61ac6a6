// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/overview_page.h"

#include "views/overview/baseline_panel.h"
#include "views/overview/fail_set_panel.h"
#include "views/overview/family_panel.h"
#include "views/overview/funnel_panel.h"
#include "views/overview/gate_panel.h"
#include "views/overview/headline_panel.h"
#include "views/overview/matrix_panel.h"
#include "views/overview/overview_head.h"
#include "views/overview/overview_query.h"
#include "views/overview/published_section.h"
#include "views/overview/rule_switch.h"
#include "views/overview/section_stack.h"
#include "views/overview/type_ahead.h"
#include "views/state/context.h"
#include "views/state/filter_stack.h"
#include "views/state/messages.h"
#include "views/state/query_channel.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QStackedLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

struct OverviewPage::Private {
    Private(OverviewPage& owner, Context& shared)
        : page(owner)
        , context(shared)
        , channel(shared.workspace)
        , extrasChannel(shared.workspace)
    {
    }

    void build();
    void connectAll();
    void restyle();
    void reload();
    void reloadExtras();
    void showEmpty(const QString& text);
    void show(OverviewDataPtr data);
    void follow(const PanelLink& link);
    void go(const PanelLink& link);
    void storeOutcomesThenGo(const PanelLink& link);
    void type(const QString& text);
    bool focusLink(const QString& text);
    void leave(LinkPanel* from, int key, qreal x);
    void reveal(LinkPanel* panel, const QRect& rect);

    OverviewPage& page;
    Context& context;
    QueryChannel channel;
    QueryChannel extrasChannel;
    QString ruleSet = u"as-published"_s;
    OverviewDataPtr data;
    bool stale = true; ///< what is shown is older than the database
    TypeAhead typeAhead;
    QSet<QString> storedRules; ///< scope and rule-set hash whose rows are in the database

    QStackedLayout* stack = nullptr;
    QLabel* empty = nullptr;
    QScrollArea* scroll = nullptr;
    SectionStack* sections = nullptr;
    OverviewHead* head = nullptr;
    HeadlinePanel* headline = nullptr;
    FunnelPanel* funnel = nullptr;
    FamilyPanel* families = nullptr;
    GatePanel* gates = nullptr;
    MatrixPanel* matrix = nullptr;
    FailSetPanel* failSets = nullptr;
    BaselinePanel* baselines = nullptr;
    PublishedSection* published = nullptr;
    QVector<LinkPanel*> panels; ///< in reading order
};

OverviewPage::OverviewPage(Context& context, QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>(*this, context))
{
    setAccessibleName(tr("Overview"));
    d->build();
    d->connectAll();
    d->restyle();
    setFocusProxy(d->headline);
    d->reload();
}

OverviewPage::~OverviewPage() = default;

QString OverviewPage::ruleSet() const
{
    return d->ruleSet;
}

void OverviewPage::setRuleSet(const QString& name)
{
    if (name == d->ruleSet)
        return;
    d->ruleSet = name;
    d->head->rules().setCurrent(name);
    d->reload();
}

void OverviewPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (d->stale)
        d->reload();
}

bool OverviewPage::isLoading() const
{
    return d->channel.isRunning() || d->extrasChannel.isRunning();
}

void OverviewPage::Private::build()
{
    const Theme& theme = context.theme;
    stack = new QStackedLayout(&page);
    empty = new QLabel(&page);
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    empty->setMargin(48);
    scroll = new QScrollArea(&page);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    sections = new SectionStack;
    head = new OverviewHead(theme);
    headline = new HeadlinePanel(theme);
    funnel = new FunnelPanel(theme);
    families = new FamilyPanel(theme);
    gates = new GatePanel(theme);
    matrix = new MatrixPanel(theme);
    failSets = new FailSetPanel(theme);
    baselines = new BaselinePanel(theme);
    published = new PublishedSection(theme);
    published->hide();
    panels = {headline, funnel, families, gates, matrix, failSets, baselines};
    sections->addRow({{head, 400, 1}});
    sections->addRow({{headline, 400, 1}});
    sections->addRow({{funnel, 340, 2}, {families, 720, 5}});
    sections->addRow({{gates, 560, 1}, {matrix, 520, 1}});
    sections->addRow({{failSets, 420, 1}, {baselines, 660, 1}});
    sections->addRow({{published, 400, 1}});
    scroll->setWidget(sections);
    stack->addWidget(empty);
    stack->addWidget(scroll);
    for (std::size_t i = 1; i < std::size_t(panels.size()); ++i)
        QWidget::setTabOrder(panels[qsizetype(i) - 1], panels[qsizetype(i)]);
    head->rules().setCurrent(ruleSet);
}

void OverviewPage::Private::connectAll()
{
    for (LinkPanel* panel : panels) {
        connect(panel, &LinkPanel::followed, &page, [this](const PanelLink& link) { follow(link); });
        connect(panel, &LinkPanel::typed, &page, [this](const QString& text) { type(text); });
        connect(panel, &LinkPanel::leftAtEdge, &page, [this, panel](int key, qreal x) { leave(panel, key, x); });
        connect(panel, &LinkPanel::currentLinkChanged, &page, [this, panel](const QRect& rect) { reveal(panel, rect); });
        connect(panel, &LinkPanel::copied, &page, [this](const QString& what) {
            context.messages.post(Messages::Level::Info, OverviewPage::tr("Copied: %1").arg(what));
        });
    }
    connect(published, &PublishedSection::copied, &page, [this](const QString& what) {
        context.messages.post(Messages::Level::Info, OverviewPage::tr("Copied: %1").arg(what));
    });
    connect(&head->rules(), &RuleSwitch::chosen, &page, [this](const QString& name) { page.setRuleSet(name); });
    connect(&context.theme, &Theme::changed, &page, [this] { restyle(); });
    connect(&context.workspace, &Workspace::scopeChanged, &page, [this] {
        data.reset();
        reload();
    });
    connect(&context.workspace, &Workspace::closed, &page, [this] {
        data.reset();
        reload();
    });
    connect(&context.workspace, &Workspace::contentChanged, &page, [this] { reload(); });
    for (QueryChannel* query : {&channel, &extrasChannel}) {
        connect(query, &QueryChannel::runningChanged, &page, [this] { head->setLoading(channel.isRunning()); });
        connect(query, &QueryChannel::failed, &page, [this](const QString& message) {
            head->setProblem(message);
            context.messages.post(Messages::Level::Error, message);
        });
    }
}

void OverviewPage::Private::restyle()
{
    QPalette palette = page.palette();
    palette.setColor(QPalette::Window, context.theme.surface());
    page.setPalette(palette);
    page.setAutoFillBackground(true);
    QPalette muted = palette;
    muted.setColor(QPalette::WindowText, context.theme.mutedInk());
    empty->setPalette(muted);
}

void OverviewPage::Private::showEmpty(const QString& text)
{
    channel.cancel();
    extrasChannel.cancel();
    empty->setText(text);
    stack->setCurrentWidget(empty);
}

void OverviewPage::Private::reload()
{
    // A page that no one sees does not count a million rows whenever a note is written elsewhere.
    stale = !page.isVisible();
    if (stale)
        return;
    if (!context.workspace.isOpen()) {
        showEmpty(OverviewPage::tr("No database is open. Open one, or import an audit to make one."));
        return;
    }
    const store::Scope* scope = context.workspace.scope();
    if (!scope) {
        showEmpty(OverviewPage::tr("Nothing is imported yet. Import an audit or a corpus of kernels to see it here."));
        return;
    }
    if (!scope->auditId) {
        showEmpty(
            OverviewPage::tr("No audit judged the kernels of %1 yet. Import results under the same corpus name, or run an audit.")
                .arg(QString::fromStdString(scope->corpusName)));
        return;
    }
    stack->setCurrentWidget(scroll);
    head->setScope(*scope);
    channel.start<OverviewDataPtr>(
        [scope = *scope, rules = ruleSet](store::Database& database, std::stop_token stop) {
            return loadOverview(database, scope, rules, stop);
        },
        [this](OverviewDataPtr loaded) { show(std::move(loaded)); });
}

void OverviewPage::Private::show(OverviewDataPtr loaded)
{
    data = std::move(loaded);
    head->setProblem({});
    for (DataPanel* panel : std::initializer_list<DataPanel*>{headline, funnel, families, gates, matrix, failSets, baselines})
        panel->setData(data);
    sections->relayout();
    reloadExtras();
    Q_EMIT page.loaded();
}

void OverviewPage::Private::reloadExtras()
{
    extrasChannel.start<OverviewExtrasPtr>(
        [scope = data->scope](store::Database& database, std::stop_token stop) {
            return loadOverviewExtras(database, scope, stop);
        },
        [this](OverviewExtrasPtr extras) {
            headline->setExtras(extras);
            families->setExtras(extras);
            gates->setExtras(extras);
            published->setNumbers(extras->published);
            sections->relayout();
            Q_EMIT page.loaded();
        });
}

void OverviewPage::Private::follow(const PanelLink& link)
{
    if (link.filter.contains(u"rule:"_s))
        storeOutcomesThenGo(link);
    else
        go(link);
}

void OverviewPage::Private::storeOutcomesThenGo(const PanelLink& link)
{
    const QString key = QString::number(data->scope.id) + u'/' + QString::fromStdString(data->report.ruleSetHash);
    if (storedRules.contains(key)) {
        go(link);
        return;
    }
    if (context.workspace.isReadOnly()) {
        context.messages.post(
            Messages::Level::Warning,
            OverviewPage::tr("The rows behind a re-scored number are listed from the database, and this one is read-only. "
                             "Copy it to a folder you can write to see them."));
        return;
    }
    context.workspace.write([audit = *data->scope.auditId, rules = data->rules](
                                store::Database& database) { report::storeRuleOutcomes(database, audit, rules, {}); },
                            &page,
                            [this, key, link](const QString& problem) {
                                if (!problem.isEmpty()) {
                                    context.messages.post(Messages::Level::Error, problem);
                                    return;
                                }
                                storedRules.insert(key);
                                go(link);
                            });
}

void OverviewPage::Private::go(const PanelLink& link)
{
    if (!context.filters.setText(link.filter)) {
        context.messages.post(Messages::Level::Error, context.filters.problem(), link.filter);
        return;
    }
    Selection::Spot spot = context.selection.spot();
    spot.place = u"kernels"_s;
    spot.filter = context.filters.text();
    if (link.kernelId != 0) {
        spot.kernelId = link.kernelId;
        spot.gate = link.gate;
    }
    context.selection.go(spot);
}

bool OverviewPage::Private::focusLink(const QString& text)
{
    // Families before gates: the family rows say more, and no family's name starts like a gate's id.
    for (LinkPanel* panel :
         {static_cast<LinkPanel*>(families), static_cast<LinkPanel*>(gates), static_cast<LinkPanel*>(headline),
          static_cast<LinkPanel*>(funnel), static_cast<LinkPanel*>(failSets), static_cast<LinkPanel*>(baselines)}) {
        const int link = panel->findLink(text);
        if (link < 0)
            continue;
        panel->setFocus(Qt::ShortcutFocusReason);
        panel->setCurrentLink(link);
        return true;
    }
    return false;
}

void OverviewPage::Private::type(const QString& text)
{
    if (!focusLink(typeAhead.add(text)))
        typeAhead.forgetLast();
}

void OverviewPage::Private::leave(LinkPanel* from, int key, qreal x)
{
    const bool forward = key == Qt::Key_Down || key == Qt::Key_Right;
    qsizetype next = panels.indexOf(from);
    do {
        next += forward ? 1 : -1;
        if (next < 0 || next >= panels.size())
            return;
    } while (panels[next]->links().isEmpty());
    LinkPanel* panel = panels[next];
    const qreal there = panel->mapFrom(&page, from->mapTo(&page, QPoint(int(x), 0))).x();
    panel->setFocus(Qt::ShortcutFocusReason);
    panel->setCurrentLink(link_walk::edge(panel->links(), forward, there));
}

void OverviewPage::Private::reveal(LinkPanel* panel, const QRect& rect)
{
    const QRect there(panel->mapTo(sections, rect.topLeft()), rect.size());
    scroll->ensureVisible(there.center().x(), there.center().y(), 40, there.height() / 2 + 60);
}

} // namespace assay::views
