// SPDX-License-Identifier: Apache-2.0
#include "core/contract/shrink.h"

#include "core/contract/failing_check.h"
#include "core/contract/gate_run.h"
#include "core/contract/simpler_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace assay::contract {

namespace {

using Index = std::vector<std::int64_t>;

/// A process that dies is started and built again for every question.
constexpr int kQuestionsOfCrashes = 40;

/// Which end of a dimension that becomes shorter stays.
enum class Keep { First, Last, NonFinite };

std::int64_t elementsOf(const std::vector<HostTensor>& leaves)
{
    std::int64_t sum = 0;
    for (const HostTensor& leaf : leaves)
        sum += leaf.count();
    return sum;
}

std::int64_t nonZeroOf(const std::vector<HostTensor>& leaves)
{
    std::int64_t sum = 0;
    for (const HostTensor& leaf : leaves)
        sum += static_cast<std::int64_t>(nonZero(leaf).size());
    return sum;
}

std::string shapesText(const std::vector<HostTensor>& leaves)
{
    std::string text;
    for (std::size_t i = 0; i < leaves.size(); ++i)
        text += fmt::format("{}[{}]", i == 0 ? "" : i + 1 == leaves.size() ? " and " : ", ", fmt::join(leaves[i].shape(), ", "));
    return text.empty() ? "no input" : text;
}

/// The part of @p value that has @p shape, or nothing where it is no part of it.
std::optional<HostTensor> cropped(const HostTensor& value, const Index& shape, Keep keep)
{
    const Index& old = value.shape();
    if (shape.size() != old.size())
        return std::nullopt;
    const std::int64_t special = keep == Keep::NonFinite ? firstNonFinite(value) : -1;
    const Index place = special >= 0 ? tensor::unravel(special, old) : Index(old.size(), 0);
    Index from(old.size(), 0);
    for (std::size_t d = 0; d < old.size(); ++d) {
        const std::int64_t room = old[d] - shape[d];
        if (room < 0)
            return std::nullopt;
        from[d] = keep == Keep::Last ? room : std::min(place[d], room);
    }
    return blockOf(value, from, shape);
}

/// The search for one check.
class Shrinker {
public:
    Shrinker(Session& session, FailingCheck& check, int questions)
        : m_session(session)
        , m_check(check)
        , m_left(questions)
        , m_most(questions)
    {
    }

    Shrunk run()
    {
        m_now = m_check.original();
        const std::int64_t elements = elementsOf(m_now.stimulus->leaves);
        const std::int64_t nonZeros = nonZeroOf(m_now.stimulus->leaves);
        m_failed = ask(m_now);
        if (!m_failed)
            return result("it does not show again where its stimulus is asked alone");
        shrinkSizes();
        for (std::size_t leaf = 0; leaf < m_now.stimulus->leaves.size(); ++leaf)
            simplify(leaf);
        if (!m_isSmaller)
            return result("no smaller stimulus was found on which it fails");
        Shrunk shrunk = result(fmt::format("{} input elements, {} of them not zero, became {} with {}", elements, nonZeros,
                                           elementsOf(m_now.stimulus->leaves), nonZeroOf(m_now.stimulus->leaves)));
        shrunk.check = std::make_shared<const CheckResult>(std::move(*m_failed));
        return shrunk;
    }

private:
    Shrunk result(std::string remark) const { return {nullptr, std::move(remark), m_most - m_left}; }

    std::optional<CheckResult> ask(const CallCase& other)
    {
        if (m_left <= 0 || !m_session.withinBudget())
            return std::nullopt;
        --m_left;
        return m_check.failsOn(other);
    }

    /// Takes @p other where the check fails on it alike.
    bool take(const CallCase& other)
    {
        auto failed = ask(other);
        if (!failed)
            return false;
        m_now = other;
        m_failed = std::move(failed);
        m_isSmaller = true;
        return true;
    }

    StimulusPtr stimulus(std::vector<HostTensor> leaves)
    {
        const std::string label = fmt::format("{}, shrunk to {}", m_check.original().stimulus->label, shapesText(leaves));
        return m_session.stimuli().wrap(std::move(leaves), label, m_now.stimulus->isUneven);
    }

