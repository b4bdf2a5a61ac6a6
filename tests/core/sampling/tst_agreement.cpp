// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/agreement.h"

#include <QtTest>

#include <cmath>

using namespace assay;

/// Expected values: exact fractions for the shares, kappa, chi-square and p; the standard error by the delta method on exact
/// fractions (gradient of kappa over the four shares, multinomial covariance), which the code under test does not use.
class AgreementTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void kappaAndItsCompany_data();
    void kappaAndItsCompany();
    void mcnemar_data();
    void mcnemar();
    void swappingTheJudgesChangesNothing();
    void perfectAgreementHasNoSpread();
    void oneAnswerForAllLeavesKappaOpen();
    void nothingJudgedSaysNothing();
};

namespace {

constexpr sampling::PairedCounts kActualAgainstReplica{844, 7, 8, 171};
constexpr sampling::PairedCounts kReplicaAgainstGates{985, 1487, 14, 152};

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b));
}

sampling::PairedCounts fetchCounts()
{
    QFETCH(int, bothPass);
    QFETCH(int, passFail);
    QFETCH(int, failPass);
    QFETCH(int, bothFail);
    return {bothPass, passFail, failPass, bothFail};
}

void addCountColumns()
{
    QTest::addColumn<int>("bothPass");
    QTest::addColumn<int>("passFail");
    QTest::addColumn<int>("failPass");
    QTest::addColumn<int>("bothFail");
}

} // namespace

void AgreementTest::kappaAndItsCompany_data()
{
    addCountColumns();
    QTest::addColumn<double>("observed");
    QTest::addColumn<double>("expected");
    QTest::addColumn<double>("kappa");
    QTest::addColumn<double>("standardError");
    QTest::newRow("KernelBench against its replica")
        << 844 << 7 << 8 << 171 << 0.98543689320388350 << 0.71346403996606655 << 0.94917529096734718 << 0.013019644210319481;
    QTest::newRow("replica against the gates") << 985 << 1487 << 14 << 152 << 0.43100833965125095 << 0.39396244656593637
                                               << 0.061128048708198002 << 0.0065040861709889272;
    QTest::newRow("hardened replica against the gates")
        << 969 << 1263 << 30 << 376 << 0.50985595147839277 << 0.41603444381151350 << 0.16066274230149750 << 0.010279890551496426;
    QTest::newRow("round margins") << 20 << 5 << 10 << 15 << 0.7 << 0.5 << 0.4 << 0.12699606293110035;
    QTest::newRow("worse than chance") << 3 << 12 << 2 << 4 << 1.0 / 3 << 0.38775510204081633 << -4.0 / 45 << 0.14897655902848777;
}

void AgreementTest::kappaAndItsCompany()
{
    QFETCH(double, observed);
    QFETCH(double, expected);
    QFETCH(double, kappa);
    QFETCH(double, standardError);
    const auto found = sampling::agreement(fetchCounts());
    QVERIFY(found && found->kappa && found->kappaStandardError);
    QVERIFY(close(found->observed, observed));
    QVERIFY(close(found->expected, expected));
    QVERIFY2(close(*found->kappa, kappa), qPrintable(QString::number(*found->kappa, 'g', 17)));
    QVERIFY2(close(*found->kappaStandardError, standardError), qPrintable(QString::number(*found->kappaStandardError, 'g', 17)));
    QVERIFY(close(found->pabak, 2 * observed - 1));
}

void AgreementTest::mcnemar_data()
{
    addCountColumns();
    QTest::addColumn<double>("chiSquare");
    QTest::addColumn<double>("p");
    QTest::newRow("KernelBench against its replica") << 844 << 7 << 8 << 171 << 0.0 << 1.0;
    QTest::newRow("replica against the gates: p is 9e-419") << 985 << 1487 << 14 << 152 << 1443.5602931379081 << 0.0;
    QTest::newRow("five to ten") << 20 << 5 << 10 << 15 << 1.0666666666666667 << 0.3017578125;
    QTest::newRow("twelve to two") << 3 << 12 << 2 << 4 << 5.7857142857142857 << 0.012939453125;
    QTest::newRow("an even split") << 1 << 3 << 3 << 1 << 0.0 << 1.0;
    QTest::newRow("one discordant item") << 9 << 1 << 0 << 9 << 0.0 << 1.0;
    QTest::newRow("six to none") << 9 << 6 << 0 << 9 << 25.0 / 6 << 0.03125;
    QTest::newRow("nothing discordant") << 9 << 0 << 0 << 9 << 0.0 << 1.0;
}

void AgreementTest::mcnemar()
{
    QFETCH(double, chiSquare);
    QFETCH(double, p);
    const sampling::PairedCounts counts = fetchCounts();
    QVERIFY(close(sampling::mcnemarChiSquare(counts), chiSquare));
    QVERIFY(close(sampling::mcnemarExact(counts), p));
}

void AgreementTest::swappingTheJudgesChangesNothing()
{
    for (const sampling::PairedCounts& counts : {kActualAgainstReplica, kReplicaAgainstGates}) {
        sampling::PairedCounts swapped = counts;
        std::swap(swapped.firstPassSecondFail, swapped.firstFailSecondPass);
        QVERIFY(close(*sampling::agreement(counts)->kappa, *sampling::agreement(swapped)->kappa));
        QVERIFY(close(*sampling::agreement(counts)->kappaStandardError, *sampling::agreement(swapped)->kappaStandardError));
        QCOMPARE(sampling::mcnemarExact(counts), sampling::mcnemarExact(swapped));
    }
}

void AgreementTest::perfectAgreementHasNoSpread()
{
    const auto found = sampling::agreement({5, 0, 0, 5});
    QCOMPARE(*found->kappa, 1.0);
    QCOMPARE(*found->kappaStandardError, 0.0);
    QCOMPARE(found->pabak, 1.0);
}

void AgreementTest::oneAnswerForAllLeavesKappaOpen()
{
    for (const sampling::PairedCounts& counts : {sampling::PairedCounts{7, 0, 0, 0}, sampling::PairedCounts{0, 0, 0, 7}}) {
        const auto found = sampling::agreement(counts);
        QCOMPARE(found->observed, 1.0);
        QVERIFY(!found->kappa);
        QVERIFY(!found->kappaStandardError);
    }
    QCOMPARE(*sampling::agreement({0, 7, 0, 0})->kappa,
             0.0); // one says always pass, the other always fail: no better than chance
}

void AgreementTest::nothingJudgedSaysNothing()
{
    QVERIFY(!sampling::agreement({}));
    QCOMPARE(sampling::mcnemarExact({}), 1.0);
    QCOMPARE(sampling::mcnemarChiSquare({}), 0.0);
}

QTEST_APPLESS_MAIN(AgreementTest)
#include "tst_agreement.moc"
