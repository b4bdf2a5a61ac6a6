// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/import_root.h"
#include "core/ingest/kernel_claim.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace assay::ingest {

struct Problem {
    std::string name;   ///< "19_ReLU"
    std::string source; ///< verbatim
};

/// The references of a KernelBench-like suite: files `level<L>/<id>_<Name>.py`.
class ProblemSet {
public:
    ProblemSet() = default;

    /// Every problem file in @p root below a folder called `level<L>...`, except those under a folder in @p skipped.
    static ProblemSet under(const ImportRoot& root, std::string_view folder);

    const Problem* find(ProblemKey key) const;
    /// By name without number and ending, in any level, where it is the only one of that name.
    const Problem* findByName(std::string_view name) const;
    /// The problem that a path of another machine means ("KernelBench/level1_low_score/19_ReLU.py").
    const Problem* findByPath(std::string_view path) const;

    bool empty() const { return m_byKey.empty(); }

private:
    std::map<ProblemKey, Problem> m_byKey;
    std::map<std::string, ProblemKey, std::less<>> m_byName; ///< problem 0 where several levels share the name
};

} // namespace assay::ingest
