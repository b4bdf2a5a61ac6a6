// SPDX-License-Identifier: Apache-2.0
#include "core/runner/worker_folder.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace assay::runner {

std::string workerFolder()
{
    namespace fs = std::filesystem;
    if (const char* const chosen = std::getenv("ASSAY_WORKER_PATH"); chosen != nullptr && *chosen != '\0')
        return chosen;
    std::error_code none;
    const fs::path program = fs::read_symlink("/proc/self/exe", none);
    for (const char* place : {"../worker", "../share/assay/worker"}) {
        const fs::path folder = (program.parent_path() / place).lexically_normal();
        if (fs::exists(folder / "assay_worker" / "_judge.abi3.so", none))
            return folder.string();
    }
    return "";
}

std::string workerPython()
{
    const char* const chosen = std::getenv("ASSAY_PYTHON");
    return chosen != nullptr && *chosen != '\0' ? chosen : "python3";
}

} // namespace assay::runner
