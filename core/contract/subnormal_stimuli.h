// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/session.h"

#include <string>
#include <vector>

namespace assay::contract {

/// Numbers around the smallest normal one of a floating type.
struct SubnormalRange {
    double smallestNormal = 0;
    double quantum = 0; ///< the smallest subnormal, and the spacing of all of them
};
SubnormalRange subnormalRange(tensor::DType dtype);

/// A stimulus with subnormal inputs or outputs, and the same with subnormal inputs read as zero.
struct SubnormalStimulus {
    StimulusPtr stimulus;
    StimulusPtr flushed; ///< the same object where no input is subnormal
    StimulusRecord record;

    bool hasSubnormalInputs() const { return flushed != stimulus; }
};

/// @p stimulus with zeros of the same sign in place of subnormal numbers; itself where it has none.
StimulusPtr withoutSubnormals(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus);

/// +-{smallest, 2^-140, largest subnormal, smallest normal and its neighbour} and zeros in all free inputs, the subnormal ones of
/// them alone, sprinkled over the native draw, and in one input at a time; normal numbers whose halves, products or exponentials
/// are subnormal. Source: gates.md section 4, EXC-02.
std::vector<SubnormalStimulus> subnormalStimuli(Session& session, const ShapePtr& shape);

} // namespace assay::contract
