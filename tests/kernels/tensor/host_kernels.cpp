// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/tensor/host_kernels.h"

#include "kernels/tensor/device_layout.h"
#include "tests/support/host_cuda.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <stdexcept>

using namespace assay::tests::cuda;

#define ASSAY_KERNEL static
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static
#define __launch_bounds__(...)

namespace {

using Launch = std::function<void(unsigned, unsigned, void**)>;
using Kernels = std::map<std::string, Launch>;

template <typename... Parameters> Launch launcher(void (*kernel)(Parameters...))
{
    return [kernel](unsigned blocks, unsigned threads, void** arguments) { launch(kernel, blocks, threads, arguments); };
}

} // namespace

// The text once for each dtype, each in a namespace of its own.
#define ASSAY_ENTRIES                                                                                                            \
    Kernels entries()                                                                                                            \
    {                                                                                                                            \
        return {{"sampleErrors", launcher(sampleErrors)},                                                                        \
                {"aimSample", launcher(aimSample)},                                                                              \
                {"narrowSample", launcher(narrowSample)},                                                                        \
                {"placeBrackets", launcher(placeBrackets)},                                                                      \
                {"measureSpans", launcher(measureSpans)},                                                                        \
                {"measureSpansAndKeep", launcher(measureSpansAndKeep)},                                                          \
                {"finish", launcher(finish)},                                                                                    \
                {"collectWorst", launcher(collectWorst)},                                                                        \
                {"narrowKept", launcher(narrowKept)},                                                                            \
                {"narrowTensors", launcher(narrowTensors)}};                                                                     \
    }

#define ASSAY_DTYPE 0
namespace type0 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type0
#undef ASSAY_DTYPE
#define ASSAY_DTYPE 1
namespace type1 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type1
#undef ASSAY_DTYPE
#define ASSAY_DTYPE 2
namespace type2 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type2
#undef ASSAY_DTYPE
#define ASSAY_DTYPE 3
namespace type3 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type3
#undef ASSAY_DTYPE
#define ASSAY_DTYPE 4
namespace type4 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type4
#undef ASSAY_DTYPE
#define ASSAY_DTYPE 5
namespace type5 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type5
#undef ASSAY_DTYPE
#define ASSAY_DTYPE 6
namespace type6 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type6
#undef ASSAY_DTYPE
#define ASSAY_DTYPE 7
namespace type7 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type7
#undef ASSAY_DTYPE
#define ASSAY_DTYPE 8
namespace type8 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type8
#undef ASSAY_DTYPE
#define ASSAY_DTYPE 9
namespace type9 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type9
#undef ASSAY_DTYPE
#define ASSAY_DTYPE 10
namespace type10 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type10
#undef ASSAY_DTYPE
#define ASSAY_DTYPE 11
namespace type11 {
#include "kernels/tensor/compare_kernels.cu"
ASSAY_ENTRIES
} // namespace type11

namespace assay::tests {

tensor::CompareDevice::Address HostCompareDevice::allocate(std::size_t bytes)
{
    // Exactly as large as asked, so that a sanitizer sees an access beyond.
    return reinterpret_cast<Address>(::operator new (bytes, std::align_val_t{256}));
}

void HostCompareDevice::release(Address address) noexcept
{
    ::operator delete (reinterpret_cast<void*>(address), std::align_val_t{256});
}

void HostCompareDevice::clear(Address address, std::size_t bytes)
{
    std::memset(reinterpret_cast<void*>(address), 0, bytes);
}

void HostCompareDevice::upload(Address to, const void* from, std::size_t bytes)
{
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
}

void HostCompareDevice::download(void* to, Address from, std::size_t bytes)
{
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
}

void HostCompareDevice::launch(tensor::DType dtype, const char* kernel, unsigned blocks, unsigned threads, void** arguments)
{
    static const std::array<Kernels, 12> kKernels{type0::entries(), type1::entries(), type2::entries(),  type3::entries(),
                                                  type4::entries(), type5::entries(), type6::entries(),  type7::entries(),
                                                  type8::entries(), type9::entries(), type10::entries(), type11::entries()};
    kKernels[static_cast<std::size_t>(dtype)].at(kernel)(blocks, threads, arguments);
}

} // namespace assay::tests
