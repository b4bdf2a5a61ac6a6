// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/threshold_table.h"
#include "core/runner/thresholds_json.h"

#include <memory>
#include <string>
#include <string_view>

/// Which calibrated thresholds a judgement is asked for with.
namespace assay::runner {

/// A table and its version.
struct KnownTable {
    calibration::ThresholdTable table;
    std::string version;
};
using TablePtr = std::shared_ptr<const KnownTable>;

/// The choice of a person that wants no thresholds.
inline constexpr const char* kNoThresholds = "none";

/// The table to judge with under @p contract (as VerifyAsk takes it).
/// @param given   kNoThresholds, the path of a table, or "": the one that comes with the program, where one does and was made on
///                the kind of device that is judged on
/// @param device  "cpu", "cuda:0"
/// @return nothing where every limit is to be the rules' own
/// @throws Error  where a file is no table, or the contract names another one
TablePtr chooseThresholds(const std::string& given, const std::string& contract, std::string_view device);

/// The table that a stored contract names, to go on with what was begun under it; nothing where it names none.
/// @throws Error  where it is not the one that comes with the program
TablePtr thresholdsNamedBy(const std::string& contract);

/// The table in a file. @throws Error
TablePtr readThresholdFile(const std::string& path);

/// What a request for a kernel of @p family brings. @param table  may be nothing
AskedThresholds thresholdsFor(const TablePtr& table, std::string_view family);

} // namespace assay::runner
