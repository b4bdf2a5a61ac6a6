// SPDX-License-Identifier: Apache-2.0
#include "core/runner/probe_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

extern char** environ;

namespace assay::runner {

namespace {

constexpr std::size_t kKept = std::size_t{64} << 10;

struct Pipe {
    int readEnd = -1;
    int writeEnd = -1;

    Pipe()
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) == 0) {
            readEnd = ends[0];
            writeEnd = ends[1];
        }
    }
    ~Pipe()
    {
        closeEnd(readEnd);
        closeEnd(writeEnd);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    static void closeEnd(int& end)
    {
        if (end >= 0)
            ::close(end);
        end = -1;
    }
};

pid_t spawn(const std::vector<std::string>& command, Pipe& out, Pipe& err)
{
    std::vector<char*> arguments;
    for (const std::string& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.writeEnd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.writeEnd, STDERR_FILENO);
    // A group of its own, so that a timeout also ends what the process started.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    pid_t process = -1;
    const int failure = ::posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failure == 0 ? process : -1;
}

/// Moves what there is into @p text. @return false at the end of the stream
bool drain(int descriptor, std::string& text)
{
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    if (got > 0 && text.size() < kKept)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
}

} // namespace

ProbeResult probeProcess(const std::vector<std::string>& command, std::chrono::milliseconds limit)
{
    ProbeResult result;
    Pipe out, err;
    const pid_t process = spawn(command, out, err);
    if (process < 0)
        return result;
    result.started = true;
    Pipe::closeEnd(out.writeEnd);
    Pipe::closeEnd(err.writeEnd);

    const auto end = std::chrono::steady_clock::now() + limit;
    while (out.readEnd >= 0 || err.readEnd >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        std::array<pollfd, 2> ends = {pollfd{out.readEnd, POLLIN, 0}, pollfd{err.readEnd, POLLIN, 0}};
        if (left.count() <= 0 || ::poll(ends.data(), ends.size(), static_cast<int>(left.count())) == 0) {
            result.timedOut = true;
            ::kill(-process, SIGKILL);
            break;
        }
        if (ends[0].revents != 0 && !drain(out.readEnd, result.output))
            Pipe::closeEnd(out.readEnd);
        if (ends[1].revents != 0 && !drain(err.readEnd, result.errors))
            Pipe::closeEnd(err.readEnd);
    }
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) { }
    result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

} // namespace assay::runner
