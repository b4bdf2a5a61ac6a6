// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/chunked.h"
#include "kernels/gdn/draw.h"
#include "kernels/gdn/serial.h"
#include "kernels/random/philox.h"
#include "tests/kernels/gdn/random_problem.h"

#include <QtTest>

#include <cmath>

using namespace assay;
using namespace assay::tests;

Q_DECLARE_METATYPE(assay::gdn::Family)

namespace {

constexpr gdn::Shape kShape{1, 37, 2, 6, 5};
const std::vector<std::int32_t> kStarts{0, 20, 21, 37};

using Drawn = gdn::DrawnCall;

Drawn drawCall(gdn::Family family)
{
    return gdn::drawCall(family, kShape, {.erase = 2, .starts = kStarts});
}

double dot(const std::vector<double>& x, const std::vector<double>& y)
{
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += x[i] * y[i];
    return sum;
}

double loss(const Drawn& owned)
{
    const gdn::FamilyProblem family(owned.call());
    const gdn::ForwardResult result = family.output(gdn::serialForward(family.problem()));
    return dot(result.o.toDoubles(), owned.tensors.at("do").toDoubles())
        + dot(result.finalState.toDoubles(), owned.tensors.at("dST").toDoubles());
}

double lossAt(Drawn owned, std::string_view input, const std::vector<double>& direction, double step)
{
    tensor::HostTensor& moved = owned.tensors.find(input)->second;
    std::vector<double> values = moved.toDoubles();
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] += step * direction[i];
    moved = tensor::HostTensor::fromDoubles(tensor::DType::Float64, moved.shape(), values);
    return loss(owned);
}

QString refusal(const gdn::FamilyCall& call)
{
    try {
        const gdn::FamilyProblem family(call);
    } catch (const std::invalid_argument& mistake) {
        return QString::fromUtf8(mistake.what());
    }
    return {};
}

} // namespace

/// The families: their own inputs in, the gradients of these out.
class GdnFamilyTest : public QObject {
    Q_OBJECT

    static void eachFamily()
    {
        QTest::addColumn<gdn::Family>("family");
        for (const gdn::Family family : gdn::kAllFamilies)
            QTest::newRow(std::string(name(family)).c_str()) << family;
    }

private Q_SLOTS:
    void gradientsAreTheDerivatives_data() { eachFamily(); }

    /// Over packed sequences with states, every input of the family in two random directions.
    void gradientsAreTheDerivatives()
    {
        QFETCH(gdn::Family, family);
        const Drawn owned = drawCall(family);
        const gdn::FamilyProblem problem(owned.call());
        const auto gradients = problem.gradients(gdn::chunkedBackward(problem.problem(), {gdn::Arithmetic::Float64, 16}));
        const auto inputs = inputsOf(family);
        QCOMPARE(gradients.size(), inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            QCOMPARE(gradients[i].name, "d" + std::string(inputs[i].name));
            QVERIFY(gradients[i].tensor.shape() == sizesOf(inputs[i].extent, kShape));
            const std::vector<double> gradient = gradients[i].tensor.toDoubles();
            for (std::uint32_t trial = 0; trial < 2; ++trial) {
                std::vector<double> direction(gradient.size());
                random::Stream({trial, "family", "", "direction", 0}).normal(0, direction);
                const auto slope = [&](double step) {
                    return (lossAt(owned, inputs[i].name, direction, step) - lossAt(owned, inputs[i].name, direction, -step))
                        / (2 * step);
                };
                const double measured = (4 * slope(1e-4) - slope(2e-4)) / 3;
                double magnitude = 0;
                for (std::size_t j = 0; j < gradient.size(); ++j)
                    magnitude += std::fabs(gradient[j] * direction[j]);
                const double error = std::fabs(measured - dot(gradient, direction)) / magnitude;
                QVERIFY2(error < 1e-9, qPrintable(QStringLiteral("%1: %2").arg(gradients[i].name.c_str()).arg(error)));
            }
        }
    }

