// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/cuda_driver.h"

#include "kernels/device/symbol_finder.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

namespace assay::device {
namespace {

constexpr int kSuccess = 0;                  // CUDA_SUCCESS
constexpr int kMultiprocessors = 16;         // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
constexpr int kMajor = 75, kMinor = 76;      // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
constexpr unsigned kNonBlockingStream = 0x1; // CU_STREAM_NON_BLOCKING

} // namespace

/// The entry points that are used; their types are those of cuda.h, where handles are opaque pointers and a result is an int.
struct CudaDriver::Functions {
    int (*init)(unsigned) = nullptr;
    int (*errorName)(int, const char**) = nullptr;
    int (*errorString)(int, const char**) = nullptr;
    int (*deviceCount)(int*) = nullptr;
    int (*deviceGet)(int*, int) = nullptr;
    int (*deviceName)(char*, int, int) = nullptr;
    int (*deviceAttribute)(int*, int, int) = nullptr;
    int (*retainContext)(void**, int) = nullptr;
    int (*releaseContext)(int) = nullptr;
    int (*setContext)(void*) = nullptr;
    int (*allocate)(Address*, std::size_t) = nullptr;
    int (*release)(Address) = nullptr;
    int (*fill)(Address, unsigned char, std::size_t, void*) = nullptr;
    int (*upload)(Address, const void*, std::size_t, void*) = nullptr;
    int (*download)(void*, Address, std::size_t, void*) = nullptr;
    int (*copy)(Address, Address, std::size_t, void*) = nullptr;
    int (*createStream)(void**, unsigned) = nullptr;
    int (*destroyStream)(void*) = nullptr;
    int (*synchronizeStream)(void*) = nullptr;
    int (*createEvent)(void**, unsigned) = nullptr;
    int (*destroyEvent)(void*) = nullptr;
    int (*recordEvent)(void*, void*) = nullptr;
    int (*synchronizeEvent)(void*) = nullptr;
    int (*elapsed)(float*, void*, void*) = nullptr;
    int (*loadModule)(void**, const void*) = nullptr;
    int (*unloadModule)(void*) = nullptr;
    int (*getFunction)(void**, void*, const char*) = nullptr;
    int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**) = nullptr;

    /// The name of the first entry point that @p handle lacks, or null.
    const char* load(void* handle)
    {
        SymbolFinder find(handle);
        find(init, "cuInit");
        find(errorName, "cuGetErrorName");
        find(errorString, "cuGetErrorString");
        find(deviceCount, "cuDeviceGetCount");
        find(deviceGet, "cuDeviceGet");
        find(deviceName, "cuDeviceGetName");
        find(deviceAttribute, "cuDeviceGetAttribute");
        find(retainContext, "cuDevicePrimaryCtxRetain");
        find(releaseContext, "cuDevicePrimaryCtxRelease_v2");
        find(setContext, "cuCtxSetCurrent");
        find(allocate, "cuMemAlloc_v2");
        find(release, "cuMemFree_v2");
        find(fill, "cuMemsetD8Async");
        find(upload, "cuMemcpyHtoDAsync_v2");
        find(download, "cuMemcpyDtoHAsync_v2");
        find(copy, "cuMemcpyDtoDAsync_v2");
        find(createStream, "cuStreamCreate");
        find(destroyStream, "cuStreamDestroy_v2");
        find(synchronizeStream, "cuStreamSynchronize");
        find(createEvent, "cuEventCreate");
        find(destroyEvent, "cuEventDestroy_v2");
        find(recordEvent, "cuEventRecord");
        find(synchronizeEvent, "cuEventSynchronize");
        find(elapsed, "cuEventElapsedTime");
        find(loadModule, "cuModuleLoadData");
        find(unloadModule, "cuModuleUnload");
        find(getFunction, "cuModuleGetFunction");
        find(launch, "cuLaunchKernel");
        return find.missing();
    }

    std::string describe(int code) const
    {
        const char* name = nullptr;
        const char* text = nullptr;
        if (errorName(code, &name) != kSuccess || errorString(code, &text) != kSuccess)
            return fmt::format("error {}", code);
        return fmt::format("{} ({})", name, text);
    }
};

CudaDriver::CudaDriver()
    : m_functions(std::make_unique<Functions>())
{
}

CudaDriver::~CudaDriver() = default;

CudaDriver::Search CudaDriver::find()
{
    // never unloaded: the driver keeps threads of its own until the process ends
    void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) {
        const char* reason = dlerror();
        return {nullptr,
                fmt::format("no CUDA device: {}. NVIDIA's driver brings it", reason != nullptr ? reason : "libcuda.so.1")};
    }
    const std::shared_ptr<CudaDriver> driver(new CudaDriver);
    const Functions& functions = *driver->m_functions;
    if (const char* missing = driver->m_functions->load(handle))
        return {nullptr, fmt::format("no CUDA device: the driver is too old, it has no {}", missing)};
    if (const int code = functions.init(0); code != kSuccess)
        return {nullptr, fmt::format("no CUDA device: cuInit: {}", functions.describe(code))};
    if (const int code = functions.deviceCount(&driver->m_devices); code != kSuccess)
        return {nullptr, fmt::format("no CUDA device: cuDeviceGetCount: {}", functions.describe(code))};
    if (driver->m_devices == 0)
        return {nullptr, "no CUDA device: the driver sees none"};
    return {driver, {}};
}

