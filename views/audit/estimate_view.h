// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/sample_estimate.h"

#include <QWidget>

class QLabel;
class QTableView;

namespace assay::views {

class StrataModel;
class Theme;

/// What the labels say so far: precision with its interval, the bound without strata, the adjusted rate, agreement, and a row a
/// stratum.
class EstimateView final : public QWidget {
    Q_OBJECT
public:
    explicit EstimateView(const Theme& theme, QWidget* parent = nullptr);

    void setEstimate(const report::SampleEstimate& estimate);
    void clear();

private:
    const Theme& m_theme;
    QLabel* m_precision = nullptr;
    QLabel* m_interval = nullptr;
    QLabel* m_more = nullptr;
    QTableView* m_table = nullptr;
    StrataModel* m_strata = nullptr;
};

} // namespace assay::views
