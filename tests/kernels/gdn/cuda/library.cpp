// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/gdn/cuda/library.h"

#include <array>
#include <dlfcn.h>
#include <stdexcept>

namespace assay::tests {

namespace {

using Address = device::CudaDriver::Address;
constexpr void* kDefaultStream = nullptr;

Address addressOf(const void* p)
{
    return reinterpret_cast<Address>(p);
}

} // namespace

DriverMemory::~DriverMemory()
{
    for (const Address block : m_blocks)
        m_driver->release(block);
}

void* DriverMemory::allocate(std::size_t bytes)
{
    m_blocks.push_back(m_driver->allocate(bytes));
    return reinterpret_cast<void*>(m_blocks.back());
}

void DriverMemory::upload(void* to, const void* from, std::size_t bytes)
{
    m_driver->upload(addressOf(to), from, bytes, kDefaultStream);
    m_driver->wait(kDefaultStream);
}

void DriverMemory::download(void* to, const void* from, std::size_t bytes)
{
    m_driver->download(to, addressOf(from), bytes, kDefaultStream);
    m_driver->wait(kDefaultStream);
}

template <typename Function> Function GdnLibrary::find(const char* name) const
{
    void* const symbol = dlsym(m_library, name);
    if (!symbol)
        throw std::runtime_error(dlerror());
    return reinterpret_cast<Function>(symbol);
}

std::unique_ptr<GdnLibrary> GdnLibrary::open(const std::string& path, std::string& absence)
{
    const device::CudaDriver::Search search = device::CudaDriver::find();
    absence = search.absence;
    if (!search.driver)
        return nullptr;
    std::unique_ptr<GdnLibrary> library(new GdnLibrary);
    library->m_driver = search.driver;
    library->m_driver->makeCurrent(library->m_driver->retainPrimaryContext(0));
    library->m_library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library->m_library)
        throw std::runtime_error(dlerror());
    library->m_forward = library->find<Run>("assay_gdn_forward");
    library->m_backward = library->find<Run>("assay_gdn_backward");
    library->m_profile = library->find<decltype(&assay_gdn_profile)>("assay_gdn_profile");
    return library;
}

// The run time inside the library keeps what it registered with the driver, so the library stays loaded.
GdnLibrary::~GdnLibrary()
{
    m_driver->releasePrimaryContext(0);
}

void GdnLibrary::run(Run function, const assay_gdn_call& call)
{
    std::array<char, 512> error{};
    if (function(&call, error.data(), error.size()) != 0)
        throw std::runtime_error(error.data());
}

std::vector<GdnLibrary::KernelTime> GdnLibrary::profile(const assay_gdn_call& call, bool isBackward) const
{
    constexpr std::size_t kMost = 8;
    std::array<const char*, kMost> names{};
    std::array<float, kMost> times{};
    std::array<char, 512> error{};
    int count = 0;
    if (m_profile(&call, isBackward ? 1 : 0, names.data(), times.data(), &count, error.data(), error.size()) != 0)
        throw std::runtime_error(error.data());
    std::vector<KernelTime> result;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
        result.push_back({names[i], times[i]});
    return result;
}

} // namespace assay::tests
