// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/cubin.h"

#include "kernels/device/byte_reader.h"
#include "kernels/device/elf64.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace assay::device {
namespace {

constexpr std::uint16_t kCudaMachine = 190;        // EM_CUDA
constexpr std::uint32_t kInfoSection = 0x70000000; // SHT_CUDA_INFO
constexpr unsigned char kFunction = 2;             // STT_FUNC
constexpr unsigned char kEntry = 0x10;             // STO_CUDA_ENTRY in st_other: a kernel
constexpr std::int64_t kReservedShared = 1024;     // per block, compute capability 9 and later

/// Attributes of .nv.info sections (EIATTR_*).
enum Attribute : std::uint8_t {
    kMaxThreads = 0x05,
    kRequiredThreads = 0x10,
    kFrameSize = 0x11,
    kMinStackSize = 0x12,
    kMaxRegisterCount = 0x1b,
    kRegisterCount = 0x2f,
    kMbarrierCount = 0x38,
    kClusterExtent = 0x3d,
    kMaxClusterRank = 0x3f,
    kBarrierCount = 0x4c,
    kTcgen05SingleBlock = 0x51,
    kTcgen05BlockPair = 0x52,
    kRegisterReconfiguration = 0x54,
    kAnnotations = 0x55,
};

struct Record {
    std::uint8_t attribute = 0;
    std::uint16_t immediate = 0;          ///< formats 1 to 3
    std::span<const std::byte> payload{}; ///< format 4
};

/// Records are a format byte, an attribute byte and two bytes that hold the value, or for format 4 the length of what follows.
std::vector<Record> readRecords(std::span<const std::byte> content, std::string_view what)
{
    const ByteReader reader(content, what);
    std::vector<Record> records;
    std::uint64_t at = 0;
    while (at < reader.size()) {
        const auto format = reader.at<std::uint8_t>(at);
        Record record;
        record.attribute = reader.at<std::uint8_t>(at + 1);
        record.immediate = reader.at<std::uint16_t>(at + 2);
        at += 4;
        if (format == 2)
            record.immediate &= 0xff;
        if (format == 4) {
            record.payload = reader.slice(at, record.immediate);
            at += record.immediate;
        } else if (format < 1 || format > 4) {
            throw BinaryError(fmt::format("{}: record of unknown format {} at byte {}", what, format, at - 4));
        }
        records.push_back(record);
    }
    return records;
}

Extent3 extent(const Record& record, std::string_view what)
{
    const ByteReader reader(record.payload, what);
    return {reader.at<std::uint32_t>(0), reader.at<std::uint32_t>(4), reader.at<std::uint32_t>(8)};
}

std::int64_t number(const Record& record, std::string_view what)
{
    if (record.payload.empty())
        return record.immediate;
    return ByteReader(record.payload, what).at<std::uint32_t>(0);
}

/// Annotations of kind 1 mark the instructions that spill; each entry is a kind and a byte offset.
std::int64_t countSpills(const Record& record, std::string_view what)
{
    const ByteReader reader(record.payload, what);
    std::int64_t count = 0;
    for (std::uint64_t at = 0; at + 8 <= reader.size(); at += 8)
        count += reader.at<std::uint32_t>(at) == 1 ? 1 : 0;
    return count;
}

void apply(const Record& record, std::string_view what, CubinKernel& kernel)
{
    switch (record.attribute) {
    case kMaxThreads:
        kernel.maxThreads = extent(record, what);
        break;
    case kRequiredThreads:
        kernel.requiredThreads = extent(record, what);
        break;
    case kMaxRegisterCount:
        kernel.maxRegisters = number(record, what);
        break;
    case kMbarrierCount:
        kernel.mbarriers = number(record, what);
        break;
    case kClusterExtent:
        kernel.cluster = extent(record, what);
        break;
    case kMaxClusterRank:
        kernel.maxClusterBlocks = number(record, what);
        break;
    case kBarrierCount:
        kernel.barriers = number(record, what);
        break;
    case kTcgen05SingleBlock:
        kernel.tcgen05SingleBlock = true;
        break;
    case kTcgen05BlockPair:
        kernel.tcgen05BlockPair = true;
        break;
    case kRegisterReconfiguration:
        kernel.setsRegisterCount = true;
        break;
    case kAnnotations:
        kernel.spillAnnotations += countSpills(record, what);
        break;
    default:
        break;
    }
}

/// Figures that .nv.info keeps by symbol, for all functions of the file.
struct SymbolFigures {
    std::optional<std::int64_t> registers;
    std::optional<std::int64_t> frameBytes;
    std::optional<std::int64_t> stackBytes;
};

std::map<std::uint32_t, SymbolFigures> readSymbolFigures(const ElfSection* section)
{
    std::map<std::uint32_t, SymbolFigures> figures;
    if (section == nullptr)
        return figures;
    for (const Record& record : readRecords(section->content, section->name)) {
        if (record.attribute != kRegisterCount && record.attribute != kFrameSize && record.attribute != kMinStackSize)
            continue;
        const ByteReader reader(record.payload, section->name);
        SymbolFigures& entry = figures[reader.at<std::uint32_t>(0)];
        const std::int64_t value = reader.at<std::uint32_t>(4);
        if (record.attribute == kRegisterCount)
            entry.registers = value;
        else if (record.attribute == kFrameSize)
            entry.frameBytes = value;
        else
            entry.stackBytes = value;
    }
    return figures;
}

std::string_view withoutPrefix(std::string_view text, std::string_view prefix)
{
    return text.starts_with(prefix) ? text.substr(prefix.size()) : std::string_view();
}

void readShared(const ElfSection* shared, int sm, CubinKernel& kernel)
{
    if (shared == nullptr)
        return;
    const auto bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(shared->size, INT64_MAX));
    kernel.reservedSharedBytes = sm >= 90 ? std::min(bytes, kReservedShared) : 0;
    kernel.staticSharedBytes = bytes - kernel.reservedSharedBytes;
}

