// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>

namespace assay::cli {

namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr std::string_view kEraseLine = "\r\033[K";

} // namespace

Progress::Style Progress::styleFor(bool asked)
{
    if (::isatty(STDERR_FILENO) == 1)
        return Style::InPlace;
    return asked ? Style::Lines : Style::Silent;
}

void Progress::show(std::string_view text)
{
    if (m_style == Style::Silent)
        return;
    if (m_style == Style::InPlace)
        fmt::print(stderr, "{}{}", kEraseLine, text);
    else
        fmt::print(stderr, "{}\n", text);
    std::fflush(stderr);
    m_shown = true;
}

void Progress::clear()
{
    if (m_style == Style::InPlace && m_shown)
        fmt::print(stderr, "{}", kEraseLine);
    m_shown = false;
}

void Progress::showBytes(std::string_view what, std::int64_t done, std::int64_t total, std::int64_t rows)
{
    const double mebibytes = static_cast<double>(done) / kMebibyte;
    if (total > 0)
        show(fmt::format("{}: {:.0f} % ({:.1f} MiB, {} rows)", what,
                         100.0 * static_cast<double>(done) / static_cast<double>(total), mebibytes, rows));
    else
        show(fmt::format("{}: {:.1f} MiB, {} rows", what, mebibytes, rows));
}

void Progress::showRows(std::string_view what, std::int64_t done, std::int64_t total)
{
    show(fmt::format("{}: {} of {} rows", what, done, total));
}

} // namespace assay::cli
