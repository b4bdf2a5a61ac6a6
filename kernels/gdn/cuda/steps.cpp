// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/cuda/steps.h"

#include "kernels/gdn/plan/shared_memory.h"

#include <array>

namespace assay::gdn::cuda {

namespace {

/// Shared memory of the instance of @p Shared for the call's keys and values.
template <template <int, int> typename Shared> int sharedBytes(int keys, int values)
{
    if (keys == 64)
        return values == 64 ? Shared<64, 64>::kBytes : Shared<64, 128>::kBytes;
    return values == 64 ? Shared<128, 64>::kBytes : Shared<128, 128>::kBytes;
}

/// The launches of one call.
class Launches {
public:
    Launches(const Sizes& sizes, Gate gate)
        : m_sizes(sizes)
        , m_gate(gate)
        , m_slots(sizes.chunks * sizes.heads)
    {
    }

    Launch places() const { return {Step::Places, 1, 1, plan::kPlaceThreads, 0, m_gate}; }
    Launch prepare() const
    {
        return {Step::Prepare, m_slots, 1, plan::kPrepareThreads, sharedBytes<plan::PrepareShared>(keys(), values()), m_gate};
    }
    Launch forwardScan() const { return scan<plan::ForwardScanShared>(Step::ForwardScan); }
    Launch reverseScan() const { return scan<plan::ReverseScanShared>(Step::ReverseScan); }
    Launch output() const
    {
        return {Step::Output, m_slots, 1, plan::kProductThreads, sharedBytes<plan::OutputShared>(keys(), values()), m_gate};
    }
    Launch gradients() const
    {
        const int bytes = values() == 64 ? plan::GradientShared<64>::kBytes : plan::GradientShared<128>::kBytes;
        return {Step::Gradients, m_slots, keys() / plan::kChannelTile, plan::kGradientThreads, bytes, m_gate};
    }

private:
    int keys() const { return m_sizes.keys; }
    int values() const { return m_sizes.values; }
    template <template <int> typename Shared> Launch scan(Step step) const
    {
        const int bytes = keys() == 64 ? Shared<64>::kBytes : Shared<128>::kBytes;
        return {step, m_sizes.sequences * m_sizes.heads * (values() / plan::kScanValues), 1, plan::kScanThreads, bytes, m_gate};
    }

    const Sizes& m_sizes;
    Gate m_gate;
    int m_slots;
};

/// Hands out parts of a block of memory, one after another.
class Carver {
public:
    explicit Carver(std::byte* base)
        : m_base(base)
    {
    }

    template <typename T> void take(T*& array, std::int64_t bytes)
    {
        array = m_base ? reinterpret_cast<T*>(m_base + m_used) : nullptr;
        m_used += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    }
    std::int64_t used() const { return m_used; }

private:
    static constexpr std::int64_t kAlignment = 256;
    std::byte* m_base;
    std::int64_t m_used = 0;
};

} // namespace

std::string_view name(Step step)
{
    constexpr std::array<std::string_view, 6> kNames{"places", "prepare", "forward_scan", "output", "reverse_scan", "gradients"};
    return kNames[static_cast<std::size_t>(step)];
}

std::vector<Launch> forwardLaunches(const Sizes& sizes, Gate gate)
{
    const Launches all(sizes, gate);
    return {all.places(), all.prepare(), all.forwardScan(), all.output()};
}

std::vector<Launch> backwardLaunches(const Sizes& sizes, Gate gate)
{
    const Launches all(sizes, gate);
    return {all.places(), all.prepare(), all.forwardScan(), all.reverseScan(), all.gradients()};
}

Workspace layOut(const Sizes& sizes, bool isBackward, std::byte* base, std::int64_t& bytes)
{
    constexpr std::int64_t kElement = 2;
    const std::int64_t slots = std::int64_t{sizes.chunks} * sizes.heads, chunk = plan::kChunk;
    const std::int64_t keyed = slots * chunk * sizes.keys * kElement, valued = slots * chunk * sizes.values * kElement;
    const std::int64_t scores = slots * chunk * chunk * kElement;
    const std::int64_t states = slots * sizes.keys * sizes.values * kElement;
    Carver carver(base);
    Workspace work{};
    carver.take(work.places, std::int64_t{sizes.chunks} * static_cast<std::int64_t>(sizeof(ChunkPlace)));
    carver.take(work.sequences, std::int64_t{sizes.sequences} * static_cast<std::int64_t>(sizeof(SequencePlace)));
    carver.take(work.totalDecay, slots * sizes.keys * static_cast<std::int64_t>(sizeof(float)));
    for (void** array : {&work.queries, &work.keysOut, &work.w})
        carver.take(*array, keyed);
    for (void** array : {&work.u, &work.writes})
        carver.take(*array, valued);
    carver.take(work.scores, scores);
    carver.take(work.states, states);
    if (isBackward) {
        for (void** array : {&work.negErases, &work.y})
            carver.take(*array, keyed);
        for (void** array : {&work.x, &work.p})
            carver.take(*array, valued);
        carver.take(work.stateGrads, states);
    }
    bytes = carver.used();
    return work;
}

} // namespace assay::gdn::cuda
