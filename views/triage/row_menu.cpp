// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/row_menu.h"

#include "core/store/triage.h"
#include "views/state/filter_stack.h"
#include "views/triage/column_catalog.h"
#include "views/triage/kernel_table_model.h"
#include "views/triage/kernel_table_view.h"
#include "views/triage/triage_words.h"

#include <QAction>
#include <QMenu>

namespace assay::views {

using namespace Qt::StringLiterals;
using store::TriageColumn;

namespace {

/// The filter key that the values of @p column answer to, "" where there is none.
QString filterKey(TriageColumn column)
{
    switch (column) {
    case TriageColumn::Family:
    case TriageColumn::Language:
    case TriageColumn::Outcome:
    case TriageColumn::Status:
    case TriageColumn::Claim:
    case TriageColumn::Baseline:
    case TriageColumn::Reason:
        return columnInfo(column).key;
    default:
        return {};
    }
}

void addFilterActions(QMenu& menu, const QModelIndex& index, FilterStack& filters)
{
    const QString key = filterKey(static_cast<TriageColumn>(index.column()));
    const QString value = index.data(KernelTableModel::SortRole).toString();
    if (key.isEmpty() || value.isEmpty())
        return;
    const auto add = [&](const QString& text, bool negated) {
        QObject::connect(menu.addAction(text), &QAction::triggered, &filters,
                         [&filters, key, value, negated] { filters.toggleValue(key, value, negated); });
    };
    const bool held = filters.hasValue(key, value);
    add(held ? QObject::tr("Take %1:%2 out of the filter").arg(key, value) : QObject::tr("Only %1:%2").arg(key, value), false);
    add(QObject::tr("Without %1:%2").arg(key, value), true);
    menu.addSeparator();
}

} // namespace

QMenu* makeRowMenu(const QModelIndex& index, FilterStack& filters, const QList<QAction*>& pageActions, QWidget* parent)
{
    auto* menu = new QMenu(parent);
    menu->setObjectName(u"triage.rowMenu"_s);
    if (index.isValid())
        addFilterActions(*menu, index, filters);
    static const QStringList belonging
        = {u"triage.copy"_s, u"triage.copyWithHeaders"_s, u"triage.copyMarkdown"_s, u"triage.bookmark"_s,
           u"triage.note"_s, u"triage.export"_s,          u"judge.selected"_s};
    for (QAction* action : pageActions) {
        if (belonging.contains(action->objectName()))
            menu->addAction(action);
    }
    return menu;
}

QMenu* makeHeaderMenu(KernelTableView& table, int column, std::optional<contract::Gate> gate, FilterStack& filters,
                      QWidget* parent)
{
    auto* menu = new QMenu(parent);
    menu->setObjectName(u"triage.headerMenu"_s);
    if (column >= 0) {
        const auto sorted = static_cast<TriageColumn>(column);
        QObject::connect(menu->addAction(QObject::tr("Smallest first")), &QAction::triggered, &filters, [&filters, sorted] {
            filters.setSort({sorted, false});
        });
        QObject::connect(menu->addAction(QObject::tr("Largest first")), &QAction::triggered, &filters, [&filters, sorted] {
            filters.setSort({sorted, true});
        });
        menu->addSeparator();
    }
    if (gate) {
        const QString id = words::gateId(*gate);
        const bool held = filters.hasValue(u"gate"_s, id);
        QObject::connect(menu->addAction(held ? QObject::tr("Take gate:%1 out of the filter").arg(id)
                                              : QObject::tr("Only kernels that fail %1").arg(id)),
                         &QAction::triggered, &filters, [&filters, id] { filters.toggleValue(u"gate"_s, id); });
        menu->addSeparator();
    }
    table.fillColumnMenu(*menu);
    return menu;
}

} // namespace assay::views
