// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/fatbin.h"

#include "kernels/device/byte_reader.h"
#include "kernels/device/elf64.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::device {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint64_t kContainerHeader = 16;
constexpr std::uint64_t kEntryHeader = 64;
constexpr std::uint64_t kCompressedFlags = 0x2000 | 0x8000; // LZ4, zstd

std::span<const std::byte> withoutPadding(std::span<const std::byte> text)
{
    const auto isPadding = [](std::byte b) { return b == std::byte{'\n'} || b == std::byte{0}; };
    while (!text.empty() && isPadding(text.front()))
        text = text.subspan(1);
    while (!text.empty() && isPadding(text.back()))
        text = text.first(text.size() - 1);
    return text;
}

FatbinEntry readEntry(const ByteReader& body, std::uint64_t at, std::uint64_t headerBytes, std::uint64_t payloadBytes)
{
    FatbinEntry entry;
    const auto kind = body.at<std::uint16_t>(at);
    entry.kind = kind == 1 ? FatbinEntry::Kind::Ptx : kind == 2 ? FatbinEntry::Kind::Cubin : FatbinEntry::Kind::Other;
    entry.sm = static_cast<int>(body.at<std::uint32_t>(at + 28) & 0xffff);
    entry.compressed = (body.at<std::uint64_t>(at + 40) & kCompressedFlags) != 0;
    entry.content = body.slice(at + headerBytes, payloadBytes);
    if (entry.kind == FatbinEntry::Kind::Ptx && !entry.compressed)
        entry.content = withoutPadding(entry.content);
    return entry;
}

/// Reads the container at the front of @p bytes.
/// @return how many bytes it took
std::uint64_t readContainer(std::span<const std::byte> bytes, std::vector<FatbinEntry>& entries)
{
    const ByteReader reader(bytes, "fat binary");
    const std::uint64_t headerBytes = reader.at<std::uint16_t>(6);
    const auto bodyBytes = reader.at<std::uint64_t>(8);
    if (headerBytes < kContainerHeader)
        throw BinaryError(fmt::format("fat binary: a header of {} bytes, {} expected", headerBytes, kContainerHeader));
    const ByteReader body(reader.slice(headerBytes, bodyBytes), "fat binary");
    std::uint64_t at = 0;
    while (at < body.size()) {
        const std::uint64_t entryHeader = body.at<std::uint32_t>(at + 4);
        const auto payloadBytes = body.at<std::uint64_t>(at + 8);
        if (entryHeader < kEntryHeader)
            throw BinaryError(fmt::format("fat binary: an image header of {} bytes at byte {}", entryHeader, headerBytes + at));
        entries.push_back(readEntry(body, at, entryHeader, payloadBytes));
        at += entryHeader + payloadBytes; // slice() has shown that this stays inside
    }
    return headerBytes + bodyBytes;
}

/// Containers lie one after another in a linked file, eight-byte aligned, with zeros between.
void readContainers(std::span<const std::byte> bytes, std::vector<FatbinEntry>& entries)
{
    while (bytes.size() >= kContainerHeader) {
        if (ByteReader(bytes, "fat binary").at<std::uint32_t>(0) != kMagic) {
            bytes = bytes.subspan(8);
            continue;
        }
        const std::uint64_t taken = readContainer(bytes, entries);
        const std::uint64_t aligned = std::min<std::uint64_t>((taken + 7) / 8 * 8, bytes.size());
        bytes = bytes.subspan(static_cast<std::size_t>(aligned));
    }
}

} // namespace

std::vector<FatbinEntry> readFatbin(std::span<const std::byte> bytes)
{
    std::vector<FatbinEntry> entries;
    if (looksLikeElf(bytes)) {
        const Elf64 host = readElf64(bytes, "host object");
        const ElfSection* section = host.section(".nv_fatbin");
        if (section == nullptr)
            throw BinaryError("host object: no .nv_fatbin section, so no device code");
        readContainers(section->content, entries);
        return entries;
    }
    if (bytes.size() < kContainerHeader || ByteReader(bytes, "fat binary").at<std::uint32_t>(0) != kMagic)
        throw BinaryError("fat binary: neither a fat binary nor an ELF file");
    readContainers(bytes, entries);
    return entries;
}

} // namespace assay::device
