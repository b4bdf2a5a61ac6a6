// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/kernel_details.h"

#include <QWidget>

#include <optional>

class QLabel;
class QTableView;

namespace assay::views {

class CheckModel;
class GateModel;
class Theme;

/// The gates with their sentences, and of the chosen one every check, measured against allowed, and the reason verbatim.
class ChecksView final : public QWidget {
    Q_OBJECT
public:
    explicit ChecksView(const Theme& theme, QWidget* parent = nullptr);

    void setDetails(const store::KernelDetails& details);
    void setGate(std::optional<contract::Gate> gate);

    GateModel& gates() { return *m_gates; }
    CheckModel& checks() { return *m_checks; }

Q_SIGNALS:
    void gateChosen(assay::contract::Gate gate);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void restyle();
    void showCheck(int row);
    QString gateSentence() const;
    QString waiverSentence() const;

    const Theme& m_theme;
    std::optional<contract::Gate> m_gate;
    std::vector<store::WaiverRow> m_waivers;
    store::AuditRecord m_audit;
    GateModel* m_gates = nullptr;
    CheckModel* m_checks = nullptr;
    QTableView* m_gateTable = nullptr;
    QLabel* m_gateTitle = nullptr;
    QTableView* m_checkTable = nullptr;
    QLabel* m_sentence = nullptr;
    QLabel* m_limit = nullptr; ///< where the chosen check's threshold comes from
    QLabel* m_reasonTitle = nullptr;
    QLabel* m_reason = nullptr;
    bool m_following = false; ///< the selection came from outside
};

} // namespace assay::views
