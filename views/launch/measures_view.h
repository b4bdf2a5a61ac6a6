// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/launch/launch.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLabel;

namespace assay::views {

class ErrorModel;
class Theme;
class TimingPanel;

/// What a run measured: errors of every output against fp64, and times of the backward beside floors and peers.
class MeasuresView final : public QWidget {
    Q_OBJECT
public:
    explicit MeasuresView(const Theme& theme, QWidget* parent = nullptr);

    void setErrors(std::vector<launch::LaunchError> errors);
    /// @param timing  nothing where nothing was timed: peers of the request's shape are shown all the same
    void setTimes(const launch::LaunchRequest& request, const std::optional<launch::LaunchTiming>& timing);

private:
    QWidget* buildErrors(const Theme& theme);
    QWidget* buildTimes(const Theme& theme);

    ErrorModel* m_errors = nullptr;
    TimingPanel* m_times = nullptr;
    QLabel* m_remark = nullptr;
};

} // namespace assay::views
