// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"
#include "core/store/kernel_details.h"
#include "views/evidence/line_diff.h"
#include "views/evidence/source_hints.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace assay::views {

/// One source ready for an editor.
struct SourceText {
    bool present = false;
    QString text;
    QString language; ///< "python", "cpp" or "" (plain: too large to colour)
    QString remark;   ///< what is not shown as it is: bad UTF-8, cut lines, no colours
    std::string sha256;
    std::int64_t bytes = 0;
    int lines = 0;
};

/// Both sources of a kernel, what differs between them, and hints on the candidate.
struct SourceBundle {
    std::int64_t kernelId = 0;
    SourceText candidate;
    SourceText reference;
    std::vector<SourceHint> hints;
    LineDiff diff;  ///< reference (left) to candidate (right); empty unless both are there
    QString merged; ///< the text of the diff, one line each
    QString mergedLanguage;
};

using SourceBundlePtr = std::shared_ptr<const SourceBundle>;

inline constexpr std::int64_t kLargestColoured = 512 * 1024; ///< bytes; lexing more would be felt while scrolling
inline constexpr int kLongestLine = 20000;                   ///< characters; longer lines are cut on screen

/// Makes @p bytes fit for an editor. @p language as the corpus says ("triton", "cuda", ...)
SourceText sourceText(const std::string& bytes, const std::string& language, const std::string& sha256);

/// Reads and compares the sources of @p details. Runs on a reader thread. @throws DatabaseError, Cancelled
SourceBundlePtr loadSources(store::Database& database, const store::KernelDetails& details, std::stop_token stop);

} // namespace assay::views
