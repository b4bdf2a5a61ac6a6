// SPDX-License-Identifier: Apache-2.0
#include "core/text/error.h"
#include "import_fixture.h"
#include "tests/support/shared_data.h"

using namespace assay;
using assay::tests::ImportFixture;

namespace {

const std::string kKernel = "import torch\nclass ModelNew:\n    pass\n";

std::string record(int sample, const std::string& compiled, const std::string& correct, const std::string& runtime,
                   const std::string& more = "")
{
    return R"({"sample_id": )" + std::to_string(sample) + R"(, "compiled": )" + compiled + R"(, "correctness": )" + correct
        + R"(, "metadata": {"hardware": "GPU A"}, "runtime": )" + runtime + R"(, "runtime_stats": {})" + more + "}";
}

/// One record of the harness that keeps code/ beside evaluation/.
std::string accepted(const std::string& kernel, const std::string& time = "2025-12-12T10:00:00",
                     const std::string& score = "1.25")
{
    return R"({"timestamp": ")" + time
        + R"(", "reference_file": "KernelBench/level1/19_ReLU.py", "candidate_file": "/home/x/run/r/19_ReLU/code/)" + kernel
        + R"(", "tolerance": 0.001, "max_abs_err": 4194304.0, "runnable": true, "phase": "seed", "score": )" + score + "}\n";
}

std::string failed(const std::string& message, const std::string& type = "RuntimeError")
{
    return R"({"runnable": false, "phase": "seed", "error_type": ")" + type + R"(", "message": ")" + message + "\"}\n";
}

} // namespace

class RunFoldersTest : public QObject {
    Q_OBJECT

private slots:
    void init() { m_files = std::make_unique<ImportFixture>(); }

    void kernelsAndRecordsOfARunMeet();
    void recordsComeAsAListAsOneOrBySample();
    void whatIsNoRecordIsRejectedWithItsByte();
    void aRuntimeOfMinusOneIsNotTimed();
    void baselinesOfTheSameHardwareGiveASpeedup();
    void kernelsWithoutRecordsHaveNoClaim();
    void recordsWithoutKernelsAreKeptAndTheirKernelsAttachLater();
    void referencesComeFromAProblemFolder();
    void theSameProblemWithOtherShapesIsAnotherKernel();
    void theSameKernelInTwoRunsIsOneKernelWithTwoOrigins();
    void linksBetweenRunsAreFollowedInsideTheRoot();
    void linksOutOfTheRootAreRejectedAndTheResultKept();
    void rowsOfSeveralShapesAreAllKept();
    void generationFailuresAreNoVerdictOnAKernel();
    void unreadablePythonIsKept();
    void perProblemRecordsAreReadWhereNoCollectionRepeatsThem();
    void aBrokenRecordFileDoesNotTakeTheKernelsWithIt();
    void aNumberOfTwentyDigitsInAFileNameIsNoKernel();
    void importingARunTwiceAddsNothing();
    void summariesAndSettingsAreRefusedInOneLine();

    void acceptedRecordsNameTheirKernel();
    void rejectedRecordsAreLinkedByOrderAndSaySo();
    void aTracebackThatNamesItsKernelBeatsOrder();
    void aKernelThatNobodyJudgedIsKept();
    void claimsKeepToleranceErrorAndTraceback();
    void itemNamesDoNotDependOnWhereTheImportStarts();
    void aRecordAloneIsAResultWithoutSource();
    void aManifestNamesItsFiles();
    void aManifestCannotNameAFileOutside_data();
    void aManifestCannotNameAFileOutside();

    void theRealRunFolderIsReadWhole();
    void theRealRecordsAreRead();

private:
    std::string field(const std::string& id, const std::string& column)
    {
        return m_files->text("SELECT coalesce(" + column + ", 'NULL') FROM kernel WHERE external_id = '" + id + "'");
    }

    std::unique_ptr<ImportFixture> m_files;
};

