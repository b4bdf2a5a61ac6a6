// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/judge/judge_runner.h"

#include "core/contract/contract.h"
#include "core/runner/contract_json.h"
#include "core/store/triage.h"
#include "core/text/error.h"
#include "views/judge/judge_words.h"
#include "views/state/context.h"
#include "views/state/filter_stack.h"
#include "views/state/jobs.h"
#include "views/state/judging.h"
#include "views/state/messages.h"
#include "views/state/workspace.h"
#include "views/theme/number_text.h"

#include <QPointer>

#include <algorithm>
#include <functional>
#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

/// What a job is told: made on the GUI thread, never changed after.
struct JudgeRunner::Plan {
    QString path; ///< of the database
    runner::CampaignOptions options;
    std::int64_t scopeId = 0; ///< the list whose kernels are judged; 0: those of the options
    store::TriageSort sort;
    QString filterLine;
    QString python;
    QString expected; ///< name of the audit that is to go on; "": none
};

struct JudgeRunner::Outcome {
    runner::CampaignResult result;
    QString failure; ///< the whole line, "" where the campaign ran
};

namespace {

/// The gates of a contract as VerifyAsk spells it; all where it cannot be read.
std::set<contract::Gate> gatesOf(const std::string& contractText)
{
    if (const auto known = contract::profile(contractText))
        return known->gates;
    json::Document document;
    if (json::parse(contractText, document))
        return contract::Contract().gates;
    return runner::readContract(document).gates;
}

} // namespace

