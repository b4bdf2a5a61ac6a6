// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/launch_runner.h"

#include "core/text/error.h"
#include "views/state/jobs.h"

#include <QPointer>

#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

LaunchRunner::LaunchRunner(Jobs& jobs, LaunchFunction launch, QObject* parent)
    : QObject(parent)
    , m_jobs(jobs)
    , m_launch(std::move(launch))
{
    connect(&jobs, &Jobs::finished, this, [this](int id) {
        if (id == m_job)
            finish({});
    });
    connect(&jobs, &Jobs::failed, this, [this](int id, const QString& message) {
        if (id == m_job)
            finish(message);
    });
    connect(&jobs, &Jobs::cancelled, this, [this](int id) {
        if (id != m_job)
            return;
        m_outcome->result.end = launch::LaunchResult::End::Stopped;
        finish({});
    });
}

/// Called on the thread of the job: every event goes through the event queue, and one of an earlier run is dropped.
launch::LaunchWatch LaunchRunner::watchOf(int run)
{
    // Posted through the jobs, which outlive their threads; whether this object still lives is asked on its own thread.
    const auto tell = [jobs = &m_jobs, guard = QPointer(this), run](std::function<void(LaunchRunner&)> news) {
        QMetaObject::invokeMethod(
            jobs,
            [guard, run, news = std::move(news)] {
                if (guard && guard->isRunning() && guard->m_run == run)
                    news(*guard);
            },
            Qt::QueuedConnection);
    };
    launch::LaunchWatch watch;
    watch.gateStarted = [tell](contract::Gate gate) { tell([gate](LaunchRunner& self) { Q_EMIT self.gateStarted(gate); }); };
    watch.gateFinished = [tell](const contract::GateResult& result) {
        tell([result](LaunchRunner& self) { Q_EMIT self.gateFinished(result); });
    };
    watch.measured = [tell](const std::vector<launch::LaunchError>& errors) {
        tell([errors](LaunchRunner& self) { Q_EMIT self.measured(errors); });
    };
    watch.timed
        = [tell](const launch::LaunchTiming& timing) { tell([timing](LaunchRunner& self) { Q_EMIT self.timed(timing); }); };
    watch.log = [tell](const std::string& line) {
        tell([text = QString::fromStdString(line)](LaunchRunner& self) { Q_EMIT self.logged(text); });
    };
    return watch;
}

void LaunchRunner::start(const launch::LaunchRequest& request)
{
    if (isRunning())
        return;
    m_request = request;
    m_outcome = std::make_shared<LaunchOutcome>();
    const QString name
        = tr("Launching %1")
              .arg(QString::fromUtf8(gdn::title(request.family).data(), qsizetype(gdn::title(request.family).size())));
    m_job = m_jobs.start(name,
                         [run = m_launch, request, outcome = m_outcome,
                          watch = watchOf(++m_run)](std::stop_token stop, const Jobs::Progress& progress) {
                             launch::LaunchWatch told = watch;
                             std::int64_t done = 0;
                             told.gateFinished = [&](const contract::GateResult& result) {
                                 ++done;
                                 progress(done, contract::kGateCount, tr("%1 of %2 gates").arg(done).arg(contract::kGateCount));
                                 watch.gateFinished(result);
                             };
                             outcome->result = run(request, told, stop);
                             return QString(); // the page says more than one sentence could
                         });
}

void LaunchRunner::stop()
{
    if (isRunning())
        m_jobs.cancel(m_job);
}

void LaunchRunner::finish(const QString& failure)
{
    m_job = 0;
    m_outcome->failure = failure;
    Q_EMIT ended(*m_outcome);
}

} // namespace assay::views
