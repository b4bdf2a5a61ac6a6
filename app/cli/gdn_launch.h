// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/verb.h"
#include "app/cli/worker_options.h"
#include "core/launch/launch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::cli {

/// What `assay gdn` was told in front of an action.
struct GdnChoice {
    gdn::Family family = gdn::Family::Gdn2;
    std::string device;
    int threads = 0;
};

/// `assay gdn gates` and `assay gdn bench`: the operator launched, judged like any kernel or timed.
class GdnLaunch {
public:
    void declareGates(CLI::App& app);
    void declareBench(CLI::App& app);

    /// Prints an event a line, the verdict last. @return an ExitCode @throws NotJudged, UsageError, Error, Cancelled
    int gates(Invocation& invocation, const GdnChoice& choice) const;
    int bench(Invocation& invocation, const GdnChoice& choice) const;

private:
    void declareShared(CLI::App& app);
    launch::LaunchRequest request(const GdnChoice& choice) const;

    std::vector<std::int64_t> m_shape;
    std::string m_dtype;
    std::string m_database;
    std::vector<std::string> m_gates;
    std::uint64_t m_seed = 1;
    int m_samples = 20;
    bool m_isUntimed = false;
    bool m_isRequestAlone = false;
    double m_budget = 240;
    bool m_isUnsafe = false;
    WorkerChoice m_worker;
};

/// fp64, fp32, bf16, fp16, or the type's whole name. @throws UsageError
tensor::DType gdnDType(const std::string& text);

} // namespace assay::cli
