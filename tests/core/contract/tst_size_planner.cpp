// SPDX-License-Identifier: Apache-2.0
#define QT_NO_KEYWORDS // a choice of sizes has slots
#include "core/contract/judge.h"
#include "core/contract/size_planner.h"
#include "tests/core/contract/fake_party.h"

#include <QtTest>

#include <cmath>
#include <type_traits>

using namespace assay::contract;
using namespace assay::test;

namespace {

constexpr SizePlanner::Limit kMebi{1 << 20, 1 << 20};
constexpr std::int64_t kFeatures = std::int64_t{1} << 20;

/// f(x) of a matrix of size slot 0 (its batch) by slot 1, which no test makes at the task's own size. @param asModel  slot 1 is a
/// parameter's size too
Task matrices(std::int64_t batch, std::int64_t features, bool asModel = false)
{
    Task task;
    task.slots = {{0, batch, 1, true, false, "dim 0 of randn in get_inputs"},
                  {1, features, 1, true, asModel, "dim 1 of randn in get_inputs"}};
    task.inputsAt = [=](const SizeChoice& sizes) {
        const auto size = [&](int slot, std::int64_t own) { return sizes.slots.contains(slot) ? sizes.slots.at(slot) : own; };
        return std::vector{normal({size(0, batch), size(1, features)})};
    };
    task.footprint = [=](const SizeChoice& sizes) {
        const auto size = [&](int slot, std::int64_t own) { return sizes.slots.contains(slot) ? sizes.slots.at(slot) : own; };
        const std::int64_t elements = size(0, batch) * size(1, features);
        return Footprint{elements, 0, elements, elements, true};
    };
    task.extent = 1;
    task.inputs = {normal({2, 2})}; // built at the task's own sizes, this is what a test would see
    return task;
}

Operation half()
{
    return elementwise([](auto x) { return x * decltype(x)(0.5); });
}

/// Raises on every row that is not @p features long.
Operation onlyFor(std::int64_t features)
{
    return operation([features](auto& given) {
        if (given.inputs[0].shape.back() != features)
            throw Raises{"ValueError", "built for other sizes"};
        auto out = given.inputs[0];
        for (auto& value : out.values)
            value /= 2;
        return std::vector{out};
    });
}

Judgement judged(const Task& task, const Operation& candidate)
{
    FakeReference right(task, half());
    FakeCandidate subject(candidate);
    Contract terms;
    terms.gates = {Gate::Cmp01, Gate::Cmp03};
    return judge(right, subject, terms, {}, {});
}

const GateResult& resultOf(const Judgement& judgement, Gate gate)
{
    return judgement.gates[static_cast<std::size_t>(indexOf(gate))];
}

} // namespace

class SizePlannerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void smallTasksKeepTheirSizes();
    void theBatchGoesFirst();
    void theLargestGoesFirst();
    void theModelStaysUnlessItMay();
    void sizesOfOneValueStayEqual();
    void sizesThatAParameterHasGoLast();
    void aModelChangesWhereMemoryAloneTellsTheTruth();
    void oneSizeMayBeTheModelsUnseen();
    void severalSizesMayBeTheModelsUnseen();
    void equalSizesOfAModelDoNotPart();
    void refusedSizesStay();
    void whatCannotBeKnownStays();
    void largeTasksAreJudgedAtSmallerSizes();
    void aCandidateThatRefusesThemHasAShapeProblem();
    void anotherModelIsNoFailure();
    void aKernelOfOneSizeIsJudgedAtItsOwn_data();
    void aKernelOfOneSizeIsJudgedAtItsOwn();
    void aWrongKernelIsJudgedAtSmallSizes();
    void longerReductionsAreAskedOfWhatWasMadeForThem();
};

void SizePlannerTest::smallTasksKeepTheirSizes()
{
    const Task task = matrices(64, 128);
    FakeReference reference(task, half());
    const SizeChoice sizes = SizePlanner(reference, task.slots, 0).within({}, kMebi, SizePlanner::First::Batch, true);
    QCOMPARE(sizes.slots.at(0), 64);
    QCOMPARE(sizes.slots.at(1), 128);
}

void SizePlannerTest::theBatchGoesFirst()
{
    const Task task = matrices(4096, 4096);
    FakeReference reference(task, half());
    const SizeChoice sizes = SizePlanner(reference, task.slots, 0).within({}, kMebi, SizePlanner::First::Batch, true);
    QCOMPARE(sizes.slots.at(0), 128); // inputs and outputs: 2 x 128 x 4096
    QCOMPARE(sizes.slots.at(1), 4096);
}

