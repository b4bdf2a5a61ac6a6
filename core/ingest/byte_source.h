// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace assay::ingest {

/// Where a compressed file stops making sense. Everything before it was delivered.
struct StreamDamage {
    std::int64_t rawByte = 0; ///< offset in the file on disk
    std::int64_t byte = 0;    ///< offset in the decompressed content
    std::string reason;
};

/// The content of one file as a stream: plain, gzip (several members too) or zstd, told apart by the first bytes and not by the
/// name. A UTF-8 byte order mark at the start is left out but counted in offsets.
class ByteSource {
public:
    /// @throws Error  when the file is absent, unreadable, a folder, or something that is not a file (FIFO, device, socket)
    explicit ByteSource(const std::filesystem::path& path);
    ~ByteSource();
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// Up to @p capacity bytes of content; 0 at the end or where the stream is damaged. @throws Error when the disk fails
    std::size_t read(char* out, std::size_t capacity);

    /// Set once read() has met damage.
    const std::optional<StreamDamage>& damage() const;

    /// Offset in the content of the first byte that read() delivered: 3 after a byte order mark, else 0. Known after the first
    /// read().
    std::int64_t firstByte() const;

    std::int64_t rawBytesRead() const; ///< bytes taken from disk so far, for progress
    std::int64_t rawBytes() const;     ///< size of the file on disk
    bool isCompressed() const;
    const std::filesystem::path& path() const;

    /// SHA-256 over the bytes on disk; reads what is left of the file first.
    std::string finishSha256();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

/// The whole content of @p path, decompressed, without byte order mark.
/// @throws Error  as ByteSource, where the stream is damaged, and where the content is larger than @p limit bytes
std::string readWholeFile(const std::filesystem::path& path, std::int64_t limit);

/// SHA-256 over the bytes of a file on disk, or, for a folder, over the relative paths and hashes of the regular files in it
/// (links are not followed). Deterministic: sorted by path.
std::string sha256OfPath(const std::filesystem::path& path);

/// Largest document that is read as a whole (single JSON documents, text reports). Line formats have no such limit.
inline constexpr std::int64_t kMaxDocumentBytes = std::int64_t{512} << 20;

} // namespace assay::ingest
