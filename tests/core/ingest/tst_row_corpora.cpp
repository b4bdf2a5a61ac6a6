// SPDX-License-Identifier: Apache-2.0
#include "core/text/error.h"
#include "import_fixture.h"
#include "tests/support/shared_data.h"

using namespace assay;
using assay::tests::ImportFixture;

namespace {

/// A result as a KernelGYM server persists it.
std::string persisted(const std::string& task, const std::string& result)
{
    return R"({"timestamp": "2025-10-15T10:00:00", "task_id": ")" + task
        + R"(", "base_task_id": "base", "toolkit": "kernelbench", "backend": "triton", "result": )" + result + "}\n";
}

std::string result(const std::string& correctness, const std::string& speedup, const std::string& errorCode = "null")
{
    return R"({"status": "completed", "compiled": true, "correctness": )" + correctness
        + R"(, "decoy_kernel": false, "kernel_runtime": -1.0, "speedup": )" + speedup
        + R"(, "metadata": {"gpu_name": "GPU A", "max_difference": "0.0123"}, "error_code": )" + errorCode + "}";
}

std::string task(int number, const std::string& code, const std::string& reference, const std::string& score = "2.75")
{
    return R"({"level_id": 1, "task_id": )" + std::to_string(number) + R"(, "ref_code": ")" + reference + R"(", "custom_code": )"
        + (code == "null" ? code : '"' + code + '"') + R"(, "cuda_graph_code": "g", "cudnn_code": "d", "score_default": )" + score
        + "}\n";
}

std::string trace(const std::string& solution, const std::string& status, const std::string& rest = "")
{
    return R"({"definition": "rmsnorm_h128", "workload": {"axes": {"M": 6}, "uuid": "u"}, "solution": )" + solution
        + R"(, "evaluation": {"status": ")" + status + R"(", "environment": {"hardware": "GPU A"}, "log": "l")" + rest + "}}\n";
}

const std::string kTimed = R"(, "correctness": {"max_absolute_error": 0.5}, "performance": {"speedup_factor": )";

} // namespace

class RowCorporaTest : public QObject {
    Q_OBJECT

private slots:
    void init() { m_files = std::make_unique<ImportFixture>(); }

    void persistedResultsAreClaims();
    void errorClassesAreToldApart_data();
    void errorClassesAreToldApart();
    void numbersWrittenAsTextAreNumbers();
    void aResultWithoutTaskIsRejectedWithItsLine();

    void jsonLinesUnderAJsonNameAreRead();
    void aTaskWithoutCodeIsNoCandidate();
    void theSameKernelOnFiveGpusIsOneKernelWithFiveOrigins();
    void theClaimHoldsScoresAndNoSources();

    void everyTraceIsARowAndTheSolutionIsOneKernel();
    void oneFailedWorkloadRejectsTheSolution_data();
    void oneFailedWorkloadRejectsTheSolution();
    void infinitiesWrittenAsTextAreKept();
    void aWorkloadWithoutASolutionIsRejected();
    void solutionsOfSeveralFilesBecomeOneText();
    void sourcesWithoutContentAreReadBesideTheSolution();
    void aSourceOutsideTheFolderIsNeverRead();
    void definitionsGiveReferences();
    void anEmptyTraceFileDoesNotTakeTheTreeWithIt();

    void theRealCudaL1FileIsRead();

private:
    std::unique_ptr<ImportFixture> m_files;
};

void RowCorporaTest::persistedResultsAreClaims()
{
    const std::string row = persisted("179_0", result("true", "2.08"));
    const auto summary
        = m_files->importText(row + persisted("180_0", result("false", "0.0")) + persisted("181_0", result("null", "0.0")));
    QCOMPARE(summary.format, std::string("kernelgym"));
    QCOMPARE(summary.totals.kept, std::int64_t{3});
    QCOMPARE(m_files->text("SELECT group_concat(claim_status) FROM (SELECT claim_status FROM kernel ORDER BY external_id)"),
             std::string("accepted,rejected,unknown"));
    QCOMPARE(m_files->real("SELECT claimed_speedup FROM kernel WHERE external_id = '179_0'"), 2.08);
    QVERIFY(m_files->isNull("SELECT claimed_speedup FROM kernel WHERE external_id = '180_0'"));
    QVERIFY(m_files->isNull("SELECT claimed_correct FROM kernel WHERE external_id = '181_0'"));
    QCOMPARE(m_files->text("SELECT language || ' ' || hardware FROM kernel JOIN origin ON kernel_id = kernel.id LIMIT 1"),
             std::string("triton GPU A"));
}

