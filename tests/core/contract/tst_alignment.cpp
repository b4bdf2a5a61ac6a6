// SPDX-License-Identifier: Apache-2.0
#include "core/contract/alignment.h"
#include "tests/core/contract/fake_party.h"

#include <QtTest>

using namespace assay::contract;
using namespace assay::test;

namespace {

StateEntry buffer(std::string name, HostTensor value)
{
    StateEntry entry = parameter(std::move(name), std::move(value));
    entry.isParameter = false;
    return entry;
}

std::string counterpart(const Alignment& alignment, const std::string& reference)
{
    for (const StatePair& pair : alignment.pairs) {
        if (pair.reference == reference)
            return pair.candidate + (pair.transposed ? "^T" : "");
    }
    return "";
}

} // namespace

class AlignmentTest : public QObject {
    Q_OBJECT

private slots:
    void nothingToAlignNeedsNothing();
    void equalNamesAndValuesComeFromTheSeed();
    void equalNamesWithOtherValuesComeFromTheStateDict();
    void renamedParametersAreFoundByTheirValues();
    void thenByTheirShapes();
    void aTransposedWeightIsFoundAndFed();
    void bufferAndParameterOfOneShapeStayApart();
    void whatHasNoCounterpartIsNamed();
    void valuesAreRenamedForTheCandidate();
};

void AlignmentTest::nothingToAlignNeedsNothing()
{
    const Alignment alignment = align({}, {});
    QCOMPARE(alignment.kind, Alignment::Kind::NoneNeeded);
    QVERIFY(alignment.isComplete());
    QCOMPARE(name(alignment.kind), std::string_view("none needed"));
}

void AlignmentTest::equalNamesAndValuesComeFromTheSeed()
{
    const ModuleState state = {parameter("weight", normal({4, 3})), parameter("bias", normal({4}, 2))};
    const Alignment alignment = align(state, state);
    QCOMPARE(alignment.kind, Alignment::Kind::Seed);
    QVERIFY(alignment.isComplete());
    QCOMPARE(counterpart(alignment, "bias"), std::string("bias"));
}

void AlignmentTest::equalNamesWithOtherValuesComeFromTheStateDict()
{
    const Alignment alignment = align({parameter("weight", normal({4, 3}, 1))}, {parameter("weight", normal({4, 3}, 2))});
    QCOMPARE(alignment.kind, Alignment::Kind::StateDict);
}

void AlignmentTest::renamedParametersAreFoundByTheirValues()
{
    // Two of one shape: only their values tell which is which.
    const Alignment alignment = align({parameter("a", normal({4}, 1)), parameter("b", normal({4}, 2))},
                                      {parameter("x", normal({4}, 2)), parameter("y", normal({4}, 1))});
    QCOMPARE(counterpart(alignment, "a"), std::string("y"));
    QCOMPARE(counterpart(alignment, "b"), std::string("x"));
    QCOMPARE(alignment.kind, Alignment::Kind::Seed);
}

void AlignmentTest::thenByTheirShapes()
{
    const Alignment alignment = align({parameter("a", normal({4}, 1)), parameter("b", normal({5}, 2))},
                                      {parameter("x", normal({5}, 3)), parameter("y", normal({4}, 4))});
    QCOMPARE(counterpart(alignment, "a"), std::string("y"));
    QCOMPARE(counterpart(alignment, "b"), std::string("x"));
    QCOMPARE(alignment.kind, Alignment::Kind::ByShape);
}

void AlignmentTest::aTransposedWeightIsFoundAndFed()
{
    const StateEntry weight = parameter("weight", tensorOf({2, 3}, {1, 2, 3, 4, 5, 6}));
    const Alignment alignment = align({weight}, {parameter("kernel", tensorOf({3, 2}, {1, 4, 2, 5, 3, 6}))});
    QCOMPARE(counterpart(alignment, "weight"), std::string("kernel^T"));
    StateEntry other = weight;
    other.value = tensorOf({2, 3}, {10, 20, 30, 40, 50, 60});
    const ModuleState fed = stateForCandidate(alignment, {other});
    QCOMPARE(fed.size(), std::size_t{1});
    QCOMPARE(fed[0].name, std::string("kernel"));
    QCOMPARE(fed[0].value.shape(), (std::vector<std::int64_t>{3, 2}));
    QCOMPARE(fed[0].value.toDoubles(), (std::vector<double>{10, 40, 20, 50, 30, 60}));
}

void AlignmentTest::bufferAndParameterOfOneShapeStayApart()
{
    const Alignment alignment = align({parameter("gain", normal({4}, 1)), buffer("mean", normal({4}, 2))},
                                      {buffer("m", normal({4}, 3)), parameter("g", normal({4}, 4))});
    QCOMPARE(counterpart(alignment, "gain"), std::string("g"));
    QCOMPARE(counterpart(alignment, "mean"), std::string("m"));
}

void AlignmentTest::whatHasNoCounterpartIsNamed()
{
    const Alignment alignment = align({parameter("weight", normal({4}, 1)), parameter("bias", normal({5}, 2))},
                                      {parameter("weight", normal({4}, 1)), parameter("extra", normal({7}, 3))});
    QVERIFY(!alignment.isComplete());
    QCOMPARE(alignment.unmatchedReference, (std::vector<std::string>{"bias"}));
    QCOMPARE(alignment.unmatchedCandidate, (std::vector<std::string>{"extra"}));
    // A counter that is no floating number may stay alone.
    const StateEntry counter = buffer("steps", tensorOf({1}, {0}, assay::tensor::DType::Int64));
    QVERIFY(align({counter}, {}).isComplete());
}

void AlignmentTest::valuesAreRenamedForTheCandidate()
{
    const Alignment alignment = align({parameter("a", normal({4}, 1)), parameter("b", normal({4}, 2))},
                                      {parameter("x", normal({4}, 2)), parameter("y", normal({4}, 1))});
    const ModuleState fed = stateForCandidate(alignment, {parameter("b", tensorOf({4}, {1, 2, 3, 4}))});
    QCOMPARE(fed.size(), std::size_t{1});
    QCOMPARE(fed[0].name, std::string("x"));
    QCOMPARE(fed[0].value.toDoubles(), (std::vector<double>{1, 2, 3, 4}));
}

QTEST_GUILESS_MAIN(AlignmentTest)
#include "tst_alignment.moc"
