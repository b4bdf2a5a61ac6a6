// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/overview/link_panel.h"
#include "views/overview/overview_data.h"

namespace assay::views {

/// A panel that draws the report of the audit that is shown.
class DataPanel : public LinkPanel {
    Q_OBJECT
public:
    using LinkPanel::LinkPanel;

    /// @param shown  null while nothing is known
    void setData(OverviewDataPtr shown);

protected:
    OverviewDataPtr m_data;
};

} // namespace assay::views
