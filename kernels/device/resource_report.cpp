// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/resource_report.h"

#include "kernels/device/device_limits.h"
#include "kernels/device/text_scan.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::device {
namespace {

using Severity = ResourceSeverity;

constexpr std::int64_t kFar = std::int64_t{1} << 40; // products stop here

std::int64_t product(const std::array<std::int64_t, 3>& sides)
{
    std::int64_t result = 1;
    for (const std::int64_t side : sides)
        result = side > 0 && result <= kFar / side ? result * side : kFar;
    return result;
}

std::int64_t roundedUp(std::int64_t value, std::int64_t unit)
{
    return (std::min(value, kFar) + unit - 1) / unit * unit;
}

/// Gathers the report of one piece of evidence.
class Reporter {
public:
    Reporter(const ResourceEvidence& evidence, ResourceReport& report)
        : m_evidence(evidence)
        , m_report(report)
    {
    }

    void run()
    {
        choose();
        gather();
        for (const std::string& text : m_evidence.texts)
            readText(text);
        m_report.hasEvidence = m_triton || m_cubin || m_ptx || m_hasFigures || !m_report.findings.empty();
        if (!m_report.hasEvidence) {
            m_report.unknown.assign(1, "no evidence");
            return;
        }
        const auto limits = deviceLimits(m_evidence.sm);
        if (limits)
            compare(*limits);
        else
            m_report.unknown.push_back(fmt::format("the limits of sm_{} are not known here", m_evidence.sm));
        addLint();
        addNotes();
        sayWhatIsUnknown();
    }

private:
    void add(std::string code, Severity severity, std::optional<std::int64_t> value, std::optional<std::int64_t> limit,
             std::string_view source, std::string sentence)
    {
        const auto same = std::ranges::find_if(m_report.findings, [&code, severity](const ResourceFinding& finding) {
            return finding.code == code && finding.severity == severity && finding.source != "PTX";
        });
        if (same != m_report.findings.end() && source != "PTX")
            return; // the same limit by another witness
        m_report.findings.push_back({std::move(code), severity, value, limit, std::move(sentence), std::string(source)});
    }

    void otherTarget(std::string_view what, std::string_view target)
    {
        add(fmt::format("other-target-{}", what), Severity::Note, std::nullopt, std::nullopt, what,
            fmt::format("the {} is of {}, not of sm_{}; it was left out", what, target, m_evidence.sm));
    }

    /// Evidence counts only on its own target: registers, reserves and tensor memory differ between them.
    void choose()
    {
        if (m_evidence.triton) {
            if (!m_evidence.triton->arch || *m_evidence.triton->arch == m_evidence.sm)
                m_triton = &*m_evidence.triton;
            else
                otherTarget("metadata", fmt::format("sm_{}", *m_evidence.triton->arch));
        }
        if (m_evidence.cubin) {
            if (m_evidence.cubinSm == m_evidence.sm)
                m_cubin = &*m_evidence.cubin;
            else
                otherTarget("cubin", fmt::format("sm_{}", m_evidence.cubinSm));
        }
        if (m_evidence.ptx) {
            if (integerAfter(m_evidence.ptxTarget.substr(0, m_evidence.ptxTarget.find_last_of("0123456789") + 1), "sm_")
                == m_evidence.sm)
                m_ptx = &*m_evidence.ptx;
            else
                otherTarget("PTX", m_evidence.ptxTarget);
        }
        // what was left out is no evidence
        m_leftOut = m_report.findings;
        m_report.findings.clear();
    }

