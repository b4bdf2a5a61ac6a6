// SPDX-License-Identifier: Apache-2.0
#include "core/report/python_json.h"

#include <QtTest>

#include <limits>

using namespace assay;

template <> inline char* QTest::toString(const std::string& text)
{
    return qstrdup(text.c_str());
}

/// Expected texts are what CPython 3.11 prints for json.dumps(value, sort_keys=True).
class PythonJsonTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textsAreEscapedAsPythonDoes_data();
    void textsAreEscapedAsPythonDoes();
    void bytesThatAreNotUtf8BecomeTheReplacementCharacter_data();
    void bytesThatAreNotUtf8BecomeTheReplacementCharacter();
    void floatsReadAsPythonWritesThem_data();
    void floatsReadAsPythonWritesThem();
    void nonFiniteNumbersAreTexts();
    void objectsAreSortedByCodePointAtEveryDepth();
    void wideIntegersKeepTheirDigits();
};

void PythonJsonTest::textsAreEscapedAsPythonDoes_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("expected");
    QTest::newRow("plain") << std::string("a b/c") << std::string(R"("a b/c")");
    QTest::newRow("short escapes") << std::string("\"\\\n\r\t\f\b") << std::string(R"("\"\\\n\r\t\f\b")");
    QTest::newRow("control") << std::string("\x01\x1f") << std::string(R"("\u0001\u001f")");
    QTest::newRow("NUL") << std::string("a\0b", 3) << std::string(R"("a\u0000b")");
    QTest::newRow("DEL stays") << std::string("\x7f") << std::string("\"\x7f\"");
    QTest::newRow("dash") << std::string("\u2014") << std::string(R"("\u2014")");
    QTest::newRow("first of two bytes") << std::string("\u0080") << std::string(R"("\u0080")");
    QTest::newRow("surrogate pair") << std::string("\U0001F600") << std::string(R"("\ud83d\ude00")");
    QTest::newRow("last code point") << std::string("\U0010FFFF") << std::string(R"("\udbff\udfff")");
    QTest::newRow("markup") << std::string("<script>") << std::string(R"("<script>")");
}

void PythonJsonTest::textsAreEscapedAsPythonDoes()
{
    QFETCH(std::string, text);
    QFETCH(std::string, expected);
    QCOMPARE(report::pythonString(text), expected);
}

void PythonJsonTest::bytesThatAreNotUtf8BecomeTheReplacementCharacter_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("expected");
    QTest::newRow("stray continuation") << std::string("a\x80z") << std::string(R"("a\ufffdz")");
    QTest::newRow("overlong slash") << std::string("\xC0\xAF") << std::string(R"("\ufffd\ufffd")");
    QTest::newRow("surrogate half") << std::string("\xED\xA0\x80") << std::string(R"("\ufffd\ufffd\ufffd")");
    QTest::newRow("cut off") << std::string("\xE2\x80") << std::string(R"("\ufffd\ufffd")");
    QTest::newRow("beyond Unicode") << std::string("\xF4\x90\x80\x80") << std::string(R"("\ufffd\ufffd\ufffd\ufffd")");
    QTest::newRow("overlong three bytes") << std::string("\xE0\x80\xAF") << std::string(R"("\ufffd\ufffd\ufffd")");
}

void PythonJsonTest::bytesThatAreNotUtf8BecomeTheReplacementCharacter()
{
    QFETCH(std::string, text);
    QFETCH(std::string, expected);
    QCOMPARE(report::pythonString(text), expected);
}

void PythonJsonTest::floatsReadAsPythonWritesThem_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<std::string>("expected");
    QTest::newRow("tenth") << 0.1 << std::string("0.1");
    QTest::newRow("whole") << 10.0 << std::string("10.0");
    QTest::newRow("minus zero") << -0.0 << std::string("-0.0");
    QTest::newRow("from the audit") << 0.46452702702702703 << std::string("0.46452702702702703");
    QTest::newRow("large") << 1e22 << std::string("1e+22");
    QTest::newRow("last without exponent") << 1e15 << std::string("1000000000000000.0");
    QTest::newRow("first with exponent") << 1e16 << std::string("1e+16");
    QTest::newRow("small") << 1e-5 << std::string("1e-05");
    QTest::newRow("last small without exponent") << 0.0001 << std::string("0.0001");
    QTest::newRow("subnormal") << 5e-324 << std::string("5e-324");
    QTest::newRow("largest") << std::numeric_limits<double>::max() << std::string("1.7976931348623157e+308");
}

void PythonJsonTest::floatsReadAsPythonWritesThem()
{
    QFETCH(double, value);
    QFETCH(std::string, expected);
    QCOMPARE(report::pythonFloat(value), expected);
}

void PythonJsonTest::nonFiniteNumbersAreTexts()
{
    QCOMPARE(report::pythonFloat(std::numeric_limits<double>::quiet_NaN()), std::string("\"NaN\""));
    QCOMPARE(report::pythonFloat(std::numeric_limits<double>::infinity()), std::string("\"Infinity\""));
    QCOMPARE(report::pythonFloat(-std::numeric_limits<double>::infinity()), std::string("\"-Infinity\""));
}

void PythonJsonTest::objectsAreSortedByCodePointAtEveryDepth()
{
    json::Document document;
    QVERIFY(!json::parse("{\"b\":[1,{\"z\":null,\"a\":true}],\"a\":false,\"B\":1.5,\"\\u00e9\":\"\",\"a b\":{}}", document));
    QCOMPARE(report::pythonJson(document),
             std::string(R"({"B": 1.5, "a": false, "a b": {}, "b": [1, {"a": true, "z": null}], "\u00e9": ""})"));
}

void PythonJsonTest::wideIntegersKeepTheirDigits()
{
    json::Document document;
    QVERIFY(!json::parse("[9007199254740993,-9223372036854775808,18446744073709551615]", document));
    QCOMPARE(report::pythonJson(document), std::string("[9007199254740993, -9223372036854775808, 18446744073709551615]"));
}

QTEST_APPLESS_MAIN(PythonJsonTest)
#include "tst_python_json.moc"
