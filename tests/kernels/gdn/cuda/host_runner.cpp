// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/gdn/cuda/host_runner.h"

#include "tests/kernels/gdn/cuda/host_primitives.h"

#include "kernels/gdn/cuda/call_arguments.h"
#include "kernels/gdn/cuda/run_step.h"

#include <memory>
#include <new>
#include <stdexcept>

namespace assay::tests {

using namespace gdn::cuda;

namespace {

template <Step S, typename Element, int K, int V>
void runBlock(const Arguments& arguments, const Launch& launch, int x, int y, char* shared)
{
    if (launch.gate == Gate::Token)
        return runStep<S, Element, K, V, Gate::Token>(arguments, x, y, shared);
    runStep<S, Element, K, V, Gate::Channels>(arguments, x, y, shared);
}

template <typename Element, int K, int V>
void runBlock(const Arguments& arguments, const Launch& launch, int x, int y, char* shared)
{
    switch (launch.step) {
    case Step::Places:
        return setPlaces(arguments, launch.threads);
    case Step::Prepare:
        return runBlock<Step::Prepare, Element, K, V>(arguments, launch, x, y, shared);
    case Step::ForwardScan:
        return runBlock<Step::ForwardScan, Element, K, V>(arguments, launch, x, y, shared);
    case Step::Output:
        return runBlock<Step::Output, Element, K, V>(arguments, launch, x, y, shared);
    case Step::ReverseScan:
        return runBlock<Step::ReverseScan, Element, K, V>(arguments, launch, x, y, shared);
    case Step::Gradients:
        return runBlock<Step::Gradients, Element, K, V>(arguments, launch, x, y, shared);
    }
}

template <typename Element> void runBlock(const Arguments& arguments, const Launch& launch, int x, int y, char* shared)
{
    if (arguments.sizes.keys == 64)
        return arguments.sizes.values == 64 ? runBlock<Element, 64, 64>(arguments, launch, x, y, shared)
                                            : runBlock<Element, 64, 128>(arguments, launch, x, y, shared);
    arguments.sizes.values == 64 ? runBlock<Element, 128, 64>(arguments, launch, x, y, shared)
                                 : runBlock<Element, 128, 128>(arguments, launch, x, y, shared);
}

void runOnHost(const Arguments& arguments, const Launch& launch, int element)
{
    struct Free {
        void operator()(char* p) const { ::operator delete (p, std::align_val_t{256}); }
    };
    const auto bytes = static_cast<std::size_t>(launch.sharedBytes);
    // Exactly as large as asked, so that a sanitizer sees an access beyond; full of NaN, as nobody may count on zeros.
    const std::unique_ptr<char, Free> shared(static_cast<char*>(::operator new (bytes, std::align_val_t{256})));
    for (int y = 0; y < launch.blocksY; ++y) {
        for (int x = 0; x < launch.blocksX; ++x) {
            std::memset(shared.get(), 0xFF, bytes);
            cuda::Block::current().run(static_cast<unsigned>(launch.threads), [&] {
                if (element == ASSAY_GDN_BFLOAT16)
                    runBlock<BFloat16>(arguments, launch, x, y, shared.get());
                else
                    runBlock<Float16>(arguments, launch, x, y, shared.get());
            });
            gdn::cuda::host::requireNoCopies();
        }
    }
}

} // namespace

HostKernelMemory::~HostKernelMemory()
{
    for (void* block : m_blocks)
        ::operator delete (block, std::align_val_t{256});
}

void* HostKernelMemory::allocate(std::size_t bytes)
{
    m_blocks.push_back(::operator new (bytes, std::align_val_t{256}));
    return m_blocks.back();
}

void HostKernelMemory::upload(void* to, const void* from, std::size_t bytes)
{
    std::memcpy(to, from, bytes);
}

void HostKernelMemory::download(void* to, const void* from, std::size_t bytes)
{
    std::memcpy(to, from, bytes);
}

void runOnHost(const assay_gdn_call& call, bool isBackward)
{
    if (const std::string line = mistakeIn(call, isBackward); !line.empty())
        throw std::runtime_error(line);
    const Arguments arguments = argumentsOf(call, isBackward);
    for (const Launch& launch :
         isBackward ? backwardLaunches(arguments.sizes, gateOf(call)) : forwardLaunches(arguments.sizes, gateOf(call)))
        runOnHost(arguments, launch, call.element);
}

void runOnHost(DeviceCall& call)
{
    runOnHost(call.call(), false);
    runOnHost(call.call(), true);
}

} // namespace assay::tests
