// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/party_process.h"
#include "core/runner/serve.h"
#include "core/runner/verdict_json.h"
#include "core/text/json.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace assay::runner {

/// One candidate to judge, as a request asks for it.
struct VerifyRequest {
    std::string referenceSource;
    std::string candidateSource;
    std::string device = "cpu";
    contract::Contract contract;
    contract::Thresholds thresholds; ///< calibrated limits for the pair's op family
    std::uint64_t seed = 0;
    double requestSeconds = 0; ///< longest that one request to a party may take; 0: as usual
    bool sandbox = true;
    bool shrink = false;            ///< look for a smaller stimulus of what fails
    std::string baseline;           ///< harness whose claim is wanted too, one of kBaselineModes; "": none
    std::int64_t evidenceBytes = 0; ///< see VerdictContext
    bool calibrate = false;         ///< measure what thresholds are calibrated from
};

/// @throws Error  naming what the request lacks
VerifyRequest readVerifyRequest(const json::Value& request);

/// Judges candidates one after the other, keeping the warmed process from one to the next.
class Verifier {
public:
    explicit Verifier(const ServeOptions& options);

    struct Outcome {
        contract::Judgement judgement;
        VerdictContext context;
        std::string remedy; ///< where it could not be judged
    };

    /// Never throws: what goes wrong here is a judgement "error" with its reason.
    /// @param entering  is told each gate before it asks anything; may be empty
    Outcome verify(const VerifyRequest& request, const std::stop_token& stop, const contract::GateSink& sink,
                   const std::function<void(contract::Gate)>& entering = {});

    /// Brings up the process that parties are forked from. @throws Error, Cancelled
    void warm(const std::string& device, bool sandbox, const std::stop_token& stop) { serverFor(device, sandbox, stop); }

    /// What a confined process says about itself.
    struct Machine {
        std::vector<std::string> isolation; ///< what could not be enforced
        std::string versions;               ///< JSON object, as in VerdictContext
        std::string deviceFacts;
    };
    /// Makes a warmed process and one confined party, as verify() would. @throws Error
    Machine tryParties(const std::string& device);

private:
    ForkServer& serverFor(const std::string& device, bool sandbox, const std::stop_token& stop);
    void shrink(const VerifyRequest& request, const std::stop_token& stop, Outcome& outcome);
    void addBaseline(const VerifyRequest& request, const std::stop_token& stop, Outcome& outcome);
    void judge(const VerifyRequest& request, const std::stop_token& stop, const contract::GateSink& sink,
               const std::function<void(contract::Gate)>& entering, Outcome& outcome);

    std::unique_ptr<ProcessReference> referenceFor(ForkServer& server, const VerifyRequest& request, const std::stop_token& stop);

    ServeOptions m_options;
    std::unique_ptr<ForkServer> m_server;
    std::unique_ptr<ProcessReference> m_reference; ///< of the last judgement; comes from m_server
};

} // namespace assay::runner
