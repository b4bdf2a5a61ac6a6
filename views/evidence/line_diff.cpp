// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/line_diff.h"

#include "core/text/error.h"

#include <algorithm>

namespace assay::views {

namespace {

using Lines = std::vector<std::string_view>;

/// The differing middle of two texts.
struct Middle {
    const Lines& left;
    const Lines& right;
    int leftFrom = 0, leftTo = 0;
    int rightFrom = 0, rightTo = 0;

    int leftSize() const { return leftTo - leftFrom; }
    int rightSize() const { return rightTo - rightFrom; }
    bool same(int x, int y) const { return left[std::size_t(leftFrom + x)] == right[std::size_t(rightFrom + y)]; }
};

/// Furthest-reaching x per diagonal, for every number of differences d: trace[d][k + d] for diagonals k = -d..d.
using Trace = std::vector<std::vector<int>>;

int furthestStart(const std::vector<int>& before, int d, int k)
{
    // `before` holds diagonals -(d-1)..(d-1); the step comes from above (insertion) or from the left (deletion).
    const auto at = [&](int diagonal) {
        const int index = diagonal + d - 1;
        return index >= 0 && index < int(before.size()) ? before[std::size_t(index)] : -1;
    };
    const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
    return down ? at(k + 1) : at(k - 1) + 1;
}

/// @return the trace up to the end, or an empty one when more than @p effort differences are needed
Trace search(const Middle& middle, const std::stop_token& stop, int effort)
{
    const int n = middle.leftSize();
    const int m = middle.rightSize();
    Trace trace;
    for (int d = 0; d <= std::min(n + m, effort); ++d) {
        if (stop.stop_requested())
            throw Cancelled();
        std::vector<int> reach(std::size_t(2 * d + 1), -1);
        for (int k = -d; k <= d; k += 2) {
            int x = d == 0 ? 0 : furthestStart(trace.back(), d, k);
            int y = x - k;
            while (x < n && y < m && middle.same(x, y)) {
                ++x;
                ++y;
            }
            reach[std::size_t(k + d)] = x;
            if (x >= n && y >= m) {
                trace.push_back(std::move(reach));
                return trace;
            }
        }
        trace.push_back(std::move(reach));
    }
    return {};
}

/// Walks the trace back from the end; the lines come out in reverse order.
std::vector<DiffLine> walkBack(const Middle& middle, const Trace& trace)
{
    std::vector<DiffLine> lines;
    int x = middle.leftSize();
    int y = middle.rightSize();
    for (int d = int(trace.size()) - 1; d >= 0; --d) {
        const int k = x - y;
        const int start = d == 0 ? 0 : furthestStart(trace[std::size_t(d - 1)], d, k);
        while (x > start) {
            lines.push_back({DiffKind::Same, middle.leftFrom + x - 1, middle.rightFrom + y - 1});
            --x;
            --y;
        }
        if (d == 0)
            break;
        const auto& before = trace[std::size_t(d - 1)];
        const auto at = [&](int diagonal) {
            const int index = diagonal + d - 1;
            return index >= 0 && index < int(before.size()) ? before[std::size_t(index)] : -1;
        };
        const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
        if (down)
            lines.push_back({DiffKind::Added, -1, middle.rightFrom + --y});
        else
            lines.push_back({DiffKind::Removed, middle.leftFrom + --x, -1});
    }
    std::reverse(lines.begin(), lines.end());
    return lines;
}

void appendBlocks(LineDiff& diff, const Middle& middle)
{
    for (int i = middle.leftFrom; i < middle.leftTo; ++i)
        diff.lines.push_back({DiffKind::Removed, i, -1});
    for (int i = middle.rightFrom; i < middle.rightTo; ++i)
        diff.lines.push_back({DiffKind::Added, -1, i});
}

} // namespace

std::vector<std::string_view> splitLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        lines.push_back(line);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}

LineDiff diffLines(std::string_view left, std::string_view right, std::stop_token stop, int effort)
{
    const Lines a = splitLines(left);
    const Lines b = splitLines(right);
    Middle middle{a, b, 0, int(a.size()), 0, int(b.size())};
    LineDiff diff;
    while (middle.leftFrom < middle.leftTo && middle.rightFrom < middle.rightTo
           && a[std::size_t(middle.leftFrom)] == b[std::size_t(middle.rightFrom)])
        diff.lines.push_back({DiffKind::Same, middle.leftFrom++, middle.rightFrom++});
    while (middle.leftTo > middle.leftFrom && middle.rightTo > middle.rightFrom
           && a[std::size_t(middle.leftTo - 1)] == b[std::size_t(middle.rightTo - 1)]) {
        --middle.leftTo;
        --middle.rightTo;
    }
    if (middle.leftSize() > 0 && middle.rightSize() > 0) {
        const Trace trace = search(middle, stop, effort);
        diff.coarse = trace.empty();
        if (diff.coarse) {
            appendBlocks(diff, middle);
        } else {
            const std::vector<DiffLine> found = walkBack(middle, trace);
            diff.lines.insert(diff.lines.end(), found.begin(), found.end());
        }
    } else {
        appendBlocks(diff, middle);
    }
    for (int i = middle.leftTo, j = middle.rightTo; i < int(a.size()); ++i, ++j)
        diff.lines.push_back({DiffKind::Same, i, j});
    diff.added
        = int(std::count_if(diff.lines.begin(), diff.lines.end(), [](const DiffLine& l) { return l.kind == DiffKind::Added; }));
    diff.removed
        = int(std::count_if(diff.lines.begin(), diff.lines.end(), [](const DiffLine& l) { return l.kind == DiffKind::Removed; }));
    return diff;
}

std::string mergedText(const LineDiff& diff, std::string_view left, std::string_view right)
{
    const Lines a = splitLines(left);
    const Lines b = splitLines(right);
    std::string text;
    text.reserve(left.size() + right.size() / 2);
    for (const DiffLine& line : diff.lines) {
        text += line.left >= 0 ? a[std::size_t(line.left)] : b[std::size_t(line.right)];
        text += '\n';
    }
    return text;
}

} // namespace assay::views
