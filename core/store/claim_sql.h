// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::store {

/// The SQL of a claim that arrives, one expression a column.
struct ClaimSql {
    std::string claim;
    std::string correct;
    std::string speedup;
    std::string status;
};

/// Assignments for "UPDATE kernel SET ...". The first claim wins whole: a kernel that carries any part of one keeps all of it, so
/// that no row of the corpus lends its speedup to the correctness of another; a kernel without one takes all of @p arriving.
std::string takeClaimWhereNone(const ClaimSql& arriving);

} // namespace assay::store
