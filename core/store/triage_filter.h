// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace assay::store {

/// One term of the filter line.
///
/// Grammar (terms are joined by AND; a leading '-' negates; commas join values by OR; quotes keep spaces):
///   family:scan,norm   language:triton   outcome:fail_hard   status:gated   claim:accepted   baseline:pass   reason:nan_mask
///   id:179             gate:EXC-01 (fails that gate)         EXC-01:fail | pass | hard | soft | error | inapplicable | crash | not_exercised ...
///   fails:EXC-01,CMP-01 (exactly that set)                   is:accepted | audited | tolerance_free | violation | noted | waived | bookmarked | sourced
///   error>1e3  relative>=1e-4  speedup<1  elapsed>10  hard>0  soft=2  exercised<5   error:nan  error:inf
///   rule:nan-equal/tolerance_free (rows behind a re-scored number: audited, tolerance_free, violation, forgiven)
///   word "two words"   full text over titles, sources, findings and notes
struct FilterTerm {
    std::string key;  ///< "" for full text
    std::string op;   ///< ":", "=", "<", "<=", ">", ">="
    std::vector<std::string> values;
    bool negated = false;
    bool operator==(const FilterTerm&) const = default;
};

struct TriageFilter {
    std::vector<FilterTerm> terms;
    bool operator==(const TriageFilter&) const = default;
    bool isEmpty() const { return terms.empty(); }
};

/// Where a filter line stops making sense.
class FilterError : public Error {
public:
    FilterError(std::string problem, std::size_t position, std::string remedy);
    std::size_t position() const { return m_position; } ///< byte offset in the line

private:
    std::size_t m_position;
};

/// @throws FilterError with the position and the closest known key
TriageFilter parseFilter(std::string_view line);

/// The line that parses back to @p filter.
std::string toText(const TriageFilter& filter);

/// What completion offers after the text in front of the cursor: keys, or values of a closed set.
std::vector<std::string> filterCompletions(std::string_view textBeforeCursor);

} // namespace assay::store
