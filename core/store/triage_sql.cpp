// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage_sql.h"

#include "core/contract/gate_strip.h"
#include "core/store/filter_keys.h"
#include "core/store/triage_row.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

namespace assay::store {

namespace {

/// `?,?,?` for @p count values.
std::string marks(std::size_t count)
{
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
        out += i == 0 ? "?" : ",?";
    return out;
}

FilterError malformed(const FilterTerm& term)
{
    return {"a term of the filter makes no sense", 0, "Take out '" + toText({{term}}) + "'"};
}

double number(const FilterTerm& term, std::string_view text)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        throw malformed(term);
    return value;
}

SqlCondition anyOf(const std::string& column, std::vector<SqlValue> values)
{
    SqlCondition out;
    out.sql = column + (values.size() == 1 ? " = ?" : " IN (" + marks(values.size()) + ")");
    out.values = std::move(values);
    return out;
}

SqlCondition columnTerm(const FilterTerm& term, const FilterKey& key, const std::string& alias)
{
    std::vector<SqlValue> values;
    for (const std::string& value : term.values) {
        if (key.name != "outcome") {
            values.emplace_back(value);
            continue;
        }
        const auto outcomes = outcomesOf(value);
        if (outcomes.empty())
            throw malformed(term);
        for (const std::string_view outcome : outcomes)
            values.emplace_back(std::string(outcome));
    }
    return anyOf(alias + std::string(key.column), std::move(values));
}

/// "179" and 179 are one id; ids that are no number are compared as text.
SqlCondition identityTerm(const FilterTerm& term)
{
    SqlCondition out;
    for (const std::string& value : term.values) {
        out.sql += out.sql.empty() ? "" : " OR ";
        if (const auto number = externalNumber(value)) {
            out.sql += "t.external_number = ?";
            out.values.emplace_back(*number);
        } else {
            out.sql += "(t.external_number IS NULL AND t.external_id = ?)";
            out.values.emplace_back(value);
        }
    }
    return out;
}

std::int64_t gateMask(const FilterTerm& term)
{
    std::int64_t mask = 0;
    for (const std::string& value : term.values) {
        const auto gate = contract::gateFromId(value);
        if (!gate && value != "none")
            throw malformed(term);
        if (gate)
            mask |= std::int64_t{1} << contract::indexOf(*gate);
    }
    return mask;
}

SqlCondition cellTerm(const FilterTerm& term, contract::Gate gate, const std::string& alias)
{
    std::vector<std::int64_t> cells;
    for (const std::string& value : term.values) {
        const auto some = cellsOf(value);
        if (some.empty())
            throw malformed(term);
        for (const contract::StripCell cell : some)
            cells.push_back(static_cast<std::int64_t>(cell));
    }
    SqlCondition out;
    out.sql = "((" + alias + "strip >> " + std::to_string(contract::GateStrip::shift(gate)) + ") & 15) IN (" + marks(cells.size())
        + ")";
    out.values.assign(cells.begin(), cells.end());
    return out;
}

SqlCondition flagTerm(const FilterTerm& term, const std::string& alias)
{
    SqlCondition out;
    for (const std::string& value : term.values) {
        const std::string_view column = flagColumn(value);
        if (column.empty())
            throw malformed(term);
        out.sql += (out.sql.empty() ? "" : " OR ") + alias + std::string(column) + " = 1";
    }
    return out;
}

/// A class of measured numbers, in terms that an index answers.
std::string classSql(const FilterTerm& term, const std::string& column, std::string_view word)
{
    // error_rank keeps infinity as the largest double and NaN as infinity.
    const bool ranked = column == "t.error";
    const std::string cls = column + "_class";
    if (word == "none")
        return ranked ? "t.error_rank IS NULL" : "(" + column + " IS NULL AND " + cls + " IS NULL)";
    if (word == "nan")
        return ranked ? "t.error_rank = 9e999" : "(" + column + " IS NULL AND " + cls + " = 'nan')";
    if (word == "finite")
        return ranked ? "t.error_rank < 1.7976931348623157e308" : column + " IS NOT NULL";
    if (word != "inf" && word != "+inf" && word != "-inf")
        throw malformed(term);
    const std::string test = word == "inf" ? " IN ('+inf', '-inf')" : " = '" + std::string(word) + "'";
    return ranked ? "(t.error_rank = 1.7976931348623157e308 AND " + cls + test + ")"
                  : "(" + column + " IS NULL AND " + cls + test + ")";
}

/// Infinity is larger than every number, NaN compares with nothing, and an error that was not measured has no value.
SqlCondition measuredComparison(const std::string& column, const std::string& op, double value)
{
    SqlCondition out;
    out.values.emplace_back(value);
    if (column == "t.error") {
        // error_rank has an index; it is the magnitude, with infinity as the largest double and NaN as infinity.
        const bool larger = op.starts_with('>');
        out.sql = "(t.error_rank " + (op == ":" ? "=" : op) + " ? AND t.error_rank < "
            + (larger ? "9e999)" : "1.7976931348623157e308)");
        return out;
    }
    if (op == "=" || op == ":")
        out.sql = column + " = ?";
    else if (op.starts_with('>'))
        out.sql = "(" + column + " " + op + " ? OR (" + column + " IS NULL AND " + column + "_class = '+inf'))";
    else
        out.sql = "(" + column + " " + op + " ? OR (" + column + " IS NULL AND " + column + "_class = '-inf'))";
    return out;
}

bool isOrdering(const FilterTerm& term)
{
    return term.values.size() == 1 && (term.op.starts_with('>') || term.op.starts_with('<'));
}

/// Whether the scope has an infinite relative error that @p op takes in. Where it has none, and few have, a comparison is one
/// stretch of the index; with the infinities beside it SQLite would read all of the index.
bool hasInfinite(SQLite::Database& database, std::int64_t scopeId, const std::string& op)
{
    Statement statement(database,
                        "SELECT EXISTS (SELECT 1 FROM triage t INDEXED BY triage_relative WHERE t.scope_id = ? AND t.relative IS "
                        "NULL AND t.relative_class = ?)");
    return singleInteger(statement.integer(1, scopeId).text(2, op.starts_with('>') ? "+inf" : "-inf")).value_or(0) != 0;
}

bool isComparison(const std::string& op)
{
    return op == ":" || op == "=" || op == "<" || op == "<=" || op == ">" || op == ">=";
}

SqlCondition numberTerm(const FilterTerm& term, const FilterKey& key, const std::string& alias)
{
    if (!isComparison(term.op))
        throw malformed(term);
    const std::string column = alias + std::string(key.column);
    const bool isMeasured = key.kind == FilterKeyKind::Measured;
    SqlCondition out;
    for (const std::string& value : term.values) {
        SqlCondition one;
        if (std::ranges::find(key.values, std::string_view(value)) != key.values.end())
            one.sql = isMeasured ? classSql(term, column, value) : column + " IS NULL";
        else if (isMeasured)
            one = measuredComparison(column, term.op, number(term, value));
        else
            one = {column + (term.op == ":" ? " =" : " " + term.op) + " ?", {number(term, value)}};
        out.sql += (out.sql.empty() ? "" : " OR ") + one.sql;
        out.values.insert(out.values.end(), one.values.begin(), one.values.end());
    }
    return out;
}

SqlCondition ruleTerm(const FilterTerm& term, std::int64_t scopeId)
{
    SqlCondition out;
    for (const std::string& value : term.values) {
        const std::size_t slash = value.rfind('/');
        const std::string_view column
            = slash == std::string::npos ? std::string_view() : ruleColumn(std::string_view(value).substr(slash + 1));
        if (column.empty())
            throw malformed(term);
        const std::string test = column == "forgiven" ? "o.forgiven <> ''" : "o." + std::string(column) + " = 1";
        out.sql += out.sql.empty() ? "" : " OR ";
        out.sql += "t.kernel_id IN (SELECT o.kernel_id FROM rule_outcome o WHERE o.rule_set_id = (SELECT max(r.id) FROM rule_set "
                   "r WHERE r.name = ?)"
                   " AND o.audit_id = (SELECT s.audit_id FROM scope s WHERE s.id = ?) AND "
            + test + ")";
        out.values.emplace_back(value.substr(0, slash));
        out.values.emplace_back(scopeId);
    }
    return out;
}

/// A list in JSON, for json_each().
std::string listOf(const IdSet& ids)
{
    std::string out = "[";
    for (const std::int64_t id : ids.ids()) {
        out += out.size() > 1 ? "," : "";
        out += std::to_string(id);
    }
    return out + "]";
}

/// Every value of the text terms as a phrase, term by term.
std::vector<std::string> phrasesOf(const std::vector<const FilterTerm*>& terms)
{
    std::vector<std::string> phrases;
    for (const FilterTerm* term : terms) {
        if (term->values.empty())
            throw malformed(*term);
        for (const std::string& value : term->values)
            phrases.push_back(ftsPhrase(value, term == terms.back() && !term->negated && &value == &term->values.back()));
    }
    return phrases;
}

/// Full text is searched first, and once: what SQLite would make of it inside a larger query is many times slower.
void addTextTerms(SQLite::Database& database, const TriageFilter& filter, FilterParts& parts)
{
    std::vector<const FilterTerm*> terms;
    for (const FilterTerm& term : filter.terms) {
        if (term.key.empty())
            terms.push_back(&term);
    }
    if (terms.empty())
        return;
    registerIdSets(database);
    std::vector<IdSet> found = kernelsWithTexts(database, parts.scopeId, phrasesOf(terms));
    auto next = found.begin();
    std::optional<IdSet> inAll;
    std::optional<IdSet> inAny;
    for (const FilterTerm* term : terms) {
        IdSet matches = std::move(*next++);
        for (std::size_t i = 1; i < term->values.size(); ++i)
            matches = unionOf(matches, *next++);
        if (term->negated)
            inAny = inAny ? unionOf(*inAny, matches) : std::move(matches);
        else
            inAll = inAll ? intersectionOf(*inAll, matches) : std::move(matches);
    }
    if (inAny)
        parts.without = std::make_shared<const IdSet>(std::move(*inAny));
    if (inAll)
        parts.texts = std::make_shared<const IdSet>(std::move(*inAll));
}

/// Whether triage_facet has every column that @p term asks for.
bool asksForGroup(const FilterTerm& term)
{
    if (term.key.empty())
        return false;
    const FilterKey* key = findFilterKey(term.key);
    if (key == nullptr)
        return true; // a gate's own cell, or malformed
    switch (key->kind) {
    case FilterKeyKind::Open:
    case FilterKeyKind::Closed:
    case FilterKeyKind::Gate:
    case FilterKeyKind::FailSet:
    case FilterKeyKind::Cell:
        return true;
    case FilterKeyKind::Flag:
        return std::ranges::none_of(
            term.values, [](const std::string& word) { return word == "noted" || word == "waived" || word == "bookmarked"; });
    case FilterKeyKind::Number:
        return key->name == "hard" || key->name == "soft";
    default:
        return false;
    }
}

/// The index whose columns answer @p term from one stretch of it, "" where none does. Without statistics SQLite takes any index
/// that begins with the scope to be as good.
std::string_view indexFor(const FilterTerm& term)
{
    const bool isMeasuredError = term.key == "error" && term.values == std::vector<std::string>{"none"};
    if (term.values.size() != 1 || (term.negated && !isMeasuredError))
        return {};
    if (term.key == "id")
        return "triage_id";
    if (term.key == "error")
        return "triage_error";
    if (term.key == "speedup")
        return "triage_speedup";
    if (term.key == "elapsed")
        return "triage_elapsed";
    return term.key == "exercised" ? "triage_exercised" : std::string_view();
}

constexpr std::string_view kMarked = "(t.bookmarked = 1 OR t.waived = 1 OR t.has_note = 1)";

/// The index that holds every column that @p term asks for, or few rows, "" where there is none.
std::string_view coveringIndex(const FilterTerm& term)
{
    if (term.key == "error") {
        // Infinities are told apart by error_class, which has no index.
        const bool asksClass
            = std::ranges::any_of(term.values, [](const std::string& value) { return value.find("inf") != std::string::npos; });
        return asksClass ? std::string_view() : "triage_error";
    }
    if (term.key == "id")
        return "triage_id";
    if (term.key == "relative")
        return "triage_relative";
    if (term.key == "speedup")
        return "triage_speedup";
    if (term.key == "elapsed")
        return "triage_elapsed";
    if (term.key == "exercised")
        return "triage_exercised";
    const bool isMark = term.key == "is" && !term.negated && std::ranges::all_of(term.values, [](const std::string& word) {
                            return word == "noted" || word == "waived" || word == "bookmarked";
                        });
    return isMark ? "triage_marks" : std::string_view();
}

SqlCondition positiveTerm(const FilterTerm& term, std::int64_t scopeId, const std::string& alias)
{
    if (term.values.empty())
        throw malformed(term);
    const FilterKey* key = findFilterKey(term.key);
    if (key == nullptr) {
        const auto gate = contract::gateFromId(term.key);
        if (!gate)
            throw malformed(term);
        return cellTerm(term, *gate, alias);
    }
    switch (key->kind) {
    case FilterKeyKind::Open:
    case FilterKeyKind::Closed:
        return columnTerm(term, *key, alias);
    case FilterKeyKind::Identity:
        return identityTerm(term);
    case FilterKeyKind::Gate:
        return {"(" + alias + "fail_mask & ?) <> 0", {gateMask(term)}};
    case FilterKeyKind::FailSet:
        return {alias + "fail_mask = ?", {gateMask(term)}};
    case FilterKeyKind::Flag:
        return flagTerm(term, alias);
    case FilterKeyKind::Number:
    case FilterKeyKind::Measured:
        return numberTerm(term, *key, alias);
    case FilterKeyKind::Rule:
        return ruleTerm(term, scopeId);
    case FilterKeyKind::Cell:
        break;
    }
    throw malformed(term);
}

SqlCondition condition(const FilterTerm& term, std::int64_t scopeId, const std::string& alias)
{
    SqlCondition one = positiveTerm(term, scopeId, alias);
    // A comparison with an error that was not measured is neither true nor false, hence IS NOT TRUE. The one negation that
    // people use all the time is spelled so that the index on error_rank answers it.
    if (term.negated)
        one.sql = one.sql == "t.error_rank IS NULL" ? "t.error_rank >= -9e999" : "(" + one.sql + ") IS NOT TRUE";
    else
        one.sql = "(" + one.sql + ")";
    return one;
}

} // namespace

