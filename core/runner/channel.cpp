// SPDX-License-Identifier: Apache-2.0
#include "core/runner/channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

namespace assay::runner {

namespace {

static_assert(std::endian::native == std::endian::little, "frame lengths are little endian");

constexpr std::size_t kMaxFiles = 8;
constexpr std::size_t kChunk = std::size_t{1} << 20;

Channel::Outcome outcomeOf(Waiting::Event event)
{
    return event == Waiting::Event::Stopped ? Channel::Outcome::Stopped : Channel::Outcome::TimedOut;
}

/// Control messages of one recvmsg or sendmsg, aligned as the kernel wants them.
struct Control {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxFiles)> bytes{};
};

/// Takes the files out of @p message. @return how many came; the first is kept in @p file, the others are closed
std::size_t takeFiles(msghdr& message, Descriptor& file)
{
    std::size_t count = 0;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < here; ++i) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(header) + i * sizeof(int), sizeof number);
            Descriptor taken(number);
            if (count++ == 0 && !file)
                file = std::move(taken);
        }
    }
    return count;
}

} // namespace

Channel::Channel(Descriptor socket)
    : m_socket(std::move(socket))
{
    ::fcntl(m_socket.number(), F_SETFL, ::fcntl(m_socket.number(), F_GETFL) | O_NONBLOCK);
}

Channel::Pair Channel::pair()
{
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw std::system_error(errno, std::generic_category(), "socketpair");
    return {Channel(Descriptor(ends[0])), Descriptor(ends[1])};
}

Channel::Outcome Channel::send(std::string_view text, std::span<const int> files, Waiting& waiting)
{
    if (!isOpen())
        return Outcome::Closed;
    if (text.size() > kMaxFrame || files.size() > kMaxFiles)
        throw std::length_error(fmt::format("a frame of {} bytes is longer than frames may be", text.size()));
    const auto length = static_cast<std::uint32_t>(text.size());
    std::array<char, sizeof length> header{};
    std::memcpy(header.data(), &length, sizeof length);
    const Outcome first = sendBytes({header.data(), header.size()}, files, waiting);
    return first == Outcome::Done ? sendBytes(text, {}, waiting) : first;
}

Channel::Outcome Channel::sendBytes(std::string_view bytes, std::span<const int> files, Waiting& waiting)
{
    while (!bytes.empty()) {
        iovec part{const_cast<char*>(bytes.data()), bytes.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        Control control;
        if (!files.empty()) {
            message.msg_control = control.bytes.data();
            message.msg_controllen = CMSG_SPACE(files.size_bytes());
            cmsghdr* const header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(files.size_bytes());
            std::memcpy(CMSG_DATA(header), files.data(), files.size_bytes());
        }
        const ssize_t sent = ::sendmsg(m_socket.number(), &message, MSG_NOSIGNAL);
        if (sent > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
            files = {};
            continue;
        }
        if (errno != EAGAIN && errno != EINTR)
            return Outcome::Closed;
        const Waiting::Event event = waiting.until(m_socket.number(), POLLOUT);
        if (event != Waiting::Event::Ready)
            return outcomeOf(event);
    }
    return Outcome::Done;
}

Channel::Received Channel::receive(Waiting& waiting)
{
    Received received;
    if (!isOpen())
        return received;
    std::string header;
    std::uint32_t length = 0;
    received.outcome = receiveBytes(header, sizeof length, received, waiting);
    if (received.outcome != Outcome::Done)
        return received;
    std::memcpy(&length, header.data(), sizeof length);
    if (length > kMaxFrame) {
        received.outcome = Outcome::Malformed;
        received.detail = fmt::format("a frame that claims {} bytes", length);
        return received;
    }
    received.outcome = receiveBytes(received.text, length, received, waiting);
    return received;
}

Channel::Outcome Channel::receiveBytes(std::string& text, std::size_t wanted, Received& into, Waiting& waiting)
{
    text.clear();
    while (text.size() < wanted) {
        const std::size_t have = text.size();
        // Room for what arrives next, never for what a length merely claims.
        const std::size_t room = std::min(wanted - have, kChunk);
        text.resize(have + room);
        iovec part{text.data() + have, room};
        Control control;
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes.data();
        message.msg_controllen = control.bytes.size();
        const ssize_t got = ::recvmsg(m_socket.number(), &message, MSG_CMSG_CLOEXEC);
        const int code = errno;
        text.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got > 0) {
            const bool another = static_cast<bool>(into.file);
            const std::size_t files = takeFiles(message, into.file);
            if (files > (another ? 0U : 1U) || (message.msg_flags & MSG_CTRUNC) != 0) {
                into.detail = "more than one file with a frame";
                return Outcome::Malformed;
            }
            continue;
        }
        if (got == 0 || (code != EAGAIN && code != EINTR))
            return Outcome::Closed;
        const Waiting::Event event = waiting.until(m_socket.number(), POLLIN);
        if (event != Waiting::Event::Ready)
            return outcomeOf(event);
    }
    return Outcome::Done;
}

} // namespace assay::runner
