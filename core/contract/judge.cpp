// SPDX-License-Identifier: Apache-2.0
#include "core/contract/judge.h"

#include "core/contract/fold.h"
#include "core/contract/gates/gates.h"
#include "core/contract/rounded_operands.h"
#include "kernels/device/ptxas_log.h"

#include <chrono>

namespace assay::contract {

namespace {

void stopEarly(Judgement& judgement, const Session::Stop& stop, const Contract& contract, const GateSink& sink)
{
    judgement.reason = stop.reason;
    judgement.verdict = stop.verdict == Verdict::Crash || stop.verdict == Verdict::Timeout ? Verdict::Fail : stop.verdict;
    // A candidate that fails on the task's own inputs fails the first gate, and nothing is known about the others.
    const bool fails = countsAgainstCandidate(stop.verdict);
    // Where a resource ran out, the gate of resources knows why.
    const bool cannotLaunch = fails && !device::findResourceRefusals(stop.reason).empty();
    judgement.hardFailed = fails && stop.severity == Severity::Hard;
    if (fails && !judgement.hardFailed && contract.softFailures == Contract::SoftFailures::Report)
        judgement.verdict = Verdict::Error; // reported, and nothing else was asked
    for (const Gate gate : kAllGates) {
        GateResult& result = judgement.gates[static_cast<std::size_t>(indexOf(gate))];
        result.gate = gate;
        if (!contract.gates.contains(gate))
            continue;
        result.verdict = Verdict::NotExercised;
        result.reason = "stopped_early";
        result.finding = stop.reason;
        if (gate == stop.gate || (gate == Gate::Res02 && cannotLaunch) || (gate == Gate::Res01 && stop.leftDevice)) {
            result.verdict = stop.verdict;
            result.severity = fails ? stop.severity : Severity::None;
            result.exercised = fails ? 1 : 0;
            result.total = 1;
        }
        if (sink)
            sink(result);
    }
}

} // namespace

Judgement judge(ReferenceParty& reference, CandidateParty& candidate, const Contract& contract, const JudgeOptions& options,
                const GateSink& sink)
{
    const auto started = std::chrono::steady_clock::now();
    const auto seconds = [&started] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(); };
    Judgement judgement;
    Session session(reference, candidate, contract, options);
    if (const auto stop = session.open()) {
        stopEarly(judgement, *stop, contract, sink);
        judgement.flags = session.flags();
        judgement.seconds = seconds();
        return judgement;
    }
    judgement.alignment = name(session.alignmentKind());
    for (const Gate gate : kAllGates)
        judgement.gates[static_cast<std::size_t>(indexOf(gate))].gate = gate;
    for (const gates::Entry& entry : gates::registry()) {
        if (!contract.gates.contains(entry.gate))
            continue;
        GateResult& result = judgement.gates[static_cast<std::size_t>(indexOf(entry.gate))];
        if (options.probe != nullptr)
            options.probe->enter(entry.gate);
        if (options.entering)
            options.entering(entry.gate);
        result = entry.judge(session);
        if (sink)
            sink(result);
    }
    if (options.probe != nullptr)
        measureRoundedOperands(session, *options.probe);
    foldGates(judgement, contract);
    judgement.flags = session.flags();
    judgement.seconds = seconds();
    return judgement;
}

} // namespace assay::contract
