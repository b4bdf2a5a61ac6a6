// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::contract::gates {

namespace {

constexpr std::string_view kId = "PRC-01";
constexpr std::array kRegimes = {Regime::Native, Regime::Normal, Regime::LastSpike, Regime::Negative};

/// A refusal that comes before anything ran says "not this dtype", which a kernel may; so does torch's own, that an operation
/// does not exist in the dtype.
bool isCleanRefusal(const PartyFailure& failure)
{
    return failure.kind == PartyFailure::Kind::Raised
        && (!failure.launched || failure.message.find("not implemented for") != std::string::npos);
}

/// True where there are floating outputs and all of them have the reference's dtype. Where a reduction is so long that values of
/// a short type say nothing, this much can still be asked.
bool keepsDtypes(const Truth& truth, const CallRecord& answer)
{
    if (answer.outputs.size() != truth.reference.size())
        return false;
    bool any = false;
    for (std::size_t i = 0; i < answer.outputs.size(); ++i) {
        const OutputLeaf& want = truth.reference[i];
        const OutputLeaf& got = answer.outputs[i];
        if (want.isNone || want.isPython || got.isPython || !tensor::isFloating(want.value.dtype()))
            continue;
        if (got.isNone || got.value.dtype() != want.value.dtype())
            return false;
        any = true;
    }
    return any;
}

void refused(GateRun& run, const std::string& code, const PartyFailure& failure, const StimulusRecord& record)
{
    if (isCleanRefusal(failure))
        run.other(code, Verdict::Unsupported, "dtype", fmt::format("The candidate refuses {}: {}.", code, failure.oneLine()),
                  record);
    else
        run.failure(code, failure, Severity::Soft, record);
}

} // namespace

/// Dtype regimes: parameters and inputs rounded to fp16 or bf16, R64 on the rounded bits, u_out = u(dtype). In a dtype
/// foreign to the task u_acc = u(dtype) and the bound counts 16 times (prototype lesson 16). `.dtype`: the output dtype must be
/// the reference's.
GateResult dtypeRegimes(Session& session)
{
    GateRun run(session, Gate::Prc01);
    const ShapePtr native = session.working();
    const bool floating = std::ranges::any_of(native->inputs, [](const InputSpec& spec) { return spec.isFloating; });
    std::vector<tensor::DType> dtypes{tensor::DType::BFloat16, tensor::DType::Float16};
    // A task of a short type is asked in fp32 too: a kernel that was written for the short type gives that back.
    const bool isShort = std::ranges::none_of(
        native->inputs, [](const InputSpec& spec) { return spec.isFloating && tensor::sizeOf(spec.dtype) > 2; });
    if (isShort)
        dtypes.push_back(tensor::DType::Float32);
    for (const tensor::DType dtype : dtypes) {
        const std::string code(tensor::name(dtype));
        if (!floating) {
            run.other(code, Verdict::Inapplicable, "no_float_input", "The task has no floating input.");
            continue;
        }
        if (!run.mayGoOn(code))
            break;
        const ShapePtr shape = session.shape(native->sizes, dtype);
        if (!shape->isReady()) {
            StimulusRecord record;
            record.label = fmt::format("construction in {}", code);
            if (shape->referenceFailure)
                run.referenceFailure(code, *shape->referenceFailure, record);
            else
                refused(run, code, *shape->candidateFailure, record);
            continue;
        }
        for (const Regime regime : kRegimes) {
            const Recipe recipe{regime, 0, -1, Layout::Contiguous, std::string(kId), code};
            const StimulusPtr stimulus = session.make(shape, recipe);
            const StimulusRecord record = session.record(shape, recipe, *stimulus);
            const auto truth = session.truth(shape, stimulus);
            if (!truth) {
                run.referenceFailure(code, truth.failure(), record);
                break;
            }
            const auto answer = session.askCandidate(shape, stimulus);
            if (!answer) {
                refused(run, code, answer.failure(), record);
                break;
            }
            if (regime == kRegimes.front() && keepsDtypes(**truth, *answer))
                run.pass("dtype", record);
            judgeAnswer(run, shape, record, stimulus, **truth, *answer, {.code = code});
        }
    }
    return run.finish("Right in bfloat16 and float16 wherever the reference runs in them.");
}

} // namespace assay::contract::gates
