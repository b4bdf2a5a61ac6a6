// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace assay::tensor {

/// What DeviceComparer needs of a device: memory, and the kernels of compare_kernels.cu. Work runs in the order in which it is
/// asked for; only download() waits for it.
class CompareDevice {
public:
    using Address = std::uint64_t;

    virtual ~CompareDevice() = default;

    virtual std::string name() const = 0;
    virtual int multiprocessors() const = 0;

    virtual Address allocate(std::size_t bytes) = 0;
    virtual void release(Address address) noexcept = 0;
    virtual void clear(Address address, std::size_t bytes) = 0; ///< to zero
    virtual void upload(Address to, const void* from, std::size_t bytes) = 0;
    virtual void download(void* to, Address from, std::size_t bytes) = 0;

    /// Starts @p kernel, compiled for @p dtype, on @p blocks blocks of @p threads threads.
    /// @param arguments  one pointer to each parameter, as the kernel declares them
    virtual void launch(DType dtype, const char* kernel, unsigned blocks, unsigned threads, void** arguments) = 0;
};

} // namespace assay::tensor
