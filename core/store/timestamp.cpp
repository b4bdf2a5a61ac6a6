// SPDX-License-Identifier: Apache-2.0
#include "core/store/timestamp.h"

#include <array>
#include <ctime>

namespace assay::store {

std::string utcNow()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

} // namespace assay::store
