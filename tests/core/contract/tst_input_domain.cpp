// SPDX-License-Identifier: Apache-2.0
#include "core/contract/contract.h"
#include "core/contract/gates/gates.h"
#include "core/contract/stimulus_maker.h"
#include "tests/core/contract/questioned.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace assay::contract;
using namespace assay::test;
using assay::tensor::DType;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> moved(std::vector<double> values, const InputDomain& domain)
{
    const auto count = static_cast<std::int64_t>(values.size());
    return within(tensorOf({count}, std::move(values)), domain).toDoubles();
}

constexpr std::array kRegimes = {Regime::Native,    Regime::Normal,   Regime::Negative,  Regime::Small,        Regime::Wide,
                                 Regime::Lognormal, Regime::Outliers, Regime::LastSpike, Regime::Shifted,      Regime::Magnitudes,
                                 Regime::Impulse,   Regime::Ones,     Regime::Zeros,     Regime::ConstantRows, Regime::ZeroRows,
                                 Regime::Ties,      Regime::Uniform,  Regime::Ramp,      Regime::Alternating};

/// A square root, which is not defined below 0.
Operation squareRoots()
{
    return elementwise([](auto x) { return std::sqrt(x); });
}

Contract fromZeroOn()
{
    Contract contract;
    contract.domains = {{0, 0.0, std::nullopt, std::nullopt}};
    return contract;
}

Task positiveRows()
{
    Task task;
    std::vector<double> values = normal({4, 16}).toDoubles();
    for (double& value : values)
        value = std::abs(value);
    task.inputs = {tensorOf({4, 16}, values)};
    return task;
}

} // namespace

