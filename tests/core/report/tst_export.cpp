// SPDX-License-Identifier: Apache-2.0
#include "core/report/export.h"
#include "core/report/output_file.h"
#include "report_fixture.h"

#include <sys/resource.h>

#include <csignal>

using namespace assay;
using namespace assay::tests;

class ExportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void jsonLinesGiveTheImportedBytesBack_data();
    void jsonLinesGiveTheImportedBytesBack();
    void aFilterKeepsTheOrderOfImport();
    void rowsAreCounted();
    void csvQuotesWhatRfc4180WantsQuoted();
    void csvFloatsReadBackToTheSameBits();
    void csvHasOneRecordARowWhateverTheTextsHold();
    void markdownHasOneLineARowWhateverTheTextsHold();
    void htmlShowsHostileTextAsText();
    void unjudgedKernelsAreExportedToo();
    void anUnknownFormatIsNamedWithTheKnownOnes();
    void aCancelledExportLeavesNothing();
    void aFullDiskLeavesTheOlderFile();
    void aFileKeepsItsPermissions();
    void aLinkIsWrittenThrough();
    void aMissingFolderIsNamed();
};

namespace {

std::string exported(ImportFixture& store, report::ExportFormat format, const std::string& filter = "")
{
    report::ExportOptions options;
    options.format = format;
    options.filter = store::parseFilter(filter);
    std::string text;
    const std::int64_t scope = report::resolveScope(*store.database, "", "");
    report::exportRows(*store.database, scope, options, [&text](std::string_view bytes) { text += bytes; });
    return text;
}

/// An independent reader of RFC 4180: records of fields.
std::vector<std::vector<std::string>> parseCsv(const std::string& text)
{
    std::vector<std::vector<std::string>> records(1, {""});
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
            records.back().back() += c;
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && c == ',') {
            records.back().emplace_back();
        } else if (!quoted && c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            records.push_back({""});
            ++i;
        } else {
            records.back().back() += c;
        }
    }
    records.pop_back(); // behind the last line end
    return records;
}

std::string valueOf(const std::vector<std::vector<std::string>>& records, std::size_t row, const std::string& column)
{
    for (std::size_t i = 0; i < records[0].size(); ++i) {
        if (records[0][i] == column)
            return records[row][i];
    }
    return "no such column";
}

constexpr const char* kHostile = R"(a, \"quoted\"\nsecond line\r\n<script>alert(1)</script> | pipe & more)";
const std::string kHostileText = "a, \"quoted\"\nsecond line\r\n<script>alert(1)</script> | pipe & more";

std::string hostileRows()
{
    return lines({preGateRow(1, "cand_native_fail", kHostile), gatedRow(2, gate("CMP-01", "fail", kHostile))});
}

QStringList filesIn(const ImportFixture& store)
{
    return QDir(store.dir.path()).entryList(QDir::Files | QDir::Hidden);
}

std::string content(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : "unreadable";
}

} // namespace

void ExportTest::jsonLinesGiveTheImportedBytesBack_data()
{
    QTest::addColumn<std::string>("rows");
    QTest::newRow("gated and not") << lines(
        {gatedRow(7, gate("CMP-01", "na", "shape=(1, 2): x", 3)), preGateRow(3, "ref_broken", "")});
    QTest::newRow("CRLF") << lines({gatedRow(7, gate("CMP-01", "pass")), gatedRow(8, gate("CMP-01", "pass"))}, "\r\n");
    QTest::newRow("escapes") << lines(
        {preGateRow(1, "cand_native_fail", R"(\u2014 \ud83d\ude00 \"\\\n\t)"), preGateRow(2, "ref_broken", "x")});
    QTest::newRow("numbers") << lines(
        {gatedRow(1, gate("RES-01", "error"), "scan", "1e-05", false, "1e+22"), gatedRow(2, gate("RES-01", "pass"))});
    QTest::newRow("members of its own") << lines(
        {R"({"elapsed_s": 1.0, "error": "x", "final_speedup": 1.0, "id": "1", "op_class": "scan", "status": "ref_broken", "zeta": [1, null, {"a": 1.5}]})",
         preGateRow(2, "ref_broken", "x")});
}

void ExportTest::jsonLinesGiveTheImportedBytesBack()
{
    QFETCH(std::string, rows);
    ImportFixture store;
    QCOMPARE(store.importText(rows).totals.kept, 2);
    QCOMPARE(exported(store, report::ExportFormat::JsonLines), rows);
}

