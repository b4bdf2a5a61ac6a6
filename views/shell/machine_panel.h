// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runner/doctor.h"
#include "views/judge/judge_settings.h"
#include "views/shell/overlay.h"

#include <memory>
#include <mutex>
#include <vector>

class QGridLayout;
class QLabel;
class QPushButton;
class QScrollArea;

namespace assay::views {

class Jobs;
class Theme;

/// What this machine can judge, and the remedy for each lack: the findings of `assay doctor` with the window's own settings.
/// Looking is a job; rows come as they are found.
class MachinePanel final : public Overlay {
    Q_OBJECT
public:
    MachinePanel(Jobs& jobs, const Theme& theme, QWidget* window);

    /// Shows the panel and looks anew.
    void open(const JudgeSettings& settings);
    bool isLooking() const { return m_job != 0; }
    /// The findings as lines, for the clipboard.
    QString text() const;

Q_SIGNALS:
    /// A person wants to change the settings that were looked at.
    void settingsWanted();

protected:
    QSize wantedSize() const override;

private:
    /// What the job has found and the window has not shown yet.
    struct Found {
        std::mutex mutex;
        std::vector<runner::MachineFinding> fresh;
    };
    void takeFresh();
    void addRow(const runner::MachineFinding& finding);
    void conclude(const QString& failure);
    void clearRows();

    Jobs& m_jobs;
    const Theme& m_theme;
    int m_job = 0; ///< 0: none
    std::shared_ptr<Found> m_found;
    std::vector<runner::MachineFinding> m_findings;
    QLabel* m_title = nullptr;
    QLabel* m_about = nullptr;
    QLabel* m_summary = nullptr;
    QScrollArea* m_scroll = nullptr;
    QWidget* m_sheet = nullptr;
    QGridLayout* m_rows = nullptr;
    QPushButton* m_again = nullptr;
    JudgeSettings m_settings;
};

} // namespace assay::views
