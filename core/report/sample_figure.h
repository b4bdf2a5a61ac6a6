// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/sample_estimate.h"

#include <string>

namespace assay::report {

/// The precision of every stratum with its Clopper-Pearson interval, and of the frame with its own, as an SVG document: black on
/// white, for print. "" where nothing is decided.
std::string precisionFigure(const SampleEstimate& estimate);

} // namespace assay::report
