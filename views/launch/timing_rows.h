// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/launch/launch.h"

#include <QString>

#include <optional>
#include <vector>

namespace assay::views {

/// A time of the backward that is put beside others.
struct TimingRow {
    enum class Kind {
        Floor, ///< computed from bytes and rates
        Ours,  ///< measured in this run
        Peer,  ///< measured by others or of others, elsewhere
    };
    Kind kind = Kind::Ours;
    QString label;
    double milliseconds = 0;
    QString source; ///< where the number comes from
    bool operator==(const TimingRow&) const = default;
};

/// What is known of a backward at @p request's shape: the floors of its device and what was measured, where @p timing has them,
/// and peers that were measured at exactly this shape.
std::vector<TimingRow> timingRows(const launch::LaunchRequest& request, const std::optional<launch::LaunchTiming>& timing);

/// What stands below the times: the forward, the share of the floor, or why there is none, and where peers were measured.
QString timingRemark(const launch::LaunchRequest& request, const std::optional<launch::LaunchTiming>& timing);

/// "4.80 ms", "0.47 ms", "612 us"
QString millisecondsText(double milliseconds);

} // namespace assay::views
