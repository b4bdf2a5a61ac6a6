// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

class QAction;

namespace assay::views {

/// What every place shows: one kernel, one gate of it. Walks back and forward like a browser; owns those two actions.
class Selection final : public QObject {
    Q_OBJECT
public:
    struct Spot {
        QString place = QStringLiteral("overview"); ///< "overview", "kernels", "audit", "calibrate", "launch"
        std::int64_t kernelId = 0;
        std::optional<contract::Gate> gate;
        QString filter; ///< the filter line that led here
        bool operator==(const Spot&) const = default;
    };

    explicit Selection(QObject* parent = nullptr);

    const Spot& spot() const;
    std::int64_t kernelId() const;
    std::optional<contract::Gate> gate() const;

    void setPlace(const QString& place);
    void setKernel(std::int64_t kernelId); ///< keeps the gate
    void setGate(std::optional<contract::Gate> gate);
    void go(const Spot& spot);
    /// Remembers the filter line of the current spot, so that back and forward find it again. Not a step of its own.
    void noteFilter(const QString& line);

    bool canGoBack() const;
    bool canGoForward() const;
    void back();
    void forward();
    QAction* backAction() const;
    QAction* forwardAction() const;

Q_SIGNALS:
    void spotChanged();
    void placeChanged(const QString& place);
    void kernelChanged(std::int64_t kernelId);
    void gateChanged();
    /// Back, forward or a link leads to a spot with this filter line; comes before the other signals of the step.
    void filterWanted(const QString& line);

private:
    void apply(const Spot& spot, bool record);
    void step(std::size_t position);
    void announce(const Spot& before);
    void updateActions();
    std::vector<Spot> m_history{1}; ///< never empty
    std::size_t m_position = 0;
    QAction* m_back = nullptr;
    QAction* m_forward = nullptr;
};

} // namespace assay::views
