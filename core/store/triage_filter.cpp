// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage_filter.h"

#include "core/store/filter_keys.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace assay::store {

namespace {

// Every term becomes one branch of an SQL expression, and SQLite refuses expressions deeper than 1000.
constexpr std::size_t kMostTerms = 200;

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool isKeyCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool isOperator(char c)
{
    return c == ':' || c == '=' || c == '<' || c == '>';
}

bool isNumber(std::string_view text)
{
    double value = 0;
    if (text.starts_with('+'))
        text.remove_prefix(1);
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::string joined(std::span<const std::string_view> words)
{
    std::string out;
    for (const std::string_view word : words) {
        out += out.empty() ? "" : ", ";
        out += word;
    }
    return out;
}

/// Names from foreign text in an error stay short and on one line.
std::string shown(std::string_view text)
{
    constexpr std::size_t kMost = 40;
    std::string out(text.substr(0, kMost));
    std::ranges::replace_if(
        out, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return text.size() > kMost ? out + "..." : out;
}

std::vector<std::string_view> keyNames()
{
    std::vector<std::string_view> names;
    for (const FilterKey& key : filterKeys())
        names.push_back(key.name);
    for (const contract::Gate gate : contract::kAllGates)
        names.push_back(contract::id(gate));
    return names;
}

class Parser {
public:
    explicit Parser(std::string_view line)
        : m_line(line)
    {
    }

    TriageFilter parse()
    {
        TriageFilter filter;
        for (skipSpace(); m_at < m_line.size(); skipSpace()) {
            if (filter.terms.size() == kMostTerms)
                throw FilterError("too many terms", m_at, "Quote words that belong together, or shorten the line");
            filter.terms.push_back(term());
        }
        return filter;
    }

private:
    void skipSpace()
    {
        while (m_at < m_line.size() && isSpace(m_line[m_at]))
            ++m_at;
    }

    bool at(char c) const { return m_at < m_line.size() && m_line[m_at] == c; }

    FilterTerm term()
    {
        FilterTerm out;
        if (at('-')) {
            out.negated = true;
            ++m_at;
            if (m_at == m_line.size() || isSpace(m_line[m_at]))
                throw FilterError("'-' negates nothing", m_at - 1, "Write the term right behind it, or quote it: \"-\"");
        }
        const std::size_t start = m_at;
        std::size_t end = m_at;
        while (end < m_line.size() && isKeyCharacter(m_line[end]))
            ++end;
        const bool keyed = end > start && end < m_line.size() && isOperator(m_line[end]);
        if (!keyed) {
            out.op = ":";
            readValues(out, start);
            return out;
        }
        out.key = canonicalKey(m_line.substr(start, end - start), start);
        m_at = end;
        out.op = readOperator();
        const std::size_t valuesAt = m_at;
        readValues(out, start);
        normalise(out, start, valuesAt);
        return out;
    }

    std::string readOperator()
    {
        std::string op(1, m_line[m_at++]);
        if ((op == "<" || op == ">") && at('=')) {
            op += '=';
            ++m_at;
        }
        return op;
    }

    std::string canonicalKey(std::string_view word, std::size_t position) const
    {
        if (const FilterKey* key = findFilterKey(word))
            return std::string(key->name);
        if (const auto gate = contract::gateFromId(word))
            return std::string(contract::id(*gate));
        const std::vector<std::string_view> names = keyNames();
        const std::string nearest = nearestWord(word, names);
        const std::string remedy = nearest.empty() ? "Known keys: " + joined(names) : "Did you mean '" + nearest + "'?";
        throw FilterError("unknown key '" + shown(word) + "'", position,
                          remedy + (nearest.empty() ? ". " : " ") + "Quote it to search for the text");
    }

    void readValues(FilterTerm& out, std::size_t termStart)
    {
        for (;;) {
            bool quoted = false;
            const std::size_t start = m_at;
            std::string value = readValue(quoted);
            if (value.empty() && !quoted)
                throw FilterError(out.key.empty() ? "a value is missing" : "'" + out.key + "' has no value",
                                  std::max(start, termStart), "Write a value, or \"\" for the empty one");
            out.values.push_back(std::move(value));
            if (!at(','))
                return;
            ++m_at;
        }
    }

    std::string readValue(bool& quoted)
    {
        std::string value;
        while (m_at < m_line.size() && !isSpace(m_line[m_at]) && m_line[m_at] != ',') {
            if (m_line[m_at] == '"') {
                quoted = true;
                readQuoted(value);
            } else {
                value += m_line[m_at++];
            }
        }
        return value;
    }

    void readQuoted(std::string& value)
    {
        const std::size_t opened = m_at++;
        for (;; ++m_at) {
            if (m_at == m_line.size())
                throw FilterError("the quote never ends", opened, "Close it with another \"");
            if (m_line[m_at] != '"') {
                value += m_line[m_at];
                continue;
            }
            ++m_at;
            if (!at('"'))
                return;
            value += '"';
        }
    }

    static void normalise(FilterTerm& term, std::size_t position, std::size_t valuesAt);

    std::string_view m_line;
    std::size_t m_at = 0;
};

void requireColon(FilterTerm& term, std::size_t position)
{
    if (term.op != ":" && term.op != "=")
        throw FilterError("'" + term.key + "' cannot be compared with " + term.op, position, "Write " + term.key + ":value");
    term.op = ":";
}

void requireKnown(const FilterTerm& term, std::string& value, std::span<const std::string_view> known, std::size_t position)
{
    const auto found = std::ranges::find(known, lowerCase(value), [](std::string_view word) { return lowerCase(word); });
    if (found != known.end()) {
        value = *found;
        return;
    }
    const std::string nearest = nearestWord(value, known);
    throw FilterError("'" + term.key + "' knows no '" + shown(value) + "'", position,
                      nearest.empty() ? "Known: " + joined(known) : "Did you mean '" + nearest + "'?");
}

void normaliseNumber(FilterTerm& term, const FilterKey& key, std::size_t position)
{
    bool words = false;
    for (std::string& value : term.values) {
        if (isNumber(value))
            continue;
        words = true;
        const auto found = std::ranges::find(key.values, std::string_view(lowerCase(value)));
        if (found == key.values.end())
            throw FilterError("'" + shown(value) + "' is not a number", position,
                              "Write a number (1e-3), or one of: " + joined(key.values));
        value = *found;
    }
    const bool equality = term.op == ":" || term.op == "=";
    if (!equality && (words || term.values.size() > 1))
        throw FilterError("'" + term.key + term.op + "' takes one number", position,
                          "Write for example " + term.key + term.op + "0.5");
    if (equality)
        term.op = words ? ":" : "=";
}

void normaliseGates(FilterTerm& term, std::size_t position)
{
    for (std::string& value : term.values) {
        if (term.key == "fails" && lowerCase(value) == "none" && term.values.size() == 1) {
            value = "none";
            return;
        }
        const auto gate = contract::gateFromId(value);
        if (!gate) {
            const std::vector<std::string_view> names = keyNames();
            const std::string nearest = nearestWord(value, std::span(names).last(contract::kGateCount));
            throw FilterError("no gate '" + shown(value) + "'", position,
                              nearest.empty() ? "Known: " + joined(std::span(names).last(contract::kGateCount))
                                              : "Did you mean '" + nearest + "'?");
        }
        value = contract::id(*gate);
    }
}

void normaliseRule(const FilterTerm& term, std::size_t position)
{
    for (const std::string& value : term.values) {
        const std::size_t slash = value.rfind('/');
        if (slash == std::string::npos || slash == 0 || ruleColumn(std::string_view(value).substr(slash + 1)).empty())
            throw FilterError("'" + shown(value) + "' names no outcome of a rule set", position,
                              "Write rule:NAME/audited, /tolerance_free, /violation or /forgiven");
    }
}

void Parser::normalise(FilterTerm& term, std::size_t position, std::size_t valuesAt)
{
    const FilterKey* key = findFilterKey(term.key);
    const FilterKeyKind kind = key != nullptr ? key->kind : FilterKeyKind::Cell;
    if (kind == FilterKeyKind::Number || kind == FilterKeyKind::Measured)
        return normaliseNumber(term, *key, valuesAt);
    requireColon(term, position);
    if (kind == FilterKeyKind::Gate || kind == FilterKeyKind::FailSet)
        normaliseGates(term, valuesAt);
    if (kind == FilterKeyKind::Rule)
        normaliseRule(term, valuesAt);
    if (kind == FilterKeyKind::Closed || kind == FilterKeyKind::Flag) {
        for (std::string& value : term.values)
            requireKnown(term, value, key->values, valuesAt);
    }
    if (kind == FilterKeyKind::Cell) {
        for (std::string& value : term.values) {
            value = lowerCase(value);
            if (cellsOf(value).empty())
                requireKnown(term, value, cellWords(), valuesAt);
        }
    }
}

bool needsQuotes(const std::string& value, bool fullText)
{
    if (value.empty() || value.front() == '=')
        return true;
    if (fullText && (value.front() == '-' || std::ranges::any_of(value, isOperator)))
        return true;
    return std::ranges::any_of(value, [](char c) { return isSpace(c) || c == ',' || c == '"'; });
}

std::string quoted(const std::string& value)
{
    std::string out = "\"";
    for (const char c : value) {
        out += c;
        if (c == '"')
            out += '"';
    }
    return out + '"';
}

/// The piece of the line that is being typed: behind the last unquoted space.
std::string_view lastWord(std::string_view text)
{
    std::size_t start = 0;
    bool inQuotes = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"')
            inQuotes = !inQuotes;
        else if (isSpace(text[i]) && !inQuotes)
            start = i + 1;
    }
    return text.substr(start);
}

void offer(std::vector<std::string>& out, std::span<const std::string_view> words, std::string_view typed)
{
    const std::string prefix = lowerCase(typed);
    for (const std::string_view word : words) {
        if (lowerCase(word).starts_with(prefix))
            out.emplace_back(word);
    }
}

std::span<const std::string_view> wordsOf(std::string_view keyText)
{
    if (const FilterKey* key = findFilterKey(keyText))
        return key->values;
    if (contract::gateFromId(keyText))
        return cellWords();
    return {};
}

} // namespace

FilterError::FilterError(std::string problem, std::size_t position, std::string remedy)
    : Error(std::move(problem), "position " + std::to_string(position + 1) + " of the filter", std::move(remedy))
    , m_position(position)
{
}

TriageFilter parseFilter(std::string_view line)
{
    return Parser(line).parse();
}

std::string toText(const TriageFilter& filter)
{
    std::string out;
    for (const FilterTerm& term : filter.terms) {
        out += out.empty() ? "" : " ";
        out += term.negated ? "-" : "";
        if (!term.key.empty())
            out += term.key + (term.op.empty() ? ":" : term.op);
        bool first = true;
        for (const std::string& value : term.values) {
            out += first ? "" : ",";
            first = false;
            out += needsQuotes(value, term.key.empty()) ? quoted(value) : value;
        }
    }
    return out;
}

std::vector<std::string> filterCompletions(std::string_view textBeforeCursor)
{
    std::string_view word = lastWord(textBeforeCursor);
    if (word.starts_with('-'))
        word.remove_prefix(1);
    std::vector<std::string> out;
    const auto op = std::ranges::find_if(word, isOperator);
    if (op != word.end()) {
        const std::string_view key = word.substr(0, static_cast<std::size_t>(op - word.begin()));
        const std::size_t typedAt = word.find_last_of(":=<>,") + 1;
        offer(out, wordsOf(key), word.substr(typedAt));
        return out;
    }
    if (word.find('"') != std::string_view::npos)
        return out;
    const std::string prefix = lowerCase(word);
    for (const FilterKey& key : filterKeys()) {
        const bool compares = key.kind == FilterKeyKind::Number || key.kind == FilterKeyKind::Measured;
        if (key.name.starts_with(prefix))
            out.push_back(std::string(key.name) + (compares ? ">" : ":"));
    }
    for (const contract::Gate gate : contract::kAllGates) {
        if (lowerCase(contract::id(gate)).starts_with(prefix))
            out.push_back(std::string(contract::id(gate)) + ":");
    }
    return out;
}

} // namespace assay::store
