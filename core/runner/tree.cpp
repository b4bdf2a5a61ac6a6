// SPDX-License-Identifier: Apache-2.0
#include "core/runner/tree.h"

#include "core/runner/arena.h"

#include <fmt/format.h>

#include <cmath>

namespace assay::runner {

namespace {

class TreeReader {
public:
    explicit TreeReader(NoneIs none)
        : m_none(none)
    {
    }

    /// Recursion ends: frames are parsed with a limit on nesting.
    void walk(const json::Value& node, const std::string& path)
    {
        if (!node.IsObject() || node.MemberCount() != 1)
            throw Nonsense("a tree node that is not an object with one member");
        const std::string kind = node.MemberBegin()->name.GetString();
        const json::Value& content = node.MemberBegin()->value;
        m_writer.StartObject();
        m_writer.Key(kind.c_str());
        if (kind == "tensor")
            tensor(content, path);
        else if (kind == "list" || kind == "tuple")
            sequence(content, path);
        else if (kind == "dict")
            dictionary(content, path);
        else if (kind == "none")
            none(path);
        else
            scalar(kind, content);
        m_writer.EndObject();
    }

    Tree finish()
    {
        m_tree.canonical.assign(m_buffer.GetString(), m_buffer.GetSize());
        return std::move(m_tree);
    }

private:
    static std::string below(const std::string& path, const std::string& step) { return path.empty() ? step : path + "." + step; }

    void tensor(const json::Value& content, const std::string& path)
    {
        if (!content.IsInt() || content.GetInt() != m_tree.tensors)
            throw Nonsense("a tree whose tensors are not numbered in order");
        ++m_tree.tensors;
        leaf(path, false);
    }

    void none(const std::string& path)
    {
        if (m_none == NoneIs::Leaf)
            leaf(path, true);
        else
            m_writer.Bool(true);
    }

    void leaf(const std::string& path, bool isNone)
    {
        m_writer.Int(static_cast<int>(m_tree.leaves.size()));
        m_tree.leaves.push_back({path, isNone});
    }

    void sequence(const json::Value& content, const std::string& path)
    {
        if (!content.IsArray())
            throw Nonsense("a tree node whose elements are no list");
        m_writer.StartArray();
        for (rapidjson::SizeType i = 0; i < content.Size(); ++i)
            walk(content[i], below(path, fmt::format("{}", i)));
        m_writer.EndArray();
    }

    void dictionary(const json::Value& content, const std::string& path)
    {
        if (!content.IsArray())
            throw Nonsense("a tree node whose members are no list");
        m_writer.StartArray();
        for (const json::Value& pair : content.GetArray()) {
            if (!pair.IsArray() || pair.Size() != 2 || !isPlain(pair[0]))
                throw Nonsense("a dictionary in a tree that is no list of pairs with plain keys");
            m_writer.StartArray();
            pair[0].Accept(m_writer);
            walk(pair[1], below(path, pair[0].IsString() ? std::string(pair[0].GetString()) : json::toText(pair[0])));
            m_writer.EndArray();
        }
        m_writer.EndArray();
    }

    /// Values that hold no tensor.
    void scalar(const std::string& kind, const json::Value& content)
    {
        const bool isText = kind == "dtype" || kind == "number" || kind == "device";
        const bool isList = kind == "complex" || kind == "size";
        if (!isText && !isList && kind != "value")
            throw Nonsense(fmt::format("a tree node of kind \"{}\"", kind.substr(0, 40)));
        if (isText ? !content.IsString() : isList ? !isFlatList(content) : !isPlain(content))
            throw Nonsense(fmt::format("a tree node \"{}\" with foreign content", kind));
        content.Accept(m_writer);
    }

    static bool isPlain(const json::Value& content)
    {
        return !content.IsObject() && !content.IsArray() && !(content.IsDouble() && !std::isfinite(content.GetDouble()));
    }

    static bool isFlatList(const json::Value& content)
    {
        if (!content.IsArray())
            return false;
        for (const json::Value& element : content.GetArray()) {
            if (!isPlain(element))
                return false;
        }
        return true;
    }

    NoneIs m_none;
    Tree m_tree;
    rapidjson::StringBuffer m_buffer;
    json::Writer m_writer{m_buffer};
};

} // namespace

Tree readTree(const json::Value& value, NoneIs none)
{
    TreeReader reader(none);
    reader.walk(value, "");
    return reader.finish();
}

} // namespace assay::runner
