// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/tmem_lifecycle.h"

#include "kernels/device/ptx_flow.h"
#include "kernels/device/tmem_allocation.h"
#include "kernels/device/tmem_operation.h"
#include "kernels/device/tmem_ordering.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>

namespace assay::device {
namespace {

using Kind = TmemOperation::Kind;
using Operations = std::vector<TmemOperation>;

constexpr std::size_t kMostFindings = 32; // nobody reads on; those that are certain are kept first

const TmemOperation* first(const Operations& operations, Kind kind)
{
    const auto found = std::ranges::find(operations, kind, &TmemOperation::kind);
    return found == operations.end() ? nullptr : &*found;
}

bool isValidCount(std::int64_t columns)
{
    return columns >= 32 && columns <= kTmemColumns && std::has_single_bit(static_cast<std::uint64_t>(columns));
}

void checkCounts(const Operations& operations, std::vector<PtxFinding>& findings)
{
    std::set<std::int64_t> allocated;
    bool allKnown = true;
    for (const TmemOperation& operation : operations) {
        if (operation.kind != Kind::Alloc)
            continue;
        allKnown = allKnown && operation.columns;
        if (!operation.columns)
            continue;
        allocated.insert(*operation.columns);
        if (!isValidCount(*operation.columns))
            findings.push_back({"columns-invalid", operation.line, 0, true,
                                fmt::format("allocates {} columns; a power of two from 32 to {} is required", *operation.columns,
                                            kTmemColumns)});
    }
    for (const TmemOperation& operation : operations)
        if (operation.kind == Kind::Dealloc && operation.columns && allKnown && !allocated.empty()
            && !allocated.contains(*operation.columns))
            findings.push_back(
                {"dealloc-mismatch", operation.line, 0, true,
                 fmt::format("gives {} columns back, and no alloc of this kernel took that many", *operation.columns)});
}

void checkCtaGroups(const Operations& operations, std::vector<PtxFinding>& findings)
{
    const auto inGroup = [&operations](int group) { return std::ranges::find(operations, group, &TmemOperation::ctaGroup); };
    const auto single = inGroup(1);
    const auto pair = inGroup(2);
    if (single == operations.end() || pair == operations.end())
        return;
    const auto later = std::max(single, pair);
    const auto earlier = std::min(single, pair);
    findings.push_back({"cta-group-mixed", later->line, earlier->line, true,
                        "uses cta_group::1 and cta_group::2 in one kernel: all tcgen05 instructions must agree"});
}

bool waitsOnMbarrier(const PtxFunction& function)
{
    return std::ranges::any_of(function.body, [](const PtxStatement& statement) {
        return isInstruction(statement.opcode, "mbarrier.try_wait") || isInstruction(statement.opcode, "mbarrier.test_wait");
    });
}

/// Halves of a pair that the kernel does not have at all.
void checkMissing(const PtxFunction& function, const Operations& operations, std::vector<PtxFinding>& findings)
{
    const TmemOperation* alloc = first(operations, Kind::Alloc);
    const TmemOperation* dealloc = first(operations, Kind::Dealloc);
    const TmemOperation* mma = first(operations, Kind::Mma);
    const TmemOperation* load = first(operations, Kind::Load);
    if (alloc != nullptr && dealloc == nullptr)
        findings.push_back(
            {"dealloc-missing", alloc->line, 0, true,
             "allocates tensor memory and never gives it back: every allocation must be freed before the kernel ends"});
    if (alloc == nullptr)
        for (const TmemOperation* user : {dealloc, mma, load, first(operations, Kind::Store)})
            if (user != nullptr) {
                findings.push_back({"alloc-missing", user->line, 0, true, "uses tensor memory that the kernel never allocates"});
                break;
            }
    if (mma != nullptr && first(operations, Kind::Commit) == nullptr)
        findings.push_back({"mma-without-commit", mma->line, 0, true,
                            "issues tcgen05.mma and no tcgen05.commit: nothing tells when the product is there"});
    else if (mma != nullptr && load != nullptr && !waitsOnMbarrier(function))
        findings.push_back({"mma-without-wait", load->line, mma->line, true,
                            "reads tensor memory after tcgen05.mma without waiting on any mbarrier"});
}

} // namespace

TmemLifecycle checkTmem(const PtxFunction& function, bool callsDeviceCode)
{
    TmemLifecycle result;
    const bool mentions = std::ranges::any_of(
        function.body, [](const PtxStatement& statement) { return statement.opcode.starts_with("tcgen05."); });
    result.usesTcgen05 = mentions || callsDeviceCode;
    if (callsDeviceCode)
        result.columns.reset(); // what the called functions take is not added up here
    if (!mentions)
        return result;
    const PtxValues values(function);
    const PtxFlow flow(function, values);
    const Operations operations = findTmemOperations(function, values);

    checkCounts(operations, result.findings);
    checkCtaGroups(operations, result.findings);
    if (!callsDeviceCode)
        checkMissing(function, operations, result.findings);
    AllocationFindings allocations = checkAllocations(flow, operations);
    std::ranges::move(allocations.findings, std::back_inserter(result.findings));
    std::ranges::move(checkTmemOrdering(function, values, flow, operations), std::back_inserter(result.findings));
    std::ranges::stable_sort(result.findings, {}, &PtxFinding::line);
    if (result.findings.size() > kMostFindings) {
        result.leftOut = static_cast<int>(result.findings.size() - kMostFindings);
        std::ranges::stable_partition(result.findings, [](const PtxFinding& finding) { return finding.certain; });
        result.findings.resize(kMostFindings);
    }

    for (const TmemOperation& operation : operations) {
        result.allocations += operation.kind == Kind::Alloc ? 1 : 0;
        result.unknownAllocations += operation.kind == Kind::Alloc && !operation.columns ? 1 : 0;
    }
    if (result.unknownAllocations > 0)
        result.columns.reset();
    else if (result.columns)
        result.columns = allocations.mostColumns;
    return result;
}

} // namespace assay::device
