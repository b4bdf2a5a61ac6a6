// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/reason_parser.h"

#include "core/ingest/finding.h"

#include <QtTest>

#include <cmath>

using namespace assay;
using namespace assay::ingest;
using contract::Gate;
using tensor::ValueClass;

namespace {

constexpr std::int64_t kElements = 64 * 128;

std::string code(const std::vector<ReasonFact>& facts, std::size_t i)
{
    return std::string(facts.at(i).code);
}

std::string finding(Gate gate, std::string_view reason)
{
    return gateFinding(gate, parseReason(reason, gate, kElements));
}

} // namespace

class ReasonParserTest : public QObject {
    Q_OBJECT

private slots:
    void anEmptyReasonHasNoFacts();
    void aScaledErrorGivesErrorToleranceAndShareOfTheScale();
    void severalChecksAreSeparateFacts();
    void aSemicolonInsideAMessageIsNoNewCheck();
    void everyFormHasItsCode_data();
    void everyFormHasItsCode();
    void theScaleIsOnlyReadWhereTheGateScales_data();
    void theScaleIsOnlyReadWhereTheGateScales();
    void theFurthestBeyondItsToleranceLeads();
    void findingsSayWhatTheRecordSays_data();
    void findingsSayWhatTheRecordSays();
    void shortNumbersHaveTwoDigits();
};

void ReasonParserTest::anEmptyReasonHasNoFacts()
{
    QVERIFY(parseReason("", Gate::Cmp01, kElements).empty());
}

void ReasonParserTest::aScaledErrorGivesErrorToleranceAndShareOfTheScale()
{
    const auto facts = parseReason("random[0]: max_err=1.121e+22 > atol=6.053e+21 (scaled)", Gate::Cmp01, kElements);
    QCOMPARE(facts.size(), std::size_t{1});
    QCOMPARE(code(facts, 0), std::string("value"));
    QCOMPARE(std::string(facts[0].stimulus), std::string("random[0]"));
    QCOMPARE(facts[0].value.value, 1.121e22);
    QCOMPARE(facts[0].threshold.value, 6.053e21);
    QCOMPARE(shortNumber(facts[0].relative.value), std::string("8.0e-5"));
}

void ReasonParserTest::severalChecksAreSeparateFacts()
{
    const auto facts = parseReason("scattered_nan: NaN mask mismatch; scattered_pos_inf: +Inf mask mismatch (sign flip?); "
                                   "scattered_neg_inf: -Inf mask mismatch (sign flip?)",
                                   Gate::Exc01, kElements);
    QCOMPARE(facts.size(), std::size_t{3});
    QCOMPARE(code(facts, 0), std::string("nan_mask"));
    QCOMPARE(code(facts, 1), std::string("pos_inf_mask"));
    QCOMPARE(code(facts, 2), std::string("neg_inf_mask"));
    QCOMPARE(std::string(facts[2].stimulus), std::string("scattered_neg_inf"));
}

void ReasonParserTest::aSemicolonInsideAMessageIsNoNewCheck()
{
    const auto facts = parseReason("torch.float16: exception \u2014 at 3:4:\n    x = f(y)  # a; b: c\n; masked lanes get 0; "
                                   "torch.bfloat16: max_err=2.000e+00 > atol=1.000e-02",
                                   Gate::Prc01, kElements);
    QCOMPARE(facts.size(), std::size_t{2});
    QCOMPARE(code(facts, 0), std::string("exception"));
    QVERIFY(facts[0].detail.ends_with("masked lanes get 0"));
    QCOMPARE(facts[1].value.value, 2.0);
}

