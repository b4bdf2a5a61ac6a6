// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace assay::tests {

/// A database of eight judged softmax kernels with a calibration and a published one beside it.
///
/// CMP-01 float32 of softmax, matmul and all families has a safe gap, PRC-02 none (defects right above the floor), ORD-01 has
/// conforming values of exactly 0, PRC-01 is of bfloat16, and CMP-01 bfloat16 has no defects. CMP-01 of kernel n has an error
/// over bound of 0.1 n, and kernel 8 fails by a NaN as well. The published margins are those of the published audit: CMP-01 147
/// and 57, ORD-01 110 and 76, ORD-03 3591 and 1.24.
void writeCalibratedCorpus(const std::filesystem::path& path);

} // namespace assay::tests