void SqlCondition::andAlso(const SqlCondition& other)
{
    sql += (sql.empty() ? "" : " AND ") + other.sql;
    values.insert(values.end(), other.values.begin(), other.values.end());
}

FilterParts filterParts(SQLite::Database& database, std::int64_t scopeId, const TriageFilter& filter)
{
    FilterParts parts = groupParts(scopeId, filter, {});
    addTextTerms(database, filter, parts);
    for (const FilterTerm& term : filter.terms) {
        if (term.key.empty() || asksForGroup(term))
            continue;
        RowTerm row{condition(term, scopeId, "t."), coveringIndex(term)};
        if (term.key == "relative" && !term.negated && isOrdering(term) && !hasInfinite(database, scopeId, term.op))
            row.condition = {"(t.relative " + term.op + " ?)", {number(term, term.values.front())}};
        // Spelled as the index is: SQLite would not see that any two marks are among the three.
        if (row.index == "triage_marks")
            row.condition.andAlso({std::string(kMarked), {}});
        parts.rows.andAlso(row.condition);
        parts.rowTerms.push_back(std::move(row));
        // An id is one row; of other terms the first is as good as any.
        const std::string_view index = indexFor(term);
        if (!index.empty() && (parts.rowIndex.empty() || term.key == "id"))
            parts.rowIndex = index;
    }
    return parts;
}

