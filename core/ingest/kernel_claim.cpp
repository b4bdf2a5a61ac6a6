// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/kernel_claim.h"

#include "core/ingest/language.h"
#include "core/ingest/op_family.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace assay::ingest {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The number right after the first `word` (and an optional separator) in @p path; 0 where there is none.
int numberAfter(std::string_view path, std::string_view word)
{
    for (std::size_t at = path.find(word); at != std::string_view::npos; at = path.find(word, at + 1)) {
        std::size_t digit = at + word.size();
        if (digit < path.size() && (path[digit] == '_' || path[digit] == '-'))
            ++digit;
        int number = 0;
        if (std::from_chars(path.data() + digit, path.data() + path.size(), number).ec == std::errc())
            return number;
    }
    return 0;
}

} // namespace

std::optional<double> looseNumber(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::optional<double> looseNumberAt(const json::Value& object, std::string_view key)
{
    const json::Value* value = json::find(object, key);
    if (value == nullptr)
        return std::nullopt;
    if (value->IsNumber())
        return value->GetDouble();
    return value->IsString() ? looseNumber({value->GetString(), value->GetStringLength()}) : std::nullopt;
}

std::optional<double> timedOnly(std::optional<double> value)
{
    return value && std::isfinite(*value) && *value > 0 ? value : std::nullopt;
}

std::string objectWithout(std::string_view text, std::initializer_list<std::string_view> left)
{
    return objectWithout(text, std::span<const std::string_view>(left.begin(), left.size()));
}

std::string objectWithout(std::string_view text, std::span<const std::string_view> left)
{
    std::string out = "{";
    for (const json::RawMember& member : json::rawMembers(text)) {
        if (std::find(left.begin(), left.end(), std::string_view(member.key)) != left.end())
            continue;
        out += (out.size() > 1 ? "," : "") + json::quoted(member.key) + ":";
        out += member.value;
    }
    return out + "}";
}

bool isGenerationFailure(std::string_view error)
{
    error = trimmed(error);
    if (error.find('\n') != std::string_view::npos)
        return false;
    return error.starts_with("'NoneType' object ") || error.starts_with("TypeError: 'NoneType' object ")
        || error == "No valid kernel found";
}

bool isLoadFailure(std::string_view errorName)
{
    for (const std::string_view name :
         {"SyntaxError", "IndentationError", "TabError", "SYNTAX_ERROR", "IMPORT_ERROR", "INSTANTIATION_ERROR"}) {
        if (errorName.find(name) != std::string_view::npos)
            return true;
    }
    return false;
}

void setClaim(store::KernelRecord& kernel, std::optional<bool> correct)
{
    kernel.claimedCorrect = correct;
    if (correct)
        kernel.claimStatus = *correct ? "accepted" : "rejected";
}

void describe(store::KernelRecord& kernel)
{
    if (kernel.title.empty())
        kernel.title = kernel.externalId;
    if (kernel.family == "unknown")
        kernel.family
            = opFamily(kernel.title, kernel.referenceSource ? std::string_view(*kernel.referenceSource) : std::string_view());
    if (kernel.language == "unknown" && kernel.candidateSource)
        kernel.language = languageOf(*kernel.candidateSource);
}

ProblemKey problemKeyOf(std::string_view path)
{
    ProblemKey key{numberAfter(path, "level"), numberAfter(path, "problem_")};
    if (key.problem == 0) {
        const std::string_view name = path.substr(path.find_last_of('/') + 1);
        std::from_chars(name.data(), name.data() + name.size(), key.problem);
    }
    return key;
}

} // namespace assay::ingest
