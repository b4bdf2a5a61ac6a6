// SPDX-License-Identifier: Apache-2.0
#include "core/runner/sandbox.h"

#include "core/runner/descriptor.h"
#include "core/runner/seccomp_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace assay::runner::sandbox {

namespace {

std::string because(std::string_view what)
{
    return fmt::format("{} ({})", what, std::strerror(errno));
}

bool writeFile(const char* path, std::string_view text)
{
    const Descriptor file(::open(path, O_WRONLY | O_CLOEXEC));
    return file && ::write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// Becomes the first of the users that nobody else is: 60578 lies in the range that Linux distributions leave to nobody,
/// 65534 is there where a container maps few users.
bool becomeNobody()
{
    for (const uid_t user : {uid_t{60578}, uid_t{65534}}) {
        if (::setgroups(0, nullptr) == 0 && ::setresgid(user, user, user) == 0 && ::setresuid(user, user, user) == 0)
            return true;
    }
    return false;
}

/// Gives the caller the same numbers inside its new user namespace.
bool mapItself(uid_t user, gid_t group)
{
    return writeFile("/proc/self/setgroups", "deny") && writeFile("/proc/self/uid_map", fmt::format("{0} {0} 1", user))
        && writeFile("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
}

/// Bytes of the caller's address space and of its private writable memory.
std::pair<std::int64_t, std::int64_t> memoryInUse()
{
    std::ifstream file("/proc/self/statm");
    std::int64_t pages = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
    file >> pages >> resident >> shared >> text >> library >> data;
    const std::int64_t page = ::sysconf(_SC_PAGESIZE);
    return {pages * page, data * page};
}

std::int64_t onTop(std::int64_t used, std::int64_t allowed)
{
    return allowed > 0 ? used + allowed : 0;
}

bool dropCapabilities()
{
    for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; ++capability)
        ::prctl(PR_CAPBSET_DROP, capability);
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> none{};
    return ::syscall(SYS_capset, &header, none.data()) == 0;
}

bool limit(__rlimit_resource resource, std::int64_t value)
{
    if (value <= 0)
        return true;
    rlimit now{};
    ::getrlimit(resource, &now);
    const rlim_t wanted = std::min<rlim_t>(static_cast<rlim_t>(value), now.rlim_max);
    const rlimit bound{wanted, wanted};
    return ::setrlimit(resource, &bound) == 0;
}

} // namespace

std::vector<std::string> dropPrivileges()
{
    std::vector<std::string> missing;
    if (::geteuid() == 0) {
        ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
        if (!becomeNobody())
            missing.push_back(because("runs as root, so the number of processes is not limited"));
    }
    ::prctl(PR_SET_DUMPABLE, 0);
    return missing;
}

std::vector<std::string> enterNamespaces()
{
    std::vector<std::string> missing;
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    // A process that others may not look into does not own its files in /proc, those that are written here included.
    ::prctl(PR_SET_DUMPABLE, 1);
    // Where memory runs out, the party goes first, not the judge.
    writeFile("/proc/self/oom_score_adj", "1000");
    if (::unshare(CLONE_NEWUSER) != 0)
        missing.push_back(because("no user namespace of its own"));
    else if (!mapItself(user, group))
        missing.push_back(because("no user of its own in its user namespace"));
    static constexpr std::pair<int, std::string_view> kNamespaces[]
        = {{CLONE_NEWNS, "no private folders"},
           {CLONE_NEWNET, "no network namespace of its own"},
           {CLONE_NEWIPC, "no IPC namespace of its own"},
           {CLONE_NEWUTS, "no host name of its own"},
           {CLONE_NEWPID, "no process namespace of its own: descendants that leave its session may outlive it"}};
    for (const auto& [flag, lack] : kNamespaces) {
        if (::unshare(flag) != 0)
            missing.push_back(because(lack));
    }
    ::prctl(PR_SET_DUMPABLE, 0);
    return missing;
}

std::vector<std::string> mountPrivate(const std::vector<std::string>& folders, std::int64_t bytes)
{
    std::vector<std::string> missing;
    // Without a process namespace orphans come to the caller, which can then end them.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
        missing.push_back(because("sees the names of other processes in /proc"));
    const std::string options = fmt::format("mode=0700,size={},nr_inodes=100000", bytes);
    for (const std::string& folder : folders) {
        if (::mount("tmpfs", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0)
            missing.push_back(because(fmt::format("no private {}", folder)));
    }
    return missing;
}

std::vector<std::string> lockDown(const Limits& limits)
{
    std::vector<std::string> missing;
    const auto [addressSpace, data] = memoryInUse();
    const std::pair<bool, std::string_view> bounds[] = {
        {limit(RLIMIT_AS, onTop(addressSpace, limits.addressSpace)) && limit(RLIMIT_DATA, onTop(data, limits.data)),
         "memory is not limited"},
        {limit(RLIMIT_FSIZE, limits.fileBytes), "file sizes are not limited"},
        {limit(RLIMIT_NPROC, limits.processes), "the number of processes is not limited"},
        {limit(RLIMIT_CPU, limits.cpuSeconds), "CPU time is not limited"},
        {limit(RLIMIT_NOFILE, limits.openFiles), "open files are not limited"},
    };
    for (const auto& [enforced, lack] : bounds) {
        if (!enforced)
            missing.emplace_back(lack);
    }
    const rlimit noCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!dropCapabilities())
        missing.push_back(because("keeps its capabilities"));
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        missing.push_back(because("may gain privileges"));
    if (const std::string lack = installSeccompFilter(); !lack.empty())
        missing.push_back(lack);
    ::prctl(PR_SET_DUMPABLE, 0);
    return missing;
}

} // namespace assay::runner::sandbox
