// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/clopper_pearson.h"

#include <QtTest>

#include <cmath>

using namespace assay::sampling;

class ClopperPearsonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allCaughtGivesTheRootOfTheRisk();
    void partsAgreeWithTheBinomialSum();
    void theUpperBoundMirrorsTheLower();
    void nothingTriedBoundsNothing();
};

/// P(X >= k) for X ~ Binomial(n, p), summed.
static double tail(int k, int n, double p)
{
    double sum = 0;
    for (int i = k; i <= n; ++i)
        sum += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1)) * std::pow(p, i)
            * std::pow(1 - p, n - i);
    return sum;
}

void ClopperPearsonTest::allCaughtGivesTheRootOfTheRisk()
{
    QCOMPARE(lowerBound(18, 18), std::pow(0.05, 1.0 / 18));
    QCOMPARE(std::round(lowerBound(18, 18) * 1000), 847.0);
    QCOMPARE(lowerBound(18, 18, 0.99), std::pow(0.01, 1.0 / 18));
}

/// At the bound, k or more successes have exactly the probability that the confidence leaves.
void ClopperPearsonTest::partsAgreeWithTheBinomialSum()
{
    for (const int k : {1, 7, 17, 29})
        QVERIFY2(std::abs(tail(k, 30, lowerBound(k, 30)) - 0.05) < 1e-9, qPrintable(QString::number(k)));
}

void ClopperPearsonTest::theUpperBoundMirrorsTheLower()
{
    QCOMPARE(upperBound(0, 74), 1 - std::pow(0.05, 1.0 / 74));
    QVERIFY(upperBound(0, 74) < 3.0 / 74);
    QVERIFY(std::abs(1 - tail(4, 30, upperBound(3, 30)) - 0.05) < 1e-9);
}

void ClopperPearsonTest::nothingTriedBoundsNothing()
{
    QCOMPARE(lowerBound(0, 0), 0.0);
    QCOMPARE(upperBound(0, 0), 1.0);
    QCOMPARE(lowerBound(0, 9), 0.0);
    QCOMPARE(upperBound(9, 9), 1.0);
}

QTEST_APPLESS_MAIN(ClopperPearsonTest)
#include "tst_clopper_pearson.moc"
