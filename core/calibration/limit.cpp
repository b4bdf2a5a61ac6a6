// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/limit.h"

namespace assay::calibration {

namespace {

constexpr double kRulesOwn = 1; // an error over its bound

} // namespace

Limit limitOf(const ThresholdRow& row)
{
    if (row.family == "all")
        return {LimitKind::ByFamily, kRulesOwn, {}};
    if (row.family == "unknown")
        return {LimitKind::NotCalibrated, kRulesOwn, "kernels of no known family have nothing to be compared with"};
    if (!row.threshold)
        return {LimitKind::NotCalibrated, kRulesOwn, row.reason};
    if (!row.isOneSided)
        return {LimitKind::InGap, *row.threshold, {}};
    return {*row.threshold < kRulesOwn ? LimitKind::AboveFloor : LimitKind::RulesOwn, *row.threshold, {}};
}

std::string wordsOf(const Limit& limit, bool isByHand)
{
    switch (limit.kind) {
    case LimitKind::InGap:
        return isByHand ? "set by hand" : "midway in the gap";
    case LimitKind::AboveFloor:
        return "a decade above the floor";
    case LimitKind::RulesOwn:
        return "that of the rules";
    case LimitKind::NotCalibrated:
        return "not calibrated";
    case LimitKind::ByFamily:
        return "each family has its own";
    }
    return {};
}

} // namespace assay::calibration
