// SPDX-License-Identifier: Apache-2.0
#include "core/contract/configuration_report.h"
#include "core/contract/gates/gates.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::contract::gates {

namespace {

using device::ResourceFinding;
using device::ResourceSeverity;
using Reports = std::vector<ConfigurationReport>;

constexpr std::string_view kId = "RES-02";
constexpr std::string_view kModelled = "assembled and modelled, not executed";

/// One target's checks: how they are called, and what is said about the target.
struct Target {
    std::string_view code;
    std::string text; ///< "sm_90", "sm_100 (assembled and modelled, not executed)"
    bool executed = true;
};

class ResourceChecks {
public:
    explicit ResourceChecks(Session& session)
        : m_session(session)
        , m_run(session, Gate::Res02)
    {
    }

    GateResult run()
    {
        judgeRefusals();
        if (m_session.onGpu())
            judgeKernels();
        else if (m_session.refusals().kept().empty())
            m_run.other("launch", Verdict::Inapplicable, "no_gpu",
                        "The candidate was judged on the CPU, where no kernel takes GPU resources.");
        return m_run.finish("Every kernel fits its device.");
    }

private:
    /// What other gates met: sizes at which the reference answers and the candidate cannot launch.
    void judgeRefusals()
    {
        for (const KeptRefusal& kept : m_session.refusals().kept()) {
            const auto& [kind, required, limit, text] = kept.refusal;
            std::string shown = text.substr(0, 300);
            shown += shown.ends_with('.') ? "" : ".";
            const bool counted = required && limit;
            m_run.fail(
                "refusal", Severity::Soft, "out_of_resource",
                fmt::format("The candidate cannot launch on {}, where the reference answers: {}", kept.stimulus.label, shown),
                kept.stimulus, counted ? "required over limit" : "", counted ? static_cast<double>(*required) : 0,
                counted ? static_cast<double>(*limit) : 0);
        }
    }

    void judgeKernels()
    {
        const bool launched = launchOnce();
        const bool askBlackwell = m_session.withinBudget(); // compiling again takes its time
        auto evidence = m_session.candidateParty().resources(m_session.native()->id(), askBlackwell);
        if (!evidence) {
            m_run.other("launch", Verdict::Unknown, "no_evidence",
                        fmt::format("Nothing is known of what the candidate's kernels take: its process {}.",
                                    describeFailure(evidence.failure())),
                        m_record);
            if (evidence.failure().isGone())
                m_session.candidateParty().restart();
            return;
        }
        if (evidence->kernels.empty() && evidence->builds.empty()) {
            judgeNothing(*evidence, launched);
            return;
        }
        const Reports own = reportOnDevice(*evidence);
        judge(own, {"launch", fmt::format("sm_{}", own.front().report.sm), true});
        if (evidence->deviceSm != kBlackwell && (askBlackwell || m_run.mayGoOn("blackwell")))
            judgeBlackwell(*evidence);
        for (const std::string& gap : evidence->gaps)
            m_session.flag(Gate::Res02, "evidence_missing", fmt::format("Evidence is missing: {}.", gap));
    }

    void judgeBlackwell(const KernelEvidence& evidence)
    {
        const Reports modelled = reportOnBlackwell(evidence);
        judge(modelled, {"blackwell", fmt::format("sm_{} ({})", kBlackwell, kModelled), false});
        if (!modelled.empty())
            m_run.power(fmt::format("For Blackwell (sm_{}) kernels are {}: launches that fail for other reasons stay unseen.",
                                    kBlackwell, kModelled));
    }

    /// Kernels are known once they have been compiled, which the first launch does.
    /// @return whether a kernel of the candidate's own was seen at work
    bool launchOnce()
    {
        const ShapePtr shape = m_session.fitsMemory(m_session.native()) ? m_session.native() : m_session.working();
        const Recipe recipe{Regime::Native, 0, -1, Layout::Contiguous, std::string(kId), "launch"};
        const StimulusPtr stimulus = m_session.make(shape, recipe);
        m_record = m_session.record(shape, recipe, *stimulus);
        const auto answer = m_session.askCandidate(shape, stimulus);
        return answer && answer->residency.launches > 0;
    }

    void judgeNothing(const KernelEvidence& evidence, bool launched)
    {
        if (!launched && !evidence.definesKernels && evidence.gaps.empty()) {
            m_run.other("launch", Verdict::Inapplicable, "no_own_kernel",
                        "The candidate launches no kernel of its own; those of torch are not judged here.", m_record);
            return;
        }
        const std::string why = !evidence.gaps.empty() ? evidence.gaps.front()
            : launched                                 ? "its kernels were launched in a way that leaves no trace"
                                                       : "it defines kernels, and none was seen at work";
        m_run.other("launch", Verdict::Unknown, "no_evidence",
                    fmt::format("Nothing is known of what the candidate's kernels take: {}.", why), m_record);
    }

