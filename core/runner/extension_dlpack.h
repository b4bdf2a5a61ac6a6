// SPDX-License-Identifier: Apache-2.0
#pragma once

struct _object; // PyObject, without Python.h in everybody's way

namespace assay::runner {

/// compare(reference, candidate, options): two DLPack capsules of tensors in host memory, which are used up, and a JSON object
/// {"quantiles": [...], "worst": n, "threads": n, "dtype": name}, every member optional. Returns a dictionary with the statistics
/// of kernels/tensor/compare.h. "dtype" says what 8-bit elements stand for.
_object* compareCapsules(_object* module, _object* arguments);

/// errors(reference, candidate, options): likewise; returns a capsule with the absolute errors in fp64, NaN where a side is not
/// finite.
_object* errorsOfCapsules(_object* module, _object* arguments);

} // namespace assay::runner