void ReasonParserTest::everyFormHasItsCode_data()
{
    QTest::addColumn<int>("gate");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("stimulus");
    const auto row = [](const char* name, Gate gate, const char* reason, const char* expected, const char* stimulus) {
        QTest::newRow(name) << static_cast<int>(gate) << QString::fromUtf8(reason) << QString::fromUtf8(expected)
                            << QString::fromUtf8(stimulus);
    };
    row("nan error", Gate::Cmp01, "large_1e6: max_err=nan > atol=4.308e-05 (scaled)", "value", "large_1e6");
    row("shape", Gate::Cmp01, "random[3]: shape mismatch torch.Size([64, 1]) vs torch.Size([64])", "shape", "random[3]");
    row("output shape", Gate::Cmp03, "shape=(2, 4): output shape mismatch torch.Size([2]) vs torch.Size([])", "shape",
        "shape=(2, 4)");
    row("bare shape", Gate::Ord01, "shape mismatch torch.Size([2]) vs torch.Size([])", "shape", "");
    row("exception", Gate::Cmp01, "long_seq: exception \u2014 Expected C=4, got 16", "exception", "long_seq");
    row("during execution", Gate::Prc02, "exception during execution: This kernel supports float32: no", "exception", "");
    row("during run", Gate::Ord02, "exception during run: bad", "exception", "");
    row("reference", Gate::Cmp03, "shape=(2,): exception \u2014 [ref-inapplicable] RuntimeError: sizes", "reference_exception",
        "shape=(2,)");
    row("marked reference", Gate::Cmp03, "shape=(2,): exception \u2014 [ref-inapplicable::fmr-ri-9e37] RuntimeError: x",
        "reference_exception", "shape=(2,)");
    row("assert", Gate::Cmp03, "shape=(2, 4): exception \u2014 Triton Error [CUDA]: device-side assert triggered", "cuda_error",
        "shape=(2, 4)");
    row("crash", Gate::Ord01, "gate crashed: AcceleratorError: CUDA error: misaligned address\nSearch for x", "cuda_error", "");
    row("harness", Gate::Exc01, "gate crashed: RuntimeError: isposinf does not support complex inputs.", "harness_crash", "");
    row("memory", Gate::Cmp03, "gate crashed: OutOfMemoryError: CUDA out of memory. Tried", "out_of_memory", "");
    row("runs", Gate::Ord02, "run 0 and run 1 differ (non-deterministic)", "differs_between_runs", "");
    row("flush", Gate::Exc02, "flush-to-zero behaviour disagrees with reference", "flush", "");
    row("subnormal", Gate::Exc02, "subnormal non-zero values disagree: max_err=1.2e-03", "subnormal_value", "");
    row("device", Gate::Res01, "input device=cpu \u2192 output device=cuda", "device", "device move");
    row("order", Gate::Ord03, "not within atol=1.0e-03/rtol=1.0e-03: max_err=2.0e+00 (reduction order differs)", "value", "");
    row("accumulator", Gate::Prc02, "max_err=1.000e+00 exceeds atol=2.000e-02 + rtol=0.0*|ref| \u2014 likely", "value", "");
    row("unknown", Gate::Cmp01, "something new", "unparsed", "");
}

void ReasonParserTest::everyFormHasItsCode()
{
    QFETCH(int, gate);
    QFETCH(QString, reason);
    QFETCH(QString, code);
    QFETCH(QString, stimulus);
    const std::string text = reason.toStdString();
    const auto facts = parseReason(text, static_cast<Gate>(gate), kElements);
    QCOMPARE(facts.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(std::string(facts[0].code)), code);
    QCOMPARE(QString::fromStdString(std::string(facts[0].stimulus)), stimulus);
}

void ReasonParserTest::theScaleIsOnlyReadWhereTheGateScales_data()
{
    QTest::addColumn<int>("gate");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<double>("relative"); // NaN: absent
    const double rounding = 4 * 1.19e-7 * std::sqrt(static_cast<double>(kElements));
    const auto row = [](Gate gate, const QString& reason, double relative) {
        QTest::newRow(qPrintable(reason)) << static_cast<int>(gate) << reason << relative;
    };
    row(Gate::Cmp01, QStringLiteral("zeros: max_err=1.0 > atol=0.1 (scaled)"), rounding / 0.1);
    row(Gate::Cmp03, QStringLiteral("shape=(4, 8): max_err=1.0 > atol=0.1"), rounding / 0.1);
    row(Gate::Ord01, QStringLiteral("max_err=1.0 > atol=0.1"), rounding / 0.1);
    row(Gate::Prc02, QStringLiteral("max_err=1.0 exceeds atol=0.2 + rtol=0.0*|ref|"), 0.1);
    row(Gate::Prc01, QStringLiteral("torch.float16: max_err=1.0 > atol=0.1"), 0.01);
    row(Gate::Prc01, QStringLiteral("torch.bfloat16: max_err=1.0 > atol=0.1"), 0.1);
    row(Gate::Ord03, QStringLiteral("not within atol=1.0e-03/rtol=1.0e-03: max_err=1.0"), std::nan(""));
    row(Gate::Exc02, QStringLiteral("subnormal non-zero values disagree: max_err=1.0"), std::nan(""));
    // A printed tolerance rounded down never makes the scale smaller than its definition allows.
    row(Gate::Prc02, QStringLiteral("max_err=1.0 exceeds atol=1.999e-02 + rtol=0.0*|ref|"), 1.0);
}

void ReasonParserTest::theScaleIsOnlyReadWhereTheGateScales()
{
    QFETCH(int, gate);
    QFETCH(QString, reason);
    QFETCH(double, relative);
    const std::string text = reason.toStdString();
    const auto facts = parseReason(text, static_cast<Gate>(gate), kElements);
    QCOMPARE(facts.size(), std::size_t{1});
    QCOMPARE(facts[0].relative.isPresent(), !std::isnan(relative));
    if (facts[0].relative.isPresent())
        QVERIFY(std::abs(facts[0].relative.value / relative - 1) < 1e-12);
    QVERIFY(facts[0].value.isFinite());
    const auto unknownShape = parseReason(text, static_cast<Gate>(gate), 0);
    const bool needsShape = static_cast<Gate>(gate) == Gate::Cmp01 || static_cast<Gate>(gate) == Gate::Cmp03
        || static_cast<Gate>(gate) == Gate::Ord01;
    QCOMPARE(unknownShape[0].relative.isPresent(), facts[0].relative.isPresent() && !needsShape);
}

