// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "kernels/tensor/measured.h"

#include <cstdint>
#include <string_view>
#include <vector>

/// The published audit tells magnitudes only inside free text ("random[0]: max_err=1.121e+22 > atol=6.053e+21 (scaled); ...").
/// This turns such a text into facts that sort and plot.
namespace assay::ingest {

/// Reason codes, stored as they are spelled here.
namespace reason {
inline constexpr std::string_view kValue = "value";
inline constexpr std::string_view kSubnormalValue = "subnormal_value";
inline constexpr std::string_view kNanMask = "nan_mask";
inline constexpr std::string_view kPosInfMask = "pos_inf_mask";
inline constexpr std::string_view kNegInfMask = "neg_inf_mask";
inline constexpr std::string_view kShape = "shape";
inline constexpr std::string_view kDtype = "dtype";
inline constexpr std::string_view kDevice = "device";
inline constexpr std::string_view kFlush = "flush";
inline constexpr std::string_view kDiffersBetweenRuns = "differs_between_runs";
inline constexpr std::string_view kAliasing = "aliasing";
inline constexpr std::string_view kException = "exception";
inline constexpr std::string_view kReferenceException = "reference_exception";
inline constexpr std::string_view kCudaError = "cuda_error";
inline constexpr std::string_view kOutOfMemory = "out_of_memory";
inline constexpr std::string_view kHarnessCrash = "harness_crash";
inline constexpr std::string_view kUnparsed = "unparsed";
} // namespace reason

/// One check that a reason tells of. Views point into the reason's text.
struct ReasonFact {
    std::string_view code = reason::kUnparsed;
    std::string_view stimulus; ///< "random[0]", "shape=(64, 256)", "torch.float16", or ""
    std::string_view metric;   ///< "max_abs_error" where a number was measured, else the code's own name
    tensor::Measured value;
    tensor::Measured threshold;
    tensor::Measured relative; ///< value over the output's scale, where the gate's own rule gives the scale; else absent
    std::string_view detail;   ///< message of an exception, the two shapes, what could not be read: verbatim
};

/// Facts in the order of the text; nothing for an empty reason, one "unparsed" fact for a text of no known form.
///
/// The output's scale is max(1, max|finite reference|), read back from the printed tolerance (gates.md section 2):
/// CMP-01 and CMP-03 print atol_rel x scale with atol_rel = max(1e-5, 4 x 1.19e-7 x sqrt(n)), ORD-01 prints 4 x 1.19e-7 x sqrt(n)
/// x scale, PRC-02 prints 2e-2 x scale, PRC-01 prints 1e-3 (fp16), 1e-2 (bf16) or 1e-5 (fp32) x scale. ORD-03 and EXC-02 do not
/// scale.
/// @param nativeElements  n, elements of the native shape; 0: not known, which leaves `relative` absent where the rule needs it
std::vector<ReasonFact> parseReason(std::string_view text, contract::Gate gate, std::int64_t nativeElements);

/// The fact that speaks for the gate: the value furthest beyond its tolerance (NaN before infinity before any number), else the
/// first.
/// @param facts  not empty
const ReasonFact& leadingFact(const std::vector<ReasonFact>& facts);

} // namespace assay::ingest
