// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/cuda_compare_device.h"

#include "kernels/device/nvrtc.h"
#include "kernels/tensor/compare_source.h"

#include <fmt/format.h>

namespace assay::tensor {

using device::CudaDriver;
using device::CudaError;
using device::Nvrtc;
using device::NvrtcResult;

CudaCompareDevice::Opening CudaCompareDevice::open(int ordinal, const std::vector<std::filesystem::path>& compilerFolders)
{
    const CudaDriver::Search driver = CudaDriver::find();
    if (!driver.driver)
        return {nullptr, driver.absence};
    if (ordinal < 0 || ordinal >= driver.driver->deviceCount())
        return {nullptr, fmt::format("no CUDA device {}: this machine has {}", ordinal, driver.driver->deviceCount())};
    const Nvrtc::Search compiler = Nvrtc::find(compilerFolders);
    if (!compiler.library)
        return {nullptr, compiler.absence};
    return {std::unique_ptr<CudaCompareDevice>(new CudaCompareDevice(driver.driver, compiler.library, ordinal)), {}};
}

CudaCompareDevice::CudaCompareDevice(std::shared_ptr<const CudaDriver> driver, std::shared_ptr<const Nvrtc> compiler, int ordinal)
    : m_driver(std::move(driver))
    , m_compiler(std::move(compiler))
    , m_ordinal(ordinal)
    , m_name(m_driver->deviceName(ordinal))
    , m_architecture(m_driver->architecture(ordinal))
    , m_multiprocessors(m_driver->multiprocessors(ordinal))
    , m_context(m_driver->retainPrimaryContext(ordinal))
{
    m_driver->makeCurrent(m_context);
    m_stream = m_driver->openStream();
}

CudaCompareDevice::~CudaCompareDevice()
{
    for (void* module : m_modules) {
        if (module != nullptr)
            m_driver->unloadModule(module);
    }
    m_driver->closeStream(m_stream);
    m_driver->releasePrimaryContext(m_ordinal);
}

CompareDevice::Address CudaCompareDevice::allocate(std::size_t bytes)
{
    return m_driver->allocate(bytes);
}

void CudaCompareDevice::release(Address address) noexcept
{
    m_driver->release(address);
}

void CudaCompareDevice::clear(Address address, std::size_t bytes)
{
    m_driver->fill(address, 0, bytes, m_stream);
}

void CudaCompareDevice::upload(Address to, const void* from, std::size_t bytes)
{
    if (bytes == 0)
        return;
    m_driver->upload(to, from, bytes, m_stream);
    m_driver->wait(m_stream); // the caller may change its bytes afterwards
}

void CudaCompareDevice::download(void* to, Address from, std::size_t bytes)
{
    if (bytes == 0)
        return;
    m_driver->download(to, from, bytes, m_stream);
    m_driver->wait(m_stream);
}

void* CudaCompareDevice::moduleFor(DType dtype)
{
    void*& module = m_modules[static_cast<std::size_t>(dtype)];
    if (module != nullptr)
        return module;
    // Contraction off, as on the host: both sides must give the same bits.
    const NvrtcResult result
        = m_compiler->compile(std::string(compareSource()), m_architecture,
                              {"--std=c++17", "--fmad=false", fmt::format("-DASSAY_DTYPE={}", static_cast<int>(dtype))});
    if (result.outcome != NvrtcResult::Outcome::Compiled)
        throw CudaError(fmt::format("the comparison of {} does not compile for {} with NVRTC {}.{}: {}", tensor::name(dtype),
                                    m_architecture, m_compiler->majorVersion(), m_compiler->minorVersion(), result.log));
    module = m_driver->loadModule(result.cubin.data());
    return module;
}

void CudaCompareDevice::launch(DType dtype, const char* kernel, unsigned blocks, unsigned threads, void** arguments)
{
    void*& function = m_kernels[{dtype, kernel}];
    if (function == nullptr)
        function = m_driver->findKernel(moduleFor(dtype), kernel);
    m_driver->launch(function, blocks, threads, arguments, m_stream);
}

} // namespace assay::tensor
