// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate_strip.h"

#include <QWidget>

namespace assay::views {

class Theme;

/// The shapes of the gate strip with their meaning, as many columns as fit.
class VerdictLegend final : public QWidget {
    Q_OBJECT
public:
    explicit VerdictLegend(const Theme& theme, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override;
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int columnWidth() const;
    int columnsFor(int width) const;
    const Theme& m_theme;
};

} // namespace assay::views
