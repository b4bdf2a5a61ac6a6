// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/threshold_proposal.h"

#include <QFrame>

#include <vector>

class QLabel;
class QTableView;

namespace assay::views {

class FlipModel;
class Theme;

/// What a tried threshold would turn around, before it is written as a version of its own.
class ProposalPanel final : public QFrame {
    Q_OBJECT
public:
    explicit ProposalPanel(const Theme& theme, QWidget* parent = nullptr);

    void setFlips(double threshold, std::vector<report::VerdictFlip> found);

Q_SIGNALS:
    void writeAsked();
    /// The threshold stays as it is.
    void left();

private:
    QLabel* m_said;
    FlipModel* m_flips;
    QTableView* m_table;
};

} // namespace assay::views
