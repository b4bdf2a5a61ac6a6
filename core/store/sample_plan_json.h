// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/sample_plan.h"

#include <string>
#include <string_view>

namespace assay::store {

/// sample_plan.definition: everything of a plan that is no column of its own.
std::string definitionJson(const SamplePlan& plan);

/// Fills @p plan from definitionJson(). @throws Error where it is none
void readDefinition(std::string_view json, SamplePlan& plan);

} // namespace assay::store
