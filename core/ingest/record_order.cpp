// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/record_order.h"

#include <algorithm>
#include <numeric>

namespace assay::ingest {

namespace {

/// Records in the order in which they were written: runs of consecutive numbers, by their first time stamp.
std::vector<std::size_t> writingOrder(const std::vector<OrderedRecord>& records)
{
    std::vector<std::size_t> order(records.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return records[a].number < records[b].number; });
    struct Run {
        std::string time;
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    std::vector<Run> runs;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || records[order[i]].number > records[order[i - 1]].number + 1)
            runs.push_back({"", i, i});
        runs.back().end = i + 1;
        if (runs.back().time.empty())
            runs.back().time = records[order[i]].timestamp;
    }
    // A run without any time stamp cannot be placed; numbers are the only order there is then.
    const bool placed = std::none_of(runs.begin(), runs.end(), [](const Run& run) { return run.time.empty(); });
    if (placed)
        std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.time < b.time; });
    std::vector<std::size_t> written;
    for (const Run& run : runs)
        written.insert(written.end(), order.begin() + static_cast<std::ptrdiff_t>(run.begin),
                       order.begin() + static_cast<std::ptrdiff_t>(run.end));
    return written;
}

} // namespace

std::vector<std::optional<std::size_t>> matchByOrder(const std::vector<OrderedRecord>& records, std::size_t kernels)
{
    std::vector<std::optional<std::size_t>> matched(records.size());
    const std::vector<std::size_t> written = writingOrder(records);
    std::size_t nextKernel = 0;
    std::vector<std::size_t> waiting;
    const auto matchWaiting = [&](std::size_t endKernel, bool mayStopEarly) {
        const std::size_t free = endKernel - nextKernel;
        if (waiting.size() == free || (mayStopEarly && waiting.size() < free)) {
            for (std::size_t i = 0; i < waiting.size(); ++i)
                matched[waiting[i]] = nextKernel + i;
        }
        waiting.clear();
    };
    for (const std::size_t record : written) {
        if (!records[record].kernel) {
            waiting.push_back(record);
            continue;
        }
        matched[record] = records[record].kernel;
        // A record that goes back in time is right about its own kernel and says nothing about its neighbours.
        if (*records[record].kernel < nextKernel)
            continue;
        matchWaiting(*records[record].kernel, false);
        nextKernel = *records[record].kernel + 1;
    }
    matchWaiting(kernels, true);
    return matched;
}

} // namespace assay::ingest
