// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"

#include <QList>

#include <optional>

class QAction;
class QMenu;
class QModelIndex;
class QWidget;

namespace assay::views {

class FilterStack;
class KernelTableView;

/// The menu of a row: its value as a filter, and the actions of the page that belong to rows. The caller shows and deletes it.
QMenu* makeRowMenu(const QModelIndex& index, FilterStack& filters, const QList<QAction*>& pageActions, QWidget* parent);

/// The menu of a column header: order, what the gate under the pointer offers, and which columns are shown.
QMenu* makeHeaderMenu(KernelTableView& table, int column, std::optional<contract::Gate> gate, FilterStack& filters,
                      QWidget* parent);

} // namespace assay::views
