// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/separation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::calibration {

/// The last scale that passed and the first that failed, on the way to the trip point.
struct TripSweep {
    double lastPassEps = 0;
    double firstFailEps = 0;
};

/// One length of an accumulator sweep.
struct AccumulatorPoint {
    std::int64_t sequenceLength = 0;
    bool singlePasses = false; ///< fp32 carry passes
    bool halfFails = false;    ///< fp16 carry fails
    double halfRelativeError = 0;
};

/// What a published calibration says of one gate; nothing where it is silent.
struct PublishedGate {
    std::string gate;
    bool thresholded = false; ///< else free of tolerances
    std::string rationale;
    std::optional<double> honestFloor;
    std::optional<double> tripPoint;      ///< multiplicative error at which the gate flips
    std::optional<double> realErrorOnset; ///< smallest error of a real defect
    std::optional<TripSweep> tripSweep;
    std::optional<double> tripOverFloor; ///< margins as published, as ratios
    std::optional<double> onsetOverTrip;
    std::optional<double> scaledTolerance; ///< PRC-02
    std::vector<AccumulatorPoint> accumulator;
    std::optional<bool> honestPasses;
    std::optional<bool> defectFails;
    std::optional<bool> cleanSeparation;

    /// The margins in decades from its own three numbers, to stand beside ours.
    std::optional<Margins> margins() const;
};

struct PublishedCalibration {
    std::string op;
    std::vector<std::int64_t> shape;
    std::string device;
    std::string note;
    std::vector<PublishedGate> gates; ///< in the order of the file
};

/// Reads threshold_calibration.json of a published audit.
///
/// @param where  path for the message
/// @throws Error  one line that names the gate or the byte: not JSON, a missing or negative number, a sweep whose passing end
/// lies
///                above its failing end, a gate twice
PublishedCalibration readPublishedCalibration(std::string_view text, const std::string& where);

} // namespace assay::calibration
