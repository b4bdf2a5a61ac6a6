// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/wilson.h"

#include <QtTest>

#include <cmath>

using namespace assay;

/// The expected bounds were found by bisection in 40-digit decimals on the definition itself: the p at which the observed share
/// is exactly z standard errors away, |x/n - p| = z sqrt(p (1 - p) / n). The code under test uses the closed form.
class WilsonTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theBoundsSolveTheirDefinition_data();
    void theBoundsSolveTheirDefinition();
    void anotherConfidenceGivesAnotherInterval();
    void noSuccessStillHasAnUpperBound();
    void onlySuccessesStillHaveALowerBound();
    void nothingTriedSaysNothing();
    void theIntervalHoldsTheShare();
};

namespace {

constexpr double kTolerance = 1e-12; // both sides are doubles; the closed form loses a few bits

bool close(double a, double b)
{
    return std::abs(a - b) < kTolerance;
}

} // namespace

void WilsonTest::theBoundsSolveTheirDefinition_data()
{
    QTest::addColumn<int>("successes");
    QTest::addColumn<int>("trials");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::newRow("published floor") << 1043 << 2638 << 0.37688265386815367 << 0.41417218094906877;
    QTest::newRow("published violations") << 1639 << 2638 << 0.6026301807553726 << 0.6396250832246594;
    QTest::newRow("NaN equals NaN") << 1014 << 2638 << 0.3659999764719263 << 0.4031004750471057;
    QTest::newRow("published agreement") << 1015 << 1030 << 0.9761113281101358 << 0.9911549693168439;
    QTest::newRow("one of ten") << 1 << 10 << 0.017876213095072903 << 0.4041500267952385;
    QTest::newRow("eight of ten") << 8 << 10 << 0.4901624715366417 << 0.9433178485456247;
}

void WilsonTest::theBoundsSolveTheirDefinition()
{
    QFETCH(int, successes);
    QFETCH(int, trials);
    QFETCH(double, low);
    QFETCH(double, high);
    const sampling::Interval interval = sampling::wilson(successes, trials);
    QVERIFY2(close(interval.low, low), qPrintable(QString::number(interval.low, 'g', 17)));
    QVERIFY2(close(interval.high, high), qPrintable(QString::number(interval.high, 'g', 17)));
}

void WilsonTest::anotherConfidenceGivesAnotherInterval()
{
    const sampling::Interval interval = sampling::wilson(1043, 2638, 0.99);
    QVERIFY(close(interval.low, 0.37114674849550233));
    QVERIFY(close(interval.high, 0.4201287879842401));
}

void WilsonTest::noSuccessStillHasAnUpperBound()
{
    const sampling::Interval interval = sampling::wilson(0, 10);
    QCOMPARE(interval.low, 0.0);
    QVERIFY(close(interval.high, 0.27753279986288926)); // z^2 / (n + z^2)
}

void WilsonTest::onlySuccessesStillHaveALowerBound()
{
    const sampling::Interval interval = sampling::wilson(10, 10);
    QVERIFY(close(interval.low, 0.7224672001371107)); // n / (n + z^2)
    QCOMPARE(interval.high, 1.0);
}

void WilsonTest::nothingTriedSaysNothing()
{
    const sampling::Interval interval = sampling::wilson(0, 0);
    QCOMPARE(interval.low, 0.0);
    QCOMPARE(interval.high, 1.0);
}

void WilsonTest::theIntervalHoldsTheShare()
{
    for (int trials = 1; trials <= 60; ++trials) {
        for (int successes = 0; successes <= trials; ++successes) {
            const sampling::Interval interval = sampling::wilson(successes, trials);
            const double share = static_cast<double>(successes) / trials;
            QVERIFY(0 <= interval.low && interval.low <= share + kTolerance);
            QVERIFY(share - kTolerance <= interval.high && interval.high <= 1);
        }
    }
}

QTEST_APPLESS_MAIN(WilsonTest)
#include "tst_wilson.moc"
