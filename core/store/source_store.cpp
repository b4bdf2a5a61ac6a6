// SPDX-License-Identifier: Apache-2.0
#include "core/store/source_store.h"

#include "core/text/sha256.h"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>
#include <zstd.h>

namespace assay::store {

namespace {

constexpr std::size_t kRemembered = 65536;
constexpr int kCompressionLevel = 3; // zstd's own default: sources are small, and an import must not wait for the packer

} // namespace

SourceStore::SourceStore(SQLite::Database& database)
    : m_database(database)
    , m_find(database, "SELECT id FROM source WHERE sha256 = ?1")
    , m_insert(database, "INSERT INTO source (sha256, lf_sha256, bytes, codec, data) VALUES (?1, ?2, ?3, ?4, ?5)")
    , m_index(database, "INSERT INTO source_fts (rowid, text) VALUES (?1, ?2)")
{
}

void SourceStore::remember(const std::string& sha256, std::int64_t id)
{
    if (m_known.size() >= kRemembered)
        m_known.clear();
    m_known.emplace(sha256, id);
}

std::optional<std::int64_t> SourceStore::find(const std::string& sha256)
{
    if (const auto known = m_known.find(sha256); known != m_known.end())
        return known->second;
    const auto id = singleInteger(m_find.text(1, sha256));
    if (id)
        remember(sha256, *id);
    return id;
}

std::int64_t SourceStore::findOrInsert(std::string_view bytes, const std::string& sha256)
{
    if (const auto id = find(sha256))
        return *id;
    const bool hasReturns = bytes.find("\r\n") != std::string_view::npos;
    const std::string lfSha256 = hasReturns ? sha256Hex(withLineFeeds(bytes)) : sha256;
    const Packed packed = pack(bytes);
    m_insert.text(1, sha256).text(2, lfSha256).integer(3, static_cast<std::int64_t>(bytes.size()));
    m_insert.text(4, packed.codec).blob(5, packed.data).run();
    const std::int64_t id = m_database.getLastInsertRowid();
    m_index.integer(1, id).text(2, bytes).run();
    remember(sha256, id);
    return id;
}

Packed pack(std::string_view bytes)
{
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kCompressionLevel);
    if (ZSTD_isError(size) != 0 || size >= bytes.size())
        return {"raw", std::string(bytes)};
    packed.resize(size);
    return {"zstd", std::move(packed)};
}

std::optional<std::string> unpack(std::string_view codec, std::string_view data, std::int64_t bytes)
{
    if (bytes < 0)
        return std::nullopt;
    const auto expected = static_cast<std::size_t>(bytes);
    if (codec == "raw")
        return data.size() == expected ? std::optional(std::string(data)) : std::nullopt;
    // The frame's own size is looked at first: a damaged length must not make us allocate it.
    if (codec != "zstd" || ZSTD_getFrameContentSize(data.data(), data.size()) != expected)
        return std::nullopt;
    std::string text(expected, '\0');
    const std::size_t got = ZSTD_decompress(text.data(), text.size(), data.data(), data.size());
    if (ZSTD_isError(got) != 0 || got != expected)
        return std::nullopt;
    return text;
}

std::string withLineFeeds(std::string_view bytes)
{
    std::string text;
    text.reserve(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n')
            continue;
        text += bytes[i];
    }
    return text;
}

std::optional<std::string> loadSource(SQLite::Database& database, std::int64_t sourceId)
{
    Statement query(database, "SELECT sha256, bytes, codec, data FROM source WHERE id = ?1");
    if (!query.integer(1, sourceId).step())
        return std::nullopt;
    auto text = unpack(query.textAt(2), query.blobAt(3), query.integerAt(1));
    if (!text || sha256Hex(*text) != query.textAt(0))
        throw SQLite::Exception("source " + std::to_string(sourceId) + " does not match its SHA-256", SQLITE_CORRUPT);
    return text;
}

} // namespace assay::store
