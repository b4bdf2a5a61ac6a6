// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/allocation.h"
#include "core/sampling/draw.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <numeric>

using namespace assay::sampling;

/// How many of each stratum, and which.
class DrawTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aPlaceIsPhiloxOfSeedAndDigest();
    void aLongerDrawBeginsWithAShorterOne();
    void theDrawDoesNotDependOnTheOrderOfTheFrame();
    void anotherSeedDrawsOthers();
    void everyItemIsDrawnEquallyOften();
    void proportionalSharesAreRoundedByLargestRemainder();
    void smallStrataAreTakenWholeAndOthersGetTwo();
    void noStratumGivesMoreThanItHas();
    void equalSharesFillUpWhereOneStratumIsShort();
    void neymanPrefersTheUncertain();
    void minimaWinOverASmallTotal();
    void everyAllocationAddsUp();
};

namespace {

std::vector<ItemDigest> digests(std::size_t count)
{
    std::vector<ItemDigest> items;
    for (std::size_t i = 0; i < count; ++i)
        items.push_back({i * 0x9E3779B97F4A7C15, i});
    return items;
}

std::int64_t sum(const std::vector<std::int64_t>& counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

using Counts = std::vector<std::int64_t>;

} // namespace

void DrawTest::aPlaceIsPhiloxOfSeedAndDigest()
{
    // Random123's known answer: counter 243f6a88 85a308d3 13198a2e 03707344 under key a4093822 299f31d0 gives
    // d16cfe09 94fdcceb 5001e420 24126ea1.
    const ItemDigest place = drawPlace(0x299f31d0a4093822, {0x0370734413198a2e, 0x85a308d3243f6a88});
    QCOMPARE(place.low, 0x94fdccebd16cfe09ULL);
    QCOMPARE(place.high, 0x24126ea15001e420ULL);
}

void DrawTest::aLongerDrawBeginsWithAShorterOne()
{
    const auto items = digests(1000);
    const auto few = firstDrawn(items, 7, 31);
    const auto more = firstDrawn(items, 7, 200);
    QCOMPARE(few.size(), 31U);
    QVERIFY(std::equal(few.begin(), few.end(), more.begin()));
    QCOMPARE(firstDrawn(items, 7, 5000).size(), 1000U);
}

void DrawTest::theDrawDoesNotDependOnTheOrderOfTheFrame()
{
    const auto items = digests(500);
    const std::vector<ItemDigest> reversed(items.rbegin(), items.rend());
    const auto one = firstDrawn(items, 7, 40);
    const auto other = firstDrawn(reversed, 7, 40);
    for (std::size_t i = 0; i < one.size(); ++i)
        QVERIFY(items[one[i]] == reversed[other[i]]);
}

void DrawTest::anotherSeedDrawsOthers()
{
    const auto items = digests(1000);
    QVERIFY(firstDrawn(items, 7, 31) != firstDrawn(items, 8, 31));
}

void DrawTest::everyItemIsDrawnEquallyOften()
{
    const auto items = digests(20);
    std::array<int, 20> drawn{};
    constexpr int kSeeds = 20'000;
    for (int seed = 0; seed < kSeeds; ++seed) {
        for (const std::size_t index : firstDrawn(items, static_cast<std::uint64_t>(seed), 5))
            ++drawn[index];
    }
    // Mean 5000, standard deviation 61: five of them on either side, which one fair run in a hundred thousand would leave.
    for (const int count : drawn)
        QVERIFY2(count > 4695 && count < 5305, QByteArray::number(count));
}

void DrawTest::proportionalSharesAreRoundedByLargestRemainder()
{
    // 31 * N / 100 = 15.5, 9.3, 6.2: one is left after rounding down, and the largest remainder takes it.
    const std::array<StratumPrior, 3> strata = {StratumPrior{50}, StratumPrior{30}, StratumPrior{20}};
    QCOMPARE(allocate(strata, 31, AllocationRule::Proportional), (Counts{16, 9, 6}));
}

void DrawTest::smallStrataAreTakenWholeAndOthersGetTwo()
{
    const std::array<StratumPrior, 5> strata
        = {StratumPrior{1000}, StratumPrior{3}, StratumPrior{1}, StratumPrior{0}, StratumPrior{4}};
    QCOMPARE(allocate(strata, 31, AllocationRule::Proportional), (Counts{25, 3, 1, 0, 2}));
}

void DrawTest::noStratumGivesMoreThanItHas()
{
    const std::array<StratumPrior, 2> strata = {StratumPrior{5}, StratumPrior{6}};
    QCOMPARE(allocate(strata, 100, AllocationRule::Proportional), (Counts{5, 6}));
}

void DrawTest::equalSharesFillUpWhereOneStratumIsShort()
{
    const std::array<StratumPrior, 3> strata = {StratumPrior{100}, StratumPrior{5}, StratumPrior{50}};
    QCOMPARE(allocate(strata, 30, AllocationRule::Equal), (Counts{13, 5, 12}));
}

void DrawTest::neymanPrefersTheUncertain()
{
    // p = 0.5 and 0.0098: spreads 0.5 and 0.0985, shares of 60 are 50.1 and 9.9.
    const std::array<StratumPrior, 2> strata = {StratumPrior{500, 25, 50}, StratumPrior{500, 0, 50}};
    QCOMPARE(allocate(strata, 60, AllocationRule::Neyman), (Counts{50, 10}));
    // Without labels nothing tells the strata apart, and size decides.
    const std::array<StratumPrior, 2> blank = {StratumPrior{750}, StratumPrior{250}};
    QCOMPARE(allocate(blank, 40, AllocationRule::Neyman), (Counts{30, 10}));
}

void DrawTest::minimaWinOverASmallTotal()
{
    const std::array<StratumPrior, 4> strata = {StratumPrior{100}, StratumPrior{100}, StratumPrior{100}, StratumPrior{2}};
    QCOMPARE(allocate(strata, 3, AllocationRule::Proportional), (Counts{2, 2, 2, 2}));
}

void DrawTest::everyAllocationAddsUp()
{
    std::uint64_t state = 1;
    const auto next = [&](std::int64_t below) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(below));
    };
    for (int round = 0; round < 2000; ++round) {
        std::vector<StratumPrior> strata;
        std::int64_t population = 0;
        std::int64_t minima = 0;
        for (std::int64_t i = 0, count = 1 + next(14); i < count; ++i) {
            const std::int64_t size = next(2) == 0 ? next(9) : next(2000);
            const std::int64_t trials = next(20);
            strata.push_back({size, next(trials + 1), trials});
            population += size;
            minima += size <= kCensusSize ? size : kFewestItems;
        }
        const std::int64_t total = next(400);
        for (const auto rule : {AllocationRule::Proportional, AllocationRule::Equal, AllocationRule::Neyman}) {
            const Counts counts = allocate(strata, total, rule);
            QCOMPARE(sum(counts), std::min(std::max(total, minima), population));
            for (std::size_t i = 0; i < counts.size(); ++i) {
                QVERIFY(counts[i] <= strata[i].population);
                QVERIFY(counts[i] >= std::min(strata[i].population, kFewestItems));
            }
        }
    }
}

QTEST_APPLESS_MAIN(DrawTest)
#include "tst_draw.moc"
