// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/ptx_values.h"

#include "kernels/device/text_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace assay::device {
namespace {

constexpr int kDepth = 12;            // of expressions that are followed
constexpr std::size_t kLongest = 400; // text of a condition

bool isNameCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Instructions whose first operand is not written, or is an address.
bool writesNothing(std::string_view opcode)
{
    constexpr std::array<std::string_view, 26> kFamilies{"st",
                                                         "red",
                                                         "bar",
                                                         "barrier",
                                                         "membar",
                                                         "fence",
                                                         "bra",
                                                         "brx",
                                                         "ret",
                                                         "exit",
                                                         "trap",
                                                         "cp",
                                                         "prefetch",
                                                         "prefetchu",
                                                         "discard",
                                                         "griddepcontrol",
                                                         "setmaxnreg",
                                                         "nanosleep",
                                                         "call",
                                                         "stmatrix",
                                                         "multimem.red",
                                                         "multimem.st",
                                                         "wgmma",
                                                         "tensormap",
                                                         "clusterlaunchcontrol",
                                                         "applypriority"};
    if (opcode.starts_with("tcgen05"))
        return !isInstruction(opcode, "tcgen05.ld");
    return std::ranges::any_of(kFamilies, [opcode](std::string_view family) { return isInstruction(opcode, family); });
}

/// Pure functions of their operands: what conditions may be built from.
bool isPure(std::string_view opcode)
{
    constexpr std::array<std::string_view, 17> kFamilies{"mov", "cvt", "shr", "shl", "and", "or",  "xor",  "not", "add",
                                                         "sub", "mul", "mad", "bfe", "rem", "div", "selp", "shfl"};
    return isInstruction(opcode, "ld.param")
        || std::ranges::any_of(kFamilies, [opcode](std::string_view family) { return isInstruction(opcode, family); });
}

/// Special registers that do not change while a thread runs.
bool isStableSpecial(std::string_view name)
{
    constexpr std::array<std::string_view, 9> kNames{"%tid",    "%ntid",          "%ctaid",           "%nctaid",        "%laneid",
                                                     "%warpid", "%cluster_ctaid", "%cluster_ctarank", "%cluster_nctaid"};
    return std::ranges::any_of(kNames, [name](std::string_view special) { return isInstruction(name, special); });
}

} // namespace

std::vector<std::string_view> namesIn(std::string_view text)
{
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < text.size();) {
        if (!isNameCharacter(text[i])) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        while (i < text.size() && isNameCharacter(text[i]))
            ++i;
        const bool isSuffix = begin > 0 && text[begin - 1] == '.';
        if (!isDigit(text[begin]) && !isSuffix)
            names.push_back(text.substr(begin, i - begin));
    }
    return names;
}

PtxValues::PtxValues(const PtxFunction& function)
    : m_function(function)
{
    for (const PtxStatement& statement : function.body) {
        if (statement.opcode != ".reg" || statement.scope == 0)
            continue; // whatever no inner block declares belongs to the body
        const auto names = namesIn(statement.operands.front());
        for (const std::string_view name : names)
            m_declaredIn[name].push_back(statement.scope);
    }
    for (auto& [name, scopes] : m_declaredIn)
        std::ranges::sort(scopes);
    for (const PtxStatement& statement : function.body)
        for (const int written : writes(statement))
            m_definitions[written].push_back(&statement);
}

int PtxValues::id(std::string_view name, int scope) const
{
    std::string_view prefix = name; // %r17 may have been declared as %r<18>
    while (!prefix.empty() && isDigit(prefix.back()))
        prefix.remove_suffix(1);
    for (; scope != 0; scope = m_function.scopeParents[static_cast<std::size_t>(scope)]) {
        const auto declares = [this, scope](std::string_view key) {
            const auto found = m_declaredIn.find(key);
            return found != m_declaredIn.end() && std::ranges::binary_search(found->second, scope);
        };
        if (declares(name) || (prefix.size() != name.size() && declares(prefix)))
            break;
    }
    return m_ids.try_emplace({scope, name}, static_cast<int>(m_ids.size())).first->second;
}

std::vector<int> PtxValues::idsIn(std::string_view text, int scope) const
{
    std::vector<int> ids;
    for (const std::string_view name : namesIn(text))
        ids.push_back(id(name, scope));
    return ids;
}

std::vector<int> PtxValues::writes(const PtxStatement& statement) const
{
    if (statement.operands.empty() || statement.opcode.empty() || statement.opcode.starts_with('.'))
        return {};
    const std::string_view first = statement.operands.front();
    if (isInstruction(statement.opcode, "call"))
        return first.starts_with('(') ? idsIn(first, statement.scope) : std::vector<int>();
    if (writesNothing(statement.opcode) || first.starts_with('['))
        return {};
    return idsIn(first, statement.scope);
}

