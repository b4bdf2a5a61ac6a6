// SPDX-License-Identifier: Apache-2.0
#include "core/runner/fork_server.h"

#include "core/runner/answer.h"
#include "core/runner/kept_memory.h"
#include "core/runner/party_link.h"
#include "core/runner/spawn.h"
#include "core/text/error.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace assay::runner {

namespace {

using namespace std::chrono_literals;

constexpr auto kTimeToStart = 300s; ///< importing torch from a cold network disk
constexpr auto kTimeToFork = 60s;
constexpr int kControlNumber = 3;

/// The environment of the fork server and so of every party: what finding programs, libraries and devices takes, and nothing that
/// could be a secret.
std::vector<std::string> scrubbedEnvironment(const std::vector<std::string>& importPaths)
{
    static constexpr const char* kKept[] = {"PATH",
                                            "LD_LIBRARY_PATH",
                                            "LANG",
                                            "LC_ALL",
                                            "CUDA_HOME",
                                            "CUDA_PATH",
                                            "CUDA_VISIBLE_DEVICES",
                                            "CUDA_DEVICE_ORDER",
                                            "NVIDIA_VISIBLE_DEVICES",
                                            "NVIDIA_DRIVER_CAPABILITIES",
                                            "OMP_NUM_THREADS",
                                            "OMP_WAIT_POLICY",
                                            "TRITON_INTERPRET",
                                            "TRITON_PTXAS_PATH",
                                            "CC",
                                            "CXX",
                                            "TZ"};
    std::vector<std::string> environment;
    for (const char* name : kKept) {
        if (const char* const value = std::getenv(name))
            environment.push_back(fmt::format("{}={}", name, value));
    }
    // A party computes in short bursts and waits for the judge between them. Threads that spin meanwhile, as OpenMP's do where
    // nobody says otherwise, would take the processors from the others.
    if (std::getenv("OMP_WAIT_POLICY") == nullptr)
        environment.emplace_back("OMP_WAIT_POLICY=PASSIVE");
    // What was freed is used again, instead of going back to the system and coming as new pages: hundreds of thousands of them in
    // one judgement, which the system clears and counts one by one.
    environment.push_back(fmt::format("MALLOC_MMAP_THRESHOLD_={}", kMappedBytes));
    environment.push_back(fmt::format("MALLOC_TRIM_THRESHOLD_={}", kKeptBytes));
    // The compiler works a good deal longer where it carries along which line each instruction came from.
    environment.emplace_back("TRITON_DISABLE_LINE_INFO=1");
    std::string paths;
    for (const std::string& path : importPaths)
        paths += (paths.empty() ? "" : ":") + path;
    environment.push_back("PYTHONPATH=" + paths);
    environment.emplace_back("PYTHONDONTWRITEBYTECODE=1");
    environment.emplace_back("PYTHONUNBUFFERED=1");
    environment.emplace_back("HOME=/nonexistent");
    // torch asks for the user's name when it imports its compiler, and a sandbox's user has none.
    environment.emplace_back("LOGNAME=assay");
    return environment;
}

void writeTexts(json::Writer& writer, const char* key, const std::vector<std::string>& texts)
{
    writer.Key(key);
    writer.StartArray();
    for (const std::string& text : texts)
        writer.String(text);
    writer.EndArray();
}

std::vector<std::string> split(const char* list, char separator)
{
    std::vector<std::string> parts;
    std::string_view rest = list == nullptr ? "" : list;
    while (!rest.empty()) {
        const std::size_t end = rest.find(separator);
        if (end != 0)
            parts.emplace_back(rest.substr(0, end));
        rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    }
    return parts;
}

} // namespace

ForkServer::ForkServer(ForkServerOptions options)
    : m_options(std::move(options))
{
}

ForkServer::~ForkServer()
{
    end();
}

void ForkServer::end()
{
    m_control.close();
    m_output.close();
    if (m_process > 0) {
        ::kill(m_process, SIGKILL);
        while (::waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) { }
    }
    m_process = -1;
}

VisiblePaths ForkServer::visiblePaths() const
{
    VisiblePaths paths;
    paths.gpu = m_options.gpu;
    paths.needed = m_options.importPaths;
    paths.needed.insert(paths.needed.end(), m_options.prefixes.begin(), m_options.prefixes.end());
    paths.needed.push_back(m_options.python);
    for (const char* variable : {"LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH"}) {
        for (std::string& path : split(std::getenv(variable), ':'))
            paths.needed.push_back(std::move(path));
    }
    return paths;
}

void ForkServer::start(const std::stop_token& stop)
{
    end();
    if (!m_options.sandbox) {
        m_isolation.clear();
        launch({}, stop);
        m_isolation.insert(m_isolation.begin(), "no sandbox, as demanded: reads and writes what the user may, network included");
        return;
    }
    // Root needs no user namespace and can then become a real other user; a container may have taken that ability away.
    const bool isRoot = ::geteuid() == 0;
    for (const bool ownUser : {false, true}) {
        const Bubblewrap wrap = bubblewrap(visiblePaths(), ownUser);
        m_isolation = wrap.isolation;
        try {
            return launch(wrap.command, stop);
        } catch (const Error&) {
            const bool refused = m_tail.starts_with("bwrap: ");
            if (!refused || ownUser || !isRoot)
                throw;
        }
    }
}

