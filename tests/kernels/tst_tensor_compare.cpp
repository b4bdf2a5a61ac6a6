// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/compare.h"
#include "kernels/tensor/element_reader.h"
#include "kernels/tensor/float_codec.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace assay::tensor;

namespace {

/// Random bits with planted NaN, infinities, zeros of both signs and repeated values; reproducible.
std::vector<std::byte> randomTensor(DType dtype, std::int64_t count, std::uint32_t seed)
{
    std::mt19937 generator(seed);
    std::vector<std::byte> bytes(static_cast<std::size_t>(count * sizeOf(dtype)));
    for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(generator() & 0xFF);
    if (dtype == DType::Bool) {
        for (std::byte& byte : bytes)
            byte &= std::byte{1};
    }
    return bytes;
}

/// The candidate: the reference with some elements replaced by other random bits, some by a neighbour in bits.
std::vector<std::byte> perturbed(const std::vector<std::byte>& reference, DType dtype, std::uint32_t seed)
{
    std::mt19937 generator(seed);
    std::vector<std::byte> bytes = reference;
    const auto size = static_cast<std::size_t>(sizeOf(dtype));
    for (std::size_t i = 0; i < bytes.size(); i += size) {
        const std::uint32_t dice = generator() % 8;
        if (dtype == DType::Bool) {
            if (dice == 0)
                bytes[i] ^= std::byte{1};
        } else if (dice < 3) {
            bytes[i] ^= std::byte{1}; // little endian: the lowest mantissa bit
        } else if (dice == 3) {
            for (std::size_t b = 0; b < size; ++b)
                bytes[i + b] = static_cast<std::byte>(generator() & 0xFF);
        }
    }
    return bytes;
}

double valueAt(const std::vector<std::byte>& bytes, DType dtype, std::int64_t i)
{
    double value = 0;
    toDoubles(dtype, bytes.data() + i * sizeOf(dtype), 1, &value);
    return value;
}

int classOf(double value)
{
    return std::isfinite(value) ? 0 : std::isnan(value) ? 1 : value > 0 ? 2 : 3;
}

/// The same statistics one element at a time, in long double.
struct BruteForce {
    std::int64_t finite = 0, mismatch = 0, undefined = 0;
    double maxAbsolute = 0, maxRelative = 0;
    long double sum = 0, squares = 0;
    std::vector<double> errors;

    BruteForce(const std::vector<std::byte>& r, const std::vector<std::byte>& c, DType dtype, std::int64_t count)
    {
        for (std::int64_t i = 0; i < count; ++i) {
            const double a = valueAt(r, dtype, i);
            const double b = valueAt(c, dtype, i);
            mismatch += classOf(a) != classOf(b);
            if (classOf(a) != 0 || classOf(b) != 0)
                continue;
            ++finite;
            const double error = std::fabs(b - a);
            errors.push_back(error);
            sum += error;
            squares += static_cast<long double>(error) * error;
            maxAbsolute = std::max(maxAbsolute, error);
            if (a != 0)
                maxRelative = std::max(maxRelative, error / std::fabs(a));
            else
                undefined += b != 0;
        }
        std::sort(errors.begin(), errors.end());
    }

    double quantile(double p) const
    {
        const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(p * static_cast<double>(errors.size()))));
        return errors[rank - 1];
    }
};

} // namespace

class TensorCompareTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStatisticEqualsTheSlowOne_data();
    void everyStatisticEqualsTheSlowOne();
    void smallFloatsDecodeAndRoundBack_data();
    void smallFloatsDecodeAndRoundBack();
    void roundingGoesToNearestEven();
    void ulpCountsNumbersBetween();
    void stridesAreHonoured();
    void threadsDoNotChangeTheResult();
    void nanWithAnotherPayloadIsEqual();
    void signedZerosDifferInBitsAndAreNoUlpApart();
    void anotherDtypeIsRoundedForUlpAlone();
    void quantilesAreExactWhereTheSampleMisleads();
    void emptyAndScalarTensorsCompare();
    void worstElementsComeLargestFirst();
};

