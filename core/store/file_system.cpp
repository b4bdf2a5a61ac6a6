// SPDX-License-Identifier: Apache-2.0
#include "core/store/file_system.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace assay::store {

namespace {

struct NetworkMagic {
    std::int64_t magic;
    const char* name;
};

// From linux/magic.h and the headers of the file systems that are not in it.
constexpr std::array kNetworkMagics = {
    NetworkMagic{0x6969, "NFS"},        NetworkMagic{0x517B, "SMB"},        NetworkMagic{0xFF534D42, "CIFS"},
    NetworkMagic{0xFE534D42, "SMB"},    NetworkMagic{0x65735546, "FUSE"},   NetworkMagic{0x01021997, "9P"},
    NetworkMagic{0x00C36400, "Ceph"},   NetworkMagic{0x5346414F, "AFS"},    NetworkMagic{0x73757245, "Coda"},
    NetworkMagic{0x0BD00BD0, "Lustre"}, NetworkMagic{0x47504653, "GPFS"},   NetworkMagic{0x7461636F, "OCFS2"},
    NetworkMagic{0x01161970, "GFS2"},   NetworkMagic{0x19830326, "BeeGFS"},
};

std::uint32_t bigEndian32(const unsigned char* bytes)
{
    return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) | (std::uint32_t{bytes[2]} << 8) | bytes[3];
}

std::filesystem::path nearestExisting(std::filesystem::path path)
{
    std::error_code ignored;
    while (!path.empty() && !std::filesystem::exists(path, ignored) && path.has_parent_path() && path != path.parent_path())
        path = path.parent_path();
    return path.empty() ? std::filesystem::path(".") : path;
}

std::string programName(int pid)
{
    std::ifstream comm("/proc/" + std::to_string(pid) + "/comm");
    std::string name;
    std::getline(comm, name);
    return name;
}

// One line of /proc/locks: "1: POSIX  ADVISORY  WRITE 1234 fd:01:56789 120 120".
std::optional<int> writerInLockLine(const std::string& line, const std::vector<FileId>& files)
{
    std::istringstream words(line);
    std::string ordinal, kind, advisory, access, pidText, place;
    words >> ordinal >> kind >> advisory >> access >> pidText >> place;
    if (access != "WRITE" || kind == "->")
        return std::nullopt;
    unsigned major = 0;
    unsigned minor = 0;
    unsigned long long inode = 0;
    if (std::sscanf(place.c_str(), "%x:%x:%llu", &major, &minor, &inode) != 3)
        return std::nullopt;
    int pid = 0;
    std::from_chars(pidText.data(), pidText.data() + pidText.size(), pid);
    for (const FileId& file : files) {
        if (file.second == inode && file.first == makedev(major, minor) && pid > 0)
            return pid;
    }
    return std::nullopt;
}

} // namespace

std::optional<FileId> fileId(const std::filesystem::path& path)
{
    struct stat info { };
    if (::stat(path.c_str(), &info) != 0)
        return std::nullopt;
    return FileId{static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino)};
}

std::optional<std::string> networkFileSystemName(std::int64_t magic)
{
    // f_type is a signed long on some architectures, and CIFS' magic fills all 32 bits.
    const auto unsigned32 = static_cast<std::uint32_t>(magic);
    for (const NetworkMagic& known : kNetworkMagics) {
        if (static_cast<std::uint32_t>(known.magic) == unsigned32)
            return known.name;
    }
    return std::nullopt;
}

std::optional<std::string> networkFileSystemOf(const std::filesystem::path& path)
{
    if (const char* overruled = std::getenv("ASSAY_FILE_SYSTEM"); overruled != nullptr && *overruled != '\0') {
        if (std::strcmp(overruled, "local") == 0)
            return std::nullopt;
        if (std::strcmp(overruled, "network") == 0)
            return "ASSAY_FILE_SYSTEM=network";
    }
    struct statfs info { };
    if (::statfs(nearestExisting(path).c_str(), &info) != 0)
        return std::nullopt;
    return networkFileSystemName(static_cast<std::int64_t>(info.f_type));
}

