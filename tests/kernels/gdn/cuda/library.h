// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/cuda_driver.h"
#include "kernels/gdn/cuda/device_call.h"

#include <memory>
#include <string>
#include <vector>

namespace assay::tests {

/// Memory of device 0, through the driver.
class DriverMemory : public gdn::cuda::KernelMemory {
public:
    explicit DriverMemory(std::shared_ptr<const device::CudaDriver> driver)
        : m_driver(std::move(driver))
    {
    }
    DriverMemory(const DriverMemory&) = delete;
    ~DriverMemory() override;

    void* allocate(std::size_t bytes) override;
    void upload(void* to, const void* from, std::size_t bytes) override;
    void download(void* to, const void* from, std::size_t bytes) override;

private:
    std::shared_ptr<const device::CudaDriver> m_driver;
    std::vector<device::CudaDriver::Address> m_blocks;
};

/// libassay_gdn.so on device 0.
class GdnLibrary {
public:
    /// @return null where there is no device; absence() says why
    static std::unique_ptr<GdnLibrary> open(const std::string& path, std::string& absence);
    ~GdnLibrary();

    std::unique_ptr<DriverMemory> memory() const { return std::make_unique<DriverMemory>(m_driver); }
    const device::CudaDriver& driver() const { return *m_driver; }

    /// @throws std::runtime_error  with the library's line
    void forward(const assay_gdn_call& call) const { run(m_forward, call); }
    void backward(const assay_gdn_call& call) const { run(m_backward, call); }

    struct KernelTime {
        std::string name;
        double milliseconds = 0;
    };
    std::vector<KernelTime> profile(const assay_gdn_call& call, bool isBackward) const;

private:
    using Run = int (*)(const assay_gdn_call*, char*, size_t);
    GdnLibrary() = default;
    static void run(Run function, const assay_gdn_call& call);
    template <typename Function> Function find(const char* name) const;

    std::shared_ptr<const device::CudaDriver> m_driver;
    void* m_library = nullptr;
    Run m_forward = nullptr, m_backward = nullptr;
    decltype(&assay_gdn_profile) m_profile = nullptr;
};

} // namespace assay::tests
