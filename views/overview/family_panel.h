// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate_strip.h"
#include "views/overview/data_panel.h"

namespace assay::views {

/// One row a family: both rates as points with Wilson whiskers on one scale, their counts, and the largest error with its
/// proportion.
class FamilyPanel final : public DataPanel {
    Q_OBJECT
public:
    explicit FamilyPanel(const Theme& theme, QWidget* parent = nullptr);
    void setExtras(OverviewExtrasPtr extras);

    QVector<QStringList> table() const override;

protected:
    qreal arrange(qreal width) override;
    void draw(QPainter& painter) override;

private:
    struct Row {
        QString family; ///< "" for all of them
        report::Rate toleranceFree;
        report::Rate any;
        const report::LargestError* largest = nullptr;
        qreal y = 0;
        int auditedLink = -1, toleranceFreeLink = -1, anyLink = -1, largestLink = -1;
    };
    QVector<Row> rows() const;
    void placeLinks(Row& row);
    void drawAxis(QPainter& painter) const;
    void drawRate(QPainter& painter, const report::Rate& rate, qreal y, contract::StripCell cell) const;
    void drawHead(QPainter& painter) const;
    QString proportion(const report::LargestError& error) const;
    qreal at(double share) const;

    OverviewExtrasPtr m_extras;
    QVector<Row> m_rows;
    qreal m_nameWidth = 0, m_auditedRight = 0, m_axisLeft = 0, m_axisRight = 0, m_floorRight = 0, m_anyRight = 0,
          m_largestLeft = 0;
    bool m_showLargest = false;
};

} // namespace assay::views