std::optional<SqliteHeader> readHeader(const std::filesystem::path& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return std::nullopt;
    SqliteHeader header;
    struct stat info { };
    ::fstat(file, &info);
    header.fileBytes = info.st_size;
    std::array<unsigned char, 100> bytes{};
    const ssize_t got = ::read(file, bytes.data(), bytes.size());
    const int problem = errno;
    ::close(file);
    if (got < 0) {
        errno = problem;
        return std::nullopt;
    }
    // File format: https://sqlite.org/fileformat2.html, section 1.3.
    header.isSqlite = got == static_cast<ssize_t>(bytes.size()) && std::memcmp(bytes.data(), "SQLite format 3", 16) == 0;
    if (!header.isSqlite)
        return header;
    const std::int64_t rawPage = (std::int64_t{bytes[16]} << 8) | bytes[17];
    const std::int64_t pageSize = rawPage == 1 ? 65536 : rawPage;
    header.walMode = bytes[18] == 2;
    // The page count is valid only where the change counter equals the counter it was written with.
    if (bigEndian32(&bytes[24]) == bigEndian32(&bytes[92]))
        header.expectedBytes = pageSize * bigEndian32(&bytes[28]);
    header.userVersion = static_cast<std::int32_t>(bigEndian32(&bytes[60]));
    header.applicationId = static_cast<std::int32_t>(bigEndian32(&bytes[68]));
    return header;
}

bool canWrite(const std::filesystem::path& path, std::string& why)
{
    if (::access(path.c_str(), W_OK) != 0) {
        why = "the file cannot be written";
        return false;
    }
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        why = "the folder cannot be written";
        return false;
    }
    return true;
}

std::string lockHolder(const std::filesystem::path& database)
{
    std::vector<FileId> files;
    for (const auto& path : {database, besides(database, "-shm")}) {
        if (const auto id = fileId(path))
            files.push_back(*id);
    }
    std::ifstream locks("/proc/locks");
    std::string line;
    while (std::getline(locks, line)) {
        if (const auto pid = writerInLockLine(line, files)) {
            if (*pid == ::getpid())
                return "this program (pid " + std::to_string(*pid) + ")";
            const std::string program = programName(*pid);
            return (program.empty() ? std::string("a process") : program) + " (pid " + std::to_string(*pid) + ")";
        }
    }
    return {};
}

std::string lockedSentence(const std::filesystem::path& database)
{
    const std::string holder = lockHolder(database);
    return "the database is locked" + (holder.empty() ? std::string() : " by " + holder);
}

std::filesystem::path sqliteTempFolder()
{
    // The order of os_unix.c, so that we name the folder SQLite really uses.
    for (const char* name : {"SQLITE_TMPDIR", "TMPDIR"}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0' && ::access(value, W_OK | X_OK) == 0)
            return value;
    }
    for (const char* folder : {"/var/tmp", "/usr/tmp", "/tmp"}) {
        if (::access(folder, W_OK | X_OK) == 0)
            return folder;
    }
    return ".";
}

std::int64_t freeBytes(const std::filesystem::path& path)
{
    struct statvfs info { };
    if (::statvfs(nearestExisting(path).c_str(), &info) != 0)
        return -1;
    return static_cast<std::int64_t>(info.f_bavail) * static_cast<std::int64_t>(info.f_frsize);
}

TemporaryFolder::TemporaryFolder()
{
    std::string pattern = (sqliteTempFolder() / "assay-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw std::filesystem::filesystem_error("cannot create a private folder", pattern,
                                                std::error_code(errno, std::generic_category()));
    m_path = pattern;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored; // a leftover in the temporary folder is no failure of the work that used it
    std::filesystem::remove_all(m_path, ignored);
}

std::string sqliteUri(const std::filesystem::path& path, const std::string& query)
{
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(path).string()) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9')
            || std::strchr("/-_.~", c) != nullptr;
        if (plain) {
            uri += c;
        } else {
            uri += '%';
            uri += kHex[byte >> 4];
            uri += kHex[byte & 0xF];
        }
    }
    return query.empty() ? uri : uri + '?' + query;
}

std::filesystem::path besides(const std::filesystem::path& path, const std::string& suffix)
{
    std::filesystem::path other = path;
    other += suffix;
    return other;
}

} // namespace assay::store
