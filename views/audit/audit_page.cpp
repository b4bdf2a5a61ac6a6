// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/audit/audit_page.h"

#include "views/audit/audit_data.h"
#include "views/audit/audit_queue.h"
#include "views/audit/estimate_view.h"
#include "views/audit/label_card.h"
#include "views/audit/plan_form.h"
#include "views/evidence/evidence_pane.h"
#include "views/state/context.h"
#include "views/state/messages.h"
#include "views/state/place.h"
#include "views/state/query_channel.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/number_text.h"
#include "views/theme/page_action.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kCardWidth = 300;
constexpr int kEstimateWidth = 380;
constexpr int kEvidenceWidth = 520;
} // namespace

struct AuditPage::Private {
    Private(AuditPage& owner, Context& shared)
        : page(owner)
        , context(shared)
        , channel(shared.workspace)
    {
    }

    void build();
    QWidget* buildBench();
    QWidget* buildBar();
    void addKeys();
    void connectAll();
    void load();
    void show(AuditData found);
    void showPlans();
    void showItem();
    void adoptScope();
    void save();
    void undo();
    void reveal();
    void setAdjudicating(bool on);
    void draw(std::int64_t more);
    void create(const store::PlanRequest& request);
    void adopt(const QString& corpus);
    void openForm();
    void write(std::function<void(store::Database&)> work, std::function<void()> done);
    void turnTo(QWidget* side);
    bool isJudging() const { return stack->currentWidget() == bench; }

    AuditPage& page;
    Context& context;
    QueryChannel channel;
    AuditData data;
    AuditQueue queue;
    QString planName; ///< chosen; "" : the newest
    bool stale = true;
    bool wantsForm = false;
    int writing = 0;

    QStackedLayout* stack = nullptr;
    PlanForm* form = nullptr;
    QWidget* bench = nullptr;
    QComboBox* plans = nullptr;
    QLabel* about = nullptr;
    QPushButton* drawMore = nullptr;
    EvidencePane* evidence = nullptr;
    LabelCard* card = nullptr;
    EstimateView* estimate = nullptr;
};

AuditPage::AuditPage(Context& context, QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>(*this, context))
{
    setUpPlace(*this, u"audit.page"_s, tr("Audit"));
    d->build();
    d->addKeys();
    d->connectAll();
    d->turnTo(d->bench);
}

AuditPage::~AuditPage() = default;

void AuditPage::Private::build()
{
    stack = new QStackedLayout(&page);
    stack->setContentsMargins(0, 0, 0, 0);
    form = new PlanForm(context, &page);
    bench = buildBench();
    stack->addWidget(bench);
    stack->addWidget(form);
    queue.setReviewer(card->reviewer().toStdString());
}

QWidget* AuditPage::Private::buildBench()
{
    auto* whole = new QWidget(&page);
    auto* column = new QVBoxLayout(whole);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildBar());
    auto* split = new QSplitter(whole);
    evidence = new EvidencePane(context, split);
    evidence->setObjectName(u"audit.evidencePane"_s);
    evidence->setMinimumWidth(kEvidenceWidth / 2);
    evidence->setBlinded(true);
    card = new LabelCard(context.theme, split);
    card->setMinimumWidth(kCardWidth);
    estimate = new EstimateView(context.theme, split);
    estimate->setMinimumWidth(kCardWidth);
    split->addWidget(evidence);
    split->addWidget(card);
    split->addWidget(estimate);
    split->setStretchFactor(0, 1);
    split->setSizes({kEvidenceWidth, kCardWidth, kEstimateWidth});
    split->setChildrenCollapsible(false);
    column->addWidget(split, 1);
    return whole;
}

QWidget* AuditPage::Private::buildBar()
{
    auto* bar = new QFrame(&page);
    bar->setProperty("look", u"topbar"_s);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(16, 6, 16, 6);
    row->setSpacing(12);
    plans = new QComboBox(bar);
    plans->setObjectName(u"audit.plans"_s);
    plans->setAccessibleName(AuditPage::tr("Plan"));
    plans->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    about = new QLabel(bar);
    about->setObjectName(u"audit.about"_s);
    about->setProperty("look", u"muted"_s);
    about->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    drawMore = new QPushButton(AuditPage::tr("Draw 10 more"), bar);
    drawMore->setObjectName(u"audit.drawMore"_s);
    auto* plan = new QPushButton(AuditPage::tr("New plan"), bar);
    plan->setObjectName(u"audit.newPlan"_s);
    auto* report = new QPushButton(AuditPage::tr("Report"), bar);
    report->setObjectName(u"audit.report"_s);
    report->setToolTip(AuditPage::tr("CSV, Markdown, HTML or PDF, with quoted evidence (Ctrl+E)"));
    row->addWidget(plans);
    row->addWidget(about, 1);
    row->addWidget(drawMore);
    row->addWidget(plan);
    row->addWidget(report);
    constexpr int kMore = 10;
    connect(plan, &QPushButton::clicked, &page, [this] { openForm(); });
    connect(drawMore, &QPushButton::clicked, &page, [this] { draw(kMore); });
    connect(report, &QPushButton::clicked, &page, [this] { Q_EMIT page.exportAsked(page.plan()); });
    connect(plans, &QComboBox::activated, &page, [this] {
        planName = plans->currentText();
        page.setFocus(Qt::OtherFocusReason);
        load();
    });
    return bar;
}

