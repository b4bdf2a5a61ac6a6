// SPDX-License-Identifier: Apache-2.0
#include "app/cli/calibration_files.h"
#include "app/cli/calibration_keeper.h"
#include "app/cli/calibration_table.h"
#include "app/cli/series_options.h"
#include "app/cli/verb.h"
#include "core/ingest/data_file.h"
#include "core/runner/calibration_task.h"
#include "core/text/object_text.h"
#include "core/text/sha256.h"

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

/// What one judgement gave, and a line for who watches.
struct Measured {
    store::CalibrationJudgement judgement;
    std::string line;
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
               "out\nand tried against it. What is measured goes into the database as a new version; nothing is overwritten.\n"
               "With --db every judgement is kept as it comes: a run that is stopped or killed goes on with --resume.\n\n"
               "Exit 0: measured; 4: nothing could be set; 5: nothing could be judged; 6: stopped, the rest\n"
               "with --resume; 2: usage.\n\n"
               "Example:\n  assay calibrate --db audit.db --device cuda:0 --jobs 16 --draws 3 --torch-compile\n"
               "  assay calibrate --db audit.db --export h200.jsonl.gz --thresholds thresholds.json";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("--db", m_database, "Database that takes the calibration; none: it is only printed");
        app.add_flag("--list", m_list, "Say which calibrations the database has instead, and which runs did not end");
        app.add_flag("--resume", m_resume, "Go on with what a stopped or killed run of the same command has measured");
        app.add_flag("--restart", m_restart, "Begin anew where such a run is kept")->excludes("--resume");
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
        if (m_database.empty() && (m_resume || m_restart))
            throw UsageError("no database is named", m_resume ? "--resume" : "--restart", "Add --db FILE");
        // A database that cannot take the result is found before hours are spent.
        const auto mode = m_resume ? store::OpenMode::ReadWrite : store::OpenMode::ReadWriteCreate;
        const auto database = m_database.empty() ? nullptr : store::Database::open(m_database, mode);
        const std::vector<CalibrationTask> tasks = chosen();
        CalibrationKeeper keeper(database.get(), askText(tasks), tasks.size() * std::size_t(m_draws), start());
        const auto judgements = judgeAll(tasks, keeper, invocation);
        invocation.progress.clear();
        CalibrationOutcome outcome;
        outcome.resumed = std::ssize(keeper.before());
        std::vector<store::CalibrationSample> samples;
        for (const store::CalibrationJudgement& one : judgements) {
            if (!one.notJudged.empty())
                outcome.notJudged.push_back(one.notJudged);
            if (!one.versions.empty())
                m_versions = one.versions;
            std::ranges::copy(one.samples, std::back_inserter(samples));
        }
        if (samples.empty()) {
            keeper.finish(); // going on would only find the same
            throw NotJudged("no kernel could be judged", "",
                            outcome.notJudged.empty() ? "See assay doctor" : outcome.notJudged.front());
        }
        calibrate(samples, outcome, invocation);
        if (database)
            store::insertCalibration(*database, outcome.frozen, title(), samples);
        keeper.finish();
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
        const CalibrationList found{store::calibrations(*database), store::calibrationRuns(*database)};
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

    CalibrationKeeper::Start start() const
    {
        return m_resume ? CalibrationKeeper::Start::Resume
            : m_restart ? CalibrationKeeper::Start::Over
                        : CalibrationKeeper::Start::New;
    }

    /// The same text asks for the same judgements: sources, contract, gates, device and seed of each.
    std::string askText(const std::vector<CalibrationTask>& tasks) const
    {
        json::ObjectText out("assay.calibration-ask/1");
        out.integer("draws", m_draws);
        out.objects("tasks", tasks, [&](const CalibrationTask& task) {
            out.text("kernel", task.kernel);
            out.text("family", task.family);
            out.text("request", sha256Hex(runner::membersOf(askOf(task, 0))));
        });
        return out.finish();
    }

    runner::VerifyAsk askOf(const CalibrationTask& task, int draw) const
    {
        runner::VerifyAsk ask = m_choice.ask();
        ask.reference = task.reference;
        ask.candidate = task.candidate;
        ask.contract = task.contract;
        ask.gates = kGates;
        ask.seed = m_choice.seed + static_cast<std::uint64_t>(draw);
        ask.calibrate = true;
        return ask;
    }

