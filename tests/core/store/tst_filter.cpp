// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage_filter.h"

#include <QtTest>

#include <algorithm>
#include <random>

using namespace assay::store;

namespace {

FilterTerm only(const std::string& line)
{
    const TriageFilter filter = parseFilter(line);
    return filter.terms.size() == 1 ? filter.terms.front() : FilterTerm{"not one term", "", {}, false};
}

bool offers(std::string_view typed, const std::string& word)
{
    return std::ranges::count(filterCompletions(typed), word) == 1;
}

} // namespace

class FilterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aTermIsReadAsItsKeyOperatorAndValues_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("op");
        QTest::addColumn<QStringList>("values");
        QTest::addColumn<bool>("negated");
        const auto row = [](const char* line, const char* key, const char* op, const QStringList& values, bool negated = false) {
            QTest::newRow(line) << line << key << op << values << negated;
        };
        row("family:scan,norm", "family", ":", {"scan", "norm"});
        row("  FAMILY:Scan ", "family", ":", {"Scan"});
        row("family=scan", "family", ":", {"scan"});
        row("-outcome:FAIL_hard", "outcome", ":", {"fail_hard"}, true);
        row("gate:exc01,cmp_02", "gate", ":", {"EXC-01", "CMP-02"});
        row("exc-01:Fail", "EXC-01", ":", {"fail"});
        row("fails:EXC-01,CMP-01", "fails", ":", {"EXC-01", "CMP-01"});
        row("fails:NONE", "fails", ":", {"none"});
        row("is:Tolerance_Free", "is", ":", {"tolerance_free"});
        row("error>1e3", "error", ">", {"1e3"});
        row("relative>=1e-4", "relative", ">=", {"1e-4"});
        row("speedup<1", "speedup", "<", {"1"});
        row("elapsed<=+0.5", "elapsed", "<=", {"+0.5"});
        row("soft=2", "soft", "=", {"2"});
        row("soft:2,3", "soft", "=", {"2", "3"});
        row("error:NaN", "error", ":", {"nan"});
        row("error=inf", "error", ":", {"inf"});
        row("rule:nan-equal/tolerance_free", "rule", ":", {"nan-equal/tolerance_free"});
        row("softmax", "", ":", {"softmax"});
        row("\"two words\"", "", ":", {"two words"});
        row("-\"two words\"", "", ":", {"two words"}, true);
        row("\"family:scan\"", "", ":", {"family:scan"});
        row("tl.load:x", "", ":", {"tl.load:x"});
        row("id:\"a \"\"b\"\", c\"", "id", ":", {"a \"b\", c"});
        row("reason:\"\"", "reason", ":", {""});
        row("status:half\" quoted \"value", "status", ":", {"half quoted value"});
        row("\":\"", "", ":", {":"});
    }

    void aTermIsReadAsItsKeyOperatorAndValues()
    {
        QFETCH(QString, line);
        QFETCH(QString, key);
        QFETCH(QString, op);
        QFETCH(QStringList, values);
        QFETCH(bool, negated);
        const FilterTerm term = only(line.toStdString());
        QCOMPARE(QString::fromStdString(term.key), key);
        QCOMPARE(QString::fromStdString(term.op), op);
        QStringList read;
        for (const std::string& value : term.values)
            read << QString::fromStdString(value);
        QCOMPARE(read, values);
        QCOMPARE(term.negated, negated);
        QVERIFY(parseFilter(toText({{term}})) == (TriageFilter{{term}}));
    }

    void aLineThatMakesNoSenseSaysWhereAndWhatIsMeant_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("position");
        QTest::addColumn<QString>("says");
        const auto row
            = [](const char* line, int position, const char* says) { QTest::newRow(line) << line << position << says; };
        row("famly:scan", 0, "Did you mean 'family'?");
        row("is:audited zzzzzz:1", 11, "Known keys: family");
        row("outcome:fail_hrd", 8, "Did you mean 'fail_hard'?");
        row("is:bookmrked", 3, "Did you mean 'bookmarked'?");
        row("gate:EXC-03", 5, "Did you mean 'EXC-0");
        row("EXC-01:maybe", 7, "Known: fail, hard");
        row("error>big", 6, "not a number");
        row("error>1,2", 6, "takes one number");
        row("error>nan", 6, "takes one number");
        row("error=1e400", 6, "not a number");
        row("family>scan", 0, "cannot be compared");
        row("hard>0 family:", 14, "has no value");
        row("family:a,,b", 9, "has no value");
        row("a,", 2, "a value is missing");
        row("title \"never ends", 6, "the quote never ends");
        row("hard>0 -", 7, "negates nothing");
        row("rule:nan-equal", 5, "rule:NAME/audited");
        row("rule:nan-equal/everything", 5, "rule:NAME/audited");
    }

    void aLineThatMakesNoSenseSaysWhereAndWhatIsMeant()
    {
        QFETCH(QString, line);
        QFETCH(int, position);
        QFETCH(QString, says);
        try {
            parseFilter(line.toStdString());
            QFAIL("it parsed");
        } catch (const FilterError& error) {
            QCOMPARE(error.position(), static_cast<std::size_t>(position));
            QVERIFY2(QString(error.what()).contains(says), error.what());
        }
    }

    void anEmptyLineFiltersNothing()
    {
        QVERIFY(parseFilter("").isEmpty());
        QVERIFY(parseFilter(" \t ").isEmpty());
        QCOMPARE(toText(TriageFilter{}), std::string());
    }

    void anyTextSurvivesTheRoundTrip()
    {
        std::mt19937 random(3);
        const std::string alphabet = std::string("ab\"-,:=<> \t\n*()'^{}\xc3\xa4", 20) + '\0';
        for (int i = 0; i < 3000; ++i) {
            FilterTerm term{i % 2 == 0 ? "" : "family", ":", {}, random() % 2 == 0};
            for (unsigned v = 0; v <= random() % 3; ++v) {
                std::string value;
                for (unsigned c = 0; c < random() % 8; ++c)
                    value += alphabet[random() % alphabet.size()];
                term.values.push_back(value);
            }
            const TriageFilter filter{{term, {"hard", ">", {"0"}, false}, term}};
            QVERIFY2(parseFilter(toText(filter)) == filter, toText(filter).c_str());
        }
    }

    void anyBytesEitherParseAndRoundTripOrAreRefusedWithAPosition()
    {
        std::mt19937 random(5);
        const std::string alphabet = "family:error><=,\"- 1e\xff" + std::string(1, '\0');
        for (int i = 0; i < 20000; ++i) {
            std::string line;
            for (unsigned c = 0; c < random() % 24; ++c)
                line += alphabet[random() % alphabet.size()];
            try {
                const TriageFilter filter = parseFilter(line);
                QVERIFY2(parseFilter(toText(filter)) == filter, line.c_str());
            } catch (const FilterError& error) {
                QVERIFY(error.position() <= line.size());
                QVERIFY(error.remedy().size() > 0);
            }
        }
    }

    void aLineOfTenKilobytesIsReadOrRefusedAtOnce()
    {
        const std::string word(10000, 'x');
        QCOMPARE(only(word).values.front(), word);
        const std::string quotes(10001, '"');
        QVERIFY_EXCEPTION_THROWN(parseFilter(quotes), FilterError);
        QVERIFY_EXCEPTION_THROWN(parseFilter(word + ":1"), FilterError);
        std::string words;
        for (int i = 0; i < 5000; ++i)
            words += "a ";
        QVERIFY_EXCEPTION_THROWN(parseFilter(words), FilterError);
        try {
            parseFilter("family:x " + word + ":1");
        } catch (const FilterError& error) {
            QVERIFY2(std::string(error.what()).size() < 400, error.what());
        }
    }

    void completionOffersKeysThenTheValuesOfAClosedSet()
    {
        QVERIFY(offers("", "family:") && offers("", "error>") && offers("", "EXC-01:"));
        QVERIFY(offers("fam", "family:") && !offers("fam", "error>"));
        QVERIFY(offers("hard>0 -ga", "gate:"));
        QVERIFY(offers("exc", "EXC-02:"));
        QVERIFY(offers("outcome:", "fail_hard") && offers("outcome:fail_", "fail_soft") && !offers("outcome:fail_", "pass"));
        QVERIFY(offers("outcome:pass,fail_h", "fail_hard"));
        QVERIFY(offers("EXC-01:in", "inapplicable"));
        QVERIFY(offers("gate:e", "EXC-01") && offers("is:b", "bookmarked") && offers("error:n", "nan"));
        QVERIFY(filterCompletions("family:s").empty());
        QVERIFY(filterCompletions("\"outcome:").empty());
    }
};

QTEST_GUILESS_MAIN(FilterTest)
#include "tst_filter.moc"
