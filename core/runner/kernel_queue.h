// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace assay::runner {

/// Which kernel of a campaign is judged next. A worker that has just judged a kernel keeps the process of its reference, so it
/// gets another kernel of the same task where there is one; workers begin with different tasks where they can. What looks longest
/// comes first, so that no worker is left alone with it at the end: the task with the most source text left, as sources that
/// have more to compile take longer.
class KernelQueue {
public:
    struct Entry {
        std::int64_t reference = 0; ///< the task
        std::int64_t length = 0;    ///< of the candidate's source, bytes
    };

    /// @param kernels  in the campaign's order
    explicit KernelQueue(std::vector<Entry> kernels);

    /// The place of the next kernel for a worker, nothing where all were taken.
    /// @param last  the reference that the worker judged last, 0 where it is new
    /// @param busy  references that other workers are at
    std::optional<std::size_t> take(std::int64_t last, const std::multiset<std::int64_t>& busy);
    bool isEmpty() const { return m_left == 0; }

private:
    /// Kernels of one task that were not taken.
    struct Task {
        std::deque<std::size_t> places; ///< the longest source first
        std::int64_t length = 0;        ///< of all of them
    };

    std::size_t taken(std::int64_t reference);

    std::vector<Entry> m_kernels;
    std::map<std::int64_t, Task> m_tasks;
    std::vector<bool> m_isTaken;
    std::size_t m_first = 0; ///< everything before it was taken
    std::size_t m_left;
};

} // namespace assay::runner
