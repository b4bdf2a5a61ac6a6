// SPDX-License-Identifier: Apache-2.0
#include "core/contract/sensitivity.h"

#include "core/contract/class_confusion.h"

#include <algorithm>
#include <cmath>

namespace assay::contract {

namespace {

constexpr double kU64 = 0x1p-53;

/// Differences below this are the oracle's own rounding. Source: prototype lesson 11.
double toleranceOf(const std::vector<double>& values, double floor)
{
    double largest = floor;
    for (const double value : values) {
        if (std::isfinite(value))
            largest = std::max(largest, std::abs(value));
    }
    return 256 * kU64 * largest;
}

bool agree(double a, double b, double tolerance)
{
    return classOf(a) == classOf(b) && (!std::isfinite(a) || std::abs(a - b) <= tolerance);
}

} // namespace

std::optional<Sensitivity> Sensitivity::probe(Session& session, const ShapePtr& shape, const StimulusPtr& base,
                                              const Injection& injection)
{
    std::vector<Trial> trials;
    for (const double value : kValues)
        trials.push_back(injectedWith(session, shape, base, injection, value));
    const auto answers = askReferenceAll(session, shape, trials, "r64");
    const bool whole = answers.size() == trials.size()
        && std::ranges::all_of(answers, [&answers](const auto& answer) { return answer && comparable(*answer, *answers[0]); });
    if (!whole)
        return std::nullopt;
    Sensitivity found;
    found.m_answers.resize(answers.front()->outputs.size());
    for (std::size_t leaf = 0; leaf < found.m_answers.size(); ++leaf) {
        double tolerance = 0;
        for (std::size_t k = 0; k < kValues.size(); ++k) {
            found.m_answers[leaf][k] = answers[k]->outputs[leaf].value.toDoubles();
            tolerance = std::max(tolerance, toleranceOf(found.m_answers[leaf][k], 1e3));
        }
        found.m_tolerance.push_back(tolerance);
    }
    return found;
}

bool Sensitivity::isSensitive(std::size_t leaf, std::int64_t position) const
{
    const auto at = static_cast<std::size_t>(position);
    if (leaf >= m_answers.size() || at >= m_answers[leaf][0].size())
        return false;
    const double first = m_answers[leaf][0][at];
    return !agree(first, m_answers[leaf][1][at], m_tolerance[leaf]) || !agree(first, m_answers[leaf][2][at], m_tolerance[leaf]);
}

double Sensitivity::answer(std::size_t leaf, std::int64_t position, std::size_t which) const
{
    return m_answers[leaf][which][static_cast<std::size_t>(position)];
}

bool isBatch(Session& session, const ShapePtr& shape, const StimulusPtr& base, int leaf, std::size_t output)
{
    const HostTensor& input = base->leaves[static_cast<std::size_t>(leaf)];
    if (input.shape().empty() || input.shape().front() < 2)
        return false;
    const std::int64_t entries = input.shape().front();
    const auto perEntry = static_cast<std::size_t>(input.count() / entries);
    std::vector<Trial> trials{{base, {}}};
    for (const std::int64_t entry : {std::int64_t{0}, entries - 1}) {
        std::vector<double> values = input.toDoubles();
        const auto first = values.begin() + entry * static_cast<std::int64_t>(perEntry);
        std::for_each(first, first + static_cast<std::int64_t>(perEntry), [](double& value) { value = 0.25 - 0.5 * value; });
        trials.push_back({session.stimuli().replaced(base, leaf, HostTensor::fromDoubles(input.dtype(), input.shape(), values),
                                                     "one entry changed"),
                          {}});
    }
    const auto answers = askReferenceAll(session, shape, trials, "r64");
    const bool whole = answers.size() == trials.size() && std::ranges::all_of(answers, [&](const auto& answer) {
                           return answer && comparable(*answer, *answers[0]) && output < answer->outputs.size();
                       });
    if (!whole)
        return false;
    const HostTensor& still = answers[0]->outputs[output].value;
    if (still.shape().empty() || still.shape().front() != entries)
        return false;
    const std::vector<double> before = still.toDoubles();
    const double tolerance = toleranceOf(before, 0);
    const auto outputsPerEntry = static_cast<std::int64_t>(before.size()) / entries;
    for (std::size_t k = 1; k < answers.size(); ++k) {
        const std::vector<double> after = answers[k]->outputs[output].value.toDoubles();
        const std::int64_t own = k == 1 ? 0 : entries - 1;
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (static_cast<std::int64_t>(i) / outputsPerEntry != own && !agree(before[i], after[i], tolerance))
                return false;
        }
    }
    return true;
}

} // namespace assay::contract
