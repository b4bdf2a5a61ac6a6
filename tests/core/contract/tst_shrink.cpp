// SPDX-License-Identifier: Apache-2.0
#include "core/contract/shrink.h"
#include "core/contract/simpler_tensors.h"
#include "tests/core/contract/fake_party.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::contract;
using namespace assay::test;

namespace {

/// Four rows of 64 numbers, whose length is a size of the task.
Task rows()
{
    return taskOfSize(64, [](std::int64_t size) { return std::vector{normal({4, size})}; });
}

Operation half()
{
    return elementwise([](auto x) { return x * decltype(x)(0.5); });
}

/// Halves, and spoils elements of rows as @p spoil says.
template <typename F> Operation halfBut(F spoil)
{
    return mapRows([spoil](auto row) {
        for (auto& value : row)
            value *= 0.5F;
        spoil(row);
    });
}

Contract only(Gate gate)
{
    Contract contract;
    contract.gates = {gate};
    return contract;
}

JudgeOptions seeded()
{
    JudgeOptions options;
    options.seed = 7;
    options.kernelIdentity = "fake pair";
    return options;
}

/// One gate's judgement of a pair, with its failure shrunk in a second conversation.
GateResult shrunk(Gate gate, const Operation& candidate, const Operation& reference = half(), const Task& task = rows())
{
    FakeReference right(task, reference);
    FakeCandidate subject(candidate, task.state);
    Judgement judgement = judge(right, subject, only(gate), seeded());
    FakeReference again(task, reference);
    FakeCandidate subjectAgain(candidate, task.state);
    shrinkFailures(again, subjectAgain, only(gate), seeded(), judgement);
    return judgement.gates[static_cast<std::size_t>(indexOf(gate))];
}

const Shrunk& foundIn(const GateResult& gate)
{
    const CheckResult* const deciding = decidingCheck(gate);
    if (deciding == nullptr || !deciding->shrunk)
        qFatal("the gate has no shrunk check");
    return *deciding->shrunk;
}

const HostTensor& inputOf(const Shrunk& found)
{
    if (!found.check)
        qFatal("nothing smaller: %s", found.remark.c_str());
    return found.check->stimulus.call->inputs.front();
}

} // namespace

class ShrinkTest : public QObject {
    Q_OBJECT

private slots:
    void sizesShrinkAsLongAsTheCheckFails();
    void elementsThatDoNotMatterBecomeZero();
    void aNaNThatIsSwallowedStays();
    void aNaNInAParameterStaysThere();
    void aNumberThatIsFlushedStays();
    void aRefusalKeepsItsException();
    void aDeathIsAskedLessOften();
    void theSmallerCallBringsItsTensors();
    void theSearchEndsTheSameEveryTime();
    void theNumberOfQuestionsIsBounded();
    void aFailureThatDoesNotComeBackIsNotShrunk();
    void whatOneCallCannotShowIsNotShrunk();
    void aPassHasNothingToShrink();
    void ofEquallyBadChecksOneThatOneCallShowsDecides();

    void blocksKeepTheirLayout();
    void valuesBecomeSimple();
};

void ShrinkTest::sizesShrinkAsLongAsTheCheckFails()
{
    // Wrong in the last element of rows of at least 5: 64 becomes 32, 16, 8, 6 and 5, and then 4 is right.
    const GateResult gate = shrunk(Gate::Cmp01, halfBut([](auto row) {
                                       if (row.size() >= 5)
                                           row.back() += 1;
                                   }));
    QCOMPARE(gate.verdict, Verdict::Fail);
    const Shrunk& found = foundIn(gate);
    QCOMPARE(inputOf(found).shape(), (std::vector<std::int64_t>{4, 5}));
    QVERIFY(nonZero(inputOf(found)).empty());
    QCOMPARE(found.check->code, decidingCheck(gate)->code);
    QCOMPARE(found.check->reason, decidingCheck(gate)->reason);
    QVERIFY2(found.check->stimulus.label.ends_with("shrunk to [4, 5]"), found.check->stimulus.label.c_str());
    QCOMPARE(found.check->stimulus.recipe, decidingCheck(gate)->stimulus.recipe);
    QVERIFY(found.check->stimulus.sha256 != decidingCheck(gate)->stimulus.sha256);
    QVERIFY2(found.remark.starts_with("256 input elements, ") && found.remark.ends_with(" became 20 with 0"),
             found.remark.c_str());
}