    /// Its versions with the device's name among them: "cuda:0" alone does not tell which.
    static std::string withDevice(const runner::VerdictSummary& summary)
    {
        json::Document versions;
        if (summary.deviceName.empty() || json::parse(summary.versions, versions) || !versions.IsObject()
            || versions.HasMember("device"))
            return summary.versions;
        versions.AddMember("device", json::Value(summary.deviceName, versions.GetAllocator()), versions.GetAllocator());
        return json::toText(versions);
    }

    Measured measure(const CalibrationTask& task, std::size_t place, int draw, runner::JudgeSeries& series) const
    {
        const runner::VerdictSummary summary = series.judge(askOf(task, draw));
        Measured measured{{place, runner::samplesOf(task, summary.excess), {}, withDevice(summary)}, {}};
        // A judgement without samples was of outputs that are no floating numbers.
        if (summary.verdict != contract::Verdict::Pass && summary.verdict != contract::Verdict::Fail)
            measured.judgement.notJudged = task.kernel + ": " + summary.reason;
        measured.line = fmt::format("{:>5.1f} s {:>5} samples  {} ({})", summary.seconds, measured.judgement.samples.size(),
                                    task.kernel, task.family);
        return measured;
    }

    /// Every judgement by its place, those that an earlier process kept included.
    std::vector<store::CalibrationJudgement> judgeAll(const std::vector<CalibrationTask>& tasks, CalibrationKeeper& keeper,
                                                      Invocation& invocation) const
    {
        std::vector<store::CalibrationJudgement> all(tasks.size() * std::size_t(m_draws));
        std::vector<bool> isKept(all.size());
        for (const store::CalibrationJudgement& judgement : keeper.before()) {
            isKept[judgement.place] = true;
            all[judgement.place] = judgement;
        }
        std::vector<std::size_t> places;
        std::vector<std::string> names;
        for (std::size_t place = 0; place < all.size(); ++place) {
            if (isKept[place])
                continue;
            places.push_back(place);
            names.push_back(tasks[place % tasks.size()].kernel);
        }
        try {
            std::vector<Measured> measured = m_choice.judgeAll<Measured>(
                names, invocation,
                [&](std::size_t index, runner::JudgeSeries& series) {
                    const std::size_t place = places[index];
                    Measured one = measure(tasks[place % tasks.size()], place, int(place / tasks.size()), series);
                    keeper.keep(one.judgement);
                    return one;
                },
                [](const Measured& one) { return one.line + "\n"; });
            for (Measured& one : measured)
                all[one.judgement.place] = std::move(one.judgement);
        } catch (const Cancelled&) {
            if (keeper.kept() == 0)
                throw;
            if (invocation.json)
                printLine(stoppedJson(keeper.kept(), all.size()));
            throw StoppedPartWay(fmt::format("stopped: {} of {} judgements are kept", keeper.kept(), all.size()), m_database,
                                 "The same command with --resume goes on");
        }
        return all;
    }

    static std::string stoppedJson(std::size_t kept, std::size_t asked)
    {
        json::ObjectText out("assay.calibrate/1");
        out.flag("stopped", true);
        out.integer("kept", static_cast<std::int64_t>(kept));
        out.integer("asked", static_cast<std::int64_t>(asked));
        return out.finish();
    }

    void calibrate(const std::vector<store::CalibrationSample>& samples, CalibrationOutcome& outcome,
                   Invocation& invocation) const
    {
        std::vector<calibration::Sample> plain;
        std::ranges::transform(samples, std::back_inserter(plain), &store::CalibrationSample::sample);
        outcome.samples = std::ssize(samples);
        calibration::ThresholdRule rule;
        rule.seenFrom = kSeenFrom;
        invocation.progress.show("thresholds");
        outcome.cells = runner::calibrateCells(samples, rule, m_holdOut, {.seed = m_choice.seed, .stop = invocation.stop});
        invocation.progress.clear();
        outcome.frozen = frozen(outcome.cells, rule, calibration::digestOf(plain));
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
    int m_draws = 2;
    double m_holdOut = 1.0 / 3;
    bool m_compiled = false;
    bool m_list = false;
    bool m_resume = false;
    bool m_restart = false;
};

} // namespace

std::unique_ptr<Verb> makeCalibrateVerb()
{
    return std::make_unique<CalibrateVerb>();
}

} // namespace assay::cli
