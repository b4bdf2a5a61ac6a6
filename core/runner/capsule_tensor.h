// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/host_tensor.h"
#include "kernels/tensor/tensor_view.h"

#include <optional>

struct _object; // PyObject and the state of a thread, without Python.h in everybody's way
struct _ts;
struct DLManagedTensor;

/// Tensors that cross between Python and the extension as DLPack capsules.
namespace assay::runner {

/// The tensor of a capsule, in host memory. Once taken it is ours to delete; until then, and where it cannot be read, it stays
/// the capsule's.
class CapsuleTensor {
public:
    /// @param meant  what 8-bit elements stand for
    /// @throws std::invalid_argument  where @p capsule is none, was taken before, or holds what kernels/tensor/dlpack.h refuses
    explicit CapsuleTensor(_object* capsule, std::optional<tensor::DType> meant = std::nullopt);
    /// Called while Python's lock is held: its tensors may be deleted here.
    ~CapsuleTensor();
    CapsuleTensor(const CapsuleTensor&) = delete;
    CapsuleTensor& operator=(const CapsuleTensor&) = delete;

    /// @throws std::invalid_argument  where another took it since
    void take();

    const tensor::TensorView& view() const { return m_view; }

private:
    _object* m_capsule;
    DLManagedTensor* m_managed = nullptr;
    tensor::TensorView m_view;
    bool m_taken = false;
};

/// A capsule that owns @p tensor until somebody takes it; null with a Python exception set where there is none to be had.
_object* capsuleOf(tensor::HostTensor tensor);

/// Other threads of Python run while this lives.
class WithoutPython {
public:
    WithoutPython();
    ~WithoutPython();
    WithoutPython(const WithoutPython&) = delete;
    WithoutPython& operator=(const WithoutPython&) = delete;

private:
    _ts* m_state;
};

} // namespace assay::runner
