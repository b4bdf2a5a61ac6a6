// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/ptx_module.h"

#include "kernels/device/text_scan.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::device {
namespace {

constexpr std::size_t kDeepest = 64; // compilers nest two or three blocks

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

bool isNameCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

/// The same text with spaces for comments, so that lines keep their numbers.
std::string withoutComments(std::string_view source)
{
    std::string text(source);
    std::size_t at = 0;
    const auto blankUntil = [&text, &at](std::size_t end) {
        for (; at < end; ++at)
            if (text[at] != '\n')
                text[at] = ' ';
    };
    while (at < text.size()) {
        const char next = at + 1 < text.size() ? text[at + 1] : '\0';
        if (text[at] == '"') {
            const auto end = text.find_first_of("\"\n", at + 1);
            at = end == std::string::npos ? text.size() : end + 1;
        } else if (text[at] == '/' && next == '/') {
            blankUntil(std::min(text.find('\n', at), text.size()));
        } else if (text[at] == '/' && next == '*') {
            const auto end = text.find("*/", at + 2);
            if (end == std::string::npos)
                throw PtxError(fmt::format("PTX line {}: the comment has no end",
                                           1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')));
            blankUntil(end + 2);
        } else {
            ++at;
        }
    }
    return text;
}

std::vector<std::string_view> splitOperands(std::string_view text)
{
    std::vector<std::string_view> operands;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '[' || c == '{' || c == '(')
            ++depth;
        else if (c == ']' || c == '}' || c == ')')
            --depth;
        else if (c == ',' && depth == 0) {
            operands.push_back(trimmed(text.substr(begin, i - begin)));
            begin = i + 1;
        }
    }
    if (const auto last = trimmed(text.substr(begin)); !last.empty())
        operands.push_back(last);
    return operands;
}

std::string_view firstWord(std::string_view text)
{
    return text.substr(0, text.find_first_of(" \t\r\n"));
}

/// Walks a text that has no comments any more.
class Parser {
public:
    explicit Parser(PtxModule& module)
        : m_module(module)
        , m_text(*module.text)
    {
    }

    void parse()
    {
        for (skipBlank(); !atEnd(); skipBlank())
            parseTopLevel();
        if (m_module.version.empty() || m_module.target.empty())
            throw PtxError("PTX: no .version and .target; this is not PTX");
    }

private:
    bool atEnd() const { return m_at >= m_text.size(); }

    void skipBlank()
    {
        while (!atEnd() && isBlank(m_text[m_at]))
            advance();
    }

    void advance()
    {
        if (m_text[m_at] == '\n')
            ++m_line;
        ++m_at;
    }

    void advanceTo(std::size_t end)
    {
        while (m_at < end)
            advance();
    }

    [[noreturn]] void fail(int line, std::string_view what) const { throw PtxError(fmt::format("PTX line {}: {}", line, what)); }

    void skipQuoted()
    {
        const auto end = m_text.find_first_of("\"\n", m_at + 1);
        advanceTo(end == std::string_view::npos ? m_text.size() : end + 1);
    }

    std::string_view takeRestOfLine()
    {
        const std::size_t begin = m_at;
        advanceTo(std::min(m_text.find('\n', m_at), m_text.size()));
        return trimmed(m_text.substr(begin, m_at - begin));
    }

    static bool endsWithLine(std::string_view word)
    {
        return word == ".version" || word == ".target" || word == ".address_size" || word == ".file" || word == ".loc";
    }

    /// Up to the ';' that ends the statement at hand (not part of the answer), or up to a '{' where @p stopsAtBrace says so.
    template <typename Predicate> std::string_view takeStatement(Predicate stopsAtBrace)
    {
        const std::size_t begin = m_at;
        const int line = m_line;
        int depth = 0;
        while (!atEnd()) {
            const char c = m_text[m_at];
            const std::string_view sofar = m_text.substr(begin, m_at - begin);
            if (c == '"') {
                skipQuoted();
                continue;
            }
            if (c == ';' && depth == 0)
                return trimmed(sofar);
            if (c == '{') {
                if (depth == 0 && stopsAtBrace(sofar))
                    return trimmed(sofar);
                ++depth;
            } else if (c == '}') {
                if (depth == 0)
                    fail(line, "the statement has no semicolon");
                --depth;
            }
            advance();
        }
        fail(line, "the statement has no end; the text breaks off");
    }

    void skipBlock()
    {
        const int line = m_line;
        int depth = 0;
        while (!atEnd()) {
            const char c = m_text[m_at];
            if (c == '"') {
                skipQuoted();
                continue;
            }
            advance();
            if (c == '{')
                ++depth;
            else if (c == '}' && --depth == 0)
                return;
        }
        fail(line, "the block has no end; the text breaks off");
    }

    static bool opensBody(std::string_view sofar)
    {
        const std::string_view head = sofar.substr(0, 256); // linkage and attributes are shorter; what follows can be long
        return head.find(".entry") != std::string_view::npos || head.find(".func") != std::string_view::npos
            || head.starts_with(".section");
    }

