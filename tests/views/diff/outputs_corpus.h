// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/diff/diff_sources.h"

#include <filesystem>
#include <functional>
#include <vector>

namespace assay::tests {

/// A pair of fp32 tensors of @p shape: the candidate equals the reference, then @p change alters its values in place.
views::DiffSourcePtr makePair(const std::vector<std::int64_t>& shape, const std::function<void(std::vector<float>&)>& change,
                              const QString& name = {});

/// (3, 4, 40, 50): the last 7 columns of slice (1, 2) are off by 0.5, (2, 0, 10, 20) is NaN and (2, 0, 11, 20) +Inf in the
/// candidate alone, (0, 0, 0, 0) is NaN on both sides.
views::DiffSourcePtr wrongTail();

/// Two kernels of one judged audit: "7" fails EXC-01, whose check kept wrongTail()'s outputs, "8" passes and kept nothing.
void writeOutputsCorpus(const std::filesystem::path& path);

} // namespace assay::tests
