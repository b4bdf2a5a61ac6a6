// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/accuracy.h"
#include "kernels/gdn/cuda/gdn_api.h"
#include "kernels/gdn/problem.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::gdn::cuda {

/// Memory that kernels work in.
class KernelMemory {
public:
    virtual ~KernelMemory() = default;
    virtual void* allocate(std::size_t bytes) = 0; ///< at a multiple of 256 bytes; freed with this object
    virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
    virtual void download(void* to, const void* from, std::size_t bytes) = 0;
};

/// A problem rounded to 16-bit elements, in memory that kernels work in.
class DeviceCall {
public:
    /// @param gap  elements left free behind a head's channels, to be strided; a multiple of 8
    DeviceCall(const Problem& problem, tensor::DType element, std::int64_t gap, KernelMemory& memory);
    DeviceCall(const DeviceCall&) = delete;

    /// The numbers that the kernels see.
    const Problem& rounded() const { return m_rounded; }
    const assay_gdn_call& call() const { return m_call; }
    void setWorkspace(std::int64_t bytes);

    /// What the kernels put out; elements that nobody wrote are NaN.
    Outputs results();
    void poison();

private:
    struct Output {
        void* data = nullptr;
        tensor::DType dtype = tensor::DType::Float32;
        std::vector<std::int64_t> shape;
    };
    assay_gdn_tensor place(const char* name, const tensor::TensorView& view, tensor::DType dtype, tensor::TensorView& rounded);
    const float* placeState(const char* name, const tensor::TensorView& view);
    template <typename T> void placeOutput(const char* name, T*& to, tensor::DType dtype, std::vector<std::int64_t> shape);
    tensor::HostTensor result(const char* name);

    KernelMemory& m_memory;
    std::int64_t m_gap;
    Problem m_rounded;
    std::vector<tensor::HostTensor> m_owned;
    std::map<std::string, Output> m_outputs;
    assay_gdn_call m_call{};
};

} // namespace assay::gdn::cuda
