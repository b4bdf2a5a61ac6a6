// SPDX-License-Identifier: Apache-2.0
#include "core/report/export_format.h"
#include "core/report/numbers_text.h"

#include <fmt/format.h>

#include <utility>

namespace assay::report {

namespace {

class MarkdownFormat final : public RowFormat {
public:
    explicit MarkdownFormat(AuditReport report)
        : m_report(std::move(report))
    {
    }

    std::string start(std::int64_t rows) const override
    {
        return toMarkdown(m_report)
            + fmt::format("\n## Kernels\n\n{} rows.\n\n| id | kernel | family | status | outcome | failed gates | finding |\n"
                          "|---|---|---|---|---|---|---|\n",
                          grouped(rows));
    }

    std::string row(const ExportRow& row) const override
    {
        const RowTexts texts = textsOf(row);
        std::string line = "|";
        for (const std::string& cell :
             {texts.id, texts.title, texts.family, texts.status, texts.outcome, texts.failedGates, texts.finding})
            line += " " + markdownCell(cell) + " |";
        return line + "\n";
    }

    std::string end() const override { return {}; }

private:
    AuditReport m_report;
};

} // namespace

std::unique_ptr<RowFormat> makeMarkdownFormat(AuditReport report)
{
    return std::make_unique<MarkdownFormat>(std::move(report));
}

} // namespace assay::report
