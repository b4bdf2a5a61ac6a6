// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/object_text.h"
#include "kernels/gdn/problem.h"

#include <array>
#include <string>

namespace assay::launch {

/// B, T, H, K, V.
std::array<std::int64_t, 5> sizesOf(const gdn::Shape& shape);

/// "1 x 64 x 2 x 16 x 16"
std::string shapeText(const gdn::Shape& shape);

/// The member "shape": [B, T, H, K, V].
void writeShape(json::ObjectText& object, const gdn::Shape& shape);

} // namespace assay::launch
