// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/judging.h"

#include <QStringList>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

QString progressText(contract::GateStrip strip)
{
    int asked = 0;
    int done = 0;
    QStringList failing;
    for (const contract::Gate gate : contract::kAllGates) {
        const contract::StripCell cell = strip.cell(gate);
        asked += cell != contract::StripCell::Absent ? 1 : 0;
        done += cell != contract::StripCell::Absent && cell != contract::StripCell::Running ? 1 : 0;
        if (contract::isFailing(cell))
            failing << QString::fromLatin1(contract::id(gate));
    }
    const QString text = Judging::tr("%1 of %2 gates so far").arg(done).arg(asked);
    return failing.isEmpty() ? text : Judging::tr("%1, fails %2").arg(text, failing.join(u", "_s));
}

Judging::Judging(QObject* parent)
    : QObject(parent)
    , m_waiting(std::make_shared<std::vector<std::int64_t>>())
{
}

bool Judging::isWaiting(std::int64_t kernelId) const
{
    return std::ranges::find(*m_waiting, kernelId) != m_waiting->end();
}

std::optional<contract::GateStrip> Judging::strip(std::int64_t kernelId) const
{
    const auto found = m_strips.find(kernelId);
    return found == m_strips.end() ? std::nullopt : std::optional(found->second);
}

void Judging::begin(std::int64_t auditId, std::vector<std::int64_t> kernels, const QString& filter,
                    const std::set<contract::Gate>& gates)
{
    m_auditId = auditId;
    m_filter = filter;
    m_asked = {};
    for (const contract::Gate gate : gates)
        m_asked.set(gate, contract::StripCell::Running);
    m_waiting = std::make_shared<const std::vector<std::int64_t>>(std::move(kernels));
    m_strips.clear();
    Q_EMIT changed();
}

void Judging::ask(std::int64_t kernelId)
{
    if (!isRunning())
        return;
    m_strips[kernelId] = m_asked;
    Q_EMIT stripChanged(kernelId);
}

void Judging::setGate(std::int64_t kernelId, contract::Gate gate, contract::StripCell cell)
{
    const auto found = m_strips.find(kernelId);
    if (found == m_strips.end())
        return;
    found->second.set(gate, cell);
    Q_EMIT stripChanged(kernelId);
}

void Judging::store(std::int64_t kernelId)
{
    if (!isRunning())
        return;
    std::vector<std::int64_t> left = *m_waiting;
    std::erase(left, kernelId);
    m_waiting = std::make_shared<const std::vector<std::int64_t>>(std::move(left));
    m_strips.erase(kernelId);
    Q_EMIT changed();
    Q_EMIT stripChanged(kernelId);
}

void Judging::end()
{
    if (!isRunning())
        return;
    m_auditId = 0;
    m_filter.clear();
    m_waiting = std::make_shared<const std::vector<std::int64_t>>();
    m_strips.clear();
    Q_EMIT changed();
}

} // namespace assay::views
