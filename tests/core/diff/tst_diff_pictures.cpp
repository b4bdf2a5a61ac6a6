// SPDX-License-Identifier: Apache-2.0
#include "core/diff/error_pyramid.h"
#include "core/diff/exact_value.h"
#include "core/diff/value_histogram.h"
#include "kernels/tensor/host_tensor.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <random>

using namespace assay;
using namespace assay::diff;
using tensor::DType;
using tensor::HostTensor;
using Shape = std::vector<std::int64_t>;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Pair {
    HostTensor reference, candidate;
    Plane left, right;

    Pair(const Shape& shape, const std::vector<double>& r, const std::vector<double>& c, Arrangement arrangement,
         DType dtype = DType::Float64)
        : reference(HostTensor::fromDoubles(dtype, shape, r))
        , candidate(HostTensor::fromDoubles(dtype, shape, c))
        , left(reference.view(), arrangement)
        , right(candidate.view(), arrangement)
    {
    }
};

Pair randomPair(const Shape& shape, std::uint32_t seed, Arrangement arrangement)
{
    std::mt19937 random(seed);
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    std::vector<double> r, c;
    for (std::int64_t i = 0; i < count; ++i) {
        r.push_back(static_cast<double>(random() % 10000) / 100 - 50);
        c.push_back(r.back() + static_cast<double>(random() % 1000) * 1e-6);
    }
    for (int i = 0; i < 10; ++i) {
        r[random() % r.size()] = i % 2 == 0 ? kNaN : kInf;
        c[random() % c.size()] = i % 3 == 0 ? -kInf : kNaN;
    }
    return {shape, r, c, std::move(arrangement)};
}

} // namespace

