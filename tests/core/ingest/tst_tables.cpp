// SPDX-License-Identifier: Apache-2.0
#include "core/store/kernel_details.h"
#include "core/text/error.h"
#include "import_fixture.h"

#include <QProcess>

using namespace assay;
using assay::tests::ImportFixture;

namespace {

/// A conversation of @p answers, as data sets of trajectories hold them.
std::string messages(std::initializer_list<const char*> answers)
{
    std::string list;
    for (const char* answer : answers) {
        list += list.empty() ? "" : ",";
        list += R"({"role":"user","content":"write a kernel"},{"role":"assistant","content":"here:\n```python\n)"
            + std::string(answer) + "\\n```\"}";
    }
    return "[" + list + "]";
}

std::string trajectory(int uuid, const std::string& speedup, int best = 1)
{
    return R"({"messages":)" + messages({"first", "second", "third"}) + R"(,"uuid":)" + std::to_string(uuid)
        + R"(,"entry_point":"Model","final_speedup":)" + speedup + R"(,"original_python_code":"reference )" + std::to_string(uuid)
        + R"(","best_round":)" + std::to_string(best) + "}";
}

ingest::ImportOptions withOption(const std::string& key, const std::string& value)
{
    ingest::ImportOptions options;
    options.values[key] = value;
    return options;
}

/// The first Python of @p candidates that has pyarrow, or "".
QString pythonWithPyarrow()
{
    for (const QString& python : {qEnvironmentVariable("ASSAY_TEST_PYTHON"), QStringLiteral("/usr/bin/python3")}) {
        if (!python.isEmpty() && QFile::exists(python)
            && QProcess::execute(python, {"-c", "import importlib.util as u, sys; sys.exit(u.find_spec('pyarrow') is None)"})
                == 0)
            return python;
    }
    return {};
}

} // namespace

class TablesTest : public QObject {
    Q_OBJECT

private slots:
    void init() { m_files = std::make_unique<ImportFixture>(); }

    void anArrayOfKernelsIsRead();
    void aSpeedupThatIsNotFiniteClaimsNothing_data();
    void aSpeedupThatIsNotFiniteClaimsNothing();
    void kernelsInsideADocumentTakeItsContext();
    void escapesAndForeignLettersAreKeptToTheByte();
    void aTruncatedArrayKeepsItsWholeRecords();
    void anElementThatIsNoObjectIsRejectedWithItsByte();
    void rowsWithTheSameIdAreDifferentKernels();
    void theLastTurnIsTheCandidate();
    void anotherTurnCanBeChosenAndIsStored_data();
    void anotherTurnCanBeChosenAndIsStored();
    void resultsOfTheChosenTurnAreTheClaim();
    void conversationsInJsonLinesAreRead();
    void anAnswerWithoutCodeIsNoCandidate();
    void aSpeedupOfZeroMeansRejected();

    void tenThousandRecordsAgreeWithAnIndependentParser();
    void oneLoneQuoteMergesNothing();
    void oddHeadersAreResolved();
    void sentinelsBecomeNothingAndStayInTheClaim();
    void aGenerationFailureIsToldFromAWrongKernel();
    void sourcesAreJoinedByTheNameOfTheProblem();
    void referencesAreJoinedByTheNameOfTheProblem();
    void telemetryIsRefusedInOneLine();
    void byteOrderMarksAndCompressionDoNotShiftBytes();
    void textThatIsNotUtf8IsRejectedWithItsLine();

    void tasksOfALevelAreNoIdsOfKernels();
    void parquetWithoutPyarrowSaysWhatToDo();
    void parquetWithoutPythonSaysWhatToDo();
    void aCrashedReaderIsAnError();
    void parquetRowsAreRead();
    void aDamagedParquetFileIsRefused();

private:
    std::string fakePython(const std::string& script)
    {
        const auto file = m_files->write("python", "#!/bin/sh\n" + script);
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        return file.string();
    }

    std::unique_ptr<ImportFixture> m_files;
};

