// SPDX-License-Identifier: Apache-2.0
#include "core/contract/alignment.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace assay::contract {

namespace {

HostTensor transposed(const HostTensor& value)
{
    const HostTensor rows = value.contiguous();
    const auto bytes = rows.bytes();
    const auto storage = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
    const std::int64_t height = rows.shape()[0];
    const std::int64_t width = rows.shape()[1];
    return HostTensor(storage, rows.dtype(), {width, height}, {1, width}).contiguous();
}

bool sameBytes(const HostTensor& a, const HostTensor& b)
{
    if (a.dtype() != b.dtype() || a.shape() != b.shape())
        return false;
    const HostTensor left = a.contiguous();
    const HostTensor right = b.contiguous();
    return std::ranges::equal(left.bytes(), right.bytes());
}

/// One pass over the entries that are still free; @p fits says whether two of them belong together.
class Matcher {
public:
    Matcher(const ModuleState& reference, const ModuleState& candidate, std::vector<StatePair>& pairs)
        : m_reference(reference)
        , m_candidate(candidate)
        , m_pairs(pairs)
        , m_referenceTaken(reference.size())
        , m_candidateTaken(candidate.size())
    {
    }

    bool match(bool isTransposed, const std::function<bool(const StateEntry&, const StateEntry&)>& fits)
    {
        bool any = false;
        for (std::size_t r = 0; r < m_reference.size(); ++r) {
            for (std::size_t c = 0; c < m_candidate.size() && !m_referenceTaken[r]; ++c) {
                if (m_candidateTaken[c] || !fits(m_reference[r], m_candidate[c]))
                    continue;
                m_referenceTaken[r] = m_candidateTaken[c] = true;
                m_pairs.push_back({m_reference[r].name, m_candidate[c].name, isTransposed});
                any = true;
            }
        }
        return any;
    }

    const std::vector<bool>& referenceTaken() const { return m_referenceTaken; }
    const std::vector<bool>& candidateTaken() const { return m_candidateTaken; }

private:
    const ModuleState& m_reference;
    const ModuleState& m_candidate;
    std::vector<StatePair>& m_pairs;
    std::vector<bool> m_referenceTaken;
    std::vector<bool> m_candidateTaken;
};

const StateEntry* find(const ModuleState& state, const std::string& name)
{
    const auto it = std::ranges::find(state, name, &StateEntry::name);
    return it == state.end() ? nullptr : &*it;
}

} // namespace

std::string_view name(Alignment::Kind kind)
{
    switch (kind) {
    case Alignment::Kind::NoneNeeded:
        return "none needed";
    case Alignment::Kind::Seed:
        return "seed";
    case Alignment::Kind::StateDict:
        return "state_dict";
    case Alignment::Kind::ByShape:
        return "by_shape";
    }
    return "";
}

Alignment align(const ModuleState& reference, const ModuleState& candidate)
{
    Alignment result;
    Matcher matcher(reference, candidate, result.pairs);
    matcher.match(
        false, [](const StateEntry& r, const StateEntry& c) { return r.name == c.name && r.value.shape() == c.value.shape(); });
    const bool named = result.pairs.size() == reference.size();
    // Constant tensors (zeros, ones) are equal by accident, so equal values count for what varies first.
    matcher.match(false, [](const StateEntry& r, const StateEntry& c) { return sameBytes(r.value, c.value); });
    const bool byShape = matcher.match(false, [](const StateEntry& r, const StateEntry& c) {
        return r.isParameter == c.isParameter && r.value.shape() == c.value.shape();
    });
    matcher.match(true, [](const StateEntry& r, const StateEntry& c) {
        return r.value.shape().size() == 2 && c.value.shape().size() == 2 && sameBytes(transposed(r.value), c.value);
    });
    for (std::size_t i = 0; i < reference.size(); ++i) {
        if (!matcher.referenceTaken()[i] && tensor::isFloating(reference[i].value.dtype()))
            result.unmatchedReference.push_back(reference[i].name);
    }
    for (std::size_t i = 0; i < candidate.size(); ++i) {
        if (!matcher.candidateTaken()[i] && tensor::isFloating(candidate[i].value.dtype()))
            result.unmatchedCandidate.push_back(candidate[i].name);
    }
    if (reference.empty())
        return result;
    const bool seeded = std::ranges::all_of(result.pairs, [&](const StatePair& pair) {
        const StateEntry* r = find(reference, pair.reference);
        const StateEntry* c = find(candidate, pair.candidate);
        return pair.transposed || sameBytes(r->value, c->value);
    });
    result.kind = seeded ? Alignment::Kind::Seed : (named && !byShape ? Alignment::Kind::StateDict : Alignment::Kind::ByShape);
    return result;
}

ModuleState stateForCandidate(const Alignment& alignment, const ModuleState& values)
{
    ModuleState state;
    for (const StatePair& pair : alignment.pairs) {
        const StateEntry* value = find(values, pair.reference);
        if (value == nullptr)
            continue;
        state.push_back(*value);
        state.back().name = pair.candidate;
        if (pair.transposed)
            state.back().value = transposed(value->value);
    }
    return state;
}

} // namespace assay::contract