    void judge(const Reports& reports, const Target& target)
    {
        for (const ConfigurationReport& each : reports) {
            const ResourceFinding* const hard = each.firstOf(ResourceSeverity::Hard);
            if (hard != nullptr && isExcused(each, reports, target))
                note(each, *hard, "refused_configuration", target);
            else if (hard != nullptr)
                fail(each, *hard, Severity::Hard, target);
            else if (const ResourceFinding* const soft = each.firstOf(ResourceSeverity::Soft))
                fail(each, *soft, Severity::Soft, target);
            else
                judgeClean(each, target);
            for (const ResourceFinding& finding : each.report.findings) {
                if (finding.severity == ResourceSeverity::Note)
                    note(each, finding, finding.code, target);
            }
        }
    }

    /// A configuration that does not fit is a remark where the kernel goes on with another. On the device that is seen: the other
    /// one was loaded and this one was not. Where nothing was executed only an autotuner is known to choose among those that
    /// were in use; without one each of them is needed.
    static bool isExcused(const ConfigurationReport& each, const Reports& reports, const Target& target)
    {
        if (target.executed ? each.isLoaded : (each.isLoaded && !each.isAutotuned))
            return false;
        return std::ranges::any_of(reports, [&each](const ConfigurationReport& other) {
            return other.report.kernel == each.report.kernel && other.isLoaded && other.report.hasEvidence
                && !other.report.hasHardFinding();
        });
    }

    void judgeClean(const ConfigurationReport& each, const Target& target)
    {
        const std::string& kernel = each.report.kernel;
        if (!each.unsupported.empty()) {
            m_run.other(target.code, Verdict::Unsupported, "not_compiled",
                        fmt::format("Nothing is known of {} on {}: {}.", kernel, target.text, each.unsupported), recordOf(each));
            return;
        }
        const bool isLimitKnown = tightestLimit(each.report).has_value();
        if (!each.report.hasEvidence || !isLimitKnown) {
            const std::string& why = !each.gaps.empty() ? each.gaps.front()
                : each.report.unknown.empty()           ? "no evidence"
                                                        : each.report.unknown.front();
            m_run.other(target.code, Verdict::Unknown, "no_evidence",
                        fmt::format("Nothing is known of what {} takes on {}: {}.", kernel, target.text, why), recordOf(each));
            return;
        }
        const TightestLimit tightest = *tightestLimit(each.report);
        CheckResult check;
        check.code = target.code;
        check.metric = "share of the tightest limit";
        check.value = tensor::measured(tightest.share);
        check.threshold = tensor::measured(1);
        check.stimulus = recordOf(each);
        check.sentence = fmt::format("{} fits {}: {}.", kernel, target.text, useText(each.report.use));
        m_run.add(std::move(check));
    }

    void fail(const ConfigurationReport& each, const ResourceFinding& finding, Severity severity, const Target& target)
    {
        const bool counted = finding.value && finding.limit;
        m_run.fail(target.code, severity, finding.code,
                   fmt::format("{} {} on {}: {}.", each.report.kernel,
                               severity == Severity::Hard ? "cannot be launched" : "may not be launched", target.text,
                               finding.sentence),
                   recordOf(each), counted ? finding.code : "", counted ? static_cast<double>(*finding.value) : 0,
                   counted ? static_cast<double>(*finding.limit) : 0);
    }

    void note(const ConfigurationReport& each, const ResourceFinding& finding, const std::string& code, const Target& target)
    {
        std::string spelled = code;
        std::ranges::replace(spelled, '-', '_');
        m_session.flag(Gate::Res02, spelled, fmt::format("{} on {}: {}.", each.report.kernel, target.text, finding.sentence));
    }

    /// Kernels were launched by the task's own inputs; which of its configurations is meant stands in front.
    StimulusRecord recordOf(const ConfigurationReport& each) const
    {
        StimulusRecord record = m_record;
        record.label = fmt::format("{}, {}", each.report.kernel, m_record.label);
        return record;
    }

    Session& m_session;
    GateRun m_run;
    StimulusRecord m_record;
};

} // namespace

/// Resources: registers, shared memory, tensor memory, launchability of every configuration that the candidate compiled, on its
/// own device and modelled for Blackwell. Without evidence the answer is `unknown`, never a pass.
GateResult resources(Session& session)
{
    return ResourceChecks(session).run();
}

} // namespace assay::contract::gates
