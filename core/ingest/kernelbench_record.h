// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/records.h"
#include "core/text/json.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// KernelBench's evaluation records: eval_results.json in its variants, and one record a line or a file.
namespace assay::ingest {

/// One evaluation as the file wrote it.
struct KernelBenchRecord {
    int problem = 0;
    int sample = 0;
    std::int64_t byte = 0; ///< offset in its file
    std::string text;      ///< verbatim JSON object
};

/// The records of an eval_results.json: per problem a list of samples, one sample, or samples by number; or one list of records
/// that name their problem. What is not a record goes to @p reject with its byte, pointer and reason.
std::vector<KernelBenchRecord> kernelBenchRecords(
    std::string_view text, const std::function<void(std::int64_t, const std::string&, const std::string&)>& reject);

/// Baseline runtimes in milliseconds by level and problem file, of one baseline_time_*.json.
class BaselineTimes {
public:
    /// Reads what is there; @return false when @p text is not such a file.
    bool read(std::string_view text);

    /// Mean runtime of the problem on @p hardware; nothing where that was not timed.
    std::optional<double> mean(int level, int problem, std::string_view hardware) const;

private:
    struct Time {
        double milliseconds = 0;
        std::string hardware;
    };
    std::map<std::pair<int, int>, std::vector<Time>> m_times;
};

/// Fills the claim of @p kernel from one evaluation @p record: correct, status, speed-up where both sides were timed, hardware.
/// runtime -1.0 means "not timed".
/// @param baseline  used where the record itself has no reference runtime
void applyKernelBenchRecord(const json::Value& record, std::string_view text, const BaselineTimes& baseline, int level,
                            int problem, store::KernelRecord& kernel);

} // namespace assay::ingest