    /// h_t takes a part of the token before: the recurrence as it is published, against the operator's one-term form.
    void mamba3IsItsOwnRecurrence()
    {
        const Drawn owned = drawCall(gdn::Family::Mamba3);
        const gdn::FamilyProblem family(owned.call());
        const std::vector<double> found = family.output(gdn::chunkedForward(family.problem(), {})).o.toDoubles();
        const auto numbers = [&](const char* name) { return owned.tensors.find(name)->second.toDoubles(); };
        const auto q = numbers("q"), k = numbers("k"), v = numbers("v"), dt = numbers("dt"), rate = numbers("A"),
                   lambda = numbers("lambda"), first = owned.tensors.at("S0").toDoubles();
        const auto heads = static_cast<std::size_t>(kShape.heads), keys = static_cast<std::size_t>(kShape.keys),
                   values = static_cast<std::size_t>(kShape.values);
        std::vector<double> wanted(found.size());
        for (std::size_t n = 0; n + 1 < kStarts.size(); ++n) {
            for (std::size_t head = 0; head < heads; ++head) {
                std::vector<double> state(keys * values);
                std::copy_n(first.begin() + static_cast<std::ptrdiff_t>((n * heads + head) * keys * values), keys * values,
                            state.begin());
                for (auto t = static_cast<std::size_t>(kStarts[n]); t < static_cast<std::size_t>(kStarts[n + 1]); ++t) {
                    const std::size_t at = t * heads + head, before = at - heads;
                    const double decay = std::exp(dt[at] * rate[at]);
                    const bool isFirst = t == static_cast<std::size_t>(kStarts[n]);
                    for (std::size_t i = 0; i < keys; ++i) {
                        for (std::size_t j = 0; j < values; ++j) {
                            double& h = state[i * values + j];
                            const double late = isFirst ? 0 : k[before * keys + i] * v[before * values + j];
                            h = decay * h + (1 - lambda[at]) * dt[at] * decay * late
                                + lambda[at] * dt[at] * k[at * keys + i] * v[at * values + j];
                            wanted[at * values + j] += owned.scale * q[at * keys + i] * h;
                        }
                    }
                }
            }
        }
        QVERIFY(relativeError(wanted, found) < 1e-12);
    }

    void mamba1IsRefusedWithTheReason()
    {
        QVERIFY(!gdn::familyNamed("mamba1"));
        QCOMPARE(
            QString::fromStdString(gdn::whyNoFamily("mamba1")),
            QStringLiteral("Mamba-1 decays every element of its K x V state at a rate of its own, this operator one rate per "
                           "key channel"));
        QCOMPARE(QString::fromStdString(gdn::whyNoFamily("rwkv")),
                 QStringLiteral("no family is called \"rwkv\", there are gdn2, kda, gdn, delta, gla, mamba2, mamba3"));
        for (const gdn::Family family : gdn::kAllFamilies)
            QVERIFY(gdn::familyNamed(name(family)) == family);
    }

    void mistakesNameTheInput()
    {
        const Drawn owned = drawCall(gdn::Family::Kda);
        QCOMPARE(refusal(owned.call()), QString());
        gdn::FamilyCall call = owned.call();
        call.inputs.erase("beta");
        QCOMPARE(refusal(call), QStringLiteral("beta [B, T, H] is missing, kda takes q k v beta g"));
        call = owned.call();
        call.inputs["beta"].shape[1] = 36;
        QCOMPARE(refusal(call), QStringLiteral("beta has shape [1, 36, 2], expected [B, T, H] [1, 37, 2]"));
        call = owned.call();
        call.inputs["k"].shape[3] = 5;
        QCOMPARE(refusal(call), QStringLiteral("k has shape [1, 37, 2, 5], expected [B, T, H, K] [1, 37, 2, 6]"));
        call = owned.call();
        call.inputs["q"].shape.pop_back();
        QCOMPARE(refusal(call), QStringLiteral("q has shape [1, 37, 2], expected four sizes [B, T, H, K]"));
        call = owned.call();
        call.inputs["beta"].dtype = tensor::DType::Bool;
        QCOMPARE(refusal(call), QStringLiteral("beta holds bool, expected a floating type"));
    }
};

QTEST_GUILESS_MAIN(GdnFamilyTest)
#include "tst_gdn_family.moc"