namespace {

/// The kernels that match the row half and the texts of @p parts, read by @p lead. @param within  only these; nullptr: any
IdSet kernelsBy(SQLite::Database& database, const FilterParts& parts, Lead lead, const IdSet* within = nullptr)
{
    const SqlCondition where = rowCondition(parts, lead);
    Statement statement(database, "SELECT t.kernel_id FROM " + rowSource(parts, lead) + " WHERE " + where.sql);
    bindValues(statement, where.values);
    std::vector<std::int64_t> ids;
    while (statement.step()) {
        if (const std::int64_t id = statement.integerAt(0); within == nullptr || within->contains(id))
            ids.push_back(id);
    }
    return IdSet(std::move(ids));
}

} // namespace

FilterParts withRowsFound(SQLite::Database& database, const FilterParts& parts)
{
    registerIdSets(database);
    FilterParts rest;
    rest.scopeId = parts.scopeId;
    rest.texts = parts.texts;
    for (const RowTerm& term : parts.rowTerms) {
        if (term.index.empty()) {
            rest.rows.andAlso(term.condition);
            continue;
        }
        FilterParts one;
        one.scopeId = parts.scopeId;
        one.rows = term.condition;
        one.rowIndex = term.index;
        rest.texts = std::make_shared<const IdSet>(kernelsBy(database, one, Lead::Rows, rest.texts.get()));
    }
    FilterParts out;
    out.scopeId = parts.scopeId;
    out.groups = parts.groups;
    out.without = parts.without;
    out.texts = rest.rows.sql.empty() ? rest.texts : std::make_shared<const IdSet>(kernelsBy(database, rest, leadFor(rest)));
    return out;
}