    /// One size after the other becomes one, or half, rounded down or up, or a quarter or one less, until none does any more.
    void shrinkSizes()
    {
        if (!m_now.shape->sizes.singleUses.empty()) // sizes that disagree on purpose
            return;
        std::vector<SizeSlot> slots = m_session.slots();
        std::ranges::stable_sort(slots, std::greater{}, &SizeSlot::native);
        for (bool any = true; any && mayAskForSizes();) {
            any = false;
            for (const SizeSlot& slot : slots)
                any = shrinkSize(slot) || any;
        }
    }

    bool shrinkSize(const SizeSlot& slot)
    {
        bool any = false;
        for (bool smaller = true; smaller && mayAskForSizes();) {
            const std::int64_t now = sizeOf(slot);
            smaller = false;
            std::int64_t last = now;
            for (const std::int64_t size : {std::int64_t{1}, now / 2, (now + 1) / 2, now - now / 4, now - 1}) {
                if (size < 1 || size >= now || size == last || smaller)
                    continue;
                smaller = tryAt(slot.id, size);
                last = size;
            }
            any = any || smaller;
        }
        return any;
    }

    /// A third of the questions is for the values.
    bool mayAskForSizes() const { return m_left > m_most / 3; }

    std::int64_t sizeOf(const SizeSlot& slot) const
    {
        const auto it = m_now.shape->sizes.slots.find(slot.id);
        return it == m_now.shape->sizes.slots.end() ? slot.native : it->second;
    }

    bool tryAt(int slot, std::int64_t size)
    {
        SizeChoice sizes = m_now.shape->sizes;
        sizes.slots[slot] = size;
        // From other sizes other elements would be left.
        if (!m_triedSizes.emplace(m_now.shape->sizes.slots, sizes.slots).second)
            return false;
        const ShapePtr shape = m_session.shape(sizes, m_now.shape->castTo);
        if (!shape->isReady() || shape->elements() >= m_now.shape->elements())
            return false;
        const bool injected
            = std::ranges::any_of(m_now.stimulus->leaves, [](const HostTensor& leaf) { return firstNonFinite(leaf) >= 0; })
            || !m_now.state.empty();
        const bool exact = std::ranges::any_of(shape->inputs, [](const InputSpec& spec) { return !spec.isFloating; });
        for (const Keep keep : {Keep::NonFinite, Keep::First, Keep::Last}) {
            if (keep == Keep::NonFinite && !injected)
                continue;
            // Integers may be indices or lengths, which the smaller task draws for itself.
            for (const bool ownIntegers : {false, true}) {
                if ((ownIntegers && !exact) || !mayAskForSizes())
                    continue;
                const auto made = caseAt(shape, keep, ownIntegers);
                if (made && take(*made))
                    return true;
            }
        }
        return false;
    }

    std::optional<CallCase> caseAt(const ShapePtr& shape, Keep keep, bool ownIntegers)
    {
        const std::vector<HostTensor>& old = m_now.stimulus->leaves;
        if (shape->inputs.size() != old.size())
            return std::nullopt;
        std::vector<HostTensor> leaves;
        for (std::size_t i = 0; i < old.size(); ++i) {
            std::optional<HostTensor> part;
            if (shape->inputs[i].isFloating || !ownIntegers)
                part = cropped(old[i], shape->inputs[i].shape, keep);
            if (!part && shape->inputs[i].isFloating)
                return std::nullopt;
            leaves.push_back(part ? *part : shape->reference.inputLeaves[i]);
        }
        CallCase made{shape, stimulus(std::move(leaves)), {}};
        for (const StateEntry& entry : m_now.state) {
            const ModuleState& state = m_session.state(shape);
            const auto it = std::ranges::find(state, entry.name, &StateEntry::name);
            const auto part = it == state.end() ? std::nullopt : cropped(entry.value, it->value.shape(), keep);
            if (!part)
                return std::nullopt;
            made.state.push_back(entry);
            made.state.back().value = *part;
        }
        return made;
    }

    /// Zeros, ones or integers where the whole leaf may hold them; else as few elements that are not zero as can be found.
    void simplify(std::size_t leaf)
    {
        if (nonZero(leafNow(leaf)).empty())
            return;
        if (replace(leaf, simplified(leafNow(leaf), Simple::Zeros)))
            return;
        if (!tensor::isFloating(leafNow(leaf).dtype()))
            return;
        if (!replace(leaf, simplified(leafNow(leaf), Simple::Ones)))
            replace(leaf, simplified(leafNow(leaf), Simple::Integers));
        dropElements(leaf);
    }