void ShrinkTest::elementsThatDoNotMatterBecomeZero()
{
    // The task has no size to change; one large number is what it takes.
    Task task;
    task.inputs = {normal({4, 64})};
    const GateResult gate
        = shrunk(Gate::Cmp01, elementwise([](auto x) { return x > 500 ? x : x * decltype(x)(0.5); }), half(), task);
    QCOMPARE(gate.verdict, Verdict::Fail);
    const HostTensor& input = inputOf(foundIn(gate));
    QCOMPARE(input.shape(), (std::vector<std::int64_t>{4, 64}));
    QCOMPARE(nonZero(input).size(), std::size_t{1});
    const std::vector<double> values = input.toDoubles();
    const double left = values[static_cast<std::size_t>(nonZero(input).front())];
    QVERIFY(left > 500 && left == std::nearbyint(left));
}

void ShrinkTest::aNaNThatIsSwallowedStays()
{
    const GateResult gate
        = shrunk(Gate::Exc01, elementwise([](auto x) { return std::isnan(x) ? decltype(x)(0) : x * decltype(x)(0.5); }));
    QCOMPARE(decidingCheck(gate)->reason, std::string("swallow"));
    const HostTensor& input = inputOf(foundIn(gate));
    QCOMPARE(input.shape(), (std::vector<std::int64_t>{4, 1}));
    const std::vector<double> values = input.toDoubles();
    QCOMPARE(std::ranges::count_if(values, [](double v) { return std::isnan(v); }), std::ptrdiff_t{1});
    QVERIFY(nonZero(input).empty());
    QCOMPARE(foundIn(gate).check->reason, std::string("swallow"));
}

void ShrinkTest::aNaNInAParameterStaysThere()
{
    Task task;
    task.inputs = {normal({4, 8})};
    task.state = {parameter("w", normal({8}, 3))};
    const auto scaled = [](bool swallows) {
        return operation([swallows](auto& given) {
            auto out = given.inputs[0];
            const auto& weights = given.state.at("w").values;
            for (std::size_t i = 0; i < out.values.size(); ++i) {
                const auto weight = weights[i % weights.size()];
                out.values[i] *= swallows && std::isnan(weight) ? 0 : weight;
            }
            return std::vector{out};
        });
    };
    const GateResult gate = shrunk(Gate::Exc01, scaled(true), scaled(false), task);
    const CheckResult& deciding = *decidingCheck(gate);
    QCOMPARE(deciding.reason, std::string("swallow"));
    // The call's record has the NaN too: whoever calls again from it sees the failure.
    QVERIFY(firstNonFinite(deciding.stimulus.call->referenceState.front().value) >= 0);
    QVERIFY(firstNonFinite(deciding.stimulus.call->candidateState.front().value) >= 0);
    QCOMPARE(nonZero(inputOf(foundIn(gate))).size(), std::size_t{1});
    QVERIFY(firstNonFinite(foundIn(gate).check->stimulus.call->candidateState.front().value) >= 0);
}

void ShrinkTest::aNumberThatIsFlushedStays()
{
    const GateResult gate = shrunk(Gate::Exc02, elementwise([](auto x) {
                                       const auto y = x * decltype(x)(0.5);
                                       return std::abs(y) < decltype(x)(0x1p-126) ? decltype(x)(0) : y;
                                   }));
    QCOMPARE(decidingCheck(gate)->code, std::string("EXC-02.flush"));
    const HostTensor& input = inputOf(foundIn(gate));
    QCOMPARE(input.shape(), (std::vector<std::int64_t>{4, 1}));
    QCOMPARE(nonZero(input).size(), std::size_t{1});
    const double left = input.toDoubles()[static_cast<std::size_t>(nonZero(input).front())];
    QVERIFY(std::abs(left) < 0x1p-125);
}

