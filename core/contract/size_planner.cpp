// SPDX-License-Identifier: Apache-2.0
#include "core/contract/size_planner.h"

#include <algorithm>
#include <tuple>

namespace assay::contract {

namespace {

/// Sizes are not halved below these: a kernel's blocks should still see more than one row.
constexpr std::int64_t kSmallestSize = 8;
constexpr std::int64_t kSmallestBatch = 2;
constexpr int kMostHalvings = 96;

bool isBatch(const SizeSlot& slot)
{
    return slot.inInputs && !slot.inParameters && slot.describes.starts_with("dim 0 of ");
}

std::int64_t smallest(const SizeSlot& slot)
{
    return isBatch(slot) ? kSmallestBatch : kSmallestSize;
}

/// What changes with a size that is halved. Sizes of one value often belong together without being the same number in the source:
/// a square image, a residual connection. A batch hardly ever does.
enum class Company { OneValue, Alone, Batches };

bool goesWith(const SizeSlot& other, const SizeSlot& slot, const SizeChoice& sizes, Company company, bool mayChangeModel)
{
    const bool isSame = sizes.slots.at(other.id) == sizes.slots.at(slot.id) && (mayChangeModel || !other.inParameters);
    return isSame && (company == Company::Batches || (company == Company::OneValue && !isBatch(other) && !isBatch(slot)));
}

} // namespace

bool isWithin(const Footprint& footprint, const SizePlanner::Limit& limit)
{
    return footprint.inputs + footprint.state <= limit.given && footprint.held() <= limit.held;
}

bool SizePlanner::hasEqual(const SizeSlot& slot, const SizeChoice& sizes, bool mayChangeModel) const
{
    return std::ranges::any_of(m_slots, [&](const SizeSlot& other) {
        return other.id != slot.id && goesWith(other, slot, sizes, Company::OneValue, mayChangeModel);
    });
}

SizePlanner::SizePlanner(ReferenceParty& reference, const std::vector<SizeSlot>& slots, std::uint64_t seed)
    : m_reference(reference)
    , m_slots(slots)
    , m_seed(seed)
{
}

SizeChoice SizePlanner::within(SizeChoice from, Limit limit, First first, bool mayChangeModel)
{
    auto footprint = m_reference.footprint(from, m_seed);
    if (!footprint)
        return from;
    for (const SizeSlot& slot : m_slots)
        from.slots.try_emplace(slot.id, slot.native);
    std::vector<int> frozen;
    for (int step = 0; step < kMostHalvings && !isWithin(*footprint, limit); ++step) {
        const SizeSlot* slot = next(from, frozen, first, mayChangeModel);
        if (slot == nullptr)
            break;
        bool halved = false;
        for (const Company company : {Company::OneValue, Company::Alone, Company::Batches}) {
            // A model of unequal sizes where the task's are equal is another model: a reference may take it by broadcasting, and
            // a kernel need not.
            if (company == Company::Alone && slot->inParameters && hasEqual(*slot, from, mayChangeModel))
                continue;
            SizeChoice smaller = from;
            for (const SizeSlot& other : m_slots) {
                if (other.id == slot->id || goesWith(other, *slot, from, company, mayChangeModel))
                    smaller.slots[other.id] /= 2;
            }
            const auto tried = m_reference.footprint(smaller, m_seed);
            // Where not even the task's own sizes run without memory, only building tells.
            halved = tried && (tried->ran || !footprint->ran);
            if (!halved)
                continue;
            from = std::move(smaller);
            footprint = tried;
            break;
        }
        if (!halved)
            frozen.push_back(slot->id);
    }
    return from;
}

std::vector<SizeChoice> SizePlanner::withLessChanged(const SizeChoice& chosen, Limit limit)
{
    SizeChoice own;
    for (const SizeSlot& slot : m_slots)
        own.slots[slot.id] = slot.native;
    std::vector<const SizeSlot*> changed;
    for (const SizeSlot& slot : m_slots) {
        if (const auto it = chosen.slots.find(slot.id); it != chosen.slots.end() && it->second != slot.native)
            changed.push_back(&slot);
    }
    const auto ofOthers = std::ranges::stable_partition(changed, [&](const SizeSlot* slot) { return isOfModel(*slot, own); });
    const std::vector<const SizeSlot*> ofModel(changed.begin(), ofOthers.begin());

    std::vector<SizeChoice> found;
    const auto add = [&](const std::vector<const SizeSlot*>& restored) {
        SizeChoice sizes = chosen;
        for (const SizeSlot* slot : restored)
            sizes.slots[slot->id] = slot->native;
        const auto footprint = m_reference.footprint(sizes, m_seed);
        if (footprint && isWithin(*footprint, limit))
            found.push_back(std::move(sizes));
    };
    if (changed.size() > 1) {
        for (const SizeSlot* slot : changed)
            add({slot});
    }
    if (ofModel.size() > 1 && ofModel.size() < changed.size())
        add(ofModel);
    return found;
}

bool SizePlanner::isOfModel(const SizeSlot& slot, const SizeChoice& sizes) const
{
    return std::ranges::any_of(m_slots, [&](const SizeSlot& other) {
        return other.inParameters && sizes.slots.at(other.id) == sizes.slots.at(slot.id);
    });
}

const SizeSlot* SizePlanner::next(const SizeChoice& sizes, const std::vector<int>& frozen, First first, bool mayChangeModel) const
{
    // A size that a parameter has too may be the model's: without memory a reference does not always refuse another one.
    const auto rank = [&](const SizeSlot& slot) {
        return std::tuple(!slot.inParameters, isBatch(slot) || !isOfModel(slot, sizes), first == First::Batch && isBatch(slot),
                          sizes.slots.at(slot.id));
    };
    const SizeSlot* chosen = nullptr;
    for (const SizeSlot& slot : m_slots) {
        const bool may = (mayChangeModel || !slot.inParameters) && sizes.slots.at(slot.id) >= 2 * smallest(slot)
            && std::ranges::find(frozen, slot.id) == frozen.end();
        if (may && (chosen == nullptr || rank(slot) > rank(*chosen)))
            chosen = &slot;
    }
    return chosen;
}

} // namespace assay::contract
