// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/sample_report.h"

#include <string>
#include <vector>

/// Sentences that every form of the sample report shares.
namespace assay::report {

/// "0.888 to 1"
std::string shareRange(const sampling::Interval& interval);

/// "0.95 (95 % interval 0.80 to 0.99, as much as 17 kernels drawn at random)", or that nothing can be said yet.
std::string sentence(const std::optional<sampling::StratifiedEstimate>& estimate);

/// What was done: frame, strata, allocation, draw, labelling, estimators. One paragraph an element.
std::vector<std::string> methodParagraphs(const SampleEstimate& estimate);

/// What the numbers do not say, for this sample: one sentence an element, none where nothing limits them.
std::vector<std::string> limits(const SampleEstimate& estimate);

/// The results in sentences, the main one first.
std::vector<std::string> resultSentences(const SampleEstimate& estimate);

/// "ada against bob: 9 of 11 alike, kappa 0.62 (95 % bootstrap interval 0.10 to 1), PABAK 0.76"
std::string sentence(const ReviewerPair& pair);

/// Heads and cells of the table of strata and of the one of gates.
struct TextTable {
    std::vector<std::string> heads;
    std::vector<bool> isNumber;
    std::vector<std::vector<std::string>> rows;
};
TextTable stratumTable(const SampleEstimate& estimate);
TextTable gateTable(const SampleEstimate& estimate);

/// "confirmed defect", "disputed", "not labelled".
std::string finalWord(const ReportItem& item);

} // namespace assay::report
