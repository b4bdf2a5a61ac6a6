// SPDX-License-Identifier: Apache-2.0
#include "core/runner/calibration_task.h"

#include "core/ingest/op_family.h"
#include "core/runner/red_team.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace assay::runner {

namespace {

using calibration::SampleKind;
using contract::ExcessKind;
using contract::ExcessSample;

constexpr const char* kAllFamilies = "all";
constexpr std::string_view kOwnValues = "candidate"; // source of the samples that the candidate itself gave

/// A disturbance that ought to be seen is at least this many roundings of the dtype: smaller ones are rounded away.
constexpr double kRoundings = 8;

bool hasCalibratedGate(const Mutant& mutant)
{
    return std::ranges::any_of(mutant.gates, contract::ExcessProbe::isCalibrated);
}

} // namespace

std::vector<CalibrationTask> calibrationTasks(const std::vector<Control>& controls, const std::vector<Mutant>& mutants,
                                              std::string_view device)
{
    std::vector<CalibrationTask> tasks;
    for (const Control& control : controls) {
        if (!outcomeElsewhere(control, device))
            tasks.push_back({"control " + control.name, ingest::opFamily(control.name, control.reference.text), control.reference,
                             control.candidate});
    }
    for (const Mutant& mutant : mutants) {
        const auto form = mutant.forms.find(deviceKind(std::string(device)));
        if (form == mutant.forms.end() || !hasCalibratedGate(mutant) || mutant.verdict != contract::Verdict::Fail)
            continue;
        CalibrationTask task;
        task.kernel = "mutant " + mutant.id;
        task.reference = readSource(mutant.reference, "the reference of a mutant");
        task.candidate = readSource(form->second.broken, "a mutant");
        task.family = ingest::opFamily("", task.reference.text);
        task.isDefect = true;
        task.contract = mutant.profile;
        for (const contract::Gate gate : mutant.gates)
            task.gates.push_back(std::string(contract::id(gate)));
        tasks.push_back(std::move(task));
    }
    return tasks;
}

std::vector<store::CalibrationSample> samplesOf(const CalibrationTask& task, const std::vector<ExcessSample>& measured)
{
    std::vector<store::CalibrationSample> samples;
    for (const ExcessSample& one : measured) {
        const std::string gate(contract::id(one.gate));
        if (task.isDefect && (one.source != kOwnValues || std::ranges::find(task.gates, gate) == task.gates.end()))
            continue;
        store::CalibrationSample row{gate, task.family, std::string(tensor::name(one.dtype)), one.source, {}};
        row.sample.kernel = task.kernel;
        row.sample.value = one.value;
        if (task.isDefect) {
            row.sample.kind = SampleKind::Defect;
        } else if (one.kind == ExcessKind::Perturbed) {
            row.sample.kind = SampleKind::Perturbed;
            row.sample.perturbation = one.source;
            row.sample.scale = one.scale;
        }
        samples.push_back(std::move(row));
    }
    return samples;
}

calibration::ThresholdRule ruleFor(const std::string& dtype, calibration::ThresholdRule rule)
{
    if (const auto known = tensor::dtypeFromName(dtype); known && tensor::isFloating(*known))
        rule.seenFrom = std::max(rule.seenFrom, kRoundings * tensor::unitRoundoff(*known));
    return rule;
}

std::vector<CalibrationCell> calibrateCells(const std::vector<store::CalibrationSample>& samples,
                                            const calibration::ThresholdRule& rule, double holdOutShare,
                                            const calibration::BootstrapOptions& options)
{
    using Key = std::tuple<std::string, std::string, std::string>;
    std::map<Key, std::vector<calibration::Sample>> cells;
    for (const store::CalibrationSample& row : samples) {
        cells[{row.gate, row.family, row.dtype}].push_back(row.sample);
        cells[{row.gate, kAllFamilies, row.dtype}].push_back(row.sample);
    }
    std::vector<CalibrationCell> calibrated;
    for (const auto& [key, members] : cells) {
        const auto& [gate, family, dtype] = key;
        calibrated.push_back(
            {gate, family, dtype, calibration::calibrateCell(members, ruleFor(dtype, rule), holdOutShare, options)});
    }
    return calibrated;
}

} // namespace assay::runner
