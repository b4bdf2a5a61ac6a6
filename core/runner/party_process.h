// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/party_session.h"

namespace assay::runner {

/// The reference in a sandboxed process of its own.
class ProcessReference final : public contract::ReferenceParty {
public:
    ProcessReference(ForkServer& server, PartySetup setup);

    /// Forks the process. @throws Error where the machine allows no process
    std::optional<contract::PartyFailure> start() { return m_session.start(); }
    const PartyHello& hello() const { return m_session.hello(); }
    const PartyTime& time() const { return m_session.time(); }

    /// The process that has judged one candidate serves the next one of the same task: its context on the device stands, its
    /// libraries are loaded. No candidate ever shares a process. Source and device of @p setup are those that it has; load()
    /// takes a fresh process after all where the source cannot be loaded twice.
    /// @return whether it can serve; else a new party is needed
    bool renew(PartySetup setup);

    std::optional<contract::PartyFailure> setState(int instance, const contract::ModuleState& values) override;
    contract::Asked<std::vector<contract::StepResult>> run(const contract::Script& script) override;
    std::optional<contract::PartyFailure> restart() override;
    contract::Asked<std::vector<contract::SizeSlot>> load() override;
    contract::Asked<contract::Footprint> footprint(const contract::SizeChoice& sizes, std::uint64_t seed) override;
    contract::Asked<contract::Instance> build(int instance, const contract::SizeChoice& sizes, std::uint64_t seed) override;
    contract::Asked<std::vector<tensor::HostTensor>> condition(int instance, const contract::StimulusPtr& stimulus, int draws,
                                                               double unit, std::uint64_t seed) override;
    contract::Asked<std::vector<std::int64_t>> extent(int instance, const contract::StimulusPtr& stimulus) override;

private:
    struct Built {
        contract::SizeChoice sizes;
        std::uint64_t seed = 0;
    };

    contract::Asked<std::vector<contract::SizeSlot>> sendLoad();
    contract::Asked<contract::Instance> sendBuild(int instance, const Built& built);
    std::optional<contract::PartyFailure> replay();

    PartySession m_session;
    bool m_loaded = false;
    bool m_isRenewed = false; ///< and has not loaded its source again
    std::map<int, Built> m_built;
};

/// The candidate in a sandboxed process of its own.
class ProcessCandidate final : public contract::CandidateParty {
public:
    ProcessCandidate(ForkServer& server, PartySetup setup);

    /// Forks the process. @throws Error where the machine allows no process
    std::optional<contract::PartyFailure> start() { return m_session.start(); }
    const PartyHello& hello() const { return m_session.hello(); }
    const PartyTime& time() const { return m_session.time(); }

    std::optional<contract::PartyFailure> setState(int instance, const contract::ModuleState& values) override;
    contract::Asked<std::vector<contract::StepResult>> run(const contract::Script& script) override;
    std::optional<contract::PartyFailure> restart() override;
    std::optional<contract::PartyFailure> load() override;
    contract::Asked<contract::ModuleState> build(int instance, const contract::Instance& like, std::uint64_t seed) override;
    contract::Asked<contract::KernelEvidence> resources(int instance, bool blackwell) override;

private:
    struct Built {
        std::string init;
        std::string inputs;
        std::vector<tensor::HostTensor> leaves;
        std::uint64_t seed = 0;
    };

    contract::Asked<contract::ModuleState> sendBuild(int instance, const Built& built);
    std::optional<contract::PartyFailure> replay();

    PartySession m_session;
    bool m_loaded = false;
    std::map<int, Built> m_built;
};

} // namespace assay::runner
