// SPDX-License-Identifier: Apache-2.0
#include "app/cli/series_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace assay::cli {

void SeriesChoice::declare(CLI::App& app, const std::string& names)
{
    app.add_option("--only", only, "Only these, by comma: " + names)->delimiter(',');
    app.add_option("--jobs", jobs, "Workers at a time (default: 1)")->check(CLI::Range(1, 256));
    RunChoice::declare(app);
}

void SeriesChoice::showStep(Invocation& invocation, std::size_t number, std::size_t count, const std::string& name)
{
    invocation.progress.show(fmt::format("{} of {}: {}", number, count, name));
}

void SeriesChoice::printRow(Invocation& invocation, const std::string& text)
{
    invocation.progress.clear();
    print(text);
    flushOutput();
}

} // namespace assay::cli
