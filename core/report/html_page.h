// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

/// The report without the page around it.
std::string htmlBody(const AuditReport& report);

} // namespace assay::report

/// Pieces of a page that stands alone: no script, no fetched style or font, light and dark by the reader's preference.
namespace assay::report::html {

struct Column {
    std::string title;
    bool isNumber = false; ///< right-aligned, digits of equal width
};

/// A table whose cells are escaped as they come in.
class Table {
public:
    explicit Table(std::vector<Column> columns);
    void row(const std::vector<std::string>& cells);
    std::string text() const;

    /// The pieces one by one, for tables that are written as they are read.
    std::string start() const;
    std::string rowText(const std::vector<std::string>& cells) const;
    static std::string end();

private:
    std::vector<Column> m_columns;
    std::string m_rows;
};

std::string pageStart(std::string_view title);
std::string pageEnd();
std::string section(std::string_view title, std::string_view content);

} // namespace assay::report::html
