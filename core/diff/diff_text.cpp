// SPDX-License-Identifier: Apache-2.0
#include "core/diff/diff_text.h"

#include "core/diff/structure.h"
#include "core/tensorfile/tensor_layout.h"
#include "core/text/one_line.h"

#include <fmt/format.h>

#include <cmath>

namespace assay::diff {

namespace {

constexpr int kShownDigits = 9; // enough for every bit of fp32; --json has all of fp64

std::string number(double value)
{
    if (std::isnan(value))
        return "NaN";
    return fmt::format("{:.{}g}", value, kShownDigits);
}

std::string ulpText(const std::optional<std::uint64_t>& ulp)
{
    if (!ulp)
        return "-";
    return *ulp <= static_cast<std::uint64_t>(INT64_MAX) ? grouped(static_cast<std::int64_t>(*ulp)) : fmt::format("{}", *ulp);
}

std::string classesText(const tensor::NonFiniteCounts& counts)
{
    return fmt::format("{} NaN, {} +Inf, {} -Inf", grouped(counts.nan), grouped(counts.positiveInfinity),
                       grouped(counts.negativeInfinity));
}

std::string verdictText(const TensorDiff& diff)
{
    if (diff.isBitEqual())
        return fmt::format("equal: every bit of {} elements", grouped(diff.comparison.count));
    if (!diff.isShapeEqual())
        return "different: the shapes differ";
    std::string text = diff.isAccepted() ? "within the bound" : "different";
    if (diff.referenceDtype != diff.candidateDtype)
        text += ", of other dtypes";
    const std::int64_t count = diff.asked.bound ? diff.beyondBound : diff.comparison.bitDifferent;
    return fmt::format("{}: {} of {} elements {}", text, grouped(count), grouped(diff.comparison.count),
                       diff.asked.bound ? "are beyond the bound" : "differ");
}

std::string worstText(const TensorDiff& diff)
{
    std::string text = fmt::format("  {:<20} {:>16} {:>16} {:>14} {:>14} {:>10}\n", "worst", "reference", "candidate", "absolute",
                                   "relative", "ulp");
    for (const tensor::WorstElement& element : diff.comparison.worst) {
        const auto index = tensor::unravel(element.position, diff.referenceShape);
        text += fmt::format("  {:<20} {:>16} {:>16} {:>14} {:>14} {:>10}\n", tensorfile::shapeText(index),
                            number(element.reference), number(element.candidate), number(element.absolute),
                            element.relative ? number(*element.relative) : "-", ulpText(element.ulp));
    }
    return text;
}

std::string tensorText(const TensorDiff& diff)
{
    std::string text;
    if (!diff.name.empty())
        text += oneLine(diff.name) + "\n";
    text += fmt::format("  {} {}", tensor::name(diff.referenceDtype), tensorfile::shapeText(diff.referenceShape));
    if (diff.referenceDtype != diff.candidateDtype || !diff.isShapeEqual())
        text += fmt::format(", candidate {} {}", tensor::name(diff.candidateDtype), tensorfile::shapeText(diff.candidateShape));
    text += "\n  " + verdictText(diff) + "\n";
    if (!diff.isShapeEqual())
        return text;
    const tensor::Comparison& found = diff.comparison;
    for (const std::string& sentence : diff.where)
        text += "  " + sentence + "\n";
    if (found.reference != tensor::NonFiniteCounts{} || found.candidate != tensor::NonFiniteCounts{})
        text += fmt::format("  not finite: reference {}; candidate {}; {} in other places\n", classesText(found.reference),
                            classesText(found.candidate), grouped(found.classMismatch));
    if (found.finitePairs == 0 || found.bitDifferent == 0)
        return text;
    text += fmt::format("  largest: {} absolute, {} relative, {} ulp; mean {}, rms {}\n", number(found.maxAbsolute),
                        number(found.maxRelative), ulpText(found.maxUlp), number(found.meanAbsolute), number(found.rms));
    if (found.quantiles.size() == 4)
        text += fmt::format("  absolute error: half are up to {}, 90 % {}, 99 % {}, 99.9 % {}\n", number(found.quantiles[0]),
                            number(found.quantiles[1]), number(found.quantiles[2]), number(found.quantiles[3]));
    if (found.relativeUndefined > 0)
        text += fmt::format("  {} elements differ where the reference is zero: no relative error\n",
                            grouped(found.relativeUndefined));
    if (!found.worst.empty())
        text += worstText(diff);
    return text;
}

std::string namesText(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + oneLine(name);
    return text;
}

} // namespace

std::string toText(const FileDiff& diff)
{
    std::string text = fmt::format("reference {}\ncandidate {}\n", diff.referencePath, diff.candidatePath);
    for (const TensorDiff& one : diff.tensors)
        text += tensorText(one);
    if (!diff.onlyReference.empty())
        text += "only in the reference: " + namesText(diff.onlyReference) + "\n";
    if (!diff.onlyCandidate.empty())
        text += "only in the candidate: " + namesText(diff.onlyCandidate) + "\n";
    return text;
}

} // namespace assay::diff
