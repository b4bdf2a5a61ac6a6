// SPDX-License-Identifier: Apache-2.0
#include "core/tensorfile/safetensors_file.h"

#include "core/tensorfile/tensor_layout.h"
#include "core/text/error.h"
#include "core/text/json.h"
#include "core/text/one_line.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

namespace assay::tensorfile {

namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kLongestHeader = 100'000'000; // the format's own limit
constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kMostDimensions = 64;
// Other than json::parse(): this format has no NaN and no infinity.
constexpr unsigned kStrictJson
    = rapidjson::kParseFullPrecisionFlag | rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;

struct NamedType {
    std::string_view name;
    std::int64_t bits;
    std::optional<tensor::DType> dtype; ///< nothing: known to the format, not compared
};

constexpr std::array<NamedType, 20> kTypes = {{{"F64", 64, tensor::DType::Float64},
                                               {"F32", 32, tensor::DType::Float32},
                                               {"F16", 16, tensor::DType::Float16},
                                               {"BF16", 16, tensor::DType::BFloat16},
                                               {"F8_E4M3", 8, tensor::DType::Float8E4M3},
                                               {"F8_E5M2", 8, tensor::DType::Float8E5M2},
                                               {"I64", 64, tensor::DType::Int64},
                                               {"I32", 32, tensor::DType::Int32},
                                               {"I16", 16, tensor::DType::Int16},
                                               {"I8", 8, tensor::DType::Int8},
                                               {"U8", 8, tensor::DType::UInt8},
                                               {"BOOL", 8, tensor::DType::Bool},
                                               {"U16", 16, {}},
                                               {"U32", 32, {}},
                                               {"U64", 64, {}},
                                               {"F8_E8M0", 8, {}},
                                               {"C64", 64, {}},
                                               {"F6_E2M3", 6, {}},
                                               {"F6_E3M2", 6, {}},
                                               {"F4", 4, {}}}};

const NamedType* typeNamed(std::string_view name)
{
    const auto found = std::ranges::find(kTypes, name, &NamedType::name);
    return found == kTypes.end() ? nullptr : &*found;
}

std::string shown(std::string_view text)
{
    return '"' + oneLine(std::string(text.substr(0, kLongestQuote))) + (text.size() > kLongestQuote ? "...\"" : "\"");
}

/// Refuses a file; every reason ends up in the same one line.
class Refusal {
public:
    explicit Refusal(const MappedFile& file)
        : m_file(file)
    {
    }
    [[noreturn]] void operator()(const std::string& why) const
    {
        throw Error("is no readable .safetensors file (" + why + ")", m_file.path(), "Write it again with safetensors");
    }

private:
    const MappedFile& m_file;
};

std::size_t headerLength(std::span<const std::byte> bytes)
{
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        length |= static_cast<std::size_t>(bytes[i]) << (8 * i);
    return length;
}

std::vector<std::int64_t> wholeNumbers(const json::Value* list, std::size_t most, const Refusal& refuse, const std::string& what)
{
    if (list == nullptr || !list->IsArray() || list->Size() > most)
        refuse(what + " is no list of whole numbers");
    std::vector<std::int64_t> numbers;
    for (const json::Value& number : list->GetArray()) {
        if (!number.IsInt64() || number.GetInt64() < 0)
            refuse(what + " is no list of whole numbers");
        numbers.push_back(number.GetInt64());
    }
    return numbers;
}

SafetensorsEntry entryOf(std::string_view name, const json::Value& told, std::size_t dataBytes, const Refusal& refuse)
{
    const std::string who = "tensor " + shown(name);
    if (!told.IsObject())
        refuse(who + " is described by no object");
    SafetensorsEntry entry;
    entry.name = name;
    entry.dtype = json::stringAt(told, "dtype").value_or("");
    const NamedType* type = typeNamed(entry.dtype);
    if (type == nullptr)
        refuse(who + " has the unknown type " + shown(entry.dtype));
    entry.shape = wholeNumbers(json::find(told, "shape"), kMostDimensions, refuse, "the shape of " + who);
    const auto offsets = wholeNumbers(json::find(told, "data_offsets"), 2, refuse, "data_offsets of " + who);
    if (offsets.size() != 2 || offsets[0] > offsets[1])
        refuse("data_offsets of " + who + " are no begin and end");
    if (static_cast<std::size_t>(offsets[1]) > dataBytes)
        refuse(fmt::format("{} ends at byte {} of {} bytes of data: the file is cut off", who, offsets[1], dataBytes));
    const auto bits = bytesOf(entry.shape, type->bits);
    if (!bits || *bits % 8 != 0 || *bits / 8 != offsets[1] - offsets[0])
        refuse(fmt::format("{}, {} of {}, does not fill its {} bytes", who, shapeText(entry.shape), entry.dtype,
                           offsets[1] - offsets[0]));
    entry.offset = static_cast<std::size_t>(offsets[0]);
    entry.bytes = static_cast<std::size_t>(offsets[1] - offsets[0]);
    return entry;
}

void checkMetadata(const json::Value& told, const Refusal& refuse)
{
    const bool isText = told.IsObject()
        && std::all_of(told.MemberBegin(), told.MemberEnd(), [](const auto& member) { return member.value.IsString(); });
    if (!isText)
        refuse("__metadata__ is no object of texts");
}

void checkPacking(const std::vector<SafetensorsEntry>& entries, std::size_t dataBytes, const Refusal& refuse)
{
    std::size_t end = 0;
    for (const SafetensorsEntry& entry : entries) {
        if (entry.offset < end)
            refuse("the bytes of tensor " + shown(entry.name) + " overlap another's");
        if (entry.offset > end)
            refuse("there is a hole before tensor " + shown(entry.name));
        end = entry.offset + entry.bytes;
    }
    if (end != dataBytes)
        refuse(fmt::format("{} bytes belong to no tensor", dataBytes - end));
}

} // namespace

