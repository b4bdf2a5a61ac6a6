// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/json.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Kernels inside conversations.
namespace assay::ingest {

/// The code that a model's answer offers: what a <triton> element holds, else the fenced python block that starts with "#
/// Kernel", else the last fenced block. Blanks around it are cut off, as the harnesses that ran these kernels do.
std::optional<std::string> codeInMessage(std::string_view message);

/// One answer of a conversation.
struct Turn {
    int number = 0; ///< 1-based
    std::string code;
    std::optional<bool> correct;
    std::optional<double> speedup;
};

/// Which turn is the candidate.
struct TurnChoice {
    enum class Kind { Best, Last, Number } kind = Kind::Last;
    int number = 0;

    /// "best", "last" or a number from 1 on. @throws Error for anything else
    static TurnChoice parse(std::string_view text);
};

/// The code of every assistant message in a list of {role, content}; messages without code keep their number.
std::vector<Turn> turnsOfMessages(const json::Value& messages);

/// The chosen turn. Best: @p bestNumber where the corpus names it, else the correct turn with the largest speed-up, else the last
/// one with code. Nothing where that turn offered no code.
const Turn* chooseTurn(const std::vector<Turn>& turns, const TurnChoice& choice, int bestNumber = 0);

} // namespace assay::ingest
