// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/ptx_values.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace assay::device {

/// One stable condition of a function taken as true or false; without `condition` nothing is assumed.
struct Assumption {
    std::optional<int> condition;
    bool value = false;
};

/// What must hold for an edge to be taken or a guarded statement to run; without `condition` nothing that is known.
struct Requirement {
    std::optional<int> condition;
    bool value = false;

    bool allows(const Assumption& assumption) const
    {
        return !condition || condition != assumption.condition || value == assumption.value;
    }
};

struct FlowEdge {
    int to = 0;
    Requirement requirement;
};

/// Statements [first, end) that run one after another.
struct FlowBlock {
    int first = 0;
    int end = 0;
    std::vector<FlowEdge> successors;
};

/// The control flow of a function: block 0 is where it begins. Statement numbers count PtxFunction::body.
class PtxFlow {
public:
    /// @throws PtxError  where there are more jumps than any compiler makes
    PtxFlow(const PtxFunction& function, const PtxValues& values);

    const std::vector<FlowBlock>& blocks() const { return m_blocks; }

    /// Conditions that guard more than one branch or statement: those whose truth joins distant parts of the code.
    std::vector<Assumption> assumptions() const;

    /// When the statement runs, as far as its guard tells.
    Requirement requirementOf(int statement) const;

private:
    Requirement guardOf(const PtxStatement& statement, const PtxValues& values);
    void splitIntoBlocks();
    void connect();
    std::optional<int> blockOfLabel(std::string_view label, int scope) const;
    std::vector<int> branchTargets(const PtxStatement& branch) const;

    const PtxFunction& m_function;
    std::vector<FlowBlock> m_blocks;
    std::unordered_map<std::string, int> m_conditions;
    std::vector<int> m_uses; ///< of each condition
    std::unordered_map<int, Requirement> m_requirements;
    std::map<std::pair<int, std::string_view>, int> m_labels; ///< (scope, name) to block
    std::vector<int> m_tableTargets;                          ///< blocks that indexed branches may reach
};

} // namespace assay::device
