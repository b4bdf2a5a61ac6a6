// SPDX-License-Identifier: Apache-2.0
#include "core/report/threshold_proposal.h"

#include "core/calibration/what_if.h"
#include "core/store/guarded.h"
#include "core/store/statement.h"
#include "core/text/error.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace assay::report {

namespace {

using calibration::CellName;
using calibration::JudgedValue;

/// What is stored of one judged gate.
struct JudgedGate {
    VerdictFlip flip;
    double limit = 0; ///< that it was judged by
    bool fails = false;
    bool failsOtherwise = false; ///< by a check that no calibrated threshold decides
    int failingGates = 0;        ///< of the kernel
    tensor::Measured worst;
};

bool isWorse(const tensor::Measured& one, const tensor::Measured& other)
{
    if (!other.isPresent() || !one.isPresent())
        return one.isPresent();
    if (!other.isFinite())
        return false;
    return !one.isFinite() || one.value > other.value;
}

// The dtype of a verdict is that of the first input of its gate's first check that was compared by value.
constexpr const char* kJudged
    = "SELECT v.id, v.kernel_id, c.name, a.name, k.external_id, k.title, g.verdict = 'fail', h.metric IN ('error over bound', 'excess'), "
      "h.verdict = 'fail', h.value, h.value_class, h.threshold, "
      "(SELECT count(*) FROM gate_result o WHERE o.verdict_id = v.id AND o.verdict = 'fail') "
      "FROM verdict v JOIN audit a ON a.id = v.audit_id JOIN kernel k ON k.id = v.kernel_id JOIN corpus c ON c.id = k.corpus_id "
      "JOIN gate_result g ON g.verdict_id = v.id AND g.gate = ?1 JOIN check_result h ON h.verdict_id = v.id AND h.gate = ?1 "
      "WHERE a.origin = 'judged' AND g.verdict IN ('pass', 'fail') AND (?2 = 'all' OR k.family = ?2) AND ?3 = "
      "(SELECT json_extract(f.recipe, '$.inputs[0][0]') FROM check_result f WHERE f.verdict_id = v.id AND f.gate = ?1 "
      "AND f.metric IN ('error over bound', 'excess') ORDER BY f.ordinal LIMIT 1) ORDER BY v.id, h.ordinal";

std::vector<JudgedGate> judgedGates(store::Database& database, const CellName& cell)
{
    return store::guarded(database, [&] {
        std::vector<JudgedGate> found;
        store::Statement query(database.sqlite(), kJudged);
        query.text(1, cell.gate).text(2, cell.family).text(3, cell.dtype);
        while (query.step()) {
            const std::int64_t verdict = query.integerAt(0);
            if (found.empty() || found.back().flip.verdictId != verdict) {
                JudgedGate gate;
                gate.flip = {verdict,
                             query.integerAt(1),
                             std::string(query.textAt(2)),
                             std::string(query.textAt(3)),
                             std::string(query.textAt(4)),
                             std::string(query.textAt(5))};
                gate.fails = query.integerAt(6) != 0;
                gate.failingGates = static_cast<int>(query.integerAt(12));
                found.push_back(std::move(gate));
            }
            JudgedGate& gate = found.back();
            const bool isByValue = !query.isNull(7) && query.integerAt(7) != 0;
            if (!isByValue) {
                gate.failsOtherwise = gate.failsOtherwise || query.integerAt(8) != 0;
            } else if (const tensor::Measured value = query.measuredAt(9); isWorse(value, gate.worst)) {
                gate.worst = value;
                gate.limit = query.realAt(11);
            }
        }
        return found;
    });
}

} // namespace

std::vector<VerdictFlip> flipsUnder(store::Database& database, const CellName& cell, double threshold)
{
    std::vector<VerdictFlip> flips;
    for (JudgedGate& gate : judgedGates(database, cell)) {
        if (gate.failsOtherwise)
            continue;
        const JudgedValue value{gate.flip.verdictId, gate.worst};
        const calibration::Flips turned = calibration::flipsBetween(std::span(&value, 1), gate.limit, threshold);
        gate.flip.toFail = !turned.toFail.empty();
        if (turned.toFail.empty() && turned.toPass.empty())
            continue;
        if (gate.flip.toFail == gate.fails)
            continue; // the stored outcome does not hang on this value
        gate.flip.excess = gate.worst.isFinite() ? gate.worst.value : std::numeric_limits<double>::infinity();
        gate.flip.turnsKernel = gate.failingGates == (gate.flip.toFail ? 0 : 1);
        flips.push_back(std::move(gate.flip));
    }
    return flips;
}

calibration::FrozenCalibration withThreshold(const CalibrationVersion& version, const calibration::FigureData& figure,
                                             double threshold)
{
    calibration::FrozenCalibration proposed = version.frozen;
    for (calibration::FrozenThreshold& one : proposed.thresholds) {
        if (CellName{one.gate, one.family, one.dtype} == figure.cell) {
            one.threshold = threshold;
            one.state = calibration::stateUnder(figure.separation, figure.rule, threshold);
        }
    }
    return proposed;
}

std::string proposeThreshold(store::Database& database, const CalibrationVersion& version, const calibration::FigureData& figure,
                             double threshold)
{
    if (!std::isfinite(threshold) || threshold <= 0)
        throw Error("a threshold is a finite positive number", fmt::format("{}", threshold), "Choose another");
    const calibration::FrozenCalibration proposed = withThreshold(version, figure, threshold);
    const std::string hash = calibration::versionOf(proposed);
    if (hash == version.summary.version)
        throw Error("this is the threshold of the version already", fmt::format("{:.6g}", threshold), "Move it first");
    const std::string title = fmt::format("{} at {:.4g}, proposed from {}", calibration::title(figure.cell), threshold,
                                          version.summary.version.substr(0, 12));
    store::insertCalibration(database, proposed, title, store::calibrationSamples(database, version.summary.id));
    return hash;
}

} // namespace assay::report
