// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/audit/plan_form.h"

#include "core/store/triage_filter.h"
#include "views/audit/strata_model.h"
#include "views/state/context.h"
#include "views/state/workspace.h"
#include "views/theme/number_text.h"
#include "views/theme/table_look.h"
#include "views/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kPreviewAfterMs = 250;
constexpr int kFieldsWidth = 420;
constexpr int kTableWidth = 420;
constexpr int kFirstSize = 31;
constexpr int kLargestSize = 100'000;
constexpr int kChecksInARow = 4;

QLabel* muted(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setProperty("look", u"muted"_s);
    label->setWordWrap(true);
    return label;
}

/// What people call a stratification.
QString titleOf(store::StratifyBy by)
{
    switch (by) {
    case store::StratifyBy::Channel:
        return PlanForm::tr("channel");
    case store::StratifyBy::Family:
        return PlanForm::tr("family");
    case store::StratifyBy::Language:
        return PlanForm::tr("language");
    case store::StratifyBy::Outcome:
        return PlanForm::tr("outcome");
    case store::StratifyBy::Status:
        return PlanForm::tr("status");
    case store::StratifyBy::Baseline:
        return PlanForm::tr("baseline");
    case store::StratifyBy::FailSet:
        return PlanForm::tr("fail set");
    }
    return {};
}
} // namespace

