// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/overview/link_panel.h"
#include "views/overview/overview_data.h"

namespace assay::views {

/// The sets of gates that fail together most often, each drawn as a strip with its count.
class FailSetPanel final : public LinkPanel {
    Q_OBJECT
public:
    explicit FailSetPanel(const Theme& theme, QWidget* parent = nullptr);
    void setData(OverviewDataPtr shown);

    QVector<QStringList> table() const override;

protected:
    qreal arrange(qreal width) override;
    void draw(QPainter& painter) override;

private:
    void drawStrip(QPainter& painter, int mask, qreal y) const;
    std::size_t shown() const;

    OverviewDataPtr m_data;
    QVector<int> m_rowLinks;
    qreal m_labelLeft = 0, m_countRight = 0;
};

} // namespace assay::views
