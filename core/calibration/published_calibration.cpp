// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/published_calibration.h"

#include "core/text/error.h"
#include "core/text/one_line.h"
#include "core/text/raw_json.h"

#include <algorithm>
#include <cmath>

namespace assay::calibration {

namespace {

/// Reads one file; knows where it is for the message.
class Reader {
public:
    explicit Reader(const std::string& where)
        : m_where(where)
    {
    }

    PublishedCalibration read(std::string_view text)
    {
        json::Document document;
        if (const auto failure = json::parseStrictly(text, document))
            refuse(failure->reason + " at byte " + std::to_string(failure->byte));
        if (!document.IsObject())
            refuse("it is no JSON object");
        PublishedCalibration result;
        result.op = json::stringAt(document, "op").value_or("");
        result.device = json::stringAt(document, "device").value_or("");
        result.note = json::stringAt(document, "note").value_or("");
        result.shape = shapeOf(document);
        for (const json::Value& gate : arrayAt(document, "gates"))
            result.gates.push_back(gateOf(gate, result.gates));
        return result;
    }

private:
    [[noreturn]] void refuse(const std::string& problem) const
    {
        const std::string at = m_gate.empty() ? m_where : m_where + ", gate " + m_gate;
        throw Error("not a published calibration: " + oneLine(problem), oneLine(at),
                    "Choose a threshold_calibration.json of a published audit");
    }

    json::Value::ConstArray arrayAt(const json::Value& object, std::string_view key) const
    {
        const json::Value* value = json::find(object, key);
        if (value == nullptr || !value->IsArray())
            refuse("\"" + std::string(key) + "\" is no array");
        return value->GetArray();
    }

    std::vector<std::int64_t> shapeOf(const json::Value& document) const
    {
        std::vector<std::int64_t> shape;
        if (json::find(document, "shape") == nullptr)
            return shape;
        for (const json::Value& size : arrayAt(document, "shape")) {
            if (!size.IsInt64() || size.GetInt64() < 0)
                refuse("\"shape\" has a size that is no whole number");
            shape.push_back(size.GetInt64());
        }
        return shape;
    }

    /// A member that is a finite number, not negative; nothing where it is absent.
    std::optional<double> amountAt(const json::Value& object, std::string_view key) const
    {
        const json::Value* value = json::find(object, key);
        if (value == nullptr || value->IsNull())
            return std::nullopt;
        if (!value->IsNumber() || !std::isfinite(value->GetDouble()) || value->GetDouble() < 0)
            refuse("\"" + std::string(key) + "\" is no number from 0 up");
        return value->GetDouble();
    }

    double needAmount(const json::Value& object, std::string_view key) const
    {
        const std::optional<double> value = amountAt(object, key);
        if (!value)
            refuse("\"" + std::string(key) + "\" is missing");
        return *value;
    }

    std::optional<TripSweep> sweepOf(const json::Value& gate) const
    {
        const json::Value* sweep = json::find(gate, "trip_sweep");
        if (sweep == nullptr || sweep->IsNull())
            return std::nullopt;
        if (!sweep->IsObject())
            refuse("\"trip_sweep\" is no object");
        const TripSweep result{needAmount(*sweep, "last_pass_eps"), needAmount(*sweep, "first_fail_eps")};
        if (result.lastPassEps >= result.firstFailEps)
            refuse("the sweep passes at or above the scale where it fails");
        return result;
    }

    std::vector<AccumulatorPoint> accumulatorOf(const json::Value& gate) const
    {
        std::vector<AccumulatorPoint> points;
        if (json::find(gate, "sweep_over_N") == nullptr)
            return points;
        for (const json::Value& point : arrayAt(gate, "sweep_over_N")) {
            const auto length = json::integerAt(point, "seq_len");
            const auto single = json::boolAt(point, "fp32_carry_passes");
            const auto half = json::boolAt(point, "fp16_carry_fails");
            if (!length || *length <= 0 || !single || !half)
                refuse("\"sweep_over_N\" has a point without length or outcome");
            points.push_back({*length, *single, *half, needAmount(point, "fp16_carry_rel_err")});
        }
        return points;
    }

    PublishedGate gateOf(const json::Value& value, const std::vector<PublishedGate>& before)
    {
        m_gate.clear();
        PublishedGate gate;
        gate.gate = json::stringAt(value, "gate_id").value_or("");
        if (gate.gate.empty())
            refuse("gate " + std::to_string(before.size() + 1) + " has no \"gate_id\"");
        m_gate = gate.gate;
        if (std::any_of(before.begin(), before.end(), [&](const PublishedGate& other) { return other.gate == gate.gate; }))
            refuse("the gate occurs twice");
        const std::string kind = json::stringAt(value, "kind").value_or("");
        if (kind != "thresholded" && kind != "tolerance_free")
            refuse("its \"kind\" is neither thresholded nor tolerance_free");
        gate.thresholded = kind == "thresholded";
        gate.rationale = json::stringAt(value, "rationale").value_or("");
        gate.honestFloor = amountAt(value, "honest_floor");
        gate.tripPoint = amountAt(value, "trip_point");
        gate.realErrorOnset = amountAt(value, "real_error_onset");
        gate.tripSweep = sweepOf(value);
        gate.tripOverFloor = amountAt(value, "margin_trip_over_floor");
        gate.onsetOverTrip = amountAt(value, "margin_onset_over_trip");
        gate.scaledTolerance = amountAt(value, "threshold_atol_scaled");
        gate.accumulator = accumulatorOf(value);
        gate.honestPasses = json::boolAt(value, "honest_passes_gate");
        gate.defectFails = json::boolAt(value, "defect_fails_gate");
        gate.cleanSeparation = json::boolAt(value, "clean_separation");
        m_gate.clear();
        return gate;
    }

    std::string m_where;
    std::string m_gate; ///< being read
};

} // namespace

std::optional<Margins> PublishedGate::margins() const
{
    if (!honestFloor || !tripPoint || !realErrorOnset)
        return std::nullopt;
    return marginsOf(*tripPoint, *honestFloor, *realErrorOnset);
}

PublishedCalibration readPublishedCalibration(std::string_view text, const std::string& where)
{
    return Reader(where).read(text);
}

} // namespace assay::calibration