void TablesTest::aSpeedupThatIsNotFiniteClaimsNothing_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("written");
    for (const char* number : {"inf", "nan"})
        QTest::addRow("csv %s", number) << QByteArray("a.csv") << QByteArray("id,kernel_code,speedup\n1,code,") + number + "\n"
                                        << QByteArray(number);
    for (const char* number : {"Infinity", "NaN"}) {
        const QByteArray row = QByteArray(R"({"id": "1", "kernel_code": "code", "speedup": )") + number + "}";
        QTest::addRow("array %s", number) << QByteArray("a.json") << "[" + row + "]" << QByteArray(number);
        QTest::addRow("lines %s", number) << QByteArray("a.jsonl") << row + "\n" + row + "\n" << QByteArray(number);
    }
}

void TablesTest::aSpeedupThatIsNotFiniteClaimsNothing()
{
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, written);
    m_files->importText(text.toStdString(), name.toStdString());
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE claimed_speedup IS NULL AND claimed_correct IS NULL "
                             "AND coalesce(claim_status, 'unknown') = 'unknown'"),
             std::int64_t{1});
    QCOMPARE(m_files->number("SELECT count(*) FROM triage WHERE accepted = 0 AND speedup IS NULL"), std::int64_t{1});
    QVERIFY(m_files->text("SELECT claim FROM kernel").find(written.toStdString()) != std::string::npos);
}

void TablesTest::anArrayOfKernelsIsRead()
{
    const auto summary = m_files->importText(
        R"([{"problem_id": 39, "level": 1, "code": "import torch\nclass ModelNew: pass", "torch_speedup": 0.0136, "model": "m"},
            {"problem_id": 40, "level": 1, "code": "b", "torch_speedup": -1, "model": "m"}])",
        "raw_data.json");
    QCOMPARE(summary.format, std::string("json-array"));
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QCOMPARE(m_files->text("SELECT title || ' ' || claim_status || ' ' || claimed_speedup || ' ' || entry_point FROM kernel "
                           "WHERE external_id = 'level 1 problem 39/m'"),
             std::string("level 1 problem 39 accepted 0.0136 ModelNew"));
    QVERIFY(m_files->isNull("SELECT claimed_speedup FROM kernel WHERE external_id = 'level 1 problem 40/m'"));
}

void TablesTest::kernelsInsideADocumentTakeItsContext()
{
    const std::string kernels
        = R"([{"code": "a", "kernel_id": "k0", "eval_result": {"compiled": true, "correctness": true, "runtime": 2.0, "ref_runtime": 5.0}},
        {"code": "b", "kernel_id": "k1", "eval_result": null}])";
    const std::string text
        = R"({"metadata": {"problem_name": "40_LayerNorm", "gpu_name": "GPU A"}, "best_kernel": {"code": "a"}, "all_kernels": )"
        + kernels + "}";
    m_files->importText(text, "one.json");
    m_files->importText(R"({"search_results": )" + text + "}", "two.json");
    QCOMPARE(m_files->number("SELECT count(*) FROM origin"), std::int64_t{4});
    QCOMPARE(m_files->text(
                 "SELECT title || ' ' || claimed_speedup || ' ' || hardware FROM kernel JOIN origin ON kernel_id = kernel.id "
                 "WHERE kernel.external_id = '40_LayerNorm/k0' LIMIT 1"),
             std::string("40_LayerNorm 2.5 GPU A"));
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel WHERE external_id = '40_LayerNorm/k1'"), std::string("unknown"));
}

void TablesTest::escapesAndForeignLettersAreKeptToTheByte()
{
    m_files->importText(R"([{"id": "1", "code": "a\/b \u202f — 注释\r\n", "correct": true}])", "a.json");
    const std::string expected = "a/b \xE2\x80\xAF \xE2\x80\x94 \xE6\xB3\xA8\xE9\x87\x8A\r\n";
    QCOMPARE(m_files->number("SELECT bytes FROM source"), static_cast<std::int64_t>(expected.size()));
    const std::int64_t id = m_files->number("SELECT candidate_source_id FROM kernel");
    QCOMPARE(store::readSource(*m_files->database, id), expected);
}

void TablesTest::aTruncatedArrayKeepsItsWholeRecords()
{
    const std::string text = R"([{"id": 1, "code": "a"}, {"id": 2, "code": "b"}, {"id": 3, "code": "cut)";
    const auto summary = m_files->importText(text, "a.json");
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    QCOMPARE(summary.totals.rejections[0].byte, static_cast<std::int64_t>(text.find("{\"id\": 3")));
    QVERIFY(summary.totals.rejections[0].reason.find("at byte " + std::to_string(text.size())) != std::string::npos);
}

