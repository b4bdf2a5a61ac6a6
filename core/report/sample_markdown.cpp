// SPDX-License-Identifier: Apache-2.0
/// The sample as Markdown and for a terminal.
#include "core/report/numbers_text.h"
#include "core/report/sample_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace assay::report {

namespace {

std::string markdownTable(const TextTable& table)
{
    std::string text = "|";
    std::string rule = "|";
    for (std::size_t i = 0; i < table.heads.size(); ++i) {
        text += " " + markdownCell(table.heads[i]) + " |";
        rule += table.isNumber[i] ? "---:|" : "---|";
    }
    text += "\n" + rule + "\n";
    for (const auto& row : table.rows) {
        text += "|";
        for (const std::string& cell : row)
            text += " " + markdownCell(cell) + " |";
        text += "\n";
    }
    return text;
}

/// @p text as a block quote; what looks like Markdown in it stays text.
std::string quote(std::string_view text)
{
    std::string out = "> ";
    for (const char c : text) {
        if (c == '\n')
            out += "\n> ";
        else if (std::string_view("\\`*_{}[]<>#|").find(c) != std::string_view::npos)
            out += std::string("\\") + c;
        else if (c != '\r')
            out += c;
    }
    return out + "\n";
}

std::string labelLine(const store::LabelRow& row)
{
    std::string text = fmt::format(
        "- **{}**{}{} ({}, {}{})", store::title(*row.label), row.severity ? fmt::format(", {}", store::name(*row.severity)) : "",
        row.reason.empty() ? "" : fmt::format(", `{}`", row.reason), markdownCell(row.reviewer), row.createdAt,
        row.kind == "adjudication" ? ", adjudication"
            : row.blinded          ? ", blind"
                                   : "");
    if (!row.note.empty())
        text += ": " + markdownCell(row.note);
    for (const std::string& link : row.evidence)
        text += "\n  - evidence: " + markdownCell(link);
    return text + "\n";
}

std::string itemSection(const ReportItem& item)
{
    std::string text
        = fmt::format("### {}. {} {}\n\n{}, stratum {}: **{}**{}\n\n", item.item.position, markdownCell(item.item.externalId),
                      markdownCell(item.item.title), markdownCell(item.item.family), markdownCell(item.item.stratum),
                      finalWord(item), item.final && item.final->adjudicated ? " (adjudicated)" : "");
    for (const store::LabelRow& row : item.labels)
        text += labelLine(row);
    if (!item.labels.empty())
        text += "\n";
    if (!item.finding.empty())
        text += "The audit's finding:\n\n" + quote(item.finding) + "\n";
    for (const QuotedGate& gate : item.gates)
        text += gate.gate + ":\n\n" + quote(gate.text) + "\n";
    return text + "Identity: `" + item.item.identity + "`\n\n";
}

std::string paragraphs(const std::vector<std::string>& texts)
{
    std::string out;
    for (const std::string& text : texts)
        out += text + "\n\n";
    return out;
}

std::string bullets(const std::vector<std::string>& texts)
{
    std::string out;
    for (const std::string& text : texts)
        out += "- " + text + "\n";
    return out + "\n";
}

std::string textTable(const TextTable& table)
{
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < table.heads.size(); ++i) {
        widths.push_back(table.heads[i].size());
        for (const auto& row : table.rows)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    const auto add = [&](const std::vector<std::string>& cells) {
        std::string line = " ";
        for (std::size_t i = 0; i < cells.size(); ++i)
            line += table.isNumber[i] ? fmt::format(" {:>{}}", cells[i], widths[i]) : fmt::format(" {:<{}}", cells[i], widths[i]);
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    };
    add(table.heads);
    for (const auto& row : table.rows)
        add(row);
    return text;
}

} // namespace

std::string toMarkdown(const SampleReport& report)
{
    const SampleEstimate& estimate = report.estimate;
    std::string text = fmt::format("# Manual audit: {}\n\n", markdownCell(estimate.plan.name));
    text += "## Result\n\n" + paragraphs(resultSentences(estimate));
    text += "## Method\n\n" + paragraphs(methodParagraphs(estimate));
    text += "## Strata\n\n" + markdownTable(stratumTable(estimate)) + "\n";
    if (!estimate.gates.empty())
        text += "## Precision of each gate\n\nOf the labelled kernels that fail the gate, weighted by stratum.\n\n"
            + markdownTable(gateTable(estimate)) + "\n";
    if (!estimate.pairs.empty()) {
        text += "## Agreement\n\n";
        for (const ReviewerPair& pair : estimate.pairs)
            text += sentence(pair) + ".\n\n";
    }
    if (const auto found = limits(estimate); !found.empty())
        text += "## Limits\n\n" + bullets(found);
    text += "## Kernels\n\n";
    for (const ReportItem& item : report.items)
        text += itemSection(item);
    return text;
}

std::string toText(const store::SamplePlan& plan)
{
    TextTable table{{"stratum", "frame", "allocated", "drawn"}, {false, true, true, true}, {}};
    for (const store::PlanStratum& stratum : plan.strata)
        table.rows.push_back({stratum.name, grouped(stratum.population), grouped(stratum.allocated), grouped(stratum.drawn)});
    table.rows.push_back({"all", grouped(plan.frame), grouped(plan.allocated()), grouped(plan.drawn())});
    const std::string how = plan.origin == store::PlanOrigin::Published
        ? fmt::format("published in {}", plan.source)
        : fmt::format("{}, seed {}, frame {}", sampling::name(plan.rule), plan.seed, plan.frameHash.substr(0, 12));
    return fmt::format("{}: {} of {} kernels ({})\n", plan.name.empty() ? "not stored" : plan.name, grouped(plan.allocated()),
                       grouped(plan.frame), how)
        + textTable(table);
}

std::string toText(const SampleEstimate& estimate)
{
    std::string text = estimate.plan.name + "\n";
    for (const std::string& line : resultSentences(estimate))
        text += line + "\n";
    text += "\nStrata\n" + textTable(stratumTable(estimate));
    if (!estimate.gates.empty())
        text += "\nGates\n" + textTable(gateTable(estimate));
    if (!estimate.pairs.empty())
        text += "\nAgreement\n";
    for (const ReviewerPair& pair : estimate.pairs)
        text += "  " + sentence(pair) + "\n";
    if (const auto found = limits(estimate); !found.empty())
        text += "\nLimits\n" + bullets(found);
    return text;
}

} // namespace assay::report
