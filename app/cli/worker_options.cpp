// SPDX-License-Identifier: Apache-2.0
#include "app/cli/worker_options.h"

#include "core/runner/worker_folder.h"

#include <CLI/CLI.hpp>

namespace assay::cli {

void WorkerChoice::declare(CLI::App& app)
{
    app.add_option("--python", python, "Python that has torch (default: $ASSAY_PYTHON, else python3)");
    app.add_option("--prefix", prefix, "Command that leads to the machine, as \"ssh gpu01\" or \"srun --gres=gpu:1\"");
}

std::string WorkerChoice::interpreter() const
{
    return python.empty() ? runner::workerPython() : python;
}

runner::WorkerOptions WorkerChoice::options() const
{
    runner::WorkerOptions options;
    options.python = interpreter();
    options.prefix = prefix;
    options.folder = runner::workerFolder();
    return options;
}

} // namespace assay::cli