void TablesTest::anElementThatIsNoObjectIsRejectedWithItsByte()
{
    const auto summary
        = m_files->importText(R"([{"id": 1, "code": "a"}, 7, {"id": 2, "code": 1e400}, {"id": 3, "code": "c"}])", "a.json");
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QCOMPARE(summary.totals.rejected, std::int64_t{2});
    QCOMPARE(summary.totals.rejections[0].byte, std::int64_t{25});
    QCOMPARE(summary.totals.rejections[0].item, std::string("/1"));
}

void TablesTest::rowsWithTheSameIdAreDifferentKernels()
{
    const std::string same = R"({"sample_key": "kernelbook_1174", "pytorch_code": "reference", "triton_code": ")";
    m_files->importText("[" + same + "a\"}," + same + "b\"}]", "a.json");
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE external_id = 'kernelbook_1174'"), std::int64_t{2});
}

void TablesTest::theLastTurnIsTheCandidate()
{
    m_files->importText("[" + trajectory(7, "1.5") + "]", "a.json");
    QCOMPARE(store::readSource(*m_files->database, m_files->number("SELECT candidate_source_id FROM kernel")),
             std::string("third"));
    QCOMPARE(m_files->text("SELECT path FROM origin"), std::string("turn 3 of 3"));
    QCOMPARE(m_files->text("SELECT external_id || ' ' || entry_point FROM kernel"), std::string("7 ModelNew"));
}

void TablesTest::anotherTurnCanBeChosenAndIsStored_data()
{
    QTest::addColumn<QString>("turn");
    QTest::addColumn<QString>("code");
    QTest::newRow("best") << "best"
                          << "second";
    QTest::newRow("last") << "last"
                          << "third";
    QTest::newRow("number") << "1"
                            << "first";
}

void TablesTest::anotherTurnCanBeChosenAndIsStored()
{
    QFETCH(QString, turn);
    QFETCH(QString, code);
    m_files->importText("[" + trajectory(7, "1.5", 2) + "]", "a.json", "", withOption("turn", turn.toStdString()));
    QCOMPARE(store::readSource(*m_files->database, m_files->number("SELECT candidate_source_id FROM kernel")),
             code.toStdString());
    QCOMPARE(m_files->text("SELECT json_extract(options, '$.turn') FROM import_file"), turn.toStdString());
}

void TablesTest::resultsOfTheChosenTurnAreTheClaim()
{
    const std::string row
        = R"([{"sample_key": "k", "pytorch_code": "r", "final_triton_code": "b", "final_result": {"correctness": false, "speedup": 0.0},
        "turns": [{"turn": 1, "triton_code": "a", "full_completion": "long", "result": {"correctness": true, "speedup": 2.5}},
                  {"turn": 2, "triton_code": "b", "full_completion": "long", "result": {"correctness": false, "speedup": 0.0}}]}])";
    m_files->importText(row, "last.json");
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel"), std::string("rejected"));
    m_files->importText(row, "best.json", "", withOption("turn", "best"));
    QCOMPARE(m_files->text("SELECT claim_status || ' ' || claimed_speedup FROM kernel WHERE claimed_correct = 1"),
             std::string("accepted 2.5"));
    QCOMPARE(m_files->text("SELECT json_extract(claim, '$.turns[0].result.speedup') || coalesce(json_extract(claim, "
                           "'$.turns[0].full_completion'), '') FROM kernel LIMIT 1"),
             std::string("2.5"));
}

void TablesTest::conversationsInJsonLinesAreRead()
{
    const auto summary = m_files->importText(trajectory(1, "1.5") + "\n" + trajectory(2, "1.5") + "\n");
    QCOMPARE(summary.format, std::string("json-array"));
    QCOMPARE(summary.totals.kept, std::int64_t{2});
}

void TablesTest::anAnswerWithoutCodeIsNoCandidate()
{
    m_files->importText(
        R"([{"uuid": 1, "original_python_code": "r", "messages": [{"role": "assistant", "content": "I cannot."}]}])", "a.json");
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel"), std::string("no_candidate"));
}

