// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/check_model.h"

#include "core/contract/gate_strip.h"
#include "views/evidence/measure_text.h"
#include "views/theme/number_text.h"

#include <cmath>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

store::CheckRecord decidingCheck(const store::GateRecord& gate)
{
    store::CheckRecord check;
    check.verdict = gate.verdict;
    check.severity = gate.severity;
    check.metric = gate.metric;
    check.value = gate.value;
    check.threshold = gate.threshold;
    check.relative = gate.relative;
    check.reasonCode = gate.reasonCode;
    return check;
}

/// Passes beyond its threshold: the least that had to be reached, as the distance that a changed element has to move an output
/// by.
bool isLeast(const store::CheckRecord& check)
{
    return check.verdict == contract::Verdict::Pass && check.value.isFinite() && check.threshold.isFinite()
        && std::abs(check.value.value) > check.threshold.value;
}

} // namespace

CheckModel::CheckModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void CheckModel::setGate(const store::GateRecord* gate, const store::AuditRecord& audit)
{
    beginResetModel();
    m_checks.clear();
    m_limits.clear();
    if (gate) {
        m_checks = gate->checks;
        if (m_checks.empty() && gate->value.isPresent())
            m_checks.push_back(decidingCheck(*gate));
    }
    for (const store::CheckRecord& check : m_checks)
        m_limits.push_back(measure_text::limit(check, audit));
    endResetModel();
}

QString CheckModel::stimulus(const store::CheckRecord& check) const
{
    if (!check.stimulus.empty())
        return measure_text::fromUtf8(check.stimulus);
    return check.code.empty() ? tr("the deciding check") : measure_text::fromUtf8(check.code);
}

QString CheckModel::sentence(int row) const
{
    if (row < 0 || row >= rowCount())
        return {};
    const store::CheckRecord& check = m_checks[std::size_t(row)];
    QString text = stimulus(check) + u": "_s + measure_text::verdict(check.verdict, check.severity);
    if (!check.finding.empty())
        text += u"; "_s + measure_text::fromUtf8(check.finding);
    else if (check.value.isPresent())
        text += u"; "_s + (check.metric.empty() ? tr("measured") : measure_text::fromUtf8(check.metric).replace(u'_', u' '))
            + u' ' + measure_text::proportion(check.value, check.threshold, check.relative);
    return text.endsWith(u'.') ? text : text + u'.';
}

QString CheckModel::limit(int row) const
{
    return row < 0 || row >= rowCount() ? QString() : m_limits[std::size_t(row)];
}

int CheckModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_checks.size());
}

int CheckModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant CheckModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const store::CheckRecord& check = m_checks[std::size_t(index.row())];
    switch (role) {
    case CellRole:
        return int(contract::stripCell(check.verdict, check.severity));
    case ValueRole:
        return tensor::toDouble(check.value);
    case ValueClassRole:
        return int(check.value.valueClass);
    case ThresholdRole:
        return tensor::toDouble(check.threshold);
    case ThresholdClassRole: // no bar where more is better
        return int(isLeast(check) ? tensor::ValueClass::Absent : check.threshold.valueClass);
    case Qt::ToolTipRole:
        return QString(
            sentence(index.row()) + u'\n' + (limit(index.row()).isEmpty() ? QString() : limit(index.row()) + u'\n')
            + tr("measured %1, allowed %2, of the output's scale %3")
                  .arg(number_text::exact(check.value), number_text::exact(check.threshold), number_text::exact(check.relative)));
    case Qt::TextAlignmentRole:
        return index.column() == Stimulus || index.column() == Bar ? QVariant() : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::DisplayRole:
    case SortRole:
        break;
    default:
        return {};
    }
    const auto number = [role](const tensor::Measured& value, const QString& absent) {
        if (role == SortRole)
            return QVariant(tensor::toDouble(value));
        return QVariant(value.isPresent() ? number_text::measured(value) : absent);
    };
    switch (index.column()) {
    case Stimulus:
        return stimulus(check);
    case Measured:
        return number(check.value,
                      check.reasonCode.empty() ? u"\u2013"_s : measure_text::fromUtf8(check.reasonCode).replace(u'_', u' '));
    case Allowed:
        return isLeast(check) && role == Qt::DisplayRole ? QVariant(u"\u2265 "_s + number_text::measured(check.threshold))
                                                         : number(check.threshold, u"\u2013"_s);
    case OfScale:
        return number(check.relative, u"\u2013"_s);
    default:
        return {};
    }
}

QVariant CheckModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == Stimulus || section == Bar ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                                     : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Bar)
        return tr("Logarithmic: the tick is the allowed error, the bar spans three decades to either side");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Stimulus:
        return tr("Stimulus");
    case Measured:
        return tr("Measured");
    case Allowed:
        return tr("Allowed");
    case Bar:
        return tr("log scale");
    case OfScale:
        return tr("Of scale");
    default:
        return {};
    }
}

} // namespace assay::views
