// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/kernel_claim.h"
#include "core/ingest/probe.h"
#include "core/ingest/row_loop.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

namespace assay::ingest {

namespace {

/// Errors that say that the harness could not judge, and nothing about the kernel.
bool isHarnessError(std::string_view code)
{
    return code == "SYSTEM_ERROR" || code == "RESOURCE_ERROR" || code == "UNKNOWN_ERROR";
}

/// KernelGYM accepts what compiled, matched and was timed: its speed-up is 0 for everything else, decoys too.
void applyResult(const json::Value& result, store::KernelRecord& kernel)
{
    const std::string code = json::stringAt(result, "error_code").value_or("");
    setClaim(kernel, json::boolAt(result, "correctness"));
    if (json::boolAt(result, "compiled") == false || json::boolAt(result, "decoy_kernel") == true)
        setClaim(kernel, false);
    if (!code.empty() && kernel.claimedCorrect != true)
        setClaim(kernel, false);
    if (isHarnessError(code)) {
        kernel.claimedCorrect.reset();
        kernel.claimStatus = "unknown";
    } else if (isLoadFailure(code)) {
        kernel.claimStatus = "load_failed";
    } else if (kernel.claimedCorrect != true && isGenerationFailure(json::stringAt(result, "error_message").value_or(""))) {
        kernel.claimStatus = "generation_failed";
    }
    kernel.claimedSpeedup = timedOnly(looseNumberAt(result, "speedup"));
    if (const json::Value* metadata = json::find(result, "metadata"); metadata != nullptr) {
        kernel.hardware = json::stringAt(*metadata, "gpu_name").value_or(json::stringAt(*metadata, "hardware").value_or(""));
        if (const auto backend = json::stringAt(*metadata, "backend"); backend && (*backend == "triton" || *backend == "cuda"))
            kernel.language = *backend;
    }
}

store::ImportedItem itemOf(const Line& line, const json::Document& row)
{
    const json::Value* result = json::find(row, "result");
    if (result == nullptr)
        result = &row;
    if (!result->IsObject())
        throw Error("the row has no result", "", "");
    store::ImportedItem item;
    item.line = line.number;
    item.byte = line.byte;
    store::KernelRecord& kernel = item.kernel;
    kernel.externalId = json::stringAt(row, "task_id").value_or(json::stringAt(*result, "task_id").value_or(""));
    if (kernel.externalId.empty())
        throw Error("the row has no task_id", "", "");
    const std::string base = json::stringAt(row, "base_task_id").value_or("");
    kernel.title = base.empty() ? kernel.externalId : base;
    for (const json::Value* from : {&static_cast<const json::Value&>(row), result}) {
        if (!kernel.candidateSource)
            kernel.candidateSource = json::stringAt(*from, "kernel_code");
        if (!kernel.referenceSource)
            kernel.referenceSource = json::stringAt(*from, "reference_code");
    }
    kernel.entryPoint = json::stringAt(row, "entry_point").value_or("Model") + "New";
    kernel.claim = objectWithout(line.text, {"kernel_code", "reference_code"});
    if (const std::string backend = json::stringAt(row, "backend").value_or(""); backend == "triton" || backend == "cuda")
        kernel.language = backend;
    applyResult(*result, kernel);
    describe(kernel);
    item.rowBytes = line.text;
    return item;
}

/// Results as KernelGYM's evaluation server persists them, one a line.
class KernelGymImporter : public Importer {
public:
    std::string_view format() const override { return "kernelgym"; }
    std::string_view description() const override { return "results that a KernelGYM server persisted, JSON Lines"; }

    int sniff(const Probe& probe) const override
    {
        if (probe.shape != ContentShape::JsonLines && probe.shape != ContentShape::JsonObject)
            return 0;
        if (hasKeys(probe, "task_id", "result"))
            return 90;
        return hasKeys(probe, "task_id", "correctness", "kernel_runtime", "compiled") ? 85 : 0;
    }

    void read(const std::filesystem::path& path, const ImportOptions&, store::CorpusWriter& writer,
              const JobControl& control) const override
    {
        forEachJsonLine(path, writer, control,
                        [&writer](const Line& line, const json::Document& row) { writer.add(itemOf(line, row)); });
    }
};

} // namespace

std::unique_ptr<Importer> makeKernelGymImporter()
{
    return std::make_unique<KernelGymImporter>();
}

} // namespace assay::ingest
