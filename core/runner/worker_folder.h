// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::runner {

/// Folder that holds the Python package assay_worker: $ASSAY_WORKER_PATH, else beside the running program as it is built or
/// installed; "" where there is none (then the interpreter must know the package itself).
std::string workerFolder();

/// The interpreter to judge with where nobody names one: $ASSAY_PYTHON, else "python3".
std::string workerPython();

} // namespace assay::runner
