// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "tests/core/contract/questioned.h"

#include <QtTest>

using namespace assay::contract;
using namespace assay::test;

/// Inputs that hold indices, on a GPU: an index out of range ends the process there, so the host is asked first.
namespace {

constexpr std::int64_t kRows = 6;
constexpr std::int64_t kClasses = 12;

/// Scores of a class for each row, and the class; other sizes change how many classes have scores.
Task scores()
{
    const auto at = [](std::int64_t classes) {
        return std::vector{normal({kRows, classes}), tensorOf({kRows}, {0, 11, 4, 7, 9, 2}, assay::tensor::DType::Int64)};
    };
    return taskOfSize(kClasses, at);
}

/// Picks the score of the class. @tparam Failure  what an index out of range leads to
template <typename Failure> Operation picks()
{
    return operation([](auto& given) {
        const auto& rows = given.inputs[0];
        auto out = given.inputs[1];
        for (std::size_t i = 0; i < out.values.size(); ++i) {
            const auto index = static_cast<std::int64_t>(out.values[i]);
            if (index < 0 || index >= rows.shape[1])
                throw Failure{};
            out.values[i] = rows.values[i * rows.row() + static_cast<std::size_t>(index)];
        }
        return std::vector{out};
    });
}

struct Costs {
    GateResult result;
    int referenceRestarts = 0;
    int candidateRestarts = 0;
    int candidateCalls = 0;
};

Costs asked(GateResult (*gate)(Session&), bool hostAnswers)
{
    FakeReference reference(scores(), picks<Dies>(),
                            hostAnswers ? std::map<std::string, Operation>{{"host", picks<Raises>()}}
                                        : std::map<std::string, Operation>());
    FakeCandidate candidate(picks<Dies>());
    JudgeOptions options;
    options.device = "cuda:0";
    Session session(reference, candidate, {}, options);
    if (session.open())
        return {};
    const int before = candidate.calls();
    Costs found;
    found.result = gate(session);
    found.referenceRestarts = reference.process().restarts;
    found.candidateRestarts = candidate.restarts();
    found.candidateCalls = candidate.calls() - before;
    return found;
}

} // namespace

class IndicesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sizesThatTheHostRefusesCostNoProcess()
    {
        const Costs found = asked(gates::shapes, true);
        QCOMPARE(found.result.verdict, Verdict::Pass);
        QCOMPARE(found.referenceRestarts, 0);
        QCOMPARE(found.candidateRestarts, 0);
        QVERIFY(found.candidateCalls > 0);
        QVERIFY(std::ranges::any_of(found.result.checks,
                                    [](const CheckResult& check) { return check.verdict == Verdict::Inapplicable; }));
    }

    void withoutAHostEveryRefusedSizeCostsTheReferenceAProcess() { QVERIFY(asked(gates::shapes, false).referenceRestarts > 3); }

    void indicesOutOfRangeCostTheReferenceNoProcess()
    {
        const Costs found = asked(gates::subnormals, true);
        QCOMPARE(found.referenceRestarts, 0);
        QVERIFY(found.candidateRestarts > 0);
        QVERIFY(asked(gates::subnormals, false).referenceRestarts > 0);
    }
};

QTEST_APPLESS_MAIN(IndicesTest)
#include "tst_indices.moc"
