// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/byte_reader.h"

#include "kernels/device/binary_error.h"

#include <fmt/format.h>

#include <cstring>

namespace assay::device {

std::span<const std::byte> ByteReader::slice(std::uint64_t offset, std::uint64_t size) const
{
    if (offset > m_bytes.size() || size > m_bytes.size() - offset)
        throw BinaryError(fmt::format("{}: {} bytes at offset {} pass the end at {}: truncated or damaged", m_what, size, offset,
                                      m_bytes.size()));
    return m_bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

std::string_view ByteReader::text(std::uint64_t offset) const
{
    if (offset >= m_bytes.size())
        throw BinaryError(fmt::format("{}: text at offset {} lies past the end at {}", m_what, offset, m_bytes.size()));
    const auto rest = m_bytes.subspan(static_cast<std::size_t>(offset));
    const void* end = std::memchr(rest.data(), 0, rest.size());
    if (end == nullptr)
        throw BinaryError(fmt::format("{}: text at offset {} has no end", m_what, offset));
    const auto* begin = reinterpret_cast<const char*>(rest.data());
    return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
}

} // namespace assay::device
