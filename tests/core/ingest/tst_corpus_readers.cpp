// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/chat_code.h"
#include "core/ingest/csv_reader.h"
#include "core/ingest/json_elements.h"
#include "core/ingest/kernel_claim.h"
#include "core/ingest/record_order.h"
#include "core/text/error.h"

#include <QtTest>

#include <algorithm>
#include <cstring>

using namespace assay;
using namespace assay::ingest;

namespace {

/// @p text in pieces of @p piece bytes, as a slow pipe gives it.
ReadBytes inPieces(const std::string& text, std::size_t piece)
{
    return [text, piece, at = std::size_t{0}](char* out, std::size_t capacity) mutable {
        const std::size_t count = std::min({piece, capacity, text.size() - at});
        std::memcpy(out, text.data() + at, count);
        at += count;
        return count;
    };
}

struct Walked {
    std::vector<JsonElement> elements;
    std::vector<std::string> context;
    std::optional<JsonBreak> broken;
};

Walked walk(const std::string& text, std::size_t piece = 7)
{
    Walked walked;
    JsonElementWalk::Callbacks callbacks;
    callbacks.entersKey = [](std::string_view key) { return key == "search" || key == "kernels"; };
    callbacks.element = [&walked](JsonElement&& element) { walked.elements.push_back(std::move(element)); };
    callbacks.context = [&walked](std::string_view pointer, std::string_view value) {
        walked.context.push_back(std::string(pointer) + "=" + std::string(value));
    };
    walked.broken = JsonElementWalk(inPieces(text, piece), 0, callbacks).run();
    return walked;
}

std::vector<CsvRecord> records(const std::string& text, std::size_t limit = CsvReader::kMaxRecordBytes, std::size_t piece = 5)
{
    CsvReader reader(inPieces(text, piece), 0, limit);
    std::vector<CsvRecord> all;
    CsvRecord record;
    while (reader.next(record))
        all.push_back(record);
    return all;
}

std::vector<OrderedRecord> unnamed(std::initializer_list<long> numbers)
{
    std::vector<OrderedRecord> all;
    for (const long number : numbers)
        all.push_back({number, "", std::nullopt});
    return all;
}

} // namespace

class CorpusReadersTest : public QObject {
    Q_OBJECT

private slots:
    void elementsOfAnArrayComeVerbatimWithTheirBytes();
    void arraysInsideNamedMembersAreFound();
    void bracketsInStringsAreText();
    void aFileThatEndsInAStringKeepsWholeElements();
    void whatIsNoDocumentSaysWhere_data();
    void whatIsNoDocumentSaysWhere();

    void quotedFieldsKeepLineBreaksAndQuotes();
    void mixedLineEndsMakeOneRecordEach();
    void aQuoteThatIsNotClosedRejectsItsLineOnly();
    void aQuoteThatSwallowsQuotedRecordsRejectsItsLineOnly();
    void aFieldThatGrowsPastTheLimitRejectsItsLineOnly();
    void aRecordOfAnotherWidthIsRejectedWhole();
    void aQuoteInsideAnUnquotedFieldIsACharacter();

    void theFenceMarkedAsKernelWins();
    void theLastFenceIsTheCodeOtherwise();
    void aTritonElementIsTheCode();
    void turnsAreChosen();
    void aTurnThatIsNoTurnIsRefused();

    void asManyKernelsAsRecordsAreMatchedInOrder();
    void namedRecordsAreFixedPoints();
    void anUnequalGapStaysUnmatched();
    void aRunMayEndBeforeItsLastKernelIsJudged();
    void runsAreOrderedByTimeAndNotByNumber();

    void sentinelsAreNoNumbers();
    void anErrorAboutNoneIsAGenerationFailure();
    void levelsAndProblemsAreReadFromPaths();
};

void CorpusReadersTest::elementsOfAnArrayComeVerbatimWithTheirBytes()
{
    const std::string text = " [ {\"a\":1.50},\n {\"b\":[1, 2]} ,3]\n";
    const Walked walked = walk(text);
    QVERIFY(!walked.broken);
    QCOMPARE(walked.elements.size(), std::size_t{3});
    QCOMPARE(walked.elements[0].text, std::string("{\"a\":1.50}"));
    QCOMPARE(walked.elements[1].text, std::string("{\"b\":[1, 2]}"));
    QCOMPARE(walked.elements[1].byte, static_cast<std::int64_t>(text.find("{\"b\"")));
    QCOMPARE(walked.elements[1].pointer, std::string("/1"));
}

