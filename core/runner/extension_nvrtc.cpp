// SPDX-License-Identifier: Apache-2.0
#include "core/runner/extension_nvrtc.h"

#include "core/runner/answer.h"
#include "kernels/device/nvrtc.h"

#include <filesystem>

namespace assay::runner {

namespace {

std::string_view spelled(device::NvrtcResult::Outcome outcome)
{
    using Outcome = device::NvrtcResult::Outcome;
    switch (outcome) {
    case Outcome::Compiled:
        return "compiled";
    case Outcome::Rejected:
        return "rejected";
    case Outcome::Failed:
        break;
    }
    return "failed";
}

} // namespace

CudaAnswer compileCuda(const json::Value& wanted)
{
    std::vector<std::filesystem::path> folders;
    for (const std::string& folder : textsOf(wanted, "folders"))
        folders.emplace_back(folder);
    const device::Nvrtc::Search search = device::Nvrtc::find(folders);
    if (!search.library)
        return {"absent", {}, search.absence};
    device::NvrtcResult made
        = search.library->compile(textOf(wanted, "source"), textOf(wanted, "target"), textsOf(wanted, "options"));
    return {spelled(made.outcome), std::move(made.cubin), std::move(made.log)};
}

} // namespace assay::runner
