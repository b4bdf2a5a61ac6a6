// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/error_model.h"

#include "core/contract/gate_strip.h"
#include "kernels/tensor/measured.h"
#include "views/theme/number_text.h"

namespace assay::views {

using namespace Qt::StringLiterals;

void ErrorModel::setErrors(std::vector<launch::LaunchError> errors)
{
    beginResetModel();
    m_errors = std::move(errors);
    endResetModel();
}

int ErrorModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_errors.size());
}

int ErrorModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QVariant ErrorModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const launch::LaunchError& one = m_errors[std::size_t(index.row())];
    const tensor::Measured error = tensor::measured(one.error);
    switch (role) {
    case CellRole:
        // Only the first column carries the shape.
        return index.column() == Output
            ? QVariant(static_cast<int>(one.isWithin ? contract::StripCell::Pass : contract::StripCell::FailSoft))
            : QVariant();
    case ValueRole:
        return error.value;
    case ValueClassRole:
        return static_cast<int>(error.valueClass);
    case ThresholdRole:
        return one.tolerance;
    case ThresholdClassRole:
        return static_cast<int>(tensor::measured(one.tolerance).valueClass);
    case Qt::TextAlignmentRole:
        return int((index.column() == Error || index.column() == Allowed ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return tr("%1: rms(error) / rms(reference) is %2 against the recurrence in fp64, %3 is allowed: %4")
            .arg(QString::fromStdString(one.name), number_text::exact(error), number_text::exact(tensor::measured(one.tolerance)),
                 one.isWithin ? tr("within") : tr("beyond"));
    case Qt::DisplayRole:
        switch (index.column()) {
        case Output:
            return QString::fromStdString(one.name);
        case Error:
            return number_text::measured(error);
        case Allowed:
            return number_text::rounded(one.tolerance);
        default:
            return {};
        }
    default:
        return {};
    }
}

QVariant ErrorModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Error || section == Allowed ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Error)
        return tr("Root mean square of the error over that of the recurrence in fp64");
    if (role == Qt::ToolTipRole && section == Bar)
        return tr("Logarithmic, three decades to either side of the allowed");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Output:
        return tr("output");
    case Error:
        return tr("rms error");
    case Allowed:
        return tr("allowed");
    case Bar:
        return tr("error against the allowed");
    default:
        return {};
    }
}

} // namespace assay::views