void CorpusReadersTest::arraysInsideNamedMembersAreFound()
{
    const Walked walked = walk(R"({"gpu": "X", "search": {"kernels": [{"k":1}, {"k":2}], "ideas": [{"i":1}]}})");
    QCOMPARE(walked.elements.size(), std::size_t{2});
    QCOMPARE(walked.elements[1].pointer, std::string("/search/kernels/1"));
    QCOMPARE(walked.context, (std::vector<std::string>{"/gpu=\"X\"", "/search/ideas=[{\"i\":1}]"}));
}

void CorpusReadersTest::bracketsInStringsAreText()
{
    const Walked walked = walk(R"([{"a":"]}\\\"{["},{"b":"\\"}])", 1);
    QVERIFY(!walked.broken);
    QCOMPARE(walked.elements.size(), std::size_t{2});
    QCOMPARE(walked.elements[0].text, std::string(R"({"a":"]}\\\"{["})"));
}

void CorpusReadersTest::aFileThatEndsInAStringKeepsWholeElements()
{
    const std::string text = R"([{"a":1},{"a":2},{"a":"cut off he)";
    const Walked walked = walk(text);
    QCOMPARE(walked.elements.size(), std::size_t{2});
    QVERIFY(walked.broken.has_value());
    QCOMPARE(walked.broken->byte, static_cast<std::int64_t>(text.find("{\"a\":\"")));
    QCOMPARE(walked.broken->end, static_cast<std::int64_t>(text.size()));
    QCOMPARE(walked.broken->reason, std::string("the file ends inside this record"));
}

void CorpusReadersTest::whatIsNoDocumentSaysWhere_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("byte");
    QTest::addColumn<int>("elements");
    QTest::newRow("nothing") << "" << 0 << 0;
    QTest::newRow("a number") << " 12" << 1 << 0;
    QTest::newRow("no comma") << "[{} {}]" << 4 << 1;
    QTest::newRow("two commas") << "[{},,{}]" << 4 << 1;
    QTest::newRow("no end") << "[{},{}" << 6 << 2;
    QTest::newRow("more after it") << "[{}] x" << 5 << 1;
    QTest::newRow("no colon") << "{\"kernels\" [{}]}" << 11 << 0;
}

void CorpusReadersTest::whatIsNoDocumentSaysWhere()
{
    QFETCH(QString, text);
    QFETCH(int, byte);
    QFETCH(int, elements);
    const Walked walked = walk(text.toStdString());
    QVERIFY(walked.broken.has_value());
    QCOMPARE(walked.broken->byte, std::int64_t{byte});
    QCOMPARE(walked.elements.size(), static_cast<std::size_t>(elements));
}

void CorpusReadersTest::quotedFieldsKeepLineBreaksAndQuotes()
{
    const auto all = records("a,b\n\"x\r\ny\",\"say \"\"hi\"\", twice\"\n\"\",\n");
    QCOMPARE(all.size(), std::size_t{3});
    QCOMPARE(all[1].fields, (std::vector<std::string>{"x\r\ny", "say \"hi\", twice"}));
    QCOMPARE(all[2].fields, (std::vector<std::string>{"", ""}));
    QCOMPARE(all[2].line, std::int64_t{4});
    QCOMPARE(all[1].byte, std::int64_t{4});
}

void CorpusReadersTest::mixedLineEndsMakeOneRecordEach()
{
    const auto all = records("a,b\r\n1,2\n\r\n3,4\r\n\n5,6");
    QCOMPARE(all.size(), std::size_t{4});
    QCOMPARE(all[1].fields, (std::vector<std::string>{"1", "2"}));
    QCOMPARE(all[2].fields, (std::vector<std::string>{"3", "4"}));
    QCOMPARE(all[3].fields, (std::vector<std::string>{"5", "6"}));
    QCOMPARE(all[3].line, std::int64_t{6});
}

