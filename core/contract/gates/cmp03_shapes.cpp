// SPDX-License-Identifier: Apache-2.0
#include "core/contract/dimension_pairing.h"
#include "core/contract/gates/gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace assay::contract::gates {

namespace {

constexpr std::string_view kId = "CMP-03";
/// Values are judged up to this many input elements; larger sizes say nothing that smaller ones do not, and cost time.
constexpr std::int64_t kMostElements = std::int64_t{1} << 19;

bool isPrime(std::int64_t n)
{
    for (std::int64_t d = 2; d * d <= n; ++d) {
        if (n % d == 0)
            return false;
    }
    return n > 1;
}

std::int64_t nextPrime(std::int64_t n)
{
    do
        ++n;
    while (!isPrime(n));
    return n;
}

/// Sizes to try for a dimension, telling ones first.
struct SizesToTry {
    std::vector<std::int64_t> alone;    ///< while all other dimensions stay: what goes wrong has one cause
    std::vector<std::int64_t> together; ///< every dimension at one of its own at once: a size that compiles a kernel anew is dear
    std::vector<std::int64_t> large;    ///< alone again, where memory allows
};

/// @param d  the dimension's size now
SizesToTry sizesFor(std::int64_t d)
{
    std::int64_t power = 1;
    while (2 * power <= d)
        power *= 2;
    SizesToTry sizes;
    std::set<std::int64_t> seen = {d};
    const auto add = [&seen](std::vector<std::int64_t>& into, std::initializer_list<std::int64_t> values) {
        for (const std::int64_t size : values) {
            if (size >= 0 && seen.insert(size).second)
                into.push_back(size);
        }
    };
    add(sizes.alone, {2 * d, d + 1, 1, 0});
    add(sizes.together, {(d + 1) / 2, nextPrime(d), 3, d - 1, 2, 4 * d, power - 1, 2 * power + 1});
    add(sizes.large, {16 * d, 32 * d});
    return sizes;
}

std::string shapesText(const Shape& shape)
{
    std::string text;
    for (const InputSpec& spec : shape.inputs)
        text += fmt::format("{}[{}]", text.empty() ? "" : " x ", fmt::join(spec.shape, ", "));
    return text;
}

/// Dimensions of input leaves that differ between two choices of sizes.
std::vector<InputDimension> changedDimensions(const Shape& before, const Shape& after)
{
    std::vector<InputDimension> changed;
    for (std::size_t i = 0; i < before.inputs.size() && i < after.inputs.size(); ++i) {
        const auto& a = before.inputs[i].shape;
        const auto& b = after.inputs[i].shape;
        for (std::size_t d = 0; d < a.size() && d < b.size(); ++d) {
            if (a[d] != b[d])
                changed.push_back({static_cast<int>(i), static_cast<int>(d)});
        }
    }
    return changed;
}

/// Of the budget: kernels are compiled anew at many sizes, and other gates have questions too.
constexpr double kShare = 0.4;
/// Times the longest answer so far that one at twice a size of the model may take: the kernel of a convolution has three of them.
constexpr double kDearest = 8;

class ShapeSweep {
public:
    explicit ShapeSweep(Session& session)
        : m_session(session)
        , m_run(session, Gate::Cmp03)
        , m_base(session.working())
    {
        for (const SizeSlot& slot : session.slots()) {
            const auto it = m_base->sizes.slots.find(slot.id);
            m_values[slot.id] = it == m_base->sizes.slots.end() ? slot.native : it->second;
        }
    }

    GateResult run()
    {
        std::vector<SizeSlot> activations;
        std::ranges::copy_if(m_session.slots(), std::back_inserter(activations),
                             [](const SizeSlot& slot) { return !slot.inParameters && slot.inInputs; });
        tryWhereItIsWrong();
        sweep(activations);
        for (const SizeSlot& slot : m_session.slots()) {
            if (!slot.inParameters && slot.uses > 1)
                disagree(slot);
        }
        tryModelSizes();
        if (!m_run.hasChecks())
            sayWhyNothingWasAsked();
        return m_run.finish(fmt::format("Right at {} other sizes; refuses what the reference refuses.", m_judged));
    }

private:
    void sayWhyNothingWasAsked()
    {
        const auto belongsToTheModel = [](const SizeSlot& slot) { return slot.inParameters || !slot.inInputs; };
        if (m_session.slots().empty())
            m_run.other("size", Verdict::Inapplicable, "no_sizes", "The task's inputs have no size that could be changed.");
        else if (std::ranges::all_of(m_session.slots(), belongsToTheModel))
            m_run.other("size", Verdict::Inapplicable, "model_sizes",
                        "Every size of the task's inputs is one of the model's parameters, for which a kernel may be built.");
        else
            m_run.other("size", Verdict::Inapplicable, "no_other_size", "The reference works at no other size of its inputs.");
    }

