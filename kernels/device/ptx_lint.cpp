// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/ptx_lint.h"

#include "kernels/device/ptx_values.h"
#include "kernels/device/text_scan.h"

#include <algorithm>
#include <map>
#include <set>

namespace assay::device {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 40; // sums stop here, far beyond any device

/// One variable in shared memory.
struct SharedVariable {
    std::string_view name;
    std::int64_t bytes = 0;
    std::int64_t alignment = 1;
    bool isDynamic = false;
};

/// Bytes of ".f32", ".b8", ".u64"; 0 for what is no type.
std::int64_t typeBytes(std::string_view word)
{
    const auto digits = word.find_first_of("0123456789");
    if (word.size() < 3 || digits == std::string_view::npos || digits < 2 || word.starts_with(".v"))
        return 0;
    const auto bits = wholeInteger(word.substr(digits, word.find_first_not_of("0123456789", digits) - digits));
    return bits && *bits >= 8 && *bits <= 128 ? *bits / 8 : 0;
}

/// "name[4][32]" of elements of @p elementBytes.
SharedVariable readDeclarator(std::string_view text, std::int64_t elementBytes)
{
    SharedVariable variable;
    variable.bytes = elementBytes;
    auto bracket = text.find('[');
    variable.name = trimmed(text.substr(0, bracket));
    while (bracket != std::string_view::npos) {
        const auto end = text.find(']', bracket);
        const std::int64_t count = wholeInteger(trimmed(text.substr(bracket + 1, end - bracket - 1))).value_or(0);
        variable.bytes = count > 0 && variable.bytes <= kMostBytes / count ? variable.bytes * count : count > 0 ? kMostBytes : 0;
        bracket = end == std::string_view::npos ? end : text.find('[', end);
    }
    return variable;
}

/// ".extern .shared .align 16 .b8 name[];" and its kind; nothing where the declaration is of another space.
std::vector<SharedVariable> readShared(std::string_view declaration)
{
    std::int64_t alignment = 1;
    std::int64_t elementBytes = 0;
    std::int64_t vector = 1;
    bool isShared = false;
    bool isExtern = false;
    bool wantsAlignment = false;
    while (!declaration.empty()) {
        declaration = trimmed(declaration);
        if (!declaration.starts_with('.') && !wantsAlignment)
            break;
        const std::string_view word = declaration.substr(0, declaration.find_first_of(" \t\r\n"));
        declaration.remove_prefix(word.size());
        if (wantsAlignment) {
            alignment = std::clamp<std::int64_t>(wholeInteger(word).value_or(1), 1, 1 << 20);
            wantsAlignment = false;
        } else if (word == ".shared" || word.starts_with(".shared::")) {
            isShared = true;
        } else if (word == ".extern") {
            isExtern = true;
        } else if (word == ".align") {
            wantsAlignment = true;
        } else if (word.starts_with(".v")) {
            vector = word == ".v2" ? 2 : word == ".v4" ? 4 : word == ".v8" ? 8 : 1; // .visible is none
        } else if (const auto bytes = typeBytes(word); bytes > 0) {
            elementBytes = bytes;
        }
    }
    std::vector<SharedVariable> variables;
    if (!isShared)
        return variables;
    while (!declaration.empty()) {
        const auto comma = declaration.find(',');
        SharedVariable variable = readDeclarator(trimmed(declaration.substr(0, comma)), elementBytes * vector);
        variable.alignment = std::max(alignment, elementBytes * vector);
        variable.isDynamic = isExtern;
        variables.push_back(variable);
        declaration = comma == std::string_view::npos ? std::string_view() : declaration.substr(comma + 1);
    }
    return variables;
}

std::optional<std::array<std::int64_t, 3>> readExtent(std::string_view directives, std::string_view directive)
{
    const auto value = directiveValue(directives, directive);
    if (!value)
        return std::nullopt;
    std::array<std::int64_t, 3> extent{1, 1, 1};
    std::string_view rest = *value;
    for (std::int64_t& side : extent) {
        const auto comma = rest.find(',');
        const auto number = wholeInteger(trimmed(rest.substr(0, comma)));
        if (!number)
            return std::nullopt;
        side = *number;
        if (comma == std::string_view::npos)
            break;
        rest = rest.substr(comma + 1);
    }
    return extent;
}

std::optional<std::int64_t> readNumber(std::string_view directives, std::string_view directive)
{
    const auto value = directiveValue(directives, directive);
    return value ? wholeInteger(*value) : std::nullopt;
}

bool usesTcgen05(const PtxFunction& function)
{
    return std::ranges::any_of(function.body,
                               [](const PtxStatement& statement) { return statement.opcode.starts_with("tcgen05."); });
}

bool isOnlyATrap(const PtxFunction& function)
{
    bool traps = false;
    for (const PtxStatement& statement : function.body) {
        if (statement.opcode.empty() || statement.opcode.starts_with('.'))
            continue;
        if (statement.opcode != "trap" && statement.opcode != "exit" && !isInstruction(statement.opcode, "ret"))
            return false;
        traps = traps || statement.opcode == "trap";
    }
    return traps;
}

/// Names of the functions that lead to tcgen05 instructions, directly or through others.
std::set<std::string_view> functionsWithTcgen05(const PtxModule& module)
{
    std::set<std::string_view> found;
    std::map<std::string_view, std::vector<std::string_view>> callers;
    std::vector<std::string_view> work;
    for (const PtxFunction& function : module.functions) {
        if (function.isEntry)
            continue;
        if (usesTcgen05(function) && found.insert(function.name).second)
            work.push_back(function.name);
        for (const PtxStatement& statement : function.body)
            if (isInstruction(statement.opcode, "call"))
                for (const std::string_view operand : statement.operands)
                    callers[operand].push_back(function.name);
    }
    while (!work.empty()) {
        const std::string_view callee = work.back();
        work.pop_back();
        for (const std::string_view caller : callers[callee])
            if (found.insert(caller).second)
                work.push_back(caller);
    }
    return found;
}

void addShared(const PtxFunction& function, const std::vector<SharedVariable>& ofModule, PtxKernel& kernel)
{
    std::set<std::string_view> named;
    std::vector<SharedVariable> own;
    for (const PtxStatement& statement : function.body) {
        if (statement.opcode == ".shared" || statement.opcode == ".extern") {
            const std::string_view text = statement.operands.front();
            const auto variables = readShared(std::string_view(
                statement.opcode.data(), static_cast<std::size_t>(text.data() + text.size() - statement.opcode.data())));
            own.insert(own.end(), variables.begin(), variables.end());
        }
        if (!statement.opcode.starts_with('.'))
            for (const std::string_view operand : statement.operands)
                for (const std::string_view name : namesIn(operand))
                    if (!name.starts_with('%'))
                        named.insert(name);
    }
    std::ranges::copy_if(ofModule, std::back_inserter(own),
                         [&named](const SharedVariable& variable) { return named.contains(variable.name); });
    for (const SharedVariable& variable : own) {
        kernel.usesDynamicShared = kernel.usesDynamicShared || variable.isDynamic;
        if (variable.isDynamic)
            continue;
        const std::int64_t begin = (kernel.staticSharedBytes + variable.alignment - 1) / variable.alignment * variable.alignment;
        kernel.staticSharedBytes = std::min(begin + variable.bytes, kMostBytes);
    }
}

} // namespace

