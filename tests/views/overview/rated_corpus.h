// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace assay::tests {

/// Nine kernels of one audit with the flags that its own rules give:
///   1 scan passes, baseline pass           2 scan EXC-01 hard, baseline pass
///   3 scan CMP-01 soft 1.121e22, 8e-5 of scale, and PRC-02 soft infinite      4 norm EXC-01 hard and CMP-01 soft 0.5
///   5 norm passes, CMP-03 inapplicable     6 matmul passes, EXC-01 could not be judged
///   7 conv not accepted by the corpus      8 conv passes, but its output aliases the input (tolerance-free, no gate fails)
///   9 softmax ORD-02 hard and ORD-01 soft because NaN differs from NaN
/// As published: 8 audited, 4 tolerance-free, 4 violations. NaN equal: 3 and 3, 1 forgiven. Union: 5 violations.
void writeRatedCorpus(const std::filesystem::path& path);

} // namespace assay::tests
