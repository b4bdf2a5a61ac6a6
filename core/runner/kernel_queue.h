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
/// gets another kernel of the same task where there is one; workers begin with different tasks where they can.
class KernelQueue {
public:
    /// @param references  the reference of every kernel, in the campaign's order
    explicit KernelQueue(std::vector<std::int64_t> references);

    /// The place of the next kernel for a worker, nothing where all were taken.
    /// @param last  the reference that the worker judged last, 0 where it is new
    /// @param busy  references that other workers are at
    std::optional<std::size_t> take(std::int64_t last, const std::multiset<std::int64_t>& busy);
    bool isEmpty() const { return m_left == 0; }

private:
    std::size_t taken(std::size_t place);

    std::vector<std::int64_t> m_references;
    std::map<std::int64_t, std::deque<std::size_t>> m_places; ///< of kernels that were not taken, by reference
    std::vector<bool> m_isTaken;
    std::size_t m_first = 0; ///< everything before it was taken
    std::size_t m_left;
};

} // namespace assay::runner
