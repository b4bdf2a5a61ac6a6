// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/verify_ask.h"
#include "kernels/gdn/family.h"
#include "kernels/tensor/dtype.h"

#include <string>
#include <string_view>

namespace assay::launch {

/// The project's own operator as a subject of the twelve gates, NativeSubject of the architecture: the pair of sources that
/// stands for it and the contract that it keeps. Both sources run where those of any kernel run, in sandboxed processes, so the
/// operator's libraries are loaded there alone.
///
/// Inputs are q k v, the family's gates in the order of gdn::inputsOf(), and do; outputs o and the gradients of all but do, by
/// name. So every gate that looks at outputs looks at the backward.
struct NativeSubject {
    runner::Source reference; ///< the recurrence token by token in plain torch, its gradients by autograd
    runner::Source candidate; ///< the torch operator of the worker package
    std::string contract;     ///< JSON as runner::readContract() takes it
};

/// @param device         "cpu", "cuda:0"
/// @param budgetSeconds  of the gates together: the reference is serial and takes its time
/// @throws Error  where the shape holds a size below 1
NativeSubject nativeSubject(gdn::Family family, const gdn::Shape& shape, tensor::DType dtype, std::string_view device,
                            double budgetSeconds = 240);

} // namespace assay::launch
