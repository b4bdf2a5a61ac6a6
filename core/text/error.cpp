// SPDX-License-Identifier: Apache-2.0
#include "core/text/error.h"

#include <utility>

namespace assay {

namespace {

std::string oneLine(const std::string& what, const std::string& where, const std::string& remedy)
{
    std::string line = what;
    if (!where.empty())
        line += ": " + where;
    if (!remedy.empty())
        line += ". " + remedy;
    return line;
}

} // namespace

Error::Error(std::string what, std::string where, std::string remedy)
    : std::runtime_error(oneLine(what, where, remedy))
    , m_problem(std::move(what))
    , m_where(std::move(where))
    , m_remedy(std::move(remedy))
{
}

Cancelled::Cancelled()
    : std::runtime_error("cancelled")
{
}

} // namespace assay