std::vector<int> PtxValues::reads(const PtxStatement& statement) const
{
    std::vector<int> ids;
    if (statement.opcode.starts_with('.'))
        return ids;
    if (!statement.guard.empty())
        ids.push_back(id(statement.guard, statement.scope));
    const bool firstIsWritten = !writes(statement).empty();
    for (std::size_t i = firstIsWritten ? 1 : 0; i < statement.operands.size(); ++i)
        std::ranges::copy(idsIn(statement.operands[i], statement.scope), std::back_inserter(ids));
    return ids;
}

const PtxStatement* PtxValues::onlyDefinition(std::string_view name, int scope) const
{
    const auto found = m_definitions.find(id(name, scope));
    if (found == m_definitions.end() || found->second.size() != 1 || !found->second.front()->guard.empty())
        return nullptr;
    return found->second.front();
}

std::optional<std::int64_t> PtxValues::constant(std::string_view operand, int scope) const
{
    for (int depth = 0; depth < kDepth; ++depth) {
        if (const auto value = wholeInteger(operand))
            return value;
        const PtxStatement* definition = onlyDefinition(operand, scope);
        if (definition == nullptr || !isInstruction(definition->opcode, "mov") || definition->operands.size() != 2)
            return std::nullopt;
        operand = definition->operands[1];
        scope = definition->scope;
    }
    return std::nullopt;
}

std::optional<std::string> PtxValues::expression(std::string_view operand, int scope, int depth) const
{
    if (const auto value = wholeInteger(operand))
        return std::to_string(*value);
    // a parameter's address, which ld.param reads, or a register that the hardware fills
    if (operand.starts_with('[') || isStableSpecial(operand))
        return std::string(operand);
    const PtxStatement* definition = onlyDefinition(operand, scope);
    if (depth == 0 || definition == nullptr || !isPure(definition->opcode))
        return std::nullopt;
    if (isInstruction(definition->opcode, "mov") && definition->operands.size() == 2)
        return expression(definition->operands[1], definition->scope, depth - 1);
    const int key = id(operand, scope);
    if (const auto known = m_expressions.find(key); known != m_expressions.end())
        return known->second;
    std::optional<std::string> text = std::string(definition->opcode) + '(';
    for (std::size_t i = 1; text && i < definition->operands.size(); ++i) {
        const auto part = expression(definition->operands[i], definition->scope, depth - 1);
        if (part && text->size() + part->size() < kLongest)
            *text += *part + ',';
        else
            text.reset();
    }
    m_expressions[key] = text;
    return text;
}

std::optional<StableCondition> PtxValues::comparison(const PtxStatement& definition, int depth) const
{
    // "setp.lt.u32 %p, a, b" and its mirror images become one of lt and eq, negated or not
    if (definition.operands.size() != 3)
        return std::nullopt;
    const std::string_view modifiers = definition.opcode.substr(std::string_view("setp.").size());
    const auto dot = modifiers.find('.');
    if (dot == std::string_view::npos)
        return std::nullopt;
    std::string_view relation = modifiers.substr(0, dot);
    const std::string_view type = modifiers.substr(dot + 1);
    auto left = expression(definition.operands[1], definition.scope, depth);
    auto right = expression(definition.operands[2], definition.scope, depth);
    if (!left || !right)
        return std::nullopt;
    const bool isInteger = type.starts_with('u') || type.starts_with('s') || type.starts_with('b');
    StableCondition condition;
    if (relation == "ne" || (isInteger && (relation == "ge" || relation == "gt"))) {
        condition.negated = true;
        relation = relation == "ne" ? "eq" : relation == "ge" ? "lt" : "le";
    }
    if (isInteger && relation == "le") {
        const auto bound = wholeInteger(*right);
        if (bound && *bound < INT32_MAX) {
            relation = "lt";
            right = std::to_string(*bound + 1);
        }
    }
    condition.text = fmt::format("{}.{}({},{})", relation, type, *left, *right);
    return condition;
}

std::optional<StableCondition> PtxValues::condition(std::string_view name, int scope) const
{
    bool negated = false;
    for (int depth = kDepth; depth > 0; --depth) {
        const PtxStatement* definition = onlyDefinition(name, scope);
        if (definition == nullptr || definition->operands.empty() || definition->operands[0].find('|') != std::string_view::npos)
            return std::nullopt;
        if (definition->opcode == "not.pred" && definition->operands.size() == 2) {
            negated = !negated;
            name = definition->operands[1];
            scope = definition->scope;
            continue;
        }
        if (!definition->opcode.starts_with("setp."))
            return std::nullopt;
        auto condition = comparison(*definition, kDepth);
        if (condition)
            condition->negated ^= negated;
        return condition;
    }
    return std::nullopt;
}

} // namespace assay::device
