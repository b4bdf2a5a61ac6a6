// SPDX-License-Identifier: Apache-2.0
#include "core/launch/call_file.h"

#include "core/tensorfile/tensor_file.h"
#include "core/text/error.h"
#include "kernels/tensor/element_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::launch {

namespace {

bool isInput(gdn::Family family, const std::string& name)
{
    const auto inputs = inputsOf(family);
    return std::ranges::find(inputs, name, &gdn::FamilyInput::name) != inputs.end();
}

std::vector<std::int32_t> startsIn(const tensor::TensorView& view, const std::string& path)
{
    const bool isWhole = view.dtype == tensor::DType::Int32 || view.dtype == tensor::DType::Int64;
    if (!isWhole || view.shape.size() != 1)
        throw Error("cu_seqlens is no list of int32", path, "Write the N + 1 offsets of N sequences, from 0 to T");
    std::vector<double> numbers(static_cast<std::size_t>(view.count()));
    tensor::toDoubles(view.dtype, view.data, view.count(), numbers.data());
    std::vector<std::int32_t> starts;
    for (const double number : numbers) {
        if (std::fabs(number) > INT32_MAX)
            throw Error(fmt::format("cu_seqlens holds {}, which is no int32", number), path, "Write offsets from 0 to T");
        starts.push_back(static_cast<std::int32_t>(number));
    }
    return starts;
}

} // namespace

std::optional<tensor::DType> CallFile::dtypeOf(const std::string& name) const
{
    const auto found = std::ranges::find(tensors, name, &tensorfile::LoadedTensor::name);
    return found == tensors.end() ? std::nullopt : std::optional(found->view.dtype);
}

CallFile readCall(const std::filesystem::path& path, gdn::Family family, std::optional<double> scale)
{
    const auto file = tensorfile::TensorFile::open(path);
    CallFile read;
    read.path = file.path();
    read.call.family = family;
    for (const std::string& name : file.names()) {
        const tensorfile::LoadedTensor& loaded = read.tensors.emplace_back(file.tensor(name));
        if (isInput(family, name))
            read.call.inputs[name] = loaded.view;
        else if (name == "do")
            read.call.outputGrad = loaded.view;
        else if (name == "S0")
            read.call.initialState = loaded.view;
        else if (name == "dST")
            read.call.finalGrad = loaded.view;
        else if (name == "cu_seqlens")
            read.call.sequenceStart = startsIn(loaded.view, read.path);
        else
            throw Error(fmt::format("holds a tensor \"{}\", which {} does not take", name, gdn::name(family)), read.path,
                        fmt::format("It takes {}, and do S0 dST cu_seqlens", expectedInputs(family)));
    }
    const auto q = read.call.inputs.find("q");
    const bool hasKeys = q != read.call.inputs.end() && !q->second.shape.empty() && q->second.shape.back() > 0;
    read.call.scale = scale.value_or(hasKeys ? 1 / std::sqrt(static_cast<double>(q->second.shape.back())) : 1);
    return read;
}

} // namespace assay::launch
