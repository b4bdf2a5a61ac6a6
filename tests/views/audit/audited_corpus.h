// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace assay::tests {

/// Sixty kernels with sources in one audit: 36 fail EXC-01 hard, 15 CMP-01 soft, 9 nothing.
void writeAuditedCorpus(const std::filesystem::path& path);

} // namespace assay::tests