void RowCorporaTest::errorClassesAreToldApart_data()
{
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("status");
    QTest::newRow("compilation") << "COMPILATION_ERROR"
                                 << "rejected";
    QTest::newRow("runtime") << "RUNTIME_ERROR"
                             << "rejected";
    QTest::newRow("correctness") << "CORRECTNESS_ERROR"
                                 << "rejected";
    QTest::newRow("timeout") << "TIMEOUT_ERROR"
                             << "rejected";
    QTest::newRow("validation") << "VALIDATION_ERROR"
                                << "rejected";
    QTest::newRow("syntax") << "SYNTAX_ERROR"
                            << "load_failed";
    QTest::newRow("import") << "IMPORT_ERROR"
                            << "load_failed";
    QTest::newRow("instantiation") << "INSTANTIATION_ERROR"
                                   << "load_failed";
    QTest::newRow("system") << "SYSTEM_ERROR"
                            << "unknown";
    QTest::newRow("resource") << "RESOURCE_ERROR"
                              << "unknown";
    QTest::newRow("unknown") << "UNKNOWN_ERROR"
                             << "unknown";
}

void RowCorporaTest::errorClassesAreToldApart()
{
    QFETCH(QString, code);
    QFETCH(QString, status);
    m_files->importText(persisted("1", result("null", "0.0", '"' + code.toStdString() + '"')));
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel"), status.toStdString());
    QCOMPARE(m_files->isNull("SELECT claimed_correct FROM kernel"), status == "unknown");
}

void RowCorporaTest::numbersWrittenAsTextAreNumbers()
{
    m_files->importText(persisted("1", result("true", "\"3.50\"")));
    QCOMPARE(m_files->real("SELECT claimed_speedup FROM kernel"), 3.5);
    QCOMPARE(m_files->text("SELECT json_extract(claim, '$.result.metadata.max_difference') FROM kernel"), std::string("0.0123"));
}

void RowCorporaTest::aResultWithoutTaskIsRejectedWithItsLine()
{
    const auto summary = m_files->importText(persisted("1", result("true", "1.5")) + "{\"task_id\": \"2\", \"result\": 3}\n");
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(summary.totals.rejections.at(0).line, std::int64_t{2});
}

void RowCorporaTest::jsonLinesUnderAJsonNameAreRead()
{
    const auto summary = m_files->importText(task(1, "a", "r1") + task(2, "b", "r2"), "h100.json");
    QCOMPARE(summary.format, std::string("cuda-l1"));
    QCOMPARE(summary.totals.kernels, std::int64_t{2});
    QCOMPARE(m_files->text("SELECT DISTINCT hardware FROM origin"), std::string("H100"));
}

void RowCorporaTest::aTaskWithoutCodeIsNoCandidate()
{
    m_files->importText(task(1, "null", "r1", "null"), "h100.json");
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel"), std::string("no_candidate"));
    QVERIFY(m_files->isNull("SELECT claimed_correct FROM kernel"));
    QVERIFY(m_files->isNull("SELECT candidate_source_id FROM kernel"));
    QVERIFY(!m_files->isNull("SELECT reference_source_id FROM kernel"));
}

void RowCorporaTest::theSameKernelOnFiveGpusIsOneKernelWithFiveOrigins()
{
    ingest::ImportOptions options;
    options.corpusName = "cuda-l1";
    int score = 1;
    for (const char* gpu : {"a100", "h100", "h20", "l40", "rtx_3090"})
        m_files->importText(task(1, "same", "reference", std::to_string(++score) + ".5"), std::string(gpu) + ".json", "",
                            options);
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel"), std::int64_t{1});
    QCOMPARE(m_files->text("SELECT group_concat(hardware) FROM (SELECT hardware FROM origin ORDER BY hardware)"),
             std::string("A100,H100,H20,L40,RTX3090"));
}