void AuditPage::Private::addKeys()
{
    const auto add = [this](const QString& name, const QString& text, const QList<QKeySequence>& keys,
                            std::function<void()> run) { addPageAction(page, u"audit."_s + name, text, keys, std::move(run)); };
    const QStringList answers{AuditPage::tr("Confirmed defect"), AuditPage::tr("Harness false positive"),
                              AuditPage::tr("Contract-ambiguous"), AuditPage::tr("Inconclusive")};
    for (const store::AuditLabel label : store::kAuditLabels)
        add(u"key%1"_s.arg(int(label) + 1), answers[int(label)], {QKeySequence(QString::number(int(label) + 1))},
            [this, label] { card->choose(label); });
    constexpr std::array kWeights = {Qt::Key_Q, Qt::Key_W, Qt::Key_E};
    const QStringList weights{AuditPage::tr("Critical defect"), AuditPage::tr("Major defect"), AuditPage::tr("Minor defect")};
    for (const store::DefectSeverity severity : store::kDefectSeverities)
        add(u"severity%1"_s.arg(int(severity) + 1), weights[int(severity)], {kWeights[std::size_t(severity)]},
            [this, severity] { card->weigh(severity); });
    add(u"saveKey"_s, AuditPage::tr("Save the label, next kernel"), {Qt::Key_Return, Qt::Key_Enter}, [this] { save(); });
    add(u"next"_s, AuditPage::tr("Next kernel of the sample"), {Qt::Key_J}, [this] {
        queue.step(1);
        showItem();
    });
    add(u"previous"_s, AuditPage::tr("Previous kernel of the sample"), {Qt::Key_K}, [this] {
        queue.step(-1);
        showItem();
    });
    add(u"skipKey"_s, AuditPage::tr("Skip to the next kernel without a label"), {Qt::Key_Space}, [this] {
        queue.toNextOpen();
        showItem();
    });
    add(u"revealKey"_s, AuditPage::tr("Show the verdict"), {Qt::Key_V}, [this] { reveal(); });
    add(u"reasonKey"_s, AuditPage::tr("Reason code"), {Qt::Key_R}, [this] { card->focusReason(); });
    add(u"noteKey"_s, AuditPage::tr("Note of the label"), {Qt::Key_N}, [this] { card->focusNote(); });
    add(u"evidenceKey"_s, AuditPage::tr("Evidence links of the label"), {Qt::Key_U}, [this] { card->focusEvidence(); });
    add(u"adjudicateKey"_s, AuditPage::tr("Adjudicate where reviewers differ"), {Qt::Key_A},
        [this] { setAdjudicating(!queue.isAdjudicating()); });
    add(u"reportKey"_s, AuditPage::tr("Report of the sample"), {QKeySequence(u"Ctrl+E"_s)},
        [this] { Q_EMIT page.exportAsked(page.plan()); });
}

/// The form and the bench share the page; a shortcut that is not theirs would swallow the form's keys.
void AuditPage::Private::turnTo(QWidget* side)
{
    stack->setCurrentWidget(side);
    for (QAction* action : page.actions())
        action->setEnabled(isJudging());
}

