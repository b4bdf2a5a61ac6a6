// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/audit/audited_corpus.h"

#include "tests/core/store/store_fixture.h"

namespace assay::tests {

namespace {

store::ImportedItem judgedKernel(int number)
{
    const std::string id = std::to_string(number);
    const bool hard = number <= 36;
    const bool soft = !hard && number <= 51;
    store::GateRecord exc = gate(contract::Gate::Exc01);
    store::GateRecord cmp = gate(contract::Gate::Cmp01);
    if (hard)
        exc = gate(contract::Gate::Exc01, contract::Verdict::Fail, contract::Severity::Hard, "nan_mask");
    if (soft)
        cmp = gate(contract::Gate::Cmp01, contract::Verdict::Fail, contract::Severity::Soft, "value", tensor::measured(0.5));
    store::ImportedItem item
        = sourceRow(id,
                    "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel_" + id
                        + "(x, y, n, BLOCK: tl.constexpr):\n    i = tl.program_id(0) * BLOCK + "
                          "tl.arange(0, BLOCK)\n    tl.store(y + i, tl.load(x + i, mask=i < n, other=0.0))\n",
                    "import torch\n\n\ndef reference(x):\n    return torch.cumsum(x, -1)\n");
    store::VerdictRecord judged = verdict({exc, cmp});
    judged.anyViolation = hard || soft;
    judged.toleranceFree = hard;
    judged.finding = hard ? "Returns finite values where the reference is NaN." : soft ? "Differs by 0.5." : "";
    item.verdict = std::move(judged);
    return item;
}

} // namespace

void writeAuditedCorpus(const std::filesystem::path& path)
{
    const auto database = store::Database::open(path, store::OpenMode::ReadWriteCreate);
    std::vector<store::ImportedItem> items;
    for (int number = 1; number <= 60; ++number)
        items.push_back(judgedKernel(number));
    import(*database, std::move(items), "first", "demo");
}

} // namespace assay::tests
