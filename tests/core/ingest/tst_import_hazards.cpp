// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/import.h"

#include "core/ingest/line_reader.h"
#include "core/text/error.h"
#include "core/text/json.h"
#include "core/text/raw_json.h"
#include "import_fixture.h"

#include <sys/stat.h>

using namespace assay;
using tests::auditRow;
using tests::ImportFixture;

namespace {

/// The error of an import that must fail, as the one line a person reads.
std::string failure(ImportFixture& store, const std::filesystem::path& path, const std::string& format = "")
{
    try {
        store.import(path, format);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

bool nothingWasKept(ImportFixture& store)
{
    return store.number(
               "SELECT (SELECT count(*) FROM corpus) + (SELECT count(*) FROM import_file) + (SELECT count(*) FROM kernel)")
        == 0;
}

std::string rows(int count)
{
    std::string text;
    for (int i = 1; i <= count; ++i)
        text += auditRow(i) + "\n";
    return text;
}

} // namespace

class ImportHazardsTest : public QObject {
    Q_OBJECT

private slots:
    void oneBadLineIsRejectedWithItsByteAndTheRestIsKept_data();
    void oneBadLineIsRejectedWithItsByteAndTheRestIsKept();
    void numbersThatDoublesCannotHoldAreKeptToTheDigit();
    void nanAndInfinityTokensAreRead();
    void byteOrderMarkBlankLinesAndCrlfAreNoRows();
    void aLineOfFortyMegabytesIsOneRow();
    void aTruncatedLastLineIsRejectedWithItsByte();
    void aLastLineWithoutLineEndIsARow();
    void aTruncatedGzipKeepsTheWholeRowsAndSaysWhereItEnds();
    void deepNestingIsRejectedAndDoesNotOverflowTheStack();
    void emptyFilesAndEmptyArraysHoldNothing_data();
    void emptyFilesAndEmptyArraysHoldNothing();
    void aGitLfsPointerIsNamedAsOne();
    void foldersPipesAndAbsentPathsAreRefused();
    void textThatIsNoDataIsRefusedInOneLine();
    void anUnknownFormatNamesTheKnownOnes();
    void anUnknownOptionNamesTheKnownOnes();
    void filesOfOneRowShareTheAuditOfTheirFolder();
    void contentDecidesAndNotTheName();
    void rowsAreAlwaysAccountedFor();
    void importingTwiceAddsNothing();
    void progressIsReportedAndEndsAtTheLastByte();
    void aCancelledImportKeepsNothing();
    void aFolderThatIsStoppedSaysWhatItKept();
    void aFileThatChangesWhileItIsReadIsNotKept();
    void pathsOutsideAsciiWork();
    void theSummaryIsTheDocumentedJson();
};

void ImportHazardsTest::oneBadLineIsRejectedWithItsByteAndTheRestIsKept_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<int>("byteInLine");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const QByteArray& line, int byte, const char* reason) {
        QTest::newRow(name) << line << byte << QString::fromLatin1(reason);
    };
    row("1e400", R"({"id": "x", "status": "gated", "final_speedup": 1e400})", 48, "not JSON");
    row("half an object", R"({"id": "x", "status")", 20, "not JSON");
    row("not an object", "[1, 2]", 0, "not an object");
    row("bare word", "hello", 0, "not JSON");
    row("invalid UTF-8", "{\"id\": \"a\xFF\x62\", \"status\": \"gated\"}", 9, "not JSON");
    row("NUL byte", QByteArray("{\"id\": \"x\"}\0{}", 14), 11, "NUL byte");
    row("two objects", R"({"id": "x"} {"id": "y"})", 12, "not JSON");
    row("member twice", R"({"id": "x", "status": "gated", "status": "gated"})", 0, "\"status\" appears twice");
    row("unescaped tab", "{\"id\": \"a\tb\", \"status\": \"gated\"}", 9, "not JSON");
}