/// Planes, the pyramid of worst elements, histograms and exact values: what the pictures are drawn from.
class DiffPicturesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void planesFindWhatTheyShow()
    {
        const Shape shape{3, 4, 5, 6};
        std::vector<double> values(360);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<double>(i);
        const HostTensor whole = HostTensor::fromDoubles(DType::Float32, shape, values);
        for (const Arrangement& arrangement :
             {Arrangement::usual(shape), Arrangement::flattened(shape), Arrangement{{0}, 1, {0, 0, 2, 3}},
              Arrangement{{3, 0}, 2, {0, 1, 0, 0}}, Arrangement{{}, 1, {2, 0, 4, 5}}}) {
            const Plane plane(whole.view(), arrangement);
            std::vector<std::byte> buffer;
            for (std::int64_t row = 0; row < plane.rows(); ++row) {
                const auto* read = reinterpret_cast<const float*>(plane.read(row, 1, plane.columns() - 1, buffer));
                for (std::int64_t column = 1; column < plane.columns(); ++column) {
                    const auto index = plane.index({row, column});
                    const auto position = ((index[0] * 4 + index[1]) * 5 + index[2]) * 6 + index[3];
                    QCOMPARE(read[column - 1], static_cast<float>(position));
                    QCOMPARE(plane.find(index), std::optional(Cell{row, column}));
                }
            }
        }
        QVERIFY(!Plane(whole.view(), Arrangement::usual(shape)).find({1, 0, 0, 0}));
    }

    void longAxesAreFoldedAndTheLastRowIsShort()
    {
        const HostTensor line(DType::Float32, {10000});
        const Plane plane(line.view(), Arrangement::usual({10000}));
        QCOMPARE(plane.columns(), std::int64_t{128});
        QCOMPARE(plane.rows(), std::int64_t{79});
        QCOMPARE(plane.columnsIn(0), std::int64_t{128});
        QCOMPARE(plane.columnsIn(78), std::int64_t{10000 - 78 * 128});
        QCOMPARE(plane.index({78, 15}), (Shape{9999}));
        QCOMPARE(plane.find({9999}), std::optional(Cell{78, 15}));
    }

    void scalarsHaveOneCell()
    {
        const HostTensor scalar(DType::Float16, {});
        const Plane plane(scalar.view(), Arrangement::usual({}));
        QCOMPARE(plane.rows() * plane.columns(), std::int64_t{1});
        QCOMPARE(plane.index({0, 0}), Shape{});
    }

    /// The largest error and every class flag of a region are in the cells that stand for it, at each level: nothing is averaged
    /// away.
    void noCellHidesItsWorstElement_data()
    {
        QTest::addColumn<int>("metric");
        QTest::newRow("absolute") << int(Metric::Absolute);
        QTest::newRow("relative") << int(Metric::Relative);
        QTest::newRow("ulp") << int(Metric::Ulp);
        QTest::newRow("ulp of the candidate") << int(Metric::UlpOfCandidate);
        QTest::newRow("over bound") << int(Metric::OverBound);
    }

    void noCellHidesItsWorstElement()
    {
        QFETCH(int, metric);
        const Bound bound{1e-4, 1e-6};
        const Pair pair = randomPair({150, 1100}, 1, Arrangement::usual({150, 1100}));
        const ErrorPyramid pyramid(pair.left, pair.right, Metric(metric), bound, {}, 2);
        PairRows rows(pair.left, pair.right, Metric(metric), bound, 1100);
        for (const std::int64_t edge : {1, 2, 16, 64, 2048}) {
            const CellGrid grid = pyramid.cells({0, 0, 150, 1100}, edge);
            QCOMPARE(grid.edge, edge);
            std::vector<double> worst(grid.error.size());
            std::vector<std::uint8_t> flags(grid.error.size());
            for (std::int64_t row = 0; row < 150; ++row) {
                const PairRun run = rows.read(row, 0, 1100);
                for (std::int64_t column = 0; column < 1100; ++column) {
                    const std::size_t cell = grid.at(row / edge, column / edge);
                    worst[cell] = std::max(worst[cell], run.error[column]);
                    flags[cell] |= run.flags[column];
                }
            }
            QCOMPARE(grid.error, worst);
            QCOMPARE(grid.flags, flags);
            for (std::size_t cell = 0; cell < worst.size(); ++cell) {
                if (Metric(metric) == Metric::Absolute && worst[cell] > 0)
                    QCOMPARE(std::fabs(grid.candidate[cell] - grid.reference[cell]), worst[cell]);
            }
        }
    }

    /// fp32 goes a shorter way, which must show the same.
    void floatsGiveTheSamePictureAsDoublesDo()
    {
        const Shape shape{130, 1030};
        const Pair wide = randomPair(shape, 9, Arrangement::usual(shape));
        const auto narrowed = [](const HostTensor& tensor) {
            return HostTensor::fromDoubles(DType::Float32, tensor.shape(), tensor.toDoubles());
        };
        const HostTensor reference = narrowed(wide.reference), candidate = narrowed(wide.candidate);
        const auto widened = [](const HostTensor& tensor) {
            return HostTensor::fromDoubles(DType::Float64, tensor.shape(), tensor.toDoubles());
        };
        const HostTensor sameReference = widened(reference), sameCandidate = widened(candidate);
        const Arrangement arrangement = Arrangement::usual(shape);
        const ErrorPyramid floats(Plane(reference.view(), arrangement), Plane(candidate.view(), arrangement), Metric::Absolute,
                                  {});
        const ErrorPyramid doubles(Plane(sameReference.view(), arrangement), Plane(sameCandidate.view(), arrangement),
                                   Metric::Absolute, {});
        for (const std::int64_t edge : {1, 8, 64}) {
            const CellGrid a = floats.cells({0, 0, 130, 1030}, edge), b = doubles.cells({0, 0, 130, 1030}, edge);
            QCOMPARE(a.error, b.error);
            QCOMPARE(a.flags, b.flags);
            const auto at = [&](std::int64_t row, std::int64_t column) {
                return sameReference.toDoubles()[std::size_t(row * 1030 + column)];
            };
            QCOMPARE(a.firstReference[a.at(1, 3)], at(edge, 3 * edge));
            QCOMPARE(b.firstReference[b.at(1, 3)], at(edge, 3 * edge));
            for (std::size_t i = 0; i < a.error.size(); ++i) {
                if (a.error[i] > 0)
                    QCOMPARE(a.reference[i], b.reference[i]);
            }
        }
    }

    void partsOfAPictureAreThePictureOfThePart()
    {
        const Pair pair = randomPair({2048, 1500}, 2, Arrangement::usual({2048, 1500}));
        const ErrorPyramid pyramid(pair.left, pair.right, Metric::Absolute, {});
        for (const std::int64_t edge : {1, 2, 4, 8}) {
            const CellGrid all = pyramid.cells({0, 0, 2048, 1500}, edge);
            const CellGrid part = pyramid.cells({100, 1000, 333, 600}, edge);
            QVERIFY(part.firstRow <= 100 && part.firstColumn <= 1000);
            QVERIFY(part.firstRow + part.rows * edge >= 433 && part.firstColumn + part.columns * edge >= 1500);
            for (std::int64_t row = 0; row < part.rows; ++row) {
                for (std::int64_t column = 0; column < part.columns; ++column)
                    QCOMPARE(part.error[part.at(row, column)],
                             all.error[all.at(part.firstRow / edge + row, part.firstColumn / edge + column)]);
            }
        }
    }

    void largeTensorsStartAtACoarserLevelWithinTheLimit()
    {
        const Shape shape{3000, 3000};
        const Pair pair = randomPair(shape, 3, Arrangement::usual(shape));
        const ErrorPyramid pyramid(pair.left, pair.right, Metric::Absolute, {});
        const CellGrid base = pyramid.cells({0, 0, 3000, 3000}, 4);
        QVERIFY(base.rows * base.columns <= ErrorPyramid::kMostBaseCells);
        double largest = 0;
        for (const double error : base.error)
            largest = std::max(largest, error);
        QCOMPARE(pyramid.largestError(), largest);
        QCOMPARE(pyramid.cells({0, 0, 3000, 3000}, 4096).error.size(), std::size_t{1});
        QCOMPARE(pyramid.cells({0, 0, 3000, 3000}, 4096).error[0], largest);
    }

    void infiniteErrorsAreNoLargestError()
    {
        const Pair pair({1, 3}, {0, 1, kInf}, {1, 2, 3}, Arrangement::usual({1, 3}));
        const ErrorPyramid relative(pair.left, pair.right, Metric::Relative, {});
        QCOMPARE(relative.largestError(), 1.0);
        QCOMPARE(relative.cells({0, 0, 1, 3}, 1).error, (std::vector<double>{kInf, 1, 0}));
        QCOMPARE(relative.cells({0, 0, 1, 3}, 1).flags, (std::vector<std::uint8_t>{0, 0, kReferencePosInf | kMismatch}));
        QCOMPARE(relative.greatestValue(), 1.0);
    }

    void histogramsCountZerosAndNonFiniteApart()
    {
        ValueHistogram histogram;
        const std::vector<double> values{0, -0.0, kNaN, kInf, -kInf, 1, 1.01, -4, 5e-324};
        histogram.add(values.data(), std::ssize(values));
        QCOMPARE(histogram.zeros(), std::int64_t{2});
        QCOMPARE(histogram.nans(), std::int64_t{1});
        QCOMPARE(histogram.positiveInfinities(), std::int64_t{1});
        QCOMPARE(histogram.negativeInfinities(), std::int64_t{1});
        QCOMPARE(histogram.finite(), std::int64_t{6});
        const auto bins = histogram.bins();
        QCOMPARE(bins.size(), std::size_t{3});
        QCOMPARE(bins[0].high, -4.0);
        QCOMPARE(bins[1].count, std::int64_t{1});
        QCOMPARE(bins[2].low, 1.0);
        QCOMPARE(bins[2].high, 1.125);
        QCOMPARE(bins[2].count, std::int64_t{2});
    }

    void planeHistogramsCoverEveryElementWhateverTheThreads()
    {
        const Shape shape{70, 90};
        const Pair pair = randomPair(shape, 4, Arrangement::usual(shape));
        for (const int threads : {1, 3}) {
            const PlaneHistograms found = histogramsOf(pair.left, pair.right, Metric::Absolute, {}, {}, threads);
            QCOMPARE(found.reference.finite() + found.reference.nans() + found.reference.positiveInfinities()
                         + found.reference.negativeInfinities(),
                     std::int64_t{6300});
            QCOMPARE(found.errors.finite() + found.errors.nans(), std::int64_t{6300});
            QVERIFY(found.errors.nans() >= 10);
        }
    }

    void valuesAreExactInEveryDtypeWithTheirBits()
    {
        const auto text = [](DType dtype, double value) {
            const HostTensor tensor = HostTensor::fromDoubles(dtype, {1}, std::vector{value});
            const ExactValue exact = exactValue(tensor.view(), {0});
            return exact.text + ' ' + exact.bits;
        };
        QCOMPARE(text(DType::Float64, 0.1), std::string("0.1 0x3fb999999999999a"));
        QCOMPARE(text(DType::Float32, 0.1), std::string("0.1 0x3dcccccd"));
        QCOMPARE(text(DType::Float16, 0.1), std::string("0.0999755859375 0x2e66"));
        QCOMPARE(text(DType::BFloat16, 0.1), std::string("0.10009765625 0x3dcd"));
        QCOMPARE(text(DType::Float8E4M3, -448), std::string("-448 0xfe"));
        QCOMPARE(text(DType::Float8E5M2, kInf), std::string("+Inf 0x7c"));
        QCOMPARE(text(DType::Float32, -0.0), std::string("-0 0x80000000"));
        QCOMPARE(text(DType::Float32, -kInf), std::string("-Inf 0xff800000"));
        QCOMPARE(text(DType::Int16, -2), std::string("-2 0xfffe"));
        QCOMPARE(text(DType::Bool, 1), std::string("true 0x01"));
        const std::int64_t large = (std::int64_t{1} << 62) + 1;
        QCOMPARE(exactValue(tensor::TensorView::contiguous(&large, DType::Int64, {}), {}).text,
                 std::string("4611686018427387905"));
    }

    void ulpAreCountedInTheDtypeThatIsAsked()
    {
        const HostTensor truth = HostTensor::fromDoubles(DType::Float64, {3}, std::vector{1.0, 0.1, 2.0});
        const HostTensor rounded = HostTensor::fromDoubles(DType::Float16, {3}, std::vector{1.0 + 0x1p-10, 0.1, 2.0});
        QCOMPARE(exactPair(truth.view(), rounded.view(), {0}, true).ulp, std::optional<std::uint64_t>(1));
        QCOMPARE(exactPair(truth.view(), rounded.view(), {0}).ulp, std::optional(std::uint64_t{1} << 42));
        QCOMPARE(exactPair(truth.view(), rounded.view(), {1}, true).ulp, std::optional<std::uint64_t>(0)); // rightly rounded
        const Plane left(truth.view(), Arrangement::usual({3})), right(rounded.view(), Arrangement::usual({3}));
        QCOMPARE(ErrorPyramid(left, right, Metric::UlpOfCandidate, {}).cells({0, 0, 1, 3}, 1).error,
                 (std::vector<double>{1, 0, 0}));
        QCOMPARE(ErrorPyramid(left, right, Metric::Ulp, {}).cells({0, 0, 1, 3}, 1).error[0], 0x1p42);
    }

    void pairsAreMeasuredAsTheStatisticsMeasureThem()
    {
        const Pair pair({3}, {1, 0, kNaN}, {1.5, 2, 1}, Arrangement::usual({3}), DType::Float16);
        const ExactPair first = exactPair(pair.reference.view(), pair.candidate.view(), {0});
        QCOMPARE(first.absolute, 0.5);
        QCOMPARE(first.relative, std::optional(0.5));
        QCOMPARE(first.ulp, std::optional<std::uint64_t>(512));
        QVERIFY(!exactPair(pair.reference.view(), pair.candidate.view(), {1}).relative);
        QVERIFY(!exactPair(pair.reference.view(), pair.candidate.view(), {2}).isFinite);
        QVERIFY(exactPair(pair.reference.view(), pair.reference.view(), {2}).isSameBits);
    }
};

QTEST_GUILESS_MAIN(DiffPicturesTest)
#include "tst_diff_pictures.moc"
