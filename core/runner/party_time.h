// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace assay::runner {

/// What waiting for a party cost, by request.
struct RequestTime {
    int requests = 0;
    double seconds = 0;
};
using PartyTime = std::map<std::string, RequestTime>; ///< "build", "run", "condition"; "start" is the processes
                                                      ///< themselves, "first build" that of the first instance in each

} // namespace assay::runner