void CorpusReadersTest::aQuoteThatIsNotClosedRejectsItsLineOnly()
{
    const auto all = records("a,b\n1,\"x\n2,y\n3,z\n");
    QCOMPARE(all.size(), std::size_t{4});
    QVERIFY(all[1].problem.find("not closed") != std::string::npos);
    QCOMPARE(all[1].line, std::int64_t{2});
    QCOMPARE(all[2].fields, (std::vector<std::string>{"2", "y"}));
    QCOMPARE(all[3].fields, (std::vector<std::string>{"3", "z"}));
}

void CorpusReadersTest::aQuoteThatSwallowsQuotedRecordsRejectsItsLineOnly()
{
    // The open quote of line 2 is closed by an opening quote further on: of a quoted field, of an empty one, before a comma.
    for (const char* text :
         {"a,b\n1,\"x\n2,y\n3,\"z\"\n4,w\n", "a,b,c\n1,\"x,y\n2,y,z\n3,\",\",\n4,w,v\n", "a,b\n1,\"x\n2,y\n3,\",z\n4,w\n"}) {
        const auto all = records(text);
        QVERIFY(!all[1].problem.empty());
        QCOMPARE(all[1].line, std::int64_t{2});
        QCOMPARE(all[2].fields[0], std::string("2"));
        QCOMPARE(all.back().fields[0], std::string("4"));
    }
}

void CorpusReadersTest::aFieldThatGrowsPastTheLimitRejectsItsLineOnly()
{
    std::string text = "a,b\n1,\"x\n";
    for (int i = 0; i < 400; ++i)
        text += std::to_string(i) + ",y\n";
    const auto all = records(text, 512, 4096);
    QCOMPARE(all.size(), std::size_t{402});
    QVERIFY(all[1].problem.find("grows past 512 bytes") != std::string::npos);
    QCOMPARE(all[2].fields[0], std::string("0"));
    QCOMPARE(all[401].fields[0], std::string("399"));
}

void CorpusReadersTest::aRecordOfAnotherWidthIsRejectedWhole()
{
    const auto all = records("a,b,c\n1,\"two\nlines of\nprose\"\n2,y,z\n");
    QCOMPARE(all.size(), std::size_t{3});
    QCOMPARE(all[1].problem, std::string("2 fields where the header has 3"));
    QCOMPARE(all[2].fields, (std::vector<std::string>{"2", "y", "z"}));
    QCOMPARE(all[2].line, std::int64_t{5});
}

void CorpusReadersTest::aQuoteInsideAnUnquotedFieldIsACharacter()
{
    const auto all = records("a,b\nsize 5\",x\n2,y\n");
    QCOMPARE(all[1].fields, (std::vector<std::string>{"size 5\"", "x"}));
    QCOMPARE(all.size(), std::size_t{3});
}

void CorpusReadersTest::theFenceMarkedAsKernelWins()
{
    const auto code = codeInMessage("```python\n# Kernel\nimport triton\nk = 1\n```\nand a test:\n```python\nassert k\n```\n");
    QCOMPARE(code.value(), std::string("import triton\nk = 1"));
}

void CorpusReadersTest::theLastFenceIsTheCodeOtherwise()
{
    QCOMPARE(codeInMessage("```python\nold\n```\nbetter:\n```python\nnew\n```").value(), std::string("new"));
    QVERIFY(!codeInMessage("no code here").has_value());
    QVERIFY(!codeInMessage("```python\nnever closed").has_value());
}

void CorpusReadersTest::aTritonElementIsTheCode()
{
    QCOMPARE(codeInMessage("thinking ```python\nno\n``` <triton>\nk = 2\n</triton>").value(), std::string("k = 2"));
}

void CorpusReadersTest::turnsAreChosen()
{
    const std::vector<Turn> turns = {{1, "a", true, 2.0}, {2, "b", true, 3.0}, {3, "c", false, 9.0}, {4, "d", false, 0.0}};
    QCOMPARE(chooseTurn(turns, TurnChoice::parse("last"))->code, std::string("d"));
    QCOMPARE(chooseTurn(turns, TurnChoice::parse("best"))->code, std::string("b"));
    QCOMPARE(chooseTurn(turns, TurnChoice::parse("best"), 1)->code, std::string("a"));
    QCOMPARE(chooseTurn(turns, TurnChoice::parse("3"))->code, std::string("c"));
    QVERIFY(chooseTurn(turns, TurnChoice::parse("5")) == nullptr);
    QVERIFY(chooseTurn({{1, "", std::nullopt, std::nullopt}}, TurnChoice::parse("last")) == nullptr);
}

