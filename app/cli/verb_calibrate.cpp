// SPDX-License-Identifier: Apache-2.0
#include "app/cli/calibration_files.h"
#include "app/cli/calibration_table.h"
#include "app/cli/series_options.h"
#include "app/cli/verb.h"
#include "core/ingest/data_file.h"
#include "core/runner/calibration_task.h"
#include "core/text/json.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace assay::cli {

namespace {

using runner::CalibrationTask;

/// What TF32 does to an operand has to be seen: half of its unit roundoff, 2^-11.
constexpr double kSeenFrom = 0x1p-12;
const std::vector<std::string> kGates = {"CMP-01", "ORD-01", "PRC-01", "PRC-02"};

/// What one judgement gave.
struct Measured {
    std::vector<store::CalibrationSample> samples;
    std::string line;      ///< for who watches
    std::string notJudged; ///< "" where it was
    std::string versions;
    std::string device; ///< its name, "" where unknown
};

class CalibrateVerb final : public Verb {
public:
    std::string_view name() const override { return "calibrate"; }
    std::string_view summary() const override { return "Measure what right and wrong kernels give, and set thresholds between"; }

    std::string_view help() const override
    {
        return "Judges the controls, whose references give their own conforming evaluations and known disturbances of these, and "
               "the\n"
               "mutants, and sets a threshold for CMP-01, ORD-01, PRC-01 and PRC-02 by op family and dtype: halfway, on a "
               "logarithmic "
               "axis,\nbetween what 99.9 % of right answers keep and the least of what has to be seen. A third of the kernels is "
               "held "
               "out\nand tried against it. What is measured goes into the database as a new version; nothing is overwritten.\n\n"
               "Exit 0: measured; 4: nothing could be set; 5: nothing could be judged; 2: usage.\n\n"
               "Example:\n  assay calibrate --db audit.db --device cuda:0 --jobs 16 --draws 3 --torch-compile\n"
               "  assay calibrate --db audit.db --export h200.jsonl.gz --thresholds thresholds.json";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("--db", m_database, "Database that takes the calibration; none: it is only printed");
        app.add_flag("--list", m_list, "Say which calibrations the database has instead");
        app.add_option("--title", m_title, "What it is called in lists");
        app.add_option("--draws", m_draws, "Judgements of each kernel, each with a seed of its own (default: 2)")
            ->check(CLI::Range(1, 100));
        app.add_option("--hold-out", m_holdOut, "Share of kernels that only try the thresholds (default: 0.333)")
            ->check(CLI::Range(0.0, 0.9));
        app.add_flag("--torch-compile", m_compiled, "Also references against torch.compile of themselves");
        m_files.declare(app);
        m_choice.declare(app, "kernels, as softmax-online");
    }

    int run(Invocation& invocation) override
    {
        if (m_list)
            return list(invocation);
        if (m_files.isAsked())
            return m_files.run(m_database, invocation);
        // A database that cannot take the result is found before hours are spent.
        const auto database = m_database.empty() ? nullptr : store::Database::open(m_database, store::OpenMode::ReadWrite);
        const std::vector<Measured> measured = judgeAll(chosen(), invocation);
        invocation.progress.clear();
        CalibrationOutcome outcome;
        std::vector<store::CalibrationSample> samples;
        std::vector<calibration::Sample> plain;
        for (const Measured& one : measured) {
            if (!one.notJudged.empty())
                outcome.notJudged.push_back(one.notJudged);
            if (!one.versions.empty())
                m_versions = one.versions;
            if (!one.device.empty())
                m_deviceName = one.device;
            std::ranges::copy(one.samples, std::back_inserter(samples));
        }
        if (samples.empty())
            throw NotJudged("no kernel could be judged", "",
                            outcome.notJudged.empty() ? "See assay doctor" : outcome.notJudged.front());
        std::ranges::transform(samples, std::back_inserter(plain), &store::CalibrationSample::sample);
        outcome.samples = std::ssize(samples);
        calibration::ThresholdRule rule;
        rule.seenFrom = kSeenFrom;
        invocation.progress.show("thresholds");
        outcome.cells = runner::calibrateCells(samples, rule, m_holdOut, {.seed = m_choice.seed, .stop = invocation.stop});
        invocation.progress.clear();
        outcome.frozen = frozen(outcome.cells, rule, calibration::digestOf(plain));
        if (database)
            store::insertCalibration(*database, outcome.frozen, title(), samples);
        if (invocation.json)
            printLine(calibrationJson(outcome));
        else
            print(calibrationTable(outcome));
        const bool any = std::ranges::any_of(
            outcome.cells, [](const runner::CalibrationCell& cell) { return cell.result.separation.threshold.has_value(); });
        return any ? kFine : kAnswerIsNo;
    }

private:
    int list(const Invocation& invocation) const
    {
        if (m_database.empty())
            throw UsageError("no database is named", "--list", "Add --db FILE");
        const auto database = store::Database::open(m_database, store::OpenMode::ReadOnly);
        const auto found = store::calibrations(*database);
        if (invocation.json)
            printLine(calibrationListJson(found));
        else
            print(calibrationListText(found));
        return kFine;
    }

