// SPDX-License-Identifier: Apache-2.0
#include "tests/core/report/calibrated_corpus.h"

#include "core/runner/calibration_task.h"
#include "core/store/calibration_store.h"
#include "tests/core/store/store_fixture.h"

#include <cmath>
#include <limits>

namespace assay::tests {

namespace {

using calibration::SampleKind;
using store::CalibrationSample;

constexpr int kRightKernels = 30;
constexpr int kDefects = 8;
constexpr int kDraws = 6;
constexpr int kScales = 24;

/// Numbers in (0, 1) that fill it evenly: the golden ratio's sequence.
class Even {
public:
    double next()
    {
        m_at += 0.6180339887498949;
        m_at -= std::floor(m_at);
        return m_at;
    }
    /// About normal, of mean 0 and deviation 1.
    double normal()
    {
        double sum = 0;
        for (int i = 0; i < 3; ++i)
            sum += next() - 0.5;
        return 2 * sum;
    }

private:
    double m_at = 0.25;
};

/// Where a gate's samples lie, log10 of the error over the bound.
struct Level {
    std::string gate;
    std::string dtype;
    double floor = -1.2;
    double defects = 1.8;
    bool hasDefects = true;
    bool hasZeros = false;
};

class Writer {
public:
    std::vector<CalibrationSample> samples;

    void add(const Level& level, const std::string& family)
    {
        for (int kernel = 0; kernel < kRightKernels; ++kernel) {
            const std::string name = "control " + family + " " + std::to_string(kernel);
            const double own = level.floor + 0.15 * m_even.normal();
            for (int draw = 0; draw < kDraws; ++draw) {
                const bool isZero = level.hasZeros && draw == 0;
                put(level, family,
                    {SampleKind::Conforming, name, "", 0,
                     tensor::measured(isZero ? 0 : std::pow(10, own + 0.12 * m_even.normal()))});
            }
            if (kernel % 3 == 0)
                disturb(level, family, name, own);
        }
        for (int defect = 0; level.hasDefects && defect < kDefects; ++defect) {
            const bool isNan = defect % 3 == 0;
            const double value = std::pow(10, level.defects + 0.5 * m_even.normal());
            for (int draw = 0; draw < 3; ++draw)
                put(level, family,
                    {SampleKind::Defect, "mutant " + family + " " + std::to_string(defect), "", 0,
                     tensor::measured(isNan ? std::numeric_limits<double>::quiet_NaN() : value)});
        }
    }

private:
    void disturb(const Level& level, const std::string& family, const std::string& kernel, double own)
    {
        if (!level.hasDefects)
            return;
        for (const auto& [disturbance, gain] : {std::pair("additive", 5.0), std::pair("spike", 4.5)}) {
            for (int step = 0; step < kScales; ++step) {
                const double scale = std::pow(10, -8 + 7.0 * step / (kScales - 1));
                const double error = std::pow(10, level.defects - 1.8 + gain + 0.2 * m_even.normal()) * scale;
                put(level, family,
                    {SampleKind::Perturbed, kernel, disturbance, scale, tensor::measured(std::hypot(std::pow(10, own), error))});
            }
        }
    }
    void put(const Level& level, const std::string& family, calibration::Sample sample)
    {
        const std::string source = sample.perturbation.empty() ? "candidate" : sample.perturbation;
        samples.push_back({level.gate, family, level.dtype, source, std::move(sample)});
    }