    SizeChoice with(int slot, std::int64_t size) const
    {
        SizeChoice choice = m_base->sizes;
        choice.slots[slot] = size;
        return choice;
    }

    /// The sizes at which the session saw it wrong come first: the time of a sweep at large sizes may not reach them.
    void tryWhereItIsWrong()
    {
        const ShapePtr& shape = m_session.wrongAt();
        if (!shape || !m_run.mayGoOn("size", kShare))
            return;
        const Recipe recipe{Regime::Native, 0, -1, Layout::Contiguous, std::string(kId), "smaller sizes"};
        judgeAt(shape, recipe, labelled(shape, recipe));
    }

    /// The strongest sizes of all slots first: a budget that runs out cuts the tail of each.
    void sweep(const std::vector<SizeSlot>& slots)
    {
        inTurn(slots, &SizesToTry::alone);
        std::size_t rounds = 0;
        for (const SizeSlot& slot : slots)
            rounds = std::max(rounds, sizesFor(m_values[slot.id]).together.size());
        for (std::size_t round = 0; round < rounds; ++round)
            tryTogether(slots, round);
        inTurn(slots, &SizesToTry::large);
    }

    /// One dimension at a time, the first size of each before the second of any.
    void inTurn(const std::vector<SizeSlot>& slots, std::vector<std::int64_t> SizesToTry::*which)
    {
        std::size_t rounds = 0;
        for (const SizeSlot& slot : slots)
            rounds = std::max(rounds, (sizesFor(m_values[slot.id]).*which).size());
        for (std::size_t round = 0; round < rounds; ++round) {
            for (const SizeSlot& slot : slots) {
                const std::vector<std::int64_t> sizes = sizesFor(m_values[slot.id]).*which;
                if (round < sizes.size())
                    tryAlone(slot, sizes[round]);
            }
        }
    }

    void tryAlone(const SizeSlot& slot, std::int64_t size)
    {
        // A dimension that takes no other size takes 1 only because it broadcasts then.
        const std::map<int, std::int64_t> sizes = {{slot.id, size}};
        if ((size == 1 && m_judgedOf[slot.id] == 0) || !hasRoom(sizes) || !hasTime() || !m_alone.insert({slot.id, size}).second)
            return;
        if (trySizes(sizes, fmt::format("size {} of {}", size, slot.describes), true) == Tried::Judged)
            ++m_judgedOf[slot.id];
    }

    /// Every dimension at another place of its list, so that over the rounds each takes all its sizes and no two are changed
    /// alike. A dimension that took no other size alone is left as it is; where the reference refuses the whole, each is asked
    /// alone.
    void tryTogether(const std::vector<SizeSlot>& slots, std::size_t round)
    {
        std::map<int, std::int64_t> sizes;
        std::size_t place = round;
        for (const SizeSlot& slot : slots) {
            const std::vector<std::int64_t> own = sizesFor(m_values[slot.id]).together;
            if (m_judgedOf[slot.id] > 0 && !own.empty())
                sizes[slot.id] = own[place++ % own.size()];
        }
        const bool areTogether
            = sizes.size() > 1 && hasRoom(sizes) && hasTime() && trySizes(sizes, "sizes together", false) != Tried::Refused;
        for (const SizeSlot& slot : slots) {
            const std::vector<std::int64_t> own = sizesFor(m_values[slot.id]).together;
            if (!sizes.contains(slot.id) && round < own.size())
                tryAlone(slot, own[round]);
            else if (sizes.contains(slot.id) && !areTogether)
                tryAlone(slot, sizes[slot.id]);
        }
    }

    /// Says once that it has not.
    bool hasTime()
    {
        m_isOut = m_isOut || !m_run.mayGoOn("size", kShare);
        return !m_isOut;
    }

