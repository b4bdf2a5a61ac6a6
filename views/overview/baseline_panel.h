// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/overview/data_panel.h"

namespace assay::views {

/// What another harness said against what the gates say, one two-by-two table a mode. Says of each whether it was recomputed
/// from rows (then its numbers are links) or published (then there are no rows behind it).
class BaselinePanel final : public DataPanel {
    Q_OBJECT
public:
    explicit BaselinePanel(const Theme& theme, QWidget* parent = nullptr);

    QVector<QStringList> table() const override;

protected:
    qreal arrange(qreal width) override;
    void draw(QPainter& painter) override;

private:
    struct Cell {
        QRectF rect;
        std::int64_t count = 0;
        bool disagreement = false;
        int link = -1;
    };
    struct Table {
        const report::CrossTable* source = nullptr;
        QRectF rect;
        Cell cells[2][2]; ///< [they pass, they fail][we pass, we fail]
    };
    void place(Table& table, const QPointF& corner);
    void drawTable(QPainter& painter, const Table& table) const;
    static QString origin(const report::CrossTable& table);
    static std::int64_t countOf(const report::CrossTable& table, int theirs, int ours);

    QVector<Table> m_tables;
};

} // namespace assay::views
