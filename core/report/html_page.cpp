// SPDX-License-Identifier: Apache-2.0
#include "core/report/html_page.h"

#include "core/report/numbers_text.h"

#include <fmt/format.h>

#include <utility>

namespace assay::report::html {

namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --rule: #d4d9df; --soft: #5a6572; --head: #f2f4f7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --paper: #15191e; --rule: #333b45; --soft: #9aa5b1; --head: #1e242b; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto; max-width: 78rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; } th, td { border-bottom: 1px solid var(--rule); padding: .25rem .75rem; text-align: left; vertical-align: top; }
th { background: var(--head); color: var(--soft); font-weight: 600; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font-size: .85em; } .banner { border: 1px solid var(--rule); padding: .5rem .75rem; }
)css";

} // namespace

Table::Table(std::vector<Column> columns)
    : m_columns(std::move(columns))
{
}

void Table::row(const std::vector<std::string>& cells)
{
    m_rows += rowText(cells);
}

std::string Table::text() const
{
    return start() + m_rows + end();
}

std::string Table::start() const
{
    std::string text = "<div class=\"scroll\"><table><thead><tr>";
    for (const Column& column : m_columns)
        text += fmt::format("<th{}>{}</th>", column.isNumber ? " class=\"n\"" : "", htmlEscaped(column.title));
    return text + "</tr></thead><tbody>\n";
}

std::string Table::rowText(const std::vector<std::string>& cells) const
{
    std::string text = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i)
        text += fmt::format("<td{}>{}</td>", i < m_columns.size() && m_columns[i].isNumber ? " class=\"n\"" : "",
                            htmlEscaped(cells[i]));
    return text + "</tr>\n";
}

std::string Table::end()
{
    return "</tbody></table></div>\n";
}

std::string pageStart(std::string_view title)
{
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                       "content=\"width=device-width\">\n<title>{}</title>\n<style>{}</style></head>\n<body>\n",
                       htmlEscaped(title), kStyle);
}

std::string pageEnd()
{
    return "</body></html>\n";
}

std::string section(std::string_view title, std::string_view content)
{
    return fmt::format("<h2>{}</h2>\n{}", htmlEscaped(title), content);
}

} // namespace assay::report::html
