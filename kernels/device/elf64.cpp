// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/elf64.h"

#include "kernels/device/binary_error.h"
#include "kernels/device/byte_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::device {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;
constexpr std::uint64_t kSectionBytes = 64;
constexpr std::uint64_t kSymbolBytes = 24;
constexpr std::uint32_t kSymbolTable = 2; // SHT_SYMTAB
constexpr std::uint32_t kStringTable = 3; // SHT_STRTAB
constexpr std::uint32_t kNoBits = 8;      // SHT_NOBITS

/// Names out of a string table. Names may share tails, but hostile ones that all point at one long text would cost the square
/// of the file's size, so their total is held to a multiple of it.
class Names {
public:
    Names(std::span<const std::byte> table, std::uint64_t fileBytes, std::string_view what)
        : m_texts(table, what)
        , m_budget(fileBytes * 16)
        , m_what(what)
    {
    }

    std::string_view at(std::uint64_t offset)
    {
        const std::string_view name = m_texts.text(offset);
        if (name.size() > m_budget)
            throw BinaryError(fmt::format("{}: its names are longer than its size allows", m_what));
        m_budget -= name.size();
        return name;
    }

private:
    ByteReader m_texts;
    std::uint64_t m_budget;
    std::string_view m_what;
};

std::vector<ElfSection> readSections(const ByteReader& file, std::string_view what)
{
    const auto table = file.at<std::uint64_t>(40);
    const auto entryBytes = file.at<std::uint16_t>(58);
    const auto count = file.at<std::uint16_t>(60);
    const auto nameTable = file.at<std::uint16_t>(62);
    if (count == 0)
        return {};
    if (entryBytes != kSectionBytes)
        throw BinaryError(fmt::format("{}: section headers of {} bytes, {} expected", what, entryBytes, kSectionBytes));
    if (nameTable >= count)
        throw BinaryError(fmt::format("{}: section names in section {} of {}", what, nameTable, count));
    const ByteReader headers(file.slice(table, std::uint64_t{count} * kSectionBytes), what);

    std::vector<ElfSection> sections(count);
    std::vector<std::uint32_t> names(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = i * kSectionBytes;
        ElfSection& section = sections[i];
        names[i] = headers.at<std::uint32_t>(at);
        section.type = headers.at<std::uint32_t>(at + 4);
        section.flags = headers.at<std::uint64_t>(at + 8);
        section.size = headers.at<std::uint64_t>(at + 32);
        section.link = headers.at<std::uint32_t>(at + 40);
        section.info = headers.at<std::uint32_t>(at + 44);
        if (section.type != kNoBits && section.type != 0)
            section.content = file.slice(headers.at<std::uint64_t>(at + 24), section.size);
    }
    Names texts(sections[nameTable].content, file.size(), what);
    for (std::size_t i = 0; i < sections.size(); ++i)
        if (sections[i].type != 0)
            sections[i].name = texts.at(names[i]);
    return sections;
}

std::vector<ElfSymbol> readSymbols(const std::vector<ElfSection>& sections, std::uint64_t fileBytes, std::string_view what)
{
    const auto table = std::ranges::find(sections, kSymbolTable, &ElfSection::type);
    if (table == sections.end())
        return {};
    if (table->link >= sections.size() || sections[table->link].type != kStringTable)
        throw BinaryError(fmt::format("{}: the symbol table names section {} for its texts, which is none", what, table->link));
    if (table->content.size() % kSymbolBytes != 0)
        throw BinaryError(
            fmt::format("{}: a symbol table of {} bytes is no whole number of symbols", what, table->content.size()));
    const ByteReader entries(table->content, what);
    Names texts(sections[table->link].content, fileBytes, what);
    std::vector<ElfSymbol> symbols;
    symbols.reserve(table->content.size() / kSymbolBytes);
    for (std::uint64_t at = 0; at < entries.size(); at += kSymbolBytes) {
        ElfSymbol symbol;
        symbol.name = texts.at(entries.at<std::uint32_t>(at));
        symbol.type = entries.at<std::uint8_t>(at + 4) & 0xf;
        symbol.other = entries.at<std::uint8_t>(at + 5);
        symbol.section = entries.at<std::uint16_t>(at + 6);
        symbol.value = entries.at<std::uint64_t>(at + 8);
        symbol.size = entries.at<std::uint64_t>(at + 16);
        symbols.push_back(symbol);
    }
    return symbols;
}

} // namespace

const ElfSection* Elf64::section(std::string_view name) const
{
    const auto found = std::ranges::find(sections, name, &ElfSection::name);
    return found == sections.end() ? nullptr : &*found;
}

bool looksLikeElf(std::span<const std::byte> bytes)
{
    constexpr std::array kMagic{std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};
    return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

Elf64 readElf64(std::span<const std::byte> bytes, std::string_view what)
{
    if (!looksLikeElf(bytes))
        throw BinaryError(fmt::format("{}: does not start as an ELF file", what));
    if (bytes.size() < kHeaderBytes)
        throw BinaryError(fmt::format("{}: {} bytes are too short for an ELF header", what, bytes.size()));
    const ByteReader file(bytes, what);
    if (file.at<std::uint8_t>(4) != 2 || file.at<std::uint8_t>(5) != 1)
        throw BinaryError(fmt::format("{}: not a little-endian 64-bit ELF file", what));
    Elf64 elf;
    elf.osAbi = file.at<std::uint8_t>(7);
    elf.abiVersion = file.at<std::uint8_t>(8);
    elf.machine = file.at<std::uint16_t>(18);
    elf.flags = file.at<std::uint32_t>(48);
    elf.sections = readSections(file, what);
    elf.symbols = readSymbols(elf.sections, bytes.size(), what);
    return elf;
}

} // namespace assay::device
