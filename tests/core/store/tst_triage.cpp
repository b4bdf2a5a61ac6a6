// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage.h"

#include "core/store/triage_order.h"

#include "tests/core/store/brute_force.h"

#include <QtTest>

using namespace assay;
using namespace assay::store;
using namespace assay::tests;

namespace {

constexpr int kKernels = 700;

constexpr std::array kColumns
    = {TriageColumn::Id,        TriageColumn::Title,  TriageColumn::Family,       TriageColumn::Language,
       TriageColumn::Outcome,   TriageColumn::Status, TriageColumn::Claim,        TriageColumn::Baseline,
       TriageColumn::Gates,     TriageColumn::Reason, TriageColumn::HardFailures, TriageColumn::SoftFailures,
       TriageColumn::Exercised, TriageColumn::Error,  TriageColumn::Relative,     TriageColumn::Speedup,
       TriageColumn::Elapsed,   TriageColumn::Flags};

constexpr std::array kEfforts = {ListEffort{},       ListEffort{0, 100'000}, ListEffort{0, 0},      ListEffort{100'000, 0},
                                 ListEffort{0, 300}, ListEffort{60, 2'000},  ListEffort{0, 300, 0}, ListEffort{0, 0, 40}};

/// A line with one to three terms whose values occur in randomKernels().
std::string randomLine(std::mt19937& random)
{
    const std::vector<std::string> terms = {"family:scan,norm",
                                            "family:\"\"",
                                            "family:\"odd family, with \"\"marks\"\"\"",
                                            "language:triton",
                                            "outcome:fail",
                                            "outcome:pass,error",
                                            "status:gated",
                                            "status:\"load fail\"",
                                            "claim:accepted",
                                            "baseline:none,fail",
                                            "reason:nan_mask,\"\"",
                                            "id:17",
                                            "id:3,5,softmax_7",
                                            "id:\"z'\"\"12\"",
                                            "gate:EXC-01",
                                            "gate:CMP-01,RES-02",
                                            "EXC-01:fail",
                                            "EXC-01:pass,note",
                                            "RES-02:hard,absent",
                                            "PRC-01:not_exercised,error",
                                            "ORD-02:inapplicable",
                                            "fails:none",
                                            "fails:CMP-01",
                                            "fails:EXC-01,ORD-01",
                                            "is:accepted",
                                            "is:audited",
                                            "is:tolerance_free",
                                            "is:violation,noted",
                                            "is:waived",
                                            "is:bookmarked",
                                            "is:sourced",
                                            "error>1e-3",
                                            "error>=20",
                                            "error<0.01",
                                            "error<=0",
                                            "error=0",
                                            "error:nan",
                                            "error:inf,0.1",
                                            "error:none",
                                            "error:finite",
                                            "relative>1",
                                            "relative>=1e-4",
                                            "relative<1e-5",
                                            "relative:nan,none",
                                            "relative:+inf",
                                            "speedup<1",
                                            "speedup>=2.5",
                                            "speedup=0.5,0.75",
                                            "speedup:none",
                                            "elapsed>10",
                                            "elapsed<=0.5",
                                            "hard>0",
                                            "hard>=2",
                                            "soft=2,0",
                                            "exercised<5",
                                            "exercised:none",
                                            "rule:test-rules/violation",
                                            "soft",
                                            "softmax",
                                            "\"over rows\"",
                                            "mask bug",
                                            "triton",
                                            "\"say hi\"",
                                            "AND",
                                            "\"other=0\"",
                                            "NOT",
                                            "finite,ulp",
                                            "\"layer nor\"",
                                            "***"};
    std::string line;
    for (int i = 1 + static_cast<int>(random() % 3); i > 0; --i) {
        line += line.empty() ? "" : " ";
        line += random() % 4 == 0 ? "-" : "";
        line += terms[random() % terms.size()];
    }
    return line;
}

TriageFilter filterOf(const std::string& line)
{
    try {
        return parseFilter(line);
    } catch (const FilterError& error) {
        qWarning("%s: %s", line.c_str(), error.what());
        throw;
    }
}

std::string shown(const std::string& line, const TriageSort& sort)
{
    return "'" + line + "' by " + toText(sort);
}

} // namespace

class TriageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_fixture.add(randomKernels(kKernels, 20260714)); }

    void everyFilterGivesTheRowsThatPlainCodePicks()
    {
        std::mt19937 random(7);
        int nonEmpty = 0;
        for (int i = 0; i < 600; ++i) {
            const std::string line = randomLine(random);
            const TriageFilter filter = filterOf(line);
            const auto expected = expectedIds(m_fixture.kernels(), filter, {});
            const auto found = triageIds(m_fixture.database(), TriageFixture::kScope, filter, {});
            QVERIFY2(found == expected, line.c_str());
            QVERIFY2(triageCount(m_fixture.database(), TriageFixture::kScope, filter)
                         == static_cast<std::int64_t>(expected.size()),
                     line.c_str());
            nonEmpty += expected.empty() ? 0 : 1;
        }
        QVERIFY(nonEmpty > 300);
    }