void RunFoldersTest::kernelsAndRecordsOfARunMeet()
{
    m_files->write("run/level_1_problem_5_sample_0_kernel.py", kKernel);
    m_files->write("run/eval_results.json", "{\"5\": [" + record(0, "true", "true", "4.67") + "]}");
    const auto summary = m_files->import(m_files->path("run"));
    QCOMPARE(summary.format, std::string("kernelbench-run"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(field("run/level_1_problem_5_sample_0", "claim_status"), std::string("accepted"));
    QCOMPARE(field("run/level_1_problem_5_sample_0", "claim"), record(0, "true", "true", "4.67"));
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel JOIN source ON source.id = candidate_source_id"), std::int64_t{1});
    QCOMPARE(m_files->text("SELECT hardware FROM origin"), std::string("GPU A"));
}

void RunFoldersTest::recordsComeAsAListAsOneOrBySample()
{
    m_files->write("run/generation_config.yaml", "level: 2\nrun_name: run\n");
    m_files->write("run/eval_results.json",
                   "{\"1\": [" + record(0, "true", "true", "1") + "," + record(1, "true", "false", "1")
                       + "], \"2\": " + record(0, "false", "false", "-1.0") + ", \"3\": {\"0\": " + record(0, "true", "true", "1")
                       + ", \"7\": {\"compiled\": true, \"correctness\": null}}}");
    const auto summary = m_files->import(m_files->path("run"));
    QCOMPARE(summary.totals.kept, std::int64_t{5});
    QCOMPARE(field("run/level_2_problem_1_sample_1", "claim_status"), std::string("rejected"));
    QCOMPARE(field("run/level_2_problem_2_sample_0", "claim_status"), std::string("rejected"));
    QCOMPARE(field("run/level_2_problem_3_sample_0", "claim_status"), std::string("accepted"));
    QCOMPARE(field("run/level_2_problem_3_sample_7", "claim_status"), std::string("unknown"));
}

void RunFoldersTest::whatIsNoRecordIsRejectedWithItsByte()
{
    const std::string text = "{\"1\": [" + record(0, "true", "true", "1") + ", 17, {\"note\": 1}], \"x\": {}}";
    m_files->write("run/eval_results.json", text);
    const auto summary = m_files->import(m_files->path("run"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(summary.totals.rejected, std::int64_t{3});
    QCOMPARE(summary.totals.rejections[0].byte, static_cast<std::int64_t>(text.find("17")));
    QCOMPARE(summary.totals.rejections[0].item, std::string("eval_results.json/1/1"));
    QCOMPARE(summary.totals.rows, std::int64_t{4});
}

void RunFoldersTest::aRuntimeOfMinusOneIsNotTimed()
{
    m_files->write("run/eval_results.json",
                   "{\"1\": [" + record(0, "true", "true", "-1.0", R"(, "ref_runtime": 3.0)") + "], \"2\": ["
                       + record(0, "true", "true", "2.0", R"(, "ref_runtime": -1.0)") + "], \"3\": ["
                       + record(0, "true", "true", "2.0", R"(, "ref_runtime": 5.0)") + "]}");
    m_files->import(m_files->path("run"));
    QCOMPARE(field("run/problem_1_sample_0", "claimed_speedup"), std::string("NULL"));
    QCOMPARE(field("run/problem_2_sample_0", "claimed_speedup"), std::string("NULL"));
    QCOMPARE(field("run/problem_3_sample_0", "claimed_speedup"), std::string("2.5"));
}

void RunFoldersTest::baselinesOfTheSameHardwareGiveASpeedup()
{
    m_files->write("top/run/generation_config.yaml", "level: 1\n");
    m_files->write("top/run/eval_results.json", "{\"19\": [" + record(0, "true", "true", "2.0") + "]}");
    m_files->write("top/timing/a/baseline_time_torch.json", R"({"level1": {"19_ReLU.py": {"mean": 8.0, "hardware": "GPU A"}}})");
    m_files->write("top/timing/b/baseline_time_torch.json", R"({"level1": {"19_ReLU.py": {"mean": 2.0, "hardware": "GPU B"}}})");
    m_files->import(m_files->path("top"));
    QCOMPARE(field("run/level_1_problem_19_sample_0", "claimed_speedup"), std::string("4.0"));
}

void RunFoldersTest::kernelsWithoutRecordsHaveNoClaim()
{
    m_files->write("run/level_3_problem_2_sample_1_kernel.py", kKernel);
    m_files->write("run/level_3_problem_2_sample_2_kernel.py", "");
    const auto summary = m_files->import(m_files->path("run"));
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QCOMPARE(field("run/level_3_problem_2_sample_1", "claim_status"), std::string("unknown"));
    QCOMPARE(field("run/level_3_problem_2_sample_2", "claim_status"), std::string("no_candidate"));
}

void RunFoldersTest::recordsWithoutKernelsAreKeptAndTheirKernelsAttachLater()
{
    ingest::ImportOptions corpus;
    corpus.corpusName = "c";
    const auto file = m_files->write("run/eval_results.json", "{\"5\": [" + record(0, "true", "true", "1") + "]}");
    m_files->write("run/generation_config.yaml", "level: 1\n");
    QCOMPARE(m_files->import(file, "", corpus).totals.kernels, std::int64_t{1});
    m_files->write("run/level_1_problem_5_sample_0_kernel.py", kKernel);
    QCOMPARE(m_files->import(m_files->path("run"), "", corpus).totals.kernels, std::int64_t{0});
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE candidate_source_id IS NOT NULL"), std::int64_t{1});
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel"), std::int64_t{1});
}

void RunFoldersTest::referencesComeFromAProblemFolder()
{
    m_files->write("run/level_1_problem_19_sample_0_kernel.py", kKernel);
    m_files->write("suite/level1/19_ReLU.py", "reference");
    ingest::ImportOptions options;
    options.values["problems"] = m_files->path("suite").string();
    m_files->import(m_files->path("run"), "", options);
    QCOMPARE(m_files->text("SELECT title FROM kernel"), std::string("19_ReLU"));
    QCOMPARE(m_files->number("SELECT bytes FROM source JOIN kernel ON source.id = reference_source_id"), std::int64_t{9});
}

void RunFoldersTest::theSameProblemWithOtherShapesIsAnotherKernel()
{
    m_files->write("run/level_1_problem_19_sample_0_kernel.py", kKernel);
    m_files->write("v0/level1/19_ReLU.py", "N = 16");
    m_files->write("v1/level1/19_ReLU.py", "N = 4096");
    ingest::ImportOptions options;
    for (const char* version : {"v0", "v1"}) {
        options.corpusName = version;
        options.values["problems"] = m_files->path(version).string();
        QCOMPARE(m_files->import(m_files->path("run"), "", options).totals.kernels, std::int64_t{1});
    }
    QCOMPARE(m_files->number("SELECT count(DISTINCT reference_source_id) FROM kernel"), std::int64_t{2});
    QCOMPARE(m_files->number("SELECT count(DISTINCT candidate_source_id) FROM kernel"), std::int64_t{1});
}

void RunFoldersTest::theSameKernelInTwoRunsIsOneKernelWithTwoOrigins()
{
    m_files->write("top/KernelBench/level1/19_ReLU.py", "reference");
    for (const char* run : {"runs/one", "runs/two"})
        m_files->write("top/" + std::string(run) + "/level_1_problem_19_sample_0_kernel.py", kKernel);
    const auto summary = m_files->import(m_files->path("top"));
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QCOMPARE(summary.totals.kernels, std::int64_t{1});
    QCOMPARE(m_files->number("SELECT count(*) FROM origin"), std::int64_t{2});
}

void RunFoldersTest::linksBetweenRunsAreFollowedInsideTheRoot()
{
    m_files->write("runs/all/generated_kernels/level_1/problem_1.py", "one");
    m_files->write("runs/all/generated_kernels/level_1/problem_2.py", "two");
    m_files->write("runs/retimed/eval_results.json", "{}");
    std::filesystem::create_symlink("../all/generated_kernels/level_1/problem_1.py",
                                    m_files->path("runs/retimed/level_1_problem_1_sample_0_kernel.py"));
    // A checkout without links holds the link's text in a file.
    m_files->write("runs/retimed/level_1_problem_2_sample_0_kernel.py", "../all/generated_kernels/level_1/problem_2.py");
    const auto summary = m_files->import(m_files->path("runs"));
    QCOMPARE(summary.totals.kept, std::int64_t{4});
    QCOMPARE(summary.totals.rejected, std::int64_t{0});
    QCOMPARE(m_files->number("SELECT count(*) FROM source"), std::int64_t{2});
}

void RunFoldersTest::linksOutOfTheRootAreRejectedAndTheResultKept()
{
    m_files->write("elsewhere/secret.py", "secret");
    m_files->write("run/eval_results.json", "{\"1\": [" + record(0, "true", "true", "1") + "]}");
    m_files->write("run/generation_config.yaml", "level: 1\n");
    std::filesystem::create_symlink("../elsewhere/secret.py", m_files->path("run/level_1_problem_1_sample_0_kernel.py"));
    m_files->write("run/level_1_problem_2_sample_0_kernel.py", "../elsewhere/secret.py");
    m_files->write("run/level_1_problem_3_sample_0_kernel.py", m_files->path("elsewhere/secret.py").string());
    const auto summary = m_files->import(m_files->path("run"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(summary.totals.rejected, std::int64_t{3});
    QCOMPARE(summary.totals.rows, std::int64_t{4});
    QCOMPARE(m_files->number("SELECT count(*) FROM source"), std::int64_t{0});
    for (const auto& rejection : summary.totals.rejections)
        QVERIFY(rejection.reason.find("leads out of the imported folder") != std::string::npos);
}

void RunFoldersTest::rowsOfSeveralShapesAreAllKept()
{
    const std::string head
        = R"({"level": 1, "problem_name": "1_Add.py", "generated_kernel_path": "runs/r/generated_kernels/level_1/problem_)";
    const std::string rows = head + R"(1.py", "problem_id": 1, "status": "evaluated", "eval_result": )"
        + record(0, "true", "true", "-1.0") + "}\n" + head
        + R"(2.py", "problem_id": 2, "status": "static_failed", "static_errors": ["Missing __global__ kernel definition"]})"
        + "\n" + head + R"(3.py", "problem_id": 3, "status": "evaluation_error", "error": "Isolated evaluator failed."})" + "\n"
        + R"({"level": 1, "status": "evaluated"})" + "\n";
    m_files->write("runs/r/generated_kernels/level_1/problem_1.py", kKernel);
    m_files->write("runs/r/results.jsonl", rows);
    const auto summary = m_files->import(m_files->path("runs"));
    QCOMPARE(summary.totals.kept, std::int64_t{3});
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    QCOMPARE(summary.totals.rejections[0].line, std::int64_t{4});
    QCOMPARE(field("r/level_1_problem_1_sample_0", "claim_status"), std::string("accepted"));
    QCOMPARE(field("r/level_1_problem_2_sample_0", "claim_status"), std::string("rejected"));
    QCOMPARE(field("r/level_1_problem_3_sample_0", "claim_status"), std::string("unknown"));
    QCOMPARE(field("r/level_1_problem_1_sample_0", "title"), std::string("1_Add"));
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE candidate_source_id IS NOT NULL"), std::int64_t{1});
}