void SizePlannerTest::theLargestGoesFirst()
{
    const Task task = matrices(64, kFeatures);
    FakeReference reference(task, half());
    const SizeChoice sizes = SizePlanner(reference, task.slots, 0).within({}, kMebi, SizePlanner::First::Largest, true);
    QCOMPARE(sizes.slots.at(0), 64);
    QCOMPARE(sizes.slots.at(1), 8192);
}

void SizePlannerTest::theModelStaysUnlessItMay()
{
    const Task task = matrices(64, kFeatures, true);
    FakeReference reference(task, half());
    SizePlanner planner(reference, task.slots, 0);
    const SizeChoice kept = planner.within({}, kMebi, SizePlanner::First::Batch, false);
    QCOMPARE(kept.slots.at(0), 2); // no further: a kernel's blocks should see more than one row
    QCOMPARE(kept.slots.at(1), kFeatures);
    const SizeChoice changed = planner.within(kept, kMebi, SizePlanner::First::Batch, true);
    QCOMPARE(changed.slots.at(1), kFeatures / 4);
}

namespace {

/// An image of slots 0 (batch), 1 (channels), 2, 3 (extents) for a model of slot 4 (channels again).
Task image(std::int64_t channels, std::int64_t extent)
{
    const std::vector<std::int64_t> own{16, channels, extent, extent, channels};
    const auto size = [own](const SizeChoice& sizes, int slot) {
        return sizes.slots.contains(slot) ? sizes.slots.at(slot) : own[static_cast<std::size_t>(slot)];
    };
    Task task;
    for (int slot = 0; slot < 4; ++slot)
        task.slots.push_back({slot, own[static_cast<std::size_t>(slot)], 1, true, false,
                              "dim " + std::to_string(slot) + " of randn in get_inputs"});
    task.slots.push_back({4, channels, 1, false, true, "value 0 in get_init_inputs"});
    task.inputsAt = [size](const SizeChoice& sizes) {
        return std::vector{normal({size(sizes, 0), size(sizes, 1), size(sizes, 2), size(sizes, 3)})};
    };
    task.footprint = [size](const SizeChoice& sizes) { // without memory nobody compares the two numbers of channels
        const std::int64_t elements = size(sizes, 0) * size(sizes, 1) * size(sizes, 2) * size(sizes, 3);
        return Footprint{elements, size(sizes, 4), elements, elements, true};
    };
    task.extent = 1;
    task.inputs = {normal({2, 2, 2, 2})};
    return task;
}

} // namespace

void SizePlannerTest::sizesOfOneValueStayEqual()
{
    const Task task = image(8, 1024);
    FakeReference reference(task, half());
    const SizeChoice sizes = SizePlanner(reference, task.slots, 0).within({}, kMebi, SizePlanner::First::Largest, false);
    QCOMPARE(sizes.slots.at(2), sizes.slots.at(3));
    QVERIFY(sizes.slots.at(2) < 1024);
    QCOMPARE(sizes.slots.at(1), 8);
}

void SizePlannerTest::sizesThatAParameterHasGoLast()
{
    const Task task = image(1024, 64);
    FakeReference reference(task, half());
    const SizeChoice sizes = SizePlanner(reference, task.slots, 0).within({}, kMebi, SizePlanner::First::Batch, false);
    QCOMPARE(sizes.slots.at(0), 2);
    QCOMPARE(sizes.slots.at(1), 1024);
    QCOMPARE(sizes.slots.at(2), 8);
}

void SizePlannerTest::aModelChangesWhereMemoryAloneTellsTheTruth()
{
    Task task = image(1 << 20, 16); // too many to keep at any batch
    const auto made = task.inputsAt;
    task.inputsAt = [made](const SizeChoice& sizes) {
        if (sizes.slots.contains(1) && sizes.slots.at(1) != sizes.slots.at(4))
            throw Raises{"RuntimeError", "expected other channels"};
        return made(sizes);
    };
    FakeReference right(task, half());
    FakeCandidate subject(half());
    Session session(right, subject, {}, {});
    QVERIFY(!session.open());
    QVERIFY(session.native()->inputs.front().shape.at(1) < 1 << 20);
}

void SizePlannerTest::oneSizeMayBeTheModelsUnseen()
{
    // Channels and extents are 32 alike and shrink together without memory; with memory the model has its 32 channels.
    Task task = image(32, 32);
    task.slots[0].native = 4096;
    const auto made = task.inputsAt;
    const auto held = task.footprint;
    const auto batched = [](SizeChoice sizes) {
        sizes.slots.try_emplace(0, 4096);
        return sizes;
    };
    task.footprint = [=](const SizeChoice& sizes) { return held(batched(sizes)); };
    task.inputsAt = [=](const SizeChoice& sizes) {
        if (sizes.slots.contains(1) && sizes.slots.at(1) != sizes.slots.at(4))
            throw Raises{"RuntimeError", "expected other channels"};
        return made(batched(sizes));
    };
    FakeReference right(task, half());
    FakeCandidate subject(half());
    Session session(right, subject, {}, {});
    QVERIFY(!session.open());
    QCOMPARE(session.native()->inputs.front().shape.at(1), 32);
    QVERIFY(session.native()->inputElements() <= 1 << 20);
    QCOMPARE(session.native()->sizes.slots.at(4), 32);
}