    void everySortOrdersAsPlainCodeDoesAndAPageIsItsBeginning()
    {
        std::mt19937 random(11);
        for (const TriageColumn column : kColumns) {
            for (const bool descending : {false, true}) {
                for (const std::string& line :
                     {std::string(), std::string("family:scan,softmax"), std::string("-error:none hard>0"), randomLine(random)}) {
                    const TriageSort sort{column, descending};
                    const TriageFilter filter = filterOf(line);
                    const auto expected = expectedIds(m_fixture.kernels(), filter, sort);
                    QVERIFY2(triageIds(m_fixture.database(), TriageFixture::kScope, filter, sort) == expected,
                             shown(line, sort).c_str());
                    for (const std::size_t limit : {std::size_t{0}, std::size_t{1}, std::size_t{40}, std::size_t{41},
                                                    expected.size(), expected.size() + 5}) {
                        const std::vector<std::int64_t> begin(
                            expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(std::min(limit, expected.size())));
                        // Rows sorted in memory and rows read from the sort index make the same page, and so does a walk that is
                        // given up on the way.
                        for (const ListEffort& effort : kEfforts) {
                            const auto page
                                = orderedIds(m_fixture.database().sqlite(),
                                             filterParts(m_fixture.database().sqlite(), TriageFixture::kScope, filter), sort,
                                             static_cast<std::int64_t>(limit), effort);
                            QVERIFY2(page == begin, (shown(line, sort) + " limit " + std::to_string(limit)).c_str());
                        }
                    }
                    const auto walked
                        = orderedIds(m_fixture.database().sqlite(),
                                     filterParts(m_fixture.database().sqlite(), TriageFixture::kScope, filter), sort, -1, {0, 0});
                    QVERIFY2(walked == expected, shown(line, sort).c_str());
                }
            }
        }
    }

    void facetsCountWhatPlainCodeCountsWithoutTheirOwnTerms()
    {
        std::mt19937 random(13);
        for (int i = 0; i < 60; ++i) {
            const std::string line = i == 0 ? std::string() : randomLine(random);
            const TriageFilter filter = filterOf(line);
            const auto facets = triageFacets(m_fixture.database(), TriageFixture::kScope, filter);
            QCOMPARE(facets.size(), std::size_t{8});
            for (const Facet& facet : facets) {
                for (const FacetValue& value : facet.values)
                    QVERIFY2(value.count == countBruteForce(filter, facet.field, value.value),
                             (line + " " + facet.field + ":" + value.value).c_str());
                std::int64_t sum = 0;
                for (const FacetValue& value : facet.values)
                    sum += value.count;
                if (facet.field != "gate")
                    QCOMPARE(sum, countBruteForce(filter, facet.field, std::nullopt));
                else
                    QCOMPARE(facet.values.size(), std::size_t{contract::kGateCount});
            }
        }
    }

    void aFacetListsItsMostCommonValueFirstAndKeepsTheOneThatIsAskedFor()
    {
        const auto facets = triageFacets(m_fixture.database(), TriageFixture::kScope, parseFilter("family:nowhere id:5"));
        QCOMPARE(facets.front().field, std::string("family"));
        const auto& values = facets.front().values;
        QVERIFY(std::ranges::is_sorted(values, [](const FacetValue& a, const FacetValue& b) { return a.count > b.count; }));
        const auto asked = std::ranges::find(values, std::string("nowhere"), &FacetValue::value);
        QVERIFY(asked != values.end());
        QCOMPARE(asked->count, std::int64_t{0});
    }

