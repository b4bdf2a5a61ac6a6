// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"

#include <cstdint>
#include <vector>

namespace assay::contract {

/// Finds smaller sizes for a task by asking what a call would hold, before anything is built at any size.
class SizePlanner {
public:
    SizePlanner(ReferenceParty& reference, const std::vector<SizeSlot>& slots, std::uint64_t seed);

    /// Elements that a call may hold.
    struct Limit {
        std::int64_t given = 0; ///< inputs and state
        std::int64_t held = 0;  ///< with outputs, or the largest tensor on the way
    };

    /// What is given up first. A batch changes what a kernel does least; the largest size saves most.
    enum class First { Batch, Largest };

    /// Halves sizes of @p from, one value at a time, until a call is within @p limit or no size can be halved further. Halving
    /// keeps the divisibility that blocked code relies on; a size that the reference then refuses stays as it was.
    /// @param mayChangeModel  sizes of parameters too, after all others
    /// @return every slot's size; @p from where its footprint cannot be known
    SizeChoice within(SizeChoice from, Limit limit, First first, bool mayChangeModel);

    /// @p chosen with fewer sizes changed, for a reference that refuses it although it ran without memory, where torch does not
    /// compare all sizes (those of transposed convolutions): one size of the task's own again, those first that may be the
    /// model's; last all of these at once. Only what @p limit allows.
    std::vector<SizeChoice> withLessChanged(const SizeChoice& chosen, Limit limit);

private:
    /// Whether a parameter has a size that @p slot may be bound to: an equal one at @p sizes.
    bool isOfModel(const SizeSlot& slot, const SizeChoice& sizes) const;
    /// Whether another size of the same value goes with @p slot.
    bool hasEqual(const SizeSlot& slot, const SizeChoice& sizes, bool mayChangeModel) const;
    const SizeSlot* next(const SizeChoice& sizes, const std::vector<int>& frozen, First first, bool mayChangeModel) const;

    ReferenceParty& m_reference;
    const std::vector<SizeSlot>& m_slots;
    std::uint64_t m_seed;
};

/// Where a call with @p footprint is within @p limit.
bool isWithin(const Footprint& footprint, const SizePlanner::Limit& limit);

} // namespace assay::contract