void ReasonParserTest::theFurthestBeyondItsToleranceLeads()
{
    const std::string_view worse = "random[0]: max_err=1.0 > atol=0.5 (scaled); zeros: max_err=0.9 > atol=0.1 (scaled)";
    QCOMPARE(std::string(leadingFact(parseReason(worse, Gate::Cmp01, kElements)).stimulus), std::string("zeros"));
    const std::string_view infinite = "random[0]: max_err=1e300 > atol=1e-5 (scaled); zeros: max_err=inf > atol=0.1 (scaled)";
    QCOMPARE(std::string(leadingFact(parseReason(infinite, Gate::Cmp01, kElements)).stimulus), std::string("zeros"));
    const std::string_view nan = "random[0]: max_err=inf > atol=1e-5 (scaled); zeros: max_err=nan > atol=0.1 (scaled)";
    QCOMPARE(std::string(leadingFact(parseReason(nan, Gate::Cmp01, kElements)).stimulus), std::string("zeros"));
    const std::string_view masks = "scattered_nan: NaN mask mismatch; scattered_pos_inf: NaN mask mismatch";
    QCOMPARE(std::string(leadingFact(parseReason(masks, Gate::Exc01, kElements)).stimulus), std::string("scattered_nan"));
}

void ReasonParserTest::findingsSayWhatTheRecordSays_data()
{
    QTest::addColumn<int>("gate");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<QString>("sentence");
    const auto row = [](Gate gate, const char* reason, const char* sentence) {
        QTest::newRow(sentence) << static_cast<int>(gate) << QString::fromUtf8(reason) << QString::fromUtf8(sentence);
    };
    row(Gate::Cmp01, "random[0]: max_err=1.121e+22 > atol=6.053e+21 (scaled)",
        "CMP-01: off by 1.1e+22 on random[0], 8.0e-5 of the output's scale, 1.9 times the allowed 6.1e+21.");
    row(Gate::Exc01, "scattered_nan: NaN mask mismatch; scattered_pos_inf: NaN mask mismatch",
        "EXC-01: NaN stands in other places of the output than in the reference's with NaN injected into the input; 1 more check "
        "reported.");
    row(Gate::Ord01, "max_err=nan > atol=8.442e-04", "ORD-01: the largest difference is NaN where 8.4e-4 is allowed.");
    row(Gate::Prc02, "max_err=inf exceeds atol=2.810e+24 + rtol=0.0*|ref| \u2014 likely missing FP32 accumulator",
        "PRC-02: the largest difference is infinite where 2.8e+24 is allowed.");
    row(Gate::Cmp01, "random[0]: shape mismatch torch.Size([64, 1]) vs torch.Size([64])",
        "CMP-01: the output's shape differs on random[0]: [64, 1] against [64].");
    row(Gate::Exc01, "scattered_nan: shape mismatch", "EXC-01: the output's shape differs on scattered_nan.");
    row(Gate::Cmp03, "shape=(64, 256): exception \u2014 Expected in_features=4, got 8\nmore",
        "CMP-03: raises on shape=(64, 256): Expected in_features=4, got 8.");
    row(Gate::Ord02, "run 0 and run 1 differ (non-deterministic)", "ORD-02: run 0 and run 1 differ (non-deterministic).");
    row(Gate::Ord01, "gate crashed: AcceleratorError: CUDA error: misaligned address\nSearch",
        "ORD-01: CUDA error: misaligned address.");
    row(Gate::Cmp01, "something new", "CMP-01: something new.");
}

void ReasonParserTest::findingsSayWhatTheRecordSays()
{
    QFETCH(int, gate);
    QFETCH(QString, reason);
    QFETCH(QString, sentence);
    QCOMPARE(QString::fromStdString(finding(static_cast<Gate>(gate), reason.toStdString())), sentence);
}

void ReasonParserTest::shortNumbersHaveTwoDigits()
{
    QCOMPARE(shortNumber(0), std::string("0"));
    QCOMPARE(shortNumber(0.2974), std::string("0.30"));
    QCOMPARE(shortNumber(1.852), std::string("1.9"));
    QCOMPARE(shortNumber(36.2), std::string("36"));
    QCOMPARE(shortNumber(746.5), std::string("746"));
    QCOMPARE(shortNumber(8.0e-5), std::string("8.0e-5"));
    QCOMPARE(shortNumber(1.2e-39), std::string("1.2e-39"));
    QCOMPARE(shortNumber(1.121e22), std::string("1.1e+22"));
    QCOMPARE(shortNumber(-0.0123), std::string("-0.012"));
    QCOMPARE(shortNumber(std::nan("")), std::string("NaN"));
    QCOMPARE(shortNumber(-HUGE_VAL), std::string("-inf"));
}

QTEST_APPLESS_MAIN(ReasonParserTest)
#include "tst_reason_parser.moc"
