// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/threshold_table.h"

#include <string>

namespace assay::calibration {

/// What the judge holds the kernels of a cell to, once its calibration is made a table of thresholds.
enum class LimitKind : unsigned char {
    InGap,         ///< the frozen threshold: its gap is safe
    AboveFloor,    ///< a decade above what right kernels keep
    RulesOwn,      ///< one-sided as well, where a decade above the floor would be looser than the rules' own limit
    NotCalibrated, ///< the rules' own, for want of a better one
    ByFamily,      ///< none: a cell over all families, each of which has its own
};

struct Limit {
    LimitKind kind = LimitKind::NotCalibrated;
    double value = 1;   ///< error over bound; of no meaning where each family has its own
    std::string reason; ///< why none was calibrated; "" where one was
    bool isOneSided() const { return kind == LimitKind::AboveFloor || kind == LimitKind::RulesOwn; }
    bool isCalibrated() const { return kind == LimitKind::InGap || isOneSided(); }
    bool operator==(const Limit&) const = default;
};

/// @param row  of a table of thresholds; one over all families or of kernels of no known family is none that a judge takes
Limit limitOf(const ThresholdRow& row);

/// How the limit came about, to follow its number: "a decade above the floor".
/// @param isByHand  it is another than the rule gives
std::string wordsOf(const Limit& limit, bool isByHand = false);

} // namespace assay::calibration