bool looksLikeSafetensors(std::span<const std::byte> bytes)
{
    return bytes.size() > kLengthBytes && bytes[kLengthBytes] == std::byte{'{'};
}

std::vector<SafetensorsEntry> readSafetensorsHeader(const MappedFile& file)
{
    const Refusal refuse(file);
    const auto bytes = file.bytes();
    if (bytes.size() < kLengthBytes)
        refuse("it ends inside its first bytes");
    const std::size_t length = headerLength(bytes);
    if (length > kLongestHeader)
        refuse(fmt::format("its header claims {} bytes, at most {} are allowed", length, kLongestHeader));
    if (length > bytes.size() - kLengthBytes)
        refuse(fmt::format("its header claims {} bytes, the file has {} left", length, bytes.size() - kLengthBytes));
    json::Document header;
    header.Parse<kStrictJson>(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length);
    if (header.HasParseError())
        refuse(fmt::format("its header is no JSON: {} At byte {}", rapidjson::GetParseError_En(header.GetParseError()),
                           header.GetErrorOffset()));
    if (!header.IsObject())
        refuse("its header is no JSON object");
    const std::size_t dataBytes = bytes.size() - kLengthBytes - length;
    std::vector<SafetensorsEntry> entries;
    std::unordered_set<std::string_view> names;
    for (const auto& member : header.GetObject()) {
        const std::string_view name(member.name.GetString(), member.name.GetStringLength());
        if (!names.insert(name).second)
            refuse("tensor " + shown(name) + " is there twice");
        if (name == "__metadata__")
            checkMetadata(member.value, refuse);
        else
            entries.push_back(entryOf(name, member.value, dataBytes, refuse));
    }
    std::ranges::stable_sort(entries, [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
        return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
    });
    checkPacking(entries, dataBytes, refuse);
    for (SafetensorsEntry& entry : entries)
        entry.offset += kLengthBytes + length;
    return entries;
}

LoadedTensor readSafetensor(std::shared_ptr<const MappedFile> file, const SafetensorsEntry& entry)
{
    const NamedType* type = typeNamed(entry.dtype);
    if (type == nullptr || !type->dtype)
        throw Error("tensor " + shown(entry.name) + " has elements of type " + entry.dtype + ", which are not compared",
                    file->path(), "Convert to float, bfloat16, float8, a signed integer, uint8 or bool");
    LoadedTensor loaded = tensorIn(std::move(file), entry.offset, *type->dtype, entry.shape);
    loaded.name = entry.name;
    return loaded;
}

} // namespace assay::tensorfile
