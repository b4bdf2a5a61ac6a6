// SPDX-License-Identifier: Apache-2.0
#include "core/diff/diff_report.h"

#include "core/diff/failure_mask.h"
#include "core/diff/structure.h"

#include <algorithm>
#include <chrono>

namespace assay::diff {

namespace {

using tensor::Comparison;
using tensor::NonFiniteCounts;
using tensor::TensorView;

/// A mask takes a bit an element, but a word a row: of short rows it would outweigh the tensor.
constexpr std::int64_t kMostMaskShare = 4;

struct Words {
    std::string one, many;
};

bool isNone(const NonFiniteCounts& counts)
{
    return counts == NonFiniteCounts{};
}

bool isNaNAlone(const NonFiniteCounts& counts)
{
    return counts.nan > 0 && counts.positiveInfinity == 0 && counts.negativeInfinity == 0;
}

Words classWords(const Comparison& found)
{
    if (isNone(found.reference) && isNaNAlone(found.candidate))
        return {"is NaN where the reference is finite", "are NaN where the reference is finite"};
    if (isNone(found.reference))
        return {"is NaN or infinite where the reference is finite", "are NaN or infinite where the reference is finite"};
    if (isNone(found.candidate) && isNaNAlone(found.reference))
        return {"is finite where the reference is NaN", "are finite where the reference is NaN"};
    if (isNone(found.candidate))
        return {"is finite where the reference is NaN or infinite", "are finite where the reference is NaN or infinite"};
    return {"is NaN or infinite on one side alone, or unlike on both",
            "are NaN or infinite on one side alone, or unlike on both"};
}

std::string capital(std::string text)
{
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

/// Looks for structure by one rule after another.
class Describer {
public:
    Describer(const TensorView& reference, const TensorView& candidate, int threads)
        : m_reference(reference)
        , m_candidate(candidate)
        , m_threads(threads)
    {
    }

    Structure look(FailureRule::Kind kind, const Bound& bound = {}) const
    {
        return findStructure(markFailures(m_reference, m_candidate, {kind, bound}, m_threads), m_threads);
    }

    void say(const Structure& structure, const Words& words)
    {
        if (std::string text = capital(sentence(structure, words.one, words.many)); !text.empty())
            m_sentences.push_back(std::move(text));
    }

    std::vector<std::string> finish() { return std::move(m_sentences); }

private:
    const TensorView& m_reference;
    const TensorView& m_candidate;
    int m_threads;
    std::vector<std::string> m_sentences;
};

/// Finite pairs that differ; where they are everywhere or form no pattern, the ones with the largest errors.
void describeValues(Describer& describer, const Comparison& found)
{
    Structure different;
    // Where more than half differ no pattern could leave out half of the tensor.
    if (2 * found.bitDifferent <= found.count) {
        different = describer.look(FailureRule::Kind::ErrorAbove, {0, 0});
    } else {
        different.count = found.count;
        different.marked = found.bitDifferent - found.classMismatch;
    }
    describer.say(different, {"differs", "differ"});
    if (different.hasRegion() || !different.places.empty())
        return;
    const Structure largest = describer.look(FailureRule::Kind::ErrorAbove, {found.maxAbsolute / 2, 0});
    if (largest.hasRegion() || !largest.places.empty() || !largest.spread.empty())
        describer.say(largest, {"has more than half of the largest error", "have more than half of the largest error"});
}

} // namespace

std::vector<std::string> describeDifferences(const TensorView& reference, const TensorView& candidate, const Comparison& found,
                                             const std::optional<Bound>& bound, int threads)
{
    const std::int64_t bytes = found.count * std::min(tensor::sizeOf(reference.dtype), tensor::sizeOf(candidate.dtype));
    if (found.bitDifferent == 0
        || kMostMaskShare * FailureMask::bytesFor(reference.shape) > std::max<std::int64_t>(bytes, 1 << 20))
        return {};
    Describer describer(reference, candidate, threads);
    if (bound)
        describer.say(describer.look(FailureRule::Kind::OutOfBound, *bound), {"is beyond the bound", "are beyond the bound"});
    if (found.classMismatch > 0)
        describer.say(describer.look(FailureRule::Kind::ClassMismatch), classWords(found));
    if (!bound && found.maxAbsolute > 0)
        describeValues(describer, found);
    return describer.finish();
}

bool TensorDiff::isBitEqual() const
{
    return isShapeEqual() && referenceDtype == candidateDtype && comparison.bitDifferent == 0;
}

bool TensorDiff::isAccepted() const
{
    if (isBitEqual())
        return true;
    if (!isShapeEqual() || !asked.isAsked() || comparison.classMismatch > 0)
        return false;
    return beyondBound == 0 && (!asked.ulp || comparison.maxUlp.value_or(0) <= *asked.ulp);
}

TensorDiff diffTensors(const tensorfile::LoadedTensor& reference, const tensorfile::LoadedTensor& candidate,
                       const DiffOptions& options)
{
    const auto start = std::chrono::steady_clock::now();
    TensorDiff diff;
    diff.name = reference.name;
    diff.referenceDtype = reference.view.dtype;
    diff.candidateDtype = candidate.view.dtype;
    diff.referenceShape = reference.view.shape;
    diff.candidateShape = candidate.view.shape;
    diff.asked = options.asked;
    if (diff.isShapeEqual()) {
        tensor::CompareOptions compare;
        compare.worst = options.worst;
        compare.threads = options.threads;
        diff.comparison = tensor::compare(reference.view, candidate.view, compare);
        if (options.asked.bound)
            diff.beyondBound = markFailures(reference.view, candidate.view, {FailureRule::Kind::OutOfBound, *options.asked.bound},
                                            options.threads)
                                   .countMarked();
        diff.where = describeDifferences(reference.view, candidate.view, diff.comparison, options.asked.bound, options.threads);
    }
    diff.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return diff;
}

} // namespace assay::diff
