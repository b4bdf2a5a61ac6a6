// SPDX-License-Identifier: Apache-2.0
#include "core/text/json.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>

#include <cmath>

namespace assay::json {

namespace {

constexpr unsigned kParseFlags = rapidjson::kParseFullPrecisionFlag | rapidjson::kParseNanAndInfFlag | rapidjson::kParseIterativeFlag
    | rapidjson::kParseValidateEncodingFlag;

std::optional<double> numberFromText(std::string_view text)
{
    if (text == "NaN" || text == "nan")
        return std::nan("");
    if (text == "Infinity" || text == "inf" || text == "+inf" || text == "+Infinity")
        return HUGE_VAL;
    if (text == "-Infinity" || text == "-inf")
        return -HUGE_VAL;
    return std::nullopt;
}

bool writeValue(Writer& writer, const Value& value)
{
    if (value.IsDouble()) {
        writeNumber(writer, value.GetDouble());
        return true;
    }
    if (value.IsObject()) {
        writer.StartObject();
        for (const auto& member : value.GetObject()) {
            writer.Key(member.name.GetString(), member.name.GetStringLength());
            writeValue(writer, member.value);
        }
        return writer.EndObject();
    }
    if (value.IsArray()) {
        writer.StartArray();
        for (const auto& item : value.GetArray())
            writeValue(writer, item);
        return writer.EndArray();
    }
    return value.Accept(writer);
}

} // namespace

std::optional<ParseFailure> parse(std::string_view text, Document& out)
{
    // The length-taking overload reads no terminator, so views into a file buffer parse in place.
    out.Parse<kParseFlags>(text.data(), text.size());
    if (!out.HasParseError())
        return std::nullopt;
    return ParseFailure{out.GetErrorOffset(), rapidjson::GetParseError_En(out.GetParseError())};
}

std::string exactNumber(double value)
{
    std::string text = fmt::format("{}", value);
    if (text.find_first_not_of("-0123456789") == std::string::npos)
        text += ".0";
    return text;
}

void writeNumber(Writer& writer, double value)
{
    if (std::isnan(value)) {
        writer.String("NaN");
    } else if (std::isinf(value)) {
        writer.String(value > 0 ? "Infinity" : "-Infinity");
    } else {
        const std::string text = exactNumber(value);
        writer.RawValue(text.data(), text.size(), rapidjson::kNumberType);
    }
}

void writeMeasured(Writer& writer, const tensor::Measured& value)
{
    if (value.isPresent())
        writeNumber(writer, tensor::toDouble(value));
    else
        writer.Null();
}

std::string toText(const Value& value)
{
    rapidjson::StringBuffer buffer;
    Writer writer(buffer);
    writeValue(writer, value);
    return {buffer.GetString(), buffer.GetSize()};
}

const Value* find(const Value& object, std::string_view key)
{
    if (!object.IsObject())
        return nullptr;
    const auto member = object.FindMember(Value(rapidjson::StringRef(key.data(), static_cast<rapidjson::SizeType>(key.size()))));
    return member == object.MemberEnd() ? nullptr : &member->value;
}

std::optional<std::string> stringAt(const Value& object, std::string_view key)
{
    const Value* value = find(object, key);
    if (value == nullptr || !value->IsString())
        return std::nullopt;
    return std::string(value->GetString(), value->GetStringLength());
}

std::optional<double> numberAt(const Value& object, std::string_view key)
{
    const Value* value = find(object, key);
    if (value == nullptr)
        return std::nullopt;
    if (value->IsNumber())
        return value->GetDouble();
    if (value->IsString())
        return numberFromText({value->GetString(), value->GetStringLength()});
    return std::nullopt;
}

std::optional<std::int64_t> integerAt(const Value& object, std::string_view key)
{
    const Value* value = find(object, key);
    if (value == nullptr || !value->IsInt64())
        return std::nullopt;
    return value->GetInt64();
}

std::optional<bool> boolAt(const Value& object, std::string_view key)
{
    const Value* value = find(object, key);
    if (value == nullptr)
        return std::nullopt;
    if (value->IsBool())
        return value->GetBool();
    if (value->IsString()) {
        const std::string_view text(value->GetString(), value->GetStringLength());
        if (text == "True" || text == "true")
            return true;
        if (text == "False" || text == "false")
            return false;
    }
    return std::nullopt;
}

} // namespace assay::json
