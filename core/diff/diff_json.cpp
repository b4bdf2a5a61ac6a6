// SPDX-License-Identifier: Apache-2.0
#include "core/diff/diff_json.h"

#include "core/text/object_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::diff {

namespace {

constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 0.999}; // as tensor::CompareOptions asks

void integers(json::Writer& writer, const std::vector<std::int64_t>& values)
{
    writer.StartArray();
    for (const std::int64_t value : values)
        writer.Int64(value);
    writer.EndArray();
}

void writeUlp(json::ObjectText& out, std::string_view key, const std::optional<std::uint64_t>& ulp)
{
    if (ulp)
        out.key(key).Uint64(*ulp);
    else
        out.null(key);
}

void writeClasses(json::ObjectText& out, std::string_view key, const tensor::NonFiniteCounts& counts)
{
    out.object(key, [&] {
        out.integer("nan", counts.nan);
        out.integer("pinf", counts.positiveInfinity);
        out.integer("ninf", counts.negativeInfinity);
    });
}

/// Figures over finite pairs, null where there is none.
void writeErrors(json::ObjectText& out, const tensor::Comparison& found)
{
    const auto figure = [&](std::string_view key, double value) {
        out.optional(key, found.finitePairs > 0 ? std::optional(value) : std::nullopt);
    };
    out.integer("finite_pairs", found.finitePairs);
    out.integer("rel_undefined", found.relativeUndefined);
    figure("max_abs", found.maxAbsolute);
    figure("max_rel", found.maxRelative);
    writeUlp(out, "max_ulp", found.finitePairs > 0 ? found.maxUlp : std::nullopt);
    figure("mean_abs", found.meanAbsolute);
    figure("rms", found.rms);
    out.object("quantiles", [&] {
        for (std::size_t i = 0; i < std::size(kQuantiles); ++i)
            figure(fmt::format("{}", kQuantiles[i]), i < found.quantiles.size() ? found.quantiles[i] : 0);
    });
}

void writeWorst(json::ObjectText& out, const TensorDiff& diff)
{
    out.objects("worst", diff.comparison.worst, [&](const tensor::WorstElement& element) {
        integers(out.key("index"), tensor::unravel(element.position, diff.referenceShape));
        out.number("ref", element.reference);
        out.number("cand", element.candidate);
        out.number("abs", element.absolute);
        out.optional("rel", element.relative);
        writeUlp(out, "ulp", element.ulp);
    });
}

void writeBound(json::ObjectText& out, const TensorDiff& diff)
{
    if (!diff.asked.isAsked())
        return;
    out.object("bound", [&] {
        out.optional("atol", diff.asked.bound ? std::optional(diff.asked.bound->absolute) : std::nullopt);
        out.optional("rtol", diff.asked.bound ? std::optional(diff.asked.bound->relative) : std::nullopt);
        writeUlp(out, "ulp", diff.asked.ulp);
    });
    if (diff.asked.bound)
        out.integer("beyond_bound", diff.beyondBound);
    out.flag("within_bound", diff.isAccepted());
}

void writeTensor(json::ObjectText& out, const TensorDiff& diff)
{
    if (!diff.name.empty())
        out.text("tensor", diff.name);
    integers(out.key("shape"), diff.referenceShape);
    out.text("dtype_ref", tensor::name(diff.referenceDtype));
    out.text("dtype_cand", tensor::name(diff.candidateDtype));
    out.flag("shape_mismatch", !diff.isShapeEqual());
    out.flag("dtype_mismatch", diff.referenceDtype != diff.candidateDtype);
    out.flag("bit_equal", diff.isBitEqual());
    if (!diff.isShapeEqual()) {
        integers(out.key("shape_cand"), diff.candidateShape);
        out.number("seconds", diff.seconds);
        return;
    }
    const tensor::Comparison& found = diff.comparison;
    out.integer("count", found.count);
    out.integer("bit_different", found.bitDifferent);
    out.object("nonfinite", [&] {
        writeClasses(out, "ref", found.reference);
        writeClasses(out, "cand", found.candidate);
        out.integer("mismatch", found.classMismatch);
    });
    writeErrors(out, found);
    writeWorst(out, diff);
    writeBound(out, diff);
    out.texts("where", diff.where);
    out.number("seconds", diff.seconds);
}

} // namespace

bool FileDiff::isBitEqual() const
{
    return onlyReference.empty() && onlyCandidate.empty() && std::ranges::all_of(tensors, &TensorDiff::isBitEqual);
}

bool FileDiff::isAccepted() const
{
    return onlyReference.empty() && onlyCandidate.empty() && std::ranges::all_of(tensors, &TensorDiff::isAccepted);
}

std::string toJson(const FileDiff& diff)
{
    json::ObjectText out("assay.diff/1");
    out.text("reference", diff.referencePath);
    out.text("candidate", diff.candidatePath);
    out.integer("threads", diff.threads);
    if (diff.isPairAlone) {
        writeTensor(out, diff.tensors.front());
        return out.finish();
    }
    out.flag("bit_equal", diff.isBitEqual());
    out.texts("only_ref", diff.onlyReference);
    out.texts("only_cand", diff.onlyCandidate);
    out.objects("tensors", diff.tensors, [&](const TensorDiff& one) { writeTensor(out, one); });
    return out.finish();
}

} // namespace assay::diff
