// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/unfinished_audit.h"
#include "views/judge/judge_settings.h"
#include "views/state/query_channel.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace assay::views {

struct Context;

/// Judges kernels of the open database as a job. The audit that a campaign fills becomes the shown one as soon as it exists, so
/// that a person sees the verdicts come; what has its verdict is kept whatever happens, and the rest can go on later.
class JudgeRunner final : public QObject {
    Q_OBJECT
public:
    explicit JudgeRunner(Context& context, QObject* parent = nullptr);

    const JudgeSettings& settings() const { return m_settings; }
    void setSettings(const JudgeSettings& settings) { m_settings = settings; }

    /// These kernels, once more where they were judged under the same settings: they join the newest audit of these settings.
    /// @return "" or why nothing was started
    QString judge(const std::vector<std::int64_t>& kernels);
    /// Every kernel of the shown list under its filter, in its order, as an audit of its own. @return as judge()
    QString judgeList();
    /// The rest of the unfinished audit: the shown one where that is unfinished, else the newest. @return as judge()
    QString resume();
    /// Calls that audit finished as it is; it is offered no more.
    void leaveUnfinished();

    /// From the start of a campaign until its message is posted.
    bool isRunning() const { return m_job != 0 || m_isReportDue; }
    /// There is something for resume().
    bool canResume() const { return !m_unfinished.empty() && !isRunning(); }

Q_SIGNALS:
    void canResumeChanged();
    /// A campaign has ended, in whatever way; its message is posted.
    void ended();
    /// Something is missing on this machine, and a person asked what.
    void machineWanted();

private:
    struct Plan;
    struct Outcome;
    QString refusal() const;
    QString start(Plan plan);
    const store::UnfinishedAudit* resumable() const;
    void onBegun(std::int64_t auditId, std::vector<std::int64_t> kernels);
    void showAudit();
    void finish();
    void reportIfDue();
    void report(const Outcome& outcome);
    void reportFailure(const Outcome& outcome);
    void reportStop(const Outcome& outcome);
    void lookForUnfinished(bool offer);
    std::function<void()> goOn();

    Context& m_context;
    JudgeSettings m_settings;
    QueryChannel m_search;
    std::vector<store::UnfinishedAudit> m_unfinished;
    int m_job = 0;                      ///< 0: none
    std::shared_ptr<Plan> m_plan;       ///< of the running campaign
    std::shared_ptr<Outcome> m_outcome; ///< written by the job, read after its end
    bool m_isReportDue = false;         ///< the job is over; what it wrote is being looked at
    std::int64_t m_wantedAudit = 0;     ///< to be shown once the list of audits has it
    std::int64_t m_scopeBefore = 0;     ///< what was shown when the campaign began
};

} // namespace assay::views
