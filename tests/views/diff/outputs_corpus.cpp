// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/diff/outputs_corpus.h"

#include "core/store/corpus_writer.h"
#include "core/store/database.h"

#include <cmath>
#include <limits>
#include <string>

namespace assay::tests {

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<float> waves(const std::vector<std::int64_t>& shape)
{
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::sin(static_cast<float>(i % 997) * 0.05F) * static_cast<float>(1 + i % 7);
    return values;
}

tensorfile::LoadedTensor owned(std::vector<float> values, const std::vector<std::int64_t>& shape)
{
    auto owner = std::make_shared<std::vector<float>>(std::move(values));
    tensorfile::LoadedTensor loaded;
    loaded.view = tensor::TensorView::contiguous(owner->data(), tensor::DType::Float32, shape);
    loaded.owner = owner;
    return loaded;
}

store::ArtifactRecord artifact(const char* role, const tensorfile::LoadedTensor& tensor)
{
    store::ArtifactRecord record;
    record.gate = "EXC-01";
    record.role = role;
    record.dtype = "float32";
    record.shape = tensor.view.shape;
    record.bytes.assign(reinterpret_cast<const char*>(tensor.view.data),
                        static_cast<std::size_t>(tensor.view.count()) * sizeof(float));
    return record;
}

store::ImportedItem kernel(const char* id, contract::Verdict outcome)
{
    store::ImportedItem item;
    item.kernel.externalId = id;
    item.kernel.title = "attention";
    item.kernel.family = "attention";
    item.kernel.candidateSource = std::string("import torch  # ") + id;
    item.kernel.referenceSource = std::string("import torch  # reference of ") + id;
    item.rowBytes = std::string("row ") + id;
    item.verdict.emplace();
    item.verdict->status = "gated";
    item.verdict->outcome = outcome;
    item.verdict->severity = outcome == contract::Verdict::Fail ? contract::Severity::Hard : contract::Severity::None;
    item.verdict->accepted = item.verdict->audited = true;
    store::GateRecord gate;
    gate.gate = contract::Gate::Exc01;
    gate.verdict = outcome;
    gate.severity = item.verdict->severity;
    gate.checks.emplace_back();
    gate.checks.back().code = "EXC-01.swallow";
    gate.checks.back().verdict = outcome;
    item.verdict->gates = {gate};
    return item;
}

} // namespace

views::DiffSourcePtr makePair(const std::vector<std::int64_t>& shape, const std::function<void(std::vector<float>&)>& change,
                              const QString& name)
{
    std::vector<float> values = waves(shape);
    auto source = std::make_shared<views::DiffSource>();
    source->name = name;
    source->reference = owned(values, shape);
    change(values);
    source->candidate = owned(std::move(values), shape);
    return source;
}

views::DiffSourcePtr wrongTail()
{
    const std::vector<std::int64_t> shape{3, 4, 40, 50};
    const auto at = [](std::size_t a, std::size_t b, std::size_t row, std::size_t column) {
        return ((a * 4 + b) * 40 + row) * 50 + column;
    };
    const views::DiffSourcePtr pair = makePair(shape, [&](std::vector<float>& values) {
        for (std::size_t row = 0; row < 40; ++row) {
            for (std::size_t column = 43; column < 50; ++column)
                values[at(1, 2, row, column)] += 0.5F;
        }
        values[at(2, 0, 10, 20)] = kNaN;
        values[at(2, 0, 11, 20)] = std::numeric_limits<float>::infinity();
        values[0] = kNaN;
    });
    // The reference's first element too: nobody else has the bytes yet.
    *reinterpret_cast<float*>(const_cast<std::byte*>(pair->reference.view.data)) = kNaN;
    return pair;
}

void writeOutputsCorpus(const std::filesystem::path& path)
{
    const auto database = store::Database::open(path, store::OpenMode::ReadWriteCreate);
    store::CorpusWriter writer(*database, {"outputs", "import", "", "test", ""}, {"outputs.jsonl", "00"});
    store::AuditRecord audit;
    audit.name = "judged";
    writer.setAudit(audit);
    store::ImportedItem wrong = kernel("7", contract::Verdict::Fail);
    const views::DiffSourcePtr pair = wrongTail();
    wrong.artifacts
        = {artifact("reference", pair->reference), artifact("candidate", pair->candidate), artifact("input", pair->reference)};
    writer.add(wrong);
    writer.add(kernel("8", contract::Verdict::Pass));
    writer.commit();
}

} // namespace assay::tests