void TensorCompareTest::everyStatisticEqualsTheSlowOne_data()
{
    QTest::addColumn<int>("dtype");
    for (const DType dtype : kAllDTypes)
        QTest::newRow(std::string(name(dtype)).c_str()) << static_cast<int>(dtype);
}

void TensorCompareTest::everyStatisticEqualsTheSlowOne()
{
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    constexpr std::int64_t kCount = 70'001; // more than the sample, and no multiple of a block
    const auto reference = randomTensor(type, kCount, 1);
    const auto candidate = perturbed(reference, type, 2);
    const BruteForce expected(reference, candidate, type, kCount);
    const Comparison found = compare(TensorView::contiguous(reference.data(), type, {kCount}),
                                     TensorView::contiguous(candidate.data(), type, {kCount}));
    QCOMPARE(found.count, kCount);
    QCOMPARE(found.finitePairs, expected.finite);
    QCOMPARE(found.classMismatch, expected.mismatch);
    QCOMPARE(found.relativeUndefined, expected.undefined);
    QCOMPARE(found.maxAbsolute, expected.maxAbsolute);
    QCOMPARE(found.maxRelative, expected.maxRelative);
    const auto close = [](double a, long double b) {
        return a == static_cast<double>(b) || std::fabs(static_cast<long double>(a) - b) <= 1e-12L * std::fabs(b);
    };
    if (std::isfinite(static_cast<double>(expected.sum))) // the errors of random fp64 bits add up beyond the range
        QVERIFY(close(found.meanAbsolute, expected.sum / expected.finite));
    const long double rms = std::sqrt(expected.squares / expected.finite);
    if (std::isfinite(static_cast<double>(expected.squares)))
        QVERIFY(close(found.rms, rms));
    const std::vector<double> asked{0.5, 0.9, 0.99, 0.999};
    for (std::size_t q = 0; q < asked.size(); ++q)
        QCOMPARE(found.quantiles[q], expected.quantile(asked[q]));
}

void TensorCompareTest::smallFloatsDecodeAndRoundBack_data()
{
    everyStatisticEqualsTheSlowOne_data();
}

void TensorCompareTest::smallFloatsDecodeAndRoundBack()
{
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    if (sizeOf(type) > 2 || type == DType::Bool)
        return; // every pattern of the small types
    for (std::uint32_t bits = 0; bits < (1U << (8 * sizeOf(type))); ++bits) {
        std::byte element[2];
        std::memcpy(element, &bits, 2);
        double value = 0;
        toDoubles(type, element, 1, &value);
        if (std::isnan(value))
            continue;
        std::int64_t direct = 0, rounded = 0;
        toOrdered(type, element, 1, &direct);
        roundToOrdered(type, &value, 1, &rounded);
        QVERIFY2(direct == rounded, qPrintable(QString::number(bits, 16)));
    }
}

void TensorCompareTest::roundingGoesToNearestEven()
{
    // binary16: 1 + 2^-11 is half way between 1 and its successor, 1 + 3 2^-11 half way between the next two.
    QCOMPARE(encode<kHalf>(1.0 + 0x1p-11), 0x3C00U);
    QCOMPARE(encode<kHalf>(1.0 + 3 * 0x1p-11), 0x3C02U);
    QCOMPARE(encode<kHalf>(65519.0), 0x7BFFU); // largest finite
    QCOMPARE(encode<kHalf>(65520.0), 0x7C00U); // rounds up to infinity
    QCOMPARE(encode<kHalf>(0x1p-25), 0x0000U); // half the smallest subnormal, to even
    QCOMPARE(encode<kHalf>(0x1.8p-24), 0x0002U);
    QCOMPARE(encode<kE4M3>(448.0), 0x7EU);
    QCOMPARE(encode<kE4M3>(465.0), 0x7FU); // no infinity: NaN
    QCOMPARE(encode<kE5M2>(57344.0), 0x7BU);
    QCOMPARE(encode<kE5M2>(61440.0), 0x7CU);
    QCOMPARE(encode<kBFloat>(-1.0), 0xBF80U);
}

