// SPDX-License-Identifier: Apache-2.0
#include "app/cli/scope_options.h"

#include "core/report/report.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace assay::cli {

void ScopeOptions::declare(CLI::App& app)
{
    app.add_option("--db", database, "Database that `assay import` wrote")->required();
    app.add_option("--corpus", corpus, "Corpus (default: the only one, else the newest)");
    app.add_option("--audit", audit, "Audit, as NAME or CORPUS/NAME (default: the only one, else the newest)");
}

std::unique_ptr<store::Database> ScopeOptions::open(bool quiet) const
{
    auto opened = store::Database::open(database, store::OpenMode::ReadOnly);
    // That it was opened for reading alone is this verb's own wish; how that had to be done may be news.
    if (!quiet && !opened->banner().empty() && opened->banner() != "read-only, as asked")
        fmt::print(stderr, "assay: {}\n", opened->banner());
    return opened;
}

std::int64_t ScopeOptions::scope(store::Database& opened) const
{
    return report::resolveScope(opened, corpus, audit);
}

} // namespace assay::cli
