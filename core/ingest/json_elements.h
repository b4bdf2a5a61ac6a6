// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace assay::ingest {

/// Up to `capacity` more bytes into `out`; 0 at the end.
using ReadBytes = std::function<std::size_t(char* out, std::size_t capacity)>;

/// One element of an array inside a large JSON document, as it is written there.
struct JsonElement {
    std::string text;
    std::int64_t byte = 0; ///< offset of its first byte
    std::string pointer;   ///< JSON pointer ("/search_results/all_kernels/3")
};

/// Where a document stops being readable. Everything before it was delivered.
struct JsonBreak {
    std::int64_t byte = 0; ///< first byte of the element (or member) that is not whole
    std::int64_t end = 0;  ///< where reading stopped
    std::string pointer;
    std::string reason;
};

/// Walks one JSON document of any size and hands out the elements of its arrays one at a time, so that memory stays at the
/// size of one element and a file that breaks off in the middle of a string keeps its complete elements.
///
/// Arrays are found at the top and, in objects, under any key for which `entersKey` is true; every other member of an object on
/// the way is handed out as context (model, problem, GPU).
class JsonElementWalk {
public:
    struct Callbacks {
        std::function<bool(std::string_view key)> entersKey;
        std::function<void(JsonElement&&)> element;
        std::function<void(std::string_view pointer, std::string_view text)> context;
    };

    /// @param firstByte  offset of the first byte that @p read delivers
    JsonElementWalk(ReadBytes read, std::int64_t firstByte, Callbacks callbacks);

    /// @return nothing when the document is whole
    std::optional<JsonBreak> run();

    std::int64_t offset() const { return m_offset; }

private:
    int peek();
    int take();
    int peekToken();
    bool captureValue(std::string* out);
    bool captureString(std::string* out);
    bool walkValue(const std::string& pointer, int depth);
    bool walkArray(const std::string& pointer);
    bool walkObject(const std::string& pointer, int depth);
    bool stop(std::int64_t from, const std::string& pointer, std::string reason);

    ReadBytes m_read;
    Callbacks m_callbacks;
    std::string m_chunk;
    std::size_t m_at = 0;
    std::int64_t m_offset = 0;
    bool m_ended = false;
    std::optional<JsonBreak> m_break;
};

} // namespace assay::ingest
