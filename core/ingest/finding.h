// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/reason_parser.h"
#include "core/store/records.h"

#include <string>
#include <string_view>
#include <vector>

/// One-sentence findings with the number that matters, from what a record says and never more than it says.
namespace assay::ingest {

/// Two significant digits: "0.29", "1.9", "1.1e+22", "8.0e-5", "NaN", "inf".
std::string shortNumber(double value);

/// What one check found: "off by 1.1e+22 on random[0], 8.0e-5 of the output's scale, 1.9 times the allowed 6.1e+21".
std::string checkFinding(const ReasonFact& fact);

/// The leading check's finding under the gate's id, and how many other checks of the gate failed.
/// @param facts  not empty
std::string gateFinding(contract::Gate gate, const std::vector<ReasonFact>& facts);

/// The gate that speaks for a verdict: the heaviest severity, then the order of the strip; nullptr where no gate counts against
/// the candidate.
const store::GateRecord* leadingGate(const store::VerdictRecord& verdict);

/// First line of a message, cut to a length that fits a table, control characters made blanks.
std::string firstLine(std::string_view message);

} // namespace assay::ingest
