// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interruption.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace assay::cli {

namespace {

// A signal handler may do next to nothing; it writes a byte here and the watcher, an ordinary thread, does the rest.
int g_writeEnd = -1;

constexpr char kInterrupted = 'i';
constexpr char kFinished = 'f';

extern "C" void onSignal(int number)
{
    const int saved = errno;
    [[maybe_unused]] const ssize_t ignored = ::write(g_writeEnd, &kInterrupted, 1);
    ::signal(number, SIG_DFL);
    errno = saved;
}

} // namespace

Interruption::Interruption()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe2");
    g_writeEnd = ends[1];
    m_watcher = std::thread([this, readEnd = ends[0]] { watch(readEnd); });
    struct sigaction action { };
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

Interruption::~Interruption()
{
    ::signal(SIGINT, SIG_DFL);
    ::signal(SIGTERM, SIG_DFL);
    [[maybe_unused]] const ssize_t ignored = ::write(g_writeEnd, &kFinished, 1);
    m_watcher.join();
    ::close(g_writeEnd);
    g_writeEnd = -1;
}

void Interruption::watch(int readEnd)
{
    char byte = 0;
    while (byte != kFinished) {
        const ssize_t got = ::read(readEnd, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        if (byte == kInterrupted)
            m_source.request_stop();
    }
    ::close(readEnd);
}

} // namespace assay::cli
