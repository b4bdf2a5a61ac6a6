// SPDX-License-Identifier: Apache-2.0
#include "core/runner/seccomp_filter.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace assay::runner::sandbox {

namespace {

constexpr const char* kForbidden[] = {
    // other processes
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "kcmp",
    "pidfd_getfd",
    "perf_event_open",
    // mounts and namespaces
    "mount",
    "umount",
    "umount2",
    "pivot_root",
    "chroot",
    "setns",
    "unshare",
    "open_tree",
    "move_mount",
    "fsopen",
    "fsmount",
    "fsconfig",
    "fspick",
    "mount_setattr",
    // into the kernel
    "bpf",
    "init_module",
    "finit_module",
    "delete_module",
    "kexec_load",
    "kexec_file_load",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "iopl",
    "ioperm",
    "modify_ldt",
    "lookup_dcookie",
    "vmsplice",
    // keys, clocks, the machine
    "add_key",
    "request_key",
    "keyctl",
    "settimeofday",
    "clock_settime",
    "clock_adjtime",
    "adjtimex",
    "reboot",
    "swapon",
    "swapoff",
    "sethostname",
    "setdomainname",
    "acct",
    "quotactl",
    "syslog",
    "nfsservctl",
    "open_by_handle_at",
    "name_to_handle_at",
    "fanotify_init",
    "personality",
    // out through a socket in the file system
    "connect",
};

constexpr int kNamespaceFlags[]
    = {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET};

int forbid(scmp_filter_ctx filter, const char* name, int code = EPERM)
{
    const int number = seccomp_syscall_resolve_name(name);
    // Calls that this architecture never had need no rule.
    return number == __NR_SCMP_ERROR || number < 0
        ? 0
        : seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(code)), number, 0);
}

int forbidWithArguments(scmp_filter_ctx filter)
{
    int failed = 0;
    for (const int flag : kNamespaceFlags) {
        const auto bits = static_cast<scmp_datum_t>(flag);
        failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, bits, bits));
    }
    for (const int call : {SCMP_SYS(socket), SCMP_SYS(socketpair)})
        failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), call, 1, SCMP_A0(SCMP_CMP_NE, AF_UNIX));
    // Typing into the terminal of whoever started us.
    for (const scmp_datum_t request : {scmp_datum_t{TIOCSTI}, scmp_datum_t{TIOCLINUX}})
        failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                                   SCMP_A1(SCMP_CMP_MASKED_EQ, scmp_datum_t{0xFFFFFFFFU}, request));
    return failed;
}

} // namespace

std::string installSeccompFilter()
{
    const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
    if (!filter)
        return "no filter on system calls (out of memory)";
    int failed = 0;
    for (const char* name : kForbidden)
        failed |= forbid(filter.get(), name);
    failed |= forbid(filter.get(), "clone3", ENOSYS);
    failed |= forbidWithArguments(filter.get());
    if (failed != 0)
        return "no filter on system calls (its rules do not fit this kernel)";
    const int loaded = seccomp_load(filter.get());
    return loaded == 0 ? "" : fmt::format("no filter on system calls ({})", std::strerror(-loaded));
}

} // namespace assay::runner::sandbox
