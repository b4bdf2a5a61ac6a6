// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/clopper_pearson.h"
#include "core/sampling/hypergeometric.h"
#include "core/sampling/label_agreement.h"
#include "core/sampling/stratified.h"
#include "core/sampling/wilson.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QtTest>

#include <cmath>
#include <vector>

using namespace assay;

/// Intervals, estimates and kappas against scipy and numpy (scipy_values.py): the values that were stored, and, where scipy is
/// installed, those that it gives now.
class ScipyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase_data();
    void initTestCase();
    void binomialIntervals();
    void finitePopulations();
    void stratifiedEstimates();
    void kappasAndTheirBootstrap();

private:
    QJsonObject values() const;

    QJsonObject m_stored;
    QJsonObject m_fresh;
};

namespace {

constexpr double kAgreed = 1e-9; // what the project promises against scipy

bool close(double a, double b)
{
    return std::abs(a - b) <= kAgreed * std::max(1.0, std::abs(b));
}

QJsonObject object(const QByteArray& text)
{
    return QJsonDocument::fromJson(text).object();
}

QByteArray said(const QString& where, double found, double wanted)
{
    return QStringLiteral("%1: %2, scipy %3").arg(where).arg(found, 0, 'g', 17).arg(wanted, 0, 'g', 17).toUtf8();
}

QString sameInterval(const QString& where, const sampling::Interval& found, const QJsonArray& wanted)
{
    if (close(found.low, wanted[0].toDouble()) && close(found.high, wanted[1].toDouble()))
        return {};
    return QString::fromUtf8(said(where, found.low, wanted[0].toDouble()) + "; " + said(where, found.high, wanted[1].toDouble()));
}

std::int64_t integer(const QJsonValue& value)
{
    return static_cast<std::int64_t>(value.toDouble());
}

} // namespace

void ScipyTest::initTestCase_data()
{
    QTest::addColumn<bool>("fresh");
    QTest::newRow("stored") << false;
    QTest::newRow("now") << true;
}

void ScipyTest::initTestCase()
{
    QFile file(QStringLiteral(ASSAY_TEST_DATA "/scipy_values.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    m_stored = object(file.readAll());
    QCOMPARE(m_stored["binomial"].toArray().size(), 45);
    QProcess python;
    python.start(QStringLiteral("/usr/bin/python3"),
                 {QStringLiteral("-Wignore"), QStringLiteral(ASSAY_TEST_DATA "/scipy_values.py")});
    QVERIFY2(python.waitForFinished(120'000), qPrintable(python.errorString()));
    constexpr int kNoScipy = 77;
    if (python.exitCode() == kNoScipy)
        return;
    QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
    m_fresh = object(python.readAllStandardOutput());
    QVERIFY(!m_fresh.isEmpty());
}

QJsonObject ScipyTest::values() const
{
    QFETCH_GLOBAL(bool, fresh);
    return fresh ? m_fresh : m_stored;
}

#define NEED_VALUES(name)                                                                                                        \
    const QJsonObject name = values();                                                                                           \
    if (name.isEmpty())                                                                                                          \
    QSKIP("scipy is not installed: only the stored values are compared")

void ScipyTest::binomialIntervals()
{
    NEED_VALUES(all);
    for (const QJsonValue& value : all["binomial"].toArray()) {
        const QJsonObject row = value.toObject();
        const std::int64_t k = integer(row["k"]);
        const std::int64_t n = integer(row["n"]);
        const double confidence = row["confidence"].toDouble();
        const QString where = QStringLiteral("%1 of %2 at %3").arg(k).arg(n).arg(confidence);
        QCOMPARE(sameInterval(where, sampling::clopperPearson(k, n, confidence), row["exact"].toArray()), QString());
        QCOMPARE(sameInterval(where, sampling::wilson(k, n, confidence), row["wilson"].toArray()), QString());
    }
}

void ScipyTest::finitePopulations()
{
    NEED_VALUES(all);
    const QJsonArray rows = all["finite"].toArray();
    QCOMPARE(rows.size(), 14);
    for (const QJsonValue& value : rows) {
        const QJsonObject row = value.toObject();
        const auto found = sampling::hypergeometricInterval(integer(row["k"]), integer(row["n"]), integer(row["population"]));
        QCOMPARE(found.low, integer(row["low"]));
        QCOMPARE(found.high, integer(row["high"]));
    }
}

void ScipyTest::stratifiedEstimates()
{
    NEED_VALUES(all);
    const QJsonArray rows = all["stratified"].toArray();
    QCOMPARE(rows.size(), 6);
    for (const QJsonValue& value : rows) {
        const QJsonObject row = value.toObject();
        std::vector<sampling::StratumTally> strata;
        for (const QJsonValue& stratum : row["strata"].toArray()) {
            const QJsonArray one = stratum.toArray();
            strata.push_back({integer(one[0]), integer(one[1]), integer(one[2]), integer(one[3])});
        }
        const auto found = sampling::stratifiedEstimate(strata);
        QVERIFY(found);
        const QString name = row["name"].toString();
        QVERIFY2(close(found->share, row["share"].toDouble()), said(name, found->share, row["share"].toDouble()));
        QVERIFY2(close(found->standardError, row["standard_error"].toDouble()),
                 said(name, found->standardError, row["standard_error"].toDouble()));
        QVERIFY(close(found->successTotal, row["total"].toDouble()));
        QCOMPARE(sameInterval(name, found->wilson, row["wilson"].toArray()), QString());
        QCOMPARE(std::isfinite(found->effectiveTrials), !row["effective"].isNull());
        if (!row["effective"].isNull())
            QVERIFY(close(found->effectiveTrials, row["effective"].toDouble()));
        QCOMPARE(found->logit.has_value(), !row["logit"].isNull());
        if (found->logit)
            QCOMPARE(sameInterval(name, *found->logit, row["logit"].toArray()), QString());
    }
}

void ScipyTest::kappasAndTheirBootstrap()
{
    NEED_VALUES(all);
    const int categories = all["categories"].toInt();
    const QJsonArray rows = all["agreement"].toArray();
    QCOMPARE(rows.size(), 5);
    for (const QJsonValue& value : rows) {
        const QJsonObject row = value.toObject();
        std::vector<sampling::LabelPair> pairs;
        for (const QJsonValue& pair : row["pairs"].toArray())
            pairs.push_back({pair.toArray()[0].toInt(), pair.toArray()[1].toInt()});
        const auto found = sampling::labelAgreement(pairs, categories);
        QVERIFY(found);
        const QString name = row["name"].toString();
        QVERIFY(close(found->observed, row["observed"].toDouble()));
        QVERIFY(close(found->expected, row["expected"].toDouble()));
        QVERIFY(close(found->pabak, row["pabak"].toDouble()));
        QCOMPARE(found->kappa.has_value(), !row["kappa"].isNull());
        if (found->kappa)
            QVERIFY2(close(*found->kappa, row["kappa"].toDouble()), said(name, *found->kappa, row["kappa"].toDouble()));
        const auto spread = sampling::bootstrapKappa(pairs, categories, static_cast<std::uint64_t>(integer(all["seed"])),
                                                     all["resamples"].toInt());
        QCOMPARE(spread.undefined, row["undefined"].toInt());
        QCOMPARE(spread.interval.has_value(), !row["interval"].isNull());
        if (spread.interval)
            QCOMPARE(sameInterval(name, *spread.interval, row["interval"].toArray()), QString());
    }
}

QTEST_APPLESS_MAIN(ScipyTest)
#include "tst_scipy.moc"
