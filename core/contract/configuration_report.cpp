// SPDX-License-Identifier: Apache-2.0
#include "core/contract/configuration_report.h"

#include "kernels/device/device_limits.h"
#include "kernels/device/fatbin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace assay::contract {

namespace {

using device::Cubin;
using device::FatbinEntry;
using device::ResourceEvidence;

std::string firstLine(std::string_view text)
{
    return std::string(text.substr(0, std::min(text.find('\n'), std::size_t{300})));
}

/// Reads one part of the evidence; bytes that cannot be read are no evidence.
template <typename Read> auto readPart(ConfigurationReport& into, const Read& read) -> std::optional<decltype(read())>
{
    try {
        return read();
    } catch (const std::runtime_error& unreadable) {
        into.gaps.push_back(firstLine(unreadable.what()));
        return std::nullopt;
    }
}

void addCubin(ResourceEvidence& evidence, const Cubin& cubin)
{
    const auto named = std::ranges::find(cubin.kernels, evidence.kernel, &device::CubinKernel::name);
    evidence.cubinSm = cubin.sm;
    if (named != cubin.kernels.end())
        evidence.cubin = *named;
    else if (cubin.kernels.size() == 1)
        evidence.cubin = cubin.kernels.front();
}

void addPtx(ResourceEvidence& evidence, const device::PtxReport& ptx)
{
    const auto named = std::ranges::find(ptx.kernels, evidence.kernel, &device::PtxKernel::name);
    evidence.ptxTarget = ptx.target;
    if (named != ptx.kernels.end())
        evidence.ptx = *named;
    else if (ptx.kernels.size() == 1)
        evidence.ptx = ptx.kernels.front();
}

ConfigurationReport reportOf(const TritonKernel& kernel, const KernelCode& code, int sm)
{
    ConfigurationReport made;
    made.isLoaded = kernel.isLoaded;
    made.isAutotuned = kernel.isAutotuned;
    ResourceEvidence evidence;
    evidence.kernel = kernel.name;
    evidence.sm = sm;
    if (!code.metadata.empty())
        evidence.triton = readPart(made, [&code] { return device::readTritonMetadata(code.metadata); });
    if (sm == 0 && evidence.triton)
        evidence.sm = static_cast<int>(evidence.triton->arch.value_or(0));
    if (!code.cubin.empty()) {
        if (const auto cubin = readPart(made, [&code] { return device::readCubin(code.cubin); }))
            addCubin(evidence, *cubin);
    }
    if (!code.ptx.empty()) {
        if (const auto ptx = readPart(made, [&code] { return device::lintPtx(code.ptx); }))
            addPtx(evidence, *ptx);
    }
    if (!code.error.empty()) {
        evidence.texts.push_back(code.error);
        made.gaps.push_back(firstLine(code.error));
    }
    made.report = device::reportResources(evidence);
    return made;
}

/// One report for every kernel of @p cubin on @p sm, which runs it.
void reportKernels(std::vector<ConfigurationReport>& reports, const Cubin& cubin, int sm, const std::string& log)
{
    for (const device::CubinKernel& kernel : cubin.kernels) {
        ResourceEvidence evidence;
        evidence.kernel = kernel.name;
        evidence.sm = evidence.cubinSm = sm;
        evidence.cubin = kernel;
        if (!log.empty())
            evidence.texts.push_back(log);
        ConfigurationReport& made = reports.emplace_back();
        made.isLoaded = true;
        made.report = device::reportResources(evidence);
    }
}

/// A report without evidence: the kernels of @p build are unknown on @p sm.
ConfigurationReport unknownBuild(const CudaBuild& build, int sm, std::string gap)
{
    ConfigurationReport made;
    made.report.kernel = build.name;
    made.report.sm = sm;
    made.gaps.push_back(std::move(gap));
    return made;
}

/// Machine code in @p build's library that @p sm runs: made for it, or for an older device of the same generation.
/// @return whether there was any
bool reportLibrary(std::vector<ConfigurationReport>& reports, const CudaBuild& build, int sm)
{
    ConfigurationReport unreadable = unknownBuild(build, sm, "");
    unreadable.gaps.clear();
    const auto entries = readPart(unreadable, [&build] { return device::readFatbin(build.library); });
    if (!entries)
        return false;
    int best = 0;
    const auto runs = [sm](const FatbinEntry& entry) {
        return entry.kind == FatbinEntry::Kind::Cubin && !entry.compressed && entry.sm / 10 == sm / 10 && entry.sm <= sm;
    };
    for (const FatbinEntry& entry : *entries)
        best = runs(entry) ? std::max(best, entry.sm) : best;
    bool any = false;
    for (const FatbinEntry& entry : *entries) {
        if (!runs(entry) || entry.sm != best)
            continue;
        if (const auto cubin = readPart(unreadable, [&entry] { return device::readCubin(entry.content); })) {
            reportKernels(reports, *cubin, sm, "");
            any = any || !cubin->kernels.empty();
        }
    }
    return any;
}

/// Compilers say it in these words where a source needs files that they do not have.
bool lacksHeader(std::string_view log)
{
    return log.find("could not open source file") != std::string_view::npos
        || log.find("cannot open source file") != std::string_view::npos;
}

ConfigurationReport reportWithoutCode(const CudaBuild& build, const CudaCompilation& compilation, int sm)
{
    ConfigurationReport made = unknownBuild(build, sm, firstLine(compilation.log));
    if (compilation.outcome == CudaCompilation::Outcome::Absent)
        return made;
    if (lacksHeader(compilation.log)) {
        made.unsupported = "its source includes headers that the run-time compiler does not have";
        return made;
    }
    ResourceEvidence evidence;
    evidence.kernel = build.name;
    evidence.sm = sm;
    evidence.texts.push_back(compilation.log);
    made.report = device::reportResources(evidence);
    return made;
}

void reportCompilation(std::vector<ConfigurationReport>& reports, const CudaBuild& build, const CudaCompilation& compilation,
                       int sm)
{
    if (compilation.cubin.empty()) {
        reports.push_back(reportWithoutCode(build, compilation, sm));
        return;
    }
    ConfigurationReport unreadable = unknownBuild(build, sm, "");
    unreadable.gaps.clear();
    const auto cubin = readPart(unreadable, [&compilation] { return device::readCubin(compilation.cubin); });
    if (!cubin)
        reports.push_back(std::move(unreadable));
    else if (cubin->kernels.empty())
        reports.push_back(unknownBuild(build, sm, "its source alone makes no kernel: a template that nobody named"));
    else
        reportKernels(reports, *cubin, sm, compilation.log);
}

} // namespace

