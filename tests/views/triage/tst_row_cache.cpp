// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/row_cache.h"

#include <QtTest>

#include <string>

using assay::views::RowCache;

namespace {

std::vector<std::optional<std::string>> page(std::initializer_list<const char*> rows)
{
    std::vector<std::optional<std::string>> made;
    for (const char* row : rows)
        made.push_back(row ? std::optional<std::string>(row) : std::nullopt);
    return made;
}

} // namespace

class RowCacheTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRowIsFoundInItsPage()
    {
        RowCache<std::string> cache(2, 4);
        cache.insert(3, page({"six", "seven"}));
        QVERIFY(cache.find(7));
        QCOMPARE(*cache.find(7), std::string("seven"));
        QVERIFY(!cache.find(5));
        QVERIFY(!cache.find(8));
    }

    void aRowThatIsGoneIsNoRowAndIsNotAskedForAgain()
    {
        RowCache<std::string> cache(2, 4);
        cache.insert(0, page({"zero", nullptr}));
        QVERIFY(!cache.find(1));
        QVERIFY(!cache.isWanted(0));
    }

    void aShortLastPageEndsWhereItsRowsEnd()
    {
        RowCache<std::string> cache(4, 4);
        cache.insert(0, page({"only"}));
        QVERIFY(cache.find(0));
        QVERIFY(!cache.find(1));
    }

    void thePageUsedLongestAgoMakesRoom()
    {
        RowCache<std::string> cache(1, 2);
        cache.insert(0, page({"a"}));
        cache.insert(1, page({"b"}));
        QVERIFY(cache.find(0)); // now page 1 is the older one
        cache.insert(2, page({"c"}));
        QVERIFY(cache.contains(0));
        QVERIFY(!cache.contains(1));
        QVERIFY(cache.contains(2));
        QCOMPARE(cache.pageCount(), std::size_t{2});
    }

    void aStalePageIsWantedButStillShown()
    {
        RowCache<std::string> cache(1, 2);
        cache.insert(0, page({"old"}));
        QVERIFY(!cache.isWanted(0));
        cache.markStale();
        QVERIFY(cache.isWanted(0));
        QCOMPARE(*cache.find(0), std::string("old"));
        cache.insert(0, page({"new"}));
        QVERIFY(!cache.isWanted(0));
        QCOMPARE(*cache.find(0), std::string("new"));
    }

    void recentPagesComeLastUsedFirst()
    {
        RowCache<std::string> cache(1, 4);
        for (std::size_t i = 0; i < 4; ++i)
            cache.insert(i, page({"x"}));
        QVERIFY(cache.find(1));
        QCOMPARE(cache.recentPages(2), (std::vector<std::size_t>{1, 3}));
    }
};

QTEST_APPLESS_MAIN(RowCacheTest)
#include "tst_row_cache.moc"
