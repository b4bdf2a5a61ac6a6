// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/audit/estimate_view.h"

#include "views/audit/interval_delegate.h"
#include "views/audit/strata_model.h"
#include "views/theme/number_text.h"
#include "views/theme/table_look.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <cmath>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr double kBigNumber = 1.6; ///< of the title's size

QString share(double value)
{
    return value == 0 || value == 1 ? QString::number(value) : QString::number(value, 'f', 3);
}

QString range(const sampling::Interval& interval)
{
    return EstimateView::tr("%1 to %2").arg(share(interval.low), share(interval.high));
}

QString moreText(const report::SampleEstimate& estimate)
{
    QStringList lines;
    const report::LabelCounts& labels = estimate.labels;
    if (labels.decided() > 0)
        lines << EstimateView::tr("%1 of %2 decided are confirmed, strata aside: Clopper-Pearson %3, Wilson %4.")
                     .arg(labels.confirmed)
                     .arg(labels.decided())
                     .arg(range(estimate.pooledClopperPearson), range(estimate.pooledWilson));
    if (const auto& [critical, major, minor] = labels.bySeverity; critical + major + minor > 0)
        lines << EstimateView::tr("Of the confirmed: critical %1, major %2, minor %3.").arg(critical).arg(major).arg(minor);
    if (const auto open = labels.labelled() - labels.decided(); open > 0)
        lines << EstimateView::tr("%1 open: ambiguous %2, inconclusive %3, disputed %4.")
                     .arg(open)
                     .arg(labels.ambiguous)
                     .arg(labels.inconclusive)
                     .arg(labels.disputed);
    if (estimate.adjusted)
        lines << EstimateView::tr("Adjusted rate: %1 of %2 audited (%3), flagged %4.")
                     .arg(number_text::percent(estimate.adjusted->adjusted), number_text::count(estimate.adjusted->audited),
                          number_text::interval(estimate.adjusted->interval), number_text::percent(estimate.adjusted->flagged));
    for (const report::ReviewerPair& pair : estimate.pairs) {
        QString line = EstimateView::tr("%1 and %2: %3 of %4 alike")
                           .arg(QString::fromStdString(pair.first), QString::fromStdString(pair.second))
                           .arg(pair.agreement.agreed)
                           .arg(pair.agreement.items);
        if (pair.agreement.kappa)
            line += EstimateView::tr(", kappa %1").arg(*pair.agreement.kappa, 0, 'f', 2);
        if (pair.bootstrap.interval)
            line += EstimateView::tr(" (%1 to %2)")
                        .arg(pair.bootstrap.interval->low, 0, 'f', 2)
                        .arg(pair.bootstrap.interval->high, 0, 'f', 2);
        lines << line + EstimateView::tr(", PABAK %1.").arg(pair.agreement.pabak, 0, 'f', 2);
    }
    return lines.join(u'\n');
}

} // namespace

EstimateView::EstimateView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setObjectName(u"audit.estimate"_s);
    setAccessibleName(tr("Estimate"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 12, 16, 12);
    column->setSpacing(4);
    auto* caption = new QLabel(tr("Precision over the frame"), this);
    caption->setProperty("look", u"muted"_s);
    m_precision = new QLabel(this);
    m_precision->setObjectName(u"audit.precision"_s);
    QFont big = theme.titleFont();
    big.setPointSizeF(big.pointSizeF() * kBigNumber);
    m_precision->setFont(big);
    m_interval = new QLabel(this);
    m_interval->setObjectName(u"audit.interval"_s);
    m_interval->setWordWrap(true);
    m_more = new QLabel(this);
    m_more->setObjectName(u"audit.more"_s);
    m_more->setProperty("look", u"muted"_s);
    m_more->setWordWrap(true);
    m_more->setTextFormat(Qt::PlainText);
    m_table = new QTableView(this);
    m_table->setObjectName(u"audit.strata"_s);
    m_table->setAccessibleName(tr("Strata"));
    m_strata = new StrataModel(m_table);
    m_table->setModel(m_strata);
    giveTableLook(*m_table, theme);
    m_table->setItemDelegateForColumn(StrataModel::Precision, new IntervalDelegate(theme, m_table));
    m_table->setColumnHidden(StrataModel::Sample, true); // Labelled tells it too
    m_table->horizontalHeader()->setSectionResizeMode(StrataModel::Precision, QHeaderView::Stretch);
    for (QWidget* widget : std::initializer_list<QWidget*>{caption, m_precision, m_interval, m_more})
        column->addWidget(widget);
    column->addSpacing(4);
    column->addWidget(m_table, 1);
}

void EstimateView::clear()
{
    m_strata->clear();
    for (QLabel* label : {m_precision, m_interval, m_more})
        label->clear();
}

void EstimateView::setEstimate(const report::SampleEstimate& estimate)
{
    m_strata->setEstimate(estimate);
    for (const int column : {StrataModel::Name, StrataModel::Frame, StrataModel::Labelled})
        m_table->resizeColumnToContents(column);
    m_precision->setText(estimate.precision ? share(estimate.precision->share) : u"\u2013"_s);
    if (!estimate.precision)
        m_interval->setText(tr("Nothing is decided yet."));
    else if (!std::isfinite(estimate.precision->effectiveTrials))
        m_interval->setText(tr("Every kernel is labelled: no sampling error."));
    else
        m_interval->setText(tr("95 % interval %1, as much as %2 kernels drawn at random")
                                .arg(range(estimate.precision->wilson))
                                .arg(estimate.precision->effectiveTrials, 0, 'f', 1));
    m_more->setText(moreText(estimate));
    m_more->setVisible(!m_more->text().isEmpty());
}

} // namespace assay::views
