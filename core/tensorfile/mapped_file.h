// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace assay::tensorfile {

/// A regular file mapped into memory, read-only. Nothing is copied, so a tensor costs no memory but the page cache's.
///
/// The file must not shrink while it is mapped: the system ends a program that reads behind the new end.
class MappedFile {
public:
    /// @throws Error  where it is absent, unreadable or no regular file
    static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return {m_data, m_size}; }
    /// For messages: on one line.
    const std::string& path() const { return m_path; }

private:
    MappedFile() = default;
    std::string m_path;
    const std::byte* m_data = nullptr;
    std::size_t m_size = 0;
};

} // namespace assay::tensorfile
