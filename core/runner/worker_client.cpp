// SPDX-License-Identifier: Apache-2.0
#include "core/runner/worker_client.h"

#include "core/runner/shell_words.h"
#include "core/runner/spawn.h"
#include "core/runner/waiting.h"
#include "core/text/error.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

extern char** environ;

namespace assay::runner {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kTail = 16384;
constexpr std::size_t kMaxLine = std::size_t{256} << 20;
constexpr auto kTimeToCancel = 2s;

/// A socket instead of a pipe: writing to a reader that has gone must fail, not raise SIGPIPE in the whole program.
std::pair<Descriptor, Descriptor> connectedPair()
{
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw std::system_error(errno, std::generic_category(), "socketpair");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<std::string> environmentWith(const std::string& folder)
{
    std::vector<std::string> environment;
    std::string paths = folder;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (!text.starts_with("PYTHONPATH="))
            environment.emplace_back(text);
        else if (text.size() > 11)
            paths += (paths.empty() ? "" : ":") + std::string(text.substr(11));
    }
    if (!paths.empty())
        environment.push_back("PYTHONPATH=" + paths);
    return environment;
}

std::string lastLine(std::string text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.pop_back();
    const std::size_t before = text.rfind('\n');
    return before == std::string::npos ? text : text.substr(before + 1);
}

} // namespace

WorkerClient::WorkerClient(WorkerOptions options)
    : m_options(std::move(options))
    , m_command(shellWords(m_options.prefix))
{
    for (const std::string& word : {m_options.python, std::string("-m"), std::string("assay_worker"), m_options.service})
        m_command.push_back(word);
    if (m_options.neighbours > 1)
        m_command.insert(m_command.end(), {"--neighbours", std::to_string(m_options.neighbours)});
    start();
}

WorkerClient::~WorkerClient()
{
    end();
}

void WorkerClient::start()
{
    auto [input, itsInput] = connectedPair();
    auto [output, itsOutput] = connectedPair();
    auto [errors, itsErrors] = connectedPair();
    SpawnRequest request;
    request.command = m_command;
    request.environment = environmentWith(m_options.folder);
    request.files = {{itsInput.number(), STDIN_FILENO}, {itsOutput.number(), STDOUT_FILENO}, {itsErrors.number(), STDERR_FILENO}};
    request.ownGroup = true;
    const SpawnResult result = spawn(request);
    if (result.process < 0)
        throw Error(fmt::format("cannot start {}: {}", m_command.front(), result.reason), "",
                    m_options.prefix.empty() ? "Name a Python that has torch (--python)" : "Check the prefix (--prefix)");
    m_process = result.process;
    m_input = std::move(input);
    m_output = std::move(output);
    m_errors = std::move(errors);
    for (const Descriptor* end : {&m_input, &m_output, &m_errors})
        ::fcntl(end->number(), F_SETFL, O_NONBLOCK);
}

/// Its input ends, which ends it; what does not end in a moment is killed.
void WorkerClient::end()
{
    if (m_process < 0)
        return;
    m_input.close();
    Waiting waiting(3s);
    std::array<char, 4096> buffer;
    while (waiting.until(m_output.number(), POLLIN) == Waiting::Event::Ready) {
        if (::read(m_output.number(), buffer.data(), buffer.size()) <= 0)
            break;
    }
    kill();
}

void WorkerClient::kill()
{
    if (m_process < 0)
        return;
    ::kill(-m_process, SIGKILL);
    while (::waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) { }
    m_process = -1;
}

