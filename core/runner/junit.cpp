// SPDX-License-Identifier: Apache-2.0
#include "core/runner/junit.h"

#include "core/contract/verdict.h"

#include <fmt/format.h>

namespace assay::runner {

namespace {

std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else if (code >= 0x20)
            out += c;
        else
            out += ' '; // XML 1.0 has no spelling for control characters
    }
    return out;
}

struct Counts {
    int tests = 0;
    int failures = 0;
    int errors = 0;
    int skipped = 0;
};

/// True where the contract only reports soft failures: a build that turned red for one would contradict the verdict.
bool onlyReportsSoft(const json::Value& verdict)
{
    const json::Value* const contract = json::find(verdict, "contract");
    return contract != nullptr && contract->IsObject() && json::stringAt(*contract, "soft_failures") == "report";
}

std::string testCase(const json::Value& gate, std::string_view suite, bool reportsSoft, Counts& counts)
{
    const auto text = [&](const char* key) { return escaped(json::stringAt(gate, key).value_or("")); };
    const auto verdict
        = contract::verdictFromName(json::stringAt(gate, "verdict").value_or("")).value_or(contract::Verdict::Error);
    std::string inside;
    ++counts.tests;
    if (contract::countsAgainstCandidate(verdict) && reportsSoft && json::stringAt(gate, "severity") == "soft") {
        ++counts.skipped;
        inside = fmt::format("<skipped message=\"reported, not charged: {}\"/>", text("finding"));
    } else if (contract::countsAgainstCandidate(verdict)) {
        ++counts.failures;
        inside = fmt::format("<failure type=\"{}\" message=\"{}\"/>", text("reason"), text("finding"));
    } else if (verdict == contract::Verdict::Error) {
        ++counts.errors;
        inside = fmt::format("<error message=\"{}\"/>", text("finding"));
    } else if (verdict != contract::Verdict::Pass) {
        ++counts.skipped;
        inside = fmt::format("<skipped message=\"{}: {}\"/>", text("verdict"), text("finding"));
    }
    return fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">{}</testcase>\n", escaped(suite), text("id"),
                       json::numberAt(gate, "seconds").value_or(0), inside);
}

} // namespace

std::string toJUnit(const json::Value& verdict, std::string_view suite)
{
    Counts counts;
    std::string cases;
    const json::Value* const gates = json::find(verdict, "gates");
    if (gates != nullptr && gates->IsArray()) {
        for (const json::Value& gate : gates->GetArray())
            cases += testCase(gate, suite, onlyReportsSoft(verdict), counts);
    }
    if (json::stringAt(verdict, "verdict") == "error" && counts.errors == 0) {
        ++counts.tests;
        ++counts.errors;
        cases += fmt::format("  <testcase classname=\"{}\" name=\"judgement\"><error message=\"{}\"/></testcase>\n",
                             escaped(suite), escaped(json::stringAt(verdict, "reason").value_or("")));
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
        "skipped=\"{}\" time=\"{:.3f}\">\n{}</testsuite>\n",
        escaped(suite), counts.tests, counts.failures, counts.errors, counts.skipped,
        json::numberAt(verdict, "seconds").value_or(0), cases);
}

} // namespace assay::runner
