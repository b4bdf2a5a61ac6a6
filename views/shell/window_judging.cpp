// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/main_window_p.h"

#include <QAction>

namespace assay::views {

using namespace Qt::StringLiterals;

void MainWindow::Private::connectJudging()
{
    judge.setSettings(session.judge);
    triage->addAction(actions->judge); // for the menu of a row
    const auto refuse = [this](const QString& why) {
        if (!why.isEmpty())
            messages.post(Messages::Level::Warning, why);
        else
            selection.setPlace(u"kernels"_s); // where the verdicts come
    };
    QObject::connect(actions->judge, &QAction::triggered, &window, [this, refuse] {
        const bool sees = selection.spot().place == u"kernels"_s;
        refuse(judge.judge(sees ? triage->selectedKernels() : std::vector<std::int64_t>()));
    });
    QObject::connect(actions->judgeList, &QAction::triggered, &window, [this, refuse] { refuse(judge.judgeList()); });
    QObject::connect(actions->resumeJudging, &QAction::triggered, &window, [this, refuse] { refuse(judge.resume()); });
    QObject::connect(actions->leaveUnfinished, &QAction::triggered, &judge, &JudgeRunner::leaveUnfinished);
    QObject::connect(actions->judgeSettings, &QAction::triggered, &window, [this] { askJudgeSettings(); });
    QObject::connect(actions->machine, &QAction::triggered, &window,
                     [this] { machine->isVisible() ? machine->dismiss() : machine->open(judge.settings()); });
    QObject::connect(&judge, &JudgeRunner::machineWanted, actions->machine, &QAction::trigger);
    QObject::connect(machine, &MachinePanel::settingsWanted, &window, [this] { askJudgeSettings(); });
    const auto enable = [this] {
        for (QAction* action : {actions->resumeJudging, actions->leaveUnfinished})
            action->setEnabled(judge.canResume());
    };
    QObject::connect(&judge, &JudgeRunner::canResumeChanged, &window, enable);
    enable();
}

void MainWindow::Private::askJudgeSettings()
{
    const JudgeSettings& now = judge.settings();
    prompt->ask(
        {tr("How to judge"),
         tr("Kept for the next time. Kernels that were judged under other settings keep those verdicts: every combination "
            "of device, contract and seed is an audit of its own."),
         tr("Keep"),
         {{tr("Device"), now.device, u"cpu, cuda:0"_s, false},
          {tr("Contract (strict, training, inference, kernelbench, or a JSON file)"), now.contract, u"strict"_s, false},
          {tr("Seed of every stimulus"), QString::number(now.seed), u"0"_s, false},
          {tr("Kernels at a time"), QString::number(now.jobs), u"1"_s, false},
          {tr("Python that has torch"), now.python, interpreterOf({}), false},
          {tr("Command that leads to another machine"), now.prefix, u"ssh gpu01"_s, false}},
         [this](const QStringList& answers) {
             JudgeSettings wanted = judge.settings();
             if (QString problem = readSettings(answers, wanted); !problem.isEmpty())
                 return problem;
             judge.setSettings(wanted);
             launch->setPython(interpreterOf(wanted));
             save();
             return QString();
         }});
}

} // namespace assay::views
