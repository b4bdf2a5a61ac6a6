// SPDX-License-Identifier: Apache-2.0
#include "app/cli/mutant_matrix.h"
#include "app/cli/series_options.h"
#include "app/cli/threshold_options.h"
#include "app/cli/verb.h"
#include "core/ingest/data_file.h"
#include "core/runner/red_team.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>

namespace assay::cli {

namespace {

using runner::Mutant;
using runner::MutantRow;

bool isCalled(const Mutant& mutant, const std::string& name)
{
    return mutant.id == name || mutant.number == name || mutant.folder == name;
}

class MutantsVerb final : public Verb {
public:
    std::string_view name() const override { return "mutants"; }
    std::string_view summary() const override { return "Try the gates on kernels that are broken in known ways"; }

    std::string_view help() const override
    {
        return "Every breakage has to be caught by a gate that is made for it, and the right twin beside it has to pass.\n"
               "A Python with torch runs them in sandboxed processes; the GPU's forms need triton or nvcc as well.\n\n"
               "Exit 0: all as expected; 4: a breakage is missed, a twin is charged or a form could not be judged; 5: nothing\n"
               "could be judged; 2: usage.\n\n"
               "Example:\n  assay mutants --only 12,tail-mask --device cuda:0";
    }

    void declare(CLI::App& app) override
    {
        m_choice.declare(app, "ids or numbers, as tail-mask,12,E4");
        m_thresholds.declare(app);
    }

    int run(Invocation& invocation) override
    {
        std::vector<std::string> absent;
        const std::vector<Mutant> mutants = chosen(absent);
        if (mutants.empty())
            throw UsageError("no mutant has a form for it", "--device " + m_choice.device, "Forms are for cpu and cuda");
        if (!invocation.json)
            print(matrixHead());
        const std::vector<MutantRow> rows = judgeAll(mutants, invocation);
        invocation.progress.clear();
        if (invocation.json)
            printLine(matrixJson(rows, absent, m_choice.device));
        else
            print(matrixSummary(rows, absent, m_choice.device));
        const auto all = [&](MutantRow::Outcome outcome) {
            return std::ranges::all_of(rows, [outcome](const MutantRow& row) { return row.outcome == outcome; });
        };
        return all(MutantRow::Outcome::AsExpected) ? kFine : all(MutantRow::Outcome::NotJudged) ? kNotJudged : kAnswerIsNo;
    }

private:
    /// Those asked for that have a form for the device; the others' ids go to @p absent.
    std::vector<Mutant> chosen(std::vector<std::string>& absent) const
    {
        const std::vector<Mutant> all = runner::loadMutants(ingest::dataFile("mutants"));
        for (const std::string& name : m_choice.only) {
            if (std::ranges::none_of(all, [&](const Mutant& mutant) { return isCalled(mutant, name); }))
                throw UsageError("no mutant is called \"" + name + "\"", "--only", "Names are ids or numbers of the matrix");
        }
        std::vector<Mutant> mutants;
        for (const Mutant& mutant : all) {
            const bool asked = m_choice.only.empty()
                || std::ranges::any_of(m_choice.only, [&](const std::string& name) { return isCalled(mutant, name); });
            if (!asked)
                continue;
            if (mutant.forms.contains(runner::deviceKind(m_choice.device)))
                mutants.push_back(mutant);
            else
                absent.push_back(mutant.id);
        }
        return mutants;
    }

    std::vector<MutantRow> judgeAll(const std::vector<Mutant>& mutants, Invocation& invocation) const
    {
        std::vector<std::string> names;
        std::ranges::transform(mutants, std::back_inserter(names), &Mutant::id);
        runner::VerifyAsk common = m_choice.ask();
        common.thresholds = m_thresholds.table(common.device);
        return m_choice.judgeAll<MutantRow>(
            names, invocation,
            [&](std::size_t index, runner::JudgeSeries& series) {
                return runner::judgeMutant(mutants[index], common,
                                           [&](const runner::VerifyAsk& ask) { return series.judge(ask); });
            },
            matrixRow);
    }

    SeriesChoice m_choice;
    ThresholdChoice m_thresholds;
};

} // namespace

std::unique_ptr<Verb> makeMutantsVerb()
{
    return std::make_unique<MutantsVerb>();
}

} // namespace assay::cli