void SizePlannerTest::severalSizesMayBeTheModelsUnseen()
{
    // A layer norm over channels and width: both have to be the model's.
    Task task = image(64, 64);
    FakeReference reference(task, half());
    SizeChoice smaller;
    smaller.slots = {{0, 2}, {1, 8}, {2, 8}, {3, 8}, {4, 64}};
    const auto nearer = SizePlanner(reference, task.slots, 0).withLessChanged(smaller, {1 << 25, 1 << 25});
    QCOMPARE(nearer.size(), 5U); // three alone, the batch, then the three at once
    QCOMPARE(nearer.front().slots.at(1), 64);
    QCOMPARE(nearer.front().slots.at(2), 8);
    QCOMPARE(nearer.at(3).slots.at(0), 16);
    QCOMPARE(nearer.back().slots, (std::map<int, std::int64_t>{{0, 2}, {1, 64}, {2, 64}, {3, 64}, {4, 64}}));
    QVERIFY(SizePlanner(reference, task.slots, 0).withLessChanged(smaller, {8, 8}).empty());
}

void SizePlannerTest::equalSizesOfAModelDoNotPart()
{
    // Groups that nobody can change keep the features from shrinking; their bias alone could, by broadcasting.
    Task task = matrices(2, 4096, true);
    task.slots.push_back({2, 4096, 1, false, true, "value 3 in get_init_inputs"});
    const auto any = task.footprint;
    task.footprint = [any](const SizeChoice& sizes) {
        Footprint found = any(sizes);
        found.ran = !sizes.slots.contains(1) || sizes.slots.at(1) == 4096;
        return found;
    };
    FakeReference reference(task, half());
    const SizeChoice sizes = SizePlanner(reference, task.slots, 0).within({}, {1024, 1024}, SizePlanner::First::Largest, true);
    QCOMPARE(sizes.slots.at(1), 4096);
    QCOMPARE(sizes.slots.at(2), 4096);
}

void SizePlannerTest::refusedSizesStay()
{
    Task task = matrices(64, kFeatures);
    const auto any = task.footprint;
    task.footprint = [any](const SizeChoice& sizes) {
        Footprint found = any(sizes);
        found.ran = !sizes.slots.contains(0) || sizes.slots.at(0) == 64; // its batch is written into the model
        return found;
    };
    FakeReference reference(task, half());
    const SizeChoice sizes = SizePlanner(reference, task.slots, 0).within({}, kMebi, SizePlanner::First::Batch, true);
    QCOMPARE(sizes.slots.at(0), 64);
    QCOMPARE(sizes.slots.at(1), 8192);
}

void SizePlannerTest::whatCannotBeKnownStays()
{
    Task task = matrices(64, kFeatures);
    task.footprint = nullptr;
    FakeReference reference(task, half());
    const SizeChoice sizes = SizePlanner(reference, task.slots, 0).within({}, kMebi, SizePlanner::First::Batch, true);
    QVERIFY(sizes.slots.empty());
}

void SizePlannerTest::largeTasksAreJudgedAtSmallerSizes()
{
    FakeReference right(matrices(kFeatures, 16), half());
    FakeCandidate subject(half());
    Session session(right, subject, {}, {});
    QVERIFY(!session.open());
    QVERIFY(session.rebound().find("dim 0 of randn in get_inputs from 1048576 to 32768") != std::string::npos);
    QCOMPARE(session.native()->inputs.front().shape, (std::vector<std::int64_t>{32768, 16}));
    QVERIFY(std::ranges::any_of(session.flags(), [](const Flag& flag) { return flag.code == "rebound"; }));
    QVERIFY(session.working()->inputs.front().count() <= 1 << 17);
}

void SizePlannerTest::aCandidateThatRefusesThemHasAShapeProblem()
{
    const Judgement judgement = judged(matrices(4096, kFeatures * 4), onlyFor(kFeatures * 4));
    QCOMPARE(judgement.verdict, Verdict::Fail);
    QVERIFY(!judgement.hardFailed);
    QCOMPARE(resultOf(judgement, Gate::Cmp03).verdict, Verdict::Fail);
    QCOMPARE(resultOf(judgement, Gate::Cmp03).severity, Severity::Soft);
    QCOMPARE(resultOf(judgement, Gate::Cmp01).verdict, Verdict::NotExercised);
    QVERIFY(judgement.reason.find("it is judged with") != std::string::npos);
}

