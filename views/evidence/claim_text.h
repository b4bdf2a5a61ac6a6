// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/kernel_details.h"

#include <QString>

namespace assay::views {

/// @p json indented for reading, numbers and order as written; texts that are not JSON come back as they are.
QString prettyJson(const std::string& json);

/// What the corpus claims, in a sentence: "The corpus accepts this kernel as correct, with a speedup of 2.1×."
QString claimSentence(const store::KernelRecord& kernel);

} // namespace assay::views
