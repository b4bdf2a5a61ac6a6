// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/ptxas_log.h"

#include "kernels/device/text_scan.h"

#include <algorithm>

namespace assay::device {
namespace {

/// The n-th text between single quotes.
std::string quoted(std::string_view line, int n)
{
    for (; n > 0; --n) {
        for (int quote = 0; quote < 2; ++quote) {
            const auto at = line.find('\'');
            if (at == std::string_view::npos)
                return {};
            line.remove_prefix(at + 1);
        }
    }
    const auto begin = line.find('\'');
    if (begin == std::string_view::npos)
        return {};
    const auto end = line.find('\'', begin + 1);
    return end == std::string_view::npos ? std::string() : std::string(line.substr(begin + 1, end - begin - 1));
}

bool containsNoCase(std::string_view text, std::string_view lower)
{
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; };
    return std::search(text.begin(), text.end(), lower.begin(), lower.end(), same) != text.end();
}

ResourceRefusal::Kind kindOf(std::string_view resource)
{
    using Kind = ResourceRefusal::Kind;
    if (containsNoCase(resource, "tensor memory"))
        return Kind::TensorMemory;
    if (containsNoCase(resource, "shared memory"))
        return Kind::SharedMemory;
    if (containsNoCase(resource, "threads"))
        return Kind::Threads;
    if (containsNoCase(resource, "register"))
        return Kind::Registers;
    return Kind::Other;
}

std::optional<ResourceRefusal> refusalIn(std::string_view line)
{
    constexpr std::string_view kOutOfResource = "out of resource:";
    ResourceRefusal refusal;
    refusal.text = trimmed(line);
    if (const auto at = line.find(kOutOfResource); at != std::string_view::npos) {
        const std::string_view rest = line.substr(at + kOutOfResource.size());
        refusal.kind = kindOf(rest.substr(0, rest.find(',')));
        refusal.required = integerAfter(rest, "Required:");
        refusal.limit = integerAfter(rest, "Hardware limit:");
        return refusal;
    }
    if (line.find("C7907") != std::string_view::npos) {
        refusal.kind = ResourceRefusal::Kind::AssemblerInternalError;
        return refusal;
    }
    if (line.find("uses too much shared data") != std::string_view::npos) {
        refusal.kind = ResourceRefusal::Kind::SharedMemory;
        refusal.required = integerAfter(line, "shared data (");
        refusal.limit = integerAfter(line, "bytes,");
        return refusal;
    }
    if (containsNoCase(line, "too many resources requested for launch"))
        return refusal;
    return std::nullopt;
}

} // namespace

std::vector<PtxasKernel> readPtxasLog(std::string_view log)
{
    std::vector<PtxasKernel> kernels;
    bool inProperties = false; // the properties of device functions are printed too, under a heading with another name
    while (!log.empty()) {
        const std::string_view line = takeLine(log);
        if (line.find("Compiling entry function") != std::string_view::npos) {
            PtxasKernel& started = kernels.emplace_back();
            started.name = quoted(line, 0);
            started.target = quoted(line, 1);
            inProperties = false;
            continue;
        }
        if (kernels.empty())
            continue;
        PtxasKernel& kernel = kernels.back();
        constexpr std::string_view kProperties = "Function properties for ";
        if (const auto at = line.find(kProperties); at != std::string_view::npos) {
            inProperties = trimmed(line.substr(at + kProperties.size())) == kernel.name;
        } else if (inProperties && line.find("bytes stack frame") != std::string_view::npos) {
            kernel.stackFrameBytes = integerBefore(line, " bytes stack frame");
            kernel.spillStoreBytes = integerBefore(line, " bytes spill stores");
            kernel.spillLoadBytes = integerBefore(line, " bytes spill loads");
        } else if (line.find("Used ") != std::string_view::npos && line.find(" registers") != std::string_view::npos) {
            kernel.registers = integerBefore(line, " registers");
            kernel.barriers = integerBefore(line, " barriers");
            kernel.staticSharedBytes = integerBefore(line, " bytes smem").value_or(0);
        }
    }
    return kernels;
}

std::vector<ResourceRefusal> findResourceRefusals(std::string_view text)
{
    std::vector<ResourceRefusal> refusals;
    while (!text.empty())
        if (auto refusal = refusalIn(takeLine(text)))
            refusals.push_back(std::move(*refusal));
    return refusals;
}

} // namespace assay::device
