// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/overview/data_panel.h"

namespace assay::views {

/// The sets of gates that fail together most often, each drawn as a strip with its count.
class FailSetPanel final : public DataPanel {
    Q_OBJECT
public:
    explicit FailSetPanel(const Theme& theme, QWidget* parent = nullptr);

    QVector<QStringList> table() const override;

protected:
    qreal arrange(qreal width) override;
    void draw(QPainter& painter) override;

private:
    void drawStrip(QPainter& painter, int mask, qreal y) const;
    std::size_t shown() const;

    QVector<int> m_rowLinks;
    qreal m_labelLeft = 0, m_countRight = 0;
};

} // namespace assay::views
