// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/overview/data_panel.h"

namespace assay::views {

/// From imported rows to failures: one bar a step, its count, and how many rows the step left out.
class FunnelPanel final : public DataPanel {
    Q_OBJECT
public:
    explicit FunnelPanel(const Theme& theme, QWidget* parent = nullptr);

    QVector<QStringList> table() const override;

protected:
    qreal arrange(qreal width) override;
    void draw(QPainter& painter) override;

private:
    struct Step {
        QString key;
        QString label;
        QString remark; ///< "164 left out"
        std::int64_t count = 0;
        double share = 0; ///< of the rows
        int link = -1;
        QRectF track;
        QRectF number;
    };
    QVector<Step> steps() const;
    QString remark(const report::FunnelStep& step, std::int64_t before) const;
    /// Nothing where no filter lists the rows of the step.
    std::optional<QString> filterOf(const report::FunnelStep& step) const;
    QColor barColor(const QString& key) const;

    QVector<Step> m_steps;
    qreal m_labelWidth = 0;
};

} // namespace assay::views
