// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/sample_estimate.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

/// What a gate said of a kernel, verbatim.
struct QuotedGate {
    std::string gate; ///< "EXC-01"
    std::string text; ///< the audit's reason, else the finding
};

/// A kernel of the sample with everything its entry in the appendix quotes.
struct ReportItem {
    store::SampleItem item;
    std::optional<store::FinalLabel> final;
    std::vector<store::LabelRow> labels; ///< that hold, adjudications included
    std::string finding;                 ///< one sentence, "" without a verdict
    std::vector<QuotedGate> gates;       ///< that fail
    std::string claim;                   ///< what the corpus claimed of it: "accepted", "rejected", ...
    std::optional<double> speedup;
};

struct SampleReport {
    SampleEstimate estimate;
    std::vector<ReportItem> items; ///< in the order they were judged
};

/// @param planName  "" : the newest @throws Error, DatabaseError, Cancelled
SampleReport buildSampleReport(store::Database& database, const std::string& planName);

/// "assay.sample/1": the plan, the estimates and the agreement. @param items  with every kernel and its labels
std::string toJson(const SampleEstimate& estimate);
/// A plan alone, "assay.sample-plan/1".
std::string toJson(const store::SamplePlan& plan);
std::string toText(const store::SamplePlan& plan); ///< for a terminal
std::string toText(const SampleEstimate& estimate);

/// One line a kernel and label that holds, with identity, stratum and weight; kernels without a label have one line too.
std::string toCsv(const SampleReport& report);
/// An appendix: method, results, limits, agreement, and every kernel with its labels and quoted evidence.
std::string toMarkdown(const SampleReport& report);
/// The same as one page that stands alone, with its figure.
std::string toHtml(const SampleReport& report);

} // namespace assay::report
