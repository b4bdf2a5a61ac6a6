// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "core/contract/script_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::contract::gates {

namespace {

constexpr std::string_view kId = "RES-01";

void judgeCall(GateRun& run, const StimulusRecord& record, const CallRecord& want, const CallRecord& got)
{
    if (!got.brokenGuards.empty()) {
        run.fail("guard", Severity::Hard, "out_of_bounds",
                 fmt::format("The call writes outside its tensors: {}.", fmt::join(got.brokenGuards, ", ")), record,
                 "guard bands", static_cast<double>(got.brokenGuards.size()), 0);
        return;
    }
    run.pass("guard", record, "guard bands", 0, 0);
    for (std::size_t i = 0; i < want.outputs.size() && i < got.outputs.size(); ++i) {
        if (want.outputs[i].device != got.outputs[i].device && !want.outputs[i].isPython && !got.outputs[i].isPython) {
            run.fail("device", Severity::Hard, "device",
                     fmt::format("Output {} is on {} where the reference's is on {}.", i, got.outputs[i].device,
                                 want.outputs[i].device),
                     record);
            return;
        }
    }
    run.pass("device", record);
}

void judgeFallback(GateRun& run, const StimulusRecord& record, const CallRecord& want, const CallRecord& got)
{
    Session& session = run.session();
    const bool onGpu = !want.outputs.empty() && want.outputs.front().device.starts_with("cuda");
    if (!onGpu)
        return;
    // Code that does not bear being watched runs unwatched, and a zero is then no count.
    if (!want.residency.counted || !got.residency.counted) {
        run.other("host", Verdict::Unknown, "uncounted",
                  fmt::format("The {} does not run while its copies to the host are counted.",
                              want.residency.counted ? "candidate" : "reference"),
                  record);
        return;
    }
    if (got.residency.hostCopies > want.residency.hostCopies)
        run.fail("host", Severity::Soft, "host_fallback",
                 fmt::format("The call copies to the host {} times, the reference {} times.", got.residency.hostCopies,
                             want.residency.hostCopies),
                 record, "copies", static_cast<double>(got.residency.hostCopies), static_cast<double>(want.residency.hostCopies));
    else
        run.pass("host", record);
    if (got.residency.launches == 0 && got.residency.atenOps > 0)
        session.flag(
            Gate::Res01, "fallback",
            fmt::format("No kernel of its own was seen at work; torch computed: {}.", fmt::join(got.residency.ops, ", ")));
}

/// One call of the reference with its copies to the host counted.
Asked<CallRecord> askCounted(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus)
{
    ScriptBuilder builder(session, shape, "r32");
    const std::size_t call = builder.input("a", stimulus).call("a");
    Script script = builder.script();
    script.steps[call].residency = true;
    auto results = session.runReference(std::move(script));
    if (!results)
        return results.failure();
    StepResult& result = (*results)[call];
    if (result.failure)
        return *result.failure;
    return std::move(result.calls.front());
}

} // namespace

/// Device, fallbacks and bounds: guard bands of canary bytes around every input (writes outside show, and what is read outside is
/// NaN), devices as the reference's, own launches and host copies counted.
GateResult residency(Session& session)
{
    GateRun run(session, Gate::Res01);
    std::vector<ShapePtr> shapes{session.working()};
    if (session.native() != session.working())
        shapes.push_back(session.native());
    for (const ShapePtr& shape : shapes) {
        if (!run.fits("guard", shape) || !run.mayGoOn("guard"))
            continue;
        const Recipe recipe{Regime::Native, 0, -1, Layout::Contiguous, std::string(kId), "guard"};
        const StimulusPtr stimulus = session.make(shape, recipe);
        const StimulusRecord record = session.record(shape, recipe, *stimulus);
        const auto want = askCounted(session, shape, stimulus);
        if (!want) {
            run.referenceFailure("guard", want.failure(), record);
            continue;
        }
        const auto got = session.askCandidate(shape, stimulus, Step::Memory::Guarded);
        if (!got) {
            run.failure("guard", got.failure(), Severity::Soft, record);
            continue;
        }
        judgeCall(run, record, *want, *got);
        judgeFallback(run, record, *want, *got);
    }
    return run.finish("Stays inside its tensors and on its device.");
}

} // namespace assay::contract::gates
