// SPDX-License-Identifier: Apache-2.0
#include "core/runner/evidence_json.h"

#include "core/text/base64.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace assay::runner {

namespace {

using tensor::HostTensor;

struct Piece {
    std::string role;
    std::string name;
    HostTensor value;
};

void addLeaves(std::vector<Piece>& pieces, const char* role, const std::vector<HostTensor>& leaves)
{
    for (std::size_t i = 0; i < leaves.size(); ++i)
        pieces.push_back({role, std::to_string(i), leaves[i]});
}

void addState(std::vector<Piece>& pieces, const char* role, const contract::ModuleState& state)
{
    for (const contract::StateEntry& entry : state)
        pieces.push_back({role, entry.name, entry.value});
}

std::vector<HostTensor> inputsOf(const contract::CheckResult& check)
{
    if (check.evidence)
        return check.evidence->inputs;
    return check.stimulus.call ? check.stimulus.call->inputs : std::vector<HostTensor>();
}

std::vector<Piece> piecesOf(const contract::CheckResult& check)
{
    std::vector<Piece> pieces;
    const contract::CallSetup* const call = check.stimulus.call.get();
    addLeaves(pieces, "input", inputsOf(check));
    if (call != nullptr) {
        addLeaves(pieces, "init", call->initLeaves);
        addState(pieces, "reference_state", call->referenceState);
        addState(pieces, "candidate_state", call->candidateState);
    }
    if (check.evidence && check.evidence->reference)
        pieces.push_back({"reference", check.evidence->outputPath, *check.evidence->reference});
    if (check.evidence && check.evidence->candidate)
        pieces.push_back({"candidate", check.evidence->outputPath, *check.evidence->candidate});
    return pieces;
}

void integers(json::Writer& writer, const std::vector<std::int64_t>& values)
{
    writer.StartArray();
    for (const std::int64_t value : values)
        writer.Int64(value);
    writer.EndArray();
}

void writePiece(json::ObjectText& out, const Piece& piece)
{
    const HostTensor rows = piece.value.contiguous();
    const auto bytes = rows.bytes();
    out.text("role", piece.role);
    out.text("name", piece.name);
    out.text("dtype", tensor::name(rows.dtype()));
    integers(out.key("shape"), rows.shape());
    if (!piece.value.isContiguous())
        integers(out.key("strides"), piece.value.strides());
    out.text("data", toBase64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

void writeCall(json::ObjectText& out, const contract::CheckResult& check, const std::vector<std::string>& leftOut)
{
    const contract::CallSetup& call = *check.stimulus.call;
    out.text("role", "call");
    out.text("name", "call");
    out.object("data", [&] {
        for (const auto& [key, tree] : {std::pair("init", &call.init), {"arguments", &call.arguments}}) {
            if (tree->empty())
                out.null(key);
            else
                out.key(key).RawValue(tree->data(), tree->size(), rapidjson::kObjectType);
        }
        out.text("cast", call.cast);
        out.key("seed").Uint64(check.stimulus.runSeed);
        out.texts("left_out", leftOut);
        std::vector<std::int64_t> leads;
        for (const HostTensor& input : inputsOf(check))
            leads.push_back(input.offsetBytes() / tensor::sizeOf(input.dtype()));
        if (std::ranges::any_of(leads, [](std::int64_t lead) { return lead != 0; }))
            integers(out.key("leads"), leads);
    });
}

} // namespace

bool hasEvidence(const contract::CheckResult& check)
{
    return check.evidence || check.stimulus.call;
}

void writeEvidence(json::ObjectText& out, const contract::CheckResult& check, std::int64_t limit)
{
    std::vector<Piece> kept;
    std::vector<std::string> leftOut;
    for (Piece& piece : piecesOf(check)) {
        if (piece.value.count() * tensor::sizeOf(piece.value.dtype()) <= limit)
            kept.push_back(std::move(piece));
        else
            leftOut.push_back(piece.role + " " + piece.name);
    }
    // The call comes last and stands for itself, so that a reader knows the tensors that its trees name.
    std::vector<const Piece*> list;
    for (const Piece& piece : kept)
        list.push_back(&piece);
    if (check.stimulus.call)
        list.push_back(nullptr);
    out.objects("evidence", list, [&](const Piece* piece) {
        if (piece != nullptr)
            writePiece(out, *piece);
        else
            writeCall(out, check, leftOut);
    });
}

} // namespace assay::runner
