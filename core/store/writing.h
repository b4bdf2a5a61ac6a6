// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/guarded.h"

#include <SQLiteCpp/Transaction.h>

#include <type_traits>

namespace assay::store {

/// One write: all of @p work or nothing. The write lock is taken at once, so that a busy database is reported before anything is
/// done.
template <typename Work> auto writing(Database& database, Work&& work)
{
    return guarded(database, [&] {
        SQLite::Transaction transaction(database.sqlite(), SQLite::TransactionBehavior::IMMEDIATE);
        if constexpr (std::is_void_v<decltype(work(database.sqlite()))>) {
            work(database.sqlite());
            transaction.commit();
        } else {
            auto result = work(database.sqlite());
            transaction.commit();
            return result;
        }
    });
}

} // namespace assay::store