void TensorCompareTest::ulpCountsNumbersBetween()
{
    const float one = 1.0F;
    float walked = one;
    for (int i = 0; i < 1000; ++i)
        walked = std::nextafter(walked, 2.0F);
    const float negative = -std::numeric_limits<float>::denorm_min();
    const float positive = 3 * std::numeric_limits<float>::denorm_min();
    const float r[] = {one, negative};
    const float c[] = {walked, positive};
    const Comparison found
        = compare(TensorView::contiguous(r, DType::Float32, {2}), TensorView::contiguous(c, DType::Float32, {2}));
    QCOMPARE(*found.maxUlp, 1000U);
    QCOMPARE(*found.worst[1].ulp, 4U); // across zero, which has one place
    const double far[] = {-std::numeric_limits<double>::max()};
    const double away[] = {std::numeric_limits<double>::max()};
    const Comparison wide
        = compare(TensorView::contiguous(far, DType::Float64, {1}), TensorView::contiguous(away, DType::Float64, {1}));
    QCOMPARE(*wide.maxUlp, 2 * 0x7FEFFFFFFFFFFFFFULL);
}

void TensorCompareTest::stridesAreHonoured()
{
    constexpr std::int64_t kRows = 37, kColumns = 53;
    std::vector<float> rowMajor(kRows * kColumns), columnMajor(kRows * kColumns);
    for (std::int64_t i = 0; i < kRows; ++i) {
        for (std::int64_t j = 0; j < kColumns; ++j) {
            rowMajor[static_cast<std::size_t>(i * kColumns + j)] = static_cast<float>(i * 1000 + j);
            columnMajor[static_cast<std::size_t>(j * kRows + i)] = static_cast<float>(i * 1000 + j + (i == 5 && j == 7 ? 2 : 0));
        }
    }
    TensorView transposed = TensorView::contiguous(columnMajor.data(), DType::Float32, {kRows, kColumns});
    transposed.strides = {1, kRows};
    const Comparison found = compare(TensorView::contiguous(rowMajor.data(), DType::Float32, {kRows, kColumns}), transposed);
    QCOMPARE(found.maxAbsolute, 2.0);
    QCOMPARE(found.worst.size(), std::size_t{1});
    QCOMPARE(unravel(found.worst[0].position, {kRows, kColumns}), (std::vector<std::int64_t>{5, 7}));
    TensorView expanded = TensorView::contiguous(rowMajor.data(), DType::Float32, {4, kColumns});
    expanded.strides = {0, 1};
    QCOMPARE(compare(expanded, expanded).bitDifferent, 0);
}

void TensorCompareTest::threadsDoNotChangeTheResult()
{
    constexpr std::int64_t kCount = 1'000'003;
    const auto reference = randomTensor(DType::Float32, kCount, 3);
    const auto candidate = perturbed(reference, DType::Float32, 4);
    const TensorView r = TensorView::contiguous(reference.data(), DType::Float32, {kCount});
    const TensorView c = TensorView::contiguous(candidate.data(), DType::Float32, {kCount});
    CompareOptions one, four;
    one.threads = 1;
    four.threads = 4;
    const Comparison a = compare(r, c, one);
    const Comparison b = compare(r, c, four);
    QCOMPARE(a.meanAbsolute, b.meanAbsolute);
    QCOMPARE(a.rms, b.rms);
    QCOMPARE(a.quantiles, b.quantiles);
    QCOMPARE(a.worst.front().position, b.worst.front().position);
    QCOMPARE(a.worst.back().position, b.worst.back().position);
}