    std::string title() const { return m_title.empty() ? fmt::format("{}, {} draws", m_choice.device, m_draws) : m_title; }

    std::vector<CalibrationTask> chosen() const
    {
        const auto folder = ingest::dataFile("controls");
        std::vector<runner::Control> controls = runner::loadControls(folder);
        if (m_compiled)
            std::ranges::move(runner::loadCompiledControls(folder), std::back_inserter(controls));
        const auto mutants = runner::loadMutants(ingest::dataFile("mutants"));
        std::vector<CalibrationTask> tasks = runner::calibrationTasks(controls, mutants, m_choice.device);
        const auto isCalled = [](const CalibrationTask& task, const std::string& name) {
            return task.kernel == "control " + name || task.kernel == "mutant " + name;
        };
        for (const std::string& name : m_choice.only) {
            if (std::ranges::none_of(tasks, [&](const CalibrationTask& task) { return isCalled(task, name); }))
                throw UsageError("no kernel is called \"" + name + "\"", "--only",
                                 "Names are those that assay controls and assay mutants print");
        }
        if (!m_choice.only.empty()) {
            std::erase_if(tasks, [&](const CalibrationTask& task) {
                return std::ranges::none_of(m_choice.only, [&](const std::string& name) { return isCalled(task, name); });
            });
        }
        return tasks;
    }

    std::vector<Measured> judgeAll(const std::vector<CalibrationTask>& tasks, Invocation& invocation) const
    {
        std::vector<std::string> names;
        for (int draw = 0; draw < m_draws; ++draw)
            std::ranges::transform(tasks, std::back_inserter(names), &CalibrationTask::kernel);
        return m_choice.judgeAll<Measured>(
            names, invocation,
            [&](std::size_t index, runner::JudgeSeries& series) {
                const CalibrationTask& task = tasks[index % tasks.size()];
                runner::VerifyAsk ask = m_choice.ask();
                ask.reference = task.reference;
                ask.candidate = task.candidate;
                ask.contract = task.contract;
                ask.gates = kGates;
                ask.seed = m_choice.seed + index / tasks.size();
                ask.calibrate = true;
                const runner::VerdictSummary summary = series.judge(ask);
                Measured measured{runner::samplesOf(task, summary.excess), {}, {}, summary.versions, summary.deviceName};
                // A judgement without samples was of outputs that are no floating numbers.
                if (summary.verdict != contract::Verdict::Pass && summary.verdict != contract::Verdict::Fail)
                    measured.notJudged = task.kernel + ": " + summary.reason;
                measured.line = fmt::format("{:>5.1f} s {:>5} samples  {} ({})", summary.seconds, measured.samples.size(),
                                            task.kernel, task.family);
                return measured;
            },
            [](const Measured& measured) { return measured.line + "\n"; });
    }

    calibration::FrozenCalibration frozen(const std::vector<runner::CalibrationCell>& cells,
                                          const calibration::ThresholdRule& rule, std::string digest) const
    {
        calibration::FrozenCalibration frozen;
        for (const runner::CalibrationCell& cell : cells)
            frozen.thresholds.push_back(calibration::freeze(cell.result.separation, cell.gate, cell.family, cell.dtype));
        frozen.samplesDigest = std::move(digest);
        frozen.device = m_choice.device;
        json::Document versions;
        if (!m_versions.empty() && !json::parse(m_versions, versions) && versions.IsObject()) {
            for (const auto& member : versions.GetObject()) {
                if (member.value.IsString())
                    frozen.versions[member.name.GetString()] = member.value.GetString();
            }
        }
        if (!m_deviceName.empty()) // "cuda:0" alone does not tell which
            frozen.versions["device"] = m_deviceName;
        frozen.seed = m_choice.seed;
        frozen.holdOutShare = m_holdOut;
        frozen.rule = rule;
        return frozen;
    }

    SeriesChoice m_choice;
    CalibrationFiles m_files;
    std::string m_database;
    std::string m_title;
    std::string m_versions;
    std::string m_deviceName;
    int m_draws = 2;
    double m_holdOut = 1.0 / 3;
    bool m_compiled = false;
    bool m_list = false;
};

} // namespace

std::unique_ptr<Verb> makeCalibrateVerb()
{
    return std::make_unique<CalibrateVerb>();
}

} // namespace assay::cli