void TablesTest::aSpeedupOfZeroMeansRejected()
{
    m_files->importText("[" + trajectory(1, "0.0") + "," + trajectory(2, "0.9") + "]", "a.json");
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel WHERE external_id = '1'"), std::string("rejected"));
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel WHERE external_id = '2'"), std::string("accepted"));
    QVERIFY(m_files->isNull("SELECT claimed_speedup FROM kernel WHERE external_id = '1'"));
}

void TablesTest::tenThousandRecordsAgreeWithAnIndependentParser()
{
    std::string text = "Problem,Correctness,Notes\r\n";
    int broken = 0;
    for (int i = 0; i < 10000; ++i) {
        const std::string name = "p" + std::to_string(i);
        if (i % 997 == 5) {
            text += name + ",True\n"; // too few fields
            ++broken;
        } else if (i % 3 == 0) {
            text += name + ",True,\"line one\nline \"\"two\"\",\r\nthree\"" + (i % 2 ? "\r\n" : "\n");
        } else {
            text += name + ",False,plain" + (i % 2 ? "\r\n" : "\n");
        }
    }
    // Counted by another program's rules: a record ends at a line end outside quotes.
    std::int64_t rows = -1;
    bool quotedNow = false;
    for (const char c : text) {
        quotedNow = quotedNow != (c == '"');
        rows += c == '\n' && !quotedNow ? 1 : 0;
    }
    QCOMPARE(rows, std::int64_t{10000});
    const auto summary = m_files->importText(text, "results.csv");
    QCOMPARE(summary.format, std::string("csv"));
    QCOMPARE(summary.totals.kept + summary.totals.rejected, rows);
    QCOMPARE(summary.totals.rejected, std::int64_t{broken});
    for (const auto& rejection : summary.totals.rejections)
        QVERIFY(rejection.line > 1);
    QCOMPARE(m_files->text("SELECT json_extract(claim, '$.Notes') FROM kernel WHERE external_id = 'p3'"),
             std::string("line one\nline \"two\",\r\nthree"));
}

void TablesTest::oneLoneQuoteMergesNothing()
{
    std::string text = "Problem,Correctness,Notes\n";
    for (int i = 1; i <= 500; ++i)
        text += "p" + std::to_string(i) + ",True," + (i == 5 ? "\"lone" : i % 7 == 0 ? "\"quoted\"" : "plain") + "\n";
    const auto summary = m_files->importText(text, "results.csv");
    QCOMPARE(summary.totals.rows, std::int64_t{500});
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    QCOMPARE(summary.totals.rejections[0].line, std::int64_t{6});
    QVERIFY(summary.totals.rejections[0].reason.find("quote") != std::string::npos);
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE external_id IN ('p4', 'p6', 'p500')"), std::int64_t{3});
}

void TablesTest::oddHeadersAreResolved()
{
    const std::string longName(300, 'x');
    const auto summary = m_files->importText("Problem,Correctness,,Note,Note," + longName + "\np1,True,a,b,c,d\n", "results.csv");
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(m_files->text("SELECT json_extract(claim, '$.\"column 3\"') || json_extract(claim, '$.Note') || json_extract(claim, "
                           "'$.\"Note (2)\"') FROM kernel"),
             std::string("abc"));
    QCOMPARE(m_files->text("SELECT json_extract(claim, '$." + std::string(200, 'x') + "') FROM kernel"), std::string("d"));
}

void TablesTest::sentinelsBecomeNothingAndStayInTheClaim()
{
    m_files->importText("Problem,Level,Hardware,Compiled,Correctness,Speedup,Status,Error_Message\n"
                        "19_ReLU,level1,GPU A,True,False,-1.00,SUCCESS,\n"
                        "20_Tanh,level1,N/A,N/A,N/A,N/A,FAILED,attribute exists\n"
                        "21_Add,level1,GPU A,True,True,61.32,SUCCESS,\n",
                        "results.csv");
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel WHERE external_id = 'level1/19_ReLU'"), std::string("rejected"));
    QVERIFY(m_files->isNull("SELECT claimed_speedup FROM kernel WHERE external_id = 'level1/19_ReLU'"));
    QCOMPARE(m_files->text("SELECT json_extract(claim, '$.Speedup') FROM kernel WHERE external_id = 'level1/19_ReLU'"),
             std::string("-1.00"));
    QVERIFY(m_files->isNull("SELECT claimed_correct FROM kernel WHERE external_id = 'level1/20_Tanh'"));
    QCOMPARE(m_files->text("SELECT coalesce(hardware, '') FROM origin WHERE external_id = 'level1/20_Tanh'"), std::string());
    QCOMPARE(m_files->real("SELECT claimed_speedup FROM kernel WHERE external_id = 'level1/21_Add'"), 61.32);
}

