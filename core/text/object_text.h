// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace assay::json {

/// One JSON object as text, written member by member in the order of the calls. Inside the callbacks of object() and objects()
/// the same calls write the inner object's members.
class ObjectText {
public:
    ObjectText()
        : m_writer(m_buffer)
    {
        m_writer.StartObject();
    }
    /// Begins with the member "schema" that every answer of the command line has.
    explicit ObjectText(std::string_view schema)
        : ObjectText()
    {
        text("schema", schema);
    }
    ObjectText(const ObjectText&) = delete;
    ObjectText& operator=(const ObjectText&) = delete;

    /// Writes a member's name; what is written to the result next is its value.
    Writer& key(std::string_view name)
    {
        m_writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
        return m_writer;
    }
    void text(std::string_view name, std::string_view value)
    {
        key(name);
        element(value);
    }
    void integer(std::string_view name, std::int64_t value) { key(name).Int64(value); }
    void number(std::string_view name, double value) { writeNumber(key(name), value); }
    void measured(std::string_view name, const tensor::Measured& value) { writeMeasured(key(name), value); }
    void flag(std::string_view name, bool value) { key(name).Bool(value); }
    void null(std::string_view name) { key(name).Null(); }

    /// The value, or null where it is absent.
    template <typename T> void optional(std::string_view name, const std::optional<T>& value)
    {
        if (!value)
            null(name);
        else if constexpr (std::is_integral_v<T>)
            integer(name, *value);
        else if constexpr (std::is_floating_point_v<T>)
            number(name, *value);
        else
            text(name, *value);
    }
    /// An array of strings.
    template <typename Texts> void texts(std::string_view name, const Texts& values)
    {
        key(name).StartArray();
        for (const auto& value : values)
            element(value);
        m_writer.EndArray();
    }
    /// An object whose members @p work writes.
    template <typename Work> void object(std::string_view name, Work work)
    {
        key(name);
        element(work);
    }
    /// An array of objects; @p each writes the members of one.
    template <typename Items, typename Each> void objects(std::string_view name, const Items& items, Each each)
    {
        key(name).StartArray();
        for (const auto& item : items)
            element([&] { each(item); });
        m_writer.EndArray();
    }

    /// Ends the object; nothing can be written after it.
    std::string finish()
    {
        m_writer.EndObject();
        return {m_buffer.GetString(), m_buffer.GetSize()};
    }

private:
    void element(std::string_view value) { m_writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size())); }
    template <typename Work>
    requires std::is_invocable_v<Work&>
    void element(Work work)
    {
        m_writer.StartObject();
        work();
        m_writer.EndObject();
    }

    rapidjson::StringBuffer m_buffer;
    Writer m_writer;
};

} // namespace assay::json
