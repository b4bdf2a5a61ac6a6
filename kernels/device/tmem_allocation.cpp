// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/tmem_allocation.h"

#include "kernels/device/tmem_lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace assay::device {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kColumnCap = 8 * kTmemColumns; // loops that only allocate stop counting here

/// What the paths to one point of the code have in common and what only some of them do.
struct PathState {
    bool reached = false;
    bool relinquishedAlways = true;
    int relinquishedAt = 0; ///< line of one relinquish on some path, 0 where none
    std::int64_t leastLive = kNone;
    std::int64_t mostLive = 0;
    std::int64_t smallestAllocSome = kNone; ///< smallest earlier alloc on some path
    std::int64_t smallestAllocAlways = 0;   ///< the same on the path where it is largest
    int smallestAllocAt = 0;
    bool operator==(const PathState&) const = default;
};

PathState atEntry()
{
    PathState state;
    state.reached = true;
    state.relinquishedAlways = false;
    state.leastLive = 0;
    state.smallestAllocAlways = kNone;
    return state;
}

PathState joined(const PathState& a, const PathState& b)
{
    if (!a.reached)
        return b;
    if (!b.reached)
        return a;
    PathState both = a;
    both.relinquishedAlways = a.relinquishedAlways && b.relinquishedAlways;
    both.relinquishedAt = std::max(a.relinquishedAt, b.relinquishedAt);
    both.leastLive = std::min(a.leastLive, b.leastLive);
    both.mostLive = std::max(a.mostLive, b.mostLive);
    both.smallestAllocAlways = std::max(a.smallestAllocAlways, b.smallestAllocAlways);
    if (b.smallestAllocSome < a.smallestAllocSome
        || (b.smallestAllocSome == a.smallestAllocSome && b.smallestAllocAt > a.smallestAllocAt)) {
        both.smallestAllocSome = b.smallestAllocSome;
        both.smallestAllocAt = b.smallestAllocAt;
    }
    return both;
}

void apply(const TmemOperation& operation, PathState& state)
{
    switch (operation.kind) {
    case TmemOperation::Kind::Relinquish:
        state.relinquishedAlways = true;
        state.relinquishedAt = operation.line;
        break;
    case TmemOperation::Kind::Alloc:
        if (!operation.columns || *operation.columns < 0)
            break;
        state.leastLive = std::min(state.leastLive + *operation.columns, kColumnCap);
        state.mostLive = std::min(state.mostLive + *operation.columns, kColumnCap);
        state.smallestAllocAlways = std::min(state.smallestAllocAlways, *operation.columns);
        if (*operation.columns < state.smallestAllocSome) {
            state.smallestAllocSome = *operation.columns;
            state.smallestAllocAt = operation.line;
        }
        break;
    case TmemOperation::Kind::Dealloc:
        // where the count is unknown, all may be gone
        state.leastLive = operation.columns ? std::max<std::int64_t>(state.leastLive - *operation.columns, 0) : 0;
        if (operation.columns)
            state.mostLive = std::max<std::int64_t>(state.mostLive - *operation.columns, 0);
        break;
    default:
        break;
    }
}

/// The state before each alloc, by statement, under @p assumption.
std::map<int, PathState> statesAtAllocs(const PtxFlow& flow, const std::vector<std::vector<const TmemOperation*>>& byBlock,
                                        const Assumption& assumption)
{
    const auto& blocks = flow.blocks();
    std::vector<PathState> before(blocks.size());
    std::vector<bool> isWaiting(blocks.size(), false);
    before[0] = atEntry();
    const auto run = [&](std::size_t block, auto&& atAlloc) {
        PathState state = before[block];
        for (const TmemOperation* operation : byBlock[block]) {
            if (!flow.requirementOf(operation->statement).allows(assumption))
                continue;
            if (operation->kind == TmemOperation::Kind::Alloc)
                atAlloc(*operation, state);
            apply(*operation, state);
        }
        return state;
    };
    std::vector<int> work{0};
    while (!work.empty()) {
        const auto block = static_cast<std::size_t>(work.back());
        work.pop_back();
        isWaiting[block] = false;
        const PathState after = run(block, [](const TmemOperation&, const PathState&) {});
        for (const FlowEdge& edge : blocks[block].successors) {
            if (!edge.requirement.allows(assumption))
                continue;
            PathState& target = before[static_cast<std::size_t>(edge.to)];
            const PathState merged = joined(target, after);
            if (merged == target)
                continue;
            target = merged;
            if (!isWaiting[static_cast<std::size_t>(edge.to)])
                work.push_back(edge.to);
            isWaiting[static_cast<std::size_t>(edge.to)] = true;
        }
    }
    std::map<int, PathState> states;
    for (std::size_t block = 0; block < blocks.size(); ++block)
        if (before[block].reached)
            run(block, [&states](const TmemOperation& alloc, const PathState& state) { states[alloc.statement] = state; });
    return states;
}