void AuditPage::Private::connectAll()
{
    followDatabase(page, context, {&channel}, [this] { load(); });
    connect(card, &LabelCard::saveAsked, &page, [this] { save(); });
    connect(card, &LabelCard::undoAsked, &page, [this] { undo(); });
    connect(card, &LabelCard::revealAsked, &page, [this] { reveal(); });
    connect(card, &LabelCard::left, &page, [this] { page.setFocus(Qt::OtherFocusReason); });
    connect(card, &LabelCard::adjudicationToggled, &page, [this](bool on) { setAdjudicating(on); });
    connect(card, &LabelCard::reviewerChanged, &page, [this](const QString& reviewer) {
        if (reviewer.toStdString() == queue.reviewer())
            return;
        queue.setReviewer(reviewer.toStdString());
        if (queue.current() != nullptr && queue.isDone(queue.current()->id))
            queue.toNextOpen();
        showItem();
    });
    // Back and forward walk through what was looked at, here too.
    connect(&context.selection, &Selection::kernelChanged, &page, [this](std::int64_t kernelId) {
        const store::SampleItem* item = queue.current();
        if (!page.isVisible() || item == nullptr || item->kernelId == kernelId)
            return;
        for (const store::SampleItem& other : data.items) {
            if (other.kernelId == kernelId)
                queue.goTo(other.id);
        }
        showItem();
    });
    connect(evidence, &EvidencePane::left, &page, [this] { page.setFocus(Qt::OtherFocusReason); });
    connect(form, &PlanForm::createAsked, &page, [this](const store::PlanRequest& request) { create(request); });
    connect(form, &PlanForm::publishedAsked, &page, [this](const QString& corpus) { adopt(corpus); });
    connect(form, &PlanForm::left, &page, [this] {
        wantsForm = false;
        load();
    });
    // The label's own note and severity have these keys here.
    for (QAction* action : evidence->actions()) {
        if (action->objectName() == u"evidence.note"_s || action->objectName() == u"evidence.waive"_s)
            action->setShortcut({});
    }
}

void AuditPage::Private::load()
{
    stale = !page.isVisible();
    if (stale || !context.workspace.isOpen())
        return;
    channel.start<AuditData>(
        [name = planName.toStdString()](store::Database& database, std::stop_token stop) {
            const store::InterruptOnStop interrupt(database, std::move(stop));
            return loadAuditData(database, name);
        },
        [this](AuditData found) { show(std::move(found)); });
}

void AuditPage::Private::show(AuditData found)
{
    data = std::move(found);
    QStringList names;
    for (const store::SamplePlan& plan : data.plans)
        names << QString::fromStdString(plan.name);
    QStringList published;
    for (const std::string& corpus : data.published)
        published << QString::fromStdString(corpus);
    form->setKnown(names, published);
    if (!data.estimate || wantsForm) {
        const bool isNew = stack->currentWidget() != form;
        turnTo(form);
        if (isNew)
            form->focusFirst();
        return;
    }
    const bool hadFocus = !page.isAncestorOf(page.focusWidget()) || stack->currentWidget() == form;
    turnTo(bench);
    planName = QString::fromStdString(data.estimate->plan.name);
    adoptScope();
    showPlans();
    QStringList reasons;
    for (const std::string& code : data.reasons)
        reasons << QString::fromStdString(code);
    card->setReasons(reasons);
    card->setWritable(!context.workspace.isReadOnly());
    queue.setData(data.items, data.history);
    estimate->setEstimate(*data.estimate);
    if (hadFocus)
        page.setFocus(Qt::OtherFocusReason);
    showItem();
}

/// The evidence is that of the audit the plan was made from, whatever list is open in Triage.
void AuditPage::Private::adoptScope()
{
    const store::SamplePlan& plan = data.estimate->plan;
    const store::Scope* now = context.workspace.scope();
    if (now != nullptr && now->corpusName == plan.corpus && now->auditName == plan.audit)
        return;
    for (const store::Scope& scope : context.workspace.scopes()) {
        if (scope.corpusName == plan.corpus && scope.auditName == plan.audit) {
            context.workspace.setScope(scope.id);
            return;
        }
    }
}

void AuditPage::Private::showPlans()
{
    const QSignalBlocker quiet(plans);
    plans->clear();
    for (const store::SamplePlan& plan : data.plans)
        plans->addItem(QString::fromStdString(plan.name));
    plans->setCurrentText(planName);
    const store::SamplePlan& plan = data.estimate->plan;
    const bool isPublished = plan.origin == store::PlanOrigin::Published;
    about->setText(isPublished
                       ? AuditPage::tr("%1 of %2 kernels, as published in %3")
                             .arg(number_text::count(plan.drawn()), number_text::count(plan.frame))
                             .arg(QString::fromStdString(plan.source))
                       : AuditPage::tr("%1 of %2 kernels, %3, seed %4, %5")
                             .arg(number_text::count(plan.drawn()), number_text::count(plan.frame))
                             .arg(QString::fromUtf8(sampling::name(plan.rule).data()))
                             .arg(plan.seed)
                             .arg(plan.filter.empty() ? AuditPage::tr("every kernel") : QString::fromStdString(plan.filter)));
    drawMore->setVisible(!isPublished && plan.drawn() < plan.frame && !context.workspace.isReadOnly());
}