JudgeRunner::JudgeRunner(Context& context, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_search(context.workspace)
{
    Jobs& jobs = context.jobs;
    connect(&jobs, &Jobs::finished, this, [this](int id) {
        if (id != m_job)
            return;
        m_isReportDue = true;
        finish();
    });
    const auto end = [this](int id) {
        if (id == m_job)
            finish(); // the job bar says what happened
    };
    connect(&jobs, &Jobs::failed, this, end);
    connect(&jobs, &Jobs::cancelled, this, end);
    connect(&context.workspace, &Workspace::checked, this, &JudgeRunner::reportIfDue);
    connect(&context.workspace, &Workspace::scopesChanged, this, &JudgeRunner::showAudit);
    connect(&context.workspace, &Workspace::opened, this, [this] { lookForUnfinished(true); });
    connect(&context.workspace, &Workspace::closed, this, [this] {
        m_wantedAudit = 0;
        m_unfinished.clear();
        m_search.cancel();
        reportIfDue();
        Q_EMIT canResumeChanged();
    });
    connect(&m_search, &QueryChannel::failed, this,
            [this](const QString& message) { m_context.messages.post(Messages::Level::Warning, message); });
}

QString JudgeRunner::refusal() const
{
    const Workspace& workspace = m_context.workspace;
    if (!workspace.isOpen())
        return tr("No database is open: open or import one first.");
    if (workspace.isReadOnly())
        return tr("%1 is open read-only, so no verdict can be stored. Open a copy that can be written.").arg(workspace.path());
    if (!workspace.scope())
        return tr("Nothing is imported yet: import a corpus that carries the sources of its kernels.");
    if (isRunning())
        return tr("The judge is at work. Wait for it, or cancel it (Ctrl+.).");
    return {};
}

QString JudgeRunner::judge(const std::vector<std::int64_t>& kernels)
{
    if (QString why = refusal(); !why.isEmpty())
        return why;
    if (kernels.empty())
        return tr("Choose a kernel in the list first.");
    try {
        Plan plan;
        plan.options = optionsOf(m_settings);
        plan.options.kernels = kernels;
        plan.options.corpus = m_context.workspace.scope()->corpusName;
        plan.options.resume = true;
        plan.options.again = true;
        return start(std::move(plan));
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
}

QString JudgeRunner::judgeList()
{
    if (QString why = refusal(); !why.isEmpty())
        return why;
    try {
        Plan plan;
        plan.options = optionsOf(m_settings);
        plan.options.corpus = m_context.workspace.scope()->corpusName;
        plan.options.filter = m_context.filters.filter();
        plan.scopeId = m_context.workspace.scopeId();
        plan.sort = m_context.filters.sort();
        return start(std::move(plan));
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
}

const store::UnfinishedAudit* JudgeRunner::resumable() const
{
    if (m_unfinished.empty())
        return nullptr;
    const store::Scope* shown = m_context.workspace.scope();
    const auto same = std::ranges::find_if(
        m_unfinished, [shown](const store::UnfinishedAudit& audit) { return shown && shown->auditId == audit.auditId; });
    return same == m_unfinished.end() ? &m_unfinished.front() : &*same;
}

QString JudgeRunner::resume()
{
    if (QString why = refusal(); !why.isEmpty())
        return why;
    const store::UnfinishedAudit* audit = resumable();
    if (!audit)
        return tr("No audit of this database is unfinished.");
    try {
        Plan plan;
        plan.options = optionsOf(m_settings);
        plan.options.ask.contract = audit->contract;
        plan.options.ask.thresholds = runner::thresholdsNamedBy(audit->contract);
        plan.options.ask.device = audit->device;
        plan.options.ask.seed = audit->seed;
        plan.options.corpus = audit->corpus;
        plan.options.kernels = audit->kernels;
        plan.options.resume = true;
        plan.expected = QString::fromStdString(audit->name);
        return start(std::move(plan));
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
}

void JudgeRunner::leaveUnfinished()
{
    const store::UnfinishedAudit* audit = isRunning() ? nullptr : resumable();
    if (!audit)
        return;
    m_context.workspace.write([id = audit->auditId](store::Database& database) { store::finishAudit(database, id); }, this,
                              [this, name = QString::fromStdString(audit->name)](const QString& failure) {
                                  m_context.messages.post(failure.isEmpty() ? Messages::Level::Info : Messages::Level::Error,
                                                          failure.isEmpty() ? tr("%1 stays as it is.").arg(name) : failure);
                                  lookForUnfinished(false);
                              });
}

QString JudgeRunner::start(Plan made)
{
    made.path = m_context.workspace.path();
    made.filterLine = m_context.filters.text();
    made.python = interpreterOf(m_settings);
    m_scopeBefore = m_context.workspace.scopeId();
    m_plan = std::make_shared<Plan>(std::move(made));
    m_outcome = std::make_shared<Outcome>();
    // Posted through the jobs, which outlive their threads; whether this object still lives is asked on its own thread.
    const auto tell = [jobs = &m_context.jobs, guard = QPointer(this)](std::function<void(JudgeRunner&)> news) {
        QMetaObject::invokeMethod(
            jobs,
            [guard, news = std::move(news)] {
                if (guard)
                    news(*guard);
            },
            Qt::QueuedConnection);
    };
    m_job = m_context.jobs.start(
        tr("Judging"),
        [plan = std::shared_ptr<const Plan>(m_plan), outcome = m_outcome, tell](std::stop_token stop,
                                                                                const Jobs::Progress& progress) -> QString {
            runner::CampaignWatch watch;
            watch.begun = [&](std::int64_t auditId, const std::vector<std::int64_t>& kernels) {
                const auto all = static_cast<std::int64_t>(kernels.size());
                progress(0, all, tr("0 of %1").arg(number_text::count(all)));
                tell([auditId, kernels](JudgeRunner& self) { self.onBegun(auditId, kernels); });
            };
            watch.asked = [&](std::int64_t kernel) {
                tell([kernel](JudgeRunner& self) { self.m_context.workspace.judging().ask(kernel); });
            };
            watch.gate = [&](std::int64_t kernel, contract::Gate gate, contract::StripCell cell) {
                tell([=](JudgeRunner& self) { self.m_context.workspace.judging().setGate(kernel, gate, cell); });
            };
            watch.stored = [&](std::int64_t kernel) {
                tell([kernel](JudgeRunner& self) {
                    self.m_context.workspace.judging().store(kernel);
                    self.m_context.workspace.checkForChanges();
                });
            };
            const auto sink = [&](const runner::CampaignProgress& now, const std::string&) {
                progress(now.judged, now.judged + now.left(), judge_words::progress(now));
            };
            try {
                const auto database = store::Database::open(toFilesystemPath(plan->path), store::OpenMode::ReadWrite);
                runner::CampaignOptions options = plan->options;
                if (plan->scopeId != 0)
                    options.kernels = store::triageIds(*database, plan->scopeId, options.filter, plan->sort);
                options.filter = {}; // the list's own audit has been asked
                if (options.kernels.empty())
                    throw Error("the list holds no kernel", plan->path.toStdString(), "Loosen the filter");
                progress(0, 0, tr("starting %1").arg(plan->python));
                outcome->result = runner::runCampaign(*database, options, sink, stop, watch);
            } catch (const Error& error) {
                outcome->failure = QString::fromUtf8(error.what());
            }
            return QString(); // report() says more than one sentence could
        });
    Q_EMIT canResumeChanged();
    return {};
}

void JudgeRunner::onBegun(std::int64_t auditId, std::vector<std::int64_t> kernels)
{
    if (!isRunning() || m_context.workspace.path() != m_plan->path)
        return; // another database is open by now
    m_context.workspace.judging().begin(auditId, std::move(kernels), m_plan->filterLine, gatesOf(m_plan->options.ask.contract));
    m_wantedAudit = auditId;
    showAudit();
    m_context.workspace.checkForChanges();
}

/// A new audit is shown as soon as the workspace knows it, once: who looks elsewhere after that stays there.
void JudgeRunner::showAudit()
{
    if (m_wantedAudit == 0)
        return;
    const auto& scopes = m_context.workspace.scopes();
    const auto found = std::ranges::find(scopes, std::optional(m_wantedAudit), &store::Scope::auditId);
    if (found == scopes.end())
        return;
    m_wantedAudit = 0;
    m_context.workspace.setScope(found->id);
}

/// What a campaign has written is looked at before it is told: the message leads to what is there.
void JudgeRunner::finish()
{
    m_job = 0;
    m_context.workspace.judging().end();
    if (m_context.workspace.isOpen())
        m_context.workspace.checkForChanges();
    else
        reportIfDue();
    lookForUnfinished(false);
    Q_EMIT canResumeChanged();
}

void JudgeRunner::reportIfDue()
{
    if (!std::exchange(m_isReportDue, false))
        return;
    report(*m_outcome);
    Q_EMIT canResumeChanged();
    Q_EMIT ended();
}

void JudgeRunner::report(const Outcome& outcome)
{
    const runner::CampaignResult& result = outcome.result;
    if (!outcome.failure.isEmpty())
        return reportFailure(outcome);
    if (!result.stopped.empty())
        return reportStop(outcome);
    Messages& messages = m_context.messages;
    if (result.audit.empty()) {
        messages.post(Messages::Level::Warning,
                      tr("Nothing was judged: the database has no sources of %1. Import a corpus that carries the reference and "
                         "the candidate under the same ids.")
                          .arg(number_text::kernels(result.progress.notJudgeable)));
        return;
    }
    QString text = judge_words::ending(result);
    const bool isOther = !m_plan->expected.isEmpty() && m_plan->expected != QString::fromStdString(result.audit);
    if (isOther)
        text += u' '
            + tr("Python, torch or the device are others than those of %1, so a new audit was begun.").arg(m_plan->expected);
    const auto level = isOther || result.progress.errors > 0 ? Messages::Level::Warning : Messages::Level::Info;
    Workspace& workspace = m_context.workspace;
    const auto& scopes = workspace.scopes();
    const auto before = std::ranges::find(scopes, m_scopeBefore, &store::Scope::id);
    if (workspace.path() != m_plan->path || before == scopes.end() || workspace.scopeId() == m_scopeBefore) {
        messages.post(level, text);
        return;
    }
    const QString name = QString::fromStdString(before->auditId ? before->auditName : before->corpusName);
    messages.post(level, text, {}, tr("Back to %1").arg(name), [&workspace, id = m_scopeBefore] { workspace.setScope(id); });
}

void JudgeRunner::reportFailure(const Outcome& outcome)
{
    m_context.messages.post(Messages::Level::Error, tr("Nothing was judged: %1").arg(outcome.failure), {}, tr("What is missing"),
                            [guard = QPointer(this)] {
                                if (guard)
                                    Q_EMIT guard->machineWanted();
                            });
}

void JudgeRunner::reportStop(const Outcome& outcome)
{
    const runner::CampaignResult& result = outcome.result;
    const bool asked = result.stopped == runner::kStoppedOnRequest;
    const auto level = asked ? Messages::Level::Info : Messages::Level::Warning;
    const QString why = asked ? QString() : u": "_s + QString::fromStdString(result.stopped);
    if (result.audit.empty()) {
        m_wantedAudit = 0;
        if (m_context.workspace.path() == m_plan->path)
            m_context.workspace.setScope(m_scopeBefore); // the audit that was shown is gone again
        m_context.messages.post(level, tr("Judging was stopped before the first verdict%1; nothing was kept.").arg(why));
        return;
    }
    m_context.messages.post(level,
                            tr("Judging was stopped after %1 of %2%3. Every verdict is kept; the rest can go on at any time.")
                                .arg(number_text::count(result.progress.judged),
                                     number_text::kernels(result.progress.judged + result.progress.left()), why),
                            {}, tr("Go on"), goOn());
}

/// What the button of an offer does.
std::function<void()> JudgeRunner::goOn()
{
    return [guard = QPointer(this)] {
        if (!guard)
            return;
        if (const QString no = guard->resume(); !no.isEmpty())
            guard->m_context.messages.post(Messages::Level::Warning, no);
    };
}

void JudgeRunner::lookForUnfinished(bool offer)
{
    if (!m_context.workspace.isOpen())
        return;
    m_search.start<std::vector<store::UnfinishedAudit>>(
        [](store::Database& database, std::stop_token) { return store::unfinishedAudits(database); },
        [this, offer](std::vector<store::UnfinishedAudit> found) {
            m_unfinished = std::move(found);
            Q_EMIT canResumeChanged();
            if (!offer || m_unfinished.empty() || isRunning() || m_context.workspace.isReadOnly())
                return;
            const store::UnfinishedAudit& newest = m_unfinished.front();
            m_context.messages.post(Messages::Level::Warning,
                                    tr("The audit %1 did not come to its end: %2 of %3 have their verdict.")
                                        .arg(QString::fromStdString(newest.name), number_text::count(newest.judged),
                                             number_text::kernels(static_cast<std::int64_t>(newest.kernels.size()))),
                                    tr("If it is being judged on another machine just now, leave it to that."), tr("Go on"),
                                    goOn());
        });
}

} // namespace assay::views
