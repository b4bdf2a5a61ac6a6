// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::cli {

/// One line on standard error that says how far the work is: rewritten in place on a terminal, line by line where it was asked
/// for and standard error is no terminal, silent otherwise.
class Progress {
public:
    enum class Style { Silent, InPlace, Lines };

    explicit Progress(Style style = Style::Silent)
        : m_style(style)
    {
    }

    /// InPlace on a terminal, Lines where @p asked for elsewhere, else Silent.
    static Style styleFor(bool asked);

    void show(std::string_view text);
    /// Takes the line away, so that what follows stands alone.
    void clear();

    /// Reports an import or export: bytes and rows of unknown or known totals.
    void showBytes(std::string_view what, std::int64_t done, std::int64_t total, std::int64_t rows);
    void showRows(std::string_view what, std::int64_t done, std::int64_t total);

private:
    Style m_style;
    bool m_shown = false;
};

} // namespace assay::cli