void ImportHazardsTest::oneBadLineIsRejectedWithItsByteAndTheRestIsKept()
{
    QFETCH(QByteArray, line);
    QFETCH(int, byteInLine);
    QFETCH(QString, reason);
    ImportFixture store;
    const std::string before = rows(2);
    const auto summary = store.importText(before + line.toStdString() + "\n" + auditRow(3) + "\n");
    QCOMPARE(summary.totals.kept, std::int64_t{3});
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    const store::Rejection& rejection = summary.totals.rejections.at(0);
    QCOMPARE(rejection.line, std::int64_t{3});
    QCOMPARE(rejection.byte, static_cast<std::int64_t>(before.size()) + byteInLine);
    QVERIFY2(QString::fromStdString(rejection.reason).contains(reason), rejection.reason.c_str());
    QCOMPARE(store.number("SELECT byte FROM rejection"), rejection.byte);
}

void ImportHazardsTest::numbersThatDoublesCannotHoldAreKeptToTheDigit()
{
    ImportFixture store;
    store.importText(
        R"({"id": "1", "op_class": "scan", "status": "gated", "final_speedup": 0.1000000000000000055511151231257827, "n": 9007199254740993})");
    QCOMPARE(store.text("SELECT claim FROM kernel"), std::string("0.1000000000000000055511151231257827"));
    QVERIFY(store.text("SELECT extra FROM verdict").find("\"n\": 9007199254740993") != std::string::npos);
}

void ImportHazardsTest::nanAndInfinityTokensAreRead()
{
    ImportFixture store;
    const std::string nan = R"({"id": "1", "op_class": "scan", "status": "gated", "final_speedup": NaN})";
    const std::string infinite
        = R"({"id": "2", "op_class": "scan", "status": "gated", "final_speedup": Infinity, "elapsed_s": -Infinity})";
    const auto summary = store.importText(nan + "\n" + infinite + "\n");
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QCOMPARE(store.text("SELECT claim FROM kernel WHERE external_id = '1'"), std::string("NaN"));
    QCOMPARE(store.number("SELECT accepted FROM triage WHERE external_id = '1'"), std::int64_t{0});
    QCOMPARE(store.text("SELECT claim FROM kernel WHERE external_id = '2'"), std::string("Infinity"));
    QCOMPARE(store.number("SELECT count(*) FROM triage WHERE external_id = '2' AND accepted = 0 AND speedup IS NULL"),
             std::int64_t{1});
    QCOMPARE(store.number("SELECT count(*) FROM kernel WHERE claimed_speedup IS NULL AND claimed_correct IS NULL"),
             std::int64_t{2});
    QVERIFY(store.text("SELECT extra FROM verdict WHERE elapsed_seconds < 0").find("\"final_speedup\": Infinity")
            != std::string::npos);
    QVERIFY(store.text("SELECT extra FROM verdict WHERE elapsed_seconds < 0").find("\"elapsed_s\": -Infinity")
            != std::string::npos);
}

void ImportHazardsTest::byteOrderMarkBlankLinesAndCrlfAreNoRows()
{
    ImportFixture store;
    const auto summary = store.importText("\xEF\xBB\xBF" + auditRow(1) + "\r\n\r\n   \n" + auditRow(2) + "\r\nbroken\r\n");
    QCOMPARE(summary.format, std::string("audit-rows"));
    QCOMPARE(summary.totals.rows, std::int64_t{3});
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QCOMPARE(summary.totals.rejections[0].line, std::int64_t{5});
    QCOMPARE(summary.totals.rejections[0].byte,
             static_cast<std::int64_t>(3 + auditRow(1).size() + 2 + 2 + 4 + auditRow(2).size() + 2));
}

void ImportHazardsTest::aLineOfFortyMegabytesIsOneRow()
{
    ImportFixture store;
    const std::string source(std::size_t{40} << 20, 'x');
    const auto summary = store.importText("{\"id\": 1, \"candidate\": \"a\"}\n{\"id\": 2, \"candidate\": \"" + source
                                          + "\"}\n{\"id\": 3, \"candidate\": \"c\"}\n");
    QCOMPARE(summary.totals.kept, std::int64_t{3});
    QCOMPARE(store.number("SELECT max(bytes) FROM source"), static_cast<std::int64_t>(source.size()));
}

