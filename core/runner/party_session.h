// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/fork_server.h"
#include "core/runner/party_link.h"
#include "core/runner/party_time.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>

namespace assay::runner {

/// How long each kind of request may take. A timeout ends the process.
struct PartyLimits {
    std::chrono::milliseconds hello{60'000}; ///< a context on a GPU included
    std::chrono::milliseconds load{180'000}; ///< compiling extensions included
    std::chrono::milliseconds build{120'000};
    std::chrono::milliseconds put{60'000};
    std::chrono::milliseconds run{120'000};
    std::chrono::milliseconds measure{300'000};           ///< condition and extent: many evaluations in fp64
    std::int64_t answerBytes = std::int64_t{8} << 30;     ///< most tensor bytes of one answer
    std::int64_t stimulusBytes = std::int64_t{512} << 20; ///< stimuli kept in the party beyond those that a script needs
};

/// What both parties of a judgement are made with.
struct PartySetup {
    std::string source;
    std::string device = "cpu"; ///< "cpu", "cuda:0"
    std::uint64_t seed = 0;
    PartyLimits limits;
    std::stop_token stop;
};

/// What a party said about itself before it loaded anything.
struct PartyHello {
    std::string versions; ///< JSON object
    std::string device;   ///< JSON object
    std::vector<std::string> isolation;
};

/// The conversation with one party over any number of processes: requests in sequence, stimuli put once, states kept, and the
/// same failure for every request after the process has gone.
class PartySession {
public:
    /// Replays load and builds in a fresh process through ask().
    using Replay = std::function<std::optional<contract::PartyFailure>()>;

    /// @param server  outlives the session
    PartySession(ForkServer& server, PartySetup setup, Replay replay);

    const PartySetup& setup() const { return m_setup; }
    const PartyHello& hello() const { return m_hello; }
    /// Of everything asked so far.
    const PartyTime& time() const { return m_time; }

    /// Forks the first process. @throws Error where the machine allows no process
    std::optional<contract::PartyFailure> start();

    /// Whether the process lives and lost nothing, so that it may serve another judgement with the same source.
    bool isSound() const { return m_link != nullptr && !m_gone && !m_contextLost; }
    /// The same process for another judgement of the same source on the same device: stimuli, states and times are forgotten.
    /// @return a failure where it cannot be; start() then makes a fresh one
    std::optional<contract::PartyFailure> renew(PartySetup setup);

    /// A fresh process with everything replayed.
    std::optional<contract::PartyFailure> restart();

    /// One request and its answer. @p read turns the answer into a value and may throw Nonsense.
    template <typename T>
    contract::Asked<T> ask(Request& request, std::chrono::milliseconds limit, const std::function<T(Answer&)>& read);
    /// The same for answers without content.
    std::optional<contract::PartyFailure> ask(Request& request, std::chrono::milliseconds limit);

    std::optional<contract::PartyFailure> setState(int instance, const contract::ModuleState& values);
    contract::Asked<std::vector<contract::StepResult>> run(const contract::Script& script);

    /// Makes sure that the process has @p stimuli.
    std::optional<contract::PartyFailure> put(const std::vector<contract::StimulusPtr>& stimuli);

    /// Names of state tensors that cross as pairs of real and imaginary parts.
    void setComplexNames(int instance, std::set<std::string> names) { m_complexNames[instance] = std::move(names); }

private:
    struct Held {
        contract::StimulusPtr stimulus;
        std::int64_t bytes = 0;
    };

    std::optional<contract::PartyFailure> open();
    std::string timedAs(const Request& request);
    contract::Asked<Answer> exchange(Request& request, std::chrono::milliseconds limit);
    std::optional<contract::PartyFailure> putOne(const contract::StimulusPtr& stimulus);
    std::optional<contract::PartyFailure> makeRoom(const std::vector<contract::StimulusPtr>& needed);
    std::optional<contract::PartyFailure> drop(const std::vector<std::uint64_t>& stimuli);
    std::optional<contract::PartyFailure> sendState(int instance, const contract::ModuleState& values);
    contract::PartyFailure broken(const std::exception& nonsense);
    const std::set<std::string>& complexNames(int instance) const;

    ForkServer* m_server;
    PartySetup m_setup;
    Replay m_replay;
    PartyHello m_hello;
    std::unique_ptr<PartyLink> m_link;
    std::optional<contract::PartyFailure> m_gone; ///< why there is no process
    bool m_hasBuilt = false;                      ///< an instance, in this process
    bool m_contextLost = false;                   ///< the device context died: the process answers but cannot compute
    std::uint64_t m_sequence = 0;
    std::list<Held> m_held; ///< stimuli that the process has, least recently used first
    std::map<int, contract::ModuleState> m_states;
    std::map<int, std::set<std::string>> m_complexNames;
    PartyTime m_time;
};

template <typename T>
contract::Asked<T> PartySession::ask(Request& request, std::chrono::milliseconds limit, const std::function<T(Answer&)>& read)
{
    contract::Asked<Answer> answer = exchange(request, limit);
    if (!answer)
        return answer.failure();
    try {
        return read(*answer);
    } catch (const Nonsense& nonsense) {
        return broken(nonsense);
    } catch (const std::bad_alloc& full) {
        return broken(full);
    }
}

} // namespace assay::runner
