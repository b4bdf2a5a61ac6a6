// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace assay::report {

/// A file that appears whole or not at all: bytes go to a new file beside it, which takes its name in commit().
/// What is no regular file (/dev/stdout, a pipe) is written directly, as nothing could take its place.
class OutputFile {
public:
    /// @throws Error that names the path
    explicit OutputFile(const std::filesystem::path& path);
    /// Removes what was written unless committed.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// @throws Error that names the path (disk full, quota, I/O error)
    void write(std::string_view bytes);

    /// Flushes to the disk and takes the name. @throws Error; then nothing is left behind and an older file is as it was
    void commit();

    std::int64_t bytes() const { return m_bytes; }

private:
    void flush();
    [[noreturn]] void fail(int code) const;

    std::filesystem::path m_path;      ///< what the caller asked for, links resolved
    std::filesystem::path m_temporary; ///< "" where bytes go straight to m_path
    std::string m_pending;
    std::int64_t m_bytes = 0;
    int m_descriptor = -1;
};

} // namespace assay::report
