// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace assay::device {

/// Little-endian reads from bytes that nobody vouches for: each one is checked against the end.
class ByteReader {
public:
    /// @param what  names the bytes in errors: "cubin", ".nv.info.matmul"
    ByteReader(std::span<const std::byte> bytes, std::string_view what)
        : m_bytes(bytes)
        , m_what(what)
    {
    }

    std::uint64_t size() const { return m_bytes.size(); }

    /// The number of type T at byte @p offset.
    /// @throws BinaryError  where it would pass the end
    template <std::unsigned_integral T> T at(std::uint64_t offset) const
    {
        const auto bytes = slice(offset, sizeof(T));
        T value = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i)
            value = static_cast<T>(value | static_cast<T>(static_cast<T>(std::to_integer<std::uint8_t>(bytes[i])) << (8 * i)));
        return value;
    }

    /// @throws BinaryError  where [offset, offset + size) is not inside
    std::span<const std::byte> slice(std::uint64_t offset, std::uint64_t size) const;

    /// The zero-terminated text at @p offset, without the zero.
    /// @throws BinaryError  where no zero follows
    std::string_view text(std::uint64_t offset) const;

private:
    std::span<const std::byte> m_bytes;
    std::string_view m_what;
};

} // namespace assay::device
