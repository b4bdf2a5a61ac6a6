// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/ptx_flow.h"

#include <fmt/format.h>

namespace assay::device {
namespace {

constexpr std::size_t kMostConditions = 64; // assumed one after another; each costs a pass over the function
constexpr std::size_t kMostEdges = 4'000'000;

bool isBranch(std::string_view opcode)
{
    return isInstruction(opcode, "bra") || isInstruction(opcode, "brx");
}

bool endsThread(std::string_view opcode)
{
    return isInstruction(opcode, "ret") || opcode == "exit" || opcode == "trap";
}

} // namespace

PtxFlow::PtxFlow(const PtxFunction& function, const PtxValues& values)
    : m_function(function)
{
    for (std::size_t i = 0; i < function.body.size(); ++i)
        if (const Requirement requirement = guardOf(function.body[i], values); requirement.condition)
            m_requirements.emplace(static_cast<int>(i), requirement);
    splitIntoBlocks();
    connect();
}

Requirement PtxFlow::guardOf(const PtxStatement& statement, const PtxValues& values)
{
    if (statement.guard.empty())
        return {};
    const auto condition = values.condition(statement.guard, statement.scope);
    if (!condition)
        return {};
    const auto [entry, isNew] = m_conditions.try_emplace(condition->text, static_cast<int>(m_conditions.size()));
    if (isNew)
        m_uses.push_back(0);
    ++m_uses[static_cast<std::size_t>(entry->second)];
    return {entry->second, statement.guardNegated == condition->negated};
}

std::vector<Assumption> PtxFlow::assumptions() const
{
    std::vector<Assumption> assumptions;
    for (std::size_t i = 0; i < m_uses.size() && assumptions.size() < 2 * kMostConditions; ++i) {
        if (m_uses[i] < 2)
            continue;
        assumptions.push_back({static_cast<int>(i), false});
        assumptions.push_back({static_cast<int>(i), true});
    }
    return assumptions;
}

Requirement PtxFlow::requirementOf(int statement) const
{
    const auto found = m_requirements.find(statement);
    return found == m_requirements.end() ? Requirement() : found->second;
}

void PtxFlow::splitIntoBlocks()
{
    const auto& body = m_function.body;
    m_blocks.push_back({});
    for (std::size_t i = 0; i < body.size(); ++i) {
        const int at = static_cast<int>(i);
        if (!body[i].label.empty()) {
            if (m_blocks.back().first != at) {
                m_blocks.back().end = at;
                m_blocks.push_back({at, at, {}});
            }
            m_labels[{body[i].scope, body[i].label}] = static_cast<int>(m_blocks.size()) - 1;
        } else if (isBranch(body[i].opcode) || endsThread(body[i].opcode)) {
            m_blocks.back().end = at + 1;
            m_blocks.push_back({at + 1, at + 1, {}});
        }
    }
    m_blocks.back().end = static_cast<int>(body.size());
}

std::optional<int> PtxFlow::blockOfLabel(std::string_view label, int scope) const
{
    for (;; scope = m_function.scopeParents[static_cast<std::size_t>(scope)]) {
        if (const auto found = m_labels.find({scope, label}); found != m_labels.end())
            return found->second;
        if (scope == 0)
            return std::nullopt;
    }
}

std::vector<int> PtxFlow::branchTargets(const PtxStatement& branch) const
{
    std::vector<int> targets;
    if (isInstruction(branch.opcode, "bra")) {
        if (!branch.operands.empty())
            if (const auto block = blockOfLabel(branch.operands.front(), branch.scope))
                targets.push_back(*block);
        return targets;
    }
    return m_tableTargets; // an indexed branch may go wherever a table of this function says
}

void PtxFlow::connect()
{
    for (const PtxStatement& statement : m_function.body)
        if (statement.opcode == ".branchtargets")
            for (const std::string_view label : namesIn(statement.operands.front()))
                if (const auto block = blockOfLabel(label, statement.scope))
                    m_tableTargets.push_back(*block);
    std::size_t edges = 0;
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        FlowBlock& block = m_blocks[i];
        const bool isLast = i + 1 == m_blocks.size();
        const PtxStatement* last = block.end > block.first ? &m_function.body[static_cast<std::size_t>(block.end - 1)] : nullptr;
        const bool branches = last != nullptr && isBranch(last->opcode);
        const bool ends = last != nullptr && endsThread(last->opcode);
        const Requirement taken = requirementOf(block.end - 1);
        if (branches)
            for (const int target : branchTargets(*last))
                block.successors.push_back({target, taken});
        const bool fallsThrough = !(branches || ends) || !last->guard.empty();
        if (fallsThrough && !isLast) {
            Requirement requirement;
            if (branches || ends)
                requirement = {taken.condition, !taken.value};
            block.successors.push_back({static_cast<int>(i) + 1, requirement});
        }
        edges += block.successors.size();
        if (edges > kMostEdges)
            throw PtxError(fmt::format("PTX line {}: more than {} jumps in {}", m_function.line, kMostEdges, m_function.name));
    }
}

} // namespace assay::device
