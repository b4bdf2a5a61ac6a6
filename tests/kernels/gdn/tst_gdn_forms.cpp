// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/chunked.h"
#include "kernels/gdn/rounding.h"
#include "kernels/gdn/serial.h"
#include "kernels/random/philox.h"
#include "kernels/tensor/float_codec.h"
#include "tests/kernels/gdn/random_problem.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::tests;

namespace {

using Answers = std::map<std::string, std::vector<double>>;

Answers serial(const gdn::Problem& problem, gdn::Precision precision = gdn::Precision::Float64)
{
    return byName(gdn::serialForward(problem, precision), gdn::serialBackward(problem, precision));
}

Answers chunked(const gdn::Problem& problem, const gdn::ChunkOptions& options)
{
    return byName(gdn::chunkedForward(problem, options), gdn::chunkedBackward(problem, options));
}

double dot(const std::vector<double>& x, const std::vector<double>& y)
{
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += x[i] * y[i];
    return sum;
}

/// <o, do> + <ST, dST>, whose gradients the backward gives.
double loss(const OwnedProblem& owned)
{
    const gdn::ForwardResult result = gdn::serialForward(owned.problem());
    return dot(result.o.toDoubles(), owned.tensors.at("do").toDoubles())
        + dot(result.finalState.toDoubles(), owned.tensors.at("dST").toDoubles());
}

double lossAt(OwnedProblem owned, const std::string& input, const std::vector<double>& direction, double step)
{
    tensor::HostTensor& moved = owned.tensors.at(input);
    std::vector<double> values = moved.toDoubles();
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] += step * direction[i];
    moved = tensor::HostTensor::fromDoubles(tensor::DType::Float64, moved.shape(), values);
    return loss(owned);
}

/// The same elements with gaps between channels, heads in another order and tokens last.
tensor::HostTensor scattered(const tensor::HostTensor& tensor)
{
    const std::vector<std::int64_t>& s = tensor.shape();
    const std::vector<std::int64_t> strides{2 * s[1] * s[2] * s[3], 1, 2 * s[1] * s[3], 2 * s[1]};
    auto storage = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(2 * tensor.count()) * sizeof(double));
    auto* const out = reinterpret_cast<double*>(storage->data());
    std::fill_n(out, 2 * tensor.count(), std::numeric_limits<double>::quiet_NaN());
    const std::vector<double> values = tensor.toDoubles();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at = tensor::unravel(static_cast<std::int64_t>(i), s);
        out[at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2] + at[3] * strides[3]] = values[i];
    }
    return {storage, tensor::DType::Float64, s, strides};
}

bool sameBytes(const tensor::HostTensor& x, const tensor::HostTensor& y)
{
    return std::ranges::equal(x.bytes(), y.bytes());
}

} // namespace

