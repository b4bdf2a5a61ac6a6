// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_options.h"

#include <CLI/CLI.hpp>

namespace assay::cli {

void RunChoice::declare(CLI::App& app)
{
    app.add_option("--device", device, "cpu, cuda:0, ... (default: cpu)");
    app.add_option("--seed", seed, "Seed of every stimulus (default: 0)");
    app.add_option("--timeout", seconds, "Seconds that one call into the code may take (default: 120)")
        ->check(CLI::PositiveNumber);
    app.add_flag("--unsafe-no-sandbox", unsafe, "Run foreign code with your own rights where there is no sandbox");
    worker.declare(app);
}

runner::VerifyAsk RunChoice::ask() const
{
    runner::VerifyAsk ask;
    ask.device = device;
    ask.seed = seed;
    ask.requestSeconds = seconds;
    ask.unsafeNoSandbox = unsafe;
    return ask;
}

} // namespace assay::cli