void ExportTest::aFilterKeepsTheOrderOfImport()
{
    ImportFixture store;
    store.importText(
        lines({gatedRow(9, gate("CMP-01", "pass")), gatedRow(2, gate("CMP-01", "fail")), gatedRow(5, gate("CMP-01", "pass"))}));
    QCOMPARE(exported(store, report::ExportFormat::JsonLines, "CMP-01:pass"),
             lines({gatedRow(9, gate("CMP-01", "pass")), gatedRow(5, gate("CMP-01", "pass"))}));
}

void ExportTest::rowsAreCounted()
{
    ImportFixture store;
    store.importText(hostileRows());
    report::ExportOptions options;
    const std::int64_t scope = report::resolveScope(*store.database, "", "");
    const auto whole = report::exportFile(*store.database, scope, options, store.path("out.jsonl"));
    QCOMPARE(whole.rows, 2);
    QCOMPARE(whole.bytes, static_cast<std::int64_t>(content(store.path("out.jsonl")).size()));
    options.filter = store::parseFilter("id:2");
    QCOMPARE(report::exportFile(*store.database, scope, options, store.path("out.jsonl")).rows, 1);
    QVERIFY(exported(store, report::ExportFormat::Markdown).find("\n2 rows.\n") != std::string::npos);
    QVERIFY(exported(store, report::ExportFormat::Html, "id:2").find("<p>1 rows.</p>") != std::string::npos);
}

void ExportTest::csvQuotesWhatRfc4180WantsQuoted()
{
    ImportFixture store;
    store.importText(hostileRows());
    const std::string csv = exported(store, report::ExportFormat::Csv);
    QVERIFY(csv.ends_with("\r\n"));
    const auto records = parseCsv(csv);
    QCOMPARE(records.size(), std::size_t{3});
    QCOMPARE(valueOf(records, 1, "error"), kHostileText);
    QCOMPARE(valueOf(records, 2, "CMP-01 reason"), kHostileText);
    QCOMPARE(valueOf(records, 2, "CMP-02 verdict"), std::string());
    QVERIFY(csv.find("\"\"quoted\"\"") != std::string::npos);
}

void ExportTest::csvFloatsReadBackToTheSameBits()
{
    ImportFixture store;
    store.importText(lines({gatedRow(1, gate("CMP-01", "fail", "random[0]: max_err=1.121e+22 > atol=6.053e+21 (scaled)"), "scan",
                                     "0.46452702702702703", false, "0.1"),
                            gatedRow(2, gate("CMP-01", "fail", "large_1e6: max_err=nan > atol=2.154e-05 (scaled)"))}));
    const auto records = parseCsv(exported(store, report::ExportFormat::Csv));
    QCOMPARE(valueOf(records, 1, "speedup"), std::string("0.46452702702702703"));
    QCOMPARE(valueOf(records, 1, "elapsed_seconds"), std::string("0.1"));
    QCOMPARE(valueOf(records, 1, "CMP-01 value"), std::string("1.121e+22"));
    QCOMPARE(valueOf(records, 2, "CMP-01 value"), std::string("nan"));
}

void ExportTest::csvHasOneRecordARowWhateverTheTextsHold()
{
    ImportFixture store;
    store.importText(hostileRows());
    // NUL comes into a database by other ways than imports, which refuse it.
    store.database->sqlite().exec("UPDATE verdict SET finding = 'a' || char(0) || 'b,c'");
    const auto records = parseCsv(exported(store, report::ExportFormat::Csv));
    QCOMPARE(records.size(), std::size_t{3});
    QCOMPARE(valueOf(records, 1, "finding"), std::string("a\0b,c", 5));
    for (const auto& record : records)
        QCOMPARE(record.size(), records[0].size());
}

void ExportTest::markdownHasOneLineARowWhateverTheTextsHold()
{
    ImportFixture store;
    store.importText(hostileRows());
    store.database->sqlite().exec("UPDATE verdict SET finding = 'one' || char(13, 10) || '<script>|two'");
    const QString text = QString::fromStdString(exported(store, report::ExportFormat::Markdown));
    const QString table = text.mid(text.indexOf("| id | kernel |"));
    QCOMPARE(table.count('\n'), 4); // header, rule, two rows
    QVERIFY(!table.contains("<script>"));
    QVERIFY(table.contains("one  &lt;script&gt;\\|two"));
}

