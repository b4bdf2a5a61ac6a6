// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/compare_device.h"

namespace assay::tests {

/// The comparison's device code run by the host: the same text, compiled for every dtype.
class HostCompareDevice : public tensor::CompareDevice {
public:
    std::string name() const override { return "host"; }
    int multiprocessors() const override { return 1; }
    Address allocate(std::size_t bytes) override;
    void release(Address address) noexcept override;
    void clear(Address address, std::size_t bytes) override;
    void upload(Address to, const void* from, std::size_t bytes) override;
    void download(void* to, Address from, std::size_t bytes) override;
    void launch(tensor::DType dtype, const char* kernel, unsigned blocks, unsigned threads, void** arguments) override;
};

} // namespace assay::tests