void ImportHazardsTest::aTruncatedLastLineIsRejectedWithItsByte()
{
    ImportFixture store;
    const std::string whole = rows(2);
    const auto summary = store.importText(whole + auditRow(3).substr(0, 50));
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QCOMPARE(summary.totals.rejections.size(), std::size_t{1});
    QCOMPARE(summary.totals.rejections[0].line, std::int64_t{3});
    QCOMPARE(summary.totals.rejections[0].byte, static_cast<std::int64_t>(whole.size() + 50));
    QVERIFY(summary.totals.rejections[0].reason.starts_with("the line is cut off"));
}

void ImportHazardsTest::aLastLineWithoutLineEndIsARow()
{
    ImportFixture store;
    QCOMPARE(store.importText(rows(1) + auditRow(2)).totals.kept, std::int64_t{2});
}

void ImportHazardsTest::aTruncatedGzipKeepsTheWholeRowsAndSaysWhereItEnds()
{
    ImportFixture store;
    const std::string content = rows(2000);
    const std::string packed = tests::gzip(content);
    const auto summary = store.importText(packed.substr(0, packed.size() / 2), "rows.jsonl.gz");
    QVERIFY(summary.totals.kept > 100);
    QVERIFY(summary.totals.kept < 2000);
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    QCOMPARE(summary.totals.rejections[0].line, summary.totals.kept + 1);
    QVERIFY(summary.totals.rejections[0].reason.find("ends in the middle (byte " + std::to_string(packed.size() / 2))
            != std::string::npos);
}

void ImportHazardsTest::deepNestingIsRejectedAndDoesNotOverflowTheStack()
{
    ImportFixture store;
    const std::string deep = R"({"id": "d", "op_class": "scan", "status": "gated", "final_speedup": 1.5, "x": )"
        + std::string(100000, '[') + std::string(100000, ']') + "}";
    const auto summary = store.importText(rows(1) + deep + "\n" + auditRow(2) + "\n");
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QVERIFY(summary.totals.rejections.at(0).reason.find("nested deeper") != std::string::npos);
    const std::string document
        = R"({"joined_rows": 1, "cells_paper_era": )" + std::string(100000, '[') + std::string(100000, ']') + "}";
    QCOMPARE(store.importText(document, "x.json").totals.rejected, std::int64_t{1});
    // As deep as allowed is fine, and brackets inside text do not count.
    const std::string allowed = R"({"id": "e", "op_class": "scan", "status": "gated", "final_speedup": 1.5, "x": )"
        + std::string(json::kMaxNesting - 1, '[') + std::string(json::kMaxNesting - 1, ']') + R"(, "t": ")"
        + std::string(2000, '[') + "\"}";
    QCOMPARE(store.importText(allowed, "y.jsonl").totals.kept, std::int64_t{1});
}

void ImportHazardsTest::emptyFilesAndEmptyArraysHoldNothing_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("0 bytes") << QByteArray();
    QTest::newRow("blanks") << QByteArray("\n  \r\n\t");
    QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBF");
    QTest::newRow("array") << QByteArray(" [ ]\n");
    QTest::newRow("gzip of nothing") << QByteArray::fromStdString(tests::gzip(""));
}

void ImportHazardsTest::emptyFilesAndEmptyArraysHoldNothing()
{
    QFETCH(QByteArray, content);
    ImportFixture store;
    const std::string message = failure(store, store.write("x.json", content.toStdString()));
    QVERIFY2(message.find("empty") != std::string::npos, message.c_str());
    QVERIFY(nothingWasKept(store));
}

