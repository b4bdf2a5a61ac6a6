// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/ptx_module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assay::device {

/// A condition that has the same truth each time it is asked in one thread: built from the thread's index, parameters and
/// constants alone. Two predicate registers with the same text agree, or differ where `negated` differs.
struct StableCondition {
    std::string text; ///< "setp.lt.u32(%tid.x,32)"
    bool negated = false;
};

/// What the registers of a function hold, as far as the text tells.
class PtxValues {
public:
    explicit PtxValues(const PtxFunction& function);

    /// A number for the register (or any other name) that @p name means in the block @p scope; equal numbers are equal
    /// registers.
    int id(std::string_view name, int scope) const;

    /// The value of @p operand where it is an immediate, or a register that is written once, unguarded, with one.
    std::optional<std::int64_t> constant(std::string_view operand, int scope) const;

    /// The condition that the predicate register @p name holds, or nothing where it may change.
    std::optional<StableCondition> condition(std::string_view name, int scope) const;

    /// Numbers of the registers that @p statement writes, and of those that it reads (addresses and its guard included).
    std::vector<int> writes(const PtxStatement& statement) const;
    std::vector<int> reads(const PtxStatement& statement) const;

private:
    std::vector<int> idsIn(std::string_view text, int scope) const;
    const PtxStatement* onlyDefinition(std::string_view name, int scope) const;
    std::optional<std::string> expression(std::string_view operand, int scope, int depth) const;
    std::optional<StableCondition> comparison(const PtxStatement& definition, int depth) const;

    const PtxFunction& m_function;
    std::unordered_map<std::string_view, std::vector<int>> m_declaredIn; ///< name, or prefix of %r<9>, to scopes
    mutable std::map<std::pair<int, std::string_view>, int> m_ids;
    std::unordered_map<int, std::vector<const PtxStatement*>> m_definitions;
    mutable std::unordered_map<int, std::optional<std::string>> m_expressions; ///< asked before, by register
};

/// Names in @p text, in order: registers, labels, variables; suffixes after a dot and numbers left out.
std::vector<std::string_view> namesIn(std::string_view text);

} // namespace assay::device
