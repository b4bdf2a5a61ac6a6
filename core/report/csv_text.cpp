// SPDX-License-Identifier: Apache-2.0
#include "core/report/csv_text.h"

namespace assay::report::csv {

std::string field(std::string_view text)
{
    const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos && text.find('\0') == std::string_view::npos;
    const bool edgeBlank = !text.empty() && (text.front() == ' ' || text.back() == ' ');
    if (plain && !edgeBlank)
        return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"')
            quoted += '"';
    }
    return quoted + '"';
}

std::string line(const std::vector<std::string>& fields)
{
    std::string text;
    for (std::size_t i = 0; i < fields.size(); ++i)
        text += (i == 0 ? "" : ",") + field(fields[i]);
    return text.append("\r\n");
}

} // namespace assay::report::csv
