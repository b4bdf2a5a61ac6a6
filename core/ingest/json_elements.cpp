// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/json_elements.h"

#include <fmt/format.h>

#include <utility>

namespace assay::ingest {

namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10;
constexpr int kEnd = -1;
// Arrays of kernels sit at most this many objects below the top; deeper objects are records, not containers.
constexpr int kMaxContainerDepth = 8;
// Longest context member that is kept: settings and names, never data.
constexpr std::size_t kMaxContext = std::size_t{64} << 10;

bool isSpace(int c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool endsScalar(int c)
{
    return c == kEnd || c == ',' || c == ']' || c == '}' || c == ':' || isSpace(c);
}

} // namespace

JsonElementWalk::JsonElementWalk(ReadBytes read, std::int64_t firstByte, Callbacks callbacks)
    : m_read(std::move(read))
    , m_callbacks(std::move(callbacks))
    , m_offset(firstByte)
{
}

std::optional<JsonBreak> JsonElementWalk::run()
{
    if (walkValue("", 0) && peekToken() != kEnd)
        stop(m_offset, "", "there is more after the end of the document");
    return m_break;
}

int JsonElementWalk::peek()
{
    if (m_at == m_chunk.size() && !m_ended) {
        m_chunk.resize(kChunk);
        m_chunk.resize(m_read(m_chunk.data(), kChunk));
        m_at = 0;
        m_ended = m_chunk.empty();
    }
    return m_at < m_chunk.size() ? static_cast<unsigned char>(m_chunk[m_at]) : kEnd;
}

int JsonElementWalk::take()
{
    const int c = peek();
    if (c != kEnd) {
        ++m_at;
        ++m_offset;
    }
    return c;
}

int JsonElementWalk::peekToken()
{
    while (isSpace(peek()))
        take();
    return peek();
}

bool JsonElementWalk::stop(std::int64_t from, const std::string& pointer, std::string reason)
{
    if (!m_break)
        m_break = JsonBreak{from, m_offset, pointer, std::move(reason)};
    return false;
}

// Copies one string with its quotes; false where the document ends inside it.
bool JsonElementWalk::captureString(std::string* out)
{
    bool escaped = false;
    for (bool first = true;; first = false) {
        const int c = take();
        if (c == kEnd)
            return false;
        if (out != nullptr)
            out->push_back(static_cast<char>(c));
        if (first)
            continue;
        if (escaped)
            escaped = false;
        else if (c == '\\')
            escaped = true;
        else if (c == '"')
            return true;
    }
}

// Copies one value of any kind by its brackets and quotes alone: whether it is good JSON is the parser's business.
bool JsonElementWalk::captureValue(std::string* out)
{
    int depth = 0;
    do {
        const int c = depth == 0 ? peekToken() : peek();
        if (c == kEnd)
            return false;
        if (c == '"') {
            if (!captureString(out))
                return false;
        } else if (c == '{' || c == '[' || c == '}' || c == ']') {
            depth += c == '{' || c == '[' ? 1 : -1;
            if (depth < 0)
                return true;
            take();
            if (out != nullptr)
                out->push_back(static_cast<char>(c));
        } else if (depth > 0) {
            take();
            if (out != nullptr)
                out->push_back(static_cast<char>(c));
        } else {
            for (int d = c; !endsScalar(d); d = peek()) {
                take();
                if (out != nullptr)
                    out->push_back(static_cast<char>(d));
            }
            return true;
        }
    } while (depth > 0);
    return true;
}

bool JsonElementWalk::walkValue(const std::string& pointer, int depth)
{
    const int c = peekToken();
    if (c == '[')
        return walkArray(pointer);
    if (c == '{')
        return walkObject(pointer, depth);
    const std::int64_t from = m_offset;
    return stop(from, pointer, c == kEnd ? "the file is empty" : "neither an array nor an object");
}

bool JsonElementWalk::walkArray(const std::string& pointer)
{
    take();
    for (std::int64_t index = 0;; ++index) {
        const std::string here = fmt::format("{}/{}", pointer, index);
        int c = peekToken();
        if (c == ']' && index == 0) {
            take();
            return true;
        }
        JsonElement element{{}, m_offset, here};
        if (c == ']' || c == ',')
            return stop(m_offset, here, "a value is missing before this byte");
        if (!captureValue(&element.text))
            return stop(element.byte, here, "the file ends inside this record");
        const std::int64_t from = m_offset;
        m_callbacks.element(std::move(element));
        c = peekToken();
        if (c == kEnd)
            return stop(from, here, "the file ends before the array does");
        if (c != ',' && c != ']')
            return stop(m_offset, here, "neither a comma nor the end of the array follows this record");
        take();
        if (c == ']')
            return true;
    }
}

bool JsonElementWalk::walkObject(const std::string& pointer, int depth)
{
    take();
    for (bool first = true;; first = false) {
        int c = peekToken();
        if (c == '}' && first) {
            take();
            return true;
        }
        const std::int64_t from = m_offset;
        if (c == kEnd)
            return stop(from, pointer, "the file ends inside this object");
        if (c != '"')
            return stop(from, pointer, "a member name is missing before this byte");
        std::string quoted;
        if (!captureString(&quoted))
            return stop(from, pointer, "the file ends inside this member name");
        const std::string key = quoted.substr(1, quoted.size() - 2);
        const std::string here = pointer + '/' + key;
        if (peekToken() != ':')
            return stop(m_offset, here,
                        peek() == kEnd ? "the file ends after this member name" : "a colon is missing after this member name");
        take();
        c = peekToken();
        const bool enters = (c == '[' || c == '{') && depth < kMaxContainerDepth && m_callbacks.entersKey(key);
        if (enters) {
            if (!walkValue(here, depth + 1))
                return false;
        } else {
            std::string text;
            if (!captureValue(&text))
                return stop(from, here, "the file ends inside this member");
            if (m_callbacks.context && text.size() <= kMaxContext)
                m_callbacks.context(here, text);
        }
        c = peekToken();
        if (c == kEnd)
            return stop(m_offset, pointer, "the file ends before the object does");
        if (c != ',' && c != '}')
            return stop(m_offset, here, "neither a comma nor the end of the object follows this member");
        take();
        if (c == '}')
            return true;
    }
}

} // namespace assay::ingest
