// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace assay::views {

enum class DiffKind { Same, Removed, Added };

/// One line of a merged text: of the left text, the right one, or both.
struct DiffLine {
    DiffKind kind = DiffKind::Same;
    int left = -1;  ///< 0-based line in the left text, -1 where it is not there
    int right = -1; ///< 0-based line in the right text
    bool operator==(const DiffLine&) const = default;
};

struct LineDiff {
    std::vector<DiffLine> lines;
    int added = 0;
    int removed = 0;
    bool coarse = false; ///< the texts differ too much to be worth matching; what differs is shown as one block
};

/// Lines without their line breaks; CRLF counts as LF. An empty text has no line.
std::vector<std::string_view> splitLines(std::string_view text);

/// The shortest edit script between two texts, line by line (Myers 1986, greedy forward search).
///
/// Common lines at both ends are matched first. Where more than @p effort differences remain the middle becomes one block of
/// removals and one of additions (`coarse`), so that time and memory stay within effort^2 small steps.
/// @throws Cancelled
LineDiff diffLines(std::string_view left, std::string_view right, std::stop_token stop = {}, int effort = 3000);

/// The merged text, one line each, in the order of the diff.
std::string mergedText(const LineDiff& diff, std::string_view left, std::string_view right);

} // namespace assay::views