void CorpusReadersTest::aTurnThatIsNoTurnIsRefused()
{
    for (const char* text : {"first", "0", "-1", "2x", ""})
        QVERIFY_THROWS_EXCEPTION(Error, TurnChoice::parse(text));
}

void CorpusReadersTest::asManyKernelsAsRecordsAreMatchedInOrder()
{
    const auto matched = matchByOrder(unnamed({3, 1, 2}), 3);
    QCOMPARE(matched[0].value(), std::size_t{2});
    QCOMPARE(matched[1].value(), std::size_t{0});
    QCOMPARE(matched[2].value(), std::size_t{1});
}

void CorpusReadersTest::namedRecordsAreFixedPoints()
{
    auto all = unnamed({0, 1, 2, 3});
    all[1].kernel = 2;
    const auto matched = matchByOrder(all, 5);
    QVERIFY(!matched[0].has_value()); // two kernels before the fixed point, one record
    QCOMPARE(matched[1].value(), std::size_t{2});
    QCOMPARE(matched[2].value(), std::size_t{3});
    QCOMPARE(matched[3].value(), std::size_t{4});
}

void CorpusReadersTest::anUnequalGapStaysUnmatched()
{
    const auto matched = matchByOrder(unnamed({0, 1, 2}), 2);
    QVERIFY(std::none_of(matched.begin(), matched.end(), [](const auto& m) { return m.has_value(); }));
}

void CorpusReadersTest::aRunMayEndBeforeItsLastKernelIsJudged()
{
    auto all = unnamed({7, 8, 9});
    all[0].kernel = 0;
    const auto matched = matchByOrder(all, 4);
    QCOMPARE(matched[1].value(), std::size_t{1});
    QCOMPARE(matched[2].value(), std::size_t{2});
}

void CorpusReadersTest::runsAreOrderedByTimeAndNotByNumber()
{
    // The run with the high numbers is the earlier one: its records own the first kernels.
    std::vector<OrderedRecord> all = unnamed({0, 1, 44, 45});
    all[1].timestamp = "2025-12-14T10:00:00";
    all[1].kernel = 3;
    all[3].timestamp = "2025-12-12T10:00:00";
    all[3].kernel = 1;
    const auto matched = matchByOrder(all, 4);
    QCOMPARE(matched[0].value(), std::size_t{2});
    QCOMPARE(matched[2].value(), std::size_t{0});
}

void CorpusReadersTest::sentinelsAreNoNumbers()
{
    QCOMPARE(looseNumber(" 0.0123 ").value(), 0.0123);
    QVERIFY(!looseNumber("N/A") && !looseNumber("") && !looseNumber("12 ms"));
    QVERIFY(!timedOnly(-1.0) && !timedOnly(0.0) && !timedOnly(std::nullopt));
    QCOMPARE(timedOnly(2.5).value(), 2.5);
}

void CorpusReadersTest::anErrorAboutNoneIsAGenerationFailure()
{
    QVERIFY(isGenerationFailure("'NoneType' object is not subscriptable"));
    QVERIFY(isGenerationFailure("'NoneType' object has no attribute 'split'"));
    QVERIFY(!isGenerationFailure(
        "Traceback (most recent call last):\n  File \"k.py\"\nTypeError: 'NoneType' object is not callable"));
    QVERIFY(!isGenerationFailure("CUDA error: an illegal memory access was encountered"));
}

void CorpusReadersTest::levelsAndProblemsAreReadFromPaths()
{
    QVERIFY(problemKeyOf("KernelBench/level1/19_ReLU.py") == (ProblemKey{1, 19}));
    QVERIFY(problemKeyOf("level_2_problem_40_sample_0_kernel.py") == (ProblemKey{2, 40}));
    QVERIFY(problemKeyOf("KernelBench/level1_low_score/43_Max_Pooling_3D.py") == (ProblemKey{1, 43}));
    QVERIFY(problemKeyOf("readme.txt") == ProblemKey{});
}

QTEST_APPLESS_MAIN(CorpusReadersTest)
#include "tst_corpus_readers.moc"
