// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/kernel_details.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QTableView;

namespace assay::views {

class FactsModel;
class Theme;

/// The claim as recorded, what other harnesses said, and every place the kernel was found.
class ClaimView final : public QWidget {
    Q_OBJECT
public:
    explicit ClaimView(const Theme& theme, QWidget* parent = nullptr);

    void setDetails(const store::KernelDetails& details);

    FactsModel& baselines() { return *m_baselines; }
    FactsModel& origins() { return *m_origins; }

private:
    void restyle();
    QTableView* makeTable(FactsModel& model, const QString& name);

    const Theme& m_theme;
    FactsModel* m_baselines = nullptr;
    FactsModel* m_origins = nullptr;
    QLabel* m_claim = nullptr;
    QPlainTextEdit* m_json = nullptr;
    QLabel* m_baselineTitle = nullptr;
    QTableView* m_baselineTable = nullptr;
    QLabel* m_originTitle = nullptr;
    QTableView* m_originTable = nullptr;
};

} // namespace assay::views
