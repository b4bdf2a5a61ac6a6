// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/overview/data_panel.h"

namespace assay::views {

/// Gates against families: how many audited kernels of a family fail a gate, shaded by their share of the family.
class MatrixPanel final : public DataPanel {
    Q_OBJECT
public:
    explicit MatrixPanel(const Theme& theme, QWidget* parent = nullptr);

    QVector<QStringList> table() const override;

    /// Shade of a cell whose share of its family is @p share; the scale ends at the largest share in the matrix.
    QColor shade(double share) const;

protected:
    qreal arrange(qreal width) override;
    void draw(QPainter& painter) override;

private:
    struct Cell {
        QRectF rect;
        std::int64_t count = 0;
        double share = 0;
        int link = -1;
    };
    double share(const report::FamilyCounts& family, contract::Gate gate) const;
    void drawHead(QPainter& painter) const;
    void drawKey(QPainter& painter) const;

    QVector<Cell> m_cells;
    double m_largestShare = 0;
    qreal m_idWidth = 0, m_cellWidth = 0;
};

} // namespace assay::views
