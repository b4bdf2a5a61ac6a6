// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/launch/launch.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

namespace assay::views {

class Jobs;

/// launch::launch(), or what takes its place in a test.
using LaunchFunction
    = std::function<launch::LaunchResult(const launch::LaunchRequest&, const launch::LaunchWatch&, std::stop_token)>;

/// How a run ended.
struct LaunchOutcome {
    launch::LaunchResult result;
    QString failure; ///< one line where the outcome could not be stored, else ""
};

/// One run of the operator at a time, as a job. What happens in it arrives on the GUI thread; closing the window stops it.
class LaunchRunner final : public QObject {
    Q_OBJECT
public:
    LaunchRunner(Jobs& jobs, LaunchFunction launch, QObject* parent = nullptr);

    /// From the next start on.
    void launchWith(LaunchFunction launch) { m_launch = std::move(launch); }
    void start(const launch::LaunchRequest& request);
    void stop();
    bool isRunning() const { return m_job != 0; }
    const launch::LaunchRequest& request() const { return m_request; }

Q_SIGNALS:
    void gateStarted(assay::contract::Gate gate);
    void gateFinished(const assay::contract::GateResult& result);
    void measured(const std::vector<assay::launch::LaunchError>& errors);
    void timed(const assay::launch::LaunchTiming& timing);
    void logged(const QString& line);
    void ended(const assay::views::LaunchOutcome& outcome);

private:
    launch::LaunchWatch watchOf(int run);
    void finish(const QString& failure);

    Jobs& m_jobs;
    LaunchFunction m_launch;
    launch::LaunchRequest m_request;
    int m_job = 0;                            ///< 0: none
    int m_run = 0;                            ///< tells events of an earlier run apart
    std::shared_ptr<LaunchOutcome> m_outcome; ///< written by the job, read after its end
};

} // namespace assay::views
