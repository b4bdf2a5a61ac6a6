// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/gate_model.h"

#include "core/contract/gate_strip.h"
#include "views/evidence/measure_text.h"

namespace assay::views {

using namespace Qt::StringLiterals;

GateModel::GateModel(QObject* parent)
    : QAbstractTableModel(parent)
    , m_gates(contract::kGateCount)
{
}

void GateModel::setVerdict(const std::optional<store::VerdictRecord>& verdict)
{
    beginResetModel();
    m_gates.assign(contract::kGateCount, std::nullopt);
    if (verdict) {
        for (const store::GateRecord& gate : verdict->gates)
            m_gates[std::size_t(contract::indexOf(gate.gate))] = gate;
    }
    endResetModel();
}

int GateModel::rowOf(contract::Gate gate) const
{
    return contract::indexOf(gate);
}

const store::GateRecord* GateModel::record(int row) const
{
    if (row < 0 || row >= contract::kGateCount || !m_gates[std::size_t(row)])
        return nullptr;
    return &*m_gates[std::size_t(row)];
}

int GateModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : contract::kGateCount;
}

int GateModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QString GateModel::sentence(const store::GateRecord& gate)
{
    if (!gate.finding.empty()) {
        // Findings may begin with the gate's id, for readers who see them alone.
        QString finding = measure_text::fromUtf8(gate.finding);
        const QString prefix = measure_text::gateId(gate.gate) + u": "_s;
        return finding.startsWith(prefix) ? finding.mid(prefix.size()) : finding;
    }
    if (!gate.reason.empty())
        return measure_text::fromUtf8(gate.reason);
    if (gate.total && gate.exercised && *gate.total > 0)
        return tr("%1 of %2 checks exercised").arg(*gate.exercised).arg(*gate.total);
    if (gate.skipped && *gate.skipped > 0)
        return measure_text::counted(*gate.skipped, tr("check skipped"), tr("checks skipped"));
    return {};
}

QVariant GateModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const contract::Gate gate = contract::kAllGates[std::size_t(index.row())];
    const store::GateRecord* found = record(index.row());
    switch (role) {
    case GateRole:
        return contract::indexOf(gate);
    case CellRole:
        return int(found ? contract::stripCell(found->verdict, found->severity) : contract::StripCell::Absent);
    case Qt::ToolTipRole: {
        const std::string_view title = contract::title(gate);
        QString text = measure_text::gateId(gate) + u": "_s + QString::fromUtf8(title.data(), qsizetype(title.size()));
        if (found && !found->reason.empty())
            text += u'\n' + measure_text::fromUtf8(found->reason);
        return text;
    }
    case Qt::DisplayRole:
    case SortRole:
        break;
    default:
        return {};
    }
    switch (index.column()) {
    case Gate:
        return role == SortRole ? QVariant(contract::indexOf(gate)) : QVariant(measure_text::gateId(gate));
    case State:
        return found ? measure_text::verdict(found->verdict, found->severity) : tr("not run");
    case Sentence:
        return found ? sentence(*found) : QString();
    default:
        return {};
    }
}

QVariant GateModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Gate:
        return tr("Gate");
    case State:
        return tr("Verdict");
    case Sentence:
        return tr("Because");
    default:
        return {};
    }
}

} // namespace assay::views
