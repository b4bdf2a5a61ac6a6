// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/records.h"
#include "core/text/json.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// What corpora say of their own kernels, read the same way by every importer.
namespace assay::ingest {

/// A number, also one written as text ("0.0123", "NaN"); "N/A", "" and null are nothing.
std::optional<double> looseNumber(std::string_view text);
std::optional<double> looseNumberAt(const json::Value& object, std::string_view key);

/// @p value where something was timed: corpora write -1.0 and 0.0 for "not measured" and for "not correct".
std::optional<double> timedOnly(std::optional<double> value);

/// The JSON object @p text without the members @p left (sources, conversations), every other byte of the members as written.
std::string objectWithout(std::string_view text, std::span<const std::string_view> left);
std::string objectWithout(std::string_view text, std::initializer_list<std::string_view> left);

/// True for the error of a harness that got no kernel from the model, and so says nothing about a kernel: the whole text is a
/// Python error about None ("'NoneType' object is not subscriptable"), or says that no kernel was found.
bool isGenerationFailure(std::string_view error);

/// True where an error names code that Python could not read or import, so that no kernel ran.
bool isLoadFailure(std::string_view errorName);

/// Fills claimedCorrect and claimStatus from a harness' yes or no; no answer leaves the status 'unknown'.
void setClaim(store::KernelRecord& kernel, std::optional<bool> correct);

/// Title, family and language where the importer left them open, from the title and the sources.
void describe(store::KernelRecord& kernel);

/// "level_1/5_Name" and the like as ("1", "5"): the first level and problem number that @p path names.
struct ProblemKey {
    int level = 0;   ///< 0: not named
    int problem = 0; ///< 0: not named
    auto operator<=>(const ProblemKey&) const = default;
};
ProblemKey problemKeyOf(std::string_view path);

} // namespace assay::ingest
