// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/cuda/call_arguments.h"

#include "kernels/gdn/cuda/places.h"

#include <fmt/format.h>

#include <limits>

namespace assay::gdn::cuda {

namespace {

constexpr std::int64_t kOutputBytes = 16; ///< of a gradient that are written at once

/// What the kernels ask of a tensor's place in memory.
struct Need {
    const char* name;
    const assay_gdn_tensor* tensor;
    int elementBytes;
    int vectorBytes; ///< that are read at once where channels lie side by side
    bool mayRepeat;  ///< one value for all channels
};

bool isMultiple(std::int64_t value, std::int64_t of)
{
    return value % of == 0;
}

std::string mistakeIn(const Need& need)
{
    const assay_gdn_tensor& tensor = *need.tensor;
    if (!tensor.data)
        return fmt::format("{} is missing", need.name);
    if (tensor.channel_stride != 1 && !(need.mayRepeat && tensor.channel_stride == 0))
        return fmt::format("{} has channels {} elements apart; the kernels need 1{}", need.name, tensor.channel_stride,
                           need.mayRepeat ? " or 0" : "");
    const std::int64_t vector = tensor.channel_stride == 1 ? need.vectorBytes : need.elementBytes;
    const std::int64_t elements = vector / need.elementBytes;
    if (!isMultiple(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(tensor.data)), vector))
        return fmt::format("{} must start at a multiple of {} bytes", need.name, vector);
    for (const std::int64_t stride : {tensor.batch_stride, tensor.token_stride, tensor.head_stride}) {
        if (!isMultiple(stride, elements))
            return fmt::format("{} has a stride of {} elements; the kernels need multiples of {}", need.name, stride, elements);
    }
    return {};
}

std::string missing(const char* name, const void* pointer)
{
    return pointer ? std::string() : fmt::format("{} is missing", name);
}

std::string mistakeInTensors(const assay_gdn_call& call, bool isBackward)
{
    const Need needs[] = {{"q", &call.q, 2, 16, false}, {"k", &call.k, 2, 16, false}, {"b", &call.b, 2, 16, true},
                          {"g", &call.g, 4, 4, true},   {"v", &call.v, 2, 16, false}, {"w", &call.w, 2, 16, true}};
    for (const Need& need : needs) {
        if (std::string line = mistakeIn(need); !line.empty())
            return line;
    }
    if (!isBackward)
        return missing("o", call.o);
    if (std::string line = mistakeIn(Need{"do", &call.output_grad, 2, 16, false}); !line.empty())
        return line;
    const std::pair<const char*, const void*> outputs[]
        = {{"dq", call.dq}, {"dk", call.dk}, {"db", call.db}, {"dg", call.dg}, {"dv", call.dv}, {"dw", call.dw}};
    for (const auto& [name, pointer] : outputs) {
        if (std::string line = missing(name, pointer); !line.empty())
            return line;
        if (!isMultiple(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(pointer)), kOutputBytes))
            return fmt::format("{} must start at a multiple of {} bytes", name, kOutputBytes);
    }
    return {};
}

Input inputOf(const assay_gdn_tensor& tensor)
{
    return {tensor.data, tensor.batch_stride, tensor.token_stride, tensor.head_stride, static_cast<int>(tensor.channel_stride)};
}

} // namespace

std::string mistakeInSizes(const assay_gdn_call& call)
{
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (call.element != ASSAY_GDN_BFLOAT16 && call.element != ASSAY_GDN_FLOAT16)
        return fmt::format("element type {} is unknown: the kernels take bfloat16 (0) and float16 (1)", call.element);
    for (const auto& [name, channels] : {std::pair{"K", call.keys}, std::pair{"V", call.values}}) {
        if (channels != 64 && channels != 128)
            return fmt::format("{} is {}; the kernels take 64 and 128", name, channels);
    }
    if (call.batch < 1 || call.tokens < 1 || call.heads < 1)
        return fmt::format("B, T, H are {}, {}, {}; each must be at least 1", call.batch, call.tokens, call.heads);
    if (call.sequence_starts && call.batch != 1)
        return fmt::format("packed sequences need B = 1, not {}", call.batch);
    if (!call.sequence_starts && call.sequences != call.batch)
        return fmt::format("{} sequences for {} batch rows", call.sequences, call.batch);
    if (call.sequences < 1)
        return fmt::format("{} sequences; at least 1 is needed", call.sequences);
    const std::int64_t chunks = mostChunks(call.batch, call.tokens, call.sequences, call.sequence_starts != nullptr);
    if (call.tokens > kMost || call.heads > kMost || chunks > kMost / call.heads || call.sequences > kMost / call.heads)
        return fmt::format("B, T, H of {}, {}, {} have more chunks than a grid has blocks", call.batch, call.tokens, call.heads);
    return {};
}

std::string mistakeIn(const assay_gdn_call& call, bool isBackward)
{
    if (std::string line = mistakeInSizes(call); !line.empty())
        return line;
    if (std::string line = mistakeInTensors(call, isBackward); !line.empty())
        return line;
    const std::int64_t bytes = workspaceBytes(call, isBackward);
    if (!call.workspace || call.workspace_bytes < bytes)
        return fmt::format("working memory of {} bytes; the call needs {}", call.workspace ? call.workspace_bytes : 0, bytes);
    if (!isMultiple(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(call.workspace)), 256))
        return "working memory must start at a multiple of 256 bytes";
    return {};
}

Sizes sizesOf(const assay_gdn_call& call)
{
    Sizes sizes{};
    sizes.batch = static_cast<int>(call.batch);
    sizes.tokens = static_cast<int>(call.tokens);
    sizes.heads = static_cast<int>(call.heads);
    sizes.keys = static_cast<int>(call.keys);
    sizes.values = static_cast<int>(call.values);
    sizes.sequences = static_cast<int>(call.sequences);
    sizes.chunks = static_cast<int>(mostChunks(call.batch, call.tokens, call.sequences, call.sequence_starts != nullptr));
    sizes.starts = call.sequence_starts;
    return sizes;
}

Gate gateOf(const assay_gdn_call& call)
{
    return call.g.channel_stride == 0 ? Gate::Token : Gate::Channels;
}

std::int64_t workspaceBytes(const assay_gdn_call& call, bool isBackward)
{
    std::int64_t bytes = 0;
    layOut(sizesOf(call), isBackward, nullptr, bytes);
    return bytes;
}

Arguments argumentsOf(const assay_gdn_call& call, bool isBackward)
{
    Arguments arguments{};
    arguments.sizes = sizesOf(call);
    arguments.scale = call.scale;
    arguments.q = inputOf(call.q);
    arguments.k = inputOf(call.k);
    arguments.b = inputOf(call.b);
    arguments.g = inputOf(call.g);
    arguments.v = inputOf(call.v);
    arguments.w = inputOf(call.w);
    arguments.initialState = call.initial_state;
    std::int64_t bytes = 0;
    arguments.work = layOut(arguments.sizes, isBackward, static_cast<std::byte*>(call.workspace), bytes);
    if (!isBackward) {
        arguments.o = call.o;
        arguments.finalState = call.final_state;
        return arguments;
    }
    arguments.outputGrad = inputOf(call.output_grad);
    arguments.finalGrad = call.final_grad;
    arguments.dq = call.dq;
    arguments.dk = call.dk;
    arguments.db = call.db;
    arguments.dg = call.dg;
    arguments.dv = call.dv;
    arguments.dw = call.dw;
    arguments.initialGrad = call.initial_grad;
    return arguments;
}

} // namespace assay::gdn::cuda
