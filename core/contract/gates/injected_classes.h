// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_run.h"
#include "core/contract/injection.h"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::contract::gates {

/// Judges answers to injected NaN and Inf, one check each: swallow and sign hard on sensitive outputs, NaN in another batch entry
/// soft, the rest notes. Source: gates.md section 4, EXC-01.
class InjectedClasses {
public:
    /// @param base  the stimulus without the injected numbers
    InjectedClasses(GateRun& run, ShapePtr shape, StimulusPtr base);

    /// @param code  of the check where nothing is wrong; @p exact, @p shipped: R64 and R32 on @p trial
    void judge(std::string_view code, const Injection& injection, const Trial& trial, const StimulusRecord& record,
               const CallRecord& exact, const CallRecord& shipped, const CallRecord& answer);

private:
    struct Question;
    bool failsHard(const Question& question);
    /// Those of @p flipped whose sign no rounding turns where a large finite number stands for the infinity: what an infinity
    /// times a number that is hardly there becomes is no evidence.
    std::vector<std::int64_t> firmSigns(const Question& question, std::size_t leaf, std::vector<std::int64_t> flipped);
    bool ignoresParameter(const Question& question, std::size_t leaf, std::int64_t position);
    bool failsDecision(const Question& question);
    bool failsAcrossEntries(const Question& question);
    bool entriesAreIndependent(int input, std::size_t leaf);

    GateRun& m_run;
    ShapePtr m_shape;
    StimulusPtr m_base;
    std::map<std::pair<int, std::size_t>, bool> m_isBatch; ///< (input leaf, output leaf)
};

} // namespace assay::contract::gates