    void gather()
    {
        ResourceUse& use = m_report.use;
        if (m_ptx != nullptr) {
            use.sharedBytes = m_ptx->staticSharedBytes;
            use.dynamicSharedUnknown = m_ptx->usesDynamicShared;
            use.tmemColumns = m_ptx->tmem.columns;
            if (m_ptx->requiredThreads)
                use.threads = product(*m_ptx->requiredThreads);
            if (m_ptx->cluster)
                use.clusterBlocks = product(*m_ptx->cluster);
        }
        if (m_cubin != nullptr) {
            use.registers = m_cubin->registers;
            use.localBytes = m_cubin->stackBytes;
            if (m_cubin->spillAnnotations > 0)
                use.spillBytes = m_cubin->spillAnnotations * 4;
            use.sharedBytes = m_cubin->staticSharedBytes;
            if (m_ptx == nullptr)
                use.dynamicSharedUnknown = true; // not written there
            if (m_cubin->requiredThreads)
                use.threads = product(*m_cubin->requiredThreads);
            if (m_cubin->cluster)
                use.clusterBlocks = product(*m_cubin->cluster);
            if (!m_cubin->tcgen05SingleBlock && !m_cubin->tcgen05BlockPair)
                use.tmemColumns = 0;
        }
        if (m_triton != nullptr)
            gatherTriton(use);
    }

    void gatherTriton(ResourceUse& use) const
    {
        if (!use.registers)
            use.registers = m_triton->registers;
        if (!use.localBytes)
            use.localBytes = m_triton->localBytes;
        if (m_triton->sharedBytes) {
            use.sharedBytes = use.sharedBytes.value_or(0) + *m_triton->sharedBytes;
            use.dynamicSharedUnknown = false;
        }
        if (m_triton->tmemColumns)
            use.tmemColumns = std::max(use.tmemColumns.value_or(0), *m_triton->tmemColumns);
        if (m_triton->warps)
            use.threads = std::min(*m_triton->warps, kFar) * std::min<std::int64_t>(m_triton->threadsPerWarp, 64);
        if (m_triton->blocksPerCluster && *m_triton->blocksPerCluster > 1)
            use.clusterBlocks = m_triton->blocksPerCluster;
    }

    void readText(const std::string& text)
    {
        for (const ResourceRefusal& refusal : findResourceRefusals(text))
            addRefusal(refusal);
        const std::string target = fmt::format("sm_{}", m_evidence.sm);
        for (const PtxasKernel& figures : readPtxasLog(text)) {
            const bool sameTarget = figures.target == target
                || (figures.target.size() == target.size() + 1 && figures.target.starts_with(target)); // sm_100a, sm_100f
            if (figures.name != m_evidence.kernel || !sameTarget)
                continue;
            m_hasFigures = true;
            ResourceUse& use = m_report.use;
            if (use.registers && figures.registers && *use.registers != *figures.registers)
                m_disagreement
                    = fmt::format("the assembler's log says {} registers, other evidence {}", *figures.registers, *use.registers);
            if (!use.registers)
                use.registers = figures.registers;
            if (!use.localBytes)
                use.localBytes = figures.stackFrameBytes;
            if (figures.spillStoreBytes && figures.spillLoadBytes) // exact, where the cubin's annotations are a corroboration
                use.spillBytes = *figures.spillStoreBytes + *figures.spillLoadBytes;
            if (!use.sharedBytes) {
                use.sharedBytes = figures.staticSharedBytes;
                use.dynamicSharedUnknown = true;
            }
        }
    }

    void addRefusal(const ResourceRefusal& refusal)
    {
        using Kind = ResourceRefusal::Kind;
        const std::string text = refusal.text.substr(0, 300);
        const auto refuse = [&](std::string code, std::string what) {
            if (refusal.required && refusal.limit)
                what += fmt::format(": {} needed, {} there", *refusal.required, *refusal.limit);
            add(std::move(code), Severity::Hard, refusal.required, refusal.limit, "message", what + " (\"" + text + "\")");
        };
        switch (refusal.kind) {
        case Kind::AssemblerInternalError:
            refuse("assembler-refused", "ptxas gives up with its internal error C7907");
            break;
        case Kind::TensorMemory:
            refuse("tensor-memory", "tensor-memory columns run out");
            break;
        case Kind::SharedMemory:
            refuse("shared-memory", "shared memory runs out");
            break;
        case Kind::Threads:
            refuse("threads", "too many threads for a block");
            break;
        case Kind::Registers:
            refuse("registers", "registers run out");
            break;
        case Kind::Other:
            refuse("launch-refused", "a resource ran out");
            break;
        }
    }

    void limit(std::string code, std::optional<std::int64_t> value, std::int64_t most, std::string_view source,
               std::string_view what)
    {
        if (value && *value > most)
            add(std::move(code), Severity::Hard, value, most, source,
                fmt::format("{} {}, and the limit is {}", *value, what, most));
    }

