// SPDX-License-Identifier: Apache-2.0
// libassay_gdn.so for tensors in host memory: the same interface and the same device code, run lane by lane. With it the way from
// torch's tensors to the kernels is tested where there is no device.
#include "kernels/gdn/cuda/call_arguments.h"
#include "tests/kernels/gdn/cuda/host_runner.h"

#include <cstdio>
#include <exception>

namespace {

template <typename Body> int guarded(char* error, std::size_t bytes, Body body)
{
    try {
        body();
        return 0;
    } catch (const std::exception& exception) {
        std::snprintf(error, bytes, "%s", exception.what());
    }
    return 1;
}

} // namespace

extern "C" {

int assay_gdn_workspace(const assay_gdn_call* call, int is_backward, int64_t* bytes, char* error, size_t error_bytes)
{
    return guarded(error, error_bytes, [&] { *bytes = assay::gdn::cuda::workspaceBytes(*call, is_backward != 0); });
}

int assay_gdn_forward(const assay_gdn_call* call, char* error, size_t error_bytes)
{
    return guarded(error, error_bytes, [&] { assay::tests::runOnHost(*call, false); });
}

int assay_gdn_backward(const assay_gdn_call* call, char* error, size_t error_bytes)
{
    return guarded(error, error_bytes, [&] { assay::tests::runOnHost(*call, true); });
}

} // extern "C"
