// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/overview/data_panel.h"

namespace assay::views {

/// One row a gate: how many audited kernels fail it (hard part apart), where it could not be asked, and how much of it was
/// exercised.
class GatePanel final : public DataPanel {
    Q_OBJECT
public:
    explicit GatePanel(const Theme& theme, QWidget* parent = nullptr);
    void setExtras(OverviewExtrasPtr extras);

    QVector<QStringList> table() const override;

    /// Rows of this panel and of the matrix line up when they stand side by side.
    static constexpr qreal kRow = 28;
    static constexpr qreal kHead = 40;

protected:
    qreal arrange(qreal width) override;
    void draw(QPainter& painter) override;

private:
    struct Row {
        contract::Gate gate;
        const report::GateCounts* counts = nullptr;
        std::int64_t failed = 0; ///< fail, crash and timeout
        std::int64_t hard = -1;  ///< -1: not counted yet
        qreal y = 0;
        int failLink = -1, inapplicableLink = -1, errorLink = -1;
    };
    QVector<Row> rows() const;
    void placeLinks(Row& row);
    void drawRow(QPainter& painter, const Row& row) const;
    void drawHead(QPainter& painter) const;
    QString exercised(const report::GateCounts& counts) const;

    OverviewExtrasPtr m_extras;
    QVector<Row> m_rows;
    std::int64_t m_mostFailures = 1;
    qreal m_idWidth = 0, m_titleWidth = 0, m_barLeft = 0, m_barRight = 0, m_failRight = 0, m_inapplicableRight = 0,
          m_errorRight = 0, m_exercisedRight = 0;
};

} // namespace assay::views
