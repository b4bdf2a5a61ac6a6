// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/figure/figure_look.h"
#include "views/launch/launch_runner.h"
#include "views/launch/launch_settings.h"

#include <QList>
#include <QWidget>

#include <memory>

class QAction;

namespace assay::views {

struct Context;

/// The launch place: what is launched on the left, and on the right its gates as tiles that light while it runs, its errors and
/// times, the plan of the device kernels, and the log. What a run leaves is an ordinary row of Triage.
class LaunchPage final : public QWidget {
    Q_OBJECT
public:
    explicit LaunchPage(Context& context, QWidget* parent = nullptr);
    ~LaunchPage() override;

    LaunchSettings settings() const;
    void setSettings(const LaunchSettings& settings);
    /// The interpreter that has torch.
    void setPython(const QString& python);

    /// What runs the operator instead of launch::launch(): for tests.
    void launchWith(LaunchFunction launch);

    /// Every action that has a key here, for the cheat sheet and the palette.
    QList<QAction*> keyActions() const;
    /// The plan, the devices or a row are being looked up.
    bool isLoading() const;
    bool isRunning() const;

    /// Writes the plan of the device kernels, on white paper, and its numbers as CSV beside it. @throws Error
    void exportPlan(const FigureSize& size, const QString& path) const;

Q_SIGNALS:
    void settingsChanged();
    /// A person wants the plan in a file; @p name suggests one.
    void exportAsked(const QString& name);
    /// The row is selected in Triage; its outputs side by side are wanted.
    void differenceAsked();

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
