// SPDX-License-Identifier: Apache-2.0
#include "core/launch/plan_report.h"

#include "core/text/error.h"
#include "core/text/object_text.h"
#include "kernels/gdn/plan/shared_memory.h"
#include "kernels/gdn/plan/tensor_memory.h"

#include <fmt/format.h>

namespace assay::launch {

namespace {

namespace plan = gdn::plan;

constexpr std::string_view kNotRun = "assembled, not executed";
constexpr std::string_view kRun
    = "version 4 ran on an H200"; ///< what it took, and what version this is: kernels/gdn/PERFORMANCE.md
/// That the system keeps of every block since sm_90, and on sm_80 alike. Source: the CUDA programming guide's table of limits.
constexpr int kReservedOfBlock = 1024;
constexpr std::array kTargets = {
    PlannedTarget{"sm_80", plan::kSharedBytesSm80, kNotRun, plan::kSharedBytesSm80 + kReservedOfBlock},
    PlannedTarget{"sm_90a", plan::kSharedBytesSm90, kRun, plan::kSharedBytesSm90 + kReservedOfBlock},
    PlannedTarget{"sm_100a", plan::kSharedBytesSm90, kNotRun, plan::kSharedBytesSm90 + kReservedOfBlock},
};

PlannedKernel kernel(std::string_view name, std::string_view phase, int threads, int sharedBytes)
{
    PlannedKernel made{name, phase, threads, sharedBytes, {}};
    for (const PlannedTarget& target : kTargets)
        made.blocks.push_back(target.sharedOfProcessor / (sharedBytes + kReservedOfBlock));
    return made;
}

template <int K, int V> std::vector<PlannedKernel> kernelsOf()
{
    return {
        kernel("prepare", "both", plan::kPrepareThreads, plan::PrepareShared<K, V>::kBytes),
        kernel("forward scan", "both", plan::kScanThreads, plan::ForwardScanShared<K>::kBytes),
        kernel("output", "forward", plan::kProductThreads, plan::OutputShared<K, V>::kBytes),
        kernel("reverse scan", "backward", plan::kScanThreads, plan::ReverseScanShared<K>::kBytes),
        kernel("gradients", "backward", plan::kGradientThreads, plan::GradientShared<V>::kBytes),
    };
}

} // namespace

std::span<const PlannedTarget> plannedTargets()
{
    return kTargets;
}

std::vector<PlannedKernel> plannedKernels(int keys, int values)
{
    if (keys == 64 && values == 64)
        return kernelsOf<64, 64>();
    if (keys == 64 && values == 128)
        return kernelsOf<64, 128>();
    if (keys == 128 && values == 64)
        return kernelsOf<128, 64>();
    if (keys == 128 && values == 128)
        return kernelsOf<128, 128>();
    throw Error("device kernels are built for 64 and 128 channels", fmt::format("K = {}, V = {}", keys, values),
                "Pad to one of these");
}

std::string planJson(int keys, int values)
{
    const std::vector<PlannedKernel> kernels = plannedKernels(keys, values);
    json::ObjectText object("assay.gdn-plan/1");
    object.integer("keys", keys);
    object.integer("values", values);
    object.integer("chunk", plan::kChunk);
    object.objects("targets", kTargets, [&](const PlannedTarget& target) {
        object.text("name", target.name);
        object.text("status", target.status);
        object.integer("shared_bytes", target.sharedBytes);
    });
    object.objects("kernels", kernels, [&](const PlannedKernel& one) {
        object.text("name", one.name);
        object.text("phase", one.phase);
        object.integer("threads", one.threads);
        object.integer("shared_bytes", one.sharedBytes);
        object.object("blocks_by_shared_memory", [&] {
            for (std::size_t i = 0; i < kTargets.size(); ++i)
                object.integer(kTargets[i].name, one.blocks[i]);
        });
    });
    object.object("tensor_memory", [&] {
        object.text("status", "a plan on paper: no kernel runs on it yet");
        object.integer("columns", plan::columnsOf(plan::kBackwardColumns));
        object.integer("limit", plan::kTensorColumns);
        object.objects("accumulators", plan::kBackwardColumns, [&](const plan::ColumnSlot& slot) {
            object.text("name", slot.name);
            object.integer("first", slot.first);
            object.integer("columns", slot.columns);
            object.texts("phases", slot.duties);
        });
    });
    return object.finish();
}

std::string planText(int keys, int values)
{
    std::string text = fmt::format("K = {}, V = {}, chunks of {} tokens\n\n{:<32} {:<9} {:>7} {:>12}", keys, values, plan::kChunk,
                                   "kernel", "for", "threads", "shared KiB");
    for (const PlannedTarget& target : kTargets)
        text += fmt::format(" {:>8}", target.name);
    text += '\n';
    for (const PlannedKernel& one : plannedKernels(keys, values)) {
        text += fmt::format("{:<32} {:<9} {:>7} {:>12.1f}", one.name, one.phase, one.threads, one.sharedBytes / 1024.0);
        for (const int blocks : one.blocks)
            text += fmt::format(" {:>8}", blocks);
        text += '\n';
    }
    text += "Right: blocks on a processor, as far as shared memory goes. A block may have";
    for (const PlannedTarget& target : kTargets)
        text += fmt::format(" {} KiB on {}{}", target.sharedBytes / 1024, target.name, &target == &kTargets.back() ? ".\n" : ",");
    for (const PlannedTarget& target : kTargets)
        text += fmt::format("{}: {}\n", target.name, target.status);
    text += fmt::format("\nTensor memory of sm_100a, K = V = 128: {} of {} columns, a plan on paper that no kernel runs on yet\n",
                        plan::columnsOf(plan::kBackwardColumns), plan::kTensorColumns);
    for (const plan::ColumnSlot& slot : plan::kBackwardColumns) {
        text += fmt::format("{:>4} to {:>3}  {}\n", slot.first, slot.end() - 1, slot.name);
        for (int phase = 0; phase < plan::kPhases; ++phase) {
            if (!slot.duties[std::size_t(phase)].empty())
                text += fmt::format("             {}  {}\n", phase + 1, slot.duties[std::size_t(phase)]);
        }
    }
    return text;
}

} // namespace assay::launch
