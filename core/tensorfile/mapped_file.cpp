// SPDX-License-Identifier: Apache-2.0
#include "core/tensorfile/mapped_file.h"

#include "core/text/error.h"
#include "core/text/one_line.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay::tensorfile {

namespace {

/// Closes a file at the end of a scope; a mapping outlives it.
struct Descriptor {
    int number = -1;
    ~Descriptor()
    {
        if (number >= 0)
            ::close(number);
    }
};

[[noreturn]] void failed(const std::string& path, int reason)
{
    throw Error("cannot be read: " + std::generic_category().message(reason), path, "Check the path and its permissions");
}

} // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    std::shared_ptr<MappedFile> file(new MappedFile);
    file->m_path = oneLine(path.string());
    // O_NONBLOCK: a pipe without a writer would hold the program before it can be refused.
    const Descriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat facts { };
    if (descriptor.number < 0 || ::fstat(descriptor.number, &facts) != 0)
        failed(file->m_path, errno);
    if (!S_ISREG(facts.st_mode))
        throw Error("is no regular file", file->m_path, "Name a .npy or .safetensors file");
    file->m_size = static_cast<std::size_t>(facts.st_size);
    if (file->m_size == 0)
        return file;
    void* const data = ::mmap(nullptr, file->m_size, PROT_READ, MAP_SHARED, descriptor.number, 0);
    if (data == MAP_FAILED) {
        file->m_size = 0;
        failed(file->m_path, errno);
    }
    file->m_data = static_cast<const std::byte*>(data);
    return file;
}

MappedFile::~MappedFile()
{
    if (m_data != nullptr)
        ::munmap(const_cast<std::byte*>(m_data), m_size);
}

} // namespace assay::tensorfile