PlanForm::PlanForm(Context& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_channel(context.workspace)
{
    setObjectName(u"audit.planForm"_s);
    setAccessibleName(tr("New sample plan"));
    build();
    m_soon.setSingleShot(true);
    m_soon.setInterval(kPreviewAfterMs);
    connect(&m_soon, &QTimer::timeout, this, &PlanForm::preview);
    connect(&m_channel, &QueryChannel::failed, this, &PlanForm::complain);
    connect(&context.workspace, &Workspace::scopeChanged, this, [this] { m_soon.start(); });
    connect(&context.workspace, &Workspace::contentChanged, this, [this] { m_soon.start(); });
}

void PlanForm::build()
{
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(32, 24, 32, 24);
    outer->setSpacing(8);
    auto* title = new QLabel(tr("Plan a sample"), this);
    title->setFont(m_context.theme.titleFont());
    outer->addWidget(title);
    outer->addWidget(
        muted(tr("Kernels are drawn by what they are, not by where they stand: the same frame and seed give the same "
                 "sample on any machine, and it can be extended later."),
              this));
    outer->addSpacing(8);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(32);
    columns->addWidget(buildFields());
    auto* right = new QVBoxLayout;
    m_table = new QTableView(this);
    m_table->setObjectName(u"audit.preview"_s);
    m_table->setAccessibleName(tr("Strata of the plan"));
    m_strata = new StrataModel(m_table);
    m_table->setModel(m_strata);
    giveTableLook(*m_table, m_context.theme);
    m_table->setColumnHidden(StrataModel::Labelled, true);
    m_table->setColumnHidden(StrataModel::Precision, true);
    m_table->horizontalHeader()->setSectionResizeMode(StrataModel::Name, QHeaderView::Stretch);
    m_table->setMinimumWidth(kTableWidth);
    m_table->setMaximumWidth(2 * kTableWidth);
    m_said = muted({}, this);
    m_said->setObjectName(u"audit.planSaid"_s);
    right->addWidget(m_said);
    right->addWidget(m_table, 1);
    columns->addLayout(right, 1);
    columns->addStretch();
    outer->addLayout(columns, 1);
}

QWidget* PlanForm::buildFields()
{
    auto* fields = new QWidget(this);
    fields->setFixedWidth(kFieldsWidth);
    auto* column = new QVBoxLayout(fields);
    column->setContentsMargins(0, 0, 0, 0);
    auto* form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignLeft);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setVerticalSpacing(10);
    m_name = new QLineEdit(fields);
    m_name->setObjectName(u"audit.planName"_s);
    m_filter = new QLineEdit(u"is:violation"_s, fields);
    m_filter->setObjectName(u"audit.planFilter"_s);
    m_filter->setPlaceholderText(tr("every kernel of the audit"));
    m_filter->setToolTip(tr("A filter line as in Triage: is:audited gate:EXC-01 family:scan"));
    auto* by = new QWidget(fields);
    auto* grid = new QGridLayout(by);
    grid->setContentsMargins(0, 0, 0, 0);
    for (const store::StratifyBy one : store::allStratifications()) {
        auto* check = new QCheckBox(titleOf(one), by);
        check->setProperty("look", u"option"_s);
        check->setChecked(one == store::StratifyBy::Channel);
        connect(check, &QCheckBox::toggled, &m_soon, qOverload<>(&QTimer::start));
        grid->addWidget(check, int(m_by.size()) / kChecksInARow, int(m_by.size()) % kChecksInARow);
        m_by << check;
    }
    m_rule = new QComboBox(fields);
    for (const auto rule :
         {sampling::AllocationRule::Proportional, sampling::AllocationRule::Equal, sampling::AllocationRule::Neyman})
        m_rule->addItem(QString::fromUtf8(sampling::name(rule).data()), QVariant::fromValue(int(rule)));
    m_rule->setAccessibleName(tr("Allocation"));
    m_prior = new QComboBox(fields);
    m_prior->setAccessibleName(tr("Plan to learn the spread from"));
    m_size = new QSpinBox(fields);
    m_size->setObjectName(u"audit.planSize"_s);
    m_size->setRange(1, kLargestSize);
    m_size->setValue(kFirstSize);
    m_size->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_seed = new QLineEdit(u"1"_s, fields);
    m_seed->setObjectName(u"audit.planSeed"_s);
    m_seed->setValidator(new QRegularExpressionValidator(QRegularExpression(u"[0-9]{1,19}"_s), m_seed));
    form->addRow(tr("Name"), m_name);
    form->addRow(tr("Frame"), m_filter);
    form->addRow(tr("Strata by"), by);
    form->addRow(tr("Allocation"), m_rule);
    form->addRow(tr("Spread from"), m_prior);
    form->addRow(tr("Kernels"), m_size);
    form->addRow(tr("Seed"), m_seed);
    column->addLayout(form);
    column->addSpacing(12);
    m_create = new QPushButton(tr("Draw the sample"), fields);
    m_create->setObjectName(u"audit.create"_s);
    m_create->setProperty("look", u"primary"_s);
    m_adopt = new QPushButton(fields);
    m_adopt->setObjectName(u"audit.adopt"_s);
    m_adopt->hide();
    m_back = new QPushButton(tr("Back to the sample"), fields);
    m_back->setProperty("look", u"quiet"_s);
    m_back->hide();
    for (QPushButton* button : {m_create, m_adopt, m_back})
        column->addWidget(button);
    column->addStretch();
    for (QLineEdit* line : {m_name, m_filter, m_seed})
        connect(line, &QLineEdit::returnPressed, this, &PlanForm::create);
    for (QLineEdit* line : {m_filter, m_seed})
        connect(line, &QLineEdit::textChanged, &m_soon, qOverload<>(&QTimer::start));
    connect(m_size, &QSpinBox::valueChanged, &m_soon, qOverload<>(&QTimer::start));
    for (QComboBox* box : {m_rule, m_prior})
        connect(box, &QComboBox::currentIndexChanged, &m_soon, qOverload<>(&QTimer::start));
    connect(m_rule, &QComboBox::currentIndexChanged, this, [this] { setKnown(m_plans, m_published); });
    connect(m_create, &QPushButton::clicked, this, &PlanForm::create);
    connect(m_adopt, &QPushButton::clicked, this, [this] { Q_EMIT publishedAsked(m_published.value(0)); });
    connect(m_back, &QPushButton::clicked, this, &PlanForm::left);
    return fields;
}

