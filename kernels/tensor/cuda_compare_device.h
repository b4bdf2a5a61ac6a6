// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/cuda_driver.h"
#include "kernels/tensor/compare_device.h"

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

namespace assay::device {
class Nvrtc;
}

namespace assay::tensor {

/// A CUDA device with a stream of its own. Kernels are compiled for it when a dtype is first compared, which takes seconds.
class CudaCompareDevice : public CompareDevice {
public:
    /// The device, or one line that says what is missing: driver, device or compiler.
    struct Opening {
        std::unique_ptr<CudaCompareDevice> device; ///< null where absent
        std::string absence;
    };
    /// @param compilerFolders  where NVRTC is looked for first
    static Opening open(int ordinal = 0, const std::vector<std::filesystem::path>& compilerFolders = {});

    ~CudaCompareDevice() override;

    std::string name() const override { return m_name; }
    int multiprocessors() const override { return m_multiprocessors; }
    Address allocate(std::size_t bytes) override;
    void release(Address address) noexcept override;
    void clear(Address address, std::size_t bytes) override;
    void upload(Address to, const void* from, std::size_t bytes) override;
    void download(void* to, Address from, std::size_t bytes) override;
    void launch(DType dtype, const char* kernel, unsigned blocks, unsigned threads, void** arguments) override;

    const device::CudaDriver& driver() const { return *m_driver; }
    void* stream() const { return m_stream; }

private:
    CudaCompareDevice(std::shared_ptr<const device::CudaDriver> driver, std::shared_ptr<const device::Nvrtc> compiler,
                      int ordinal);
    void* moduleFor(DType dtype);

    std::shared_ptr<const device::CudaDriver> m_driver;
    std::shared_ptr<const device::Nvrtc> m_compiler;
    int m_ordinal = 0;
    std::string m_name;
    std::string m_architecture;
    int m_multiprocessors = 0;
    void* m_context = nullptr;
    void* m_stream = nullptr;
    std::array<void*, kAllDTypes.size()> m_modules{};
    std::map<std::pair<DType, std::string>, void*> m_kernels;
};

} // namespace assay::tensor
