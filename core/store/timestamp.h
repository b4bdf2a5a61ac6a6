// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::store {

/// Now, in UTC, as every *_at column holds it: "2026-01-31T09:30:00Z".
std::string utcNow();

} // namespace assay::store
