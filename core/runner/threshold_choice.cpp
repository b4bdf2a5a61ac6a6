// SPDX-License-Identifier: Apache-2.0
#include "core/runner/threshold_choice.h"

#include "core/ingest/data_file.h"
#include "core/runner/contract_json.h"
#include "core/runner/verify_ask.h"
#include "core/text/error.h"

#include <filesystem>
#include <utility>

namespace assay::runner {

namespace {

constexpr const char* kShipped = "calibration/thresholds.json";

/// The table that @p contract names: "" where it is a profile or names none.
std::string versionIn(const std::string& contract)
{
    json::Document document;
    if (!contract.starts_with('{') || json::parse(contract, document))
        return {};
    return readContract(document).thresholds.version;
}

TablePtr shipped()
{
    const std::filesystem::path path = ingest::dataFile(kShipped);
    return std::filesystem::exists(path) ? readThresholdFile(path.string()) : nullptr;
}

void requireVersion(const TablePtr& table, const std::string& version)
{
    if (!version.empty() && (table == nullptr || table->version != version))
        throw Error("the contract names thresholds of version " + version.substr(0, 12) + ", which are not at hand",
                    "--thresholds", "Name their file, or take \"thresholds\" out of the contract");
}

} // namespace

TablePtr readThresholdFile(const std::string& path)
{
    auto known = std::make_shared<KnownTable>();
    known->table = calibration::readThresholdTable(readSource(path, "the thresholds").text, path);
    known->version = calibration::versionOf(known->table);
    return known;
}

TablePtr chooseThresholds(const std::string& given, const std::string& contract, std::string_view device)
{
    TablePtr table = given == kNoThresholds ? nullptr : given.empty() ? shipped() : readThresholdFile(given);
    if (given.empty() && table != nullptr && table->table.kind != device.substr(0, device.find(':')))
        table = nullptr;
    requireVersion(table, versionIn(contract));
    return table;
}

TablePtr thresholdsNamedBy(const std::string& contract)
{
    const std::string version = versionIn(contract);
    if (version.empty())
        return nullptr;
    TablePtr table = shipped();
    requireVersion(table, version);
    return table;
}

AskedThresholds thresholdsFor(const TablePtr& table, std::string_view family)
{
    AskedThresholds asked;
    if (table == nullptr)
        return asked;
    asked.table = {table->version, table->table.device};
    asked.cells.version = table->version;
    for (const calibration::ThresholdRow& row : table->table.of(family)) {
        const auto gate = contract::gateFromId(row.gate);
        const auto dtype = tensor::dtypeFromName(row.dtype);
        if (gate && dtype && tensor::isFloating(*dtype))
            asked.cells.cells.push_back({*gate, *dtype, *row.threshold, row.holdOutBound});
    }
    return asked;
}

} // namespace assay::runner
