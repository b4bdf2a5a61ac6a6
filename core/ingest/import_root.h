// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::ingest {

/// A file that a corpus named, or why it was not read.
struct RootedFile {
    std::filesystem::path path; ///< real path, links resolved; empty where there is a problem
    std::string problem;        ///< one clause ("a link to nothing: x.py"), or ""
    bool linked = false;        ///< reached through a link or through the one-line text of a link
    bool found() const { return !path.empty(); }
};

struct RootedText {
    std::optional<std::string> bytes; ///< verbatim
    std::string problem;
    bool linked = false;
};

/// The folder that one import may read. Records name files with foreign absolute paths, links and `..`: everything is resolved
/// inside the folder, and nothing outside it is ever opened.
class ImportRoot {
public:
    /// Longest source file that is kept. @see readText
    static constexpr std::int64_t kMaxSourceBytes = std::int64_t{16} << 20;

    /// @throws Error when @p folder is not a readable folder
    explicit ImportRoot(const std::filesystem::path& folder);

    const std::filesystem::path& path() const { return m_root; }

    /// @p relative under the root. Absolute paths and paths or links that leave the root are refused.
    RootedFile locate(const std::filesystem::path& relative) const;

    /// What @p foreign, a path of another machine, means here: its longest tail that names a file under @p base or under the
    /// root.
    RootedFile locateTail(std::string_view foreign, const std::filesystem::path& base) const;

    /// The bytes of @p file. A checkout without links holds a link as one line with its target: such a line is followed too.
    RootedText readText(const RootedFile& file, std::int64_t limit = kMaxSourceBytes) const;
    RootedText readText(const std::filesystem::path& relative, std::int64_t limit = kMaxSourceBytes) const;

    /// @p file as the corpus would name it: relative to the root, with forward slashes.
    std::string nameOf(const std::filesystem::path& file) const;

    /// Regular files and links under @p relative, relative to the root, sorted; folders that are links are not entered.
    /// @param problems  one line for each folder that could not be listed
    std::vector<std::filesystem::path> files(const std::filesystem::path& relative, std::vector<std::string>& problems) const;

private:
    RootedFile resolve(const std::filesystem::path& inside, std::string_view named) const;

    std::filesystem::path m_root;
};

/// The target that @p bytes, the content of a checked-out link, names; nothing where it is ordinary text.
std::optional<std::string> linkText(std::string_view bytes);

} // namespace assay::ingest
