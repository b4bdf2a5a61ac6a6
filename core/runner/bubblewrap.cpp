// SPDX-License-Identifier: Apache-2.0
#include "core/runner/bubblewrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>

#include <unistd.h>

namespace assay::runner {

namespace {

namespace fs = std::filesystem;

/// True where @p path is @p folder or lies in it.
bool lies(const fs::path& path, const fs::path& folder)
{
    const auto [rest, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return rest == folder.end();
}

std::string withoutSlash(fs::path path)
{
    path = path.lexically_normal();
    return path.has_filename() ? path.string() : path.parent_path().string();
}

/// Both spellings of every needed path that exists: as named and with links resolved.
std::set<std::string> bothSpellings(const std::vector<std::string>& needed)
{
    std::set<std::string> paths;
    for (const std::string& path : needed) {
        std::error_code none;
        const fs::path real = fs::canonical(path, none);
        if (none || !fs::path(path).is_absolute() || real == "/")
            continue;
        paths.insert(withoutSlash(path));
        paths.insert(real.string());
    }
    return paths;
}

/// The first folder on the way to @p path that only its owner may pass, or "": parties run as nobody where we are root.
std::string closedFolder(const fs::path& path)
{
    fs::path way;
    for (const fs::path& part : path) {
        way /= part;
        std::error_code none;
        const fs::file_status status = fs::status(way, none);
        if (!none && fs::is_directory(status) && (status.permissions() & fs::perms::others_exec) == fs::perms::none)
            return way.string();
    }
    return "";
}

std::set<std::string> hiddenFolders(const std::set<std::string>& needed)
{
    std::set<std::string> hidden = {"/root", "/home", "/tmp", "/var/tmp", "/run", "/mnt", "/media", "/srv"};
    if (const char* const home = std::getenv("HOME"); home != nullptr && fs::path(home).is_absolute())
        hidden.insert(withoutSlash(home));
    hidden.erase("/");
    if (::geteuid() == 0) {
        for (const std::string& path : needed)
            hidden.insert(closedFolder(path));
        hidden.erase("");
    }
    std::erase_if(hidden, [](const std::string& folder) {
        std::error_code none;
        return !fs::is_directory(fs::symlink_status(folder, none));
    });
    return hidden;
}

/// The folders on the way from @p outer down to @p path, both left out. Bubblewrap would make them for its own user alone.
std::vector<std::string> foldersBetween(const fs::path& outer, const fs::path& path)
{
    std::vector<std::string> folders;
    for (fs::path way = path.parent_path(); way != outer && way.has_relative_path(); way = way.parent_path())
        folders.insert(folders.begin(), way.string());
    return folders;
}

/// True where @p path lies in another needed folder below @p cover and so is there with it: a virtual environment's interpreter,
/// which is a link, cannot be bound over itself.
bool comesWithFolder(const std::string& path, const std::string& cover, const std::set<std::string>& needed)
{
    return std::ranges::any_of(needed, [&](const std::string& folder) {
        return folder != path && folder != cover && lies(path, folder) && lies(folder, cover);
    });
}

std::vector<std::string> gpuDevices()
{
    std::vector<std::string> devices;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator("/dev", none)) {
        if (entry.path().filename().string().starts_with("nvidia"))
            devices.push_back(entry.path().string());
    }
    return devices;
}

} // namespace

Bubblewrap bubblewrap(const VisiblePaths& paths, bool ownUser)
{
    Bubblewrap wrap;
    const auto add = [&](std::initializer_list<std::string> words) { wrap.command.insert(wrap.command.end(), words); };
    add({"bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
         "--unshare-cgroup-try"});
    if (ownUser)
        add({"--unshare-user"});
    add({"--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"});
    if (paths.gpu) {
        for (const std::string& device : gpuDevices())
            add({"--dev-bind-try", device, device});
    }
    add({"--tmpfs", "/dev/shm"});
    const std::set<std::string> needed = bothSpellings(paths.needed);
    const std::set<std::string> hidden = hiddenFolders(needed);
    for (const std::string& folder : hidden) {
        const bool open = needed.contains(folder);
        if (open)
            wrap.isolation.push_back(fmt::format("can read {}, because Python imports from it", folder));
        else
            add({"--tmpfs", folder});
    }
    for (const std::string& path : needed) { // in order, so that a folder comes before what lies in it
        const auto cover = std::find_if(hidden.begin(), hidden.end(), [&](const std::string& folder) {
            return lies(path, folder) && !needed.contains(folder);
        });
        if (cover == hidden.end() || comesWithFolder(path, *cover, needed))
            continue;
        for (const std::string& folder : foldersBetween(*cover, path))
            add({"--perms", "0755", "--dir", folder});
        std::error_code none;
        if (const fs::path target = fs::read_symlink(path, none); !none)
            add({"--symlink", target.string(), path});
        else
            add({"--ro-bind", path, path});
    }
    // Here the fork server, which runs no foreign code, may write a little; parties mount over it.
    add({"--size", "67108864", "--perms", "1777", "--tmpfs", kPrivateFolder, "--chdir", "/"});
    // The folders in memory that were made above are shared by all parties, so nobody may write there.
    for (const std::string& folder : hidden) {
        if (!needed.contains(folder))
            add({"--remount-ro", folder});
    }
    add({"--remount-ro", "/dev", "--"});
    return wrap;
}

} // namespace assay::runner
