// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <sys/types.h>

namespace assay::ingest {

/// A child process whose standard output is read while it runs. No shell, standard input closed, and an environment of a fixed
/// search path and locale alone, so that nothing of the user's settings or secrets reaches it.
class ChildProcess {
public:
    /// @param command  program (absolute) and arguments. @throws Error when it cannot be started
    explicit ChildProcess(const std::vector<std::string>& command);
    /// Ends the child if it still runs.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// True when read() will not block: output or the end is there. Waits at most @p milliseconds.
    bool isReadable(int milliseconds);

    /// Up to @p capacity bytes of its output; 0 at the end. @throws Error when reading fails
    std::size_t read(char* out, std::size_t capacity);

    /// Waits for the end. @return the exit status, or 128 + the signal that ended it
    int wait();

    /// The last part of what it wrote to standard error (at most 64 KiB), complete after wait().
    std::string errorText();

private:
    pid_t m_pid = -1;
    int m_output = -1;
    int m_errors = -1; ///< an unlinked temporary file: a pipe that nobody drains would stop the child
};

} // namespace assay::ingest
