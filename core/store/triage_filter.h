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
///   id:179             gate:EXC-01 (fails that gate)         EXC-01:fail | pass | hard | soft | error | inapplicable | crash |
///   not_exercised ... fails:EXC-01,CMP-01 (exactly that set)                   is:accepted | audited | tolerance_free |
///   violation | noted | waived | bookmarked | sourced
///                      (no gate at all: fails:none)
///   error>1e3  relative>=1e-4  speedup<1  elapsed>10  hard>0  soft=2  exercised<5   error:nan  error:inf  error:none (not
///   measured)
///                      infinity is larger than every number, NaN is neither larger nor smaller; the sign of an error does not
///                      count
///   rule:nan-equal/tolerance_free (rows behind a re-scored number: audited, tolerance_free, violation, forgiven)
///   word "two words"   full text over titles, sources, findings and notes; the last word of the line may go on (soft finds
///   softmax) Keys and fixed values are read in any case. A quote inside quotes is doubled: "say ""hi""". "" is the empty value
///   (reason:""). outcome:fail stands for fail_hard, fail_soft, crash and timeout; so does EXC-01:fail.
struct FilterTerm {
    std::string key; ///< "" for full text, else as the grammar spells it ("family", "EXC-01")
    std::string op;  ///< ":", "=", "<", "<=", ">", ">="; numbers are compared with "=", everything else with ":"
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

/// What completion offers for the piece in front of the cursor (behind the last space, operator or comma): keys with their
/// operator ("family:", "error>"), or values of a closed set. Open sets (family, status ...) are the facets' to complete.
std::vector<std::string> filterCompletions(std::string_view textBeforeCursor);

} // namespace assay::store
