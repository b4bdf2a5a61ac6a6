// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/audit/strata_model.h"

#include "views/theme/number_text.h"

#include <QFont>

#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

QString shareText(double share)
{
    return share == 0 || share == 1 ? QString::number(share) : QString::number(share, 'f', 3);
}

QString tipOf(const report::StratumEstimate& one)
{
    const report::LabelCounts& labels = one.labels;
    if (labels.decided() == 0)
        return {};
    QString text = StrataModel::tr("%1 of %2 decided are confirmed. Clopper-Pearson %3 to %4, Wilson %5 to %6.")
                       .arg(labels.confirmed)
                       .arg(labels.decided())
                       .arg(shareText(one.clopperPearson.low), shareText(one.clopperPearson.high), shareText(one.wilson.low),
                            shareText(one.wilson.high));
    if (one.finite)
        text += StrataModel::tr(" Exactly, %1 to %2 of the stratum's %3 kernels are defects.")
                    .arg(one.finite->low)
                    .arg(one.finite->high)
                    .arg(one.stratum.population);
    return text;
}

} // namespace

void StrataModel::setRows(QList<Row> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void StrataModel::clear()
{
    setRows({});
}

void StrataModel::setPlan(const store::SamplePlan& plan)
{
    QList<Row> rows;
    for (const store::PlanStratum& stratum : plan.strata)
        rows.append({QString::fromStdString(stratum.name), stratum.population, stratum.allocated, 0, {}, {}});
    rows.append({tr("frame"), plan.frame, plan.allocated(), 0, {}, {}});
    setRows(std::move(rows));
}

void StrataModel::setEstimate(const report::SampleEstimate& estimate)
{
    QList<Row> rows;
    const bool isDrawn = estimate.plan.drawn() > 0;
    for (const report::StratumEstimate& one : estimate.strata) {
        Row row{QString::fromStdString(one.stratum.name),
                one.stratum.population,
                isDrawn ? one.stratum.drawn : one.stratum.allocated,
                one.labels.labelled(),
                {},
                tipOf(one)};
        if (one.labels.decided() > 0) {
            const double share = double(one.labels.confirmed) / double(one.labels.decided());
            const bool isCensus = one.labels.decided() == one.stratum.population;
            row.interval = isCensus ? QVariantList{share, share, share}
                                    : QVariantList{one.clopperPearson.low, share, one.clopperPearson.high};
        }
        rows.append(row);
    }
    Row whole{tr("frame"),
              estimate.plan.frame,
              isDrawn ? estimate.plan.drawn() : estimate.plan.allocated(),
              estimate.labels.labelled(),
              {},
              tr("All strata, each weighted by its size.")};
    if (estimate.precision)
        whole.interval = {estimate.precision->wilson.low, estimate.precision->share, estimate.precision->wilson.high};
    rows.append(whole);
    setRows(std::move(rows));
}

int StrataModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int StrataModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(kColumns);
}

QVariant StrataModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[index.row()];
    if (role == IntervalRole)
        return index.column() == Precision ? QVariant(row.interval) : QVariant();
    if (role == Qt::ToolTipRole)
        return row.tip;
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (index.column() == Name || index.column() == Precision ? Qt::AlignLeft : Qt::AlignRight));
    if (role == Qt::FontRole && index.row() + 1 == m_rows.size()) {
        QFont font;
        font.setBold(true);
        return font;
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Name:
        return row.name;
    case Frame:
        return number_text::count(row.frame);
    case Sample:
        return number_text::count(row.sample);
    case Labelled:
        return u"%1/%2"_s.arg(number_text::count(row.labelled), number_text::count(row.sample));
    default:
        if (row.interval.isEmpty())
            return QString();
        return u"%1 [%2, %3]"_s.arg(shareText(row.interval[1].toDouble()), shareText(row.interval[0].toDouble()),
                                    shareText(row.interval[2].toDouble()));
    }
}

QVariant StrataModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section == Name || section == Precision ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole)
        return {};
    const QStringList names{tr("Stratum"), tr("Frame"), tr("Sample"), tr("Done"), tr("Precision")};
    return names.value(section);
}

} // namespace assay::views
