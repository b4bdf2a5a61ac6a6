// SPDX-License-Identifier: Apache-2.0
#include "core/text/error.h"
#include "core/text/json.h"
#include "core/text/one_line.h"
#include "core/text/sha256.h"

#include <QtTest>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace assay;

namespace {

QByteArray bytes(const std::string& text)
{
    return QByteArray(text.data(), static_cast<qsizetype>(text.size()));
}

double reparsed(const std::string& text)
{
    json::Document document;
    return json::parse(text, document) ? std::nan("") : document.GetDouble();
}

} // namespace

class TextTest : public QObject {
    Q_OBJECT

private slots:
    void numbersAreSpelledAsPythonDoes_data();
    void numbersAreSpelledAsPythonDoes();
    void everyDoubleReadsBackToItsBits();
    void bareNaNAndInfinityAreRead();
    void aNumberOutOfRangeIsRefusedWithItsByte();
    void invalidUtf8IsRefused();
    void deepNestingIsRead();
    void nonFiniteNumbersAreWrittenAsStrings();
    void membersAreReadAsWhatTheyAre();
    void hashesAreThoseOfTheStandard();
    void anErrorIsOneLine();
    void foreignTextIsTamedToOneLine();
};

void TextTest::numbersAreSpelledAsPythonDoes_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<QByteArray>("repr");
    // Right column: repr() of CPython 3.11.
    QTest::newRow("zero") << 0.0 << QByteArray("0.0");
    QTest::newRow("minus zero") << -0.0 << QByteArray("-0.0");
    QTest::newRow("integer") << 3.0 << QByteArray("3.0");
    QTest::newRow("tenth") << 0.1 << QByteArray("0.1");
    QTest::newRow("sum") << 0.1 + 0.2 << QByteArray("0.30000000000000004");
    QTest::newRow("largest without exponent") << 1e15 << QByteArray("1000000000000000.0");
    QTest::newRow("still without exponent") << 9007199254740993.0 << QByteArray("9007199254740992.0");
    QTest::newRow("first with exponent") << 1e16 << QByteArray("1e+16");
    QTest::newRow("published error") << 1.121e22 << QByteArray("1.121e+22");
    QTest::newRow("smallest without exponent") << 0.0001 << QByteArray("0.0001");
    QTest::newRow("small with exponent") << 0.00001 << QByteArray("1e-05");
    QTest::newRow("tolerance") << 4.308e-05 << QByteArray("4.308e-05");
    QTest::newRow("three digit exponent") << 1.5e-300 << QByteArray("1.5e-300");
    QTest::newRow("smallest subnormal") << 5e-324 << QByteArray("5e-324");
    QTest::newRow("largest") << std::numeric_limits<double>::max() << QByteArray("1.7976931348623157e+308");
    QTest::newRow("speedup") << 0.3395061728395062 << QByteArray("0.3395061728395062");
    QTest::newRow("nan") << std::nan("") << QByteArray("nan");
    QTest::newRow("infinite") << HUGE_VAL << QByteArray("inf");
    QTest::newRow("minus infinite") << -HUGE_VAL << QByteArray("-inf");
}

void TextTest::numbersAreSpelledAsPythonDoes()
{
    QFETCH(double, value);
    QFETCH(QByteArray, repr);
    QCOMPARE(bytes(json::exactNumber(value)), repr);
}

void TextTest::everyDoubleReadsBackToItsBits()
{
    std::mt19937_64 random(20260101);
    for (int i = 0; i < 20000; ++i) {
        const auto value = std::bit_cast<double>(random());
        if (std::isfinite(value))
            QCOMPARE(std::bit_cast<std::uint64_t>(reparsed(json::exactNumber(value))), std::bit_cast<std::uint64_t>(value));
    }
}

void TextTest::bareNaNAndInfinityAreRead()
{
    json::Document document;
    QVERIFY(!json::parse(R"({"a": NaN, "b": Infinity, "c": -Infinity, "d": "NaN", "e": "inf"})", document));
    QVERIFY(std::isnan(*json::numberAt(document, "a")));
    QCOMPARE(*json::numberAt(document, "b"), HUGE_VAL);
    QCOMPARE(*json::numberAt(document, "c"), -HUGE_VAL);
    QVERIFY(std::isnan(*json::numberAt(document, "d")));
    QCOMPARE(*json::numberAt(document, "e"), HUGE_VAL);
}

