// SPDX-License-Identifier: Apache-2.0
#include "core/runner/party_link.h"

#include "core/text/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

namespace assay::runner {

namespace {

using namespace std::chrono_literals;
using contract::PartyFailure;

constexpr std::size_t kTail = 8192;
constexpr std::size_t kMaxLeashText = 65536;
constexpr auto kTimeToEnd = 10s; ///< a process inside a driver call dies only when the driver lets go

void makeNonBlocking(int number)
{
    ::fcntl(number, F_SETFL, ::fcntl(number, F_GETFL) | O_NONBLOCK);
}

std::string signalName(int number)
{
    const char* const name = ::sigabbrev_np(number);
    return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

PartyFailure gone(PartyFailure::Kind kind, std::string type, std::string message)
{
    PartyFailure failure;
    failure.kind = kind;
    failure.type = std::move(type);
    failure.message = std::move(message);
    return failure;
}

} // namespace

PartyLink::PartyLink(Channel channel, Descriptor output, Descriptor leash)
    : m_channel(std::move(channel))
    , m_output(std::move(output))
    , m_leash(std::move(leash))
{
    makeNonBlocking(m_output.number());
    makeNonBlocking(m_leash.number());
}

PartyLink::~PartyLink()
{
    end();
}

std::vector<std::string> PartyLink::awaitConfined(std::chrono::milliseconds limit, const std::stop_token& stop)
{
    Waiting waiting(limit, stop);
    waiting.alsoDrain(m_output.number(), [this] { return drainOutput(); });
    std::size_t line = std::string::npos;
    bool open = true;
    while (open && (line = m_leashText.find('\n')) == std::string::npos) {
        if (waiting.until(m_leash.number(), POLLIN) != Waiting::Event::Ready)
            break;
        open = readLeash(0ms);
    }
    json::Document said;
    if (line != std::string::npos && !json::parse(std::string_view(m_leashText).substr(0, line), said) && said.IsObject()
        && json::find(said, "isolation") != nullptr) {
        m_leashText.erase(0, line + 1);
        std::vector<std::string> isolation;
        for (const json::Value& word : arrayOf(said, "isolation").GetArray()) {
            if (word.IsString())
                isolation.emplace_back(word.GetString());
        }
        return isolation;
    }
    drainOutput();
    end();
    const std::string lines = lastLines();
    throw Error(lines.empty() ? "a party could not be confined" : "a party could not be confined: " + lines, "sandbox",
                "assay doctor says what this machine allows");
}

bool PartyLink::drainOutput()
{
    std::array<char, 65536> buffer;
    // At most a few pipes full at a time: a party that never stops printing must not keep us here.
    for (int i = 0; i < 16; ++i) {
        const ssize_t got = ::read(m_output.number(), buffer.data(), buffer.size());
        if (got <= 0)
            return got < 0 && (errno == EAGAIN || errno == EINTR);
        m_tail.append(buffer.data(), static_cast<std::size_t>(got));
        if (m_tail.size() > kTail)
            m_tail.erase(0, m_tail.size() - kTail);
    }
    return true;
}

contract::Asked<Answer> PartyLink::ask(Request::Sealed request, std::uint64_t sequence, std::chrono::milliseconds limit,
                                       const std::stop_token& stop, std::int64_t budget)
{
    Waiting waiting(limit, stop);
    waiting.alsoDrain(m_output.number(), [this] { return drainOutput(); });
    const int arena = request.arena.number();
    const std::span<const int> files = request.arena ? std::span<const int>(&arena, 1) : std::span<const int>();
    const Channel::Outcome sent = m_channel.send(request.text, files, waiting);
    if (sent != Channel::Outcome::Done)
        return failureOf(sent, "", limit);
    request.arena.close();
    Channel::Received received = m_channel.receive(waiting);
    if (received.outcome != Channel::Outcome::Done)
        return failureOf(received.outcome, received.detail, limit);
    try {
        Answer answer = readAnswer(std::move(received), sequence, budget);
        if (!flagOf(answer.document, "ok"))
            return readFailure(memberOf(answer.document, "failure"));
        return answer;
    } catch (const Nonsense& nonsense) {
        return failureOf(Channel::Outcome::Malformed, nonsense.what(), limit);
    } catch (const std::bad_alloc&) {
        return failureOf(Channel::Outcome::Malformed, "an answer that does not fit in memory", limit);
    }
}

Answer PartyLink::readAnswer(Channel::Received received, std::uint64_t sequence, std::int64_t budget)
{
    Answer answer{readFrame(received.text), {}};
    const json::Value& number = memberOf(answer.document, "seq");
    if (!number.IsUint64() || number.GetUint64() != sequence)
        throw Nonsense("an answer to another request");
    if (json::find(answer.document, "arena_bytes") != nullptr) {
        if (!received.file)
            throw Nonsense("an arena that was announced and not sent");
        answer.arena = ArenaReader(std::move(received.file), integerOf(answer.document, "arena_bytes"), budget);
    }
    return answer;
}

PartyFailure PartyLink::failureOf(Channel::Outcome outcome, const std::string& detail, std::chrono::milliseconds limit)
{
    if (outcome == Channel::Outcome::Closed)
        return death();
    end();
    if (outcome == Channel::Outcome::Malformed)
        return gone(PartyFailure::Kind::Nonsense, "", "the process answered with " + detail);
    if (outcome == Channel::Outcome::Stopped)
        return gone(PartyFailure::Kind::TimedOut, "", "stopped");
    return gone(PartyFailure::Kind::TimedOut, "",
                fmt::format("no answer within {:g} s", std::chrono::duration<double>(limit).count()));
}

/// The socket closed: says how the process ended.
PartyFailure PartyLink::death()
{
    readLeash(2s);
    drainOutput();
    end();
    const std::string lines = lastLines();
    const std::string tail = lines.empty() ? "" : ": " + lines;
    json::Document said;
    if (!json::parse(m_leashText, said) && said.IsObject()) {
        if (const auto number = json::integerAt(said, "signal")) {
            const std::string name = signalName(static_cast<int>(*number));
            const char* const hint = *number == SIGKILL ? " (out of memory, as a rule)" : *number == SIGXCPU ? " (CPU time)" : "";
            return gone(PartyFailure::Kind::Died, name, fmt::format("the process was ended by {}{}{}", name, hint, tail));
        }
        if (const auto code = json::integerAt(said, "exit"))
            return gone(PartyFailure::Kind::Died, fmt::format("exit {}", *code),
                        fmt::format("the process exited with {}{}", *code, tail));
    }
    return gone(PartyFailure::Kind::Died, "", "the process closed its connection" + tail);
}

/// Takes in what the process above the party said, until it has gone or the time is up.
/// @return whether the leash is still open
bool PartyLink::readLeash(std::chrono::milliseconds limit)
{
    Waiting waiting(limit);
    for (;;) {
        std::array<char, 4096> buffer;
        const ssize_t got = ::read(m_leash.number(), buffer.data(), buffer.size());
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (got > 0 && m_leashText.size() < kMaxLeashText)
            m_leashText.append(buffer.data(), static_cast<std::size_t>(got));
        if (got <= 0 && waiting.until(m_leash.number(), POLLIN) != Waiting::Event::Ready)
            return true;
    }
}

std::string PartyLink::lastLines() const
{
    constexpr std::size_t kLines = 6;
    std::string text = m_tail;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.pop_back();
    std::size_t from = text.size();
    for (std::size_t i = 0; i < kLines && from != std::string::npos && from > 0; ++i)
        from = text.rfind('\n', from - 1);
    text = from == std::string::npos ? text : text.substr(from == 0 ? 0 : from + 1);
    // Foreign bytes end in JSON and on terminals.
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f || (c & 0x80) != 0; }, '?');
    return text;
}

/// Ends the party and everything it started, and waits until they are gone.
void PartyLink::end()
{
    m_channel.close();
    if (!m_leash)
        return;
    ::shutdown(m_leash.number(), SHUT_WR);
    readLeash(kTimeToEnd);
    m_leash.close();
}

} // namespace assay::runner
