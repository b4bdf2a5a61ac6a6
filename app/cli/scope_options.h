// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

#include <cstdint>
#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace assay::cli {

/// --db, --corpus and --audit, which most verbs share: which rows of which file.
struct ScopeOptions {
    std::string database;
    std::string corpus;
    std::string audit;

    void declare(CLI::App& app);

    /// Opens the database for reading: not a byte beside it is written. @throws store::DatabaseError
    std::unique_ptr<store::Database> open() const;
    /// @throws Error naming the corpora and audits there are
    std::int64_t scope(store::Database& opened) const;
};

} // namespace assay::cli