PtxReport lintPtx(std::string_view text)
{
    const PtxModule module = readPtx(text);
    PtxReport report;
    report.version = module.version;
    report.target = module.target;
    std::vector<SharedVariable> shared;
    for (const std::string_view declaration : module.declarations) {
        const auto variables = readShared(declaration);
        shared.insert(shared.end(), variables.begin(), variables.end());
    }
    const auto withTcgen05 = functionsWithTcgen05(module);
    for (const PtxFunction& function : module.functions) {
        if (!function.isEntry)
            continue;
        PtxKernel kernel;
        kernel.name = function.name;
        kernel.line = function.line;
        kernel.maxThreads = readExtent(function.directives, ".maxntid");
        kernel.requiredThreads = readExtent(function.directives, ".reqntid");
        kernel.cluster = readExtent(function.directives, ".reqnctapercluster");
        kernel.maxClusterBlocks = readNumber(function.directives, ".maxclusterrank");
        kernel.maxRegisters = readNumber(function.directives, ".maxnreg");
        kernel.minBlocksPerSm = readNumber(function.directives, ".minnctapersm");
        kernel.onlyTraps = isOnlyATrap(function);
        addShared(function, shared, kernel);
        const bool callsTcgen05 = std::ranges::any_of(function.body, [&withTcgen05](const PtxStatement& statement) {
            return isInstruction(statement.opcode, "call")
                && std::ranges::any_of(statement.operands, [&withTcgen05](auto name) { return withTcgen05.contains(name); });
        });
        kernel.tmem = checkTmem(function, callsTcgen05);
        report.kernels.push_back(std::move(kernel));
    }
    return report;
}

} // namespace assay::device
