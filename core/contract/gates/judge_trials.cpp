// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/judge_trials.h"

#include "core/contract/class_confusion.h"

#include <fmt/format.h>

namespace assay::contract::gates {

namespace {

/// True where the reference answers; else says in @p run why nothing can be judged.
bool referenceAnswers(GateRun& run, std::string_view code, const StimulusRecord& record,
                      const std::vector<Asked<CallRecord>>& answers, std::size_t at)
{
    if (at < answers.size() && answers[at])
        return true;
    if (at >= answers.size()) {
        run.other(code, Verdict::NotExercised, "reference_lost", "The reference's process was lost before this check.", record);
        return false;
    }
    run.referenceFailure(code, answers[at].failure(), record);
    return false;
}

} // namespace

void judgeTrials(GateRun& run, const ShapePtr& shape, std::string_view code, std::span<const PlannedTrial> planned,
                 const TrialJudge& judge)
{
    if (planned.empty() || run.hasHardFailure() || !run.mayGoOn(code))
        return;
    Session& session = run.session();
    std::vector<Trial> trials;
    for (const PlannedTrial& plan : planned)
        trials.push_back(plan.trial);
    const auto exact = askReferenceAll(session, shape, trials, "r64");
    const auto shipped = askReferenceAll(session, shape, trials, "r32");
    const auto answers = askCandidateAll(session, shape, trials);
    for (std::size_t k = 0; k < answers.size() && !run.hasHardFailure(); ++k) {
        const StimulusRecord& record = planned[k].record;
        if (!referenceAnswers(run, code, record, shipped, k) || !referenceAnswers(run, code, record, exact, k))
            continue;
        if (!answers[k])
            run.failure(code, answers[k].failure(), Severity::Soft, record);
        else if (!comparable(*exact[k], *shipped[k]))
            run.other(code, Verdict::NotExercised, "oracle",
                      fmt::format("The reference's shape depends on its precision on {}.", record.label), record);
        else if (!comparable(*shipped[k], *answers[k]))
            run.fail("shape", Severity::Hard, "shape",
                     fmt::format("The candidate returns outputs of other shapes than the reference on {}.", record.label),
                     record);
        else
            judge(k, *exact[k], *shipped[k], *answers[k]);
    }
}

} // namespace assay::contract::gates