void SizePlannerTest::anotherModelIsNoFailure()
{
    const Judgement judgement = judged(matrices(4096, kFeatures * 64, true), onlyFor(kFeatures * 64));
    QCOMPARE(judgement.verdict, Verdict::Error);
    QVERIFY(!judgement.hardFailed);
}

void SizePlannerTest::aKernelOfOneSizeIsJudgedAtItsOwn_data()
{
    QTest::addColumn<bool>("raises");
    QTest::newRow("it raises at others") << true;
    QTest::newRow("it is wrong at others") << false;
}

void SizePlannerTest::aKernelOfOneSizeIsJudgedAtItsOwn()
{
    QFETCH(const bool, raises);
    constexpr std::size_t kOwn = 4096;
    Task task = matrices(34, kOwn); // beyond what values are judged at, within what a task keeps
    task.inputs = {normal({34, kOwn})};
    const auto scaled = operation([](auto& given) {
        auto out = given.inputs[0];
        for (auto& value : out.values)
            value *= out.row() == kOwn ? 0.5F : 0.25F;
        return std::vector{out};
    });
    FakeReference right(task, half());
    FakeCandidate subject(raises ? onlyFor(kOwn) : scaled);
    Contract terms;
    terms.gates = {Gate::Cmp01, Gate::Cmp03};
    terms.cpuBudgetSeconds = 5; // which sanitizers exceed: what was seen to be wrong is asked all the same
    const Judgement judgement = judge(right, subject, terms, {}, {});
    QCOMPARE(judgement.verdict, Verdict::Fail);
    QCOMPARE(resultOf(judgement, Gate::Cmp03).checks.front().verdict, Verdict::Fail); // asked first where it was seen wrong
    QCOMPARE(resultOf(judgement, Gate::Cmp01).verdict, Verdict::Pass);
    QCOMPARE(resultOf(judgement, Gate::Cmp03).verdict, Verdict::Fail);
    QVERIFY(std::ranges::any_of(judgement.flags, [](const Flag& flag) { return flag.code == "one_size"; }));
}

void SizePlannerTest::aWrongKernelIsJudgedAtSmallSizes()
{
    Task task = matrices(64, 4096);
    task.inputs = {normal({64, 4096})};
    FakeReference right(task, half());
    FakeCandidate subject(elementwise([](auto x) { return x * decltype(x)(0.25); }));
    Session session(right, subject, {}, {});
    QVERIFY(!session.open());
    QVERIFY(session.working()->inputs.front().count() <= 1 << 17);
}

void SizePlannerTest::longerReductionsAreAskedOfWhatWasMadeForThem()
{
    constexpr std::size_t kOwn = 512;
    Task task = taskOfSize(kOwn, [](std::int64_t size) { return std::vector{normal({1, size})}; });
    const auto sum = [](auto row) {
        std::remove_cvref_t<decltype(row.front())> total = 0;
        for (const auto value : row)
            total += value;
        return total;
    };
    const auto firstOnly = [sum](auto row) { return sum(row.first(std::min<std::size_t>(row.size(), 512))); };
    const auto narrow = [](auto row) { // an accumulator of 11 bits
        float total = 0;
        for (const auto value : row) {
            total += static_cast<float>(value);
            const int exponent = total == 0 ? 0 : std::ilogb(total);
            total = std::ldexp(std::nearbyint(std::ldexp(total, 10 - exponent)), exponent - 10);
        }
        return static_cast<std::remove_cvref_t<decltype(row.front())>>(total);
    };
    Contract terms;
    terms.gates = {Gate::Prc02, Gate::Cmp03};
    FakeReference right(task, reduceRows(sum));
    FakeCandidate shorter(reduceRows(firstOnly));
    const Judgement ofShorter = judge(right, shorter, terms, {}, {});
    QCOMPARE(resultOf(ofShorter, Gate::Cmp03).verdict, Verdict::Fail);
    QCOMPARE(resultOf(ofShorter, Gate::Prc02).verdict, Verdict::Pass);

    FakeReference again(task, reduceRows(sum));
    FakeCandidate low(reduceRows(narrow));
    const Judgement ofLow = judge(again, low, terms, {}, {});
    const GateResult& found = resultOf(ofLow, Gate::Prc02);
    QCOMPARE(found.verdict, Verdict::Fail);
    QVERIFY(std::ranges::any_of(found.checks, [](const CheckResult& check) {
        return check.code == "PRC-02.swamping" && check.verdict == Verdict::Fail
            && check.stimulus.recipe.find("N=4096") != std::string::npos;
    }));
}

QTEST_APPLESS_MAIN(SizePlannerTest)
#include "tst_size_planner.moc"
