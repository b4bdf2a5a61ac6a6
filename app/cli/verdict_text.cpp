// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verdict_text.h"

#include "app/cli/baseline_text.h"
#include "core/store/threshold_words.h"
#include "core/text/one_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::cli {

namespace {

std::string text(const json::Value& object, std::string_view key)
{
    return oneLine(json::stringAt(object, key).value_or(""));
}

const rapidjson::Value::ConstArray elements(const json::Value& object, std::string_view key)
{
    static const json::Value kNone(rapidjson::kArrayType);
    const json::Value* const list = json::find(object, key);
    return list != nullptr && list->IsArray() ? list->GetArray() : kNone.GetArray();
}

std::string gateLine(const json::Value& gate)
{
    const std::string counts
        = fmt::format("{}/{}", json::integerAt(gate, "exercised").value_or(0), json::integerAt(gate, "total").value_or(0));
    return fmt::format("{:<7} {:<13} {:<5} {:>9}  {}\n", text(gate, "id"), text(gate, "verdict"), text(gate, "severity"), counts,
                       text(gate, "finding"));
}

/// What became of the searches for smaller stimuli.
std::string shrunkLines(const json::Value& gate)
{
    std::string lines;
    for (const json::Value& check : elements(gate, "checks")) {
        const json::Value* const shrunk = json::find(check, "shrunk");
        if (shrunk == nullptr || !shrunk->IsObject())
            continue;
        lines += fmt::format("        {} {}: {} ({} questions)\n", text(check, "code"),
                             json::boolAt(*shrunk, "found").value_or(false) ? "shrunk" : "not shrunk", text(*shrunk, "remark"),
                             json::integerAt(*shrunk, "questions").value_or(0));
        if (const std::string sentence = text(*shrunk, "sentence"); !sentence.empty())
            lines += "        " + sentence + "\n";
    }
    return lines;
}

/// Gates by where the thresholds of their checks come from: "thresholds  CMP-01, ORD-01 calibrated (NVIDIA H200, hold-out false
/// alarms at most 3.1 %); CMP-02 not calibrated"
std::string thresholdLine(const json::Value& verdict)
{
    std::string calibrated;
    std::string others;
    double bound = 0;
    const auto add = [](std::string& list, const std::string& gate) { list += (list.empty() ? "" : ", ") + gate; };
    for (const json::Value& gate : elements(verdict, "gates")) {
        bool any = false;
        bool other = false;
        for (const json::Value& check : elements(gate, "checks")) {
            const auto said = json::boolAt(check, "calibrated");
            any = any || said.value_or(false);
            other = other || !said.value_or(true);
            if (said.value_or(false))
                bound = std::max(bound, json::numberAt(check, "holdout_bound").value_or(1));
        }
        if (any)
            add(calibrated, text(gate, "id"));
        else if (other)
            add(others, text(gate, "id"));
    }
    if (calibrated.empty() && others.empty())
        return {};
    const json::Value* const contract = json::find(verdict, "contract");
    const json::Value* const table = contract != nullptr ? json::find(*contract, "thresholds") : nullptr;
    const std::string device = table != nullptr && table->IsObject() ? text(*table, "device") : "";
    std::string line = "thresholds  ";
    if (!calibrated.empty())
        line += calibrated + ' ' + store::calibratedWords(bound, device) + (others.empty() ? "" : "; ");
    return line + (others.empty() ? "" : others + " not calibrated") + '\n';
}

/// "torch 2.9.0, triton 3.5.0"
std::string versionsText(const json::Value& verdict)
{
    const json::Value* const versions = json::find(verdict, "versions");
    std::string words;
    for (const char* name : {"torch", "triton", "cuda"}) {
        const auto version = versions != nullptr && versions->IsObject() ? json::stringAt(*versions, name) : std::nullopt;
        if (version)
            words += fmt::format(", {} {}", name, *version);
    }
    return words;
}

} // namespace

std::string verdictText(const json::Value& verdict)
{
    std::string out;
    for (const json::Value& gate : elements(verdict, "gates"))
        out += gateLine(gate) + shrunkLines(gate);
    for (const json::Value& flag : elements(verdict, "flags"))
        out += fmt::format("note    {} {}: {}\n", text(flag, "gate"), text(flag, "code"), text(flag, "sentence"));
    for (const json::Value& word : elements(verdict, "isolation"))
        out += fmt::format("not isolated: {}\n", word.IsString() ? word.GetString() : "");
    out += thresholdLine(verdict);
    if (const std::string baseline = baselineText(verdict); !baseline.empty())
        out += baseline + " (a claim of that harness, no evidence)\n";
    const json::Value* const seed = json::find(verdict, "seed");
    out += fmt::format("verdict {}  ({} contract, {}{}, seed {}, {:.1f} s)\n", text(verdict, "verdict"), text(verdict, "profile"),
                       text(verdict, "device"), versionsText(verdict),
                       seed != nullptr && seed->IsUint64() ? seed->GetUint64() : 0,
                       json::numberAt(verdict, "seconds").value_or(0));
    if (const std::string reason = text(verdict, "reason"); !reason.empty())
        out += "        " + reason + "\n";
    if (const std::string remedy = text(verdict, "remedy"); !remedy.empty())
        out += "        " + remedy + "\n";
    return out;
}

} // namespace assay::cli
