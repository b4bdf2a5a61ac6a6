// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/gdn/cuda/host_primitives.h"

#include "kernels/gdn/cuda/inverse.h"

#include <QtTest>

#include <random>

using namespace assay::gdn::cuda;
namespace plan = assay::gdn::plan;

namespace {

constexpr int kTokens = plan::kChunk, kHalf = kTokens / 2;
constexpr int kStride = plan::elementStride(kTokens), kNearStride = plan::floatStride(plan::kNearBlock);
using Matrix = std::array<std::array<double, kTokens>, kTokens>;

/// Below the diagonal numbers as large as scores of b k and k get; those of many equal keys make the inverse grow.
Matrix drawn(double mean)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<float> spread(-0.5F, 0.5F);
    Matrix matrix{};
    for (int i = 0; i < kTokens; ++i) {
        for (int j = 0; j < i; ++j)
            matrix[i][j] = static_cast<float>(mean) + spread(random);
    }
    return matrix;
}

/// (I + a)^-1 by forward substitution.
Matrix inverseOf(const Matrix& a)
{
    Matrix x{};
    for (int column = 0; column < kTokens; ++column) {
        for (int i = column; i < kTokens; ++i) {
            x[i][column] = i == column;
            for (int m = column; m < i; ++m)
                x[i][column] -= a[i][m] * x[m][column];
        }
    }
    return x;
}

/// Shared memory of the inversion, full of NaN but for what a chunk's preparation stores.
template <typename Element> struct Tiles {
    alignas(16) std::array<Element, kTokens * kStride> erase, eraseRest, inverse, inverseRest;
    alignas(16) std::array<float, kTokens * kNearStride> nearErase;

    explicit Tiles(const Matrix& a)
    {
        for (auto* tile : {&erase, &eraseRest, &inverse, &inverseRest})
            tile->fill(Element{0xFFFF});
        nearErase.fill(NAN);
        for (int i = 0; i < kTokens; ++i) {
            for (int j = 0; j < i; ++j) {
                if (i / plan::kNearBlock == j / plan::kNearBlock) {
                    nearErase[i * kNearStride + j % plan::kNearBlock] = static_cast<float>(a[i][j]);
                    continue;
                }
                const SplitPair pair = split<Element>(static_cast<float>(a[i][j]), 0);
                erase[i * kStride + j].bits = static_cast<std::uint16_t>(pair.rounded);
                eraseRest[i * kStride + j].bits = static_cast<std::uint16_t>(pair.rest);
            }
        }
    }

    void invert()
    {
        const SplitTile<Element> x{inverse.data(), inverseRest.data()}, a{erase.data(), eraseRest.data()};
        host::Block& block = host::Block::current();
        for (int first = 0; first < kTokens; first += kHalf) {
            const int square = first * (kStride + 1);
            block.run(32, [&] { invertHalf(x.from(square), a.from(square), nearErase.data() + first * kNearStride); });
        }
        for (int row = 0; row < kHalf; row += 16) {
            for (int column = 0; column < kHalf; column += 16)
                block.run(32, [&] { Inverse<Element, kHalf>::setBelow(x, a, row, column); });
        }
    }

    double at(int i, int j) const
    {
        const auto place = static_cast<std::size_t>(i * kStride + j);
        return double{toFloat(inverse[place])} + toFloat(inverseRest[place]);
    }
};

/// The largest error, of what `tokens` operations of this unit may make of (|X| (I + |a|) |X|), which bounds the error of a
/// triangular system's inverse element by element (Higham, Accuracy and Stability of Numerical Algorithms, 14.2).
template <typename Element> double worst(double mean, double unit)
{
    const Matrix a = drawn(mean), x = inverseOf(a);
    Tiles<Element> tiles(a);
    tiles.invert();
    Matrix grown{};
    for (int i = 0; i < kTokens; ++i) {
        for (int j = 0; j <= i; ++j) {
            grown[i][j] = std::abs(x[i][j]);
            for (int m = j; m < i; ++m)
                grown[i][j] += std::abs(a[i][m]) * std::abs(x[m][j]);
        }
    }
    double most = 0;
    for (int i = 0; i < kTokens; ++i) {
        for (int j = 0; j <= i; ++j) {
            double bound = 0;
            for (int m = j; m <= i; ++m)
                bound += std::abs(x[i][m]) * grown[m][j];
            const double error = std::abs(tiles.at(i, j) - x[i][j]);
            most = error <= 0 ? most : std::max(most, error / (kTokens * unit * bound));
            if (!std::isfinite(error))
                return error;
        }
    }
    return most;
}

} // namespace

class GdnInverseTest : public QObject {
    Q_OBJECT

private slots:
    void everyElementIsAsGoodAsItsTwoParts();
    void blocksOnTheDiagonalAreZeroAboveIt();
};

void GdnInverseTest::everyElementIsAsGoodAsItsTwoParts()
{
    // A rounded element and a rounded rest are off by a product of both roundings; a rest of fp16 may be denormal.
    const double brain = 0x1p-17, half = 0x1p-21;
    for (const double mean : {0.0, 0.5, 1.0}) {
        const double ofBrain = worst<BFloat16>(mean, brain), ofHalf = worst<Float16>(mean, half);
        QVERIFY2(ofBrain <= 1, qPrintable(QString("mean %1: %2 of the bound").arg(mean).arg(ofBrain)));
        QVERIFY2(ofHalf <= 1, qPrintable(QString("mean %1: %2 of the bound").arg(mean).arg(ofHalf)));
    }
}

void GdnInverseTest::blocksOnTheDiagonalAreZeroAboveIt()
{
    Tiles<BFloat16> tiles(drawn(0.5));
    tiles.invert();
    for (int i = 0; i < kTokens; ++i) {
        for (int j = i + 1; j < i / plan::kSubBlock * plan::kSubBlock + plan::kSubBlock; ++j)
            QCOMPARE(tiles.at(i, j), 0.0);
    }
}

QTEST_GUILESS_MAIN(GdnInverseTest)
#include "tst_gdn_inverse.moc"
