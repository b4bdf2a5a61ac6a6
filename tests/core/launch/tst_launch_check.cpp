// SPDX-License-Identifier: Apache-2.0
#include "core/launch/check.h"
#include "core/text/error.h"
#include "core/text/json.h"
#include "kernels/gdn/accuracy.h"
#include "kernels/gdn/serial.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace assay;
using tensor::DType;

Q_DECLARE_METATYPE(assay::gdn::Family)
Q_DECLARE_METATYPE(assay::tensor::DType)

namespace {

launch::CheckAsk smallAsk(gdn::Family family, DType dtype)
{
    launch::CheckAsk ask;
    ask.family = family;
    ask.shape = {1, 150, 2, 32, 24};
    ask.drawing.dtype = dtype;
    return ask;
}

gdn::Outputs truthOf(const gdn::Problem& problem)
{
    return {gdn::serialForward(problem), gdn::serialBackward(problem)};
}

/// @p tensor with one element changed.
tensor::HostTensor changed(const tensor::HostTensor& tensor, std::size_t at, double value)
{
    std::vector<double> values = tensor.toDoubles();
    values[at] = value;
    return tensor::HostTensor::fromDoubles(tensor.dtype(), tensor.shape(), values);
}

} // namespace

/// The check of the operator against fp64, and the errors that it is made of.
class LaunchCheckTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFamilyIsWithinItsTolerance_data()
    {
        QTest::addColumn<gdn::Family>("family");
        QTest::addColumn<DType>("dtype");
        for (const gdn::Family family : gdn::kAllFamilies) {
            for (const DType dtype : {DType::Float64, DType::Float32, DType::BFloat16, DType::Float16})
                QTest::addRow("%s %s", std::string(name(family)).c_str(), std::string(tensor::name(dtype)).c_str())
                    << family << dtype;
        }
    }

    void everyFamilyIsWithinItsTolerance()
    {
        QFETCH(gdn::Family, family);
        QFETCH(DType, dtype);
        const launch::CheckResult result = launch::check(smallAsk(family, dtype), {});
        QVERIFY2(result.isPassed(), launch::toText(result).c_str());
        QCOMPARE(result.outputs.size(), std::size_t{9});
    }

    void strongDecaysAndFullErasesAreWithinIt()
    {
        for (const DType dtype : {DType::Float64, DType::Float32, DType::BFloat16, DType::Float16}) {
            launch::CheckAsk ask = smallAsk(gdn::Family::Gdn2, dtype);
            ask.drawing.decay = 30;
            ask.drawing.erase = 2;
            ask.drawing.starts = {0, 70, 70, 150};
            const launch::CheckResult result = launch::check(ask, {});
            QVERIFY2(result.isPassed(), launch::toText(result).c_str());
        }
    }

    void theAnswerIsOneObject()
    {
        const launch::CheckResult result = launch::check(smallAsk(gdn::Family::Kda, DType::BFloat16), {});
        json::Document found;
        QVERIFY(!json::parse(launch::toJson(result), found));
        QCOMPARE(*json::stringAt(found, "family"), std::string("kda"));
        QCOMPARE(*json::stringAt(found, "dtype"), std::string("bfloat16"));
        QCOMPARE(*json::stringAt(found, "device"), std::string("cpu"));
        QCOMPARE(*json::stringAt(found, "kernel"), std::string("chunks of 64, products of bf16 added up in fp32"));
        QCOMPARE(*json::boolAt(found, "pass"), true);
        QCOMPARE(*json::boolAt(found, "deterministic"), true);
        QCOMPARE(json::find(found, "shape")->Size(), 5U);
        for (const char* name : {"o", "dq", "dk", "dv", "db", "dw", "dg", "dS0"}) {
            const double error = *json::numberAt(*json::find(found, "errors"), name);
            const double tolerance = *json::numberAt(*json::find(found, "tolerance"), name);
            QVERIFY2(error > 1e-4 && error < tolerance && tolerance < 1.6e-2, name);
        }
    }

    void anOutputBeyondItsToleranceFailsTheCheck()
    {
        launch::CheckResult result = launch::check(smallAsk(gdn::Family::Gla, DType::Float64), {});
        QVERIFY(result.isPassed());
        result.isDeterministic = false;
        QVERIFY(!result.isPassed());
        result.isDeterministic = true;
        result.outputs[3].isWithin = false;
        QVERIFY(!result.isPassed());
        QVERIFY(launch::toText(result).find("1 of 9 outputs are beyond their tolerance.") != std::string::npos);
    }

    /// Without any decay and with erases up to 2, products of bf16 err by more than the contract of kernels allows.
    void whatOperandsOf16BitsCannotReachIsBeyond()
    {
        launch::CheckAsk ask = smallAsk(gdn::Family::Delta, DType::BFloat16);
        ask.shape = {1, 2000, 1, 64, 64};
        ask.drawing.erase = 2;
        const launch::CheckResult result = launch::check(ask, {});
        const auto dg = std::ranges::find(result.outputs, "dg", &launch::OutputCheck::name);
        QVERIFY(dg->error > dg->tolerance && !dg->isWithin && !result.isPassed());
        QVERIFY(result.isDeterministic);
    }

    void ratiosAreOfRoots()
    {
        using tensor::HostTensor;
        const auto tensor = [](std::vector<double> values) {
            return HostTensor::fromDoubles(DType::Float64, {static_cast<std::int64_t>(values.size())}, values);
        };
        QCOMPARE(gdn::rmsRatio(tensor({3, 4}), tensor({3, 5})), 0.2);
        QCOMPARE(gdn::rmsRatio(tensor({0, 0}), tensor({0, 0})), 0.0);
        QVERIFY(std::isinf(gdn::rmsRatio(tensor({0, 0}), tensor({0, 1}))));
        QVERIFY(std::isnan(gdn::rmsRatio(tensor({3, 4}), tensor({3, std::nan("")}))));
    }

    void kernelsOnNarrowOperandsMayErrTwiceAnEmulation()
    {
        QCOMPARE(gdn::narrowTolerance("dk", 0), 8e-3);
        QCOMPARE(gdn::narrowTolerance("db", 6e-3), 1.5e-2);
        QCOMPARE(gdn::narrowTolerance("dk", 6e-3), 1.2e-2);
    }

    /// An error in one channel counts for that channel and for the whole, and nothing else does.
    void theDecaysErrorIsToldByChannel()
    {
        const gdn::DrawnCall drawn = drawCall(gdn::Family::Gdn2, {1, 20, 2, 4, 4}, {});
        const gdn::FamilyProblem family(drawn.call());
        const gdn::Outputs truth = truthOf(family.problem());
        const tensor::HostTensor& dg = truth.backward.dg;
        QCOMPARE(gdn::decayError(family.problem(), truth, dg, {0.5, 0}).error, 0.0);
        QCOMPARE(gdn::decayError(family.problem(), truth, dg, {0.5, 0}).worstChannel, 0.0);
        // Token 3, head 1, channel 2 is off by what makes half of its channel's root sum of squares.
        const std::vector<double> values = dg.toDoubles();
        double channel = 0, all = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            all += values[i] * values[i];
            channel += i % 8 == 6 ? values[i] * values[i] : 0;
        }
        const std::size_t at = 3 * 8 + 6;
        const gdn::DecayError found
            = gdn::decayError(family.problem(), truth, changed(dg, at, values[at] + std::sqrt(channel) / 2), {0.5, 0});
        QVERIFY(std::fabs(found.worstChannel - 1) < 1e-12);
        QVERIFY(std::fabs(found.error - std::sqrt(channel / all) / 2) < 1e-12);
        QCOMPARE(found.cancellation, 0.0);
        QVERIFY(gdn::decayError(family.problem(), truth, dg, {0.5, 0x1p-24}).cancellation > 0);
        // Coarser operands let the channel err by more, by no more than their roundoff of its terms.
        const tensor::HostTensor wrong = changed(dg, at, values[at] + std::sqrt(channel) / 2);
        const double strict = gdn::decayError(family.problem(), truth, wrong, {1e-3, 0x1p-24}).worstChannel;
        const double coarse = gdn::decayError(family.problem(), truth, wrong, {1e-3, 0x1p-9}).worstChannel;
        QVERIFY(strict > 490 && strict <= 500 && coarse < strict && coarse > 1);
        QVERIFY(std::isnan(gdn::decayError(family.problem(), truth, changed(dg, at, std::nan("")), {0.5, 0}).worstChannel));
    }

    void aShapeThatIsNoneIsOneLine()
    {
        launch::CheckAsk ask = smallAsk(gdn::Family::Gdn2, DType::Float64);
        ask.drawing.starts = {0, 100};
        QVERIFY_EXCEPTION_THROWN(launch::check(ask, {}), Error);
    }

    void itStopsWhereItIsAsked()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN(launch::check(smallAsk(gdn::Family::Gdn2, DType::Float64), stop.get_token()), Cancelled);
    }
};

QTEST_GUILESS_MAIN(LaunchCheckTest)
#include "tst_launch_check.moc"
