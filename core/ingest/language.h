// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay::ingest {

/// What a candidate is written in, by marks in its text: 'triton', 'cuda', 'torch', 'python' or 'unknown'. A hint for lists and
/// highlighting: nothing is parsed and nothing is run.
std::string languageOf(std::string_view candidateSource);

} // namespace assay::ingest
