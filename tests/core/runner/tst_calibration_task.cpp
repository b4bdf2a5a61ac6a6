// SPDX-License-Identifier: Apache-2.0
#include "core/runner/calibration_task.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace assay;
using namespace assay::runner;
using calibration::SampleKind;
using contract::ExcessKind;
using contract::ExcessSample;
using contract::Gate;
using tensor::DType;

namespace {

const std::vector<ExcessSample> kMeasured
    = {{Gate::Cmp01, DType::Float32, ExcessKind::Conforming, "candidate", 0, tensor::measured(0.02), 9},
       {Gate::Cmp01, DType::Float32, ExcessKind::Conforming, "shipped", 0, tensor::measured(0.01), 6},
       {Gate::Cmp01, DType::Float32, ExcessKind::Perturbed, "spike", 1e-2, tensor::measured(90), 6},
       {Gate::Prc02, DType::Float32, ExcessKind::Conforming, "candidate", 0, tensor::measured(3), 4}};

std::vector<Control> controls()
{
    const std::string softmax = "class Model:\n    def forward(self, x):\n        return torch.softmax(x, -1)\n";
    return {{"softmax-online", {softmax, "r"}, {"c", "c"}},
            {"gelu-by-erfc", {"F.gelu(x)", "r"}, {"c", "c"}, false, "cuda", "why"}};
}

} // namespace

class CalibrationTaskTest : public QObject {
    Q_OBJECT

private slots:
    void controlsOfOtherDevicesAreLeftOut()
    {
        const auto tasks = calibrationTasks(controls(), {}, "cpu");
        QCOMPARE(tasks.size(), 1U);
        QCOMPARE(tasks.front().kernel, std::string("control softmax-online"));
        QCOMPARE(tasks.front().family, std::string("softmax"));
        QVERIFY(!tasks.front().isDefect);
        QCOMPARE(calibrationTasks(controls(), {}, "cuda:0").size(), 2U);
    }

    void theShippedMutantsThatThresholdsHaveToCatchAreTasks()
    {
        const auto mutants = loadMutants(ASSAY_SOURCE_DIR "/resources/mutants");
        const auto tasks = calibrationTasks({}, mutants, "cpu");
        QVERIFY(tasks.size() >= 3);
        std::set<std::string> gates;
        for (const CalibrationTask& task : tasks) {
            QVERIFY(task.isDefect && !task.reference.text.empty() && !task.candidate.text.empty());
            gates.insert(task.gates.begin(), task.gates.end());
        }
        QVERIFY(gates.contains("PRC-02"));
    }

    void aRightCandidateGivesItsEvaluationsAndDisturbances()
    {
        const CalibrationTask task{"control x", "softmax", {}, {}};
        const auto samples = samplesOf(task, kMeasured);
        QCOMPARE(samples.size(), 4U);
        QCOMPARE(samples[0].sample.kind, SampleKind::Conforming);
        QCOMPARE(samples[1].source, std::string("shipped"));
        QCOMPARE(samples[2].sample.kind, SampleKind::Perturbed);
        QCOMPARE(samples[2].sample.perturbation, std::string("spike"));
        QCOMPARE(samples[2].sample.scale, 1e-2);
        QCOMPARE(samples[2].dtype, std::string("float32"));
        QCOMPARE(samples[3].sample.kernel, std::string("control x"));
    }

    void aWrongOneGivesItsOwnValuesUnderItsGates()
    {
        CalibrationTask task{"mutant y", "matmul", {}, {}, true};
        task.gates = {"PRC-02"};
        const auto samples = samplesOf(task, kMeasured);
        QCOMPARE(samples.size(), 1U);
        QCOMPARE(samples[0].gate, std::string("PRC-02"));
        QCOMPARE(samples[0].sample.kind, SampleKind::Defect);
        QCOMPARE(samples[0].sample.value, tensor::measured(3));
    }

    void everyCellAndAllFamiliesTogetherAreCalibrated()
    {
        std::vector<store::CalibrationSample> samples;
        for (const char* family : {"softmax", "matmul"}) {
            for (int kernel = 0; kernel < 30; ++kernel) {
                CalibrationTask task{std::string(family) + std::to_string(kernel), family, {}, {}};
                std::vector<ExcessSample> measured = kMeasured;
                measured[0].value = tensor::measured(0.01 + 0.001 * kernel);
                std::ranges::copy(samplesOf(task, measured), std::back_inserter(samples));
            }
        }
        calibration::ThresholdRule rule;
        const auto cells = calibrateCells(samples, rule, 1.0 / 3, {.seed = 1, .replicates = 50});
        QCOMPARE(cells.size(), 6U); // two gates by two families and all
        const auto all = std::ranges::find_if(cells, [](const CalibrationCell& cell) {
            return cell.gate == "CMP-01" && cell.family == "all" && cell.dtype == "float32";
        });
        QVERIFY(all != cells.end());
        QCOMPARE(all->result.calibrationKernels + all->result.holdOutKernels, 60);
        QCOMPARE(all->result.separation.state, calibration::GapState::Safe);
        QVERIFY(*all->result.separation.threshold > 0.04 && *all->result.separation.threshold < 90);
        QCOMPARE(all->result.onHoldOut.falseAlarmKernels.hits, 0);
        const auto prc = std::ranges::find_if(
            cells, [](const CalibrationCell& cell) { return cell.gate == "PRC-02" && cell.family == "softmax"; });
        QCOMPARE(prc->result.separation.state, calibration::GapState::NoDefects); // nothing that ought to be seen was measured
    }

    void whatIsRoundedAwayNeedNotBeSeen()
    {
        std::vector<store::CalibrationSample> samples;
        for (int kernel = 0; kernel < 30; ++kernel) {
            const CalibrationTask task{"k" + std::to_string(kernel), "softmax", {}, {}};
            const std::vector<ExcessSample> measured
                = {{Gate::Prc01, DType::BFloat16, ExcessKind::Conforming, "shipped", 0, tensor::measured(0.01), 3},
                   {Gate::Prc01, DType::BFloat16, ExcessKind::Perturbed, "spike", 1e-3, tensor::measured(0), 3},
                   {Gate::Prc01, DType::BFloat16, ExcessKind::Perturbed, "spike", 1e-1, tensor::measured(5), 3}};
            std::ranges::copy(samplesOf(task, measured), std::back_inserter(samples));
        }
        calibration::ThresholdRule rule;
        rule.seenFrom = 0x1p-12;
        const auto cells = calibrateCells(samples, rule, 1.0 / 3, {.seed = 1, .replicates = 20});
        QCOMPARE(cells.size(), 2U);
        QCOMPARE(cells.front().result.separation.state, calibration::GapState::Safe); // 1e-3 is a quarter of a rounding
        QCOMPARE(cells.front().result.separation.onset, 5.0);
    }
};

QTEST_APPLESS_MAIN(CalibrationTaskTest)
#include "tst_calibration_task.moc"
