// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_strip.h"
#include "core/runner/campaign_time.h"
#include "core/runner/verify_ask.h"
#include "core/runner/worker_client.h"
#include "core/store/database.h"
#include "core/store/triage_filter.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace assay::runner {

/// Tensors of failing checks up to this size are stored; what is larger is made again from its recipe.
inline constexpr std::int64_t kStoredTensorBytes = 256 * 1024;

struct CampaignOptions {
    std::string corpus;                ///< "": the only one, else the newest
    store::TriageFilter filter;        ///< which of its kernels; a kernel is taken where it matches in any audit of the corpus
    std::vector<std::int64_t> kernels; ///< of these only, in this order; empty: all, in the order of their ids
    VerifyAsk ask;                     ///< everything but the sources
    WorkerOptions worker;
    int jobs = 1;        ///< workers at a time
    bool resume = false; ///< go on with the newest audit of the same contract, seed, device and versions
    bool again = false;  ///< with `resume`: what that audit has judged is judged once more, and the new verdict stands
};

/// CampaignResult::stopped where a person wanted it.
inline constexpr const char* kStoppedOnRequest = "stopped on request";

/// How far a campaign is.
struct CampaignProgress {
    std::int64_t selected = 0; ///< kernels that the filter names
    std::int64_t judged = 0;   ///< in this run, errors included
    std::int64_t passed = 0;
    std::int64_t failed = 0;
    std::int64_t inapplicable = 0;
    std::int64_t errors = 0;
    std::int64_t skipped = 0;      ///< judged under the same conditions before
    std::int64_t notJudgeable = 0; ///< not judgeable: no source
    std::int64_t retried = 0;      ///< kernels that took a worker with them once and were asked again
    double seconds = 0;

    std::int64_t left() const { return selected - judged - skipped - notJudgeable; }
    double perHour() const { return seconds > 0 ? static_cast<double>(judged) * 3600 / seconds : 0; }
    /// Seconds until the end at the rate so far; negative where nothing is known yet.
    double remaining() const { return judged > 0 ? seconds / static_cast<double>(judged) * static_cast<double>(left()) : -1; }
};

struct CampaignResult {
    CampaignProgress progress;
    CampaignTime time;
    std::string corpus;
    std::string audit;        ///< "" where nothing could be begun
    std::string versions;     ///< JSON object
    std::string contractHash; ///< of the contract as the judge spells it
    std::string stopped;      ///< why it stopped before its end, "" where it did not; what was judged is stored
};

/// What can be watched of a campaign between two verdicts. Called on the thread that runs it; each may be empty.
struct CampaignWatch {
    /// The audit exists, and these kernels will be judged, in this order.
    std::function<void(std::int64_t auditId, const std::vector<std::int64_t>& kernels)> begun;
    /// A worker has the kernel.
    std::function<void(std::int64_t kernelId)> asked;
    /// One of its gates is done.
    std::function<void(std::int64_t kernelId, contract::Gate gate, contract::StripCell cell)> gate;
    /// Its verdict is in the database.
    std::function<void(std::int64_t kernelId)> stored;
};

using CampaignSink = std::function<void(const CampaignProgress& progress, const std::string& kernel)>;

/// Judges kernels of a corpus, `jobs` at a time, each in a worker of its own, and stores every verdict as it comes: a campaign
/// that is killed goes on where it was. A worker's death costs at most the kernel that it judged: that one is asked again once in
/// a new worker and stored as an error where it kills that too. Where no new worker comes up the campaign stops.
/// @param sink  is told after every kernel, on the calling thread
/// What it was asked for is stored with the audit, see store::unfinishedAudits(); one that stops before its first verdict leaves
/// no audit behind.
/// @throws Error where nothing was changed: no such corpus, no kernel, no worker that answers; Cancelled likewise
CampaignResult runCampaign(store::Database& database, const CampaignOptions& options, const CampaignSink& sink = {},
                           const std::stop_token& stop = {}, const CampaignWatch& watch = {});

} // namespace assay::runner
