// SPDX-License-Identifier: Apache-2.0
#include "app/cli/scope_options.h"

#include "core/report/report.h"

#include <CLI/CLI.hpp>

namespace assay::cli {

void ScopeOptions::declare(CLI::App& app)
{
    app.add_option("--db", database, "Database that `assay import` wrote")->required();
    app.add_option("--corpus", corpus, "Corpus (default: the only one, else the newest)");
    app.add_option("--audit", audit, "Audit, as NAME or CORPUS/NAME (default: the only one, else the newest)");
}

std::unique_ptr<store::Database> ScopeOptions::open() const
{
    return store::Database::open(database, store::OpenMode::ReadOnly);
}

std::int64_t ScopeOptions::scope(store::Database& opened) const
{
    return report::resolveScope(opened, corpus, audit);
}

} // namespace assay::cli