void ForkServer::launch(const std::vector<std::string>& prefix, const std::stop_token& stop)
{
    end();
    m_tail.clear();
    Channel::Pair control = Channel::pair();
    std::array<int, 2> output{};
    if (::pipe2(output.data(), O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe2");
    m_output = Descriptor(output[0]);
    ::fcntl(m_output.number(), F_SETFL, O_NONBLOCK);
    Descriptor writeEnd(output[1]);

    std::vector<std::string> command = prefix;
    for (const char* word : {m_options.python.c_str(), "-m", "assay_worker", "forkserver", "3"})
        command.emplace_back(word);
    static_assert(kControlNumber == 3);
    SpawnRequest spawned;
    spawned.command = command;
    spawned.environment = scrubbedEnvironment(m_options.importPaths);
    if (m_options.sandbox)
        spawned.environment.push_back(fmt::format("TMPDIR={}", kPrivateFolder));
    spawned.files
        = {{writeEnd.number(), STDOUT_FILENO}, {writeEnd.number(), STDERR_FILENO}, {control.theirs.number(), kControlNumber}};
    const SpawnResult result = spawn(spawned);
    if (result.process < 0) {
        if (command.front() == "bwrap")
            throw Error("no sandbox: bwrap not found", "", "Install bubblewrap (apt install bubblewrap)");
        throw Error(fmt::format("cannot start {}: {}", command.front(), result.reason), "", "Name an interpreter with --python");
    }
    m_process = result.process;
    m_control = std::move(control.ours);
    control.theirs.close();
    writeEnd.close();

    const std::string reply = request(startRequest(), {}, kTimeToStart, stop);
    json::Document said = readFrame(reply);
    if (!flagOf(said, "ok")) {
        const std::string problem = textOf(said, "problem");
        end();
        throw Error(problem, m_options.python, textOf(said, "remedy"));
    }
    for (const json::Value& word : arrayOf(said, "isolation").GetArray())
        m_isolation.emplace_back(word.GetString());
}

std::string ForkServer::startRequest() const
{
    rapidjson::StringBuffer buffer;
    json::Writer writer(buffer);
    const auto number = [&](const char* key, std::int64_t value) {
        writer.Key(key);
        writer.Int64(value);
    };
    writer.StartObject();
    writer.Key("sandbox");
    writer.Bool(m_options.sandbox);
    writeTexts(writer, "warm", m_options.warm);
    writer.Key("party");
    writer.String(m_options.partyModule);
    writer.Key("private_folder");
    writer.String(m_options.sandbox ? kPrivateFolder : "");
    number("folder_bytes", m_options.folderBytes);
    writer.Key("limits");
    writer.StartObject();
    number("address_space", m_options.limits.addressSpace);
    number("data", m_options.limits.data);
    number("file_bytes", m_options.limits.fileBytes);
    number("processes", m_options.limits.processes);
    number("cpu_seconds", m_options.limits.cpuSeconds);
    number("open_files", m_options.limits.openFiles);
    writer.EndObject();
    writer.EndObject();
    return {buffer.GetString(), buffer.GetSize()};
}

std::string ForkServer::request(const std::string& text, std::span<const int> files, std::chrono::milliseconds limit,
                                const std::stop_token& stop)
{
    Waiting waiting(limit, stop);
    waiting.alsoDrain(m_output.number(), [this] {
        lastWords();
        return true;
    });
    Channel::Outcome outcome = m_control.send(text, files, waiting);
    Channel::Received received;
    if (outcome == Channel::Outcome::Done) {
        received = m_control.receive(waiting);
        outcome = received.outcome;
    }
    if (outcome == Channel::Outcome::Done)
        return std::move(received.text);
    const std::string words = lastWords();
    end();
    if (outcome == Channel::Outcome::Stopped)
        throw Cancelled();
    if (words.starts_with("bwrap: "))
        throw Error("no sandbox: " + words, "",
                    "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1), or a container with fewer restrictions");
    const char* const what = outcome == Channel::Outcome::TimedOut ? "the Python process for parties does not answer"
                                                                   : "the Python process for parties ended";
    throw Error(words.empty() ? what : fmt::format("{}: {}", what, words), m_options.python, "assay doctor says what is missing");
}

/// The last line that the process printed.
std::string ForkServer::lastWords()
{
    std::array<char, 4096> buffer;
    for (ssize_t got = 0; (got = ::read(m_output.number(), buffer.data(), buffer.size())) > 0;) {
        if (m_tail.size() < 65536)
            m_tail.append(buffer.data(), static_cast<std::size_t>(got));
    }
    std::string text = m_tail;
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text.substr(text.find_last_of('\n') == std::string::npos ? 0 : text.find_last_of('\n') + 1);
}

std::unique_ptr<PartyLink> ForkServer::fork()
{
    if (!m_control.isOpen())
        start();
    Channel::Pair talk = Channel::pair();
    std::array<int, 2> leash{};
    std::array<int, 2> output{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, leash.data()) != 0)
        throw std::system_error(errno, std::generic_category(), "socketpair");
    Descriptor ourLeash(leash[0]);
    const Descriptor theirLeash(leash[1]);
    if (::pipe2(output.data(), O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe2");
    Descriptor readEnd(output[0]);
    const Descriptor writeEnd(output[1]);
    const std::array<int, 3> files = {talk.theirs.number(), writeEnd.number(), theirLeash.number()};
    request(R"({"op":"fork"})", files, kTimeToFork, {});
    return std::make_unique<PartyLink>(std::move(talk.ours), std::move(readEnd), std::move(ourLeash));
}

} // namespace assay::runner
