// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/child_process.h"

#include "core/text/error.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay::ingest {

namespace {

constexpr off_t kMaxErrorBytes = 64 << 10;

[[noreturn]] void fail(const std::string& what, int code)
{
    throw Error(fmt::format("{} ({})", what, std::strerror(code)), "", "");
}

/// Frees what posix_spawn was told, on every way out.
struct SpawnActions {
    posix_spawn_file_actions_t actions;
    SpawnActions() { posix_spawn_file_actions_init(&actions); }
    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
};

} // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command)
{
    std::array<int, 2> pipe{};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0)
        fail("cannot open a pipe", errno);
    m_output = pipe[0];
    m_errors = memfd_create("child-errors", MFD_CLOEXEC);
    if (m_errors < 0) {
        const int code = errno;
        close(pipe[0]);
        close(pipe[1]);
        fail("cannot open a memory file", code);
    }
    SpawnActions spawn;
    posix_spawn_file_actions_addopen(&spawn.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&spawn.actions, pipe[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&spawn.actions, m_errors, STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    std::string path = "PATH=/usr/local/bin:/usr/bin:/bin";
    std::string locale = "LC_ALL=C.UTF-8";
    std::array<char*, 3> environment = {path.data(), locale.data(), nullptr};
    const int code = posix_spawn(&m_pid, command.front().c_str(), &spawn.actions, nullptr, arguments.data(), environment.data());
    close(pipe[1]);
    if (code != 0) {
        m_pid = -1;
        close(m_output);
        close(m_errors);
        fail(fmt::format("cannot start {}", command.front()), code);
    }
}

ChildProcess::~ChildProcess()
{
    close(m_output);
    if (m_pid > 0) {
        kill(m_pid, SIGKILL);
        wait();
    }
    close(m_errors);
}

bool ChildProcess::isReadable(int milliseconds)
{
    pollfd wanted{m_output, POLLIN, 0};
    const int ready = poll(&wanted, 1, milliseconds);
    if (ready < 0 && errno != EINTR)
        fail("cannot wait for the child process", errno);
    return ready > 0;
}

std::size_t ChildProcess::read(char* out, std::size_t capacity)
{
    for (;;) {
        const ssize_t got = ::read(m_output, out, capacity);
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR)
            fail("cannot read from the child process", errno);
    }
}

int ChildProcess::wait()
{
    if (m_pid < 0)
        return 0;
    int status = 0;
    while (waitpid(m_pid, &status, 0) < 0) {
        if (errno != EINTR)
            fail("cannot wait for the child process", errno);
    }
    m_pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string ChildProcess::errorText()
{
    const off_t size = lseek(m_errors, 0, SEEK_END);
    const off_t begin = size > kMaxErrorBytes ? size - kMaxErrorBytes : 0;
    std::string text(static_cast<std::size_t>(size - begin), '\0');
    const ssize_t got = pread(m_errors, text.data(), text.size(), begin);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

} // namespace assay::ingest
