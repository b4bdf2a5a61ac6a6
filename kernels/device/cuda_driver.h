// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace assay::device {

/// A call of the CUDA driver that failed: its name, what it was asked, and the driver's own words.
class CudaError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// NVIDIA's driver, loaded where a machine has it: the few entry points that are used, each checked. Handles are the driver's
/// opaque pointers.
class CudaDriver {
public:
    using Address = std::uint64_t; ///< in device memory

    /// The driver with at least one device, or one line that says what is missing.
    struct Search {
        std::shared_ptr<const CudaDriver> driver; ///< null where absent
        std::string absence;
    };
    static Search find();

    ~CudaDriver();
    CudaDriver(const CudaDriver&) = delete;
    CudaDriver& operator=(const CudaDriver&) = delete;

    int deviceCount() const { return m_devices; }
    std::string deviceName(int ordinal) const;
    std::string architecture(int ordinal) const; ///< "sm_90"
    int multiprocessors(int ordinal) const;

    /// The context that everything in this process shares, CUDA's run time included.
    void* retainPrimaryContext(int ordinal) const;
    void releasePrimaryContext(int ordinal) const noexcept;
    void makeCurrent(void* context) const; ///< for the calling thread

    Address allocate(std::size_t bytes) const;
    void release(Address address) const noexcept;
    void fill(Address address, unsigned char value, std::size_t bytes, void* stream) const;
    void upload(Address to, const void* from, std::size_t bytes, void* stream) const;
    void download(void* to, Address from, std::size_t bytes, void* stream) const;
    void copy(Address to, Address from, std::size_t bytes, void* stream) const; ///< within the device

    void* openStream() const;
    void closeStream(void* stream) const noexcept;
    void wait(void* stream) const;

    void* openEvent() const;
    void closeEvent(void* event) const noexcept;
    void record(void* event, void* stream) const;
    double elapsedSeconds(void* from, void* to) const;

    void* loadModule(const void* image) const;
    void unloadModule(void* module) const noexcept;
    void* findKernel(void* module, const char* name) const;
    void launch(void* kernel, unsigned blocks, unsigned threads, void** arguments, void* stream) const;

private:
    struct Functions;
    CudaDriver();
    void check(int code, const std::string& call) const;

    std::unique_ptr<Functions> m_functions;
    int m_devices = 0;
};

} // namespace assay::device