    const HostTensor& leafNow(std::size_t leaf) const { return m_now.stimulus->leaves[leaf]; }

    bool replace(std::size_t leaf, HostTensor value)
    {
        std::vector<HostTensor> leaves = m_now.stimulus->leaves;
        leaves[leaf] = std::move(value);
        return take({m_now.shape, stimulus(std::move(leaves)), m_now.state});
    }

    /// Halves of the elements that are not zero become zero, then quarters, down to single ones. Source: A. Zeller and R.
    /// Hildebrandt, Simplifying and isolating failure-inducing input, IEEE TSE 28 (2002).
    void dropElements(std::size_t leaf)
    {
        Index active = nonZero(leafNow(leaf));
        for (std::size_t length = active.size() / 2; length > 0 && m_left > 0; length /= 2) {
            for (std::size_t at = 0; at < active.size() && active.size() > 1 && m_left > 0;) {
                const auto begin = active.begin() + static_cast<std::ptrdiff_t>(at);
                const auto end = active.begin() + static_cast<std::ptrdiff_t>(std::min(at + length, active.size()));
                if (replace(leaf, withZeros(leafNow(leaf), {begin, end})))
                    active.erase(begin, end);
                else
                    at += length;
            }
        }
    }

    Session& m_session;
    FailingCheck& m_check;
    int m_left;
    int m_most;
    CallCase m_now;
    std::optional<CheckResult> m_failed; ///< on m_now
    bool m_isSmaller = false;
    std::set<std::pair<std::map<int, std::int64_t>, std::map<int, std::int64_t>>> m_triedSizes; ///< from, to
};

/// How bad a check is; of equally bad ones those count more that one call shows, by its values or by having none.
std::pair<int, bool> rank(const CheckResult& check)
{
    const bool hasValues = check.evidence && check.evidence->reference && check.evidence->candidate;
    const bool hasNone = check.verdict != Verdict::Fail || check.reason == "exception";
    return {badness(check.verdict, check.severity), hasValues || hasNone};
}

/// The check of @p gate that a smaller stimulus is looked for, or nullptr.
CheckResult* searchedCheck(GateResult& gate)
{
    const CheckResult* const deciding = countsAgainstCandidate(gate.verdict) ? decidingCheck(gate) : nullptr;
    return deciding == nullptr ? nullptr : &gate.checks[static_cast<std::size_t>(deciding - gate.checks.data())];
}

} // namespace

const CheckResult* decidingCheck(const GateResult& gate)
{
    const CheckResult* worst = nullptr;
    for (const CheckResult& check : gate.checks) {
        if (!countsAgainstCandidate(check.verdict) || (!check.evidence && !check.stimulus.call))
            continue;
        if (worst == nullptr || rank(check) > rank(*worst))
            worst = &check;
    }
    return worst;
}

Shrunk shrink(Session& session, Gate gate, const CheckResult& failed, int questions)
{
    FailingCheck check(session, gate, failed);
    if (!check.obstacle().empty())
        return {nullptr, check.obstacle(), 0};
    return Shrinker(session, check, failed.verdict == Verdict::Crash ? std::min(questions, kQuestionsOfCrashes) : questions)
        .run();
}

void noteNoSearch(Judgement& judgement, const std::string& why)
{
    for (GateResult& gate : judgement.gates) {
        if (CheckResult* const deciding = searchedCheck(gate))
            deciding->shrunk = Shrunk{nullptr, why, 0};
    }
}

void shrinkFailures(ReferenceParty& reference, CandidateParty& candidate, const Contract& contract, const JudgeOptions& options,
                    Judgement& judgement)
{
    Session session(reference, candidate, contract, options);
    if (const auto stop = session.open())
        return noteNoSearch(judgement, "the pair cannot be asked again: " + stop->reason);
    for (GateResult& gate : judgement.gates) {
        if (CheckResult* const deciding = searchedCheck(gate))
            deciding->shrunk = shrink(session, gate.gate, *deciding);
    }
}

} // namespace assay::contract
