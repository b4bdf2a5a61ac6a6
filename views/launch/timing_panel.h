// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/launch/timing_rows.h"

#include <QWidget>

namespace assay::views {

class Theme;

/// Times of the backward as bars on one scale from zero: the floor hatched, this run solid, peers hollow.
class TimingPanel final : public QWidget {
    Q_OBJECT
public:
    explicit TimingPanel(const Theme& theme, QWidget* parent = nullptr);

    void setRows(std::vector<TimingRow> rows);
    const std::vector<TimingRow>& rows() const { return m_rows; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void paintRow(QPainter& painter, std::size_t row, double most) const;

    const Theme& m_theme;
    std::vector<TimingRow> m_rows;
};

} // namespace assay::views
