// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

#include <SQLiteCpp/Exception.h>

#include <utility>

namespace assay::store {

/// What @p work returns; an SQLite failure in it leaves as DatabaseError or Cancelled, see Database::rethrow().
template <typename Work> auto guarded(const Database& database, Work&& work) -> decltype(std::forward<Work>(work)())
{
    try {
        return std::forward<Work>(work)();
    } catch (const SQLite::Exception& error) {
        database.rethrow(error);
    }
}

} // namespace assay::store
