// SPDX-License-Identifier: Apache-2.0
#include "app/cli/baseline_text.h"

#include "core/text/one_line.h"

#include <fmt/format.h>

namespace assay::cli {

namespace {

/// "5 of 5 trials" where the judge stored them, else what an audit recorded.
std::string trialsText(const std::string& recorded)
{
    json::Document trials;
    if (json::parse(recorded, trials) || !trials.IsObject())
        return recorded;
    const auto passed = json::integerAt(trials, "passed");
    const auto total = json::integerAt(trials, "total");
    return passed && total ? fmt::format("{} of {} trials", *passed, *total) : recorded;
}

} // namespace

std::string baselineText(const store::BaselineRecord& baseline)
{
    // Where it has no verdict its detail says that it could not run.
    std::string text = baseline.verdict == "error" ? "" : baseline.verdict;
    for (const std::string& more : {trialsText(baseline.trials), baseline.detail}) {
        if (!more.empty())
            text += (text.empty() ? "" : ", ") + more;
    }
    return fmt::format("baseline {}: {}", oneLine(baseline.mode), oneLine(text.empty() ? baseline.verdict : text));
}

std::string baselineText(const json::Value& verdict)
{
    const json::Value* const claim = json::find(verdict, "baseline");
    if (claim == nullptr || !claim->IsObject())
        return {};
    const auto text = [&](const char* key) { return json::stringAt(*claim, key).value_or(""); };
    const json::Value* const trials = json::find(*claim, "trials");
    return baselineText(store::BaselineRecord{
        text("mode"), text("verdict"), trials != nullptr && trials->IsObject() ? json::toText(*trials) : "", text("detail")});
}

} // namespace assay::cli
