// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace assay::tests {

/// Four kernels of one audit:
///   "179" scan, fails CMP-01 soft (1.121e22 against 6.053e21, 8e-5 of scale, 1 of 8 checks) and PRC-02 soft infinite;
///         both sources, a claim, a baseline verdict, two origins' worth of facts
///   "200" softmax, fails EXC-01 hard with a NaN mask; no source
///   "201" norm, could not be judged, with an error text of two lines
///   "202" matmul, passes; candidate source only
void writeEvidenceCorpus(const std::filesystem::path& path);

/// The candidate source of "179": line 9 (0-based) holds tl.maximum without propagate_nan.
const std::string& scanCandidate();
const std::string& scanReference();

} // namespace assay::tests
