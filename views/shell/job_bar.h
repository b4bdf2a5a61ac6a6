// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <vector>

class QAction;
class QLabel;
class QProgressBar;
class QToolButton;

namespace assay::views {

class Jobs;
class Messages;
class Theme;

/// The running job in the status bar: name, progress, elapsed time, cancel. Its end becomes a message.
class JobBar final : public QWidget {
    Q_OBJECT
public:
    JobBar(Jobs& jobs, Messages& messages, const Theme& theme, QWidget* parent = nullptr);

    QAction* cancelAction() const; ///< cancels the shown job

private:
    struct Job {
        int id = 0;
        QString name;
        QString detail;
        double fraction = -1;
        QElapsedTimer since;
    };
    void remove(int id);
    void refresh();
    QString nameOf(int id) const;

    std::vector<Job> m_jobs; ///< the last one is shown
    QTimer m_clock;
    QLabel* m_text = nullptr;
    QProgressBar* m_progress = nullptr;
    QToolButton* m_button = nullptr;
    QAction* m_cancel = nullptr;
};

} // namespace assay::views
