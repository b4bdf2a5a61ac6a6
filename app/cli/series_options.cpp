// SPDX-License-Identifier: Apache-2.0
#include "app/cli/series_options.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace assay::cli {

void SeriesChoice::declare(CLI::App& app, const std::string& ids)
{
    app.add_option("--device", device, "cpu, cuda:0, ... (default: cpu)");
    app.add_option("--only", only, "Only these, by comma: " + ids)->delimiter(',');
    app.add_option("--seed", seed, "Seed of every stimulus (default: 0)");
    app.add_option("--timeout", seconds, "Seconds that one call into the code may take (default: 120)")
        ->check(CLI::PositiveNumber);
    app.add_flag("--unsafe-no-sandbox", unsafe, "Run the kernels with your own rights where there is no sandbox");
    worker.declare(app);
}

runner::VerifyAsk SeriesChoice::ask() const
{
    runner::VerifyAsk ask;
    ask.device = device;
    ask.seed = seed;
    ask.requestSeconds = seconds;
    ask.unsafeNoSandbox = unsafe;
    return ask;
}

std::string tame(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    return text;
}

} // namespace assay::cli
