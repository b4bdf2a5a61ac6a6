// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"
#include "core/store/judgement_writer.h"

#include <cstdint>
#include <string>

namespace assay::store {

/// An audit of origin 'judged': what it was held to, and when.
struct JudgedAudit {
    JudgedAuditKey key;
    std::string startedAt;  ///< UTC
    std::string finishedAt; ///< "" while it is not complete
};

/// @throws Error where the audit was not made by the judge; DatabaseError
JudgedAudit readJudgedAudit(Database& database, std::int64_t auditId);

/// The inverse of JudgementWriter::store(): what the worker had reported, but for the time that each gate took.
/// @throws Error where there is no such verdict; DatabaseError
JudgedKernel readJudgedKernel(Database& database, std::int64_t verdictId);

} // namespace assay::store
