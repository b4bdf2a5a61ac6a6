// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/metric.h"
#include "core/tensorfile/loaded_tensor.h"
#include "kernels/tensor/compare.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::diff {

/// What two tensors may differ by and still be the same; all that is asked has to hold.
struct AskedBound {
    std::optional<Bound> bound;
    std::optional<std::uint64_t> ulp;

    bool isAsked() const { return bound || ulp; }
};

struct DiffOptions {
    AskedBound asked;
    int worst = 20;
    int threads = 0; ///< 0: as many as the machine has cores
};

/// How two tensors of one name differ.
struct TensorDiff {
    std::string name;
    tensor::DType referenceDtype = tensor::DType::Float32;
    tensor::DType candidateDtype = tensor::DType::Float32;
    std::vector<std::int64_t> referenceShape;
    std::vector<std::int64_t> candidateShape;
    AskedBound asked;
    tensor::Comparison comparison;  ///< empty where the shapes differ
    std::int64_t beyondBound = 0;   ///< elements, where a bound is asked for: NaN and infinities in other places count
    std::vector<std::string> where; ///< sentences that say where the differences are
    double seconds = 0;             ///< of all this, without opening the files

    bool isShapeEqual() const { return referenceShape == candidateShape; }
    bool isBitEqual() const;
    /// Bit-equal, or within the bound that was asked for.
    bool isAccepted() const;
};

/// @throws nothing of its own: tensors of other shapes give a diff that says so
TensorDiff diffTensors(const tensorfile::LoadedTensor& reference, const tensorfile::LoadedTensor& candidate,
                       const DiffOptions& options = {});

/// Sentences that say where @p comparison's differences are: what is beyond the bound, where classes differ, where values differ
/// or, where these are no pattern, where the largest errors are.
std::vector<std::string> describeDifferences(const tensor::TensorView& reference, const tensor::TensorView& candidate,
                                             const tensor::Comparison& comparison, const std::optional<Bound>& bound,
                                             int threads = 0);

} // namespace assay::diff
