// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "core/contract/same_bits.h"
#include "tests/core/contract/questioned.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <memory>

using namespace assay::contract;
using namespace assay::test;

namespace {

/// What lies in memory that the candidate allocates and does not write.
struct Workspace {
    float rest = 0;
};

/// A candidate that doubles and adds 0 times what it finds in its workspace.
Operation readsUnwritten(const std::shared_ptr<Workspace>& workspace)
{
    return operation([workspace](auto& given) {
        auto out = given.inputs[0];
        for (auto& value : out.values)
            value = 2 * value + 0 * workspace->rest;
        return std::vector{out};
    });
}

/// ORD-02 for a candidate beside x -> 2x. @param beforeCall  told what memory every call of the candidate gets
GateResult judged(const Operation& candidate, std::function<void(Step::Memory)> beforeCall)
{
    Task task;
    task.inputs = {normal({4, 16})};
    FakeReference right(task, elementwise([](auto x) { return 2 * x; }));
    FakeCandidate subject(candidate);
    Session session(right, subject, {}, {});
    if (session.open())
        return {};
    subject.process().beforeCall = std::move(beforeCall);
    return gates::determinism(session);
}

const CheckResult* failureOf(const GateResult& result)
{
    const auto it
        = std::ranges::find_if(result.checks, [](const CheckResult& check) { return countsAgainstCandidate(check.verdict); });
    return it == result.checks.end() ? nullptr : &*it;
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

} // namespace

class Ord02Test : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void poisonThatStaysInAWorkspaceIsFound();
    void poisonThatIsOverwrittenIsFound();
    void anAutotunerMaySettle();
    void aNumberThatTurnsIntoNanIsOfAnotherKind();
};

void Ord02Test::poisonThatStaysInAWorkspaceIsFound()
{
    const auto workspace = std::make_shared<Workspace>();
    const GateResult result = judged(readsUnwritten(workspace), [workspace](Step::Memory memory) {
        if (memory == Step::Memory::Poisoned)
            workspace->rest = kNan;
    });
    const CheckResult* failure = failureOf(result);
    QVERIFY(failure != nullptr);
    QCOMPARE(failure->code, "ORD-02.uninitialised");
    QCOMPARE(failure->severity, Severity::Hard);
}

void Ord02Test::poisonThatIsOverwrittenIsFound()
{
    const auto workspace = std::make_shared<Workspace>();
    const GateResult result = judged(readsUnwritten(workspace), [workspace](Step::Memory memory) {
        if (memory != Step::Memory::Fresh)
            workspace->rest = memory == Step::Memory::Poisoned ? kNan : 0.75F;
    });
    const CheckResult* failure = failureOf(result);
    QVERIFY(failure != nullptr);
    QCOMPARE(failure->code, "ORD-02.uninitialised");
}

void Ord02Test::anAutotunerMaySettle()
{
    const auto calls = std::make_shared<int>(0);
    const GateResult result = judged(operation([calls](auto& given) {
                                         auto out = given.inputs[0];
                                         using Number = decltype(out.values[0] + 0);
                                         for (auto& value : out.values)
                                             value = *calls < 3 ? std::nextafter(2 * value, Number(1e9)) : 2 * value;
                                         return std::vector{out};
                                     }),
                                     [calls](Step::Memory) { ++*calls; });
    QVERIFY2(failureOf(result) == nullptr, failureOf(result) != nullptr ? failureOf(result)->sentence.c_str() : "");
}

void Ord02Test::aNumberThatTurnsIntoNanIsOfAnotherKind()
{
    const BitDifference difference = differenceInBits(tensorOf({4}, {1, 2, kNan, kNan}), tensorOf({4}, {1, 3, kNan, 4}));
    QCOMPARE(difference.elements, 2);
    QCOMPARE(difference.kinds, 1);
}

QTEST_APPLESS_MAIN(Ord02Test)
#include "tst_ord02.moc"
