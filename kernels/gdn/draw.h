// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/family_problem.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace assay::gdn {

/// How the inputs of a call are drawn; the same numbers for a seed on every machine.
struct Drawing {
    std::uint64_t seed = 1;
    double erase = 1;                             ///< b and beta are uniform up to this
    double decay = 0;                             ///< e^g is uniform from 1/2 to 1, then up to this is taken from g
    bool hasStates = true;                        ///< S0 and dST
    std::vector<std::int32_t> starts{};           ///< cu_seqlens
    tensor::DType dtype = tensor::DType::Float64; ///< of all but g, dt, A and lambda, which have at least fp32
};

/// A call that owns its tensors, by name: the family's inputs, do, and S0 and dST where they were asked for.
struct DrawnCall {
    Family family = Family::Gdn2;
    std::map<std::string, tensor::HostTensor, std::less<>> tensors;
    double scale = 1;
    std::vector<std::int32_t> starts;

    FamilyCall call() const;
};

/// q and k of length 1, v do S0 dST normal, gates between 0 and 1, A from -1 to 0, scale K^{-1/2}.
DrawnCall drawCall(Family family, const Shape& shape, const Drawing& drawing);

} // namespace assay::gdn
