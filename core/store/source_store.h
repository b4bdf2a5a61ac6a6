// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/statement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace assay::store {

/// Content-addressed source texts: each is stored once, compressed, under the SHA-256 of its raw bytes.
/// Lives inside the transaction of whoever uses it.
class SourceStore {
public:
    explicit SourceStore(SQLite::Database& database);

    /// Id of the source with this hash, or nothing.
    std::optional<std::int64_t> find(const std::string& sha256);

    /// Id of @p bytes, stored and put into source_fts where they are new. @param sha256 their hash
    std::int64_t findOrInsert(std::string_view bytes, const std::string& sha256);

private:
    void remember(const std::string& sha256, std::int64_t id);

    SQLite::Database& m_database;
    Statement m_find;
    Statement m_insert;
    Statement m_index;
    std::unordered_map<std::string, std::int64_t> m_known; ///< references repeat, so most look-ups end here
};

/// @p bytes as they go into a data column: codec "zstd" where that is shorter, else "raw".
struct Packed {
    std::string codec;
    std::string data;
};
Packed pack(std::string_view bytes);

/// Inverse of pack(). @return nothing when @p data is not what @p codec says or does not unpack to @p bytes bytes
std::optional<std::string> unpack(std::string_view codec, std::string_view data, std::int64_t bytes);

/// @p bytes with CRLF made LF, so that checkouts of different systems agree.
std::string withLineFeeds(std::string_view bytes);

/// Raw bytes of a stored source, checked against their hash.
/// @return nothing when there is no such source
/// @throws SQLite::Exception(SQLITE_CORRUPT) when the bytes are not those that were stored
std::optional<std::string> loadSource(SQLite::Database& database, std::int64_t sourceId);

} // namespace assay::store
