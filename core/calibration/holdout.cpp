// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/holdout.h"

#include "core/text/sha256.h"

#include <charconv>
#include <string>

namespace assay::calibration {

std::string_view name(Half half)
{
    return half == Half::Calibration ? "calibration" : "hold-out";
}

Half halfOf(std::string_view kernel, std::uint64_t seed, double holdOutShare)
{
    const std::string digest = sha256Hex("calibration hold-out\n" + std::to_string(seed) + '\n' + std::string(kernel));
    std::uint64_t leading = 0;
    std::from_chars(digest.data(), digest.data() + 13, leading, 16); // 52 bits: exact in a double
    return static_cast<double>(leading) * 0x1p-52 < holdOutShare ? Half::HoldOut : Half::Calibration;
}

Split split(std::span<const Sample> samples, std::uint64_t seed, double holdOutShare)
{
    Split result;
    for (const Sample& sample : samples)
        (halfOf(sample.kernel, seed, holdOutShare) == Half::HoldOut ? result.holdOut : result.calibration).push_back(sample);
    return result;
}

} // namespace assay::calibration