    void parseTopLevel()
    {
        const std::string_view word = firstWord(m_text.substr(m_at, 64));
        if (endsWithLine(word)) {
            const std::string_view value = trimmed(takeRestOfLine().substr(word.size()));
            if (word == ".version")
                m_module.version = value;
            else if (word == ".target")
                m_module.target = trimmed(value.substr(0, value.find(',')));
            return;
        }
        if (m_module.version.empty())
            fail(m_line, "no .version before it; this is not PTX");
        const int line = m_line;
        const std::string_view statement = takeStatement(opensBody);
        if (m_text[m_at] == ';') {
            advance();
            m_module.declarations.push_back(statement);
        } else if (statement.starts_with(".section")) {
            skipBlock();
        } else {
            parseFunction(statement, line);
        }
    }

    void parseFunction(std::string_view header, int line)
    {
        PtxFunction function;
        function.line = line;
        function.isEntry = header.find(".entry") != std::string_view::npos;
        const std::string_view keyword = function.isEntry ? ".entry" : ".func";
        std::string_view rest = header.substr(header.find(keyword) + keyword.size());
        // .func (.param .b32 result) name (parameters)
        if (rest = trimmed(rest); rest.starts_with('('))
            rest = trimmed(rest.substr(std::min(rest.find(')') + 1, rest.size())));
        const auto nameEnd = std::ranges::find_if_not(rest, isNameCharacter);
        function.name = rest.substr(0, static_cast<std::size_t>(nameEnd - rest.begin()));
        rest = trimmed(rest.substr(function.name.size()));
        if (rest.starts_with('('))
            rest = rest.substr(std::min(rest.find(')'), rest.size() - 1) + 1);
        function.directives = trimmed(rest);
        if (function.name.empty())
            fail(line, "a function without a name");
        parseBody(function);
        m_module.functions.push_back(std::move(function));
    }

    void parseBody(PtxFunction& function)
    {
        const int line = m_line;
        advance(); // its '{'
        function.scopeParents = {0};
        std::vector<int> open{0};
        for (skipBlank(); !atEnd(); skipBlank()) {
            const char c = m_text[m_at];
            if (c == '{') {
                if (open.size() > kDeepest)
                    fail(m_line, fmt::format("blocks nested more than {} deep", kDeepest));
                advance();
                function.scopeParents.push_back(open.back());
                open.push_back(static_cast<int>(function.scopeParents.size()) - 1);
            } else if (c == '}') {
                advance();
                open.pop_back();
                if (open.empty())
                    return;
            } else if (c == ';') {
                advance();
            } else {
                parseStatement(function, open.back());
            }
        }
        fail(line, fmt::format("the body of {} has no end; the text breaks off", function.name));
    }

    void parseStatement(PtxFunction& function, int scope)
    {
        PtxStatement statement;
        statement.line = m_line;
        statement.scope = scope;
        std::size_t nameEnd = m_at;
        while (nameEnd < m_text.size() && isNameCharacter(m_text[nameEnd]))
            ++nameEnd;
        if (nameEnd > m_at) {
            const auto colon = m_text.find_first_not_of(" \t", nameEnd);
            if (colon != std::string_view::npos && m_text[colon] == ':' && m_text.substr(colon, 2) != "::") {
                statement.label = m_text.substr(m_at, nameEnd - m_at);
                advanceTo(colon + 1);
                function.body.push_back(std::move(statement));
                return;
            }
        }
        if (endsWithLine(firstWord(m_text.substr(m_at, 64)))) {
            takeRestOfLine();
            return;
        }
        std::string_view text = takeStatement([](std::string_view) { return false; });
        if (!atEnd())
            advance(); // its ';'
        if (text.starts_with('@')) {
            text.remove_prefix(1);
            statement.guardNegated = text.starts_with('!');
            if (statement.guardNegated)
                text.remove_prefix(1);
            statement.guard = firstWord(text);
            text = trimmed(text.substr(statement.guard.size()));
        }
        statement.opcode = firstWord(text);
        const std::string_view rest = trimmed(text.substr(statement.opcode.size()));
        if (statement.opcode.starts_with('.'))
            statement.operands = {rest};
        else
            statement.operands = splitOperands(rest);
        function.body.push_back(std::move(statement));
    }

    PtxModule& m_module;
    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
};

} // namespace

PtxModule readPtx(std::string_view text)
{
    PtxModule module;
    module.text = std::make_shared<const std::string>(withoutComments(text));
    Parser(module).parse();
    return module;
}

bool isInstruction(std::string_view opcode, std::string_view family)
{
    return opcode.starts_with(family) && (opcode.size() == family.size() || opcode[family.size()] == '.');
}

std::optional<std::string_view> directiveValue(std::string_view directives, std::string_view directive)
{
    for (std::size_t at = directives.find(directive); at != std::string_view::npos; at = directives.find(directive, at + 1)) {
        const std::string_view rest = directives.substr(at + directive.size());
        if (!rest.empty() && !isBlank(rest.front()))
            continue; // a longer directive
        return trimmed(rest.substr(0, rest.find('.')));
    }
    return std::nullopt;
}

} // namespace assay::device
