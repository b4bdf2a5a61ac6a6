// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate_strip.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace assay::views {

/// Kernel ids that wait, shared with the threads that list them.
using WaitingKernels = std::shared_ptr<const std::vector<std::int64_t>>;

/// "3 of 12 gates so far, fails CMP-01": of a kernel that is being judged.
QString progressText(contract::GateStrip strip);

/// What the judge is at while a campaign fills an audit of the open database: which kernels have no verdict of it yet, and what
/// the gates of those under way have said so far. Lives on the GUI thread; the campaign's events are queued to it.
class Judging final : public QObject {
    Q_OBJECT
public:
    explicit Judging(QObject* parent = nullptr);

    bool isRunning() const { return m_auditId != 0; }
    std::int64_t auditId() const { return m_auditId; } ///< 0: nothing is judged
    /// The filter line that chose the kernels: under another one they are not part of the list before they are judged.
    const QString& filter() const { return m_filter; }
    /// Kernels without a verdict of this campaign, in the order of judging; never null.
    const WaitingKernels& waiting() const { return m_waiting; }
    bool isWaiting(std::int64_t kernelId) const;
    /// The gates of a kernel that a worker has: what is known, else Running. Nothing for every other kernel.
    std::optional<contract::GateStrip> strip(std::int64_t kernelId) const;

    /// All that strip() has something for.
    const std::unordered_map<std::int64_t, contract::GateStrip>& strips() const { return m_strips; }

    /// @param gates  those that every kernel is asked about
    void begin(std::int64_t auditId, std::vector<std::int64_t> kernels, const QString& filter,
               const std::set<contract::Gate>& gates);
    void ask(std::int64_t kernelId);
    void setGate(std::int64_t kernelId, contract::Gate gate, contract::StripCell cell);
    /// Its verdict is in the database.
    void store(std::int64_t kernelId);
    void end();

Q_SIGNALS:
    /// A campaign began or ended, or a kernel waits no longer.
    void changed();
    /// strip() of a kernel says something new.
    void stripChanged(qint64 kernelId);

private:
    std::int64_t m_auditId = 0;
    QString m_filter;
    contract::GateStrip m_asked; ///< of a kernel of which nothing is known yet
    WaitingKernels m_waiting;
    std::unordered_map<std::int64_t, contract::GateStrip> m_strips; ///< of kernels under way
};

} // namespace assay::views
