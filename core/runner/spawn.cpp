// SPDX-License-Identifier: Apache-2.0
#include "core/runner/spawn.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

namespace assay::runner {

namespace {

std::vector<char*> pointers(const std::vector<std::string>& words)
{
    std::vector<char*> list;
    for (const std::string& word : words)
        list.push_back(const_cast<char*>(word.c_str()));
    list.push_back(nullptr);
    return list;
}

} // namespace

SpawnResult spawn(const SpawnRequest& request)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const bool hasInput
        = std::any_of(request.files.begin(), request.files.end(), [](const auto& file) { return file.second == STDIN_FILENO; });
    if (!hasInput)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (const auto& [ours, its] : request.files)
        posix_spawn_file_actions_adddup2(&actions, ours, its);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // Blocked and ignored signals would be inherited; the child starts as a shell would start it.
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes,
        static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (request.ownGroup ? POSIX_SPAWN_SETPGROUP : 0)));
    const std::vector<char*> arguments = pointers(request.command);
    const std::vector<char*> environment = pointers(request.environment);
    SpawnResult result;
    const int code
        = ::posix_spawnp(&result.process, arguments.front(), &actions, &attributes, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (code != 0)
        result = {-1, std::strerror(code)};
    return result;
}

} // namespace assay::runner