void TablesTest::aGenerationFailureIsToldFromAWrongKernel()
{
    m_files->importText(
        "Problem,Compiled,Correctness,Status,Error_Message\n23_Softmax,N/A,N/A,FAILED,'NoneType' object is not subscriptable\n",
        "results.csv");
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel"), std::string("generation_failed"));
}

void TablesTest::sourcesAreJoinedByTheNameOfTheProblem()
{
    m_files->write("out/level1/19_ReLU.py", "import triton");
    m_files->importText("Problem,Level,Correctness\n19_ReLU,level1,True\n20_Tanh,level1,True\n../../a,level1,True\n",
                        "results.csv", "", withOption("sources", m_files->path("out").string()));
    QCOMPARE(m_files->text("SELECT external_id || ' ' || language FROM kernel WHERE candidate_source_id IS NOT NULL"),
             std::string("level1/19_ReLU triton"));
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel"), std::int64_t{3});
}

void TablesTest::referencesAreJoinedByTheNameOfTheProblem()
{
    m_files->write("suite/level1/19_ReLU.py", "reference");
    m_files->importText("Problem,Level,Correctness\n19_ReLU,level1,True\n", "results.csv", "",
                        withOption("problems", m_files->path("suite").string()));
    QVERIFY(!m_files->isNull("SELECT reference_source_id FROM kernel"));
}

void TablesTest::telemetryIsRefusedInOneLine()
{
    try {
        m_files->importText("timestamp,round_idx,call_type,input_tokens\r\n2025-12-12 06:22:45,0,seed,1197\r\n", "usage.csv");
        QFAIL("imported");
    } catch (const Error& error) {
        QVERIFY(error.problem().starts_with("no column of this CSV holds a kernel"));
        QVERIFY(std::string(error.what()).find('\n') == std::string::npos);
    }
    QCOMPARE(m_files->number("SELECT count(*) FROM import_file"), std::int64_t{0});
}

void TablesTest::byteOrderMarksAndCompressionDoNotShiftBytes()
{
    const std::string text = "\xEF\xBB\xBFProblem,Correctness\np1,True\np2\n";
    for (const std::string& content : {text, tests::gzip(text)}) {
        const auto summary = m_files->importText(content, "r" + std::to_string(content.size()) + ".csv");
        QCOMPARE(summary.totals.kept, std::int64_t{1});
        QCOMPARE(summary.totals.rejections.at(0).byte, static_cast<std::int64_t>(text.find("p2")));
        QCOMPARE(summary.totals.rejections.at(0).line, std::int64_t{3});
    }
}

void TablesTest::textThatIsNotUtf8IsRejectedWithItsLine()
{
    const auto summary = m_files->importText("Problem,Correctness\np1,True\np\xFF,True\n", "results.csv");
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(summary.totals.rejections.at(0).line, std::int64_t{3});
}

void TablesTest::tasksOfALevelAreNoIdsOfKernels()
{
    const std::string python = fakePython(
        R"(printf '{"Level_ID":1,"Task_ID":7,"Kernel_Name":"a","CUDA_Code":"x","PyTorch_Code_Module":"r","Correct":true}\n'
printf '{"Level_ID":1,"Task_ID":7,"Kernel_Name":"b","CUDA_Code":"y","PyTorch_Code_Module":"r","Correct":false}\n'
)");
    m_files->importText("PAR1 anything", "rows.parquet", "", withOption("python", python));
    QCOMPARE(m_files->text("SELECT claim FROM kernel WHERE external_id = 'level_1_task_7/a' AND claim_status = 'accepted'"),
             std::string(R"({"Level_ID":1,"Task_ID":7,"Kernel_Name":"a","Correct":true})"));
    QCOMPARE(
        m_files->number("SELECT count(*) FROM kernel WHERE candidate_source_id IS NOT NULL AND reference_source_id IS NOT NULL"),
        std::int64_t{2});
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel WHERE external_id = 'level_1_task_7/b'"), std::string("rejected"));
}