    /// Estimated before anything is built: 32 times a large dimension may not fit.
    bool hasRoom(const std::map<int, std::int64_t>& sizes)
    {
        auto elements = static_cast<double>(m_base->inputElements());
        bool grows = false;
        for (const auto& [slot, size] : sizes) {
            const std::int64_t now = std::max<std::int64_t>(m_values[slot], 1);
            elements *= static_cast<double>(std::max<std::int64_t>(size, 1)) / static_cast<double>(now);
            grows = grows || size > 2 * now;
        }
        if (elements <= static_cast<double>(kMostElements) || !grows)
            return true;
        if (sizes.size() == 1)
            m_session.flag(Gate::Cmp03, "size_skipped", "Sizes that need more than half a million elements were not tried.");
        return false;
    }

    enum class Tried { Judged, Refused, Else };

    /// @param isLast  whether what the reference refuses is the candidate's to refuse too; else it is only said
    Tried trySizes(const std::map<int, std::int64_t>& sizes, const std::string& what, bool isLast)
    {
        SizeChoice choice = m_base->sizes;
        std::string check = "size";
        for (const auto& [slot, size] : sizes) {
            choice.slots[slot] = size;
            check += fmt::format(" {}={}", slot, size);
        }
        const ShapePtr shape = m_session.shape(choice);
        StimulusRecord record;
        if (shape->referenceFailure) {
            record.label = what;
            if (shape->referenceFailure->kind == PartyFailure::Kind::Raised)
                return Tried::Refused;
            m_run.referenceFailure("size", *shape->referenceFailure, record);
            return Tried::Else;
        }
        if (shape->candidateFailure) {
            record.label = shapesText(*shape);
            m_run.failure("refuses", *shape->candidateFailure, Severity::Soft, record);
            return Tried::Else;
        }
        const Recipe recipe{Regime::Normal, 0, -1, Layout::Contiguous, std::string(kId), check};
        const StimulusPtr stimulus = labelled(shape, recipe);
        const auto asked = m_session.askReference(shape, stimulus);
        if (!asked) {
            if (asked.failure().kind != PartyFailure::Kind::Raised) {
                m_run.referenceFailure("size", asked.failure(), m_session.record(shape, recipe, *stimulus));
                return Tried::Else;
            }
            if (isLast)
                refused(shape, recipe, stimulus, sizes.begin()->second);
            return Tried::Refused;
        }
        const bool isEmpty = std::ranges::any_of(sizes, [](const auto& each) { return each.second == 0; });
        if (sharesItsSize(*shape) && !isEmpty && !readsLastSlices(m_session, shape, stimulus)) {
            if (!isLast)
                return Tried::Refused;
            m_session.flag(
                Gate::Cmp03, "loosely_accepted",
                fmt::format("The reference accepts {} and reads only part of it: the sizes do not agree.", shapesText(*shape)));
            return Tried::Else;
        }
        for (const Regime regime : regimesAt(sizes)) {
            Recipe each = recipe;
            each.regime = regime;
            const bool isAsked = regime == Regime::Normal;
            if (!judgeAt(shape, each, isAsked ? stimulus : labelled(shape, each), isAsked ? &*asked : nullptr))
                return Tried::Else;
        }
        ++m_judged;
        return Tried::Judged;
    }

    /// Ragged sizes meet more regimes: a padded maximum shows only where negative data meets a partial tile.
    std::vector<Regime> regimesAt(const std::map<int, std::int64_t>& sizes)
    {
        for (const auto& [slot, size] : sizes) {
            const std::int64_t now = m_values[slot];
            if (size > 1 && size < now + 1 + now / 2 && size % 2 == 1)
                return {Regime::Normal, Regime::Negative, Regime::LastSpike};
        }
        return {Regime::Normal};
    }

    /// Some, not all, of the dimensions that had one size changed: the change may break an agreement.
    bool sharesItsSize(const Shape& shape) const
    {
        std::map<std::int64_t, std::int64_t> changed; // dimensions by the size they had
        for (const InputDimension dimension : changedDimensions(*m_base, shape))
            ++changed[m_base->inputs[static_cast<std::size_t>(dimension.input)]
                          .shape[static_cast<std::size_t>(dimension.dimension)]];
        return std::ranges::any_of(changed, [this](const auto& each) {
            std::int64_t alike = 0;
            for (const InputSpec& spec : m_base->inputs)
                alike += spec.isFloating ? std::ranges::count(spec.shape, each.first) : 0;
            return alike > each.second;
        });
    }