void AuditPage::Private::showItem()
{
    const store::SampleItem* item = queue.current();
    card->show(queue);
    evidence->setBlinded(item != nullptr && !queue.isRevealed(item->id) && !queue.isAdjudicating());
    if (item != nullptr && page.isVisible())
        context.selection.setKernel(item->kernelId);
}

void AuditPage::Private::write(std::function<void(store::Database&)> work, std::function<void()> done)
{
    ++writing;
    context.workspace.write(std::move(work), &page, [this, done = std::move(done)](const QString& problem) {
        --writing;
        if (problem.isEmpty())
            done();
        else
            context.messages.post(Messages::Level::Error, problem);
        // After a failure too: what is shown as labelled has to be what is on disk.
        if (writing == 0)
            load();
    });
}

void AuditPage::Private::save()
{
    const store::SampleItem* item = queue.current();
    if (item == nullptr || context.workspace.isReadOnly())
        return;
    const auto label = card->entered();
    if (!label)
        return;
    const QString said = AuditPage::tr("Saved: %1, kernel %2, %3.")
                             .arg(QString::fromUtf8(store::title(label->label).data()), QString::fromStdString(item->externalId),
                                  QString::fromStdString(label->reviewer));
    queue.markWritten(item->id);
    queue.toNextOpen();
    page.setFocus(Qt::OtherFocusReason);
    showItem();
    write([label = *label](store::Database& database) { store::addLabel(database, label); }, [this, said] { card->say(said); });
}

void AuditPage::Private::undo()
{
    if (!data.estimate || context.workspace.isReadOnly())
        return;
    auto undone = std::make_shared<std::optional<store::LabelRow>>();
    write([undone, plan = data.estimate->plan.id,
           reviewer = queue.reviewer()](store::Database& database) { *undone = store::undoLabel(database, plan, reviewer); },
          [this, undone] {
              if (!*undone) {
                  card->say(AuditPage::tr("%1 has no label to take back.").arg(QString::fromStdString(queue.reviewer())));
                  return;
              }
              queue.goTo((*undone)->itemId);
              card->say(AuditPage::tr("Taken back: %1.").arg(QString::fromUtf8(store::title(*(*undone)->label).data())));
          });
}

void AuditPage::Private::reveal()
{
    const store::SampleItem* item = queue.current();
    if (item == nullptr || queue.isRevealed(item->id))
        return;
    queue.markRevealed(item->id);
    showItem();
    if (context.workspace.isReadOnly())
        return;
    write([item = item->id,
           reviewer = queue.reviewer()](store::Database& database) { store::recordReveal(database, item, reviewer); },
          [] {});
}

void AuditPage::Private::setAdjudicating(bool on)
{
    queue.setAdjudicating(on);
    showItem();
}

void AuditPage::Private::draw(std::int64_t more)
{
    write([plan = data.estimate->plan.id, more](store::Database& database) { store::drawSample(database, plan, more); },
          [this] { card->say(AuditPage::tr("More kernels are drawn; those drawn before stay.")); });
}

void AuditPage::Private::create(const store::PlanRequest& request)
{
    write([request](store::Database& database) { store::drawSample(database, store::createPlan(database, request).id); },
          [this, name = QString::fromStdString(request.name)] {
              planName = name;
              wantsForm = false;
          });
}

void AuditPage::Private::adopt(const QString& corpus)
{
    auto name = std::make_shared<std::string>();
    write([name, corpus = corpus.toStdString()](
              store::Database& database) { *name = store::adoptPublishedSample(database, corpus).name; },
          [this, name] {
              planName = QString::fromStdString(*name);
              wantsForm = false;
          });
}

void AuditPage::Private::openForm()
{
    wantsForm = true;
    turnTo(form);
    form->focusFirst();
}

bool AuditPage::isLoading() const
{
    return d->channel.isRunning() || d->writing > 0
        || (isVisible() && d->stack->currentWidget() == d->form && d->form->isLoading());
}

QString AuditPage::plan() const
{
    return d->data.estimate ? QString::fromStdString(d->data.estimate->plan.name) : QString();
}

void AuditPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (d->stale)
        d->load();
    else
        d->showItem();
}

bool AuditPage::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && d->isJudging()) {
        // Undo belongs to the place the keyboard is in; the filter's undo has the same keys in the rest of the window.
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->key() == Qt::Key_Backspace) {
            key->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void AuditPage::keyPressEvent(QKeyEvent* event)
{
    if (d->isJudging() && (event->matches(QKeySequence::Undo) || event->key() == Qt::Key_Backspace))
        d->undo();
    else if (event->key() == Qt::Key_Escape && !d->isJudging() && d->form->canLeave())
        Q_EMIT d->form->left();
    else
        QWidget::keyPressEvent(event);
}

} // namespace assay::views