/// The forms of the operator against each other and against finite differences, with nothing from outside.
class GdnFormsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theAdjointIsTheDerivative_data()
    {
        QTest::addColumn<QString>("input");
        for (const char* name : {"q", "k", "v", "b", "w", "g", "S0"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    /// Central differences in random directions, extrapolated once; against the sum of the magnitudes that make up the
    /// derivative.
    void theAdjointIsTheDerivative()
    {
        QFETCH(QString, input);
        const OwnedProblem owned = drawProblem({2, 23, 1, 7, 5}, {.erase = 2});
        const std::vector<double> gradient = serial(owned.problem()).at("d" + input.toStdString());
        for (std::uint32_t trial = 0; trial < 4; ++trial) {
            std::vector<double> direction(gradient.size());
            random::Stream({trial, "gdn", "", "direction", 0}).normal(0, direction);
            const auto slope = [&](double step) {
                const std::string name = input.toStdString();
                return (lossAt(owned, name, direction, step) - lossAt(owned, name, direction, -step)) / (2 * step);
            };
            const double measured = (4 * slope(1e-4) - slope(2e-4)) / 3;
            double magnitude = 0;
            for (std::size_t i = 0; i < gradient.size(); ++i)
                magnitude += std::fabs(gradient[i] * direction[i]);
            const double error = std::fabs(measured - dot(gradient, direction)) / magnitude;
            QVERIFY2(error < 1e-9, qPrintable(QString::number(error)));
        }
    }

    void chunksAgreeWithTokenByToken_data()
    {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("keys");
        QTest::addColumn<int>("values");
        QTest::addColumn<double>("erase");
        QTest::addColumn<double>("decay");
        for (const int tokens : {1, 15, 16, 17, 63, 64, 65, 200}) {
            for (const auto& [keys, values] : {std::pair{16, 16}, {33, 7}, {5, 40}})
                QTest::addRow("%d tokens, %d x %d", tokens, keys, values) << tokens << keys << values << 1.0 << 0.0;
        }
        QTest::newRow("full erase") << 130 << 16 << 16 << 2.0 << 0.0;
        QTest::newRow("strong decays") << 130 << 16 << 16 << 2.0 << 30.0;
    }

    void chunksAgreeWithTokenByToken()
    {
        QFETCH(int, tokens);
        QFETCH(int, keys);
        QFETCH(int, values);
        QFETCH(double, erase);
        QFETCH(double, decay);
        const OwnedProblem owned = drawProblem({1, tokens, 2, keys, values}, {.erase = erase, .decay = decay});
        const Answers truth = serial(owned.problem());
        for (const int chunk : {16, 32, 64}) {
            for (const auto& [name, found] : chunked(owned.problem(), {gdn::Arithmetic::Float64, chunk})) {
                const double error = relativeError(truth.at(name), found);
                QVERIFY2(error < 1e-10, qPrintable(QStringLiteral("%1: %2").arg(name.c_str()).arg(error)));
            }
        }
    }

    void singlePrecisionErrsLittleMoreThanTokenByToken_data()
    {
        QTest::addColumn<double>("erase");
        QTest::addColumn<double>("decay");
        QTest::newRow("mild") << 1.0 << 0.0;
        QTest::newRow("full erase") << 2.0 << 0.0;
        QTest::newRow("strong decays") << 2.0 << 30.0;
    }

    /// Neither form is exact in fp32, and neither adds up in the other's order: within four times the other's error, or four
    /// roundings where that one happens to make none.
    void singlePrecisionErrsLittleMoreThanTokenByToken()
    {
        QFETCH(double, erase);
        QFETCH(double, decay);
        const OwnedProblem owned
            = drawProblem({1, 300, 2, 64, 48}, {.erase = erase, .decay = decay, .dtype = tensor::DType::Float32});
        const Answers truth = serial(owned.problem());
        const Answers plain = serial(owned.problem(), gdn::Precision::Float32);
        for (const auto& [name, found] : chunked(owned.problem(), {gdn::Arithmetic::Float32})) {
            const double error = rmsRatio(truth.at(name), found), other = rmsRatio(truth.at(name), plain.at(name));
            const QString line = QStringLiteral("%1: %2 against %3").arg(name.c_str()).arg(error).arg(other);
            QVERIFY2(error < 4 * std::max(other, 0x1p-24), qPrintable(line));
        }
    }

    /// Every step decays by e^-30: the gradient of the decay is 13 orders below what it would be the difference of.
    void theDecaysGradientKeepsItsDigitsWhereDecaysAreStrong()
    {
        OwnedProblem owned = drawProblem({1, 100, 1, 16, 16}, {.erase = 2, .dtype = tensor::DType::Float32});
        const std::vector<double> decays(static_cast<std::size_t>(owned.tensors.at("g").count()), -30.0);
        owned.tensors["g"] = tensor::HostTensor::fromDoubles(tensor::DType::Float32, owned.tensors.at("g").shape(), decays);
        const std::vector<double> truth = serial(owned.problem()).at("dg");
        QVERIFY(rmsRatio(truth, chunked(owned.problem(), {gdn::Arithmetic::Float64}).at("dg")) < 1e-13);
        QVERIFY(rmsRatio(truth, chunked(owned.problem(), {gdn::Arithmetic::Float32}).at("dg")) < 1e-5);
    }

    /// A decay of nothing at all resets the state: no inf - inf, no 0 * inf.
    void aResetMakesNoNaN()
    {
        OwnedProblem owned = drawProblem({1, 150, 1, 16, 8}, {.erase = 2});
        std::vector<double> decays = owned.tensors.at("g").toDoubles();
        for (std::size_t i = 0; i < decays.size(); i += 7)
            decays[i] = -std::numeric_limits<double>::infinity();
        owned.tensors["g"] = tensor::HostTensor::fromDoubles(tensor::DType::Float64, owned.tensors.at("g").shape(), decays);
        const Answers truth = serial(owned.problem());
        for (const auto& [name, found] : chunked(owned.problem(), {gdn::Arithmetic::Float64}))
            QVERIFY2(relativeError(truth.at(name), found) < 1e-10, name.c_str());
        for (const auto& [name, found] : chunked(owned.problem(), {gdn::Arithmetic::Float32}))
            QVERIFY2(relativeError(truth.at(name), found) < 1e-4, name.c_str());
    }

    void aNaNReachesWhatItReachesTokenByToken_data()
    {
        QTest::addColumn<QString>("input");
        for (const char* name : {"q", "k", "v", "b", "w", "do"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    /// One channel of one token. dg may lose the rest of the token's chunk, never another chunk.
    void aNaNReachesWhatItReachesTokenByToken()
    {
        QFETCH(QString, input);
        constexpr std::int64_t kToken = 90, kChannels = 16;
        OwnedProblem owned = drawProblem({1, 200, 1, kChannels, kChannels});
        std::vector<double> values = owned.tensors.at(input.toStdString()).toDoubles();
        values[kToken * kChannels + 5] = std::numeric_limits<double>::quiet_NaN();
        owned.tensors[input.toStdString()]
            = tensor::HostTensor::fromDoubles(tensor::DType::Float64, {1, 200, 1, kChannels}, values);
        const Answers truth = serial(owned.problem());
        for (const gdn::Arithmetic arithmetic : {gdn::Arithmetic::Float64, gdn::Arithmetic::BFloat16Operands}) {
            for (const auto& [name, found] : chunked(owned.problem(), {arithmetic})) {
                for (std::size_t i = 0; i < found.size(); ++i) {
                    const bool isOfItsChunk = i / kChannels / 64 == kToken / 64;
                    const bool isMore = std::isnan(found[i]) && !std::isnan(truth.at(name)[i]);
                    const bool isLess = !std::isnan(found[i]) && std::isnan(truth.at(name)[i]);
                    QVERIFY2(!isLess, qPrintable(QStringLiteral("%1 at %2, %3").arg(name.c_str()).arg(i).arg(int(arithmetic))));
                    QVERIFY2(!isMore || (name == "dg" && isOfItsChunk),
                             qPrintable(QStringLiteral("%1 at %2, %3").arg(name.c_str()).arg(i).arg(int(arithmetic))));
                }
            }
        }
    }

    void packedSequencesAreSequencesOfTheirOwn()
    {
        const std::vector<std::int32_t> starts{0, 40, 40, 141};
        const OwnedProblem packed = drawProblem({1, 141, 2, 8, 12}, {.starts = starts});
        const Answers together = chunked(packed.problem(), {});
        // The last one alone, cut out by a view.
        gdn::Problem alone = packed.problem();
        alone.sequenceStart.clear();
        for (gdn::TensorView* view : {&alone.q, &alone.k, &alone.b, &alone.g, &alone.v, &alone.w, &*alone.outputGrad}) {
            view->data += 40 * view->strides[1] * std::int64_t{sizeof(double)};
            view->shape[1] = 101;
        }
        for (gdn::TensorView* view : {&*alone.initialState, &*alone.finalGrad}) {
            view->data += 2 * view->strides[0] * std::int64_t{sizeof(double)};
            view->shape[0] = 1;
        }
        for (const auto& [name, found] : chunked(alone, {})) {
            const std::vector<double>& all = together.at(name);
            QVERIFY2(std::equal(found.begin(), found.end(), all.end() - static_cast<std::ptrdiff_t>(found.size())), name.c_str());
        }
        // The empty one hands its states through.
        const std::int64_t state = 2 * 8 * 12;
        const std::vector<double> first = packed.tensors.at("S0").toDoubles(), last = packed.tensors.at("dST").toDoubles();
        QVERIFY(std::equal(first.begin() + state, first.begin() + 2 * state, together.at("ST").begin() + state));
        QVERIFY(std::equal(last.begin() + state, last.begin() + 2 * state, together.at("dS0").begin() + state));
    }

    void stridesDoNotMatter()
    {
        const OwnedProblem owned = drawProblem({2, 70, 3, 6, 10});
        OwnedProblem strided = owned;
        for (auto& [name, tensor] : strided.tensors)
            tensor = scattered(tensor);
        QVERIFY(serial(owned.problem()) == serial(strided.problem()));
        QVERIFY(chunked(owned.problem(), {}) == chunked(strided.problem(), {}));
    }

    void theBitsDoNotDependOnTheThreads()
    {
        const OwnedProblem owned = drawProblem({2, 100, 5, 33, 40});
        const gdn::Problem problem = owned.problem();
        for (const gdn::Arithmetic arithmetic :
             {gdn::Arithmetic::Float64, gdn::Arithmetic::Float32, gdn::Arithmetic::BFloat16Operands}) {
            const gdn::BackwardResult one = gdn::chunkedBackward(problem, {arithmetic, 64, 1});
            const gdn::BackwardResult many = gdn::chunkedBackward(problem, {arithmetic, 64, 7});
            QVERIFY(sameBytes(one.dq, many.dq) && sameBytes(one.dk, many.dk) && sameBytes(one.dg, many.dg)
                    && sameBytes(one.initialStateGrad, many.initialStateGrad));
            QVERIFY(sameBytes(gdn::chunkedForward(problem, {arithmetic, 64, 1}).o,
                              gdn::chunkedForward(problem, {arithmetic, 64, 7}).o));
        }
        QVERIFY(sameBytes(gdn::serialBackward(problem, gdn::Precision::Float64, 1).dg,
                          gdn::serialBackward(problem, gdn::Precision::Float64, 7).dg));
    }

    /// Operands of 8 and 11 bits: the errors are theirs, an eighth of each other.
    void emulationsErrByTheirOperandsBits()
    {
        const OwnedProblem owned = drawProblem({1, 256, 2, 64, 64}, {.dtype = tensor::DType::BFloat16});
        const Answers truth = serial(owned.problem());
        const Answers coarse = chunked(owned.problem(), {gdn::Arithmetic::BFloat16Operands});
        const Answers fine = chunked(owned.problem(), {gdn::Arithmetic::Float16Operands});
        for (const auto& [name, values] : truth) {
            const double ratio = rmsRatio(values, coarse.at(name)) / rmsRatio(values, fine.at(name));
            QVERIFY2(ratio > 6 && ratio < 10, qPrintable(QStringLiteral("%1: %2").arg(name.c_str()).arg(ratio)));
            QVERIFY(rmsRatio(values, coarse.at(name)) < (name == "db" ? 1.5e-2 : 8e-3)); // what is asked of GPU kernels
        }
    }

    void operandsAreRoundedToNearestEven()
    {
        std::vector<float> values{0.0F,
                                  -0.0F,
                                  1.0F,
                                  65504,
                                  65519.996F,
                                  65520,
                                  -1e30F,
                                  6e-8F,
                                  3e-8F,
                                  2.9e-8F,
                                  1e-40F,
                                  std::numeric_limits<float>::infinity(),
                                  -std::numeric_limits<float>::infinity()};
        for (std::uint32_t i = 0; i < 100'000; ++i)
            values.push_back(std::bit_cast<float>(i * 42'949U));
        std::erase_if(values, [](float value) { return std::isnan(value); });
        std::vector<float> half(values.size()), brain(values.size());
        gdn::roundOperands(gdn::Operands::Float16, values.data(), static_cast<std::int64_t>(values.size()), half.data());
        gdn::roundOperands(gdn::Operands::BFloat16, values.data(), static_cast<std::int64_t>(values.size()), brain.data());
        const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
        for (std::size_t i = 0; i < values.size(); ++i) {
            QCOMPARE(bits(half[i]), bits(tensor::decode<tensor::kHalf>(tensor::encode<tensor::kHalf>(values[i]))));
            QCOMPARE(bits(brain[i]), bits(tensor::decode<tensor::kBFloat>(tensor::encode<tensor::kBFloat>(values[i]))));
        }
        const float nan = std::bit_cast<float>(0x7F80'0001U);
        for (const gdn::Operands operands : {gdn::Operands::Float16, gdn::Operands::BFloat16}) {
            float rounded = 0;
            gdn::roundOperands(operands, &nan, 1, &rounded);
            QVERIFY(std::isnan(rounded));
        }
    }

    void everyFormStopsWhereItIsAsked()
    {
        const OwnedProblem owned = drawProblem({1, 8, 2, 4, 4});
        std::stop_source stop;
        stop.request_stop();
        gdn::ChunkOptions options;
        options.stop = stop.get_token();
        QVERIFY_EXCEPTION_THROWN(gdn::chunkedForward(owned.problem(), options), gdn::Stopped);
        QVERIFY_EXCEPTION_THROWN(gdn::chunkedBackward(owned.problem(), options), gdn::Stopped);
        QVERIFY_EXCEPTION_THROWN(gdn::serialForward(owned.problem(), gdn::Precision::Float64, 2, stop.get_token()), gdn::Stopped);
        QVERIFY_EXCEPTION_THROWN(gdn::serialBackward(owned.problem(), gdn::Precision::Float32, 1, stop.get_token()),
                                 gdn::Stopped);
    }

    void nothingToDoIsNoMistake()
    {
        const OwnedProblem owned = drawProblem({2, 0, 3, 4, 5});
        const Answers found = chunked(owned.problem(), {});
        QVERIFY(found == serial(owned.problem()));
        QCOMPARE(found.at("ST"), owned.tensors.at("S0").toDoubles());
        QCOMPARE(found.at("dS0"), owned.tensors.at("dST").toDoubles());
        QVERIFY(found.at("dq").empty());
    }

    void mistakesNameTheTensorAndItsShape_data()
    {
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<QList<int>>("sizes");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* tensor, const QList<int>& sizes, const char* line) {
            QTest::newRow(line) << QString::fromLatin1(tensor) << sizes << QString::fromLatin1(line);
        };
        row("q", {2, 8}, "q has shape [2, 8], expected four sizes [B, T, H, K]");
        row("v", {2, 8, 3}, "v has shape [2, 8, 3], expected four sizes [B, T, H, V]");
        row("k", {2, 8, 3, 5}, "k has shape [2, 8, 3, 5], expected [B, T, H, K] [2, 8, 3, 4]");
        row("g", {2, 8, 3, 1}, "g has shape [2, 8, 3, 1], expected [B, T, H, K] [2, 8, 3, 4]");
        row("w", {2, 8, 3, 4}, "w has shape [2, 8, 3, 4], expected [B, T, H, V] [2, 8, 3, 6]");
        row("do", {2, 7, 3, 6}, "do has shape [2, 7, 3, 6], expected [B, T, H, V] [2, 8, 3, 6]");
        row("S0", {2, 3, 6, 4}, "S0 has shape [2, 3, 6, 4], expected [N, H, K, V] [2, 3, 4, 6]");
        row("dST", {1, 3, 4, 6}, "dST has shape [1, 3, 4, 6], expected [N, H, K, V] [2, 3, 4, 6]");
        row("q", {2, 8, 3, 0}, "q has shape [2, 8, 3, 0], expected at least one channel");
    }

    void mistakesNameTheTensorAndItsShape()
    {
        QFETCH(QString, tensor);
        QFETCH(QList<int>, sizes);
        QFETCH(QString, line);
        OwnedProblem owned = drawProblem({2, 8, 3, 4, 6});
        owned.tensors[tensor.toStdString()]
            = tensor::HostTensor(tensor::DType::Float64, std::vector<std::int64_t>(sizes.begin(), sizes.end()));
        QCOMPARE(QString::fromStdString(gdn::mistakeIn(owned.problem())), line);
        try {
            gdn::chunkedForward(owned.problem());
            QFAIL("it was computed");
        } catch (const std::invalid_argument& mistake) {
            QCOMPARE(QString::fromUtf8(mistake.what()), line);
        }
    }

    void otherMistakesAreNamedToo()
    {
        const OwnedProblem owned = drawProblem({2, 8, 3, 4, 6});
        const auto line = [&](auto change) {
            gdn::Problem problem = owned.problem();
            change(problem);
            return QString::fromStdString(gdn::mistakeInBackward(problem));
        };
        QCOMPARE(line([](gdn::Problem&) {}), QString());
        QCOMPARE(line([](gdn::Problem& p) { p.outputGrad.reset(); }),
                 QStringLiteral("do is missing, the gradient of o with its shape [B, T, H, V]"));
        QCOMPARE(line([](gdn::Problem& p) { p.b.dtype = tensor::DType::Int64; }),
                 QStringLiteral("b holds int64, expected a floating type"));
        QCOMPARE(line([](gdn::Problem& p) { p.scale = std::nan(""); }), QStringLiteral("scale is nan, expected a finite number"));
        QCOMPARE(line([](gdn::Problem& p) {
                     p.sequenceStart = {0, 8};
                 }),
                 QStringLiteral("cu_seqlens packs the sequences of one batch row, expected q with B = 1 and not 2"));
        const OwnedProblem packed = drawProblem({1, 8, 3, 4, 6}, {.starts = {0, 5, 3, 8}});
        QCOMPARE(QString::fromStdString(gdn::mistakeIn(packed.problem())),
                 QStringLiteral("cu_seqlens has 3 at 2 after 5, expected rising offsets"));
        gdn::Problem shortOne = packed.problem();
        shortOne.sequenceStart = {0, 5, 7};
        QCOMPARE(QString::fromStdString(gdn::mistakeIn(shortOne)),
                 QStringLiteral("cu_seqlens runs from 0 to 7, expected from 0 to T = 8"));
        QVERIFY_EXCEPTION_THROWN(gdn::chunkedForward(owned.problem(), {gdn::Arithmetic::Float64, 48}), std::invalid_argument);
    }
};

QTEST_GUILESS_MAIN(GdnFormsTest)
#include "tst_gdn_forms.moc"