    StimulusPtr labelled(const ShapePtr& shape, const Recipe& recipe)
    {
        const StimulusPtr made = m_session.make(shape, recipe);
        auto named = std::make_shared<Stimulus>(*made);
        named->label = fmt::format("{} of shape {}", made->label, shapesText(*shape));
        return named;
    }

    /// @param shipped  the reference's answer, where it was asked before
    /// @return false where the candidate failed to answer at all
    bool judgeAt(const ShapePtr& shape, const Recipe& recipe, const StimulusPtr& stimulus, const CallRecord* shipped = nullptr)
    {
        const StimulusRecord record = m_session.record(shape, recipe, *stimulus);
        const bool empty = std::ranges::any_of(shape->inputs, [](const InputSpec& spec) { return spec.count() == 0; });
        const auto answer = m_session.askCandidate(shape, stimulus);
        if (!answer && empty && !isEmptyBatch(shape, stimulus) && !answer.failure().isGone()) {
            m_session.flag(Gate::Cmp03, "refuses_empty",
                           fmt::format("The candidate {} on {}, an empty dimension that is no batch.",
                                       describeFailure(answer.failure()), record.label));
            return false;
        }
        if (!answer) {
            const bool cuda = answer.failure().message.find("CUDA error") != std::string::npos;
            m_run.failure("refuses", answer.failure(), cuda ? Severity::Hard : Severity::Soft, record);
            return false;
        }
        if (empty)
            return judgeEmpty(shape, record, stimulus, *answer);
        const auto truth = m_session.truth(shape, stimulus, shipped);
        if (!truth) {
            m_run.referenceFailure("size", truth.failure(), record);
            return true;
        }
        judgeAnswer(m_run, shape, record, stimulus, **truth, *answer, {.code = "size"});
        return true;
    }

    /// Dimension 0 of every input that became empty, and of every output: nothing to do, as opposed to a reduction over nothing.
    bool isEmptyBatch(const ShapePtr& shape, const StimulusPtr& stimulus)
    {
        for (const InputDimension dimension : changedDimensions(*m_base, *shape)) {
            if (dimension.dimension != 0)
                return false;
        }
        const auto want = m_session.askReference(shape, stimulus);
        return want && std::ranges::all_of(want->outputs, [](const OutputLeaf& leaf) { return leaf.value.count() == 0; });
    }

    /// Nothing to compare but structure, shapes and dtypes, and whatever an empty reduction returns.
    bool judgeEmpty(const ShapePtr& shape, const StimulusRecord& record, const StimulusPtr& stimulus, const CallRecord& answer)
    {
        const auto want = m_session.askReference(shape, stimulus);
        if (!want)
            return true;
        Truth truth;
        truth.reference = want->outputs;
        for (const OutputLeaf& leaf : want->outputs) {
            LeafTruth right;
            if (tensor::isFloating(leaf.value.dtype())) {
                right.r64 = leaf.value;
                right.scale = HostTensor(tensor::DType::Float64, leaf.value.shape());
            }
            truth.leaves.push_back(right);
            truth.firm.emplace_back();
            truth.conformingAgree.push_back(true);
        }
        for (const OutputFinding& finding : m_session.compare(shape, *stimulus, truth, answer)) {
            const std::string& wrong = finding.mismatch.empty() ? finding.dtypeDiffers : finding.mismatch;
            if (!wrong.empty()) {
                m_run.fail("empty", Severity::Hard, "shape", fmt::format("The candidate {} on {}.", wrong, record.label), record);
                return true;
            }
        }
        m_run.pass("empty", record);
        return true;
    }

    /// The reference raised: the candidate should too, where two things disagree.
    void refused(const ShapePtr& shape, const Recipe& recipe, const StimulusPtr& stimulus, std::int64_t size)
    {
        const StimulusRecord record = m_session.record(shape, recipe, *stimulus);
        if (m_session.refusesIndices(shape, stimulus)) {
            // What a candidate does with an index out of range is EXC-02's question, which pays for one process, not for one a
            // size.
            m_run.other("agreement", Verdict::Inapplicable, "indices",
                        fmt::format("The reference refuses the indices, not the sizes, of {}.", shapesText(*shape)), record);
            return;
        }
        const auto answer = m_session.askCandidate(shape, stimulus, Step::Memory::Guarded);
        if (!answer) {
            if (answer.failure().isGone())
                m_run.failure("agreement", answer.failure(), Severity::Hard, record);
            else
                m_run.pass("agreement", record);
            return;
        }
        Pairing pairing;
        for (const InputDimension dimension : changedDimensions(*m_base, *shape)) {
            if (size == 1 || pairing.isPaired)
                break;
            pairing = findPairing(m_session, m_base, dimension);
        }
        if (pairing.isPaired) {
            m_run.fail("agreement", Severity::Hard, "accepts_disagreement",
                       fmt::format("The candidate returns a result for {}, which the reference refuses: the changed dimension no "
                                   "longer agrees with {}.",
                                   shapesText(*shape), pairing.partner),
                       record);
            return;
        }
        m_session.flag(Gate::Cmp03, "permissive",
                       fmt::format("The candidate accepts {}, which the reference refuses.", shapesText(*shape)));
        m_run.pass("agreement", record);
    }