/// How one rule fares at one alloc over all assumptions.
struct Tally {
    bool certain = false;
    bool somePathAlways = true; ///< under every assumption that reaches the alloc
    bool isReached = false;
    PathState witness;

    void count(const PathState& state, bool always, bool sometimes)
    {
        isReached = true;
        somePathAlways = somePathAlways && sometimes;
        if (sometimes && (always || !certain))
            witness = state;
        certain = certain || always;
    }
    bool isBroken() const { return isReached && (certain || somePathAlways); }
};

struct AllocTallies {
    Tally relinquished, grows, exceeded;
    std::int64_t mostLive = kColumnCap; ///< with this alloc; the smallest that any assumption allows to believe
};

} // namespace

AllocationFindings checkAllocations(const PtxFlow& flow, const std::vector<TmemOperation>& operations)
{
    std::vector<std::vector<const TmemOperation*>> byBlock(flow.blocks().size());
    std::size_t block = 0;
    std::map<int, const TmemOperation*> allocs;
    for (const TmemOperation& operation : operations) {
        while (flow.blocks()[block].end <= operation.statement)
            ++block;
        byBlock[block].push_back(&operation);
        if (operation.kind == TmemOperation::Kind::Alloc)
            allocs.emplace(operation.statement, &operation);
    }
    AllocationFindings result;
    if (allocs.empty())
        return result;

    std::vector<Assumption> assumptions = flow.assumptions();
    assumptions.push_back({});
    std::map<int, AllocTallies> tallies;
    for (const Assumption& assumption : assumptions) {
        for (const auto& [statement, state] : statesAtAllocs(flow, byBlock, assumption)) {
            const std::int64_t columns = allocs.at(statement)->columns.value_or(0);
            const bool isKnown = allocs.at(statement)->columns.has_value();
            AllocTallies& tally = tallies[statement];
            tally.relinquished.count(state, state.relinquishedAlways, state.relinquishedAt != 0);
            tally.grows.count(state, isKnown && state.smallestAllocAlways < columns,
                              isKnown && state.smallestAllocSome < columns);
            tally.exceeded.count(state, state.leastLive + columns > kTmemColumns, state.mostLive + columns > kTmemColumns);
            tally.mostLive = std::min(tally.mostLive, state.mostLive + columns);
        }
    }
    for (const auto& [statement, tally] : tallies) {
        const TmemOperation& alloc = *allocs.at(statement);
        const std::int64_t columns = alloc.columns.value_or(0);
        result.mostColumns = std::max(result.mostColumns, tally.mostLive);
        if (tally.relinquished.isBroken())
            result.findings.push_back({"alloc-after-relinquish", alloc.line, tally.relinquished.witness.relinquishedAt,
                                       tally.relinquished.certain,
                                       "allocates tensor memory after the permit to allocate was given up: undefined"});
        if (tally.grows.isBroken())
            result.findings.push_back({"alloc-grows", alloc.line, tally.grows.witness.smallestAllocAt, tally.grows.certain,
                                       fmt::format("allocates {} columns after an allocation of {}: later allocations of a block "
                                                   "must not be larger",
                                                   columns, tally.grows.witness.smallestAllocSome)});
        // one instruction that asks for too much is reported as such, not as a sum
        if (tally.exceeded.isBroken() && columns <= kTmemColumns)
            result.findings.push_back({"columns-exceeded", alloc.line, 0, tally.exceeded.certain,
                                       fmt::format("holds {} columns of tensor memory at once, and there are {}: the alloc never "
                                                   "returns",
                                                   tally.mostLive, kTmemColumns)});
    }
    return result;
}

} // namespace assay::device
