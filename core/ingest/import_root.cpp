// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/import_root.h"

#include "core/text/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace fs = std::filesystem;

namespace assay::ingest {

namespace {

// Longest path that a link's text may hold; Linux allows no longer one.
constexpr std::size_t kMaxLinkText = 4096;
// As many links in a row as the kernel follows before it gives up with ELOOP.
constexpr int kMaxHops = 40;

bool isUnder(const fs::path& file, const fs::path& root)
{
    const auto [end, ignored] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
    return end == root.end();
}

std::string readBytes(const fs::path& path, std::string& problem)
{
    std::ifstream in(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (in.bad() || !in.is_open())
        problem = "cannot be read";
    return bytes;
}

} // namespace

ImportRoot::ImportRoot(const fs::path& folder)
{
    std::error_code error;
    m_root = fs::canonical(folder, error);
    if (error || !fs::is_directory(m_root, error))
        throw Error("cannot read the folder to import", folder.string(), "Check that it exists and may be listed");
}

RootedFile ImportRoot::resolve(const fs::path& inside, std::string_view named) const
{
    std::error_code error;
    RootedFile file;
    const fs::path real = fs::canonical(inside, error);
    if (error) {
        file.problem = fs::is_symlink(fs::symlink_status(inside, error)) ? fmt::format("a link to nothing: {}", named)
                                                                         : fmt::format("no such file: {}", named);
        return file;
    }
    if (!isUnder(real, m_root)) {
        file.problem = fmt::format("a link that leads out of the imported folder (import the folder that holds both): {}", named);
        return file;
    }
    if (!fs::is_regular_file(real, error)) {
        file.problem = fmt::format("not a regular file: {}", named);
        return file;
    }
    file.linked = real != inside.lexically_normal();
    file.path = real;
    return file;
}

RootedFile ImportRoot::locate(const fs::path& relative) const
{
    if (relative.is_absolute())
        return {{}, fmt::format("an absolute path outside the imported folder: {}", relative.string()), false};
    const fs::path inside = (m_root / relative).lexically_normal();
    if (!isUnder(inside, m_root))
        return {{}, fmt::format("a path that leads out of the imported folder: {}", relative.string()), false};
    return resolve(inside, relative.string());
}

RootedFile ImportRoot::locateTail(std::string_view foreign, const fs::path& base) const
{
    std::string text(foreign);
    std::replace(text.begin(), text.end(), '\\', '/');
    std::vector<fs::path> parts;
    for (const fs::path& part : fs::path(text).relative_path()) {
        // Without its `..` the rest is still a tail that may exist here, and cannot leave the root.
        if (part != ".." && part != ".")
            parts.push_back(part);
    }
    for (std::size_t first = 0; first < parts.size(); ++first) {
        fs::path tail;
        for (std::size_t i = first; i < parts.size(); ++i)
            tail /= parts[i];
        for (const fs::path& folder : {base, fs::path()}) {
            std::error_code error;
            if (!fs::exists(fs::symlink_status(m_root / folder / tail, error)))
                continue;
            RootedFile file = locate(folder / tail);
            if (file.found() || !file.problem.empty())
                return file;
        }
    }
    return {{}, fmt::format("no such file under the imported folder: {}", foreign), false};
}

RootedText ImportRoot::readText(const RootedFile& file, std::int64_t limit) const
{
    RootedText text{std::nullopt, file.problem, file.linked};
    RootedFile current = file;
    for (int hop = 0; current.found(); ++hop) {
        std::error_code error;
        const auto size = fs::file_size(current.path, error);
        if (error || size > static_cast<std::uintmax_t>(limit)) {
            text.problem = error ? fmt::format("cannot be read: {}", nameOf(current.path))
                                 : fmt::format("{} bytes are more than a source file may have: {}", size, nameOf(current.path));
            return text;
        }
        std::string bytes = readBytes(current.path, text.problem);
        if (!text.problem.empty())
            return text;
        const auto target = linkText(bytes);
        if (!target || hop == kMaxHops) {
            text.bytes = std::move(bytes);
            return text;
        }
        text.linked = true;
        const fs::path relative = (current.path.parent_path() / *target).lexically_normal().lexically_relative(m_root);
        current = locate(relative);
        if (!current.found())
            text.problem = current.problem;
    }
    return text;
}

RootedText ImportRoot::readText(const fs::path& relative, std::int64_t limit) const
{
    return readText(locate(relative), limit);
}

std::string ImportRoot::nameOf(const fs::path& file) const
{
    return file.lexically_relative(m_root).generic_string();
}

std::vector<fs::path> ImportRoot::files(const fs::path& relative, std::vector<std::string>& problems) const
{
    std::vector<fs::path> found;
    std::error_code error;
    fs::recursive_directory_iterator it(m_root / relative, fs::directory_options::none, error);
    if (error)
        problems.push_back(fmt::format("cannot list {}: {}", (m_root / relative).string(), error.message()));
    for (const fs::recursive_directory_iterator end; !error && it != end;) {
        const fs::path entry = it->path();
        std::error_code status;
        const fs::file_status what = it->symlink_status(status);
        if (fs::is_directory(what) && entry.filename() == ".git")
            it.disable_recursion_pending();
        else if (fs::is_regular_file(what) || fs::is_symlink(what))
            found.push_back(entry.lexically_relative(m_root));
        it.increment(error);
        if (error)
            problems.push_back(fmt::format("cannot list what follows {}: {}", entry.string(), error.message()));
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::optional<std::string> linkText(std::string_view bytes)
{
    while (!bytes.empty() && (bytes.back() == '\n' || bytes.back() == '\r'))
        bytes.remove_suffix(1);
    if (bytes.empty() || bytes.size() > kMaxLinkText)
        return std::nullopt;
    // Anything that could be a statement of a program is not a path; kernels never fit in one line of these characters.
    if (bytes.find_first_of("\n\r\t =()[]{}\"'#:;,*<>|") != std::string_view::npos || bytes.find('/') == std::string_view::npos)
        return std::nullopt;
    const std::string name = fs::path(std::string(bytes)).filename().string();
    return name.find('.') == std::string::npos ? std::nullopt : std::optional(std::string(bytes));
}

} // namespace assay::ingest