/// Before CUDA 13 the number of barriers is in seven bits of the code section's flags instead of a record.
constexpr std::int64_t barriersInFlags(std::uint64_t flags)
{
    return static_cast<std::int64_t>((flags >> 20) & 0x7f);
}

int readSm(const Elf64& elf)
{
    if (elf.machine != kCudaMachine)
        throw BinaryError(fmt::format("cubin: an ELF file of machine {}, not of CUDA ({})", elf.machine, kCudaMachine));
    if (elf.abiVersion == 7)
        return static_cast<int>(elf.flags & 0xff);
    if (elf.abiVersion == 8)
        return static_cast<int>((elf.flags >> 8) & 0xff);
    throw BinaryError(fmt::format("cubin: ABI version {} is not known here (7 and 8 are)", elf.abiVersion));
}

/// The sections of a cubin by name, each read at most once: overlapping sections of a hostile file must not multiply the work.
class Sections {
public:
    explicit Sections(const Elf64& elf)
    {
        for (const ElfSection& section : elf.sections)
            m_byName.try_emplace(section.name, &section);
    }

    /// The section called @p name if nobody had it yet, or null.
    const ElfSection* take(std::string_view name)
    {
        const auto found = m_byName.find(name);
        return found == m_byName.end() ? nullptr : std::exchange(found->second, nullptr);
    }

private:
    std::unordered_map<std::string_view, const ElfSection*> m_byName;
};

/// Holds the bytes of all records to the file's size, for the same reason.
class RecordBudget {
public:
    explicit RecordBudget(std::uint64_t bytes)
        : m_left(bytes)
    {
    }

    void take(const ElfSection& section)
    {
        if (section.content.size() > m_left)
            throw BinaryError(fmt::format("cubin: section {} overlaps others", section.name));
        m_left -= section.content.size();
    }

private:
    std::uint64_t m_left;
};

} // namespace

Cubin readCubin(std::span<const std::byte> bytes)
{
    const Elf64 elf = readElf64(bytes, "cubin");
    Cubin cubin;
    cubin.sm = readSm(elf);
    cubin.abiVersion = elf.abiVersion;
    Sections sections(elf);
    RecordBudget budget(bytes.size());
    const auto figures = readSymbolFigures(sections.take(".nv.info"));
    const bool guarded = std::ranges::any_of(elf.symbols, [](const ElfSymbol& symbol) {
        return symbol.name.find("tcgen05_guardrail_trap") != std::string_view::npos;
    });

    // A kernel is an entry whose code section carries its name; other functions are called by kernels.
    for (std::size_t i = 0; i < elf.symbols.size(); ++i) {
        const ElfSymbol& symbol = elf.symbols[i];
        if (symbol.type != kFunction || (symbol.other & kEntry) == 0 || symbol.section >= elf.sections.size()
            || symbol.name.empty() || withoutPrefix(elf.sections[symbol.section].name, ".text.") != symbol.name)
            continue;
        const ElfSection* code = sections.take(elf.sections[symbol.section].name);
        if (code == nullptr)
            continue;
        CubinKernel kernel;
        kernel.name = symbol.name;
        kernel.codeBytes = static_cast<std::int64_t>(code->content.size());
        if (const auto entry = figures.find(static_cast<std::uint32_t>(i)); entry != figures.end()) {
            kernel.registers = entry->second.registers;
            kernel.frameBytes = entry->second.frameBytes;
            kernel.stackBytes = entry->second.stackBytes;
        }
        kernel.barriers = cubin.abiVersion == 7 ? barriersInFlags(code->flags) : 0;
        readShared(sections.take(".nv.shared." + kernel.name), cubin.sm, kernel);
        if (const ElfSection* info = sections.take(".nv.info." + kernel.name); info != nullptr && info->type == kInfoSection) {
            budget.take(*info);
            for (const Record& record : readRecords(info->content, info->name))
                apply(record, info->name, kernel);
        }
        kernel.tcgen05Guarded = guarded && (kernel.tcgen05SingleBlock || kernel.tcgen05BlockPair);
        cubin.kernels.push_back(std::move(kernel));
    }
    std::ranges::sort(cubin.kernels, {}, &CubinKernel::name);
    return cubin;
}

} // namespace assay::device
