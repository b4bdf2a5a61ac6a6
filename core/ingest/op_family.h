// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay::ingest {

/// One label for what an operator mostly is: the first that fits of attention, scan, loss, conv, matmul, pooling, softmax, norm,
/// reduction, elementwise; fused operators land on their heavy part. The name decides where it says anything, else the calls in
/// the reference's text. "unknown" where neither does. Source: corpora.md section 4.
std::string opFamily(std::string_view name, std::string_view referenceSource);

} // namespace assay::ingest