void RowCorporaTest::theClaimHoldsScoresAndNoSources()
{
    m_files->importText(task(1, "candidate text", "reference text"), "h100.json");
    QCOMPARE(m_files->text("SELECT claim FROM kernel"), std::string(R"({"level_id":1,"task_id":1,"score_default":2.75})"));
}

void RowCorporaTest::everyTraceIsARowAndTheSolutionIsOneKernel()
{
    const auto summary = m_files->importText(trace("\"s\"", "PASSED", kTimed + "2.0}") + trace("\"s\"", "PASSED", kTimed + "8.0}")
                                             + trace("\"t\"", "PASSED", kTimed + "1.0}"));
    QCOMPARE(summary.format, std::string("flashinfer-trace"));
    QCOMPARE(summary.totals.kept, std::int64_t{3});
    QCOMPARE(summary.totals.kernels, std::int64_t{2});
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel WHERE external_id = 'rmsnorm_h128/s'"), std::string("accepted"));
    QVERIFY(std::abs(m_files->real("SELECT claimed_speedup FROM kernel WHERE external_id = 'rmsnorm_h128/s'") - 4.0) < 1e-12);
    QCOMPARE(m_files->number("SELECT count(*) FROM origin WHERE external_id = 'rmsnorm_h128/s' AND hardware = 'GPU A'"),
             std::int64_t{2});
    QCOMPARE(m_files->text("SELECT family FROM kernel LIMIT 1"), std::string("norm"));
}

void RowCorporaTest::oneFailedWorkloadRejectsTheSolution_data()
{
    QTest::addColumn<QString>("status");
    QTest::addColumn<QString>("claim");
    for (const char* status :
         {"INCORRECT_SHAPE", "INCORRECT_NUMERICAL", "INCORRECT_DTYPE", "RUNTIME_ERROR", "COMPILE_ERROR", "TIMEOUT"})
        QTest::newRow(status) << status << "rejected";
    QTest::newRow("a status of tomorrow") << "SKIPPED"
                                          << "unknown";
}

void RowCorporaTest::oneFailedWorkloadRejectsTheSolution()
{
    QFETCH(QString, status);
    QFETCH(QString, claim);
    m_files->importText(trace("\"s\"", "PASSED", kTimed + "2.0}") + trace("\"s\"", status.toStdString()));
    QCOMPARE(m_files->text("SELECT claim_status FROM kernel"), claim.toStdString());
    QVERIFY(m_files->isNull("SELECT claimed_speedup FROM kernel"));
    if (claim == "rejected")
        QCOMPARE(m_files->text("SELECT json_extract(claim, '$.evaluation.status') FROM kernel"), status.toStdString());
}

void RowCorporaTest::infinitiesWrittenAsTextAreKept()
{
    m_files->importText(trace("\"s\"", "INCORRECT_NUMERICAL",
                              R"(, "correctness": {"max_relative_error": "Infinity", "max_absolute_error": "NaN"})"));
    QCOMPARE(m_files->text("SELECT json_extract(claim, '$.evaluation.correctness.max_relative_error') FROM kernel"),
             std::string("Infinity"));
    QCOMPARE(m_files->text("SELECT json_extract(claim, '$.evaluation.correctness.max_absolute_error') FROM kernel"),
             std::string("NaN"));
}

void RowCorporaTest::aWorkloadWithoutASolutionIsRejected()
{
    const auto summary = m_files->importText(
        trace("\"s\"", "PASSED") + R"({"definition": "d", "workload": {}, "solution": null, "evaluation": null})" + "\n");
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(summary.totals.rejections.at(0).line, std::int64_t{2});
    QVERIFY(summary.totals.rejections.at(0).reason.find("without a solution") != std::string::npos);
}

