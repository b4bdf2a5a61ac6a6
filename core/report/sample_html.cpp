// SPDX-License-Identifier: Apache-2.0
#include "core/report/html_page.h"
#include "core/report/numbers_text.h"
#include "core/report/sample_figure.h"
#include "core/report/sample_words.h"
#include "core/text/base64.h"

#include <fmt/format.h>

namespace assay::report {

namespace {

std::string table(const TextTable& source)
{
    std::vector<html::Column> columns;
    for (std::size_t i = 0; i < source.heads.size(); ++i)
        columns.push_back({source.heads[i], source.isNumber[i]});
    html::Table out(columns);
    for (const auto& row : source.rows)
        out.row(row);
    return out.text();
}

std::string paragraphs(const std::vector<std::string>& texts)
{
    std::string out;
    for (const std::string& text : texts)
        out += "<p>" + htmlEscaped(text) + "</p>\n";
    return out;
}

std::string bullets(const std::vector<std::string>& texts)
{
    std::string out = "<ul>\n";
    for (const std::string& text : texts)
        out += "<li>" + htmlEscaped(text) + "</li>\n";
    return out + "</ul>\n";
}

/// As a picture and not as elements of the page: readers that lay HTML out on paper know <img> better than <svg>.
std::string figure(const SampleEstimate& estimate)
{
    const std::string svg = precisionFigure(estimate);
    if (svg.empty())
        return {};
    return fmt::format(
        "<p><img alt=\"Precision of every stratum with its interval\" src=\"data:image/svg+xml;base64,{}\"></p>\n"
        "<p><i>Figure 1. Precision by stratum (Clopper-Pearson) and over the frame (Wilson at the effective sample "
        "size); right of each line, confirmed / decided of the kernels in the stratum.</i></p>\n",
        toBase64(svg));
}

std::string labelItem(const store::LabelRow& row)
{
    std::string text = fmt::format("<li><b>{}</b>{}{} ({}, {}{})", store::title(*row.label),
                                   row.severity ? fmt::format(", {}", store::name(*row.severity)) : "",
                                   row.reason.empty() ? "" : ", <code>" + htmlEscaped(row.reason) + "</code>",
                                   htmlEscaped(row.reviewer), htmlEscaped(row.createdAt),
                                   row.kind == "adjudication" ? ", adjudication"
                                       : row.blinded          ? ", blind"
                                                              : "");
    if (!row.note.empty())
        text += ": " + htmlEscaped(row.note);
    for (const std::string& link : row.evidence)
        text += "<br>evidence: " + htmlEscaped(link);
    return text + "</li>\n";
}

std::string quote(std::string_view text)
{
    return "<blockquote><pre>" + htmlEscaped(text) + "</pre></blockquote>\n";
}

std::string itemSection(const ReportItem& item)
{
    std::string text = fmt::format("<h3>{}. {} {}</h3>\n<p>{}, stratum {}: <b>{}</b>{}</p>\n", item.item.position,
                                   htmlEscaped(item.item.externalId), htmlEscaped(item.item.title), htmlEscaped(item.item.family),
                                   htmlEscaped(item.item.stratum), finalWord(item),
                                   item.final && item.final->adjudicated ? " (adjudicated)" : "");
    if (!item.labels.empty()) {
        text += "<ul>\n";
        for (const store::LabelRow& row : item.labels)
            text += labelItem(row);
        text += "</ul>\n";
    }
    if (!item.finding.empty())
        text += "<p>The audit's finding:</p>\n<blockquote>" + htmlEscaped(item.finding) + "</blockquote>\n";
    for (const QuotedGate& gate : item.gates)
        text += "<p>" + htmlEscaped(gate.gate) + ":</p>\n" + quote(gate.text);
    return text + "<p><small>Identity <code>" + htmlEscaped(item.item.identity) + "</code></small></p>\n";
}

} // namespace

std::string toHtml(const SampleReport& report)
{
    const SampleEstimate& estimate = report.estimate;
    const std::string title = "Manual audit: " + estimate.plan.name;
    std::string text = html::pageStart(title) + "<h1>" + htmlEscaped(title) + "</h1>\n";
    text += html::section("Result", paragraphs(resultSentences(estimate)) + figure(estimate));
    text += html::section("Method", paragraphs(methodParagraphs(estimate)));
    text += html::section("Strata", table(stratumTable(estimate)));
    if (!estimate.gates.empty())
        text += html::section("Precision of each gate",
                              "<p>Of the labelled kernels that fail the gate, weighted by stratum.</p>\n"
                                  + table(gateTable(estimate)));
    if (!estimate.pairs.empty()) {
        std::vector<std::string> sentences;
        for (const ReviewerPair& pair : estimate.pairs)
            sentences.push_back(sentence(pair) + ".");
        text += html::section("Agreement", paragraphs(sentences));
    }
    if (const auto found = limits(estimate); !found.empty())
        text += html::section("Limits", bullets(found));
    std::string items;
    for (const ReportItem& item : report.items)
        items += itemSection(item);
    return text + html::section("Kernels", items) + html::pageEnd();
}

} // namespace assay::report
