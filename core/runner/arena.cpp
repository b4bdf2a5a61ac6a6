// SPDX-License-Identifier: Apache-2.0
#include "core/runner/arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace assay::runner {

namespace {

constexpr std::int64_t kAlignment = 64;
constexpr std::size_t kMaxDimensions = 64; // as torch

[[noreturn]] void fail(const char* call)
{
    throw std::system_error(errno, std::generic_category(), call);
}

/// Bytes of a row-major tensor. 128 bits until the limits are checked: sizes come from code that means harm.
std::int64_t checkedBytes(tensor::DType dtype, const std::vector<std::int64_t>& shape)
{
    if (shape.size() > kMaxDimensions)
        throw Nonsense(fmt::format("a tensor of {} dimensions", shape.size()));
    constexpr __int128 kLimit = std::int64_t{1} << 60;
    // Sizes beside a zero are multiplied by others too, so they must stay in range without it.
    __int128 product = tensor::sizeOf(dtype);
    bool empty = false;
    for (const std::int64_t size : shape) {
        if (size < 0)
            throw Nonsense(fmt::format("a tensor with a size of {}", size));
        empty = empty || size == 0;
        product *= std::max<std::int64_t>(size, 1);
        if (product > kLimit)
            throw Nonsense("a tensor of more bytes than there are");
    }
    return empty ? 0 : static_cast<std::int64_t>(product);
}

} // namespace

ArenaPlace ArenaWriter::add(const tensor::HostTensor& tensor)
{
    if (!m_file) {
        m_file = Descriptor(::memfd_create("assay", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        if (!m_file)
            fail("memfd_create");
    }
    const int size = tensor::sizeOf(tensor.dtype());
    ArenaPlace place{tensor.dtype(), tensor.shape(), tensor.strides(), m_bytes, 0};
    if (tensor.count() == 0)
        return place;
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (std::size_t i = 0; i < place.shape.size(); ++i) {
        const std::int64_t reach = (place.shape[i] - 1) * place.strides[i];
        (reach < 0 ? lowest : highest) += reach;
    }
    // A view with an offset stays one on the other side: code may forget that its data do not begin with the storage.
    place.lead = tensor.offsetBytes() / size + lowest;
    lowest -= place.lead;
    place.offset = m_bytes - lowest * size;
    write(tensor.view().data + lowest * size, (highest - lowest + 1) * size);
    m_bytes = (m_bytes + kAlignment - 1) / kAlignment * kAlignment;
    return place;
}

void ArenaWriter::write(const std::byte* data, std::int64_t count)
{
    while (count > 0) {
        const ssize_t done = ::pwrite(m_file.number(), data, static_cast<std::size_t>(count), m_bytes);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            fail("pwrite");
        data += done;
        count -= done;
        m_bytes += done;
    }
}

Descriptor ArenaWriter::seal()
{
    // The padding after the last tensor belongs to the arena too.
    if (::ftruncate(m_file.number(), m_bytes) != 0)
        fail("ftruncate");
    if (::fcntl(m_file.number(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
        fail("F_ADD_SEALS");
    // Before Linux 6.7 a sealed file maps only through a descriptor that could not write anyway.
    Descriptor readOnly(::open(fmt::format("/proc/self/fd/{}", m_file.number()).c_str(), O_RDONLY | O_CLOEXEC));
    return readOnly ? std::move(readOnly) : std::move(m_file);
}

ArenaReader::ArenaReader(Descriptor file, std::int64_t claimedBytes, std::int64_t budget)
    : m_file(std::move(file))
    , m_bytes(claimedBytes)
    , m_budget(budget)
{
    struct stat status { };
    if (::fstat(m_file.number(), &status) != 0 || !S_ISREG(status.st_mode))
        throw Nonsense("an arena that is no memory file");
    if (claimedBytes < 0 || status.st_size < claimedBytes)
        throw Nonsense(fmt::format("an arena said to hold {} bytes holds {}", claimedBytes, status.st_size));
}

void ArenaReader::limitTo(std::int64_t bytes)
{
    m_budget = std::min(m_budget, bytes);
}

tensor::HostTensor ArenaReader::read(tensor::DType dtype, const std::vector<std::int64_t>& shape, std::int64_t offset)
{
    const std::int64_t count = checkedBytes(dtype, shape);
    if (offset < 0 || offset > m_bytes || count > m_bytes - offset)
        throw Nonsense(fmt::format("a tensor of {} bytes at {} of an arena of {}", count, offset, m_bytes));
    if (count > m_budget)
        throw Nonsense("an answer of more bytes than answers may have");
    m_budget -= count;
    tensor::HostTensor tensor(dtype, shape);
    std::span<std::byte> rest = tensor.bytes();
    while (!rest.empty()) {
        const ssize_t got = ::pread(m_file.number(), rest.data(), rest.size(), offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            throw Nonsense("an arena that shrank while it was read");
        rest = rest.subspan(static_cast<std::size_t>(got));
        offset += got;
    }
    return tensor;
}

std::vector<std::byte> ArenaReader::readBytes(std::int64_t offset, std::int64_t count)
{
    const tensor::HostTensor bytes = read(tensor::DType::UInt8, {count}, offset);
    return {bytes.bytes().begin(), bytes.bytes().end()};
}

tensor::HostTensor ArenaReader::layOut(const tensor::HostTensor& tensor, const std::vector<std::int64_t>& strides)
{
    const std::vector<std::int64_t>& shape = tensor.shape();
    if (strides.size() != shape.size())
        throw Nonsense("a layout of another number of dimensions than its tensor");
    const std::int64_t count = tensor.count();
    if (strides == tensor.strides() || count == 0)
        return tensor;
    __int128 highest = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (strides[i] < 0)
            throw Nonsense("a layout with a negative stride");
        highest += static_cast<__int128>(shape[i] - 1) * strides[i];
    }
    const int size = tensor::sizeOf(tensor.dtype());
    const __int128 bytes = (highest + 1) * size;
    if (bytes > m_budget)
        throw Nonsense("a layout that spans more bytes than answers may have");
    m_budget -= static_cast<std::int64_t>(bytes);
    auto storage = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
    const std::span<const std::byte> from = tensor.bytes();
    std::vector<std::int64_t> index(shape.size(), 0);
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        std::copy_n(from.data() + i * size, size, storage->data() + at * size);
        for (std::size_t d = shape.size(); d-- > 0;) {
            at += strides[d];
            if (++index[d] < shape[d])
                break;
            at -= strides[d] * shape[d];
            index[d] = 0;
        }
    }
    return {std::move(storage), tensor.dtype(), shape, strides};
}

} // namespace assay::runner
