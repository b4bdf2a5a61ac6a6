// SPDX-License-Identifier: Apache-2.0
#pragma once

struct _object; // PyObject, without Python.h in everybody's way

namespace assay::runner {

/// gdn_forward(tensors, options): the gated linear recurrence of kernels/gdn/problem.h on the CPU. `tensors` maps the names
/// q k b g [B, T, H, K], v w [B, T, H, V] and, where there is one, S0 [N, H, K, V] to DLPack capsules of any strides and
/// floating types, which are used up. `options` is a JSON object {"scale": x, "form": "chunked" | "serial", "arithmetic":
/// "float64" | "float32" | "bfloat16" | "float16", "threads": n, "starts": [...]}; the last two arithmetics round operands of
/// products and are the chunked form's alone; starts may be empty. Returns {"o", "ST"}: capsules of fp64, or of fp32 in every
/// other arithmetic. Other threads of Python run meanwhile.
_object* gdnForward(_object* module, _object* arguments);

/// gdn_backward(tensors, options): likewise with do [B, T, H, V] and, where there is one, dST [N, H, K, V]; returns
/// {"dq", "dk", "dv", "db", "dw", "dg", "dS0"}.
_object* gdnBackward(_object* module, _object* arguments);

} // namespace assay::runner