FilterParts withFewLookUps(SQLite::Database& database, const FilterParts& parts)
{
    const bool isIndexed = std::ranges::none_of(parts.rowTerms, [](const RowTerm& term) { return term.index.empty(); });
    return parts.rowTerms.size() > 1 && isIndexed ? withRowsFound(database, parts) : parts;
}

FilterParts groupParts(std::int64_t scopeId, const TriageFilter& filter, std::string_view exceptKey)
{
    FilterParts parts;
    parts.scopeId = scopeId;
    for (const FilterTerm& term : filter.terms) {
        if (asksForGroup(term) && (exceptKey.empty() || term.key != exceptKey))
            parts.groups.andAlso(condition(term, scopeId, "g."));
    }
    return parts;
}

SqlCondition groupCondition(const FilterParts& parts)
{
    SqlCondition out{"g.scope_id = ?", {parts.scopeId}};
    if (!parts.groups.sql.empty())
        out.andAlso(parts.groups);
    return out;
}

Lead leadFor(const FilterParts& parts)
{
    // Looking a row up costs about four times as much as reading it in passing.
    constexpr std::size_t kManyTexts = 200'000;
    return parts.texts != nullptr && parts.texts->size() <= kManyTexts ? Lead::Texts : Lead::Rows;
}

std::string rowSource(const FilterParts& parts, Lead lead)
{
    if (lead == Lead::Codes)
        return "triage t INDEXED BY triage_code";
    if (lead == Lead::Marks)
        return "triage t INDEXED BY triage_marks";
    if (lead == Lead::Texts)
        return "triage t INDEXED BY triage_found";
    return parts.rowIndex.empty() ? "triage t" : "triage t INDEXED BY " + std::string(parts.rowIndex);
}

