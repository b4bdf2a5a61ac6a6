// SPDX-License-Identifier: Apache-2.0
#include "app/cli/judge_options.h"

#include "app/cli/verb.h"
#include "core/contract/gate.h"
#include "core/runner/baseline_claim.h"
#include "core/runner/contract_text.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include <algorithm>

namespace assay::cli {

namespace {

std::vector<std::string> gateIds(const std::vector<std::string>& texts)
{
    std::vector<std::string> ids;
    for (const std::string& text : texts) {
        const auto gate = contract::gateFromId(text);
        if (!gate)
            throw UsageError("no gate is called \"" + text + "\"", "--gates", "Gates are CMP-01 ... RES-02");
        ids.emplace_back(contract::id(*gate));
    }
    return ids;
}

/// runner::contractText(), where a contract that makes no sense is a mistake in the command line.
std::string contractAsked(const std::string& given)
{
    try {
        return runner::contractText(given);
    } catch (const Error& error) {
        throw UsageError(error.problem(), given, error.remedy());
    }
}

} // namespace

runner::Source sourceAt(const std::string& path, const std::string& what)
{
    try {
        return runner::readSource(path, what);
    } catch (const Error& error) {
        throw UsageError(error.problem(), error.where(), error.remedy());
    }
}

void JudgeChoice::declare(CLI::App& app)
{
    RunChoice::declare(app);
    app.add_option("--gates", gates, "Only these gates, as CMP-01,EXC-01")->delimiter(',');
    app.add_option("--contract", contract, "strict (default), training, inference, kernelbench, or a JSON file");
    thresholds.declare(app);
    app.add_flag("--shrink", shrink, "Look for a smaller stimulus of what fails: shapes first, then values");
    app.add_option("--baseline", baseline,
                   fmt::format("Also what another harness would say, as a claim beside the verdict: {}",
                               fmt::join(runner::kBaselineModes, ", ")));
}

runner::VerifyAsk JudgeChoice::ask() const
{
    runner::VerifyAsk ask = RunChoice::ask();
    ask.contract = contractAsked(contract);
    ask.thresholds = thresholds.table(ask.device, ask.contract);
    ask.gates = gateIds(gates);
    ask.shrink = shrink;
    ask.baseline = baseline;
    if (!baseline.empty() && std::ranges::find(runner::kBaselineModes, baseline) == runner::kBaselineModes.end())
        throw UsageError("no harness is called \"" + baseline + "\"", "--baseline",
                         fmt::format("There are {}", fmt::join(runner::kBaselineModes, ", ")));
    return ask;
}

} // namespace assay::cli
