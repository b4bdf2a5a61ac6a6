// SPDX-License-Identifier: Apache-2.0
#include "core/store/filter_keys.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace assay::store {

namespace {

using namespace std::string_view_literals;
using contract::StripCell;

constexpr std::array kOutcomes
    = {"pass"sv,    "pass_with_note"sv, "fail"sv,        "fail_hard"sv,     "fail_soft"sv, "crash"sv,   "timeout"sv,   "error"sv,
       "unknown"sv, "inapplicable"sv,   "unsupported"sv, "not_exercised"sv, "absent"sv,    "running"sv, "not_judged"sv};
constexpr std::array kClaims
    = {"accepted"sv, "rejected"sv, "generation_failed"sv, "load_failed"sv, "no_candidate"sv, "unknown"sv};
constexpr std::array kBaselines = {"pass"sv, "fail"sv, "none"sv};
constexpr std::array kFlags
    = {"accepted"sv, "audited"sv, "tolerance_free"sv, "violation"sv, "noted"sv, "waived"sv, "bookmarked"sv, "sourced"sv};
constexpr std::array kMeasured = {"nan"sv, "inf"sv, "+inf"sv, "-inf"sv, "finite"sv, "none"sv};
constexpr std::array kNumberWords = {"none"sv};
constexpr std::array kGates = {"CMP-01"sv, "CMP-02"sv, "CMP-03"sv, "EXC-01"sv, "EXC-02"sv, "ORD-01"sv,
                               "ORD-02"sv, "ORD-03"sv, "PRC-01"sv, "PRC-02"sv, "RES-01"sv, "RES-02"sv};
static_assert(kGates.size() == contract::kGateCount);

constexpr std::array kKeys = {
    FilterKey{"family", FilterKeyKind::Open, "family", {}},
    FilterKey{"language", FilterKeyKind::Open, "language", {}},
    FilterKey{"outcome", FilterKeyKind::Closed, "outcome", kOutcomes},
    FilterKey{"status", FilterKeyKind::Open, "status", {}},
    FilterKey{"claim", FilterKeyKind::Closed, "claim", kClaims},
    FilterKey{"baseline", FilterKeyKind::Closed, "baseline", kBaselines},
    FilterKey{"reason", FilterKeyKind::Open, "lead_reason", {}},
    FilterKey{"id", FilterKeyKind::Identity, "external_id", {}},
    FilterKey{"gate", FilterKeyKind::Gate, "fail_mask", kGates},
    FilterKey{"fails", FilterKeyKind::FailSet, "fail_mask", kGates},
    FilterKey{"is", FilterKeyKind::Flag, "", kFlags},
    FilterKey{"error", FilterKeyKind::Measured, "error", kMeasured},
    FilterKey{"relative", FilterKeyKind::Measured, "relative", kMeasured},
    FilterKey{"speedup", FilterKeyKind::Number, "speedup", kNumberWords},
    FilterKey{"elapsed", FilterKeyKind::Number, "elapsed_seconds", kNumberWords},
    FilterKey{"hard", FilterKeyKind::Number, "hard_failures", kNumberWords},
    FilterKey{"soft", FilterKeyKind::Number, "soft_failures", kNumberWords},
    FilterKey{"exercised", FilterKeyKind::Number, "exercised", kNumberWords},
    FilterKey{"rule", FilterKeyKind::Rule, "", {}},
};

constexpr std::array kCellWords
    = {"fail"sv,          "hard"sv,    "soft"sv,  "pass"sv,    "note"sv,  "inapplicable"sv, "unsupported"sv,
       "not_exercised"sv, "unknown"sv, "crash"sv, "timeout"sv, "error"sv, "absent"sv,       "running"sv};

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

} // namespace

std::span<const FilterKey> filterKeys()
{
    return kKeys;
}

const FilterKey* findFilterKey(std::string_view text)
{
    const std::string wanted = lowerCase(text);
    const auto found = std::ranges::find(kKeys, std::string_view(wanted), &FilterKey::name);
    return found == kKeys.end() ? nullptr : &*found;
}

std::span<const std::string_view> cellWords()
{
    return kCellWords;
}

std::vector<StripCell> cellsOf(std::string_view word)
{
    if (word == "fail")
        return {StripCell::FailHard, StripCell::FailSoft, StripCell::Crash, StripCell::Timeout};
    if (word == "pass")
        return {StripCell::Pass, StripCell::PassWithNote};
    if (word == "hard")
        return {StripCell::FailHard};
    if (word == "soft")
        return {StripCell::FailSoft};
    if (word == "note")
        return {StripCell::PassWithNote};
    for (int i = 0; i <= static_cast<int>(StripCell::PassWithNote); ++i) {
        const auto cell = static_cast<StripCell>(i);
        if (contract::name(cell) == word)
            return {cell};
    }
    return {};
}

std::vector<std::string_view> outcomesOf(std::string_view word)
{
    if (word == "fail")
        return {"fail_hard", "fail_soft", "crash", "timeout"};
    const auto found = std::ranges::find(kOutcomes, word);
    return found == kOutcomes.end() ? std::vector<std::string_view>{} : std::vector<std::string_view>{*found};
}

std::string_view flagColumn(std::string_view word)
{
    if (word == "violation")
        return "any_violation";
    if (word == "noted")
        return "has_note";
    if (word == "sourced")
        return "has_source";
    const auto found = std::ranges::find(kFlags, word);
    return found == kFlags.end() ? std::string_view() : *found;
}

std::string_view ruleColumn(std::string_view word)
{
    if (word == "violation")
        return "any_violation";
    if (word == "audited" || word == "tolerance_free" || word == "forgiven")
        return word;
    return {};
}

std::span<const std::string_view> measuredWords()
{
    return kMeasured;
}

std::string lowerCase(std::string_view text)
{
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

std::string nearestWord(std::string_view text, std::span<const std::string_view> known)
{
    // A word ten times as long as any key is no slip of the finger, and edit distance costs its length.
    constexpr std::size_t kLongest = 64;
    if (text.empty() || text.size() > kLongest)
        return {};
    const std::string wanted = lowerCase(text);
    std::string_view best;
    std::size_t bestDistance = kLongest;
    for (const std::string_view word : known) {
        const std::string candidate = lowerCase(word);
        const bool begins = wanted.size() >= 2 && candidate.starts_with(wanted);
        const std::size_t distance = begins ? 1 : editDistance(wanted, candidate);
        if (distance <= std::max<std::size_t>(2, word.size() / 3) && distance < std::max(wanted.size(), word.size())
            && distance < bestDistance) {
            best = word;
            bestDistance = distance;
        }
    }
    return std::string(best);
}

} // namespace assay::store
