// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay::runner {

/// resources/repro/run_repro.py, verbatim.
extern const char* const kReproScript;

} // namespace assay::runner
