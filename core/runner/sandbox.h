// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What a process does to itself before it runs foreign code. The steps belong to different processes of one chain (see
/// resources/worker/assay_worker/forkserver.py): the fork server, the process that makes the namespaces, their first process, and
/// the party. Each step enforces what the kernel allows and returns the rest as plain words for a verdict's `isolation`.
namespace assay::runner::sandbox {

/// What a party may use. Zero: no limit.
struct Limits {
    std::int64_t addressSpace = 0; ///< bytes beyond what it starts with; a CUDA context reserves far more than it uses
    std::int64_t data = 0;         ///< bytes of private writable memory beyond what it starts with
    std::int64_t fileBytes = 0;    ///< largest file, memory files included
    std::int64_t processes = 0;    ///< processes and threads
    std::int64_t cpuSeconds = 0;
    std::int64_t openFiles = 0;
};

/// The fork server's step, inside bubblewrap: where it is root it mounts a /proc that hides nothing (only such a one lets
/// namespaces below mount their own) and becomes a user without rights and without files; then nobody can look into it.
std::vector<std::string> dropPrivileges();

/// Leaves the user, mount, network, IPC, host name and process namespaces. Children of the caller, not the caller itself, live in
/// the new process namespace. The caller must have one thread.
std::vector<std::string> enterNamespaces();

/// The step of the first process of the namespaces: its own /proc, and an empty folder in memory at each of @p folders.
/// @param bytes  size of each folder
std::vector<std::string> mountPrivate(const std::vector<std::string>& folders, std::int64_t bytes);

/// The party's step, the last one before foreign code: limits, no capabilities, no new privileges, a filter on system calls, and
/// a memory that others cannot read.
std::vector<std::string> lockDown(const Limits& limits);

} // namespace assay::runner::sandbox
