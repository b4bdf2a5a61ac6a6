// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/verdict_summary.h"
#include "core/text/object_text.h"

namespace assay::cli {

/// Members of a judgement that tables show: `"verdict","reason","seconds","gates":{"CMP-01":{"verdict","severity","exercised",
/// "total","finding","noted"}}`. Gates that were not asked are left out.
void writeSummary(json::ObjectText& out, const runner::VerdictSummary& summary);

} // namespace assay::cli