/// Preconditions that a contract names.
class InputDomainTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsOutsideIsMirroredAtItsBound()
    {
        const InputDomain unit{0, 0.0, 1.0, std::nullopt};
        QCOMPARE(moved({0, 0.25, 1, 1.25, -0.25, 2.5, -3.25}, unit), (std::vector<double>{0, 0.25, 1, 0.75, 0.25, 0.5, 0.75}));
        const InputDomain below{0, std::nullopt, 0.0, std::nullopt};
        QCOMPARE(moved({-3, 0, 4}, below), (std::vector<double>{-3, 0, -4}));
        const InputDomain above{0, 1.0, std::nullopt, std::nullopt};
        QCOMPARE(moved({3, -4}, above), (std::vector<double>{3, 6}));
    }

    void infinitiesGoToTheBoundAndNaNStays()
    {
        const std::vector<double> both = moved({kInf, -kInf, std::nan("")}, {0, 0.0, 2.0, std::nullopt});
        QCOMPARE(both[0], 2.0);
        QCOMPARE(both[1], 0.0);
        QVERIFY(std::isnan(both[2]));
        QCOMPARE(moved({kInf, -kInf}, {0, std::nullopt, 0.0, std::nullopt}), (std::vector<double>{-kInf, -kInf}));
        QVERIFY((InputDomain{0, std::nullopt, 0.0, std::nullopt}.holds(-kInf)));
        QVERIFY((!InputDomain{0, std::nullopt, 0.0, std::nullopt}.holds(kInf)));
        QVERIFY((InputDomain{0, 0.0, 1.0, std::nullopt}.holds(std::nan(""))));
    }

    void longRowsAreShortenedOnce()
    {
        const InputDomain unit{0, std::nullopt, std::nullopt, 1.0};
        const HostTensor given = tensorOf({4, 2}, {3, 4, 0.3, 0.4, 3e30, -4e30, std::nan(""), 7}, DType::BFloat16);
        const HostTensor once = within(given, unit);
        const std::vector<double> values = once.toDoubles();
        QVERIFY(std::abs(values[0] - 0.6) < 0x1p-8 && std::abs(values[1] - 0.8) < 0x1p-8);
        QCOMPARE(values[2], given.toDoubles()[2]);
        QVERIFY(std::abs(values[4] - 0.6) < 0x1p-8 && std::abs(values[5] + 0.8) < 0x1p-8);
        QVERIFY(std::isnan(values[6]));
        QCOMPARE(values[7], 7.0);
        const HostTensor twice = within(once, unit);
        QVERIFY(std::ranges::equal(once.bytes(), twice.bytes()));
    }

    void layoutsStay()
    {
        const InputDomain below{0, std::nullopt, 0.0, std::nullopt};
        for (const Layout layout : {Layout::Transposed, Layout::Sliced, Layout::Offset, Layout::Expanded}) {
            const HostTensor given = withLayout(normal({4, 6}), layout);
            const HostTensor found = within(given, below);
            QCOMPARE(found.strides(), given.strides());
            QCOMPARE(found.shape(), given.shape());
            const auto before = given.toDoubles(), after = found.toDoubles();
            for (std::size_t i = 0; i < before.size(); ++i)
                QCOMPARE(after[i], -std::abs(before[i]));
        }
    }

    void everyStimulusLiesInItsDomain()
    {
        const std::vector<HostTensor> natives{normal({4, 6}), normal({4, 6}, 2), normal({4, 6}, 3)};
        StimulusMaker maker(3, "kernel", {{0, 0.0, 2.0, std::nullopt}, {2, std::nullopt, std::nullopt, 1.0}});
        for (const Regime regime : kRegimes) {
            const StimulusPtr made
                = maker.make({regime, 0, -1, Layout::Contiguous, "CMP-01", "value"}, describe(natives), natives);
            for (const double value : made->leaves[0].toDoubles())
                QVERIFY2(value >= 0 && value <= 2, std::string(name(regime)).c_str());
            const std::vector<double> rows = made->leaves[2].toDoubles();
            for (std::size_t row = 0; row < rows.size(); row += 6)
                QVERIFY(std::hypot(std::hypot(rows[row], rows[row + 1], rows[row + 2]),
                                   std::hypot(rows[row + 3], rows[row + 4], rows[row + 5]))
                        <= 1 + 0x1p-5);
        }
        // Cotangents are no inputs.
        QCOMPARE(maker.cotangents({tensorOf({2}, {-3, 5})}, "")->leaves[0].toDoubles(), (std::vector<double>{-3, 5}));
        QCOMPARE(maker.wrap({tensorOf({2}, {-0.5, 3})}, "")->leaves[0].toDoubles(), (std::vector<double>{0.5, 1}));
    }

    void aPreconditionIsNoFailure()
    {
        // Below 0 one gives NaN as the reference does and the other 0: with the precondition nobody asks.
        const Operation clamped = elementwise([](auto x) { return x < 0 ? decltype(x)(0) : std::sqrt(x); });
        const Questioned without = question(gates::nonFinite, positiveRows(), squareRoots(), clamped);
        QVERIFY(without.failure() != nullptr);
        const Questioned bound = question(gates::nonFinite, positiveRows(), squareRoots(), clamped, fromZeroOn());
        QVERIFY2(bound.failure() == nullptr, bound.failureCode().c_str());
        QVERIFY(bound.result.exercised > 5);
        // What lies inside is judged as before: NaN is no number of any domain.
        const Operation swallows = elementwise([](auto x) { return std::isnan(x) ? decltype(x)(0) : std::sqrt(x); });
        QCOMPARE(question(gates::nonFinite, positiveRows(), squareRoots(), swallows, fromZeroOn()).failureCode(),
                 std::string("EXC-01.swallow"));
    }

    void sizesOutsideAreRefusedForBothSides()
    {
        const Task task = taskOfSize(8, [](std::int64_t size) { return std::vector{normal({3, size})}; });
        const Operation twice = elementwise([](auto x) { return 2 * x; });
        // Right at even sizes alone.
        const Operation evenly = operation([](auto& given) {
            auto out = given.inputs[0];
            if (out.row() % 2 == 1)
                throw Raises{};
            for (auto& value : out.values)
                value = 2 * value;
            return std::vector{out};
        });
        QVERIFY(question(gates::shapes, task, twice, evenly).failure() != nullptr);
        Contract contract;
        contract.sizes = {{0, 1, {4, 8, 16, 32}}};
        const Questioned kept = question(gates::shapes, task, twice, evenly, contract);
        QVERIFY2(kept.failure() == nullptr, kept.failureCode().c_str());
        QVERIFY(kept.result.exercised > 0);
        QCOMPARE(outsideOf(contract.sizes, {normal({3, 5})}),
                 std::string("dimension 1 of input 0 is 5, and the contract holds for 4, 8, 16, 32"));
        QCOMPARE(outsideOf(contract.sizes, {normal({3, 16})}), std::string());
    }

    /// Operands of 16 bits are granted where the inputs have 16 bits, and nowhere else.
    void roundedOperandsAreGrantedForShortInputs()
    {
        const auto rounded = [](double value) { return tensorOf({1}, {value}, DType::BFloat16).toDoubles()[0]; };
        const auto task = [](DType dtype) {
            Task made;
            made.inputs = {tensorOf({4, 64}, normal({4, 64}).toDoubles(), dtype)};
            return made;
        };
        const Operation squares = reduceRows([](auto row) {
            auto sum = row[0] * 0;
            for (const auto value : row)
                sum += (1 + value * value) * value;
            return sum;
        });
        const Operation rough = reduceRows([&](auto row) {
            auto sum = row[0] * 0;
            for (const auto value : row)
                sum += static_cast<decltype(sum)>(rounded(1 + static_cast<double>(value * value))) * value;
            return sum;
        });
        Contract contract;
        contract.operands = Contract::Operands::AsInputs;
        QVERIFY(question(gates::reductionOrder, task(DType::Float32), squares, rough, contract).failure() != nullptr);
        FakeReference right(task(DType::BFloat16), squares);
        FakeCandidate subject(rough);
        JudgeOptions options;
        options.kernelIdentity = "fake pair";
        for (const bool isGranted : {false, true}) {
            Session session(right, subject, isGranted ? contract : Contract(), options);
            QVERIFY(!session.open());
            QCOMPARE(session.roundoffOfOperands(session.working()), isGranted ? 0x1p-8 : 0.0);
        }
    }

    void aContractWithoutThemHasTheTextThatItHad()
    {
        QCOMPARE(canonicalText(Contract()).find("domains"), std::string::npos);
        QCOMPARE(canonicalText(Contract()).find("sizes"), std::string::npos);
        QCOMPARE(canonicalText(Contract()).find("operands"), std::string::npos);
        Contract contract = fromZeroOn();
        contract.domains.push_back({2, -1.5, 1.0, 0.5});
        contract.sizes = {{1, 3, {64, 128}}};
        contract.operands = Contract::Operands::AsInputs;
        const std::string text = canonicalText(contract);
        for (const char* part : {R"("domains":[{"input":0,"low":0},{"high":1,"input":2,"low":-1.5,"row_norm":0.5}])",
                                 R"("sizes":[{"allowed":[64,128],"dimension":3,"input":1}])", R"("operands":"as-inputs")"})
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }
};

QTEST_APPLESS_MAIN(InputDomainTest)
#include "tst_input_domain.moc"
