// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/measures_view.h"

#include "views/evidence/cell_delegate.h"
#include "views/launch/error_model.h"
#include "views/launch/timing_panel.h"
#include "views/theme/table_look.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kOutputWidth = 96; // px
constexpr int kNumberWidth = 92;
} // namespace

MeasuresView::MeasuresView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
{
    setObjectName(u"launch.measures"_s);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 8, 0, 0);
    row->setSpacing(28);
    row->addWidget(buildErrors(theme), 3);
    row->addWidget(buildTimes(theme), 2);
}

QWidget* MeasuresView::buildErrors(const Theme& theme)
{
    auto* table = new QTableView(this);
    m_errors = new ErrorModel(table);
    table->setObjectName(u"launch.errors"_s);
    table->setAccessibleName(tr("Errors of the outputs against fp64"));
    table->setModel(m_errors);
    giveTableLook(*table, theme);
    table->setItemDelegateForColumn(ErrorModel::Output, new CellDelegate(theme, ErrorModel::CellRole, table));
    const MeasureDelegate::Roles roles{ErrorModel::ValueRole, ErrorModel::ValueClassRole, ErrorModel::ThresholdRole,
                                       ErrorModel::ThresholdClassRole};
    table->setItemDelegateForColumn(ErrorModel::Bar, new MeasureDelegate(theme, roles, table));
    table->setColumnWidth(ErrorModel::Output, kOutputWidth);
    table->setColumnWidth(ErrorModel::Error, kNumberWidth);
    table->setColumnWidth(ErrorModel::Allowed, kNumberWidth);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

QWidget* MeasuresView::buildTimes(const Theme& theme)
{
    auto* side = new QWidget(this);
    auto* lines = new QVBoxLayout(side);
    lines->setContentsMargins(0, 4, 0, 0);
    lines->setSpacing(6);
    auto* heading = new QLabel(tr("Backward"), side);
    QFont bold = theme.uiFont();
    bold.setWeight(QFont::DemiBold);
    heading->setFont(bold);
    m_times = new TimingPanel(theme, side);
    m_remark = new QLabel(side);
    m_remark->setObjectName(u"launch.timingRemark"_s);
    m_remark->setProperty("look", u"muted"_s);
    m_remark->setWordWrap(true);
    lines->addWidget(heading);
    lines->addWidget(m_times);
    lines->addWidget(m_remark);
    lines->addStretch();
    return side;
}

void MeasuresView::setErrors(std::vector<launch::LaunchError> errors)
{
    m_errors->setErrors(std::move(errors));
}

void MeasuresView::setTimes(const launch::LaunchRequest& request, const std::optional<launch::LaunchTiming>& timing)
{
    m_times->setRows(timingRows(request, timing));
    m_remark->setText(timingRemark(request, timing));
}

} // namespace assay::views
