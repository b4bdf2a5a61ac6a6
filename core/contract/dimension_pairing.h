// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/session.h"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::contract {

/// One dimension of one input leaf.
struct InputDimension {
    int input = 0;
    int dimension = 0;
};

/// What a dimension of an input has to agree with.
struct Pairing {
    bool isPaired = false;
    std::string partner; ///< "dimension 0 of parameter w", "dimension 1 of input 2"
};

/// Whether @p dimension is paired with a dimension of a parameter or of another input: permuting both alike leaves R64 as it is,
/// or permutes one of its own dimensions alike. A batch and a contraction are paired, the order of a scan is not. Judged at @p
/// shape. Source: gates.md section 4, prototype lesson 10.
Pairing findPairing(Session& session, const ShapePtr& shape, InputDimension dimension);

/// Whether R64 depends on the last slice of every dimension of every floating input at @p shape: a reference that reads only part
/// of a longer input accepts sizes that do not agree. Source: gates.md section 4, prototype lesson 9.
bool readsLastSlices(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus);

/// @p value with the slices of @p dimension in the order of @p permutation.
HostTensor permuted(const HostTensor& value, int dimension, const std::vector<std::int64_t>& permutation);

/// A permutation of @p size slices that moves something, where size > 1: seeded, never the identity.
std::vector<std::int64_t> movingPermutation(std::int64_t size, std::uint64_t seed);

} // namespace assay::contract