void PlanForm::setKnown(const QStringList& plans, const QStringList& published)
{
    const QString chosen = m_prior->currentText();
    const QSignalBlocker quiet(m_prior);
    m_plans = plans;
    m_published = published;
    m_prior->clear();
    m_prior->addItem(tr("nothing known"));
    m_prior->addItems(plans);
    m_prior->setCurrentIndex(std::max(0, m_prior->findText(chosen)));
    m_prior->setEnabled(m_rule->currentData().toInt() == int(sampling::AllocationRule::Neyman));
    m_adopt->setVisible(!published.isEmpty());
    m_adopt->setText(tr("Take the published sample of %1").arg(published.value(0)));
    m_back->setVisible(!plans.isEmpty());
    suggestName();
}

bool PlanForm::canLeave() const
{
    return !m_plans.isEmpty();
}

/// "sample 2" where there is one plan: a name is needed, and few people care which.
void PlanForm::suggestName()
{
    if (m_name->isModified())
        return;
    for (qsizetype n = m_plans.size() + 1;; ++n) {
        const QString name = tr("sample %1").arg(n);
        if (!m_plans.contains(name)) {
            m_name->setText(name);
            return;
        }
    }
}

store::PlanRequest PlanForm::request() const
{
    store::PlanRequest request;
    request.name = m_name->text().trimmed().toStdString();
    request.scopeId = m_context.workspace.scopeId();
    request.filter = m_filter->text().trimmed().toStdString();
    const auto all = store::allStratifications();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (m_by[qsizetype(i)]->isChecked())
            request.by.push_back(all[i]);
    }
    request.rule = static_cast<sampling::AllocationRule>(m_rule->currentData().toInt());
    request.size = m_size->value();
    request.seed = m_seed->text().toULongLong();
    if (request.rule == sampling::AllocationRule::Neyman && m_prior->currentIndex() > 0)
        request.prior = m_prior->currentText().toStdString();
    return request;
}

void PlanForm::preview()
{
    if (!isVisible() || m_context.workspace.scopeId() == 0)
        return;
    const store::PlanRequest wanted = request();
    try {
        store::parseFilter(wanted.filter);
    } catch (const store::FilterError& error) {
        m_channel.cancel();
        complain(QString::fromUtf8(error.what()));
        return;
    }
    m_channel.start<store::SamplePlan>(
        [wanted](store::Database& database, std::stop_token stop) {
            const store::InterruptOnStop interrupt(database, std::move(stop));
            return store::previewPlan(database, wanted);
        },
        [this](const store::SamplePlan& plan) { show(plan); });
}

void PlanForm::show(const store::SamplePlan& plan)
{
    m_strata->setPlan(plan);
    m_create->setEnabled(plan.frame > 0);
    m_create->setText(tr("Draw %1").arg(number_text::kernels(plan.allocated())));
    m_said->setText(plan.frame == 0 ? tr("No kernel matches the frame.")
                        : plan.allocated() > plan.size
                        ? tr("%1 of %2: the least that every stratum needs is more than you asked for.")
                              .arg(number_text::count(plan.allocated()), number_text::kernels(plan.frame))
                        : tr("%1 of %2 in %3 strata.")
                              .arg(number_text::count(plan.allocated()), number_text::kernels(plan.frame))
                              .arg(plan.strata.size()));
}

void PlanForm::complain(const QString& problem)
{
    m_said->setText(problem);
    m_create->setEnabled(false);
}

void PlanForm::create()
{
    if (m_create->isEnabled())
        Q_EMIT createAsked(request());
}

bool PlanForm::isLoading() const
{
    return m_soon.isActive() || m_channel.isRunning();
}

void PlanForm::focusFirst()
{
    m_name->setFocus(Qt::OtherFocusReason);
    m_name->selectAll();
}

void PlanForm::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    preview();
}

} // namespace assay::views