    void compare(const DeviceLimits& limits)
    {
        const ResourceUse& use = m_report.use;
        const std::string_view source = m_cubin != nullptr ? "cubin"
            : m_triton != nullptr                          ? "Triton"
            : m_ptx != nullptr                             ? "PTX"
                                                           : "assembler";
        limit("registers", use.registers, limits.registersPerThread, source, "registers a thread");
        limit("local-memory", use.localBytes, limits.localBytesPerThread, source, "bytes of local memory a thread");
        limit("shared-memory", use.sharedBytes, limits.sharedBytesPerBlock, m_triton != nullptr ? "Triton" : source,
              "bytes of shared memory a block");
        limit("threads", use.threads, limits.threadsPerBlock, m_triton != nullptr ? "Triton" : source, "threads a block");
        if (limits.clusterBlocks > 1)
            limit("cluster", use.clusterBlocks, limits.clusterBlocksNonPortable, source, "blocks a cluster");
        else if (use.clusterBlocks.value_or(1) > 1)
            add("cluster", Severity::Hard, use.clusterBlocks, 1, source, fmt::format("sm_{} has no clusters", limits.sm));
        if (use.clusterBlocks.value_or(1) > limits.clusterBlocks
            && use.clusterBlocks.value_or(1) <= limits.clusterBlocksNonPortable)
            add("cluster-not-portable", Severity::Note, use.clusterBlocks, limits.clusterBlocks, source,
                fmt::format("{} blocks a cluster need the launch attribute for non-portable sizes", *use.clusterBlocks));
        if (limits.tmemColumns > 0)
            limit("tensor-memory", use.tmemColumns, limits.tmemColumns, m_triton != nullptr ? "Triton" : source,
                  "columns of tensor memory");
        else if (use.tmemColumns.value_or(0) > 0)
            add("tensor-memory", Severity::Hard, use.tmemColumns, 0, source,
                fmt::format("sm_{} has no tensor memory", limits.sm));
        compareBlockRegisters(limits, source);
        compareLaunchBounds();
    }

    void compareBlockRegisters(const DeviceLimits& limits, std::string_view source)
    {
        // setmaxnreg moves registers between warps after the start: the count at entry is no product any more
        const bool moves = m_cubin != nullptr && m_cubin->setsRegisterCount;
        if (!m_report.use.registers || moves)
            return;
        const auto perBlock = [&](std::int64_t threads) {
            const std::int64_t warps = roundedUp(threads, 32) / 32;
            return std::min(roundedUp(std::min(*m_report.use.registers, kFar) * 32, limits.registerUnit), kFar)
                * std::min<std::int64_t>(warps, 1 << 16);
        };
        if (m_report.use.threads) {
            const std::int64_t needed = perBlock(*m_report.use.threads);
            if (needed > limits.registersPerSm)
                add("registers-per-block", Severity::Hard, needed, limits.registersPerSm, source,
                    fmt::format("{} registers a block ({} threads of {}), and a multiprocessor has {}", needed,
                                *m_report.use.threads, *m_report.use.registers, limits.registersPerSm));
        } else if (m_cubin != nullptr && m_cubin->maxThreads) {
            const std::int64_t needed = perBlock(product(*m_cubin->maxThreads));
            if (needed > limits.registersPerSm)
                add("registers-per-block", Severity::Soft, needed, limits.registersPerSm, source,
                    fmt::format("a block of the {} threads that it admits would take {} registers, and a multiprocessor has {}",
                                product(*m_cubin->maxThreads), needed, limits.registersPerSm));
        }
    }

    /// A block may not be larger than what the code was compiled for.
    void compareLaunchBounds()
    {
        if (m_triton == nullptr || !m_triton->warps || !m_report.use.threads)
            return;
        std::optional<std::int64_t> bound = m_triton->maxThreads;
        if (m_cubin != nullptr && m_cubin->maxThreads)
            bound = std::min(bound.value_or(kFar), product(*m_cubin->maxThreads));
        if (bound && *m_report.use.threads > *bound)
            add("launch-bounds", Severity::Hard, m_report.use.threads, bound, "Triton",
                fmt::format("{} threads a block, and the code was compiled for {}", *m_report.use.threads, *bound));
    }

