// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/index_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace assay::contract::gates {

namespace {

constexpr std::string_view kCode = "o";

bool isInteger(const InputSpec& spec)
{
    return !spec.isFloating && !spec.isMask && (spec.dtype == tensor::DType::Int64 || spec.dtype == tensor::DType::Int32)
        && spec.count() > 0;
}

/// The extent that an index with the native range of @p spec most likely runs over: the smallest one that holds it.
std::int64_t indexedSize(const Shape& shape, const InputSpec& spec)
{
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    const auto consider = [&](const std::vector<std::int64_t>& sizes) {
        for (const std::int64_t size : sizes) {
            if (static_cast<double>(size) > spec.high)
                best = std::min(best, size);
        }
    };
    for (const InputSpec& other : shape.inputs) {
        if (other.isFloating)
            consider(other.shape);
    }
    for (const StateEntry& entry : shape.reference.state)
        consider(entry.value.shape());
    return best == std::numeric_limits<std::int64_t>::max() ? static_cast<std::int64_t>(spec.high) + 1 : best;
}

class IndexCheck {
public:
    IndexCheck(GateRun& run, const ShapePtr& shape, int leaf)
        : m_run(run)
        , m_session(run.session())
        , m_shape(shape)
        , m_leaf(leaf)
        , m_recipe{Regime::Native, 0, leaf, Layout::Contiguous, "EXC-02", std::string(kCode)}
        , m_base(m_session.make(shape, m_recipe))
    {
    }

    void check()
    {
        const std::int64_t size = indexedSize(*m_shape, m_shape->inputs[static_cast<std::size_t>(m_leaf)]);
        const StimulusPtr at = withIndex(size);
        const StimulusPtr beyond = withIndex(size + 7);
        const bool refusesAt = referenceRefuses(at);
        const bool refusesBeyond = referenceRefuses(beyond);
        if (!refusesAt && !refusesBeyond)
            return;
        if (refusesAt)
            checkRefused(at);
        if (refusesBeyond)
            checkRefused(beyond);
        const StimulusPtr negative = withIndex(-1);
        if (referenceRefuses(negative))
            checkRefused(negative);
        else
            checkValues(m_run, m_shape, m_recipe, negative, {.code = kCode});
    }

private:
    StimulusPtr withIndex(std::int64_t index)
    {
        const HostTensor& native = m_base->leaves[static_cast<std::size_t>(m_leaf)];
        std::vector<double> values = native.toDoubles();
        values[values.size() / 2] = static_cast<double>(index);
        return m_session.stimuli().replaced(m_base, m_leaf, HostTensor::fromDoubles(native.dtype(), native.shape(), values),
                                            fmt::format("index {} in input {}", index, m_leaf));
    }

    bool referenceRefuses(const StimulusPtr& stimulus)
    {
        if (m_session.refusedOnHost(m_shape, stimulus))
            return true;
        const auto answer = m_session.askReference(m_shape, stimulus);
        if (answer)
            return false;
        // A device-side assertion takes the process's device context with it.
        if (!answer.failure().isGone())
            m_session.referenceParty().restart();
        return answer.failure().kind == PartyFailure::Kind::Raised;
    }

    void checkRefused(const StimulusPtr& stimulus)
    {
        const StimulusRecord record = m_session.record(m_shape, m_recipe, *stimulus);
        const auto answer = m_session.askCandidate(m_shape, stimulus);
        if (!answer && answer.failure().isGone()) {
            m_run.fail(kCode, Severity::Soft, "out_of_bounds",
                       fmt::format("The candidate {} on {}, which the reference refuses.", describeFailure(answer.failure()),
                                   record.label),
                       record);
            return;
        }
        if (answer)
            m_session.flag(m_run.gate(), "permissive",
                           fmt::format("The candidate accepts {}, which the reference refuses.", record.label));
        // What was read or written beyond the bounds must not reach the next gate.
        m_session.candidateParty().restart();
        m_run.pass(kCode, record);
    }

    GateRun& m_run;
    Session& m_session;
    const ShapePtr& m_shape;
    int m_leaf;
    Recipe m_recipe;
    StimulusPtr m_base;
};

} // namespace

void checkIndexBounds(GateRun& run, const ShapePtr& shape)
{
    for (std::size_t i = 0; i < shape->inputs.size(); ++i) {
        if (isInteger(shape->inputs[i]) && !run.hasHardFailure() && run.mayGoOn(kCode))
            IndexCheck(run, shape, static_cast<int>(i)).check();
    }
}

} // namespace assay::contract::gates