void TablesTest::parquetWithoutPyarrowSaysWhatToDo()
{
    const std::string python = fakePython("echo 'pyarrow: No module named pyarrow' >&2\nexit 3\n");
    try {
        m_files->importText("PAR1 anything", "rows.bin", "", withOption("python", python));
        QFAIL("imported");
    } catch (const Error& error) {
        QVERIFY(error.problem().find("pyarrow") != std::string::npos);
        QVERIFY(error.remedy().find("Install pyarrow for that Python") != std::string::npos);
        QVERIFY(error.remedy().find("JSON Lines") != std::string::npos);
    }
}

void TablesTest::parquetWithoutPythonSaysWhatToDo()
{
    try {
        m_files->importText("PAR1 anything", "rows.parquet", "", withOption("python", "/nowhere/python3"));
        QFAIL("imported");
    } catch (const Error& error) {
        QVERIFY(error.problem().find("/nowhere/python3") != std::string::npos);
    }
}

void TablesTest::aCrashedReaderIsAnError()
{
    const std::string python = fakePython("printf '{\"id\":1,\"code\":\"a\"}\\n{\"id\":'\nkill -9 $$\n");
    QVERIFY_THROWS_EXCEPTION(Error, m_files->importText("PAR1 anything", "rows.parquet", "", withOption("python", python)));
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel"), std::int64_t{0});
}

void TablesTest::parquetRowsAreRead()
{
    const QString python = pythonWithPyarrow();
    if (python.isEmpty())
        QSKIP("no Python with pyarrow here (set ASSAY_TEST_PYTHON)");
    const QString write = QStringLiteral(R"(
import sys, pyarrow as pa, pyarrow.parquet as pq
turn = lambda code: [{"role": "user", "content": "q"}, {"role": "assistant", "content": "```python\n# Kernel\n" + code + "\n```"}]
rows = [{"messages": turn("one %d" % i) + turn("two %d" % i), "uuid": 9007199254740993 + i, "entry_point": "Model",
         "final_speedup": float("nan") if i == 2 else 1.5, "best_round": 1, "original_python_code": "reference \u2014", "blob": b"\xff\x00"} for i in range(200)]
for name in ("snappy", "zstd"):
    pq.write_table(pa.Table.from_pylist(rows), sys.argv[1] + "/" + name + ".parquet", compression=name, row_group_size=50)
)");
    QCOMPARE(QProcess::execute(python, {"-c", write, m_files->dir.path()}), 0);
    for (const char* name : {"snappy", "zstd"}) {
        ingest::ImportOptions options = withOption("python", python.toStdString());
        options.values["turn"] = "best";
        const auto summary = m_files->import(m_files->path(std::string(name) + ".parquet"), "", options);
        QCOMPARE(summary.format, std::string("parquet"));
        QCOMPARE(summary.totals.kept, std::int64_t{200});
    }
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel"), std::int64_t{200});
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE external_id = '9007199254740993'"), std::int64_t{1});
    QCOMPARE(store::readSource(*m_files->database,
                               m_files->number("SELECT candidate_source_id FROM kernel WHERE external_id = '9007199254740994'")),
             std::string("one 1"));
    QVERIFY(m_files->isNull("SELECT claimed_speedup FROM kernel WHERE external_id = '9007199254740995'"));
}

void TablesTest::aDamagedParquetFileIsRefused()
{
    const QString python = pythonWithPyarrow();
    if (python.isEmpty())
        QSKIP("no Python with pyarrow here (set ASSAY_TEST_PYTHON)");
    try {
        m_files->importText("PAR1 but nothing else", "rows.parquet", "", withOption("python", python.toStdString()));
        QFAIL("imported");
    } catch (const Error& error) {
        QVERIFY(error.problem().starts_with("the Parquet file cannot be read"));
        QVERIFY(std::string(error.what()).find('\n') == std::string::npos);
    }
}

QTEST_APPLESS_MAIN(TablesTest)
#include "tst_tables.moc"
