// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"
#include "core/runner/answer.h"
#include "core/runner/channel.h"
#include "core/runner/request.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace assay::runner {

/// One living party process, seen from the judge: its socket, what it prints, and the leash by which it is ended.
///
/// The leash is a socket to the process above the party: it says in lines of JSON what could not be enforced and how the party
/// ended, and ends the party with all its descendants once our end is shut.
class PartyLink {
public:
    PartyLink(Channel channel, Descriptor output, Descriptor leash);
    ~PartyLink();
    PartyLink(const PartyLink&) = delete;
    PartyLink& operator=(const PartyLink&) = delete;

    /// Waits until the party is confined and about to listen.
    /// @return what could not be enforced, in plain words
    /// @throws Error  where confining failed: then no foreign code has run
    std::vector<std::string> awaitConfined(std::chrono::milliseconds limit, const std::stop_token& stop);

    /// Sends @p request and takes the answer whose sequence number is @p sequence. Everything but an answer with "ok" true is a
    /// failure; after one that isGone() the party has been ended.
    /// @param budget  most bytes of tensors that the answer may carry
    contract::Asked<Answer> ask(Request::Sealed request, std::uint64_t sequence, std::chrono::milliseconds limit,
                                const std::stop_token& stop, std::int64_t budget);

private:
    bool drainOutput();
    bool readLeash(std::chrono::milliseconds limit);
    Answer readAnswer(Channel::Received received, std::uint64_t sequence, std::int64_t budget);
    contract::PartyFailure failureOf(Channel::Outcome outcome, const std::string& detail, std::chrono::milliseconds limit);
    contract::PartyFailure death();
    std::string lastLines() const;
    void end();

    Channel m_channel;
    Descriptor m_output; ///< the party's standard output and error
    Descriptor m_leash;
    std::string m_tail;      ///< the last part of what it printed
    std::string m_leashText; ///< what came over the leash and was not used yet
};

} // namespace assay::runner