    Even m_even;
};

store::ImportedItem judgedKernel(int number)
{
    const double excess = 0.1 * number;
    const bool isBroken = number == 8;
    store::GateRecord cmp = gate(contract::Gate::Cmp01, isBroken ? contract::Verdict::Fail : contract::Verdict::Pass,
                                 isBroken ? contract::Severity::Hard : contract::Severity::None);
    cmp.metric = "error over bound";
    cmp.value = tensor::measured(excess);
    cmp.threshold = tensor::measured(1);
    store::CheckRecord check;
    check.code = "CMP-01.value";
    check.verdict = contract::Verdict::Pass;
    check.metric = "error over bound";
    check.threshold = tensor::measured(1);
    check.recipe = R"({"check":"value","inputs":[["float32",[72,80]]]})";
    for (const double share : {0.5, 1.0}) {
        check.value = tensor::measured(excess * share);
        cmp.checks.push_back(check);
    }
    if (isBroken) {
        store::CheckRecord nan;
        nan.code = "CMP-01.finite";
        nan.verdict = contract::Verdict::Fail;
        nan.severity = contract::Severity::Hard;
        nan.metric = "elements";
        nan.value = tensor::measured(3);
        nan.threshold = tensor::measured(0);
        cmp.checks.push_back(nan);
    }
    store::ImportedItem item = resultRow(std::to_string(number), verdict({cmp}));
    item.kernel.family = "softmax";
    return item;
}

/// The published audit's own numbers, so that its margins are recognised.
constexpr const char* kPublished = R"json({
"op": "reference_forward_chunked_scan (C1)", "shape": [2, 64, 32], "device": "cpu", "note": "", "summary": {}, "gates": [
{"gate_id": "CMP-01", "kind": "thresholded", "rationale": "", "honest_floor": 2.852858407216819e-07,
 "trip_point": 4.206777862350292e-05, "real_error_onset": 0.0024050312037212883,
 "margin_trip_over_floor": 147.45834744929823, "margin_onset_over_trip": 57.17038746556533},
{"gate_id": "ORD-01", "kind": "thresholded", "rationale": "", "honest_floor": 2.852858407216819e-07,
 "trip_point": 3.147017512392533e-05, "real_error_onset": 0.0024050312037212883,
 "margin_trip_over_floor": 110.31103066424838, "margin_onset_over_trip": 76.42255545927526},
{"gate_id": "ORD-03", "kind": "thresholded", "rationale": "", "honest_floor": 2.852858407216819e-07,
 "trip_point": 0.0010244816918434088, "real_error_onset": 0.0012732202335210864,
 "margin_trip_over_floor": 3591.070938718157, "margin_onset_over_trip": 1.2427945210324922},
{"gate_id": "PRC-02", "kind": "thresholded", "rationale": "", "threshold_atol_scaled": 0.02, "sweep_over_N": [
 {"seq_len": 512, "fp32_carry_passes": true, "fp16_carry_fails": false, "fp16_carry_rel_err": 0.009014661277454277},
 {"seq_len": 2048, "fp32_carry_passes": true, "fp16_carry_fails": true, "fp16_carry_rel_err": 0.03514032559092086}]},
{"gate_id": "EXC-01", "kind": "tolerance_free", "rationale": "", "honest_passes_gate": true, "defect_fails_gate": true}]})json";

void importKernels(store::Database& database)
{
    store::CorpusInfo info;
    info.name = "demo";
    info.format = "test";
    store::CorpusWriter writer(database, info, {"rows.jsonl", "file"});
    store::AuditRecord audit;
    audit.name = "judged here";
    audit.origin = "judged";
    audit.taxonomy = "assay";
    writer.setAudit(audit);
    for (int number = 1; number <= 8; ++number) {
        store::ImportedItem item = judgedKernel(number);
        item.line = number;
        writer.add(item);
    }
    writer.addPublished("calibration", "threshold_calibration.json", kPublished, {});
    writer.commit();
}

calibration::FrozenCalibration frozenOf(const std::vector<CalibrationSample>& samples)
{
    calibration::FrozenCalibration frozen;
    frozen.device = "cpu";
    frozen.seed = 3;
    frozen.versions = {{"torch", "1.13.1"}};
    frozen.rule.seenFrom = 0x1p-12;
    std::vector<calibration::Sample> plain;
    for (const CalibrationSample& one : samples)
        plain.push_back(one.sample);
    frozen.samplesDigest = calibration::digestOf(plain);
    const calibration::BootstrapOptions options{.seed = frozen.seed, .replicates = 1, .threads = 1};
    for (const auto& cell : runner::calibrateCells(samples, frozen.rule, frozen.holdOutShare, options))
        frozen.thresholds.push_back(calibration::freeze(cell.result.separation, cell.gate, cell.family, cell.dtype));
    return frozen;
}

} // namespace

void writeCalibratedCorpus(const std::filesystem::path& path)
{
    const auto database = store::Database::open(path, store::OpenMode::ReadWriteCreate);
    importKernels(*database);
    Writer writer;
    for (const char* family : {"softmax", "matmul"}) {
        writer.add({"CMP-01", "float32"}, family);
        writer.add({"ORD-01", "float32", -1.5, 1.4, true, true}, family);
    }
    writer.add({"PRC-02", "float32", -1.0, 0.9}, "softmax");
    writer.add({"CMP-01", "bfloat16", -1.0, 0, false}, "softmax");
    writer.add({"PRC-01", "bfloat16", -2.2, 1.8}, "matmul");
    store::insertCalibration(*database, frozenOf(writer.samples), "cpu, 6 draws", writer.samples);
}

} // namespace assay::tests
