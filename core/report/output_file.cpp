// SPDX-License-Identifier: Apache-2.0
#include "core/report/output_file.h"

#include "core/text/error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace assay::report {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

std::string remedyFor(int code)
{
    switch (code) {
    case ENOSPC:
    case EDQUOT:
        return "The disk is full: free some space or write elsewhere";
    case EACCES:
    case EPERM:
    case EROFS:
        return "Write to a folder that you may change";
    case ENOENT:
    case ENOTDIR:
        return "Create the folder first";
    case EISDIR:
        return "Name a file, not a folder";
    default:
        return "Write elsewhere";
    }
}

/// The file that @p path means in the end, so that writing through a link replaces what it points at and not the link.
std::filesystem::path resolved(const std::filesystem::path& path)
{
    std::error_code failure;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, failure);
    return failure ? path : real;
}

bool mustBeWrittenDirectly(const std::filesystem::path& path)
{
    std::error_code failure;
    const std::filesystem::file_status status = std::filesystem::status(path, failure);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status);
}

/// Permissions of the file that is replaced, else what a new file gets.
mode_t permissionsFor(const std::filesystem::path& path)
{
    struct stat existing { };
    if (::stat(path.c_str(), &existing) == 0)
        return existing.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

} // namespace

OutputFile::OutputFile(const std::filesystem::path& path)
    : m_path(path)
{
    if (mustBeWrittenDirectly(path)) {
        m_descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        m_path = resolved(path);
        if (std::filesystem::is_directory(m_path))
            fail(EISDIR);
        std::string pattern = (m_path.parent_path() / ("." + m_path.filename().string() + ".XXXXXX")).string();
        m_descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
        if (m_descriptor >= 0)
            m_temporary = pattern;
    }
    if (m_descriptor < 0)
        fail(errno);
    m_pending.reserve(kBuffer);
}

OutputFile::~OutputFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

void OutputFile::fail(int code) const
{
    throw Error("cannot write: " + std::generic_category().message(code), m_path.string(), remedyFor(code));
}

void OutputFile::write(std::string_view bytes)
{
    m_pending += bytes;
    m_bytes += static_cast<std::int64_t>(bytes.size());
    if (m_pending.size() >= kBuffer)
        flush();
}

void OutputFile::flush()
{
    std::string_view rest = m_pending;
    while (!rest.empty()) {
        const ssize_t written = ::write(m_descriptor, rest.data(), rest.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            fail(errno);
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    m_pending.clear();
}

void OutputFile::commit()
{
    flush();
    const bool renames = !m_temporary.empty();
    if (renames && (::fchmod(m_descriptor, permissionsFor(m_path)) != 0 || ::fsync(m_descriptor) != 0))
        fail(errno);
    const int closed = ::close(m_descriptor);
    m_descriptor = -1;
    if (closed != 0)
        fail(errno);
    if (renames && ::rename(m_temporary.c_str(), m_path.c_str()) != 0)
        fail(errno);
    m_temporary.clear();
}

} // namespace assay::report
