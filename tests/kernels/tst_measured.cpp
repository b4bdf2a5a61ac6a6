// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/measured.h"

#include <QtTest>

#include <bit>
#include <cmath>
#include <limits>
#include <set>

using namespace assay::tensor;

class MeasuredTest : public QObject {
    Q_OBJECT

private slots:
    void everyDoubleHasItsClass();
    void finiteValuesKeepTheirBits();
    void classesAreNamedOnceAndReadBack();
    void nothingMeasuredIsNoNumber();
};

void MeasuredTest::everyDoubleHasItsClass()
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    QCOMPARE(measured(1.5).valueClass, ValueClass::Finite);
    QCOMPARE(measured(kInfinity).valueClass, ValueClass::PosInf);
    QCOMPARE(measured(-kInfinity).valueClass, ValueClass::NegInf);
    QCOMPARE(measured(std::nan("")).valueClass, ValueClass::NaN);
    QCOMPARE(measured(-std::nan("")).valueClass, ValueClass::NaN);
    QCOMPARE(toDouble(measured(-kInfinity)), -kInfinity);
    QVERIFY(std::isnan(toDouble(measured(std::nan("")))));
    QVERIFY(measured(kInfinity).isPresent() && !measured(kInfinity).isFinite());
    QVERIFY(measured(std::nan("1")) == measured(std::nan("2"))); // one NaN is as good as another
}

void MeasuredTest::finiteValuesKeepTheirBits()
{
    for (const double value : {0.0, -0.0, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, 0.1})
        QCOMPARE(std::bit_cast<std::uint64_t>(toDouble(measured(value))), std::bit_cast<std::uint64_t>(value));
}

void MeasuredTest::classesAreNamedOnceAndReadBack()
{
    std::set<std::string_view> names;
    for (const auto one : {ValueClass::Absent, ValueClass::Finite, ValueClass::NaN, ValueClass::PosInf, ValueClass::NegInf}) {
        QVERIFY(names.insert(name(one)).second);
        QCOMPARE(valueClassFromName(name(one)), one);
    }
    QCOMPARE(valueClassFromName("infinite"), ValueClass::Absent);
}

void MeasuredTest::nothingMeasuredIsNoNumber()
{
    QVERIFY(!Measured{}.isPresent());
    QVERIFY(std::isnan(toDouble(Measured{})));
    QVERIFY(!(Measured{} == measured(0.0)));
}

QTEST_GUILESS_MAIN(MeasuredTest)
#include "tst_measured.moc"