void ImportHazardsTest::aGitLfsPointerIsNamedAsOne()
{
    ImportFixture store;
    const auto file = store.write("x.parquet", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n");
    QVERIFY(failure(store, file).find("git-LFS pointer") != std::string::npos);
    QVERIFY(failure(store, file, "audit-rows").find("git-LFS pointer") != std::string::npos);
    QVERIFY(nothingWasKept(store));
}

void ImportHazardsTest::foldersPipesAndAbsentPathsAreRefused()
{
    ImportFixture store;
    QVERIFY(failure(store, store.path("absent.jsonl")).find("absent.jsonl") != std::string::npos);
    const std::string pipe = store.path("pipe").string();
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    QVERIFY(failure(store, pipe).find("not a regular file") != std::string::npos);
    QVERIFY(failure(store, "/dev/null").find("not a regular file") != std::string::npos);
    std::filesystem::create_directory(store.path("empty"));
    QVERIFY(failure(store, store.path("empty")).find("empty") != std::string::npos);
    QVERIFY(failure(store, store.path("empty"), "audit-rows").find("folder") != std::string::npos);
    QVERIFY(failure(store, store.write("rows.jsonl", rows(2)), "folder").find("not a folder") != std::string::npos);
    QVERIFY(nothingWasKept(store));
}

void ImportHazardsTest::textThatIsNoDataIsRefusedInOneLine()
{
    ImportFixture store;
    const std::string binary({'\x7F', 'E', 'L', 'F', '\0', '\0', '\1'});
    for (const std::string& content : {std::string("Permission is hereby granted\nto anyone"), binary}) {
        const std::string message = failure(store, store.write("x", content));
        QVERIFY2(message.find("not a format Assay reads") != std::string::npos, message.c_str());
        QVERIFY(message.find('\n') == std::string::npos);
    }
    QVERIFY(nothingWasKept(store));
}

void ImportHazardsTest::anUnknownFormatNamesTheKnownOnes()
{
    ImportFixture store;
    const std::string message = failure(store, store.write("x.jsonl", rows(1)), "no-such");
    QVERIFY(message.find("\"no-such\"") != std::string::npos);
    for (const auto& importer : ingest::importers())
        QVERIFY2(message.find(importer->format()) != std::string::npos, message.c_str());
}

void ImportHazardsTest::anUnknownOptionNamesTheKnownOnes()
{
    ImportFixture store;
    ingest::ImportOptions options;
    options.values["nope"] = "1";
    try {
        store.importText(R"([{"kernel_code": "c", "reference": "r", "id": 1}])", "a.json", "json-array", options);
        QFAIL("an option that means nothing was taken");
    } catch (const ingest::UnknownChoice& error) {
        QCOMPARE(error.problem(), std::string("json-array has no option \"nope\""));
        QVERIFY2(error.remedy().find("turn, problems, sources, id") != std::string::npos, error.what());
    }
    QVERIFY(nothingWasKept(store));
    // A folder's options reach the files whose format knows them.
    store.write("mixed/audit.jsonl", rows(2));
    store.write("mixed/lines.jsonl", "{\"mine\": \"x\", \"candidate\": \"c\"}\n{\"mine\": \"y\", \"candidate\": \"d\"}\n");
    options.values = {{"id", "mine"}};
    QCOMPARE(store.import(store.path("mixed"), "", options).totals.kept, std::int64_t{4});
    QCOMPARE(store.number("SELECT count(*) FROM kernel WHERE external_id IN ('x', 'y')"), std::int64_t{2});
}

void ImportHazardsTest::filesOfOneRowShareTheAuditOfTheirFolder()
{
    ImportFixture store;
    for (int i = 1; i <= 3; ++i)
        store.write("run/kernel" + std::to_string(i) + ".json", auditRow(i));
    store.write("run/more.jsonl", auditRow(8) + "\n" + auditRow(9) + "\n");
    QCOMPARE(store.import(store.path("run")).totals.kept, std::int64_t{5});
    QCOMPARE(store.text("SELECT group_concat(name || ' ' || kernels) FROM (SELECT name, kernels FROM audit a "
                        "JOIN scope s ON s.audit_id = a.id ORDER BY name)"),
             std::string("more 2,run 3"));
}

void ImportHazardsTest::contentDecidesAndNotTheName()
{
    ImportFixture store;
    QCOMPARE(store.importText(tests::gzip(rows(2)), "picture.png").format, std::string("audit-rows"));
    QCOMPARE(store.importText(rows(1), "one.json").format, std::string("audit-rows"));
    QCOMPARE(store.importText(R"({"joined_rows": 1, "cells_paper_era": {}})", "rows.jsonl").format,
             std::string("published-documents"));
}

void ImportHazardsTest::rowsAreAlwaysAccountedFor()
{
    ImportFixture store;
    const auto summary = store.importText(rows(5) + "nonsense\n\n" + auditRow(1) + "\n[]\n"
                                          + auditRow(9, R"("CMP-01": {"status": "pass"})") + "\n{\"id\": 9}\n");
    QCOMPARE(summary.totals.rows, std::int64_t{10});
    QCOMPARE(summary.totals.rows, summary.totals.kept + summary.totals.alreadyPresent + summary.totals.rejected);
    QCOMPARE(summary.totals.kept, std::int64_t{6});
    QCOMPARE(summary.totals.alreadyPresent, std::int64_t{1});
    QCOMPARE(store.text("SELECT rows || ' ' || kept || ' ' || already_present || ' ' || rejected FROM import_file"),
             std::string("10 6 1 3"));
}

void ImportHazardsTest::importingTwiceAddsNothing()
{
    ImportFixture store;
    store.importText(rows(20));
    const std::string counts
        = "SELECT (SELECT count(*) FROM kernel) || ' ' || (SELECT count(*) FROM verdict) || ' ' || (SELECT count(*) FROM origin) "
          "|| ' ' || (SELECT count(*) FROM check_result) || ' ' || (SELECT count(*) FROM triage)";
    const std::string before = store.text(counts);
    const auto again = store.importText(rows(20));
    QCOMPARE(again.totals.alreadyPresent, std::int64_t{20});
    QCOMPARE(again.totals.kernels + again.totals.results, std::int64_t{0});
    QCOMPARE(store.text(counts), before);
    // The same rows under another name of the same corpus, packed and with other line ends.
    std::string crlf = rows(20);
    for (std::size_t at = crlf.find('\n'); at != std::string::npos; at = crlf.find('\n', at + 2))
        crlf.replace(at, 1, "\r\n");
    ingest::ImportOptions options;
    options.corpusName = "rows";
    options.auditName = "rows";
    QCOMPARE(store.importText(tests::gzip(crlf), "other.gz", "", options).totals.alreadyPresent, std::int64_t{20});
    QCOMPARE(store.text(counts), before);
}

void ImportHazardsTest::progressIsReportedAndEndsAtTheLastByte()
{
    ImportFixture store;
    const std::string content = rows(20000);
    const auto file = store.write("rows.jsonl", content);
    std::int64_t calls = 0;
    std::int64_t lastBytes = 0;
    std::int64_t lastRows = 0;
    ingest::JobControl control;
    control.progress = [&](std::int64_t bytes, std::int64_t total, std::int64_t rowCount) {
        QVERIFY(bytes >= lastBytes && rowCount >= lastRows);
        QVERIFY(bytes <= total);
        QCOMPARE(total, static_cast<std::int64_t>(content.size()));
        ++calls;
        lastBytes = bytes;
        lastRows = rowCount;
    };
    const auto summary = store.import(file, "", {}, control);
    QVERIFY(calls > 0);
    QVERIFY2(calls <= static_cast<std::int64_t>(summary.seconds * 10) + 2, std::to_string(calls).c_str());
    QCOMPARE(lastBytes, static_cast<std::int64_t>(content.size()));
    QCOMPARE(lastRows, std::int64_t{20000});
}

void ImportHazardsTest::aCancelledImportKeepsNothing()
{
    ImportFixture store;
    store.importText(rows(3), "first.jsonl");
    const auto file = store.write("rows.jsonl", rows(50000));
    std::stop_source stop;
    ingest::JobControl control;
    control.stop = stop.get_token();
    control.progress = [&stop](std::int64_t, std::int64_t, std::int64_t) { stop.request_stop(); };
    QVERIFY_EXCEPTION_THROWN(store.import(file, "", {}, control), Cancelled);
    QCOMPARE(store.number("SELECT count(*) FROM kernel"), std::int64_t{3});
    QCOMPARE(store.number("SELECT count(*) FROM corpus"), std::int64_t{1});
    // And the database takes the same file afterwards.
    QCOMPARE(store.importText(rows(10), "rows.jsonl").totals.kept, std::int64_t{10});
}

void ImportHazardsTest::aFolderThatIsStoppedSaysWhatItKept()
{
    ImportFixture store;
    store.write("many/a.jsonl", rows(3));
    store.write("many/b.jsonl", rows(50000));
    std::stop_source stop;
    ingest::JobControl control;
    control.stop = stop.get_token();
    control.progress = [&stop](std::int64_t, std::int64_t total, std::int64_t) {
        if (total > 100000) // the second file
            stop.request_stop();
    };
    try {
        store.import(store.path("many"), "", {}, control);
        QFAIL("it was not stopped");
    } catch (const ingest::PartlyImported& failure) {
        QCOMPARE(failure.problem(), std::string("stopped after 1 of 2 files"));
        QCOMPARE(failure.kept().totals.kept, std::int64_t{3});
        QCOMPARE(store.number("SELECT count(*) FROM kernel"), std::int64_t{3});
    }
}

void ImportHazardsTest::aFileThatChangesWhileItIsReadIsNotKept()
{
    ImportFixture store;
    const auto file = store.write("rows.jsonl", rows(20000));
    ingest::JobControl control;
    bool changed = false;
    control.progress = [&](std::int64_t, std::int64_t, std::int64_t) {
        if (changed)
            return;
        changed = true;
        QFile out(QString::fromStdString(file.string()));
        QVERIFY(out.open(QIODevice::Append));
        out.write("more\n");
    };
    try {
        store.import(file, "", {}, control);
        QFAIL("a changing file was imported");
    } catch (const Error& error) {
        QVERIFY(error.problem().find("changed while it was read") != std::string::npos);
    }
    QVERIFY(nothingWasKept(store));
}

void ImportHazardsTest::pathsOutsideAsciiWork()
{
    ImportFixture store;
    const auto summary = store.importText(rows(2), "审计 Ü #1%20/rows ünï.jsonl");
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QCOMPARE(summary.corpus, std::string("rows ünï"));
    QVERIFY(store.text("SELECT path FROM import_file").ends_with("审计 Ü #1%20/rows ünï.jsonl"));
}

void ImportHazardsTest::theSummaryIsTheDocumentedJson()
{
    ImportFixture store;
    const std::string text = ingest::toJson(store.importText(rows(2) + "?\n"));
    json::Document document;
    QVERIFY(!json::parse(text, document));
    for (const char* key : {"schema", "corpus", "format", "rows", "kept", "already_present", "kernels", "results", "rejected",
                            "rejections", "seconds"})
        QVERIFY2(json::find(document, key) != nullptr, key);
    QCOMPARE(json::integerAt(document, "rows").value_or(0), std::int64_t{3});
    const json::Value& rejection = (*json::find(document, "rejections"))[0];
    QCOMPARE(json::integerAt(rejection, "line").value_or(0), std::int64_t{3});
    QCOMPARE(json::integerAt(rejection, "byte").value_or(0), static_cast<std::int64_t>(rows(2).size()));
    QVERIFY(json::stringAt(rejection, "reason").has_value());
}

QTEST_APPLESS_MAIN(ImportHazardsTest)
#include "tst_import_hazards.moc"