void RowCorporaTest::solutionsOfSeveralFilesBecomeOneText()
{
    m_files->write("t/solutions/a/s.json",
                   R"({"name": "s", "definition": "rmsnorm_h128", "spec": {"language": "cuda", "entry_point": "main.cpp::run"},
        "sources": [{"path": "kernel.cu", "content": "__global__"}, {"path": "main.py", "content": "run"}]})");
    m_files->write("t/traces/rmsnorm_h128.jsonl", trace("\"s\"", "PASSED"));
    const auto summary = m_files->import(m_files->path("t"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(m_files->text("SELECT language || ' ' || entry_point || ' ' || claim_status FROM kernel"),
             std::string("cuda main.cpp::run accepted"));
    QCOMPARE(m_files->number("SELECT bytes FROM source"),
             static_cast<std::int64_t>(std::string("// file: kernel.cu\n__global__\n# file: main.py\nrun").size()));
}

void RowCorporaTest::sourcesWithoutContentAreReadBesideTheSolution()
{
    m_files->write(
        "k/038_norm/solution.json",
        R"({"name": "s", "definition": "norm", "spec": {"languages": ["cuda_cpp"]}, "sources": [{"path": "kernel.cu"}]})");
    m_files->write("k/038_norm/kernel.cu", "__global__ void f();");
    const auto summary = m_files->import(m_files->path("k"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(m_files->number("SELECT bytes FROM source"), std::int64_t{20});
    QCOMPARE(m_files->text("SELECT language FROM kernel"), std::string("cuda"));
}

void RowCorporaTest::aSourceOutsideTheFolderIsNeverRead()
{
    m_files->write("secret.cu", "secret");
    m_files->write(
        "k/a/solution.json",
        R"({"name": "s", "definition": "d", "spec": {}, "sources": [{"path": "../../secret.cu"}, {"path": "x.py", "content": "half"}]})");
    m_files->write("k/b/solution.json",
                   R"({"name": "t", "definition": "d", "spec": {}, "sources": [{"path": ")" + m_files->path("secret.cu").string()
                       + "\"}]}");
    const auto summary = m_files->import(m_files->path("k"));
    QCOMPARE(summary.totals.rejected, std::int64_t{2});
    QCOMPARE(m_files->number("SELECT count(*) FROM source"), std::int64_t{0});
}

void RowCorporaTest::definitionsGiveReferences()
{
    m_files->write("t/definitions/rmsnorm/rmsnorm_h128.json",
                   R"({"name": "rmsnorm_h128", "op_type": "rmsnorm", "reference": "def run(x): pass"})");
    m_files->write("t/traces/x.jsonl", trace("\"s\"", "PASSED"));
    m_files->write("t/workloads/w.jsonl",
                   R"({"definition": "rmsnorm_h128", "workload": {}, "solution": null, "evaluation": null})");
    const auto summary = m_files->import(m_files->path("t"));
    QCOMPARE(summary.totals.rejected, std::int64_t{0});
    QCOMPARE(m_files->number("SELECT bytes FROM source JOIN kernel ON source.id = reference_source_id"), std::int64_t{16});
}

void RowCorporaTest::anEmptyTraceFileDoesNotTakeTheTreeWithIt()
{
    m_files->write("t/traces/a.jsonl", "");
    m_files->write("t/traces/b.jsonl", trace("\"s\"", "PASSED"));
    const auto summary = m_files->import(m_files->path("t"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(summary.totals.rejections.at(0).item, std::string("traces/a.jsonl"));
}

void RowCorporaTest::theRealCudaL1FileIsRead()
{
    ASSAY_REQUIRE_SHARED(shared);
    const auto summary = m_files->import((shared + "/corpora/cuda-l1/h100.json").toStdString());
    QCOMPARE(summary.totals.kept, std::int64_t{250});
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE claim_status = 'no_candidate'"), std::int64_t{23});
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE claim_status = 'accepted'"), std::int64_t{227});
    const auto again = m_files->import((shared + "/corpora/cuda-l1/h100.json").toStdString());
    QCOMPARE(again.totals.alreadyPresent, std::int64_t{250});
}

QTEST_APPLESS_MAIN(RowCorporaTest)
#include "tst_row_corpora.moc"
