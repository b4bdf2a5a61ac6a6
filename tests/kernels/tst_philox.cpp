// SPDX-License-Identifier: Apache-2.0
#include "kernels/random/philox.h"

#include <QCryptographicHash>
#include <QtTest>

#include <cmath>
#include <vector>

using namespace assay::random;

class PhiloxTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theKnownAnswersComeOut();
    void elementsDoNotDependOnWhereOneStarts();
    void everyPartOfTheNameMatters();
    void logarithmAndQuantileAreAccurate();
    void normalsHaveTheMomentsOfANormal();
    void aMebibyteOfNormalsIsTheSameOnEveryMachine();
};

void PhiloxTest::theKnownAnswersComeOut()
{
    // Random123's known-answer vectors for philox4x32 with 10 rounds.
    QVERIFY((philox({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    QVERIFY((philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}) == Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    QVERIFY((philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0})
             == Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

void PhiloxTest::elementsDoNotDependOnWhereOneStarts()
{
    const Stream stream({7, "kernel", "CMP-01", "random", 0});
    std::vector<double> whole(1000), part(300);
    stream.normal(0, whole);
    for (const std::size_t first : {0U, 1U, 255U, 511U, 700U}) {
        stream.normal(first, part);
        for (std::size_t i = 0; i < part.size(); ++i)
            QCOMPARE(part[i], whole[first + i]);
    }
}

void PhiloxTest::everyPartOfTheNameMatters()
{
    const StreamName base{7, "kernel", "CMP-01", "random", 0};
    const auto firstOf = [](const StreamName& name) {
        std::uint64_t bits = 0;
        Stream(name).bits(0, std::span(&bits, 1));
        return bits;
    };
    const std::uint64_t expected = firstOf(base);
    QCOMPARE(firstOf(base), expected);
    QVERIFY(firstOf({8, "kernel", "CMP-01", "random", 0}) != expected);
    QVERIFY(firstOf({7, "kernel2", "CMP-01", "random", 0}) != expected);
    QVERIFY(firstOf({7, "kernel", "CMP-03", "random", 0}) != expected);
    QVERIFY(firstOf({7, "kernel", "CMP-01", "zeros", 0}) != expected);
    QVERIFY(firstOf({7, "kernel", "CMP-01", "random", 1}) != expected);
    QVERIFY(firstOf({7, "kernelCMP", "-01", "random", 0}) != expected);
}

void PhiloxTest::logarithmAndQuantileAreAccurate()
{
    for (double x = 0x1p-53; x < 1e6; x *= 1.37)
        QVERIFY2(std::fabs(portableLog(x) - std::log(x)) <= 4e-16 * std::max(1.0, std::fabs(std::log(x))),
                 qPrintable(QString::number(x)));
    // Values of Python's statistics.NormalDist().inv_cdf, an independent program of the same algorithm.
    const std::pair<double, double> known[]
        = {{1e-15, -7.941345326170995},  {1e-09, -5.9978070150076865}, {0.02, -2.0537489106318225},
           {0.075, -1.4395314709384557}, {0.3, -0.5244005127080407},   {0.5, 0.0},
           {0.7, 0.5244005127080407},    {0.925, 1.439531470938456},   {0.999999, 4.753424308817089}};
    for (const auto& [p, z] : known)
        QVERIFY2(std::fabs(normalQuantile(p) - z) <= 1e-15 * std::max(1.0, std::fabs(z)), qPrintable(QString::number(p)));
}

void PhiloxTest::normalsHaveTheMomentsOfANormal()
{
    constexpr std::size_t kCount = 400'000;
    std::vector<double> sample(kCount);
    Stream({1, "moments", "", "", 0}).normal(0, sample);
    double mean = 0, square = 0, fourth = 0;
    for (const double z : sample) {
        mean += z / kCount;
        square += z * z / kCount;
        fourth += z * z * z * z / kCount;
    }
    // Six standard errors: 1/sqrt(n), sqrt(2/n), sqrt(96/n).
    QVERIFY(std::fabs(mean) < 6 / std::sqrt(kCount));
    QVERIFY(std::fabs(square - 1) < 6 * std::sqrt(2.0 / kCount));
    QVERIFY(std::fabs(fourth - 3) < 6 * std::sqrt(96.0 / kCount));
}

void PhiloxTest::aMebibyteOfNormalsIsTheSameOnEveryMachine()
{
    std::vector<double> sample((1 << 20) / sizeof(double));
    Stream({20260101, "replay", "CMP-01", "normal", 3}).normal(0, sample);
    const QByteArray bytes = QByteArray::fromRawData(reinterpret_cast<const char*>(sample.data()), 1 << 20);
    QCOMPARE(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex(),
             QByteArray("aa2fbee3ffa1c8b50d0e62ae8c8616e3138dfc9b7e5938c93742bc928e5c4eb3"));
}

QTEST_APPLESS_MAIN(PhiloxTest)
#include "tst_philox.moc"
