// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/startup_clock.h"

#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

namespace assay::workbench {

std::int64_t millisecondsSinceProcessStart()
{
    std::ifstream file("/proc/self/stat");
    std::string line;
    std::getline(file, line);
    // The second field is the program's name in parentheses and may hold spaces; the start time is field 22 (proc(5)).
    const std::size_t name = line.rfind(')');
    if (name == std::string::npos)
        return -1;
    std::istringstream fields(line.substr(name + 1));
    constexpr int kFieldsBefore = 19; // fields 3 to 21
    std::string skipped;
    for (int i = 0; i < kFieldsBefore; ++i)
        fields >> skipped;
    long long startTicks = 0;
    if (!(fields >> startTicks))
        return -1;
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    const std::int64_t nowMs = now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
    return nowMs - startTicks * 1000LL / sysconf(_SC_CLK_TCK);
}

} // namespace assay::workbench
