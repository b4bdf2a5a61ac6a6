// SPDX-License-Identifier: Apache-2.0
#include "core/contract/stimulus_hash.h"
#include "core/contract/stimulus_maker.h"
#include "tests/core/contract/fake_party.h"

#include <QtTest>

#include <set>

using namespace assay::contract;
using namespace assay::test;
using assay::tensor::DType;

namespace {

constexpr std::array kRegimes = {Regime::Normal,    Regime::Negative, Regime::Uniform,      Regime::Small,     Regime::Wide,
                                 Regime::Lognormal, Regime::OneHot,   Regime::Outliers,     Regime::LastSpike, Regime::Shifted,
                                 Regime::ZeroRows,  Regime::Ties,     Regime::ConstantRows, Regime::Magnitudes};

std::vector<HostTensor> natives()
{
    std::vector<double> mask(24, 0);
    for (std::size_t i = 0; i < mask.size(); i += 2)
        mask[i] = 1;
    return {normal({4, 6}), tensorOf({4, 6}, mask), tensorOf({3}, {4, 1, 9}, DType::Int64)};
}

Recipe recipe(Regime regime, int draw = 0)
{
    return {regime, draw, -1, Layout::Contiguous, "CMP-01", "value"};
}

StimulusPtr made(const Recipe& recipe, std::uint64_t seed = 3, const std::string& kernel = "kernel")
{
    return StimulusMaker(seed, kernel).make(recipe, describe(natives()), natives());
}

} // namespace

class StimulusMakerTest : public QObject {
    Q_OBJECT

private slots:
    void equalSeedsReplayByteForByte();
    void aPinnedStimulusKeepsItsHash();
    void everyNameOfAStreamCounts();
    void regimesHoldWhatTheyPromise();
    void masksKeepTheirAlphabetAndGetRowsOfZeros();
    void integersStayNative();
    void oneInputMayBeSingledOut();
    void layoutsKeepTheValues();
    void vectorsAreStridedToo();
    void replacingALeafLeavesTheBaseAlone();
    void theLargestInputIgnoresWhatIsNotFinite();
    void theRecipeIsCanonical();
};

void StimulusMakerTest::equalSeedsReplayByteForByte()
{
    for (const Regime regime : kRegimes) {
        const StimulusPtr first = made(recipe(regime));
        const StimulusPtr second = made(recipe(regime));
        QCOMPARE(stimulusHash(*first), stimulusHash(*second));
        QCOMPARE(first->label, second->label);
    }
}

void StimulusMakerTest::aPinnedStimulusKeepsItsHash()
{
    // Replay across machines and versions: whoever changes what a recipe makes, changes what stored failures mean.
    const std::string hashes
        = stimulusHash(*made(recipe(Regime::Normal))) + " " + stimulusHash(*made(recipe(Regime::Magnitudes)));
    const std::string pinned = "93a62d73c3fc6d3479bceefaa69a579f6993b357d3e2e21840c55f31731cca9d "
                               "153b44d2c4a10c77a3456d8111ee9dae036891fcc3de229808b7bf4d97eb4d7b";
    QVERIFY2(hashes == pinned, hashes.c_str());
}

void StimulusMakerTest::everyNameOfAStreamCounts()
{
    Recipe otherGate = recipe(Regime::Normal);
    otherGate.gate = "EXC-01";
    Recipe otherCheck = recipe(Regime::Normal);
    otherCheck.check = "layout";
    const std::set<std::string> hashes = {stimulusHash(*made(recipe(Regime::Normal))),
                                          stimulusHash(*made(recipe(Regime::Normal), 4)),
                                          stimulusHash(*made(recipe(Regime::Normal), 3, "other")),
                                          stimulusHash(*made(recipe(Regime::Normal, 1))),
                                          stimulusHash(*made(otherGate)),
                                          stimulusHash(*made(otherCheck))};
    QCOMPARE(hashes.size(), std::size_t{6});
}

void StimulusMakerTest::regimesHoldWhatTheyPromise()
{
    const auto values = [](Regime regime) { return made(recipe(regime))->leaves[0].toDoubles(); };
    QVERIFY(std::ranges::all_of(values(Regime::Negative), [](double v) { return v <= -0.125; }));
    QVERIFY(std::ranges::all_of(values(Regime::Uniform), [](double v) { return v >= 0 && v < 1; }));
    QVERIFY(std::ranges::all_of(values(Regime::Ties), [](double v) { return v == 0 || v == 1 || v == 2 || v == 3; }));
    QVERIFY(
        std::ranges::all_of(values(Regime::Magnitudes), [](double v) { return std::abs(v) <= 1e4 && std::abs(v) >= 0.99e-4; }));
    const std::vector<double> spikes = values(Regime::LastSpike);
    const std::vector<double> zeroRows = values(Regime::ZeroRows);
    const std::vector<double> hot = values(Regime::OneHot);
    const std::vector<double> constant = values(Regime::ConstantRows);
    for (std::size_t row = 0; row < 4; ++row) {
        QCOMPARE(spikes[6 * row + 5], 100.0);
        const bool zero = std::all_of(zeroRows.begin() + static_cast<int>(6 * row),
                                      zeroRows.begin() + static_cast<int>(6 * row + 6), [](double v) { return v == 0; });
        QCOMPARE(zero, row != 1);
        QCOMPARE(std::count(hot.begin() + static_cast<int>(6 * row), hot.begin() + static_cast<int>(6 * row + 6), 1.0), 1);
        QCOMPARE(constant[6 * row + 5], constant[6 * row]);
    }
}

