// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"

#include <QHeaderView>

#include <optional>

namespace assay::views {

class Theme;

/// Header of the kernel list. Over the gate strip it names groups and gates, each number above its cell.
class KernelHeader final : public QHeaderView {
    Q_OBJECT
public:
    explicit KernelHeader(const Theme& theme, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    /// The gate whose label is at @p position (viewport coordinates), or nothing.
    std::optional<contract::Gate> gateAt(const QPoint& position) const;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int logicalIndex) const override;
    bool viewportEvent(QEvent* event) override;

private:
    void paintGateLabels(QPainter* painter, const QRect& rect) const;
    const Theme& m_theme;
};

} // namespace assay::views
