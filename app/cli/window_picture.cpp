// SPDX-License-Identifier: Apache-2.0
#include "app/cli/window_picture.h"

#include "core/runner/spawn.h"
#include "core/text/error.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

namespace assay::cli {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> ownEnvironment()
{
    std::vector<std::string> variables;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
        variables.emplace_back(*variable);
    return variables;
}

} // namespace

std::string windowProgram(const std::string& otherwise)
{
    std::error_code none;
    const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path() / "assay-workbench";
    if (!fs::exists(program, none))
        throw Error("pictures and pages are drawn by assay-workbench, which is not there", program.string(),
                    "Install or build the workbench, or " + otherwise);
    return program.string();
}

void drawPicture(const std::string& program, const std::vector<std::string>& arguments)
{
    runner::SpawnRequest request;
    request.command = {program};
    request.command.insert(request.command.end(), arguments.begin(), arguments.end());
    request.environment = ownEnvironment();
    request.files = {{STDERR_FILENO, STDERR_FILENO}}; // its standard output is not part of our answer
    const runner::SpawnResult started = runner::spawn(request);
    if (started.process < 0)
        throw Error("cannot be started: " + started.reason, program, "Check that it can be executed");
    int status = 0;
    while (waitpid(started.process, &status, 0) < 0) {
        if (errno != EINTR)
            throw Error("its end could not be waited for", program, "Run it again");
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw Error("drew no picture", program, "It says why on standard error");
}

} // namespace assay::cli