void ShrinkTest::aRefusalKeepsItsException()
{
    // Rows of at least 20 and numbers above 500 are refused with a ValueError; short rows with something else.
    const Operation refusing = mapRows([](auto row) {
        if (row.size() < 20)
            throw Raises{"TypeError", "too short"};
        for (auto& value : row) {
            if (value > 500)
                throw Raises{"ValueError", "too large"};
            value *= 0.5F;
        }
    });
    const GateResult gate = shrunk(Gate::Cmp01, refusing);
    QCOMPARE(decidingCheck(gate)->reason, std::string("exception"));
    const Shrunk& found = foundIn(gate);
    QCOMPARE(inputOf(found).shape(), (std::vector<std::int64_t>{4, 20}));
    QCOMPARE(nonZero(inputOf(found)).size(), std::size_t{1});
    QVERIFY(found.check->sentence.find("ValueError: too large") != std::string::npos);
}

void ShrinkTest::aDeathIsAskedLessOften()
{
    const GateResult gate = shrunk(Gate::Cmp01, mapRows([](auto row) {
                                       for (auto& value : row) {
                                           if (value > 500)
                                               throw Dies{};
                                           value *= 0.5F;
                                       }
                                   }));
    QCOMPARE(gate.verdict, Verdict::Crash);
    const Shrunk& found = foundIn(gate);
    QCOMPARE(found.check->verdict, Verdict::Crash);
    QCOMPARE(inputOf(found).shape(), (std::vector<std::int64_t>{4, 1}));
    QVERIFY(found.questions <= 40);
}

void ShrinkTest::theSmallerCallBringsItsTensors()
{
    const GateResult gate = shrunk(Gate::Cmp01, halfBut([](auto row) { row.front() += 1; }));
    const CheckResult& check = *foundIn(gate).check;
    QVERIFY(check.evidence && check.evidence->reference && check.evidence->candidate);
    QCOMPARE(check.evidence->reference->shape(), (std::vector<std::int64_t>{4, 1}));
    QCOMPARE(check.evidence->candidate->toDoubles(), (std::vector<double>{1, 1, 1, 1}));
    QCOMPARE(check.evidence->reference->toDoubles(), (std::vector<double>{0, 0, 0, 0}));
}

void ShrinkTest::theSearchEndsTheSameEveryTime()
{
    const Operation candidate = elementwise([](auto x) { return x > 500 ? x : x * decltype(x)(0.5); });
    const Shrunk first = foundIn(shrunk(Gate::Cmp01, candidate));
    const Shrunk second = foundIn(shrunk(Gate::Cmp01, candidate));
    QVERIFY(first.check && second.check);
    QCOMPARE(first.check->stimulus.sha256, second.check->stimulus.sha256);
    QCOMPARE(first.questions, second.questions);
}

void ShrinkTest::theNumberOfQuestionsIsBounded()
{
    const Operation candidate = halfBut([](auto row) { row.front() += 1; });
    FakeReference right(rows(), half());
    FakeCandidate subject(candidate);
    const Judgement judgement = judge(right, subject, only(Gate::Cmp01), seeded());
    FakeReference again(rows(), half());
    FakeCandidate subjectAgain(candidate);
    Session session(again, subjectAgain, only(Gate::Cmp01), seeded());
    QVERIFY(!session.open());
    const Shrunk few = shrink(session, Gate::Cmp01, *decidingCheck(judgement.gates.front()), 2);
    QCOMPARE(few.questions, 2);
    QCOMPARE(inputOf(few).shape(), (std::vector<std::int64_t>{4, 1}));
    const Shrunk none = shrink(session, Gate::Cmp01, *decidingCheck(judgement.gates.front()), 1);
    QVERIFY(!none.check && none.questions == 1);
}

void ShrinkTest::aFailureThatDoesNotComeBackIsNotShrunk()
{
    // Every session opens with right answers, and only the first goes on to a wrong one.
    const auto broken = std::make_shared<bool>(true);
    const Operation candidate = elementwise([broken](auto x) { return *broken && x > 500 ? x : x * decltype(x)(0.5); });
    FakeReference right(rows(), half());
    FakeCandidate subject(candidate);
    Judgement judgement = judge(right, subject, only(Gate::Cmp01), seeded());
    QCOMPARE(judgement.verdict, Verdict::Fail);
    *broken = false;
    shrinkFailures(right, subject, only(Gate::Cmp01), seeded(), judgement);
    const Shrunk& found = foundIn(judgement.gates.front());
    QVERIFY(!found.check);
    QCOMPARE(found.questions, 1);
    QCOMPARE(found.remark, std::string("it does not show again where its stimulus is asked alone"));
}