    /// One use of a size changes and the others stay: arguments that disagree with each other.
    void disagree(const SizeSlot& slot)
    {
        const std::int64_t now = m_values[slot.id];
        for (int use = 0; use < slot.uses; ++use) {
            for (const std::int64_t size : {now / 2, 2 * now}) {
                if (size < 2 || size == now || !m_run.mayGoOn("agreement"))
                    continue;
                SizeChoice choice = m_base->sizes;
                choice.singleUses[{slot.id, use}] = size;
                const ShapePtr shape = m_session.shape(choice);
                if (!shape->isReady())
                    continue;
                const Recipe recipe{
                    Regime::Normal, 0, -1, Layout::Contiguous, std::string(kId), fmt::format("use {}.{}={}", slot.id, use, size)};
                const StimulusPtr stimulus = labelled(shape, recipe);
                const auto asked = m_session.askReference(shape, stimulus);
                if (!asked && asked.failure().kind == PartyFailure::Kind::Raised)
                    refused(shape, recipe, stimulus, size);
                else if (asked)
                    m_session.flag(
                        Gate::Cmp03, "loosely_accepted",
                        fmt::format("The reference accepts {}, sizes that do not agree with each other.", shapesText(*shape)));
            }
        }
    }

    /// Sizes of the model itself: a kernel may be built for one model, so this is a remark. One says it all, and none is worth
    /// the time that other gates' questions need: loops that a compiler unrolls over such a size take many times as long at twice
    /// of it.
    void tryModelSizes()
    {
        for (const SizeSlot& slot : m_session.slots()) {
            if (!slot.inParameters)
                continue;
            if (m_run.secondsLeft(kShare) <= kDearest * m_session.slowestAnswerSeconds() || isUnanswered(slot))
                return;
        }
    }

    /// Whether the candidate gives no answer at twice the size of @p slot, which the reference takes; a refusal is said.
    bool isUnanswered(const SizeSlot& slot)
    {
        const ShapePtr shape = m_session.shape(with(slot.id, 2 * m_values[slot.id]));
        if (shape->referenceFailure || shape->inputElements() > kMostElements)
            return false;
        const Recipe recipe{Regime::Normal, 0, -1, Layout::Contiguous, std::string(kId), "model_size"};
        const StimulusPtr stimulus = shape->isReady() ? labelled(shape, recipe) : nullptr;
        if (stimulus && !m_session.askReference(shape, stimulus))
            return false;
        if (stimulus) {
            const auto answer = m_session.askCandidate(shape, stimulus);
            if (answer)
                return false;
            if (answer.failure().kind == PartyFailure::Kind::TimedOut)
                return true; // silence is no refusal, and no other size is worth another one
        }
        m_session.flag(
            Gate::Cmp03, "specialised",
            fmt::format("The candidate is built for one model size: it refuses {} = {}.", slot.describes, 2 * m_values[slot.id]));
        return true;
    }

    Session& m_session;
    GateRun m_run;
    ShapePtr m_base;
    std::map<int, std::int64_t> m_values;
    std::set<std::pair<int, std::int64_t>> m_alone; ///< slots and sizes that were asked, the others' kept
    std::map<int, int> m_judgedOf;                  ///< sizes of a slot that were judged, the others' kept
    int m_judged = 0;
    bool m_isOut = false; ///< of time for sizes
};

} // namespace

/// Shapes: activation sizes change one at a time, then all at once, the reference asked first. Values by the bound of CMP-01 at
/// each size; refusing a size that the reference accepts is a soft failure, accepting arguments that disagree a hard one.
GateResult shapes(Session& session)
{
    return ShapeSweep(session).run();
}

} // namespace assay::contract::gates