void ExportTest::htmlShowsHostileTextAsText()
{
    ImportFixture store;
    store.importText(hostileRows());
    store.database->sqlite().exec("UPDATE verdict SET finding = finding || char(0) || '\"><img onerror=x>'");
    const std::string html = exported(store, report::ExportFormat::Html);
    QVERIFY(html.find("<script>") == std::string::npos);
    QVERIFY(html.find("<img") == std::string::npos);
    QVERIFY(html.find('\0') == std::string::npos);
    QVERIFY(html.find("&quot;&gt;&lt;img onerror=x&gt;") != std::string::npos);
    QVERIFY(html.ends_with("</html>\n"));
}

void ExportTest::unjudgedKernelsAreExportedToo()
{
    ImportFixture store;
    store.importText(unjudgedRow("k1"));
    const std::string rows = exported(store, report::ExportFormat::JsonLines);
    json::Document row;
    QVERIFY(!json::parse(rows, row));
    QCOMPARE(*json::stringAt(row, "id"), std::string("k1"));
    QCOMPARE(*json::stringAt(row, "status"), std::string("not_judged"));
    QCOMPARE(valueOf(parseCsv(exported(store, report::ExportFormat::Csv)), 1, "outcome"), std::string("not_judged"));
}

void ExportTest::anUnknownFormatIsNamedWithTheKnownOnes()
{
    QCOMPARE(report::exportFormatFromName("csv"), report::ExportFormat::Csv);
    QVERIFY_EXCEPTION_THROWN(report::exportFormatFromName("xlsx"), Error);
}

void ExportTest::aCancelledExportLeavesNothing()
{
    ImportFixture store;
    store.importText(hostileRows());
    const QStringList before = filesIn(store);
    std::stop_source stop;
    stop.request_stop();
    report::ExportOptions options;
    options.stop = stop.get_token();
    const std::int64_t scope = report::resolveScope(*store.database, "", "");
    QVERIFY_EXCEPTION_THROWN(report::exportFile(*store.database, scope, options, store.path("out.jsonl")), Cancelled);
    QCOMPARE(filesIn(store), before);
}

void ExportTest::aFullDiskLeavesTheOlderFile()
{
    ImportFixture store;
    store.write("out.txt", "older");
    const QStringList before = filesIn(store);
    // A limit on the size of files fails a write as a full disk does, without filling one.
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{1000, limit.rlim_max};
    std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &small);
    std::string where;
    try {
        report::OutputFile file(store.path("out.txt"));
        file.write(std::string(100000, 'x'));
        file.commit();
    } catch (const Error& error) {
        where = error.where();
    }
    ::setrlimit(RLIMIT_FSIZE, &limit);
    QVERIFY(QString::fromStdString(where).endsWith("out.txt"));
    QCOMPARE(content(store.path("out.txt")), std::string("older"));
    QCOMPARE(filesIn(store), before);
}

void ExportTest::aFileKeepsItsPermissions()
{
    ImportFixture store;
    const auto path = store.write("out.txt", "older");
    std::filesystem::permissions(path, std::filesystem::perms{0640});
    report::OutputFile file(path);
    file.write("newer");
    file.commit();
    QCOMPARE(content(path), std::string("newer"));
    QCOMPARE(std::filesystem::status(path).permissions(), std::filesystem::perms{0640});
}

void ExportTest::aLinkIsWrittenThrough()
{
    ImportFixture store;
    const auto target = store.write("target.txt", "older");
    std::filesystem::create_symlink("target.txt", store.path("link.txt"));
    report::OutputFile file(store.path("link.txt"));
    file.write("newer");
    file.commit();
    QVERIFY(std::filesystem::is_symlink(store.path("link.txt")));
    QCOMPARE(content(target), std::string("newer"));
}

void ExportTest::aMissingFolderIsNamed()
{
    ImportFixture store;
    try {
        report::OutputFile file(store.path("nowhere/out.txt"));
        QFAIL("was opened");
    } catch (const Error& error) {
        QVERIFY(QString::fromStdString(error.where()).endsWith("nowhere/out.txt"));
        QVERIFY(QString::fromStdString(error.remedy()).contains("folder"));
    }
}

QTEST_APPLESS_MAIN(ExportTest)
#include "tst_export.moc"
