// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/calibrate.h"
#include "core/calibration/density.h"
#include "core/calibration/detection.h"
#include "core/calibration/ecdf.h"
#include "core/calibration/limit.h"
#include "core/calibration/published_calibration.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay::calibration {

/// One gate, op family ("all": every family) and dtype.
struct CellName {
    std::string gate;
    std::string family;
    std::string dtype;
    bool operator==(const CellName&) const = default;
    auto operator<=>(const CellName&) const = default;
};

/// "CMP-01, all families, float32"
std::string title(const CellName& cell);

/// Samples of one sort as curves over log10 of the error.
struct FigureCurve {
    std::int64_t kernels = 0;
    ValueCounts counts;             ///< zeros and non-finite values stand beside the axis
    std::optional<Density> density; ///< nothing where all values are one: then the ECDF alone shows them
    Ecdf ecdf;
};

/// How often one disturbance is seen, by its scale.
struct FigureDetection {
    std::string perturbation;
    std::vector<ScaleOutcome> outcomes;
    DetectionFit fit;
    std::vector<double> log10Scales; ///< where the band is
    DetectionEstimates estimates;    ///< empty where there is no fit
};

/// What one half of the kernels gave; a threshold is tried on these.
struct FigureHalf {
    std::int64_t kernels = 0;
    Series conforming;
    Series seen; ///< disturbances that ought to be seen, and defects
};

/// Both errors of a threshold, whichever it is, and its margins on the calibration half.
struct ThresholdTrial {
    double threshold = 0;
    ErrorRates onCalibration;
    ErrorRates onHoldOut;
    std::optional<Margins> margins;
};

/// Everything that the figure of one cell shows. Curves, floor, onset and margins are those of the calibration half.
struct FigureData {
    CellName cell;
    std::string version; ///< of the calibration, SHA-256
    std::string device;
    std::map<std::string, std::string> versions;
    std::uint64_t seed = 0;
    std::uint32_t replicates = 0;
    ThresholdRule rule;

    FigureCurve conforming;
    FigureCurve disturbed; ///< those that ought to be seen
    FigureCurve defects;
    FigureHalf calibration;
    FigureHalf holdOut;

    Separation separation;
    std::optional<double> threshold; ///< the frozen one: midway, or set by hand
    bool isByHand = false;           ///< it is another than the rule gives
    GapState state = GapState::NoConforming;
    LimitGround ground;
    std::optional<Limit> limit;          ///< what decides; nothing where the margins were only published
    std::optional<ThresholdTrial> trial; ///< of line()
    BoundedRate missed;                  ///< by line(), of both halves: samples that ought to be seen
    SeparationEstimates estimates;
    std::vector<FigureDetection> detections; ///< at line(), by disturbance; empty without one
    std::vector<RocPoint> roc;
    std::optional<Auc> area;
    std::optional<PublishedGate> published; ///< what others published of this gate, to stand beside

    /// Whether one limit decides all that is shown.
    bool isDecided() const { return limit && limit->kind != LimitKind::ByFamily; }
    /// What everything else is measured from: the limit that decides; over all families the frozen threshold, which decides
    /// nothing; nothing where there is none either.
    std::optional<double> line() const { return isDecided() ? std::optional(limit->value) : threshold; }
};

/// Gathers the figure of @p cell.
///
/// @param samples   of the cell, both halves
/// @param frozen    the calibration they belong to: its threshold of the cell is the one that is shown
/// @param options   its seed is not used: the calibration's own is
/// @throws Error      where a perturbed sample has no finite positive scale
/// @throws Cancelled  when options.stop asks for it
FigureData figureOf(const CellName& cell, std::span<const Sample> samples, const FrozenCalibration& frozen,
                    const std::string& version, BootstrapOptions options);

/// The limit that the cell would have with @p threshold frozen: the same as ever where that leaves its gap unsafe.
Limit limitUnder(const FigureData& figure, std::optional<double> threshold);

/// What @p threshold would do; changes nothing.
ThresholdTrial tryThreshold(const FigureData& figure, double threshold);

/// The state that a cell has under a threshold of its own: safe, no safe gap or overlap; the separation's where it has none.
GapState stateUnder(const Separation& separation, const ThresholdRule& rule, std::optional<double> threshold);

/// The text under the figure: samples, kernels, hold-out with its bound, seed, device and versions. Sentences, one a line.
std::vector<std::string> captionOf(const FigureData& figure);

} // namespace assay::calibration
