// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/claim_text.h"
#include "views/evidence/line_diff.h"
#include "views/evidence/measure_bar.h"
#include "views/evidence/measure_text.h"
#include "views/evidence/source_bundle.h"
#include "views/evidence/source_hints.h"
#include "views/theme/number_text.h"

#include <QRandomGenerator>
#include <QtTest>

#include <cmath>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

namespace {

/// "=1 -2 +3 ..." for short diffs.
QString script(const LineDiff& diff)
{
    QStringList parts;
    for (const DiffLine& line : diff.lines)
        parts << (line.kind == DiffKind::Same        ? u"="_s
                      : line.kind == DiffKind::Added ? u"+"_s
                                                     : u"-"_s)
                + QString::number((line.kind == DiffKind::Added ? line.right : line.left) + 1);
    return parts.join(u' ');
}

/// Length of the longest common subsequence, the slow and certain way.
int longestCommon(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b)
{
    std::vector<std::vector<int>> best(a.size() + 1, std::vector<int>(b.size() + 1, 0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j)
            best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
    }
    return best[a.size()][b.size()];
}

std::string randomText(QRandomGenerator& random, int lines)
{
    std::string text;
    for (int i = 0; i < lines; ++i)
        text += std::string(1, char('a' + random.bounded(4))) + "\n";
    return text;
}

} // namespace

class SourceTextTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void linesEndAtLfOrCrLf()
    {
        QCOMPARE(splitLines("").size(), std::size_t(0));
        QCOMPARE(splitLines("a").size(), std::size_t(1));
        QCOMPARE(splitLines("a\r\nb\n").size(), std::size_t(2));
        QCOMPARE(std::string(splitLines("a\r\nb\n")[0]), std::string("a"));
    }

    void whatDiffersIsRemovedThenAdded()
    {
        QCOMPARE(script(diffLines("a\nb\nc\n", "a\nx\nc\n")), u"=1 -2 +2 =3"_s);
        QCOMPARE(script(diffLines("", "a\n")), u"+1"_s);
        QCOMPARE(script(diffLines("a\nb\n", "")), u"-1 -2"_s);
        QCOMPARE(script(diffLines("a\nb\n", "a\nb\n")), u"=1 =2"_s);
        QCOMPARE(script(diffLines("a\r\n", "a\n")), u"=1"_s);
    }

    void theEditScriptIsTheShortestAndGivesBothTextsBack()
    {
        QRandomGenerator random(179);
        for (int round = 0; round < 200; ++round) {
            const std::string left = randomText(random, random.bounded(14));
            const std::string right = randomText(random, random.bounded(14));
            const LineDiff diff = diffLines(left, right);
            int nextLeft = 0;
            int nextRight = 0;
            int same = 0;
            for (const DiffLine& line : diff.lines) {
                if (line.kind != DiffKind::Added)
                    QCOMPARE(line.left, nextLeft++);
                if (line.kind != DiffKind::Removed)
                    QCOMPARE(line.right, nextRight++);
                if (line.kind == DiffKind::Same) {
                    QVERIFY(splitLines(left)[std::size_t(line.left)] == splitLines(right)[std::size_t(line.right)]);
                    ++same;
                }
            }
            QCOMPARE(nextLeft, int(splitLines(left).size()));
            QCOMPARE(nextRight, int(splitLines(right).size()));
            QCOMPARE(same, longestCommon(splitLines(left), splitLines(right)));
        }
    }

    void textsThatDifferTooMuchBecomeTwoBlocks()
    {
        std::string left;
        std::string right;
        for (int i = 0; i < 400; ++i) {
            left += "left " + std::to_string(i) + "\n";
            right += "right " + std::to_string(i) + "\n";
        }
        const LineDiff diff = diffLines("same\n" + left, "same\n" + right, {}, 50);
        QVERIFY(diff.coarse);
        QCOMPARE(diff.added, 400);
        QCOMPARE(diff.removed, 400);
        QCOMPARE(diff.lines.front().kind, DiffKind::Same);
    }

    void aDiffStopsWhenItIsNoLongerWanted()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN(diffLines("a\nb\n", "c\nd\n", stop.get_token()), Cancelled);
    }

    void mergedTextHoldsEveryLineOnce()
    {
        QCOMPARE(mergedText(diffLines("a\nb\n", "a\nc\n"), "a\nb\n", "a\nc\n"), std::string("a\nb\nc\n"));
    }

    void hintsPointAtSuspiciousLines_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<int>("line");
        const auto row = [](const char* name, const char* source, const char* rule, int line) {
            QTest::newRow(name) << QString::fromUtf8(source) << QString::fromLatin1(rule) << line;
        };
        row("zero feeds a maximum", "v = tl.load(p, mask=m, other=0.0)\nw = tl.max(v, axis=0)\n", "load-other-zero", 0);
        row("zero over several lines",
            "v = tl.load(\n    p, mask=m,\n    other=0.0)\nw = tl.maximum(a, v, propagate_nan=tl.PropagateNan.ALL)\n",
            "load-other-zero", 0);
        row("zero feeds a sum", "v = tl.load(p, mask=m, other=0.0)\nw = tl.sum(v, axis=0)\n", "", -1);
        row("minus infinity feeds a maximum", "v = tl.load(p, mask=m, other=-float('inf'))\nw = tl.max(v, axis=0)\n", "", -1);
        row("maximum drops NaN", "a = 1\nb = tl.maximum(a, 0.0)\n", "nan-dropped", 1);
        row("maximum keeps NaN", "b = tl.maximum(a, 0.0, propagate_nan=tl.PropagateNan.ALL)\n", "", -1);
        row("dot in TF32", "c = tl.dot(a, b)\n", "tf32", 0);
        row("dot says its precision", "c = tl.dot(a, b, input_precision='ieee')\n", "", -1);
        row("dot refuses TF32", "c = tl.dot(a, b, allow_tf32=False)\n", "", -1);
        row("atomic in Triton", "\n\ntl.atomic_add(p, v)\n", "atomic", 2);
        row("atomic in CUDA", "__global__ void k(float* p) {\n    atomicAdd(p, 1.0f);\n}\n", "atomic", 1);
        row("fast exponential", "y = __expf(x);\n", "fast-math", 0);
        row("fast-math flag", "flags = ['--use_fast_math']\n", "fast-math", 0);
        row("half accumulator", "acc = tl.zeros((B,), dtype=tl.float16)\n", "half-accumulator", 0);
        row("float accumulator", "acc = tl.zeros((B,), dtype=tl.float32)\n", "", -1);
        row("rounded to half", "x = x.half()\n", "half-precision", 0);
        row("a size in the code", "assert x.shape[1] == 128\n", "hard-coded-size", 0);
        row("a rank in the code", "assert x.shape[0] == 1\n", "", -1);
        row("fallback", "try:\n    run()\nexcept Exception:\n    y = ref(x)\n", "fallback", 2);
        row("library in forward", "class M:\n    def forward(self, x):\n        return torch.softmax(x, -1)\n", "library-call",
            2);
        row("library outside forward", "def helper(x):\n    return torch.softmax(x, -1)\n", "", -1);
        row("in a comment", "# tl.atomic_add(p, v)\n", "", -1);
        row("in a C++ comment", "int a; // atomicAdd\n/* atomicAdd */\n", "", -1);
        row("in a doc string", "def f():\n    \"\"\"\n    uses tl.atomic_add\n    \"\"\"\n    return 1\n", "", -1);
        row("CUDA in a string", "src = \"\"\"\natomicAdd(p, v);\n\"\"\"\n", "atomic", 1);
        row("Python division is no comment", "n = a // 2 + tl.atomic_add(p, v)\n", "atomic", 0);
        row("a comparison drops NaN", "y = tl.where(x > 0, x, 0.0)\n", "nan-compared", 0);
        row("a mask is no comparison of values", "y = tl.where(offsets < n, x, 0.0)\n", "", -1);
        row("another library's name", "x = mytl.atomic_add(p)\n", "", -1);
    }

    void hintsPointAtSuspiciousLines()
    {
        QFETCH(QString, source);
        QFETCH(QString, rule);
        QFETCH(int, line);
        const std::vector<SourceHint> hints = sourceHints(source.toStdString());
        if (rule.isEmpty()) {
            QVERIFY2(hints.empty(), hints.empty() ? "" : hints.front().rule.c_str());
            return;
        }
        QCOMPARE(hints.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(hints.front().rule), rule);
        QCOMPARE(hints.front().line, line);
        QVERIFY(!hints.front().reason.empty());
    }

    void theLastLineOfAMegabyteIsLookedAtToo()
    {
        std::string source = "@triton.jit\ndef kernel(x):\n";
        int lines = 2;
        for (; source.size() < 1'000'000; ++lines)
            source += "    value = tl.load(x + offsets, mask=offsets < n)\n";
        source += "    largest = tl.maximum(value, other)\n";
        const auto hints = sourceHints(source);
        QVERIFY(!hints.empty());
        QCOMPARE(hints.back().line, lines); // counted from zero
    }

    void anErrorIsToldInProportion()
    {
        const auto m = [](double v) { return tensor::measured(v); };
        QCOMPARE(measure_text::proportion(m(1.121e22), m(6.053e21), m(8.007e-5)),
                 u"1.1e+22, that is 8.0e-5 of the output's scale, 1.9\u00d7 the allowed 6.1e+21"_s);
        QCOMPARE(measure_text::proportion(m(INFINITY), m(2.81e24), {}), u"+Inf, allowed 2.8e+24"_s);
        QCOMPARE(measure_text::proportion(m(std::nan("")), {}, {}), u"NaN"_s);
        QCOMPARE(measure_text::proportion(m(0.5), {}, {}), u"0.5, output's scale not recorded"_s);
        QCOMPARE(measure_text::proportion({}, m(1), {}), u"no number was recorded"_s);
        QCOMPARE(number_text::exact(m(1.121e22)), u"1.121e+22"_s);
    }

    void aBarKeepsItsThresholdInTheMiddle()
    {
        const auto scale = measureScale(tensor::measured(1e-3), tensor::measured(1e-5));
        QVERIFY(scale);
        QCOMPARE(scale->threshold, 0.5);
        QCOMPARE(scale->value, 0.5 + 2.0 / 6.0);
        QCOMPARE(measureScale(tensor::measured(1e300), tensor::measured(1e-300))->value, 1.0);
        QCOMPARE(measureScale(tensor::measured(0.0), tensor::measured(1.0))->value, 0.0);
        QVERIFY(!measureScale(tensor::measured(INFINITY), tensor::measured(1.0)));
        QVERIFY(!measureScale(tensor::measured(1.0), {}));
    }

    void aClaimIsIndentedWithoutTouchingItsTokens()
    {
        QCOMPARE(prettyJson("{\"a\":2.080,\"b\":[\"x, {y}\",1e400],\"c\":{}}"),
                 u"{\n  \"a\": 2.080,\n  \"b\": [\n    \"x, {y}\",\n    1e400\n  ],\n  \"c\": {}\n}"_s);
        QCOMPARE(prettyJson("plain words"), u"plain words"_s);
        QCOMPARE(prettyJson("{\"a\":\"q\\\"}\"}"), u"{\n  \"a\": \"q\\\"}\"\n}"_s);
    }

    void sourcesAreMadeFitForAnEditor()
    {
        const SourceText bad = sourceText("a\xff\n", "python", "");
        QVERIFY(bad.remark.contains(u"not valid UTF-8"_s));
        const SourceText large = sourceText(std::string(600'000, 'x'), "python", "");
        QVERIFY(large.language.isEmpty());
        QVERIFY(large.remark.contains(u"without colours"_s));
        QVERIFY(large.text.size() < 21'000);
        QCOMPARE(sourceText("import torch\nsrc='''__global__ void k(){}'''", "cuda", "").language, u"python"_s);
        QCOMPARE(sourceText("#include <cuda.h>\n__global__ void k(){}\n", "cuda", "").language, u"cpp"_s);
    }
};

QTEST_MAIN(SourceTextTest)
#include "tst_source_text.moc"
