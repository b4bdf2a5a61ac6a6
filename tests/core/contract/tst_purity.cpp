// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "core/contract/judge.h"
#include "tests/core/contract/questioned.h"

#include <QtTest>

#include <cmath>
#include <map>
#include <memory>

using namespace assay::contract;
using namespace assay::test;

namespace {

constexpr std::size_t kColumns = 32;

Task weighted()
{
    Task task;
    task.inputs = {normal({16, static_cast<std::int64_t>(kColumns)})};
    task.state = {parameter("weight", normal({static_cast<std::int64_t>(kColumns)}, 5))};
    return task;
}

/// x * w. @param wrongBelow  in so many columns it takes the next column's x
Operation scaled(std::size_t wrongBelow = 0)
{
    return operation([wrongBelow](auto& given) {
        auto out = given.inputs[0];
        const auto x = out.values;
        const auto& weight = given.state.at("weight").values;
        for (std::size_t i = 0; i < out.values.size(); ++i) {
            const std::size_t from = i % kColumns < wrongBelow ? (i + 1) % x.size() : i;
            out.values[i] = x[from] * weight[i % kColumns];
        }
        return std::vector{out};
    });
}

/// Answers with the weights that it saw first. @param columns  in so many columns
Operation remembering(std::size_t columns)
{
    Operation made = scaled();
    const auto seen = std::make_shared<std::map<std::string, Array<float>>>();
    made.single = [seen, columns, follow = scaled().single](Arguments<float>& given) {
        if (seen->empty())
            *seen = given.state;
        auto fresh = follow(given);
        Arguments<float> old{given.inputs, *seen};
        const auto stale = follow(old);
        for (std::size_t i = 0; i < fresh[0].values.size(); ++i) {
            if (i % kColumns < columns)
                fresh[0].values[i] = stale[0].values[i];
        }
        return fresh;
    };
    return made;
}

bool isCalledStale(const Operation& candidate)
{
    const Task task = weighted();
    const Questioned asked = question(gates::determinism, task, scaled(), candidate, {}, task.state);
    return std::ranges::any_of(asked.result.checks, [](const CheckResult& check) {
        return check.code == "ORD-02.stale_weights" && check.verdict == Verdict::Fail;
    });
}

} // namespace

class PurityTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void weightsThatAreFollowedAreNotStale() { QVERIFY(!isCalledStale(scaled())); }
    void rememberedWeightsAreStale() { QVERIFY(isCalledStale(remembering(kColumns))); }
    void someRememberedWeightsAreStale() { QVERIFY(isCalledStale(remembering(3))); }
    void aKernelThatIsWrongElsewhereIsNotStale()
    {
        QVERIFY(!isCalledStale(scaled(2)));
        QVERIFY(!isCalledStale(scaled(kColumns)));
    }
};

QTEST_APPLESS_MAIN(PurityTest)
#include "tst_purity.moc"
