// SPDX-License-Identifier: Apache-2.0
#include "app/cli/replay_command.h"

#include "core/contract/contract.h"
#include "core/runner/contract_json.h"
#include "core/runner/threshold_choice.h"
#include "core/store/threshold_words.h"
#include "core/store/triage_filter.h"
#include "core/text/error.h"
#include "core/text/json.h"

namespace assay::cli {

namespace {

/// " --contract inference", or nothing for the default; a contract that no profile spells has to be put into a file first.
std::string contractOption(const std::string& stored)
{
    json::Document document;
    if (json::parse(stored, document))
        return {};
    try {
        contract::Contract asked = runner::readContract(document);
        asked.gates = contract::Contract().gates;
        asked.thresholds = {};
        if (asked == contract::profile(asked.profile))
            return asked.profile == contract::Contract().profile ? std::string() : " --contract " + asked.profile;
    } catch (const Error&) {
        // of another version of Assay: its text still says what it was
    }
    return " --contract <(echo " + shellWord(stored) + ")";
}

/// " --thresholds none", a file to name, or nothing where the audit was held to what is taken by itself.
std::string thresholdsOption(const store::AuditRecord& audit)
{
    const std::string version = store::thresholdTableOf(audit).version;
    const runner::TablePtr shipped = runner::chooseThresholds("", "", audit.device);
    if (version == (shipped == nullptr ? "" : shipped->version))
        return {};
    return version.empty() ? " --thresholds none" : " --thresholds TABLE-" + version.substr(0, 12) + ".json";
}

} // namespace

std::string shellWord(const std::string& word)
{
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos)
        return word;
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string replayCommand(const store::KernelDetails& details, contract::Gate gate, const std::string& database)
{
    if (!details.verdict || details.audit.origin != "judged")
        return {};
    store::TriageFilter filter;
    filter.terms.push_back({"id", ":", {details.kernel.externalId}, false});
    std::string command = "assay audit --db " + shellWord(database);
    if (!details.origins.empty())
        command += " --corpus " + shellWord(details.origins.front().corpus);
    command += " --where " + shellWord(store::toText(filter)) + " --gates " + std::string(contract::id(gate));
    return command + " --seed " + details.audit.seed + " --device " + details.audit.device
        + contractOption(details.audit.gateConfig) + thresholdsOption(details.audit);
}

} // namespace assay::cli
