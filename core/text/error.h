// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace assay {

/// A failure that ends an operation: what happened, where (path, line, byte, SQL code) and what the user can do about it.
/// what() is the whole line a person reads: "what: where. Remedy".
class Error : public std::runtime_error {
public:
    Error(std::string what, std::string where, std::string remedy);

    const std::string& problem() const { return m_problem; }
    const std::string& where() const { return m_where; }
    const std::string& remedy() const { return m_remedy; }

private:
    std::string m_problem;
    std::string m_where;
    std::string m_remedy;
};

/// The operation stopped because its std::stop_token asked for it; nothing of its transaction was kept.
class Cancelled : public std::runtime_error {
public:
    Cancelled();
};

} // namespace assay
