// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/triton_metadata.h"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

namespace assay::device {
namespace {

using Value = rapidjson::Value;

const Value* member(const Value& object, const char* key)
{
    const auto found = object.FindMember(key);
    return found == object.MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}

std::optional<std::int64_t> integer(const Value& object, const char* key)
{
    const Value* value = member(object, key);
    if (value == nullptr)
        return std::nullopt;
    if (!value->IsInt64() || value->GetInt64() < 0)
        throw MetadataError(fmt::format("Triton metadata: \"{}\" is no whole number from 0", key));
    return value->GetInt64();
}

std::string text(const Value& object, const char* key)
{
    const Value* value = member(object, key);
    return value != nullptr && value->IsString() ? std::string(value->GetString(), value->GetStringLength()) : std::string();
}

} // namespace

TritonMetadata readTritonMetadata(std::string_view json)
{
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(json.data(), json.size());
    if (document.HasParseError())
        throw MetadataError(fmt::format("Triton metadata: byte {}: {}", document.GetErrorOffset(),
                                        rapidjson::GetParseError_En(document.GetParseError())));
    if (!document.IsObject())
        throw MetadataError("Triton metadata: not a JSON object");
    TritonMetadata metadata;
    metadata.name = text(document, "name");
    metadata.sharedBytes = integer(document, "shared");
    metadata.tmemColumns = integer(document, "tmem_size");
    metadata.warps = integer(document, "num_warps");
    metadata.blocksPerCluster = integer(document, "num_ctas");
    metadata.registers = integer(document, "n_regs");
    if (const auto words = integer(document, "n_spills"); words && *words < (std::int64_t{1} << 40))
        metadata.localBytes = *words * 4; // Triton divides the driver's byte count by four
    metadata.maxThreads = integer(document, "n_max_threads");
    if (const Value* target = member(document, "target"); target != nullptr && target->IsObject()) {
        metadata.backend = text(*target, "backend");
        if (const Value* arch = member(*target, "arch"); arch != nullptr && arch->IsInt())
            metadata.arch = arch->GetInt(); // a name on other vendors' devices
        metadata.threadsPerWarp = integer(*target, "warp_size").value_or(32);
    }
    return metadata;
}

} // namespace assay::device
