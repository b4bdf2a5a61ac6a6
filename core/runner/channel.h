// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/descriptor.h"
#include "core/runner/waiting.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace assay::runner {

/// Frames over a Unix stream socket: a length, that many bytes of text, and at most one file that travels with the first byte
/// (resources/worker/PROTOCOL.md, "Frames"). Nothing that the other end does makes a call throw, block beyond its limit or
/// take more memory than the bytes that arrived.
class Channel {
public:
    /// Longest frame that is taken or sent, bytes.
    static constexpr std::size_t kMaxFrame = std::size_t{64} << 20;

    enum class Outcome {
        Done,
        Closed, ///< the other end is gone
        TimedOut,
        Stopped,   ///< a stop was asked for
        Malformed, ///< the other end broke the rules; see detail
    };

    struct Received {
        Outcome outcome = Outcome::Closed;
        std::string text;
        Descriptor file;
        std::string detail;
    };

    Channel() = default;
    explicit Channel(Descriptor socket);

    bool isOpen() const { return static_cast<bool>(m_socket); }
    void close() { m_socket.close(); }

    /// Sends one frame, @p files attached to its first byte.
    Outcome send(std::string_view text, std::span<const int> files, Waiting& waiting);

    /// The next frame, whole.
    Received receive(Waiting& waiting);

    /// Two connected sockets: ours and the one to give away.
    struct Pair;
    static Pair pair();

private:
    Outcome sendBytes(std::string_view bytes, std::span<const int> files, Waiting& waiting);
    Outcome receiveBytes(std::string& text, std::size_t wanted, Received& into, Waiting& waiting);

    Descriptor m_socket;
};

struct Channel::Pair {
    Channel ours;
    Descriptor theirs;
};

} // namespace assay::runner