SqlCondition rowCondition(const FilterParts& parts, Lead lead)
{
    SqlCondition out{"t.scope_id = ?", {parts.scopeId}};
    if (lead == Lead::Marks)
        out.andAlso({std::string(kMarked), {}});
    if (lead == Lead::Texts)
        out.andAlso({"t.kernel_id IN (SELECT j.value FROM json_each(?) j)", {listOf(*parts.texts)}});
    if (!parts.rows.sql.empty())
        out.andAlso(parts.rows);
    if (!parts.groups.sql.empty() && lead != Lead::Caller) {
        // The unary plus keeps SQLite from leading with the code.
        SqlCondition codes = groupCondition(parts);
        codes.sql = std::string(lead == Lead::Codes ? "" : "+")
            + "t.facet_code IN (SELECT g.facet_code FROM triage_facet g WHERE " + codes.sql + ")";
        out.andAlso(codes);
    }
    if (lead == Lead::Caller)
        return out;
    if (parts.texts != nullptr && lead != Lead::Texts)
        out.andAlso({"id_in_set(t.kernel_id, ?)", {parts.texts}});
    if (parts.without != nullptr)
        out.andAlso({"NOT id_in_set(t.kernel_id, ?)", {parts.without}});
    return out;
}

CodeTest::CodeTest(SQLite::Database& database, const FilterParts& parts)
    : m_all(parts.groups.sql.empty())
{
    if (m_all)
        return;
    const SqlCondition where = groupCondition(parts);
    Statement statement(database, "SELECT g.facet_code FROM triage_facet g WHERE " + where.sql);
    bindValues(statement, where.values);
    std::vector<std::int64_t> codes;
    while (statement.step())
        codes.push_back(statement.integerAt(0));
    m_codes = tableOf(codes);
}

CodeTest::CodeTest(const std::vector<std::int64_t>& codes)
    : m_all(false)
    , m_codes(tableOf(codes))
{
}

CodeTable CodeTest::tableOf(const std::vector<std::int64_t>& codes)
{
    CodeTable table(codes.size());
    for (const std::int64_t code : codes)
        table.add(code, 0);
    return table;
}

int bindValues(Statement& statement, const std::vector<SqlValue>& values, int first)
{
    for (const SqlValue& value : values) {
        if (const auto* integer = std::get_if<std::int64_t>(&value))
            statement.integer(first++, *integer);
        else if (const auto* real = std::get_if<double>(&value))
            statement.real(first++, *real);
        else if (const auto* text = std::get_if<std::string>(&value))
            statement.text(first++, *text);
        else if (const auto* set = std::get_if<std::shared_ptr<const IdSet>>(&value))
            statement.pointer(first++, set->get(), kIdSetPointer);
        else
            statement.null(first++);
    }
    return first;
}

} // namespace assay::store