void WorkerClient::send(const std::string& line)
{
    std::string_view rest = line;
    Waiting waiting(m_options.silence);
    waiting.alsoDrain(m_errors.number(), [this] { return drainErrors(); });
    while (!rest.empty()) {
        const ssize_t done = ::send(m_input.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (done > 0)
            rest.remove_prefix(static_cast<std::size_t>(done));
        else if (errno != EAGAIN && errno != EINTR)
            failEnded();
        else if (waiting.until(m_input.number(), POLLOUT) != Waiting::Event::Ready)
            throw Error("the worker does not read its input", m_command.front(), "Run it again");
    }
}

bool WorkerClient::drainErrors()
{
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(m_errors.number(), buffer.data(), buffer.size());
    if (got > 0)
        m_tail.append(buffer.data(), static_cast<std::size_t>(got));
    if (m_tail.size() > kTail)
        m_tail.erase(0, m_tail.size() - kTail);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

WorkerClient::Read WorkerClient::readLine(std::string& line, std::chrono::milliseconds limit, const std::stop_token& stop)
{
    Waiting waiting(limit, stop);
    waiting.alsoDrain(m_errors.number(), [this] { return drainErrors(); });
    for (std::size_t searched = 0;;) {
        const std::size_t end = m_text.find('\n', searched);
        if (end != std::string::npos) {
            line = m_text.substr(0, end);
            m_text.erase(0, end + 1);
            return Read::Line;
        }
        searched = m_text.size();
        std::array<char, 65536> buffer;
        const ssize_t got = ::read(m_output.number(), buffer.data(), buffer.size());
        if (got > 0 && m_text.size() < kMaxLine) {
            m_text.append(buffer.data(), static_cast<std::size_t>(got));
            continue;
        }
        if (got >= 0 || (errno != EAGAIN && errno != EINTR))
            return Read::Ended;
        const Waiting::Event event = waiting.until(m_output.number(), POLLIN);
        if (event != Waiting::Event::Ready)
            return event == Waiting::Event::Stopped ? Read::Stopped : Read::Silent;
    }
}

json::Document WorkerClient::ask(const std::string& members, const std::string& last, const EventSink& sink,
                                 const std::stop_token& stop)
{
    const std::int64_t id = ++m_lastId;
    send(fmt::format("{{\"id\":{},{}}}\n", id, members));
    for (;;) {
        std::string line;
        switch (readLine(line, m_options.silence, stop)) {
        case Read::Ended:
            failEnded();
        case Read::Silent:
            end();
            throw Error(fmt::format("the worker gave no sign of life for {} s", m_options.silence.count()), m_command.front(),
                        "Check the connection and run it again");
        case Read::Stopped:
            cancel(id, last);
        case Read::Line:
            break;
        }
        json::Document event;
        // A login message of ssh, say: what is no object of ours is passed over.
        if (json::parse(line, event) || !event.IsObject() || json::integerAt(event, "id") != id)
            continue;
        const std::string name = json::stringAt(event, "event").value_or("");
        if (name == last)
            return event;
        if (name == "error")
            throw Error("the worker refused: " + json::stringAt(event, "problem").value_or("no reason"), m_command.front(),
                        "Use a worker of this version of Assay");
        if (sink)
            sink(event);
    }
}

/// A worker that does not let go in a moment is killed: who cancels does not want to wait for an import to end.
void WorkerClient::cancel(std::int64_t target, const std::string& last)
{
    send(fmt::format("{{\"id\":{},\"op\":\"cancel\",\"target\":{}}}\n", ++m_lastId, target));
    const auto until = std::chrono::steady_clock::now() + kTimeToCancel;
    std::string line;
    for (auto now = std::chrono::steady_clock::now(); now < until; now = std::chrono::steady_clock::now()) {
        if (readLine(line, std::chrono::ceil<std::chrono::milliseconds>(until - now), {}) != Read::Line)
            break;
        json::Document event;
        if (!json::parse(line, event) && event.IsObject() && json::integerAt(event, "id") == target
            && json::stringAt(event, "event") == last)
            throw Cancelled();
    }
    kill();
    throw Cancelled();
}

void WorkerClient::failEnded()
{
    while (drainErrors()) {
        pollfd wanted{m_errors.number(), POLLIN, 0};
        if (::poll(&wanted, 1, 1000) <= 0)
            break;
    }
    end();
    const std::string words = lastLine(m_tail);
    const std::string where = fmt::format("{}", fmt::join(m_command, " "));
    if (words.find("No module named assay_worker") != std::string::npos
        || words.find("No module named 'assay_worker'") != std::string::npos)
        throw Error("that Python has no assay_worker", where,
                    "Install Assay's wheel there: python -m pip install assay_worker-*.whl");
    if (words.find("_judge") != std::string::npos)
        throw Error("that Python cannot load Assay's judge: " + words, where, "Install the wheel built for that machine");
    throw Error(words.empty() ? "the worker ended without a word" : "the worker ended: " + words, where,
                "Check the Python and the prefix (--python, --prefix): assay doctor says what is missing");
}

} // namespace assay::runner
