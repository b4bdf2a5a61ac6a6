// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/store/database.h"
#include "kernels/tensor/measured.h"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::report {

/// The largest finite error that failed a gate in one family, with what puts it into proportion.
struct LargestError {
    std::string family;
    std::int64_t kernelId = 0;
    std::string externalId;
    contract::Gate gate = contract::Gate::Cmp01;
    double value = 0;
    tensor::Measured threshold;
    tensor::Measured relative; ///< over the output's scale, dimensionless
};

/// One entry per family of the audited rows of @p scopeId that has a finite failing error, in order of family name.
/// Infinite and NaN errors have no size and are left out.
/// @throws DatabaseError, Cancelled
std::vector<LargestError> largestErrors(store::Database& database, std::int64_t scopeId);

} // namespace assay::report
