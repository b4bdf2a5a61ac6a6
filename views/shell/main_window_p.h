// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/shell/main_window.h"

#include "views/audit/audit_page.h"
#include "views/calibrate/calibrate_page.h"
#include "views/diff/background_task.h"
#include "views/diff/diff_page.h"
#include "views/evidence/evidence_pane.h"
#include "views/judge/judge_runner.h"
#include "views/launch/launch_page.h"
#include "views/overview/overview_page.h"
#include "views/shell/banner_strip.h"
#include "views/shell/cheat_sheet.h"
#include "views/shell/command_palette.h"
#include "views/shell/empty_state.h"
#include "views/shell/import_runner.h"
#include "views/shell/job_bar.h"
#include "views/shell/kernels_split.h"
#include "views/shell/machine_panel.h"
#include "views/shell/message_bar.h"
#include "views/shell/message_history.h"
#include "views/shell/navigator.h"
#include "views/shell/prompt.h"
#include "views/shell/top_bar.h"
#include "views/shell/window_actions.h"
#include "views/state/filter_stack.h"
#include "views/state/jobs.h"
#include "views/state/messages.h"
#include "views/state/query_channel.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/theme.h"
#include "views/triage/triage_page.h"

#include <QTimer>

#include <functional>

class QLabel;
class QStackedWidget;

namespace assay::views {

/// True for a file that says it is an SQLite database in its first bytes.
bool looksLikeDatabase(const QString& path);

/// The parts of the window. Split over main_window.cpp (arranging, session), window_commands.cpp (what the actions do),
/// window_imports.cpp (how data gets in), window_tensors.cpp (pairs of tensor files), window_judging.cpp (how verdicts get
/// made) window_reports.cpp (what goes out of a sample), window_figures.cpp (figures and their presentation) and
/// window_launch.cpp (the launch place).
struct MainWindow::Private {
    Private(MainWindow& owner, const QString& sessionFile);

    void buildPages();
    void buildFrame();
    void buildPlaceholders();
    void connectState();
    void connectMessages();
    void connectCommands();
    void connectLooks();
    void connectImports();
    void connectJudging();
    void connectTensors();
    void connectFigures();
    void connectLaunch();

    void showImported();
    void showSpot();
    void updateTitle();
    void updateThemeActions();
    void setTheme(const QString& name);
    void resetLayout();
    Session currentSession() const;
    void rememberDatabase();
    void fillRecent();
    void save();
    void restoreWindow(const Session& stored, const StartRequest& request);

    void askOpen();
    void askImport();
    void askKernel();
    void askLink();
    void askJudgeSettings();
    void askTensors();
    bool takeTensors(QStringList& files);
    void askReport(const QString& plan);
    void askFigure(const QString& name, const std::function<void(const FigureSize& size, const QString& path)>& write);
    void present(bool on);
    void openSample();
    void openPalette();
    void importInto(const QString& path, const QString& database);
    QList<ActionGroup> allGroups() const;
    std::vector<PaletteEntry> paletteEntries();
    std::vector<PaletteEntry> kernelEntries(const QString& typed);
    void importNextDropped();
    QString defaultDatabase() const;

    MainWindow& window;
    QString sessionPath;
    Session session;

    Theme theme;
    Workspace workspace;
    Selection selection;
    FilterStack filters;
    Jobs jobs;
    Messages messages;
    Context context{workspace, selection, filters, jobs, messages, theme};
    Navigator navigator{context};
    ImportRunner imports{context};
    JudgeRunner judge{context};
    QueryChannel viewSearch{workspace}; ///< saved views for the palette

    WindowActions* actions = nullptr;
    QStackedWidget* stack = nullptr;
    EmptyState* welcome = nullptr;
    EmptyState* nothingImported = nullptr;
    EmptyState* notJudged = nullptr;
    OverviewPage* overview = nullptr;
    KernelsSplit* kernels = nullptr;
    TriagePage* triage = nullptr;
    EvidencePane* evidence = nullptr;
    DiffPage* tensors = nullptr; ///< a pair of files
    QString waitingReference;    ///< a dropped tensor file whose candidate is still to come
    BackgroundTask tensorFiles{BackgroundTask::WhenBusy::Stop};
    AuditPage* audit = nullptr;
    CalibratePage* calibrate = nullptr;
    LaunchPage* launch = nullptr;
    QWidget* rail = nullptr;
    TopBar* topBar = nullptr;
    BannerStrip* banner = nullptr;
    MessageBar* messageBar = nullptr;
    JobBar* jobBar = nullptr;
    QLabel* fileLabel = nullptr;
    CommandPalette* palette = nullptr;
    CheatSheet* cheatSheet = nullptr;
    MessageHistory* history = nullptr;
    MachinePanel* machine = nullptr;
    Prompt* prompt = nullptr;

    QTimer saveSoon;       ///< what was looked at outlives a program that is killed
    bool starting = false; ///< start() has a kernel to find or a file to import
    QString lastTriagePage = QStringLiteral("overview");
    QString importedCorpus;              ///< its newest audit is shown as soon as it is there
    std::optional<DeepLink> afterImport; ///< where a start that imports first was asked to go
    QStringList dropped;                 ///< files that wait for the running import
};

} // namespace assay::views