void ShrinkTest::whatOneCallCannotShowIsNotShrunk()
{
    // Another answer at every call.
    const auto calls = std::make_shared<int>(0);
    const GateResult gate = shrunk(
        Gate::Ord02, elementwise([calls](auto x) { return x * decltype(x)(0.5) + decltype(x)(1e-3) * decltype(x)(++*calls); }));
    QVERIFY(countsAgainstCandidate(gate.verdict));
    const CheckResult* const deciding = decidingCheck(gate);
    QVERIFY(deciding != nullptr && deciding->shrunk && !deciding->shrunk->check);
    QCOMPARE(deciding->shrunk->questions, 0);
    QVERIFY(!deciding->shrunk->remark.empty());
}

void ShrinkTest::aPassHasNothingToShrink()
{
    const GateResult gate = shrunk(Gate::Cmp01, half());
    QCOMPARE(gate.verdict, Verdict::Pass);
    QVERIFY(std::ranges::none_of(gate.checks, [](const CheckResult& check) { return check.shrunk.has_value(); }));
}

void ShrinkTest::ofEquallyBadChecksOneThatOneCallShowsDecides()
{
    const auto failed = [](Severity severity, bool shows) {
        CheckResult check;
        check.verdict = Verdict::Fail;
        check.severity = severity;
        check.stimulus.call = std::make_shared<CallSetup>();
        if (shows) {
            check.evidence.emplace();
            check.evidence->reference = check.evidence->candidate = tensorOf({1}, {0});
        }
        return check;
    };
    GateResult gate;
    gate.checks = {CheckResult(), failed(Severity::Soft, false), failed(Severity::Soft, true), failed(Severity::Soft, true)};
    QCOMPARE(decidingCheck(gate), &gate.checks[2]);
    gate.checks.push_back(failed(Severity::Hard, false));
    QCOMPARE(decidingCheck(gate), &gate.checks[4]);
    QCOMPARE(decidingCheck(GateResult()), static_cast<const CheckResult*>(nullptr));
}

void ShrinkTest::blocksKeepTheirLayout()
{
    std::vector<double> values(24);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(i);
    const HostTensor rows = tensorOf({4, 6}, values);
    const std::vector<double> block{13, 14, 15, 19, 20, 21};
    for (const Layout layout : {Layout::Contiguous, Layout::Transposed, Layout::Sliced, Layout::Offset}) {
        const HostTensor laid = withLayout(rows, layout);
        const HostTensor cut = blockOf(laid, {2, 1}, {2, 3});
        QCOMPARE(cut.toDoubles(), block);
        QCOMPARE(cut.isContiguous(), laid.isContiguous());
        QCOMPARE(cut.offsetBytes(), laid.offsetBytes());
        QCOMPARE(cut.strides()[0] < cut.strides()[1], laid.strides()[0] < laid.strides()[1]);
    }
    const HostTensor expanded = withLayout(rows, Layout::Expanded);
    QCOMPARE(blockOf(expanded, {1, 0}, {2, 6}).strides(), expanded.strides());
    // What differs along a repeated dimension cannot stay repeated.
    QCOMPARE(withZeros(expanded, {0}).toDoubles(), [&] {
        std::vector<double> wanted = expanded.toDoubles();
        wanted[0] = 0;
        return wanted;
    }());
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, blockOf(rows, {3, 0}, {2, 6}));
}

void ShrinkTest::valuesBecomeSimple()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const HostTensor value = tensorOf({4}, {1.4, nan, -2.6, 0});
    const auto sameWithNaN = [](const HostTensor& got, std::vector<double> wanted) {
        const std::vector<double> values = got.toDoubles();
        return std::ranges::equal(values, wanted, [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); });
    };
    QVERIFY(sameWithNaN(simplified(value, Simple::Zeros), {0, nan, 0, 0}));
    QVERIFY(sameWithNaN(simplified(value, Simple::Ones), {1, nan, 1, 1}));
    QVERIFY(sameWithNaN(simplified(value, Simple::Integers), {1, nan, -3, 0}));
    QCOMPARE(nonZero(value), (std::vector<std::int64_t>{0, 2}));
    QCOMPARE(firstNonFinite(value), std::int64_t{1});
    QCOMPARE(firstNonFinite(withZeros(value, {1})), std::int64_t{-1});
}

QTEST_GUILESS_MAIN(ShrinkTest)
#include "tst_shrink.moc"
