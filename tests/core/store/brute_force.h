// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "tests/core/store/triage_fixture.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <tuple>

/// The filter language and the sort order a second time, in the plainest C++ that states them. Shares no line with the store.
namespace assay::tests {

inline std::vector<std::string> tokens(const std::string& text)
{
    std::vector<std::string> out(1);
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
            out.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!out.back().empty())
            out.emplace_back();
    }
    if (out.back().empty())
        out.pop_back();
    return out;
}

/// Whether @p phrase stands in @p text word by word; with @p goesOn its last word may be the beginning of one.
inline bool hasPhrase(const std::string& text, const std::string& phrase, bool goesOn)
{
    const auto words = tokens(text);
    const auto wanted = tokens(phrase);
    if (wanted.empty())
        return false;
    for (std::size_t start = 0; start + wanted.size() <= words.size(); ++start) {
        bool all = true;
        for (std::size_t i = 0; i < wanted.size() && all; ++i)
            all = goesOn && i + 1 == wanted.size() ? words[start + i].starts_with(wanted[i]) : words[start + i] == wanted[i];
        if (all)
            return true;
    }
    return false;
}

inline bool compares(double left, const std::string& op, double right)
{
    return op == "<" ? left < right
        : op == "<=" ? left <= right
        : op == ">"  ? left > right
        : op == ">=" ? left >= right
                     : left == right;
}

inline bool numberMatches(const tensor::Measured& m, const std::string& op, const std::string& value)
{
    using tensor::ValueClass;
    if (value == "none")
        return !m.isPresent();
    if (value == "nan")
        return m.valueClass == ValueClass::NaN;
    if (value == "inf")
        return m.valueClass == ValueClass::PosInf || m.valueClass == ValueClass::NegInf;
    if (value == "+inf")
        return m.valueClass == ValueClass::PosInf;
    if (value == "-inf")
        return m.valueClass == ValueClass::NegInf;
    if (value == "finite")
        return m.isFinite();
    if (!m.isPresent() || m.valueClass == ValueClass::NaN)
        return false;
    return compares(tensor::toDouble(m), op, std::strtod(value.c_str(), nullptr));
}

inline tensor::Measured plain(const std::optional<double>& value)
{
    return value ? tensor::measured(*value) : tensor::Measured{};
}

inline bool cellMatches(contract::StripCell cell, const std::string& word)
{
    using contract::StripCell;
    if (word == "fail")
        return contract::isFailing(cell);
    if (word == "hard")
        return cell == StripCell::FailHard;
    if (word == "soft")
        return cell == StripCell::FailSoft;
    if (word == "pass")
        return cell == StripCell::Pass || cell == StripCell::PassWithNote;
    if (word == "note")
        return cell == StripCell::PassWithNote;
    return contract::name(cell) == word;
}

inline bool valueMatches(const KnownKernel& k, const store::FilterTerm& term, const std::string& value, bool goesOn)
{
    const store::TriageRow& row = k.row;
    const auto optionalInt = [](const std::optional<int>& n) { return n ? tensor::measured(*n) : tensor::Measured{}; };
    if (term.key.empty()) {
        for (const std::string& text : {row.title, row.externalId, k.finding, k.source, k.note}) {
            if (hasPhrase(text, value, goesOn))
                return true;
        }
        return false;
    }
    const std::map<std::string, std::string> texts
        = {{"family", row.family},     {"language", row.language}, {"status", row.status}, {"claim", row.claim},
           {"baseline", row.baseline}, {"reason", row.leadReason}, {"id", row.externalId}};
    if (const auto text = texts.find(term.key); text != texts.end())
        return text->second == value;
    if (term.key == "outcome")
        return row.outcome == value
            || (value == "fail" && (row.outcome.starts_with("fail_") || row.outcome == "crash" || row.outcome == "timeout"));
    const std::map<std::string, tensor::Measured> numbers = {{"error", row.error},
                                                             {"relative", row.relative},
                                                             {"speedup", plain(row.speedup)},
                                                             {"elapsed", plain(row.elapsedSeconds)},
                                                             {"hard", tensor::measured(row.hardFailures)},
                                                             {"soft", tensor::measured(row.softFailures)},
                                                             {"exercised", optionalInt(row.exercised)}};
    if (const auto number = numbers.find(term.key); number != numbers.end())
        return numberMatches(number->second, term.op, value);
    const std::map<std::string, bool> flags
        = {{"accepted", k.accepted}, {"audited", k.audited}, {"tolerance_free", k.toleranceFree}, {"violation", k.anyViolation},
           {"noted", row.hasNote},   {"waived", row.waived}, {"bookmarked", row.bookmarked},      {"sourced", row.hasSource}};
    if (term.key == "is")
        return flags.at(value);
    if (term.key == "rule")
        return value == "test-rules/violation" && k.ruleViolation;
    const auto gate = contract::gateFromId(term.key == "gate" ? value : term.key);
    return gate && cellMatches(row.strip.cell(*gate), term.key == "gate" ? "fail" : value);
}

