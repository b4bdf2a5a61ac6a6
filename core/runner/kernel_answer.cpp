// SPDX-License-Identifier: Apache-2.0
#include "core/runner/kernel_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::runner {

namespace {

using contract::CudaCompilation;
using contract::KernelCode;

constexpr rapidjson::SizeType kMostKernels = 256;
constexpr rapidjson::SizeType kMostBuilds = 32;
constexpr rapidjson::SizeType kMostSources = 16;
constexpr rapidjson::SizeType kMostGaps = 64;
constexpr std::int64_t kMostPtx = std::int64_t{4} << 20;
constexpr std::int64_t kMostBytes = std::int64_t{256} << 20; // of one answer
constexpr std::int64_t kMostCode = std::int64_t{32} << 20;
constexpr std::size_t kMostMetadata = std::size_t{64} << 10;
constexpr std::size_t kMostText = 32000; // 8000 characters of at most four bytes
constexpr std::size_t kMostName = 2000;

const json::Value& listOf(const json::Value& object, const char* key, rapidjson::SizeType most)
{
    const json::Value& list = arrayOf(object, key);
    if (list.Size() > most)
        throw Nonsense(fmt::format("{} entries of \"{}\", where {} may be", list.Size(), key, most));
    return list;
}

std::string boundedText(const json::Value& object, const char* key, std::size_t most)
{
    std::string text = textOf(object, key);
    if (text.size() > most)
        throw Nonsense(fmt::format("{} bytes of \"{}\", where {} may be", text.size(), key, most));
    return text;
}

std::vector<std::byte> blobOf(const json::Value& object, const char* key, std::int64_t most, ArenaReader& arena)
{
    const json::Value& place = memberOf(object, key);
    if (place.IsNull())
        return {};
    const std::int64_t count = integerOf(place, "bytes");
    if (count < 0 || count > most)
        throw Nonsense(fmt::format("{} bytes of \"{}\", where {} may be", count, key, most));
    return arena.readBytes(integerOf(place, "offset"), count);
}

KernelCode readCode(const json::Value& fields, ArenaReader& arena)
{
    KernelCode code;
    code.metadata = boundedText(fields, "metadata", kMostMetadata);
    const std::vector<std::byte> ptx = blobOf(fields, "ptx", kMostPtx, arena);
    code.ptx.resize(ptx.size());
    std::ranges::transform(ptx, code.ptx.begin(), [](std::byte byte) { return static_cast<char>(byte); });
    code.cubin = blobOf(fields, "cubin", kMostCode, arena);
    code.error = boundedText(fields, "error", kMostText);
    return code;
}

contract::TritonKernel readKernel(const json::Value& fields, ArenaReader& arena)
{
    contract::TritonKernel kernel;
    kernel.name = boundedText(fields, "name", kMostName);
    kernel.isLoaded = flagOf(fields, "loaded");
    kernel.isAutotuned = flagOf(fields, "autotuned");
    kernel.own = readCode(fields, arena);
    if (const json::Value& blackwell = memberOf(fields, "blackwell"); !blackwell.IsNull()) {
        kernel.hasBlackwell = true;
        kernel.blackwell = readCode(blackwell, arena);
    }
    return kernel;
}

CudaCompilation readCompilation(const json::Value& fields, ArenaReader& arena)
{
    using Outcome = CudaCompilation::Outcome;
    constexpr std::array kOutcomes = {std::pair{"compiled", Outcome::Compiled}, std::pair{"rejected", Outcome::Rejected},
                                      std::pair{"failed", Outcome::Failed}, std::pair{"absent", Outcome::Absent}};
    const std::string spelled = boundedText(fields, "outcome", kMostName);
    const auto known = std::ranges::find_if(kOutcomes, [&spelled](const auto& entry) { return spelled == entry.first; });
    if (known == kOutcomes.end())
        throw Nonsense("a compilation that ended in no known way");
    return {known->second, blobOf(fields, "cubin", kMostCode, arena), boundedText(fields, "log", kMostText)};
}

contract::CudaBuild readBuild(const json::Value& fields, ArenaReader& arena)
{
    contract::CudaBuild build;
    build.name = boundedText(fields, "name", kMostName);
    build.library = blobOf(fields, "library", kMostCode, arena);
    for (const json::Value& compilation : listOf(fields, "device", kMostSources).GetArray())
        build.device.push_back(readCompilation(compilation, arena));
    for (const json::Value& compilation : listOf(fields, "blackwell", kMostSources).GetArray())
        build.blackwell.push_back(readCompilation(compilation, arena));
    return build;
}

int capabilityOf(const json::Value& answer)
{
    if (memberOf(answer, "capability").IsNull())
        return 0;
    const std::vector<std::int64_t> capability = readIntegers(arrayOf(answer, "capability"));
    const auto inRange = [](std::int64_t part) { return part >= 0 && part < 100; };
    if (capability.size() != 2 || !std::ranges::all_of(capability, inRange))
        throw Nonsense("a compute capability that is none");
    return static_cast<int>(10 * capability[0] + capability[1]);
}

std::string gapText(const json::Value& error)
{
    const std::string name = boundedText(error, "name", kMostText);
    const std::string type = boundedText(error, "type", kMostText);
    std::string message = boundedText(error, "message", kMostText);
    message.resize(std::min(message.find('\n'), message.size()));
    return fmt::format("{}{}{}{}{}", name, name.empty() ? "" : ": ", type, type.empty() ? "" : ": ", message);
}

} // namespace

contract::KernelEvidence readKernelEvidence(Answer& answer)
{
    answer.arena.limitTo(kMostBytes);
    contract::KernelEvidence evidence;
    evidence.deviceSm = capabilityOf(answer.document);
    evidence.definesKernels = integerOf(answer.document, "functions") > 0;
    for (const json::Value& kernel : listOf(answer.document, "kernels", kMostKernels).GetArray())
        evidence.kernels.push_back(readKernel(kernel, answer.arena));
    for (const json::Value& build : listOf(answer.document, "builds", kMostBuilds).GetArray())
        evidence.builds.push_back(readBuild(build, answer.arena));
    for (const json::Value& error : listOf(answer.document, "errors", kMostGaps).GetArray())
        evidence.gaps.push_back(gapText(error));
    return evidence;
}

bool definesKernels(std::string_view source)
{
    constexpr std::array<std::string_view, 8> kSigns = {"triton.jit",  "triton.autotune", "import triton", "__global__",
                                                        "load_inline", "cpp_extension",   "RawKernel",     "tilelang"};
    return std::ranges::any_of(kSigns, [source](std::string_view sign) { return source.find(sign) != std::string_view::npos; });
}

} // namespace assay::runner
