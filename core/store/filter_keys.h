// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/contract/gate_strip.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The words of the filter language, shared by its parser, its completion and its translation to SQL.
namespace assay::store {

enum class FilterKeyKind {
    Open,     ///< any text, compared exactly: family, language, status, reason
    Closed,   ///< one of a fixed set: outcome, claim, baseline
    Identity, ///< the kernel's external id
    Gate,     ///< gates that fail: any of them
    FailSet,  ///< gates that fail: exactly these
    Flag,     ///< is:accepted ...
    Number,   ///< a column without a class beside it: speedup, elapsed, hard ...
    Measured, ///< a column with a class beside it: error, relative
    Rule,     ///< rule set and outcome
    Cell,     ///< a gate's own cell in the strip: EXC-01:fail
};

struct FilterKey {
    std::string_view name;
    FilterKeyKind kind = FilterKeyKind::Open;
    std::string_view column;                  ///< of table triage, "" where the kind says more
    std::span<const std::string_view> values; ///< closed set, empty where any text goes
};

/// Every key but the gates' own ("EXC-01"), in the order in which completion offers them.
std::span<const FilterKey> filterKeys();

/// The key spelled @p text in any case; nothing for unknown words and for gates.
const FilterKey* findFilterKey(std::string_view text);

/// What the value of a gate's own key may be ("fail", "pass", "hard" ...).
std::span<const std::string_view> cellWords();
/// The strip cells that @p word stands for; empty when it is not a cell word.
std::vector<contract::StripCell> cellsOf(std::string_view word);

/// The outcomes (names of strip cells, "not_judged") that @p word stands for; empty when it is not an outcome.
std::vector<std::string_view> outcomesOf(std::string_view word);

/// Column of table triage behind a word of `is:`; "" when it is not one.
std::string_view flagColumn(std::string_view word);

/// Column of table rule_outcome behind the word after the slash of `rule:`; "" when it is not one.
std::string_view ruleColumn(std::string_view word);

/// Words that stand for a class of measured numbers: "nan", "inf", "+inf", "-inf", "finite", "none".
std::span<const std::string_view> measuredWords();

/// @p text with A-Z made a-z.
std::string lowerCase(std::string_view text);

/// The word of @p known that is at most two edits (or a third of its length) away from @p text, or "".
std::string nearestWord(std::string_view text, std::span<const std::string_view> known);

} // namespace assay::store
