// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runner/campaign.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace assay::views {

/// How this window judges. Remembered in the session; results do not depend on python, prefix and jobs beyond the versions that
/// every audit records.
struct JudgeSettings {
    QString device = QStringLiteral("cpu");
    QString contract = QStringLiteral("strict"); ///< see runner::contractText()
    quint64 seed = 0;
    int jobs = 1;
    QString python; ///< "": $ASSAY_PYTHON, else python3
    QString prefix; ///< command that leads to the machine that judges
    bool operator==(const JudgeSettings&) const = default;
};

/// The interpreter that is really started.
QString interpreterOf(const JudgeSettings& settings);

/// Device, contract, seed, jobs, Python and prefix as a person typed them. @return "" or why they make no sense; then @p settings
/// stays as it is
QString readSettings(const QStringList& answers, JudgeSettings& settings);

runner::WorkerOptions workerOf(const JudgeSettings& settings);

/// A campaign with these settings over nothing yet. @throws Error where the contract cannot be read
runner::CampaignOptions optionsOf(const JudgeSettings& settings);

QJsonObject toJson(const JudgeSettings& settings);
/// What is missing or foreign keeps its default.
JudgeSettings judgeSettingsFrom(const QJsonObject& object);

} // namespace assay::views
