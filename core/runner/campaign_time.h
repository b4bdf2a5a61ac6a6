// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/party_time.h"

#include <string>
#include <utility>
#include <vector>

namespace assay::runner {

struct ReceivedVerdict;

/// Where the time of a campaign went, over the kernels that were judged in this run.
class CampaignTime {
public:
    void add(const ReceivedVerdict& verdict);

    bool isEmpty() const { return m_kernels.empty(); }
    /// Seconds of one kernel that a share @p q of the kernels did not exceed (nearest rank); 0 where none was judged.
    double quantile(double q) const;
    /// Shares of the whole, largest first: "candidate: run" and other requests to the parties, "judge" for what is none of those.
    std::vector<std::pair<std::string, double>> shares() const;

private:
    void add(const std::string& who, const PartyTime& time, double& spent);

    std::vector<double> m_kernels;
    PartyTime m_requests; ///< of both parties, by "who: request"
    double m_judge = 0;
};

} // namespace assay::runner
