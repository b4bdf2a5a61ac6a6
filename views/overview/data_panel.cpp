// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/data_panel.h"

namespace assay::views {

void DataPanel::setData(OverviewDataPtr shown)
{
    m_data = std::move(shown);
    refresh();
}

} // namespace assay::views