void RunFoldersTest::generationFailuresAreNoVerdictOnAKernel()
{
    m_files->importText(
        R"({"level": 1, "problem_id": 6, "status": "generation_error", "error": "Error code: 500"})"
        "\n"
        R"({"level": 1, "problem_id": 7, "status": "evaluated", "error": "'NoneType' object is not subscriptable"})"
        "\n"
        R"({"level": 1, "problem_id": 8, "status": "generation_error", "error": "CUDA error", "traceback": "in eval_kernel_against_ref"})"
        "\n");
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE claim_status = 'generation_failed' AND claimed_correct IS NULL"),
             std::int64_t{2});
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE claim_status = 'unknown'"), std::int64_t{1});
}

void RunFoldersTest::unreadablePythonIsKept()
{
    m_files->write("run/level_1_problem_1_sample_0_kernel.py", "def broken(:\n");
    m_files->write(
        "run/eval_results.json",
        R"({"1": [{"sample_id": 0, "compiled": false, "correctness": false, "metadata": {"compilation_error_name": "SyntaxError"}, "runtime": -1.0}]})");
    m_files->import(m_files->path("run"));
    QCOMPARE(field("run/level_1_problem_1_sample_0", "claim_status"), std::string("load_failed"));
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE candidate_source_id IS NOT NULL"), std::int64_t{1});
}

