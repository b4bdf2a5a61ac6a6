// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/chunked.h"
#include "kernels/gdn/draw.h"

#include <stop_token>
#include <string>
#include <vector>

namespace assay::launch {

/// What the chunked form computes tensors of @p dtype in: fp64, fp32, or operands of 16 bits.
gdn::Arithmetic arithmeticFor(tensor::DType dtype);

/// "chunks of 64, products of bf16 added up in fp32"
std::string kernelName(tensor::DType dtype, int chunk);

/// What `assay gdn check` is asked for. The drawing's dtype says what is computed in, too: fp64, fp32, or products of operands of
/// 16 bits that are added up in fp32.
struct CheckAsk {
    gdn::Family family = gdn::Family::Gdn2;
    gdn::Shape shape{1, 512, 4, 64, 64};
    gdn::Drawing drawing;
    int chunk = 64;
    int threads = 0;
};

struct OutputCheck {
    std::string name;     ///< "o", "dq", ...
    double error = 0;     ///< rms(error) / rms(reference)
    double tolerance = 0; ///< of the error; of dg with what cancellation costs in any case
    bool isWithin = false;
};

struct CheckResult {
    CheckAsk ask;
    std::string kernel; ///< "chunks of 64, fp32"
    std::vector<OutputCheck> outputs;
    double worstDecayChannel = 0; ///< gdn::DecayError::worstChannel; told, not judged
    bool isDeterministic = false; ///< the same bits with one thread and with several
    double seconds = 0;

    bool isPassed() const;
};

/// Draws inputs and measures the chunked form against the recurrence in fp64. Tolerances: 1e-10 in fp64; four times what
/// token-by-token fp32 errs by, or four roundings, in fp32; 8e-3, and 1.5e-2 for db, with operands of 16 bits.
/// @throws Error where the shape is none; Cancelled
CheckResult check(const CheckAsk& ask, std::stop_token stop);

std::string toJson(const CheckResult& result);
std::string toText(const CheckResult& result);

} // namespace assay::launch
