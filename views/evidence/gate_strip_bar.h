// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"
#include "core/contract/gate_strip.h"

#include <QWidget>

#include <optional>

namespace assay::views {

class Theme;

/// The twelve gates of one kernel, large, with their ids. Left and right arrows, Home, End and the mouse choose one.
class GateStripBar final : public QWidget {
    Q_OBJECT
public:
    explicit GateStripBar(const Theme& theme, QWidget* parent = nullptr);

    void setStrip(contract::GateStrip strip);
    void setGate(std::optional<contract::Gate> gate);
    std::optional<contract::Gate> gate() const { return m_gate; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    QRectF cellRect(contract::Gate gate) const;

Q_SIGNALS:
    void chosen(assay::contract::Gate gate);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    std::optional<contract::Gate> gateAt(const QPointF& position) const;
    QString spoken(contract::Gate gate) const;
    void describe();
    bool hasRoomForIds() const;
    void paintGroups(QPainter& painter) const;

    const Theme& m_theme;
    contract::GateStrip m_strip;
    std::optional<contract::Gate> m_gate;
};

} // namespace assay::views
