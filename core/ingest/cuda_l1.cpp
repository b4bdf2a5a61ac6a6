// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/kernel_claim.h"
#include "core/ingest/probe.h"
#include "core/ingest/row_loop.h"
#include "core/text/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace assay::ingest {

namespace {

/// The rows do not say which GPU they were timed on; the files are named after it ("h100.json", "rtx_3090.json").
std::string hardwareOf(const std::filesystem::path& path, const ImportOptions& options)
{
    if (const auto named = options.values.find("hardware"); named != options.values.end())
        return named->second;
    std::filesystem::path name = path.filename();
    while (name.has_extension())
        name = name.stem();
    std::string text = name.string();
    std::string letters;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            letters += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    static constexpr std::string_view kKnown[] = {"A100", "H100", "H200", "H20", "L40", "L40S", "RTX3090", "RTX4090", "B200"};
    return std::find(std::begin(kKnown), std::end(kKnown), letters) == std::end(kKnown) ? std::string() : letters;
}

store::ImportedItem itemOf(const Line& line, const json::Document& row, const std::string& hardware)
{
    const auto level = json::integerAt(row, "level_id");
    const auto task = json::integerAt(row, "task_id");
    if (!level || !task)
        throw Error("the row does not name its level and task", "", "");
    store::ImportedItem item;
    item.line = line.number;
    item.byte = line.byte;
    item.rowBytes = line.text;
    store::KernelRecord& kernel = item.kernel;
    kernel.externalId = fmt::format("level_{}_task_{}", *level, *task);
    kernel.title = fmt::format("level {} task {}", *level, *task);
    kernel.referenceSource = json::stringAt(row, "ref_code");
    kernel.candidateSource = json::stringAt(row, "custom_code");
    kernel.entryPoint = "ModelNew";
    kernel.hardware = hardware;
    kernel.claim = objectWithout(line.text, {"ref_code", "custom_code", "cuda_graph_code", "cudnn_code"});
    kernel.claimedSpeedup = timedOnly(looseNumberAt(row, "score_default"));
    // The set holds what passed the authors' own check; a task without code is one they found nothing for.
    if (kernel.candidateSource)
        setClaim(kernel, true);
    else
        kernel.claimStatus = "no_candidate";
    describe(kernel);
    return item;
}

/// The optimised kernels of CUDA-L1, one task a line, one file a GPU.
class CudaL1Importer : public Importer {
public:
    std::string_view format() const override { return "cuda-l1"; }
    std::string_view description() const override
    {
        return "CUDA-L1's optimised kernels, JSON Lines under a .json name; option hardware=GPU";
    }

    std::vector<std::string_view> optionKeys() const override { return {"hardware"}; }

    int sniff(const Probe& probe) const override
    {
        const bool rows = probe.shape == ContentShape::JsonLines || probe.shape == ContentShape::JsonObject;
        return rows && hasKeys(probe, "level_id", "task_id", "ref_code", "custom_code") ? 95 : 0;
    }

    void read(const std::filesystem::path& path, const ImportOptions& options, store::CorpusWriter& writer,
              const JobControl& control) const override
    {
        const std::string hardware = hardwareOf(path, options);
        forEachJsonLine(path, writer, control, [&writer, &hardware](const Line& line, const json::Document& row) {
            writer.add(itemOf(line, row, hardware));
        });
    }
};

} // namespace

std::unique_ptr<Importer> makeCudaL1Importer()
{
    return std::make_unique<CudaL1Importer>();
}

} // namespace assay::ingest
