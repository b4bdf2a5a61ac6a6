// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "tests/core/contract/fake_party.h"

#include <QtTest>

#include <algorithm>

using namespace assay::contract;
using namespace assay::test;

namespace {

Operation half()
{
    return elementwise([](auto x) { return x * decltype(x)(0.5); });
}

/// RES-01 on a pair whose sides live on a GPU.
struct OnGpu {
    OnGpu()
        : reference(task(), half())
        , candidate(half())
    {
        reference.process().device = candidate.process().device = "cuda:0";
    }

    static Task task()
    {
        Task task;
        task.inputs = {normal({4, 16})};
        return task;
    }

    /// The verdict of the check called @p code, Absent where it was not made.
    Verdict verdictOf(std::string_view code)
    {
        JudgeOptions options;
        options.device = "cuda:0";
        Session session(reference, candidate, {}, options);
        if (session.open())
            qFatal("the pair cannot be asked");
        const GateResult result = gates::residency(session);
        const auto it = std::ranges::find(result.checks, code, &CheckResult::code);
        return it == result.checks.end() ? Verdict::Absent : it->verdict;
    }

    FakeReference reference;
    FakeCandidate candidate;
};

} // namespace

class Res01Test : public QObject {
    Q_OBJECT

private slots:
    void copiesToTheHostAreChargedBeyondTheReferences();
    void codeThatDoesNotBearCountingIsNotJudgedByAZero();
    void anAnswerOnAnotherDeviceFails();
};

void Res01Test::copiesToTheHostAreChargedBeyondTheReferences()
{
    OnGpu pair;
    QCOMPARE(pair.verdictOf("RES-01.host"), Verdict::Pass);
    pair.candidate.process().hostCopies = 1;
    QCOMPARE(pair.verdictOf("RES-01.host"), Verdict::Fail);
    // A reference that asks for a number on the host allows its candidate the same.
    pair.reference.process().hostCopies = 1;
    QCOMPARE(pair.verdictOf("RES-01.host"), Verdict::Pass);
}

void Res01Test::codeThatDoesNotBearCountingIsNotJudgedByAZero()
{
    for (const bool isReference : {false, true}) {
        OnGpu pair;
        pair.candidate.process().hostCopies = 1;
        (isReference ? pair.reference.process() : pair.candidate.process()).bearsCounting = false;
        QCOMPARE(pair.verdictOf("RES-01.host"), Verdict::Unknown);
    }
}

void Res01Test::anAnswerOnAnotherDeviceFails()
{
    OnGpu pair;
    pair.candidate.process().device = "cpu";
    QCOMPARE(pair.verdictOf("RES-01.device"), Verdict::Fail);
}

QTEST_GUILESS_MAIN(Res01Test)
#include "tst_res01.moc"