    void rowsComeInTheOrderAskedForAndAreWhatWasStored()
    {
        std::vector<std::int64_t> ids = triageIds(m_fixture.database(), TriageFixture::kScope, {}, {TriageColumn::Speedup, true});
        ids.insert(ids.begin() + 3, 999999); // gone since the list was read
        const auto rows = triageRows(m_fixture.database(), TriageFixture::kScope, ids);
        QCOMPARE(rows.size(), m_fixture.kernels().size());
        ids.erase(ids.begin() + 3);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(rows[i].kernelId, ids[i]);
            const TriageRow& stored = m_fixture.kernels()[static_cast<std::size_t>(ids[i]) - 1].row;
            QCOMPARE(rows[i].externalId, stored.externalId);
            QCOMPARE(rows[i].title, stored.title);
            QCOMPARE(rows[i].family, stored.family);
            QCOMPARE(rows[i].language, stored.language);
            QCOMPARE(rows[i].outcome, stored.outcome);
            QCOMPARE(rows[i].status, stored.status);
            QCOMPARE(rows[i].claim, stored.claim);
            QCOMPARE(rows[i].baseline, stored.baseline);
            QCOMPARE(rows[i].leadReason, stored.leadReason);
            QCOMPARE(rows[i].leadGate, stored.leadGate);
            QVERIFY(rows[i].strip == stored.strip);
            QCOMPARE(rows[i].hardFailures, stored.hardFailures);
            QCOMPARE(rows[i].softFailures, stored.softFailures);
            QVERIFY(rows[i].exercised == stored.exercised && rows[i].total == stored.total);
            QVERIFY(rows[i].error == stored.error && rows[i].relative == stored.relative);
            QVERIFY(rows[i].speedup == stored.speedup && rows[i].elapsedSeconds == stored.elapsedSeconds);
            QVERIFY(rows[i].hasSource == stored.hasSource && rows[i].hasNote == stored.hasNote);
            QVERIFY(rows[i].bookmarked == stored.bookmarked && rows[i].waived == stored.waived);
        }
    }

    void scopesNameTheirAuditAndListAuditsFirst()
    {
        TriageFixture fixture;
        fixture.sql("INSERT INTO audit (id, corpus_id, name, origin, taxonomy) VALUES (2, 1, 'b', 'judge', 'assay')");
        fixture.sql("INSERT INTO scope (id, corpus_id, audit_id, kernels) VALUES (3, 1, 2, 77)");
        const auto all = scopes(fixture.database());
        QCOMPARE(all.size(), std::size_t{3});
        QCOMPARE(all[0].auditName, std::string("a"));
        QCOMPARE(all[0].device, std::string("H200"));
        QCOMPARE(all[1].id, std::int64_t{3});
        QCOMPARE(all[1].kernels, std::int64_t{77});
        QVERIFY(all[1].auditId == 2);
        QVERIFY(!all[2].auditId);
        QCOMPARE(all[2].corpusName, std::string("known"));
    }

    void hostileTextOnlyEverSearches()
    {
        const std::string nul("a\0b\" OR 1=1", 11);
        for (const std::string& text :
             {std::string("\"\"\"\""), std::string("\"'; DROP TABLE triage; --\""), std::string("\"a\"\" OR \"\"b\""),
              std::string("NEAR(a b)"), std::string("title"), std::string("^soft"), std::string("{title}"), std::string("*"),
              std::string("\"-title : x\""), std::string("\xff\xfe"), std::string("(((((")}) {
            QCOMPARE(triageCount(m_fixture.database(), TriageFixture::kScope, parseFilter(text)),
                     static_cast<std::int64_t>(expectedIds(m_fixture.kernels(), parseFilter(text), {}).size()));
        }
        TriageFilter filter{{{"", ":", {nul}, false}, {"family", ":", {nul}, true}}};
        QCOMPARE(triageCount(m_fixture.database(), TriageFixture::kScope, filter), std::int64_t{0});
        QCOMPARE(triageCount(m_fixture.database(), TriageFixture::kScope, {}), std::int64_t{kKernels});
    }

    void aFilterThatNoParserWroteIsRefused()
    {
        for (const FilterTerm& term : {FilterTerm{"nonsense", ":", {"x"}, false}, FilterTerm{"error", ">", {"1; DROP"}, false},
                                       FilterTerm{"is", ":", {"1=1"}, false}, FilterTerm{"error", "> 0 OR 1 =", {"1"}, false},
                                       FilterTerm{"family", ":", {}, false}, FilterTerm{"rule", ":", {"x"}, false}})
            QVERIFY_EXCEPTION_THROWN(triageCount(m_fixture.database(), TriageFixture::kScope, {{term}}), FilterError);
    }

    void aLineOfAsManyTermsAsTheLanguageTakesRuns()
    {
        std::string line;
        for (int i = 0; i < 200; ++i)
            line += " -x" + std::to_string(i);
        QCOMPARE(triageCount(m_fixture.database(), TriageFixture::kScope, parseFilter(line)), std::int64_t{kKernels});
    }

    void anInterruptedQueryEndsAsCancelled()
    {
        std::stop_source stop;
        stop.request_stop();
        const InterruptOnStop guard(m_fixture.database(), stop.get_token());
        QVERIFY_EXCEPTION_THROWN(triageFacets(m_fixture.database(), TriageFixture::kScope, {}), Cancelled);
    }

    void sortsHaveWordsThatReadBack()
    {
        QCOMPARE(toText(TriageSort{TriageColumn::Error, true}), std::string("-error"));
        for (const TriageColumn column : kColumns)
            QVERIFY(parseSort(toText(TriageSort{column, true})) == (TriageSort{column, true}));
        QVERIFY(!parseSort("nothing"));
        QVERIFY(!parseSort(""));
    }

private:
    std::int64_t countBruteForce(const TriageFilter& filter, const std::string& field, const std::optional<std::string>& value)
    {
        TriageFilter others;
        for (const FilterTerm& term : filter.terms) {
            if (term.key != field)
                others.terms.push_back(term);
        }
        // Leaving the own terms out must not change which text term is the last one: none of the facets is text.
        std::int64_t count = 0;
        for (const KnownKernel& kernel : m_fixture.kernels()) {
            const bool counted = !value || valueMatches(kernel, {field, ":", {*value}, false}, *value, false);
            count += counted && matches(kernel, others) ? 1 : 0;
        }
        return count;
    }

    TriageFixture m_fixture;
};

QTEST_GUILESS_MAIN(TriageTest)
#include "tst_triage.moc"
