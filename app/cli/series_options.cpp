// SPDX-License-Identifier: Apache-2.0
#include "app/cli/series_options.h"

#include <CLI/CLI.hpp>

namespace assay::cli {

void SeriesChoice::declare(CLI::App& app, const std::string& names)
{
    app.add_option("--only", only, "Only these, by comma: " + names)->delimiter(',');
    RunChoice::declare(app);
}

} // namespace assay::cli