void RunFoldersTest::perProblemRecordsAreReadWhereNoCollectionRepeatsThem()
{
    const std::string row
        = R"({"level": 1, "problem_id": 4, "status": "evaluated", "eval_result": )" + record(0, "true", "true", "1") + "}";
    m_files->write("one/run/per_problem/level_1/problem_4.json", row);
    m_files->write("one/run/eval_results.json", "{}");
    QCOMPARE(m_files->import(m_files->path("one")).totals.rows, std::int64_t{1});
    m_files->write("two/run/per_problem/level_1/problem_4.json", row);
    m_files->write("two/run/results.jsonl", row + "\n");
    m_files->write("two/run/eval_results.json", "{}");
    QCOMPARE(m_files->import(m_files->path("two")).totals.rows, std::int64_t{1});
}

void RunFoldersTest::aBrokenRecordFileDoesNotTakeTheKernelsWithIt()
{
    m_files->write("run/level_1_problem_1_sample_0_kernel.py", kKernel);
    m_files->write("run/eval_results.json", "{\"1\": [{\"sample_id\": 0, \"comp");
    m_files->write("run/results.jsonl", "");
    const auto summary = m_files->import(m_files->path("run"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(summary.totals.rejected, std::int64_t{2});
}

void RunFoldersTest::aNumberOfTwentyDigitsInAFileNameIsNoKernel()
{
    m_files->write("run/level_1_problem_1_sample_0_kernel.py", kKernel);
    m_files->write("run/level_1_problem_12345678901234567890_sample_0_kernel.py", kKernel);
    m_files->write("run/generated_kernels/level_1/problem_12345678901234567890.py", kKernel);
    QCOMPARE(m_files->import(m_files->path("run")).totals.rows, std::int64_t{1});
}

void RunFoldersTest::importingARunTwiceAddsNothing()
{
    m_files->write("run/level_1_problem_5_sample_0_kernel.py", kKernel);
    m_files->write("run/level_1_problem_6_sample_0_kernel.py", kKernel + "# other\n");
    m_files->write("run/eval_results.json", "{\"5\": [" + record(0, "true", "true", "4.67") + "]}");
    m_files->import(m_files->path("run"));
    const auto again = m_files->import(m_files->path("run"));
    QCOMPARE(again.totals.rows, std::int64_t{2});
    QCOMPARE(again.totals.alreadyPresent, std::int64_t{2});
    QCOMPARE(m_files->number("SELECT count(*) FROM origin"), std::int64_t{2});
}

void RunFoldersTest::summariesAndSettingsAreRefusedInOneLine()
{
    const auto summary
        = m_files->write("summary.json", R"({"accuracy_all": 0.5, "compile_rate_all": 0.9, "expected_total": 270})");
    const auto settings = m_files->write("generation_config.yaml", "dataset_src: huggingface\nlevel: 1\nrun_name: r\n");
    for (const auto& file : {summary, settings}) {
        try {
            m_files->import(file);
            QFAIL("imported");
        } catch (const Error& error) {
            QVERIFY(error.problem().find("no kernels") != std::string::npos);
            QVERIFY(std::string(error.what()).find('\n') == std::string::npos);
        }
    }
}

void RunFoldersTest::acceptedRecordsNameTheirKernel()
{
    m_files->write("corpus/results/level1/19_ReLU/code/kernel_20251212_100000.py", kKernel);
    m_files->write("corpus/results/level1/19_ReLU/code/kernel_20251212_110000.py", kKernel + "# second\n");
    m_files->write("corpus/results/level1/19_ReLU/evaluation/eval_0097.json", accepted("kernel_20251212_110000.py"));
    m_files->write("corpus/KernelBench/level1/19_ReLU.py", "reference");
    const auto summary = m_files->import(m_files->path("corpus"));
    QCOMPARE(summary.format, std::string("record-folder"));
    QCOMPARE(m_files->text("SELECT path FROM origin WHERE external_id = 'level1/19_ReLU/eval_0097'"),
             std::string("results/level1/19_ReLU/code/kernel_20251212_110000.py"));
    QCOMPARE(m_files->number("SELECT inferred FROM origin WHERE external_id = 'level1/19_ReLU/eval_0097'"), std::int64_t{0});
    QCOMPARE(field("level1/19_ReLU/eval_0097", "claimed_speedup"), std::string("1.25"));
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE reference_source_id IS NOT NULL"), std::int64_t{2});
}

void RunFoldersTest::rejectedRecordsAreLinkedByOrderAndSaySo()
{
    for (const char* time : {"100000", "110000", "120000"})
        m_files->write("r/19_ReLU/code/kernel_20251212_" + std::string(time) + ".py", kKernel + time);
    m_files->write("r/19_ReLU/evaluation/eval_0001.json", failed("boom"));
    m_files->write("r/19_ReLU/evaluation/eval_0002.json", accepted("kernel_20251212_110000.py"));
    m_files->write("r/19_ReLU/evaluation/eval_0003.json", failed("bang"));
    m_files->import(m_files->path("r"));
    const auto link = [this](const char* id) {
        return m_files->text("SELECT path || ' ' || inferred FROM origin WHERE external_id = '" + std::string(id) + "'");
    };
    QCOMPARE(link("19_ReLU/eval_0001"), std::string("19_ReLU/code/kernel_20251212_100000.py 1"));
    QCOMPARE(link("19_ReLU/eval_0002"), std::string("19_ReLU/code/kernel_20251212_110000.py 0"));
    QCOMPARE(link("19_ReLU/eval_0003"), std::string("19_ReLU/code/kernel_20251212_120000.py 1"));
    QCOMPARE(field("19_ReLU/eval_0001", "claim_status"), std::string("rejected"));
}

void RunFoldersTest::aTracebackThatNamesItsKernelBeatsOrder()
{
    m_files->write("r/19_ReLU/code/kernel_20251212_100000.py", kKernel);
    m_files->write("r/19_ReLU/code/kernel_20251212_110000.py", kKernel + "#2");
    m_files->write("r/19_ReLU/evaluation/eval_0001.json",
                   failed(R"(File \"/home/x/19_ReLU/code/kernel_20251212_110000.py\", line 3)"));
    m_files->import(m_files->path("r"));
    QCOMPARE(m_files->text("SELECT path FROM origin WHERE external_id = '19_ReLU/eval_0001'"),
             std::string("19_ReLU/code/kernel_20251212_110000.py"));
    QCOMPARE(m_files->number("SELECT inferred FROM origin WHERE external_id = '19_ReLU/eval_0001'"), std::int64_t{1});
}

void RunFoldersTest::aKernelThatNobodyJudgedIsKept()
{
    m_files->write("r/19_ReLU/code/kernel_20251212_100000.py", kKernel);
    m_files->write("r/19_ReLU/evaluation/notes.txt", "");
    QCOMPARE(m_files->import(m_files->path("r")).totals.kept, std::int64_t{1});
    QCOMPARE(field("19_ReLU/kernel_20251212_100000", "claim_status"), std::string("unknown"));
}

void RunFoldersTest::claimsKeepToleranceErrorAndTraceback()
{
    m_files->importText(accepted("gone.py"), "eval_0001.json");
    m_files->importText(failed("Traceback:\\n  in f\\nValueError: max_abs_err=nan"), "eval_0002.json");
    QCOMPARE(m_files->real("SELECT json_extract(claim, '$.tolerance') FROM kernel WHERE claimed_correct = 1"), 0.001);
    QCOMPARE(m_files->real("SELECT json_extract(claim, '$.max_abs_err') FROM kernel WHERE claimed_correct = 1"), 4194304.0);
    QCOMPARE(m_files->text("SELECT json_extract(claim, '$.message') FROM kernel WHERE claimed_correct = 0"),
             std::string("Traceback:\n  in f\nValueError: max_abs_err=nan"));
}

void RunFoldersTest::itemNamesDoNotDependOnWhereTheImportStarts()
{
    m_files->write("t/results/level1/19_ReLU/code/kernel_20251212_100000.py", kKernel);
    m_files->write("t/results/level1/19_ReLU/evaluation/eval_0001.json", accepted("kernel_20251212_100000.py"));
    int corpus = 0;
    for (const char* start : {"t", "t/results", "t/results/level1", "t/results/level1/19_ReLU"}) {
        ingest::ImportOptions options;
        options.corpusName = std::to_string(corpus++);
        m_files->import(m_files->path(start), "record-folder", options);
    }
    QCOMPARE(m_files->text("SELECT group_concat(DISTINCT external_id) FROM origin"), std::string("level1/19_ReLU/eval_0001"));
}

void RunFoldersTest::aRecordAloneIsAResultWithoutSource()
{
    m_files->write("alone/x.py", kKernel);
    m_files->importText(accepted("kernel_20251212_100000.py"), "alone/eval_0001.json");
    QCOMPARE(m_files->text("SELECT external_id || ' ' || title FROM kernel"), std::string("alone/eval_0001 19_ReLU"));
    QVERIFY(m_files->isNull("SELECT candidate_source_id FROM kernel"));
}

void RunFoldersTest::aManifestNamesItsFiles()
{
    m_files->write(
        "m/L1/19_ReLU/manifest.json",
        R"({"level": "L1", "name": "19_ReLU", "files": {"original": "original.py", "kernel": "k.py"}, "route": "a", "verify": {"passed": true}})");
    m_files->write("m/L1/19_ReLU/k.py", "def kernel_function(x): return x\n");
    m_files->write("m/L1/19_ReLU/original.py", "reference");
    const auto summary = m_files->import(m_files->path("m"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(m_files->text("SELECT external_id || ' ' || title || ' ' || claim_status || ' ' || entry_point FROM kernel"),
             std::string("L1/19_ReLU 19_ReLU accepted kernel_function"));
    QCOMPARE(m_files->number("SELECT count(*) FROM source"), std::int64_t{2});
}

void RunFoldersTest::aManifestCannotNameAFileOutside_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("climbs") << "../../outside.py";
    QTest::newRow("absolute") << QString::fromStdString(std::filesystem::absolute("outside.py").string());
}

void RunFoldersTest::aManifestCannotNameAFileOutside()
{
    QFETCH(QString, name);
    m_files->write("outside.py", "secret");
    m_files->write("m/a/manifest.json", R"({"route": "a", "files": {"kernel": ")" + name.toStdString() + "\"}}");
    const auto summary = m_files->import(m_files->path("m"));
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    QCOMPARE(m_files->number("SELECT count(*) FROM source"), std::int64_t{0});
}

void RunFoldersTest::theRealRunFolderIsReadWhole()
{
    ASSAY_REQUIRE_SHARED(shared);
    const auto summary = m_files->import((shared + "/corpora/samples/kernelbench-run").toStdString());
    // 54 evaluations, 270 rows of mixed shapes, one record of another run.
    QCOMPARE(summary.totals.kept, std::int64_t{325});
    QCOMPARE(summary.totals.rejected, std::int64_t{0});
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE claim_status = 'generation_failed'"), std::int64_t{15});
    QCOMPARE(m_files->number("SELECT count(*) FROM kernel WHERE claimed_speedup IS NOT NULL"), std::int64_t{0});
}

void RunFoldersTest::theRealRecordsAreRead()
{
    ASSAY_REQUIRE_SHARED(shared);
    const auto summary = m_files->import((shared + "/corpora/samples/llmkernel").toStdString());
    QCOMPARE(summary.totals.kept, std::int64_t{2});
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    QCOMPARE(summary.totals.rejections[0].item, std::string("usage_crlf.csv"));
    QCOMPARE(m_files->text("SELECT title FROM kernel WHERE claimed_correct = 0"), std::string("100_HingeLoss"));
}

QTEST_APPLESS_MAIN(RunFoldersTest)
#include "tst_run_folders.moc"
