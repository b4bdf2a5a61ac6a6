// SPDX-License-Identifier: Apache-2.0
#include "core/text/error.h"
#include "import_fixture.h"
#include "tests/support/shared_data.h"

#include <set>

using namespace assay;
using assay::tests::ImportFixture;

/// Every file of the shared corpora, alone and in its folder.
class RealCorporaTest : public QObject {
    Q_OBJECT

private slots:
    void everyFileImportsOrIsRefusedInOneLine();
    void everyFolderKeepsCountOfItsRows();
};

void RealCorporaTest::everyFileImportsOrIsRefusedInOneLine()
{
    ASSAY_REQUIRE_SHARED(shared);
    const std::set<std::string> refused = {"LICENSE", "README.md", "generation_config.yaml", "summary.json", "usage_crlf.csv"};
    ImportFixture files;
    int imported = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator((shared + "/corpora").toStdString())) {
        if (!entry.is_regular_file())
            continue;
        const std::string name = entry.path().filename().string();
        try {
            const auto summary = files.import(entry.path());
            QVERIFY2(!refused.contains(name), name.c_str());
            QVERIFY2(summary.totals.kept > 0, name.c_str());
            QVERIFY2(summary.totals.rejected == 0, name.c_str());
            QCOMPARE(summary.totals.rows, summary.totals.kept + summary.totals.alreadyPresent + summary.totals.rejected);
            ++imported;
        } catch (const Error& error) {
            QVERIFY2(refused.contains(name), error.what());
            QVERIFY2(std::string(error.what()).find('\n') == std::string::npos, error.what());
            QVERIFY2(error.where().find(name) != std::string::npos, error.what());
        }
    }
    QVERIFY(imported >= 20);
}

void RealCorporaTest::everyFolderKeepsCountOfItsRows()
{
    ASSAY_REQUIRE_SHARED(shared);
    for (const char* folder : {"published-audit", "cuda-l1", "samples/kernelbench-run", "samples/llmkernel"}) {
        ImportFixture files;
        const std::filesystem::path path = (shared + "/corpora/" + folder).toStdString();
        const auto first = files.import(path);
        QCOMPARE(first.totals.rows, first.totals.kept + first.totals.rejected);
        QVERIFY(first.totals.kept > 0);
        const auto again = files.import(path);
        QCOMPARE(again.totals.alreadyPresent, first.totals.kept);
        QCOMPARE(again.totals.kept, std::int64_t{0});
    }
}

QTEST_APPLESS_MAIN(RealCorporaTest)
#include "tst_real_corpora.moc"