void TextTest::aNumberOutOfRangeIsRefusedWithItsByte()
{
    json::Document document;
    const std::string text = R"({"speedup": 1e400})";
    const auto failure = json::parse(text, document);
    QVERIFY(failure.has_value());
    QVERIFY2(failure->byte >= text.find("1e400") && failure->byte <= text.find('}'), qPrintable(QString::number(failure->byte)));
    QVERIFY(!failure->reason.empty());
    QVERIFY(json::parse("-1e400", document).has_value());
    QVERIFY(!json::parse("1e-400", document).has_value()); // rounds to zero, as everywhere
}

void TextTest::invalidUtf8IsRefused()
{
    json::Document document;
    const auto failure = json::parse("{\"a\": \"\xff\"}", document);
    QVERIFY(failure.has_value());
    QVERIFY(failure->byte >= 6 && failure->byte <= 8);
}

void TextTest::deepNestingIsRead()
{
    constexpr int kDepth = 100000;
    json::Document document;
    QVERIFY(!json::parse(std::string(kDepth, '[') + std::string(kDepth, ']'), document));
}

void TextTest::nonFiniteNumbersAreWrittenAsStrings()
{
    rapidjson::StringBuffer buffer;
    json::Writer writer(buffer);
    writer.StartArray();
    for (const double value : {0.1, std::nan(""), HUGE_VAL, -HUGE_VAL})
        json::writeNumber(writer, value);
    json::writeMeasured(writer, {});
    json::writeMeasured(writer, tensor::measured(1e22));
    writer.EndArray();
    QCOMPARE(QByteArray(buffer.GetString()), QByteArray(R"([0.1,"NaN","Infinity","-Infinity",null,1e+22])"));
    json::Document document;
    QVERIFY(!json::parse(R"({"x": [NaN, 1, "a\u00e9"]})", document));
    QCOMPARE(bytes(json::toText(document)), QByteArray("{\"x\":[\"NaN\",1,\"a\xc3\xa9\"]}"));
}

void TextTest::membersAreReadAsWhatTheyAre()
{
    json::Document document;
    QVERIFY(!json::parse(R"({"t": "True", "b": false, "n": 7, "d": 7.5, "s": "x", "z": null, "big": 9223372036854775807})",
                         document));
    QCOMPARE(json::boolAt(document, "t"), std::optional(true));
    QCOMPARE(json::boolAt(document, "b"), std::optional(false));
    QVERIFY(!json::boolAt(document, "n"));
    QCOMPARE(json::integerAt(document, "n"), std::optional<std::int64_t>(7));
    QVERIFY(!json::integerAt(document, "d"));
    QCOMPARE(json::integerAt(document, "big"), std::optional(std::numeric_limits<std::int64_t>::max()));
    QCOMPARE(json::stringAt(document, "s"), std::optional<std::string>("x"));
    QVERIFY(!json::stringAt(document, "z") && !json::stringAt(document, "absent") && !json::numberAt(document, "s"));
    QVERIFY(json::find(document["s"], "x") == nullptr);
}

void TextTest::hashesAreThoseOfTheStandard()
{
    // FIPS 180-4 examples.
    QCOMPARE(bytes(sha256Hex("abc")), QByteArray("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    QCOMPARE(bytes(sha256Hex("")), QByteArray("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    Sha256 pieces;
    pieces.update("a");
    pieces.update("bc");
    QCOMPARE(bytes(pieces.finishHex()), bytes(sha256Hex("abc")));
}

void TextTest::anErrorIsOneLine()
{
    const Error error("the file ends early", "rows.jsonl, byte 12", "Copy it again");
    QCOMPARE(QByteArray(error.what()), QByteArray("the file ends early: rows.jsonl, byte 12. Copy it again"));
    QCOMPARE(bytes(error.remedy()), QByteArray("Copy it again"));
    QCOMPARE(QByteArray(Error("odd", "", "").what()), QByteArray("odd"));
}

void TextTest::foreignTextIsTamedToOneLine()
{
    QCOMPARE(oneLine("a\r\nb\t\033[31mc\x7f \303\251"), std::string("a  b  [31mc  \303\251"));
}

QTEST_GUILESS_MAIN(TextTest)
#include "tst_text.moc"