    void addLint()
    {
        if (m_ptx == nullptr)
            return;
        if (m_ptx->onlyTraps)
            add("only-traps", Severity::Hard, std::nullopt, std::nullopt, "PTX",
                fmt::format("PTX line {}: the whole kernel is a trap; the compiler could not make it fit", m_ptx->line));
        for (const PtxFinding& finding : m_ptx->tmem.findings) {
            std::string where = fmt::format("PTX line {}", finding.line);
            if (finding.relatedLine > 0)
                where += fmt::format(" (and {})", finding.relatedLine);
            add(finding.code, finding.certain ? Severity::Hard : Severity::Note, std::nullopt, std::nullopt, "PTX",
                fmt::format("{}: {}{}", where, finding.certain ? "" : "on some paths, ", finding.sentence));
        }
    }

    void addNotes()
    {
        if (m_ptx != nullptr && m_ptx->tmem.leftOut > 0)
            add("more-findings", Severity::Note, m_ptx->tmem.leftOut, std::nullopt, "PTX",
                fmt::format("{} further findings about tensor memory", m_ptx->tmem.leftOut));
        const ResourceUse& use = m_report.use;
        if (use.spillBytes.value_or(0) > 0)
            add("spills", Severity::Note, use.spillBytes, std::nullopt, m_hasFigures ? "assembler" : "cubin",
                fmt::format("spills registers: {} bytes of loads and stores in the code", *use.spillBytes));
        else if (use.localBytes.value_or(0) > 0)
            add("local-memory-used", Severity::Note, use.localBytes, std::nullopt, m_cubin != nullptr ? "cubin" : "Triton",
                fmt::format("{} bytes of local memory a thread", *use.localBytes));
        if (m_cubin != nullptr && m_triton != nullptr && m_cubin->registers && m_triton->registers
            && *m_cubin->registers != *m_triton->registers)
            m_disagreement = fmt::format("the cubin says {} registers, the driver {}", *m_cubin->registers, *m_triton->registers);
        if (!m_disagreement.empty())
            add("evidence-disagrees", Severity::Note, std::nullopt, std::nullopt, "comparison", m_disagreement);
        m_report.findings.insert(m_report.findings.end(), m_leftOut.begin(), m_leftOut.end());
    }

    void sayWhatIsUnknown()
    {
        const ResourceUse& use = m_report.use;
        if (!use.registers)
            m_report.unknown.push_back("registers: no cubin, log or loaded kernel");
        if (!use.sharedBytes)
            m_report.unknown.push_back("shared memory: no cubin, PTX or metadata");
        else if (use.dynamicSharedUnknown)
            m_report.unknown.push_back("dynamic shared memory: the launch decides");
        if (!use.threads)
            m_report.unknown.push_back("threads a block: the launch decides");
        const auto limits = deviceLimits(m_evidence.sm);
        if (!use.tmemColumns && limits && limits->tmemColumns > 0)
            m_report.unknown.push_back("columns of tensor memory: no metadata, and no PTX with constant counts");
    }

    const ResourceEvidence& m_evidence;
    ResourceReport& m_report;
    const TritonMetadata* m_triton = nullptr;
    const CubinKernel* m_cubin = nullptr;
    const PtxKernel* m_ptx = nullptr;
    std::vector<ResourceFinding> m_leftOut;
    std::string m_disagreement;
    bool m_hasFigures = false;
};

} // namespace

bool ResourceReport::hasHardFinding() const
{
    return std::ranges::any_of(findings, [](const ResourceFinding& finding) { return finding.severity == Severity::Hard; });
}

std::string_view name(ResourceSeverity severity)
{
    switch (severity) {
    case Severity::Hard:
        return "hard";
    case Severity::Soft:
        return "soft";
    case Severity::Note:
        break;
    }
    return "note";
}

ResourceReport reportResources(const ResourceEvidence& evidence)
{
    ResourceReport report;
    report.kernel = evidence.kernel;
    report.sm = evidence.sm;
    Reporter(evidence, report).run();
    return report;
}

} // namespace assay::device