const device::ResourceFinding* ConfigurationReport::firstOf(device::ResourceSeverity severity) const
{
    const auto it = std::ranges::find(report.findings, severity, &device::ResourceFinding::severity);
    return it == report.findings.end() ? nullptr : &*it;
}

std::vector<ConfigurationReport> reportOnDevice(const KernelEvidence& evidence)
{
    std::vector<ConfigurationReport> reports;
    for (const TritonKernel& kernel : evidence.kernels)
        reports.push_back(reportOf(kernel, kernel.own, evidence.deviceSm));
    for (const CudaBuild& build : evidence.builds) {
        for (const CudaCompilation& compilation : build.device)
            reportCompilation(reports, build, compilation, evidence.deviceSm);
        if (build.device.empty() && !reportLibrary(reports, build, evidence.deviceSm))
            reports.push_back(unknownBuild(build, evidence.deviceSm,
                                           fmt::format("its library has no readable machine code for sm_{}", evidence.deviceSm)));
    }
    return reports;
}

std::vector<ConfigurationReport> reportOnBlackwell(const KernelEvidence& evidence)
{
    std::vector<ConfigurationReport> reports;
    for (const TritonKernel& kernel : evidence.kernels) {
        if (kernel.hasBlackwell)
            reports.push_back(reportOf(kernel, kernel.blackwell, kBlackwell));
    }
    for (const CudaBuild& build : evidence.builds) {
        if (reportLibrary(reports, build, kBlackwell))
            continue;
        for (const CudaCompilation& compilation : build.blackwell)
            reportCompilation(reports, build, compilation, kBlackwell);
    }
    return reports;
}

std::optional<TightestLimit> tightestLimit(const device::ResourceReport& report)
{
    const auto limits = device::deviceLimits(report.sm);
    if (!limits)
        return std::nullopt;
    std::optional<TightestLimit> tightest;
    const auto weigh = [&tightest](std::string_view resource, std::optional<std::int64_t> value, std::int64_t limit) {
        if (!value || limit <= 0)
            return;
        const double share = static_cast<double>(*value) / static_cast<double>(limit);
        if (!tightest || share > tightest->share)
            tightest = {std::string(resource), share};
    };
    weigh("registers a thread", report.use.registers, limits->registersPerThread);
    weigh("shared memory a block", report.use.sharedBytes, limits->sharedBytesPerBlock);
    weigh("threads a block", report.use.threads, limits->threadsPerBlock);
    weigh("columns of tensor memory", report.use.tmemColumns, limits->tmemColumns);
    return tightest;
}

std::string useText(const device::ResourceUse& use)
{
    std::vector<std::string> parts;
    const auto add = [&parts](std::optional<std::int64_t> value, std::string_view what) {
        if (value)
            parts.push_back(fmt::format("{} {}", *value, what));
    };
    add(use.registers, "registers a thread");
    add(use.sharedBytes, use.dynamicSharedUnknown ? "bytes of static shared memory" : "bytes of shared memory");
    add(use.threads, "threads a block");
    if (use.tmemColumns.value_or(0) > 0)
        add(use.tmemColumns, "columns of tensor memory");
    return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace assay::contract