void TensorCompareTest::nanWithAnotherPayloadIsEqual()
{
    const std::uint32_t r[] = {0x7FC00000, 0x3F800000, 0xFFC00001};
    const std::uint32_t c[] = {0x7FC01234, 0x3F800000, 0x7FC00000};
    const Comparison found
        = compare(TensorView::contiguous(r, DType::Float32, {3}), TensorView::contiguous(c, DType::Float32, {3}));
    QCOMPARE(found.bitDifferent, 0);
    QCOMPARE(found.classMismatch, 0);
    QCOMPARE(found.reference.nan, 2);
    QCOMPARE(found.finitePairs, 1);
}

void TensorCompareTest::signedZerosDifferInBitsAndAreNoUlpApart()
{
    const float r[] = {0.0F};
    const float c[] = {-0.0F};
    const Comparison found
        = compare(TensorView::contiguous(r, DType::Float32, {1}), TensorView::contiguous(c, DType::Float32, {1}));
    QCOMPARE(found.bitDifferent, 1);
    QCOMPARE(*found.maxUlp, 0U);
    QCOMPARE(found.maxAbsolute, 0.0);
}

void TensorCompareTest::anotherDtypeIsRoundedForUlpAlone()
{
    const std::uint16_t r[] = {0x3C00};  // 1 in binary16
    const float c[] = {1.0F + 0x1p-12F}; // rounds to 1, is not 1
    const Comparison found
        = compare(TensorView::contiguous(r, DType::Float16, {1}), TensorView::contiguous(c, DType::Float32, {1}));
    QCOMPARE(*found.maxUlp, 0U);
    QCOMPARE(found.maxAbsolute, 0x1p-12);
    QCOMPARE(found.bitDifferent, 1);
}

void TensorCompareTest::quantilesAreExactWhereTheSampleMisleads()
{
    // Nearly every error is zero and the few others sit together: any sample is likely to miss them, the answer must not be.
    constexpr std::int64_t kCount = 3'000'000;
    std::vector<float> r(kCount, 1.0F), c(kCount, 1.0F);
    for (std::int64_t i = 0; i < 3500; ++i)
        c[static_cast<std::size_t>(1'234'567 + i)] = 1.0F + static_cast<float>(i + 1);
    const Comparison found = compare(TensorView::contiguous(r.data(), DType::Float32, {kCount}),
                                     TensorView::contiguous(c.data(), DType::Float32, {kCount}),
                                     {.quantiles = {0.5, 0.998, 0.999, 0.9995, 1.0}, .worst = 1, .threads = 2});
    QCOMPARE(found.quantiles[0], 0.0);
    QCOMPARE(found.quantiles[1], 0.0);
    QCOMPARE(found.quantiles[2], 500.0); // rank 2,997,000 of 3,000,000: 2,996,500 zeros before it
    QCOMPARE(found.quantiles[3], 2000.0);
    QCOMPARE(found.quantiles[4], 3500.0);
}

void TensorCompareTest::emptyAndScalarTensorsCompare()
{
    const float value = 2;
    const TensorView none = TensorView::contiguous(&value, DType::Float32, {0, 4});
    QCOMPARE(compare(none, none).count, 0);
    QVERIFY(compare(none, none).quantiles.empty());
    const TensorView scalar = TensorView::contiguous(&value, DType::Float32, {});
    QCOMPARE(compare(scalar, scalar).count, 1);
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, compare(none, scalar));
}

void TensorCompareTest::worstElementsComeLargestFirst()
{
    const double r[] = {0, 10, 20, 30};
    const double c[] = {3, 10, 21, 33};
    const Comparison found
        = compare(TensorView::contiguous(r, DType::Float64, {4}), TensorView::contiguous(c, DType::Float64, {4}));
    QCOMPARE(found.worst.size(), std::size_t{3});
    QCOMPARE(found.worst[0].position, 0);
    QVERIFY(!found.worst[0].relative);
    QCOMPARE(found.worst[1].position, 3);
    QCOMPARE(*found.worst[1].relative, 0.1);
    QCOMPARE(found.worst[2].position, 2);
    QCOMPARE(found.relativeUndefined, 1);
}

QTEST_APPLESS_MAIN(TensorCompareTest)
#include "tst_tensor_compare.moc"
