// SPDX-License-Identifier: Apache-2.0
#include "core/report/export_format.h"
#include "core/report/html_page.h"
#include "core/report/numbers_text.h"

#include <utility>

namespace assay::report {

namespace {

class HtmlFormat final : public RowFormat {
public:
    explicit HtmlFormat(AuditReport report)
        : m_report(std::move(report))
        , m_table({{"id", true},
                   {"kernel", false},
                   {"family", false},
                   {"status", false},
                   {"outcome", false},
                   {"failed gates", false},
                   {"finding", false}})
    {
    }

    std::string start(std::int64_t rows) const override
    {
        const std::string title = m_report.corpus + (m_report.audit.empty() ? "" : " / " + m_report.audit);
        return html::pageStart(title) + htmlBody(m_report) + html::section("Kernels", "<p>" + grouped(rows) + " rows.</p>\n")
            + m_table.start();
    }

    std::string row(const ExportRow& row) const override
    {
        const RowTexts texts = textsOf(row);
        return m_table.rowText(
            {texts.id, texts.title, texts.family, texts.status, texts.outcome, texts.failedGates, texts.finding});
    }

    std::string end() const override { return html::Table::end() + html::pageEnd(); }

private:
    AuditReport m_report;
    html::Table m_table;
};

} // namespace

std::unique_ptr<RowFormat> makeHtmlFormat(AuditReport report)
{
    return std::make_unique<HtmlFormat>(std::move(report));
}

} // namespace assay::report
