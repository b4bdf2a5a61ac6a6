// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/judge/judge_settings.h"

#include "core/runner/contract_text.h"
#include "core/runner/shell_words.h"
#include "core/runner/worker_folder.h"
#include "core/text/error.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMostJobs = 256;

QString say(const char* text)
{
    return QCoreApplication::translate("JudgeSettings", text);
}

QString problemIn(const JudgeSettings& settings)
{
    static const QRegularExpression device(u"^(cpu|[a-z]+:[0-9]+)$"_s);
    if (!device.match(settings.device).hasMatch())
        return say("\"%1\" is no device: write cpu, or cuda:0.").arg(settings.device);
    try {
        optionsOf(settings);
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

} // namespace

QString interpreterOf(const JudgeSettings& settings)
{
    return settings.python.isEmpty() ? QString::fromStdString(runner::workerPython()) : settings.python;
}

QString readSettings(const QStringList& answers, JudgeSettings& settings)
{
    JudgeSettings read;
    read.device = answers.value(0).toLower();
    read.contract = answers.value(1).isEmpty() ? read.contract : answers.value(1);
    bool isNumber = true;
    read.seed = answers.value(2).isEmpty() ? 0 : answers.value(2).toULongLong(&isNumber);
    if (!isNumber)
        return say("The seed is a whole number, such as 0.");
    read.jobs = answers.value(3).isEmpty() ? 1 : answers.value(3).toInt(&isNumber);
    if (!isNumber || read.jobs < 1 || read.jobs > kMostJobs)
        return say("Kernels at a time: a number from 1 to %1.").arg(kMostJobs);
    read.python = answers.value(4);
    read.prefix = answers.value(5);
    const QString problem = problemIn(read);
    if (problem.isEmpty())
        settings = read;
    return problem;
}

runner::WorkerOptions workerOf(const JudgeSettings& settings)
{
    runner::WorkerOptions worker;
    worker.python = interpreterOf(settings).toStdString();
    worker.prefix = settings.prefix.toStdString();
    worker.folder = runner::workerFolder();
    return worker;
}

runner::CampaignOptions optionsOf(const JudgeSettings& settings)
{
    runner::CampaignOptions options;
    options.ask.device = settings.device.toStdString();
    options.ask.contract = runner::contractText(settings.contract.toStdString());
    options.ask.thresholds = runner::chooseThresholds("", options.ask.contract, options.ask.device);
    options.ask.seed = settings.seed;
    options.worker = workerOf(settings);
    options.jobs = settings.jobs;
    runner::shellWords(options.worker.prefix); // says where a quote is open
    return options;
}

QJsonObject toJson(const JudgeSettings& settings)
{
    // The seed as a text: JSON numbers are doubles here.
    return {{u"device"_s, settings.device}, {u"contract"_s, settings.contract}, {u"seed"_s, QString::number(settings.seed)},
            {u"jobs"_s, settings.jobs},     {u"python"_s, settings.python},     {u"prefix"_s, settings.prefix}};
}

JudgeSettings judgeSettingsFrom(const QJsonObject& object)
{
    JudgeSettings settings;
    settings.device = object[u"device"_s].toString(settings.device);
    settings.contract = object[u"contract"_s].toString(settings.contract);
    settings.seed = object[u"seed"_s].toString().toULongLong();
    settings.jobs = std::clamp(object[u"jobs"_s].toInt(settings.jobs), 1, kMostJobs);
    settings.python = object[u"python"_s].toString();
    settings.prefix = object[u"prefix"_s].toString();
    return settings;
}

} // namespace assay::views
