// SPDX-License-Identifier: Apache-2.0
#include "core/text/duration.h"

#include <fmt/format.h>

#include <cstdint>

namespace assay {

std::string durationText(double seconds)
{
    const auto whole = static_cast<std::int64_t>(seconds + 0.5);
    if (whole >= 3600)
        return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
    return whole >= 120 ? fmt::format("{} min", whole / 60) : fmt::format("{} s", whole);
}

} // namespace assay