void CudaDriver::check(int code, const std::string& call) const
{
    if (code != kSuccess)
        throw CudaError(fmt::format("{}: {}", call, m_functions->describe(code)));
}

std::string CudaDriver::deviceName(int ordinal) const
{
    std::array<char, 256> text{};
    check(m_functions->deviceName(text.data(), static_cast<int>(text.size()) - 1, ordinal),
          fmt::format("cuDeviceGetName of device {}", ordinal));
    return text.data();
}

std::string CudaDriver::architecture(int ordinal) const
{
    int major = 0, minor = 0;
    check(m_functions->deviceAttribute(&major, kMajor, ordinal), fmt::format("cuDeviceGetAttribute of device {}", ordinal));
    check(m_functions->deviceAttribute(&minor, kMinor, ordinal), fmt::format("cuDeviceGetAttribute of device {}", ordinal));
    return fmt::format("sm_{}{}", major, minor);
}

int CudaDriver::multiprocessors(int ordinal) const
{
    int count = 0;
    check(m_functions->deviceAttribute(&count, kMultiprocessors, ordinal),
          fmt::format("cuDeviceGetAttribute of device {}", ordinal));
    return count;
}

void* CudaDriver::retainPrimaryContext(int ordinal) const
{
    int device = 0;
    void* context = nullptr;
    check(m_functions->deviceGet(&device, ordinal), fmt::format("cuDeviceGet of device {}", ordinal));
    check(m_functions->retainContext(&context, device), fmt::format("cuDevicePrimaryCtxRetain of device {}", ordinal));
    return context;
}

void CudaDriver::releasePrimaryContext(int ordinal) const noexcept
{
    m_functions->releaseContext(ordinal);
}

void CudaDriver::makeCurrent(void* context) const
{
    check(m_functions->setContext(context), "cuCtxSetCurrent");
}

CudaDriver::Address CudaDriver::allocate(std::size_t bytes) const
{
    Address address = 0;
    check(m_functions->allocate(&address, bytes), fmt::format("cuMemAlloc of {} bytes", bytes));
    return address;
}

void CudaDriver::release(Address address) const noexcept
{
    m_functions->release(address);
}

void CudaDriver::fill(Address address, unsigned char value, std::size_t bytes, void* stream) const
{
    check(m_functions->fill(address, value, bytes, stream), fmt::format("cuMemsetD8Async of {} bytes", bytes));
}

void CudaDriver::upload(Address to, const void* from, std::size_t bytes, void* stream) const
{
    check(m_functions->upload(to, from, bytes, stream), fmt::format("cuMemcpyHtoDAsync of {} bytes", bytes));
}

void CudaDriver::download(void* to, Address from, std::size_t bytes, void* stream) const
{
    check(m_functions->download(to, from, bytes, stream), fmt::format("cuMemcpyDtoHAsync of {} bytes", bytes));
}

void CudaDriver::copy(Address to, Address from, std::size_t bytes, void* stream) const
{
    check(m_functions->copy(to, from, bytes, stream), fmt::format("cuMemcpyDtoDAsync of {} bytes", bytes));
}

void* CudaDriver::openStream() const
{
    void* stream = nullptr;
    check(m_functions->createStream(&stream, kNonBlockingStream), "cuStreamCreate");
    return stream;
}

void CudaDriver::closeStream(void* stream) const noexcept
{
    m_functions->destroyStream(stream);
}

void CudaDriver::wait(void* stream) const
{
    check(m_functions->synchronizeStream(stream), "cuStreamSynchronize");
}

void* CudaDriver::openEvent() const
{
    void* event = nullptr;
    check(m_functions->createEvent(&event, 0), "cuEventCreate");
    return event;
}

void CudaDriver::closeEvent(void* event) const noexcept
{
    m_functions->destroyEvent(event);
}

void CudaDriver::record(void* event, void* stream) const
{
    check(m_functions->recordEvent(event, stream), "cuEventRecord");
}

double CudaDriver::elapsedSeconds(void* from, void* to) const
{
    float milliseconds = 0;
    check(m_functions->synchronizeEvent(to), "cuEventSynchronize");
    check(m_functions->elapsed(&milliseconds, from, to), "cuEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
}

void* CudaDriver::loadModule(const void* image) const
{
    void* module = nullptr;
    check(m_functions->loadModule(&module, image), "cuModuleLoadData");
    return module;
}

void CudaDriver::unloadModule(void* module) const noexcept
{
    m_functions->unloadModule(module);
}

void* CudaDriver::findKernel(void* module, const char* name) const
{
    void* kernel = nullptr;
    check(m_functions->getFunction(&kernel, module, name), fmt::format("cuModuleGetFunction of {}", name));
    return kernel;
}

void CudaDriver::launch(void* kernel, unsigned blocks, unsigned threads, void** arguments, void* stream) const
{
    check(m_functions->launch(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, nullptr),
          fmt::format("cuLaunchKernel of {} blocks of {} threads", blocks, threads));
}

} // namespace assay::device
