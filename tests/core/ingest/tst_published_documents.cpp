// SPDX-License-Identifier: Apache-2.0
#include "core/text/error.h"
#include "import_fixture.h"
#include "tests/support/shared_data.h"

using namespace assay;
using tests::auditRow;
using tests::ImportFixture;

namespace {

constexpr std::string_view kCrossTable = R"({"joined_rows": 10, "cells_paper_era": {"ext_pass_our_pass": 4, "ext/fail~": 6},
 "rate": NaN, "huge": 9007199254740993, "flag": true, "nothing": null, "ids": ["7", "8"], "low": -Infinity})";

} // namespace

class PublishedDocumentsTest : public QObject {
    Q_OBJECT

private slots:
    void everyValueIsAFigureWithItsPointer();
    void theDocumentIsKeptVerbatim();
    void importingTwiceAddsNothing();
    void aDamagedDocumentIsRejectedWithLineAndByte();
    void aMemberThatAppearsTwiceIsRejected();
    void anUnknownDocumentIsRefusedUnlessAskedFor();
    void aFolderImportsEveryFileByItsContent();
    void everyPublishedFileIsRecognised_data();
    void everyPublishedFileIsRecognised();
    void thePublishedFolderIsOneCorpus();
};

void PublishedDocumentsTest::everyValueIsAFigureWithItsPointer()
{
    ImportFixture store;
    const auto summary = store.importText(kCrossTable, "x.json");
    QCOMPARE(summary.format, std::string("published-documents"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    const auto value = [&store](const std::string& pointer) {
        return store.text("SELECT coalesce(value, '') || '|' || coalesce(value_class, '') || '|' || coalesce(text, '') FROM "
                          "published_figure WHERE "
                          "pointer = '"
                          + pointer + "'");
    };
    QCOMPARE(value("/cells_paper_era/ext_pass_our_pass"), std::string("4.0|finite|"));
    QCOMPARE(value("/cells_paper_era/ext~1fail~0"), std::string("6.0|finite|"));
    QCOMPARE(value("/rate"), std::string("|nan|"));
    QCOMPARE(value("/low"), std::string("|-inf|"));
    QVERIFY(value("/huge").ends_with("|9007199254740993"));
    QCOMPARE(value("/flag"), std::string("||true"));
    QCOMPARE(value("/nothing"), std::string("||null"));
    QCOMPARE(value("/ids/1"), std::string("||8"));
    QCOMPARE(store.text("SELECT DISTINCT kind FROM published_figure"), std::string("cross_table"));
    QCOMPARE(store.text("SELECT DISTINCT source_file FROM published_figure"), std::string("x.json"));
}

void PublishedDocumentsTest::theDocumentIsKeptVerbatim()
{
    ImportFixture store;
    store.importText(kCrossTable, "x.json");
    QCOMPARE(store.number("SELECT bytes FROM published_document"), static_cast<std::int64_t>(kCrossTable.size()));
    QCOMPARE(store.text("SELECT kind FROM published_document"), std::string("cross_table"));
}

void PublishedDocumentsTest::importingTwiceAddsNothing()
{
    ImportFixture store;
    store.importText(kCrossTable, "x.json");
    const std::int64_t figures = store.number("SELECT count(*) FROM published_figure");
    const auto again = store.importText(kCrossTable, "x.json");
    QCOMPARE(again.totals.alreadyPresent, std::int64_t{1});
    QCOMPARE(again.totals.kept, std::int64_t{0});
    QCOMPARE(store.number("SELECT count(*) FROM published_figure"), figures);
}

void PublishedDocumentsTest::aDamagedDocumentIsRejectedWithLineAndByte()
{
    ImportFixture store;
    const std::string content = "{\"joined_rows\": 10,\n \"cells_paper_era\": {\"a\": 1e400}}";
    const auto summary = store.importText(content, "x.json");
    QCOMPARE(summary.totals.rows, std::int64_t{1});
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    QCOMPARE(summary.totals.rejections[0].line, std::int64_t{2});
    QVERIFY(summary.totals.rejections[0].byte >= static_cast<std::int64_t>(content.find("1e400")));
    QCOMPARE(summary.totals.rejections[0].item, std::string("x.json"));
    QCOMPARE(store.number("SELECT count(*) FROM published_document"), std::int64_t{0});
}

void PublishedDocumentsTest::aMemberThatAppearsTwiceIsRejected()
{
    ImportFixture store;
    const auto summary = store.importText(R"({"joined_rows": 10, "cells_paper_era": {"a": 1, "a": 2}})", "x.json");
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    QCOMPARE(summary.totals.rejections[0].item, std::string("x.json/cells_paper_era"));
}

void PublishedDocumentsTest::anUnknownDocumentIsRefusedUnlessAskedFor()
{
    ImportFixture store;
    const std::string content = "{\n  \"colour\": \"blue\",\n  \"size\": 3\n}\n";
    try {
        store.importText(content, "x.json");
        QFAIL("an unknown document was imported");
    } catch (const Error& error) {
        QVERIFY(error.problem().find("not a format Assay reads") != std::string::npos);
        QVERIFY(error.problem().find("colour, size") != std::string::npos);
        QVERIFY(std::string(error.what()).find('\n') == std::string::npos);
    }
    QCOMPARE(store.number("SELECT count(*) FROM corpus"), std::int64_t{0});
    const auto summary = store.importText(content, "x.json", "published-documents");
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(store.text("SELECT DISTINCT kind FROM published_figure"), std::string("document"));
}

void PublishedDocumentsTest::aFolderImportsEveryFileByItsContent()
{
    ImportFixture store;
    store.write("in/table.json", kCrossTable);
    store.write("in/rows.gz", tests::gzip(auditRow(1) + "\n" + auditRow(2) + "\n"));
    store.write("in/LICENSE", "Permission is hereby granted\n");
    store.write("in/log.txt", "Autotuning kernel f with config A\nAutotuning kernel f with config B\n");
    store.write("in/deeper/x.json", "{}");
    const auto summary = store.import(store.path("in"));
    QCOMPARE(summary.format, std::string("folder"));
    QCOMPARE(summary.corpus, std::string("in"));
    QCOMPARE(summary.totals.kept, std::int64_t{4});
    QCOMPARE(summary.totals.rejected, std::int64_t{2});
    QCOMPARE(summary.totals.rows, std::int64_t{6});
    QCOMPARE(store.number("SELECT count(*) FROM corpus"), std::int64_t{1});
    QCOMPARE(store.text("SELECT name FROM audit"), std::string("rows"));
    QCOMPARE(store.real("SELECT value FROM published_figure WHERE source_file = 'log.txt'"), 2.0);
    QCOMPARE(store.number("SELECT count(*) FROM rejection"), std::int64_t{2});
    const auto again = store.import(store.path("in"));
    QCOMPARE(again.totals.kept, std::int64_t{0});
    QCOMPARE(again.totals.alreadyPresent, std::int64_t{4});
}

void PublishedDocumentsTest::everyPublishedFileIsRecognised_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("kind");
    const std::initializer_list<std::pair<const char*, const char*>> files = {{"crossval_kernelbench.json", "cross_table"},
                                                                              {"kernelbench_actual_agreement.json", "agreement"},
                                                                              {"threshold_calibration.json", "calibration"},
                                                                              {"positive_control.json", "positive_control"},
                                                                              {"failure_sample_selected.json", "sample"},
                                                                              {"env_b200.json", "environment"},
                                                                              {"audit_floor_ablation.json", "funnel"},
                                                                              {"audit_drkernel.json", "funnel"},
                                                                              {"audit_tolerance_free.json", "floor"},
                                                                              {"audit_reconfirm.json", "reconfirm"},
                                                                              {"audit_sakana.json", "sakana"},
                                                                              {"fla_gdn2_bar.json", "timing"},
                                                                              {"gdn2_graph_bench_dv128_k2fntiled.json", "timing"},
                                                                              {"tmem_offset_probe.json", "probe"},
                                                                              {"repro_904_report.json", "repro"},
                                                                              {"repro_904_autotune_excerpt.txt", "repro"}};
    for (const auto& [file, kind] : files)
        QTest::newRow(file) << QString::fromLatin1(file) << QString::fromLatin1(kind);
}

void PublishedDocumentsTest::everyPublishedFileIsRecognised()
{
    ASSAY_REQUIRE_SHARED(shared);
    QFETCH(QString, file);
    QFETCH(QString, kind);
    ImportFixture store;
    const auto summary = store.import((shared + QStringLiteral("/corpora/published-audit/") + file).toStdString());
    QCOMPARE(summary.format, std::string("published-documents"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(QString::fromStdString(store.text("SELECT kind FROM published_document")), kind);
    QVERIFY(store.number("SELECT count(*) FROM published_figure") > 0);
}

void PublishedDocumentsTest::thePublishedFolderIsOneCorpus()
{
    ASSAY_REQUIRE_SHARED(shared);
    ImportFixture store;
    const auto summary = store.import((shared + QStringLiteral("/corpora/published-audit")).toStdString());
    QCOMPARE(summary.corpus, std::string("published-audit"));
    QCOMPARE(summary.totals.kept, std::int64_t{3134 + 16});
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    QCOMPARE(summary.totals.rejections[0].item, std::string("LICENSE"));
    QCOMPARE(store.number("SELECT count(*) FROM corpus"), std::int64_t{1});
    QCOMPARE(store.real("SELECT value FROM published_figure WHERE pointer = '/cells_paper_era/ext_pass_our_fail'"), 1487.0);
    QCOMPARE(store.number("SELECT count(*) FROM published_figure WHERE value_class = 'nan'") > 0, true);
}

QTEST_APPLESS_MAIN(PublishedDocumentsTest)
#include "tst_published_documents.moc"