inline bool matches(const KnownKernel& kernel, const store::TriageFilter& filter)
{
    const store::FilterTerm* lastText = nullptr;
    for (const store::FilterTerm& term : filter.terms)
        lastText = term.key.empty() ? &term : lastText;
    for (const store::FilterTerm& term : filter.terms) {
        bool any = false;
        if (term.key == "fails") {
            std::set<std::string> failing;
            for (const contract::Gate gate : contract::kAllGates) {
                if (contract::isFailing(kernel.row.strip.cell(gate)))
                    failing.insert(std::string(contract::id(gate)));
            }
            any = term.values.front() == "none" ? failing.empty()
                                                : failing == std::set<std::string>(term.values.begin(), term.values.end());
        } else {
            for (const std::string& value : term.values)
                any = any
                    || valueMatches(kernel, term, value, &term == lastText && !term.negated && &value == &term.values.back());
        }
        if (any == term.negated)
            return false;
    }
    return true;
}

/// (class rank, number, text) of the sorted column; class rank 9 is "no value".
using SortKey = std::tuple<int, double, std::string>;

inline SortKey sortKey(const KnownKernel& k, store::TriageColumn column)
{
    using store::TriageColumn;
    const store::TriageRow& row = k.row;
    const auto number = [](const tensor::Measured& m) -> SortKey {
        using tensor::ValueClass;
        const std::map<ValueClass, int> ranks = {{ValueClass::Absent, 9},
                                                 {ValueClass::NegInf, 0},
                                                 {ValueClass::Finite, 1},
                                                 {ValueClass::PosInf, 2},
                                                 {ValueClass::NaN, 3}};
        return {ranks.at(m.valueClass), m.isFinite() ? m.value : 0.0, ""};
    };
    switch (column) {
    case TriageColumn::Id:
        return {k.externalNumber ? 0 : 1, k.externalNumber ? static_cast<double>(*k.externalNumber) : 0.0, row.externalId};
    case TriageColumn::Title:
        return {0, 0, row.title};
    case TriageColumn::Family:
        return {0, 0, row.family};
    case TriageColumn::Language:
        return {0, 0, row.language};
    case TriageColumn::Outcome:
        return {0, 0, row.outcome};
    case TriageColumn::Status:
        return {0, 0, row.status};
    case TriageColumn::Claim:
        return {0, 0, row.claim};
    case TriageColumn::Baseline:
        return {0, 0, row.baseline};
    case TriageColumn::Gates:
        return {0, row.strip.failMask(), ""};
    case TriageColumn::Reason:
        return {0, 0, row.leadReason};
    case TriageColumn::HardFailures:
        return {0, row.hardFailures, ""};
    case TriageColumn::SoftFailures:
        return {0, row.softFailures, ""};
    case TriageColumn::Exercised:
        return number(row.exercised ? tensor::measured(*row.exercised) : tensor::Measured{});
    case TriageColumn::Error:
        return number(row.error);
    case TriageColumn::Relative:
        return number(row.relative);
    case TriageColumn::Speedup:
        return number(plain(row.speedup));
    case TriageColumn::Elapsed:
        return number(plain(row.elapsedSeconds));
    case TriageColumn::Flags:
        return {0, row.bookmarked * 4 + row.waived * 2 + row.hasNote, ""};
    }
    return {};
}

inline std::vector<std::int64_t> expectedIds(const std::vector<KnownKernel>& kernels, const store::TriageFilter& filter,
                                             const store::TriageSort& sort)
{
    std::vector<const KnownKernel*> kept;
    for (const KnownKernel& kernel : kernels) {
        if (matches(kernel, filter))
            kept.push_back(&kernel);
    }
    std::ranges::sort(kept, [&](const KnownKernel* a, const KnownKernel* b) {
        const SortKey left = sortKey(*a, sort.column);
        const SortKey right = sortKey(*b, sort.column);
        const bool leftAbsent = std::get<0>(left) == 9;
        const bool rightAbsent = std::get<0>(right) == 9;
        if (leftAbsent != rightAbsent)
            return rightAbsent;
        if (left != right)
            return sort.descending ? right < left : left < right;
        const auto natural = [](const KnownKernel& k) {
            return std::tuple(!k.externalNumber.has_value(), k.externalNumber.value_or(0), k.row.externalId, k.row.kernelId);
        };
        return natural(*a) < natural(*b);
    });
    std::vector<std::int64_t> ids;
    for (const KnownKernel* kernel : kept)
        ids.push_back(kernel->row.kernelId);
    return ids;
}

} // namespace assay::tests
