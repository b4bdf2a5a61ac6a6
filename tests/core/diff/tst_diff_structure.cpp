// SPDX-License-Identifier: Apache-2.0
#include "core/diff/diff_report.h"
#include "core/diff/structure.h"
#include "kernels/tensor/host_tensor.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace assay;
using namespace assay::diff;
using Shape = std::vector<std::int64_t>;
using Index = std::vector<std::int64_t>;

namespace {

/// The mask of a tensor in which @p isMarked says of each index whether it is marked.
FailureMask maskOf(const Shape& shape, const std::function<bool(const Index&)>& isMarked)
{
    FailureMask mask(shape);
    for (std::int64_t row = 0; row < mask.rows(); ++row) {
        for (std::int64_t column = 0; column < mask.rowLength(); ++column) {
            if (isMarked(tensor::unravel(row * mask.rowLength() + column, shape)))
                mask.set(row, column);
        }
    }
    return mask;
}

std::string said(const Shape& shape, const std::function<bool(const Index&)>& isMarked)
{
    return sentence(findStructure(maskOf(shape, isMarked), 1), "differs", "differ");
}

std::string where(const Shape& shape, const std::function<bool(const Index&)>& isMarked)
{
    return findStructure(maskOf(shape, isMarked), 1).where;
}

} // namespace

class DiffStructureTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void edgesRangesAndPeriodsAreNamed()
    {
        QCOMPARE(where({64, 200}, [](const Index& i) { return i[1] >= 163; }), std::string("the last 37 columns"));
        QCOMPARE(where({64, 200}, [](const Index& i) { return i[0] < 7; }), std::string("the first 7 rows"));
        QCOMPARE(where({64, 200}, [](const Index& i) { return i[1] >= 20 && i[1] < 40; }), std::string("columns 20 to 39"));
        QCOMPARE(where({64, 200}, [](const Index& i) { return i[0] == 5; }), std::string("row 5"));
        QCOMPARE(where({64, 200}, [](const Index& i) { return i[0] == 5 || i[0] == 40; }), std::string("rows 5 and 40"));
        QCOMPARE(where({1024, 32}, [](const Index& i) { return i[0] % 128 == 127; }),
                 std::string("every 128th row (from row 127)"));
        QCOMPARE(where({32, 1024}, [](const Index& i) { return i[1] % 64 >= 48 && i[1] % 64 < 52; }),
                 std::string("columns 48 to 51 of every 64"));
        QCOMPARE(where({8, 16, 20}, [](const Index& i) { return i[0] == 3; }), std::string("slice 3 of axis 0"));
        QCOMPARE(where({4, 16, 20}, [](const Index& i) { return i[0] == 1 && i[2] < 3; }),
                 std::string("the first 3 columns of slice 1 of axis 0"));
        QCOMPARE(where({4096}, [](const Index& i) { return i[0] >= 4000; }), std::string("the last 96 elements"));
    }

    void patternsOfSeveralAxesAreJoinedAndCounted()
    {
        const Structure found = findStructure(
            maskOf({1024, 200}, [](const Index& i) { return i[0] % 128 == 127 && i[1] >= 163 && (i[1] + i[0]) % 10 != 0; }), 2);
        QCOMPARE(found.where, std::string("the last 37 columns of every 128th row (from row 127)"));
        QCOMPARE(found.regionSize, std::int64_t{8 * 37});
        QCOMPARE(found.markedInRegion, found.marked);
        QVERIFY(found.markedInRegion < found.regionSize);
    }

    void theSentenceStatesWhatIsExplainedAndHowFullTheRegionIs()
    {
        std::mt19937 random(1);
        // The last 10 columns, and a haze of a fortieth of that elsewhere.
        const auto mask = maskOf({1000, 100}, [&](const Index& i) { return i[1] >= 90 || random() % 400 == 0; });
        const Structure found = findStructure(mask, 1);
        QCOMPARE(found.markedInRegion, std::int64_t{10'000});
        QCOMPARE(found.regionSize, std::int64_t{10'000});
        QVERIFY(found.marked > 10'150 && found.marked < 10'300);
        const std::string text = sentence(found, "differs", "differ");
        QVERIFY2(text.find("97.") != std::string::npos && text.ends_with(" % of them in the last 10 columns, where all do."),
                 text.c_str());
    }

    /// Whole rows that are wrong at a few places say nothing of the stretch between them.
    void scatteredWholeRowsAreNoStretchOfRows()
    {
        QCOMPARE(
            where({200, 50},
                  [](const Index& i) { return i[0] == 3 || i[0] == 20 || i[0] == 31 || i[0] == 55 || i[0] == 70 || i[0] == 84; }),
            std::string());
    }

    void aSpreadWithinChunksIsNamed()
    {
        // Each column turns bad somewhere and stays so to the end of its chunk of 64 rows.
        const auto spread = [](const Index& i) {
            const std::int64_t begin = (i[1] * 37 + i[1] * i[1] * 11) % 1024;
            return i[0] >= begin && i[0] / 64 == begin / 64;
        };
        const Structure found = findStructure(maskOf({1024, 300}, spread), 2);
        QCOMPARE(found.spread, std::string("it spreads within chunks of 64 rows, up to the end of each"));
        QVERIFY(found.where.empty());
        const auto whole = [](const Index& i) { return (i[0] / 64 * 7 + i[1] * 13) % 16 == 3; };
        QCOMPARE(findStructure(maskOf({1024, 300}, whole), 2).spread, std::string("it fills whole chunks of 64 rows"));
    }

    void theDiagonalIsNamed()
    {
        QCOMPARE(where({4, 64, 64}, [](const Index& i) { return i[2] > i[1]; }), std::string("the columns above the diagonal"));
        QCOMPARE(where({64, 64}, [](const Index& i) { return i[1] < i[0]; }), std::string("the columns below the diagonal"));
    }

    void fewElementsAreListed()
    {
        QCOMPARE(said({64, 64},
                      [](const Index& i) {
                          return i == Index{3, 5};
                      }),
                 std::string("1 element (0.024 %) differs: at (3, 5)."));
        QCOMPARE(said({64, 64},
                      [](const Index& i) {
                          return i == Index{3, 5} || i == Index{60, 7};
                      }),
                 std::string("2 elements (0.049 %) differ: at (3, 5) and (60, 7)."));
    }

    void twoStructuresAreNamedWithTheShareOfEach()
    {
        // 1024 x 37 marks in the columns; 16 rows with the other 163.
        QCOMPARE(said({1024, 200}, [](const Index& i) { return i[1] >= 163 || i[0] % 64 == 63; }),
                 std::string(
                     "40,496 elements (19.8 %) differ: 93.6 % of them in the last 37 columns, where all do, and another 6.4 % in "
                     "every 64th row (from row 63), where all do."));
        QCOMPARE(
            said({64, 200}, [](const Index& i) { return i[1] < 16 || i[1] >= 180; }),
            std::string(
                "2,304 elements (18 %) differ: 55.6 % of them in the last 20 columns, where all do, and another 44.4 % in the "
                "first 16 columns, where all do."));
        QCOMPARE(said({512, 100}, [](const Index& i) { return i[0] < 40 || i[0] % 32 == 31; }),
                 std::string(
                     "5,500 elements (10.7 %) differ: 72.7 % of them in the first 40 rows, where all do, and another 27.3 % in "
                     "every 32nd row (from row 31), where all do."));
        QCOMPARE(said({8, 64, 64}, [](const Index& i) { return i[0] == 2 || i[2] >= 60; }),
                 std::string(
                     "5,888 elements (18 %) differ: 69.6 % of them in slice 2 of axis 0, where all do, and another 30.4 % in the "
                     "last 4 columns, where all do."));
    }

    /// Neither the half that one structure covers nor the stripes that cross it make more of the other than it is.
    void aStructureIsNotNarrowedByTheOther()
    {
        const Structure halves
            = findStructure(maskOf({256, 200}, [](const Index& i) { return i[1] >= 100 || i[0] % 16 == 15; }), 2);
        QCOMPARE(halves.where, std::string("the last 100 columns"));
        QCOMPARE(halves.second, std::string("every 16th row (from row 15)"));
        QCOMPARE(halves.markedInSecond, std::int64_t{16 * 200});
        QCOMPARE(halves.markedInBoth, std::int64_t{16 * 100});
        const Structure corner = findStructure(
            maskOf({1024, 200}, [](const Index& i) { return (i[1] >= 163 && i[0] < 100) || i[0] % 64 == 63; }), 2);
        QCOMPARE(corner.where, std::string("the last 37 columns of the first 100 rows"));
        QCOMPARE(corner.second, std::string("every 64th row (from row 63)"));
        QCOMPARE(corner.secondSize, std::int64_t{16 * 200});
        const Structure blocks = findStructure(maskOf({64, 64},
                                                      [](const Index& i) {
                                                          return (i[0] >= 20 && i[0] < 24 && i[1] >= 10 && i[1] < 14)
                                                              || (i[0] >= 50 && i[0] < 53 && i[1] >= 40 && i[1] < 45);
                                                      }),
                                               1);
        QCOMPARE(blocks.where, std::string("columns 10 to 13 of rows 20 to 23"));
        QCOMPARE(blocks.second, std::string("columns 40 to 44 of rows 50 to 52"));
    }

    /// A haze leaves the words alone and takes its share off the figures; a third structure is one too many.
    void aPairHasToHoldNearlyAll()
    {
        std::mt19937 random(11);
        const auto withHaze = [&](std::uint32_t rarity) {
            return findStructure(maskOf({1024, 200},
                                        [&](const Index& i) {
                                            return i[1] >= 163 || (i[0] % 16 == 15 && random() % 4 != 0)
                                                || random() % rarity == 0;
                                        }),
                                 2);
        };
        const Structure found = withHaze(200);
        QCOMPARE(found.where, std::string("the last 37 columns"));
        QCOMPARE(found.second, std::string("every 16th row (from row 15)"));
        QVERIFY(found.markedInRegion + found.markedInSecond - found.markedInBoth < found.marked);
        QVERIFY(!withHaze(50).hasRegion());
        QCOMPARE(where({1024, 200}, [](const Index& i) { return i[1] >= 180 || i[0] % 64 == 63 || (i[0] >= 300 && i[0] < 330); }),
                 std::string());
    }

    /// Planted anywhere: what is said holds what was planted, with the counts of it.
    void plantedPairsAreFoundWhereverTheyAre()
    {
        std::mt19937 random(17);
        int named = 0;
        for (int trial = 0; trial < 100; ++trial) {
            const std::int64_t width = 3 + random() % 40, begin = random() % (201 - width);
            const std::int64_t period = 20 + random() % 60, phase = random() % period;
            const std::int64_t height = 1 + random() % 3;
            const auto inColumns = [&](const Index& i) { return i[1] >= begin && i[1] < begin + width; };
            const auto inRows = [&](const Index& i) { return i[0] % period >= phase && i[0] % period < phase + height; };
            const FailureMask mask = maskOf({512, 200}, [&](const Index& i) { return inColumns(i) || inRows(i); });
            const Structure found = findStructure(mask, 2);
            if (!found.hasRegion())
                continue;
            ++named;
            QCOMPARE(found.markedInRegion + found.markedInSecond - found.markedInBoth, found.marked);
            if (!found.second.empty())
                QCOMPARE(found.markedInRegion + found.markedInSecond, found.regionSize + found.secondSize);
        }
        QVERIFY2(named == 100, qPrintable(QString::number(named)));
    }

    /// Random marks are never given a structure: 5 marks as little as nearly all.
    void chanceIsNotTakenForStructure()
    {
        std::mt19937_64 random(7);
        int named = 0;
        for (int trial = 0; trial < 300; ++trial) {
            const Shape shape = trial % 3 == 0 ? Shape{40, 50} : trial % 3 == 1 ? Shape{4, 16, 32} : Shape{2000};
            const std::uint64_t rarity = std::uint64_t{2} << (trial % 9);
            const Structure found = findStructure(maskOf(shape, [&](const Index&) { return random() % rarity == 0; }), 1);
            named += !found.where.empty() || !found.spread.empty();
        }
        QCOMPARE(named, 0);
    }

    /// Clumps are not independent marks, which is what chance is reckoned with: whole rows, bursts along rows, blocks.
    void scatteredClumpsAreNotTakenForTwoStructures()
    {
        std::mt19937_64 random(23);
        for (int trial = 0; trial < 200; ++trial) {
            FailureMask mask({200, 160});
            const std::int64_t clumps = 8 + static_cast<std::int64_t>(random() % 40);
            const std::int64_t width = trial % 3 == 0 ? 160 : 6, height = trial % 3 == 1 ? 6 : 1;
            for (std::int64_t clump = 0; clump < clumps; ++clump) {
                const auto row = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(201 - height));
                const auto column = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(161 - width));
                for (std::int64_t i = 0; i < height * width; ++i)
                    mask.set(row + i / width, column + i % width);
            }
            const Structure found = findStructure(mask, 1);
            QVERIFY2(found.where.empty(), sentence(found, "differs", "differ").c_str());
        }
    }

    /// What was not looked at is not called scattered.
    void anAxisThatIsTooLongIsSaid()
    {
        FailureMask mask({kLongestProfile + 1});
        for (std::int64_t i = 0; i < 64; ++i)
            mask.set(0, kLongestProfile - i);
        const std::string text = sentence(findStructure(mask, 2), "differs", "differ");
        QVERIFY2(text.ends_with("differ: an axis of more than 1,048,576 is not searched for structure."), text.c_str());
    }

    void noMarksSayNothingAndAllMarksSayAll()
    {
        QCOMPARE(said({8, 8}, [](const Index&) { return false; }), std::string());
        QCOMPARE(said({8, 8}, [](const Index&) { return true; }), std::string("all 64 elements differ."));
        QCOMPARE(said({}, [](const Index&) { return true; }), std::string("all 1 elements differ."));
    }

    void sharesNeverRoundToAllOrNone()
    {
        QCOMPARE(shareText(999'999, 1'000'000), std::string("over 99.9 %"));
        QCOMPARE(shareText(1'000'000, 1'000'000), std::string("all"));
        QCOMPARE(shareText(1, 1'000'000'000), std::string("1e-07 %"));
        QCOMPARE(grouped(-1234567), std::string("-1,234,567"));
        QCOMPARE(grouped(-123), std::string("-123"));
    }

    /// A word of the mask, a piece of a row and a whole row all end somewhere; the profile must not care.
    void profilesDoNotDependOnThreadsOrWordEnds()
    {
        std::mt19937 random(3);
        for (const Shape& shape : {Shape{3, 64}, Shape{5, 65}, Shape{7, 3, 127}, Shape{300, 129}, Shape{1, 1}, Shape{130}}) {
            const FailureMask mask = maskOf(shape, [&](const Index&) { return random() % 4 != 0; });
            const MaskProfile one = profileOf(mask, 1);
            const MaskProfile three = profileOf(mask, 3);
            QCOMPARE(one.marked, mask.countMarked());
            for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                QCOMPARE(one.axes[axis].marked, three.axes[axis].marked);
                QCOMPARE(one.axes[axis].starts, three.axes[axis].starts);
                QCOMPARE(one.axes[axis].ends, three.axes[axis].ends);
                checkRuns(mask, shape, axis, one.axes[axis]);
            }
        }
    }

    void failuresAreMarkedByEachRule()
    {
        constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
        constexpr double kInf = std::numeric_limits<double>::infinity();
        const std::vector<double> left{1, 1, kNaN, kInf, kInf, 0, 2, kNaN};
        const std::vector<double> right{1, 1.5, kNaN, kInf, -kInf, -0.0, kInf, 3};
        const auto reference = tensor::HostTensor::fromDoubles(tensor::DType::Float32, {8}, left);
        const auto candidate = tensor::HostTensor::fromDoubles(tensor::DType::Float32, {8}, right);
        const auto marked = [&](FailureRule::Kind kind, Bound bound) {
            return markFailures(reference.view(), candidate.view(), {kind, bound}).row(0)[0];
        };
        QCOMPARE(marked(FailureRule::Kind::Different, {}), std::uint64_t{0b11010010});
        QCOMPARE(marked(FailureRule::Kind::ClassMismatch, {}), std::uint64_t{0b11010000});
        QCOMPARE(marked(FailureRule::Kind::OutOfBound, {0.5, 0}), std::uint64_t{0b11010000});
        QCOMPARE(marked(FailureRule::Kind::OutOfBound, {0, 0.4}), std::uint64_t{0b11010010});
        QCOMPARE(marked(FailureRule::Kind::ErrorAbove, {0, 0}), std::uint64_t{0b00000010});
    }

    void integersThatRoundToTheSameDoubleDiffer()
    {
        const std::int64_t left = (std::int64_t{1} << 53) + 1, right = std::int64_t{1} << 53;
        const auto reference = tensor::TensorView::contiguous(&left, tensor::DType::Int64, {1});
        const auto candidate = tensor::TensorView::contiguous(&right, tensor::DType::Int64, {1});
        QCOMPARE(markFailures(reference, candidate, {}).countMarked(), std::int64_t{1});
    }

    void aReportSaysWhereTheLargestErrorsAreWhenAllDiffer()
    {
        std::mt19937 random(5);
        std::vector<double> left(200 * 100), right;
        for (std::size_t i = 0; i < left.size(); ++i) {
            left[i] = static_cast<double>(random() % 1000) + 1;
            right.push_back(left[i] + 1e-3 * static_cast<double>(1 + random() % 100) + (i % 100 >= 95 ? 10 : 0));
        }
        const auto reference = tensor::HostTensor::fromDoubles(tensor::DType::Float64, {200, 100}, left);
        const auto candidate = tensor::HostTensor::fromDoubles(tensor::DType::Float64, {200, 100}, right);
        const TensorDiff diff = diffTensors({"x", reference.view(), nullptr}, {"x", candidate.view(), nullptr});
        QCOMPARE(diff.where.size(), std::size_t{2});
        QCOMPARE(diff.where[0], std::string("All 20,000 elements differ."));
        QCOMPARE(diff.where[1],
                 std::string("1,000 elements (5 %) have more than half of the largest error: all of them in the last 5 columns, "
                             "where all do."));
        QVERIFY(!diff.isAccepted());
        DiffOptions options;
        options.asked.bound = Bound{11, 0};
        QVERIFY(diffTensors({"x", reference.view(), nullptr}, {"x", candidate.view(), nullptr}, options).isAccepted());
    }

private:
    /// Runs counted one by one, along one axis.
    static void checkRuns(const FailureMask& mask, const Shape& shape, std::size_t axis, const AxisProfile& profile)
    {
        std::int64_t stride = 1;
        for (std::size_t a = axis + 1; a < shape.size(); ++a)
            stride *= shape[a];
        const auto isMarked = [&](std::int64_t position) {
            const std::int64_t column = position % mask.rowLength();
            return ((mask.row(position / mask.rowLength())[static_cast<std::size_t>(column / 64)] >> (column % 64)) & 1) != 0;
        };
        AxisProfile wanted;
        wanted.marked.resize(static_cast<std::size_t>(shape[axis]));
        wanted.starts = wanted.marked;
        wanted.ends.resize(wanted.marked.size() + 1);
        for (std::int64_t position = 0; position < mask.rows() * mask.rowLength(); ++position) {
            const auto at = static_cast<std::size_t>(position / stride % shape[axis]);
            if (!isMarked(position))
                continue;
            ++wanted.marked[at];
            wanted.starts[at] += at == 0 || !isMarked(position - stride);
            wanted.ends[at + 1] += at + 1 == wanted.marked.size() || !isMarked(position + stride);
        }
        QCOMPARE(profile.marked, wanted.marked);
        QCOMPARE(profile.starts, wanted.starts);
        QCOMPARE(profile.ends, wanted.ends);
    }
};

QTEST_GUILESS_MAIN(DiffStructureTest)
#include "tst_diff_structure.moc"