void StimulusMakerTest::masksKeepTheirAlphabetAndGetRowsOfZeros()
{
    for (const Regime regime : kRegimes) {
        for (const int draw : {0, 1}) {
            const std::vector<double> mask = made(recipe(regime, draw))->leaves[1].toDoubles();
            QVERIFY(std::ranges::all_of(mask, [](double v) { return v == 0 || v == 1; }));
        }
    }
    const std::vector<double> mask = made(recipe(Regime::ZeroRows))->leaves[1].toDoubles();
    QCOMPARE(std::count(mask.begin(), mask.begin() + 6, 0.0), 6);
    QVERIFY(std::count(mask.begin() + 6, mask.begin() + 12, 1.0) > 0);
}

void StimulusMakerTest::integersStayNative()
{
    for (const Regime regime : kRegimes)
        QCOMPARE(made(recipe(regime))->leaves[2].toDoubles(), (std::vector<double>{4, 1, 9}));
}

void StimulusMakerTest::oneInputMayBeSingledOut()
{
    const std::vector<HostTensor> leaves = {normal({4, 6}), normal({4, 6}, 2)};
    Recipe zeros = recipe(Regime::Zeros);
    zeros.onlyInput = 1;
    const StimulusPtr stimulus = StimulusMaker(3, "kernel").make(zeros, describe(leaves), leaves);
    QVERIFY(std::ranges::any_of(stimulus->leaves[0].toDoubles(), [](double v) { return v != 0; }));
    QVERIFY(std::ranges::all_of(stimulus->leaves[1].toDoubles(), [](double v) { return v == 0; }));
    QVERIFY(stimulus->label.find("input 1") != std::string::npos);
}

/// A vector, however many dimensions of one element stand around it, has gaps between its elements in every view.
void StimulusMakerTest::vectorsAreStridedToo()
{
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{6}, {1, 6}, {6, 1}, {1, 6, 1}}) {
        const HostTensor value = tensorOf(shape, {1, 2, 3, 4, 5, 6});
        for (const Layout layout : {Layout::Transposed, Layout::Sliced}) {
            const HostTensor view = withLayout(value, layout);
            QVERIFY(!view.isContiguous());
            QCOMPARE(view.toDoubles(), value.toDoubles());
        }
        QCOMPARE(withLayout(value, Layout::Expanded).toDoubles(), std::vector<double>(6, 1.0));
    }
    QCOMPARE(withLayout(tensorOf({1, 1}, {7}), Layout::Sliced).toDoubles(), std::vector<double>{7});
    const HostTensor apart = tensorOf({2, 1, 3}, {1, 2, 3, 4, 5, 6});
    QVERIFY(!withLayout(apart, Layout::Transposed).isContiguous());
    QCOMPARE(withLayout(apart, Layout::Transposed).toDoubles(), apart.toDoubles());
}

void StimulusMakerTest::layoutsKeepTheValues()
{
    const HostTensor value = normal({3, 4, 5});
    for (const Layout layout : {Layout::Transposed, Layout::Sliced, Layout::Offset}) {
        const HostTensor view = withLayout(value, layout);
        QCOMPARE(view.shape(), value.shape());
        QCOMPARE(view.toDoubles(), value.toDoubles());
    }
    QVERIFY(!withLayout(value, Layout::Transposed).isContiguous());
    QVERIFY(!withLayout(value, Layout::Sliced).isContiguous());
    QCOMPARE(withLayout(value, Layout::Expanded).strides()[0], 0);
}

void StimulusMakerTest::replacingALeafLeavesTheBaseAlone()
{
    StimulusMaker maker(3, "kernel");
    const StimulusPtr base = maker.make(recipe(Regime::Normal), describe(natives()), natives());
    const std::string before = stimulusHash(*base);
    const StimulusPtr changed = maker.replaced(base, 0, HostTensor(DType::Float32, {4, 6}), "zeros instead");
    QCOMPARE(stimulusHash(*base), before);
    QVERIFY(stimulusHash(*changed) != before);
    QVERIFY(changed->id != base->id);
    QCOMPARE(changed->label, std::string("zeros instead"));
}

void StimulusMakerTest::theLargestInputIgnoresWhatIsNotFinite()
{
    StimulusMaker maker(3, "kernel");
    const StimulusPtr stimulus
        = maker.wrap({tensorOf({3}, {-5, 2, std::numeric_limits<double>::infinity()}), tensorOf({1}, {900}, DType::Int64)}, "");
    QCOMPARE(largestInput(*stimulus), 5.0);
}

void StimulusMakerTest::theRecipeIsCanonical()
{
    const std::string expected
        = R"x({"check":"value","draw":2,"gate":"CMP-01","inputs":[["float32",[4,6]],["float32",[4,6]],["int64",[3]]],)x"
          R"x("layout":"contiguous","only_input":-1,"regime":"N(0,1)"})x";
    QCOMPARE(recipeText(recipe(Regime::Normal, 2), describe(natives())), expected);
}

QTEST_GUILESS_MAIN(StimulusMakerTest)
#include "tst_stimulus_maker.moc"
