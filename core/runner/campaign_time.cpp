// SPDX-License-Identifier: Apache-2.0
#include "core/runner/campaign_time.h"

#include "core/runner/verdict_read.h"

#include <algorithm>
#include <cmath>

namespace assay::runner {

void CampaignTime::add(const ReceivedVerdict& verdict)
{
    const double seconds = verdict.judged.judgement.seconds;
    double spent = 0;
    add("reference", verdict.referenceTime, spent);
    add("candidate", verdict.candidateTime, spent);
    m_judge += std::max(0.0, seconds - spent);
    m_kernels.push_back(seconds);
}

void CampaignTime::add(const std::string& who, const PartyTime& time, double& spent)
{
    for (const auto& [request, of] : time) {
        RequestTime& total = m_requests[who + ": " + request];
        total.requests += of.requests;
        total.seconds += of.seconds;
        // A process starts before its kernel's clock does.
        if (request != "start" && request != "hello")
            spent += of.seconds;
    }
}

double CampaignTime::quantile(double q) const
{
    if (m_kernels.empty())
        return 0;
    std::vector<double> sorted = m_kernels;
    std::sort(sorted.begin(), sorted.end());
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size())));
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

std::vector<std::pair<std::string, double>> CampaignTime::shares() const
{
    double all = m_judge;
    for (const auto& [request, time] : m_requests)
        all += time.seconds;
    std::vector<std::pair<std::string, double>> shares;
    if (!(all > 0))
        return shares;
    for (const auto& [request, time] : m_requests)
        shares.emplace_back(request, time.seconds / all);
    shares.emplace_back("judge", m_judge / all);
    std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return shares;
}

} // namespace assay::runner
