// SPDX-License-Identifier: Apache-2.0
#include "core/runner/contract_json.h"
#include "core/text/error.h"

#include <QtTest>

using namespace assay;
using contract::Contract;

namespace {

Contract read(const char* text)
{
    json::Document document;
    if (json::parse(text, document))
        qFatal("no JSON: %s", text);
    return runner::readContract(document);
}

} // namespace

/// Preconditions as a contract file spells them.
class ContractJsonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void preconditionsAreReadAsTheyAreWritten()
    {
        const Contract contract
            = read(R"({"domains":[{"input":1,"row_norm":1},{"input":3,"low":0,"high":2},{"input":4,"high":-0.5}],
            "sizes":[{"input":0,"dimension":3,"allowed":[64,128]}],"operands":"as-inputs"})");
        QCOMPARE(contract.domains.size(), std::size_t{3});
        QVERIFY((contract.domains[0] == contract::InputDomain{1, std::nullopt, std::nullopt, 1.0}));
        QVERIFY((contract.domains[1] == contract::InputDomain{3, 0.0, 2.0, std::nullopt}));
        QVERIFY((contract.domains[2] == contract::InputDomain{4, std::nullopt, -0.5, std::nullopt}));
        QVERIFY((contract.sizes == std::vector<contract::SizeDomain>{{0, 3, {64, 128}}}));
        QCOMPARE(contract.operands, Contract::Operands::AsInputs);
        const std::string text = canonicalText(contract);
        QVERIFY(read(text.c_str()) == contract);
        QCOMPARE(canonicalText(read(text.c_str())), text);
    }

    void whatMakesNoSenseIsNamed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("no list") << QByteArray(R"({"domains":{"input":1}})")
                                 << QByteArray("\"domains\" is not a list of objects");
        QTest::newRow("no input") << QByteArray(R"({"domains":[{"low":1}]})") << QByteArray("\"input\" counts from 0");
        QTest::newRow("foreign") << QByteArray(R"({"domains":[{"input":1,"above":1}]})")
                                 << QByteArray("input, low, high, row_norm alone");
        QTest::newRow("empty") << QByteArray(R"({"domains":[{"input":1,"low":1,"high":1}]})")
                               << QByteArray("\"low\" is below \"high\"");
        QTest::newRow("text") << QByteArray(R"({"domains":[{"input":1,"low":"NaN"}]})") << QByteArray("bounds are numbers");
        QTest::newRow("norm") << QByteArray(R"({"domains":[{"input":1,"row_norm":0}]})")
                              << QByteArray("\"row_norm\" is positive");
        QTest::newRow("sizes") << QByteArray(R"({"sizes":[{"input":0,"dimension":3}]})") << QByteArray("\"allowed\" lists sizes");
        QTest::newRow("size 0") << QByteArray(R"({"sizes":[{"input":0,"dimension":3,"allowed":[0]}]})")
                                << QByteArray("a positive integer");
        QTest::newRow("operands") << QByteArray(R"({"operands":"fp8"})") << QByteArray("one of as-accumulator, as-inputs");
    }

    void whatMakesNoSenseIsNamed()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, words);
        try {
            read(text);
            QFAIL("it was read");
        } catch (const Error& error) {
            QVERIFY2(QByteArray(error.what()).contains(words), error.what());
        }
    }
};

QTEST_APPLESS_MAIN(ContractJsonTest)
#include "tst_contract_json.moc"
