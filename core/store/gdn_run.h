// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

#include <cstdint>
#include <optional>
#include <string>

namespace assay::store {

/// A launch of the project's own operator, beside the verdict that it came to.
struct GdnRunRecord {
    std::int64_t verdictId = 0;
    std::string family;  ///< "gdn2"
    std::string shape;   ///< "[1,64,2,16,16]": B, T, H, K, V
    std::string dtype;   ///< "float32"
    std::string device;  ///< "cpu", "cuda:0"
    std::string timings; ///< JSON object; "" where nothing was timed
    std::string errors;  ///< JSON object, by output; "" where none was measured
};

/// @return the row's id @throws DatabaseError
std::int64_t addGdnRun(Database& database, const GdnRunRecord& run);

/// The newest launch that came to @p verdictId; nothing where it is a verdict on something else. @throws DatabaseError
std::optional<GdnRunRecord> gdnRunOf(Database& database, std::int64_t verdictId);

} // namespace assay::store
