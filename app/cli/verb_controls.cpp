// SPDX-License-Identifier: Apache-2.0
#include "app/cli/control_table.h"
#include "app/cli/series_options.h"
#include "app/cli/threshold_options.h"
#include "app/cli/verb.h"
#include "core/ingest/data_file.h"
#include "core/ingest/op_family.h"
#include "core/runner/control.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace assay::cli {

namespace {

using runner::Control;
using runner::ControlRow;

class ControlsVerb final : public Verb {
public:
    std::string_view name() const override { return "controls"; }
    std::string_view summary() const override { return "Try the gates on kernels that are right"; }

    std::string_view help() const override
    {
        return "Each is another honest way to compute its task and has to pass every gate under the strict contract: what fails\n"
               "here is a false alarm. --torch-compile adds references against torch.compile of themselves, which needs torch 2\n"
               "and a compiler. A few are none on some devices: they are listed as unsupported and not judged.\n\n"
               "Exit 0: all that are controls on the device pass; 4: one fails or could not be judged; 5: nothing could be "
               "judged; 2: usage.\n\n"
               "Example:\n  assay controls --torch-compile --device cuda:0";
    }

    void declare(CLI::App& app) override
    {
        m_choice.declare(app, "names, as conv-by-fft,softmax-online");
        m_thresholds.declare(app);
        app.add_flag("--torch-compile", m_compiled, "Also references against torch.compile of themselves");
    }

    int run(Invocation& invocation) override
    {
        const std::vector<ControlRow> rows = judgeAll(chosen(), invocation);
        invocation.progress.clear();
        if (invocation.json)
            printLine(controlJson(rows, m_choice.device));
        else
            print(controlTable(rows, m_choice.device));
        const runner::ControlTally tally = runner::tallyOf(rows);
        return tally.judged == 0 ? kNotJudged : tally.passed + tally.elsewhere == std::ssize(rows) ? kFine : kAnswerIsNo;
    }

private:
    std::vector<Control> chosen() const
    {
        const auto folder = ingest::dataFile("controls");
        std::vector<Control> controls = runner::loadControls(folder);
        if (m_compiled)
            std::ranges::move(runner::loadCompiledControls(folder), std::back_inserter(controls));
        for (const std::string& name : m_choice.only) {
            if (std::ranges::find(controls, name, &Control::name) == controls.end())
                throw UsageError("no control is called \"" + name + "\"", "--only",
                                 "Names are those that assay controls prints; torch_compile/... need --torch-compile");
        }
        if (!m_choice.only.empty())
            std::erase_if(controls, [this](const Control& control) {
                return std::ranges::find(m_choice.only, control.name) == m_choice.only.end();
            });
        return controls;
    }

    std::vector<ControlRow> judgeAll(const std::vector<Control>& controls, Invocation& invocation) const
    {
        std::vector<std::string> names;
        std::ranges::transform(controls, std::back_inserter(names), &Control::name);
        const runner::TablePtr thresholds = m_thresholds.table(m_choice.device);
        return m_choice.judgeAll<ControlRow>(
            names, invocation,
            [&](std::size_t index, runner::JudgeSeries& series) {
                if (auto none = runner::outcomeElsewhere(controls[index], m_choice.device))
                    return ControlRow{controls[index].name, std::move(*none), true};
                runner::VerifyAsk ask = m_choice.ask();
                ask.reference = controls[index].reference;
                ask.candidate = controls[index].candidate;
                ask.contract = runner::contractOn(controls[index], m_choice.device).value_or(ask.contract);
                ask.thresholds = thresholds;
                ask.family = ingest::opFamily(controls[index].name, ask.reference.text);
                return ControlRow{controls[index].name, runner::outcomeOf(controls[index], series.judge(ask))};
            },
            controlLine);
    }

    SeriesChoice m_choice;
    ThresholdChoice m_thresholds;
    bool m_compiled = false;
};

} // namespace

std::unique_ptr<Verb> makeControlsVerb()
{
    return std::make_unique<ControlsVerb>();
}

} // namespace assay::cli
