// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace assay::device {

struct ElfSection {
    std::string_view name; ///< points into the file's bytes
    std::uint32_t type = 0;
    std::uint64_t flags = 0;
    std::uint64_t size = 0; ///< also where the section occupies no bytes of the file
    std::uint32_t link = 0;
    std::uint32_t info = 0;
    std::span<const std::byte> content{}; ///< empty for SHT_NOBITS
};

struct ElfSymbol {
    std::string_view name;
    unsigned char type = 0;  ///< STT_*: 2 is a function
    unsigned char other = 0; ///< st_other, where processors keep bits of their own
    std::uint16_t section = 0;
    std::uint64_t value = 0;
    std::uint64_t size = 0;
};

/// A little-endian 64-bit ELF file taken apart. Views stay valid while the bytes they were read from live.
struct Elf64 {
    unsigned char osAbi = 0;
    unsigned char abiVersion = 0;
    std::uint16_t machine = 0;
    std::uint32_t flags = 0;
    std::vector<ElfSection> sections;
    std::vector<ElfSymbol> symbols; ///< of the first SHT_SYMTAB; empty where there is none

    /// The first section called @p name, or null.
    const ElfSection* section(std::string_view name) const;
};

/// Reads headers, sections and symbols. Every offset, size and index is checked first: hostile bytes give an error, nothing
/// else.
/// @param what  names the bytes in errors
/// @throws BinaryError
/// Source: System V ABI, chapters 4 and 5 (object files).
Elf64 readElf64(std::span<const std::byte> bytes, std::string_view what = "ELF file");

/// True where the bytes start as an ELF file does.
bool looksLikeElf(std::span<const std::byte> bytes);

} // namespace assay::device
