// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/import.h"

#include "core/text/error.h"
#include "import_fixture.h"

#include <array>
#include <random>

using namespace assay;
using tests::auditRow;
using tests::gate;
using tests::ImportFixture;

namespace {

constexpr int kInputs = 2000;

/// One well-formed file of every kind that is read from a single file.
std::vector<std::string> wellFormed()
{
    const std::string source = R"(import triton\n@triton.jit\ndef k(): pass\nclass ModelNew: pass)";
    std::string audit;
    for (int i = 0; i < 4; ++i)
        audit += auditRow(i, gate("CMP-01", "fail", "random[0]: max_err=1.0e+22 > atol=6.0e+21 (scaled); zeros: shape mismatch"))
            + "\n";
    return {
        audit,
        tests::gzip(audit),
        R"({"joined_rows": 3, "cells_paper_era": {"a": 1, "b": [NaN, "x", {"c": -1.5e3}]}, "ok": true})",
        "Autotuning kernel f with config BLOCK: 32\nAutotuning kernel f with config BLOCK: 64\n",
        R"({"id": "a/1", "reference_source": "import torch", "candidate_source": ")" + source
            + R"(", "claim": {"score": 0.5}, "claimed_correct": true})" + "\n"
            + R"({"id": "a/2", "candidate_source": null, "reference_source": "r"})" + "\n",
        R"({"level_id": 1, "task_id": 2, "ref_code": "import torch", "custom_code": ")" + source
            + R"(", "cuda_graph_code": null, "score_default": 1.5})" + "\n"
            + R"({"level_id": 1, "task_id": 3, "ref_code": "import torch", "custom_code": null})" + "\n",
        R"({"timestamp": "t", "task_id": "7", "base_task_id": "7", "toolkit": "kb", "backend": "triton", "result": {"task_id": "7", "status": "completed", )"
        R"("compiled": true, "correctness": true, "speedup": 2.0, "metadata": {}}})"
        "\n",
        R"({"definition": "gemm", "workload": {"axes": {"M": 4}, "inputs": {}, "uuid": "u"}, "solution": "s", "evaluation": {"status": "PASSED", )"
        R"("correctness": {"max_relative_error": "Infinity", "max_absolute_error": 0.1}, "performance": {"latency_ms": 1.0, "speedup_factor": 2.0}}})"
        "\n",
        R"([{"id": 1, "code": ")" + source
            + R"(", "correct": true}, {"id": 2, "code": "", "turns": [{"role": "user", "content": "x"}]}])",
        "problem,code,Correct\n1,\"import triton\nx = \"\"1\"\"\",True\n2,,False\n",
        R"({"5": [{"sample_id": 0, "compiled": true, "correctness": true, "metadata": {"hardware": "x"}, "runtime": 4.6}], "6": {"sample_id": 0}})",
    };
}

/// Changes a text the way disks, editors and programs do. Seeded, so that a failure repeats.
class Mutator {
public:
    explicit Mutator(std::uint32_t seed)
        : m_random(seed)
    {
    }

    std::string mutate(std::string text)
    {
        for (int i = below(4); i >= 0; --i)
            mutateOnce(text);
        return text;
    }

    int below(std::size_t limit)
    {
        return static_cast<int>(m_random() % static_cast<std::uint32_t>(std::max<std::size_t>(limit, 1)));
    }

private:
    void mutateOnce(std::string& text)
    {
        static constexpr std::array<std::string_view, 20> kTokens = {"NaN",
                                                                     "-Infinity",
                                                                     "1e400",
                                                                     "9007199254740993",
                                                                     "123456789012345678901234567890",
                                                                     "null",
                                                                     "{}",
                                                                     "[]",
                                                                     "\"",
                                                                     "\\",
                                                                     "\n",
                                                                     "\r\n",
                                                                     ",",
                                                                     ":",
                                                                     "{\"id\":",
                                                                     "[[[[[[",
                                                                     "\xFF",
                                                                     "\xEF\xBB\xBF",
                                                                     "\\ud800",
                                                                     "; zeros: max_err="};
        const auto at = static_cast<std::size_t>(below(text.size() + 1));
        const auto length = static_cast<std::size_t>(below(40));
        switch (below(7)) {
        case 0:
            text.insert(at, kTokens[static_cast<std::size_t>(below(kTokens.size()))]);
            break;
        case 1:
            text.erase(at, length);
            break;
        case 2:
            text.resize(at);
            break;
        case 3:
            if (at < text.size())
                text[at] = static_cast<char>(m_random() & 0xFF);
            break;
        case 4:
            text.insert(at, text.substr(static_cast<std::size_t>(below(text.size() + 1)), length * 4));
            break;
        case 5:
            if (at < text.size())
                text.replace(at, std::min(length / 4, text.size() - at),
                             kTokens[static_cast<std::size_t>(below(kTokens.size()))]);
            break;
        default:
            if (at < text.size())
                text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        }
    }

    std::mt19937 m_random;
};

std::int64_t storedRows(ImportFixture& store)
{
    return store.number(
        "SELECT (SELECT count(*) FROM import_file) + (SELECT count(*) FROM kernel) + (SELECT count(*) FROM verdict) "
        "+ (SELECT count(*) FROM origin) + (SELECT count(*) FROM rejection) + (SELECT count(*) FROM published_document)");
}

/// Imports @p path and checks that rows are accounted for, or that a refusal in one line left nothing behind.
bool importsOrRefuses(ImportFixture& store, const std::filesystem::path& path, const std::string& format)
{
    const std::int64_t before = storedRows(store);
    try {
        const store::WriterTotals totals = store.import(path, format).totals;
        return totals.rows == totals.kept + totals.alreadyPresent + totals.rejected
            && static_cast<std::int64_t>(totals.rejections.size()) == std::min<std::int64_t>(totals.rejected, 1000);
    } catch (const store::DatabaseError& error) {
        qWarning("%s", error.what());
        return false;
    } catch (const Error&) {
        return storedRows(store) == before;
    }
}

} // namespace

class ImportFuzzTest : public QObject {
    Q_OBJECT

private slots:
    void wellFormedFilesAreNotRefused();
    void mutatedFilesNeverCrashAndEveryRowIsAccountedFor();
    void mutatedFoldersNeverCrashAndEveryRowIsAccountedFor();
};

void ImportFuzzTest::wellFormedFilesAreNotRefused()
{
    ImportFixture store;
    // The first five are this suite's own formats; the others have tests of their own for what they keep.
    const std::vector<std::string> files = wellFormed();
    for (std::size_t i = 0; i < 5; ++i) {
        const auto summary = store.importText(files[i], "file" + std::to_string(i));
        QVERIFY2(summary.totals.kept > 0, std::to_string(i).c_str());
        QCOMPARE(summary.totals.rejected, std::int64_t{0});
    }
}

void ImportFuzzTest::mutatedFilesNeverCrashAndEveryRowIsAccountedFor()
{
    ImportFixture store;
    // Speed, not safety: what a power cut does to a file is another test's matter.
    store.database->sqlite().exec("PRAGMA synchronous = OFF");
    const std::vector<std::string> seeds = wellFormed();
    std::vector<std::string> formats = {""};
    for (const auto& importer : ingest::importers()) {
        if (importer->format() != "parquet") // read by another program, which has its own tests
            formats.emplace_back(importer->format());
    }
    for (int i = 0; i < kInputs; ++i) {
        Mutator mutator(static_cast<std::uint32_t>(i));
        const std::string& seed = seeds[static_cast<std::size_t>(i) % seeds.size()];
        // Two in three are recognised by content, the others are forced upon some importer.
        const std::string format = i % 3 != 0 ? "" : formats[static_cast<std::size_t>(mutator.below(formats.size()))];
        const auto file = store.write("input", mutator.mutate(seed));
        QVERIFY2(importsOrRefuses(store, file, format),
                 qPrintable(QStringLiteral("input %1 as \"%2\"").arg(i).arg(QString::fromStdString(format))));
    }
    QCOMPARE(store.text("PRAGMA integrity_check"), std::string("ok"));
    QCOMPARE(store.number("SELECT count(*) FROM import_file WHERE rows <> kept + already_present + rejected"), std::int64_t{0});
}

void ImportFuzzTest::mutatedFoldersNeverCrashAndEveryRowIsAccountedFor()
{
    ImportFixture store;
    store.database->sqlite().exec("PRAGMA synchronous = OFF");
    const std::string results
        = R"({"5": [{"sample_id": 0, "compiled": true, "correctness": true, "metadata": {"hardware": "x"}, "runtime": 4.6}]})";
    const std::string record
        = R"({"reference_file": "KernelBench/level1/19_ReLU.py", "candidate_file": "/home/x/kernel_1.py", "tolerance": 0.1, )"
          R"("max_abs_err": 0.5, "runnable": true, "phase": "seed", "score": 0.7})";
    for (int i = 0; i < kInputs / 20; ++i) {
        Mutator mutator(static_cast<std::uint32_t>(i));
        std::filesystem::remove_all(store.path("run"));
        store.write("run/level_1_problem_5_sample_0_kernel.py", mutator.mutate("import triton\nclass ModelNew: pass\n"));
        store.write("run/eval_results.json", mutator.mutate(results));
        store.write("run/generation_config.yaml", mutator.mutate("level: 1\nrun_name: x\n"));
        store.write("run/evaluation/eval_0001.json", mutator.mutate(record));
        store.write("run/code/kernel_1.py", "import triton\n");
        QVERIFY2(importsOrRefuses(store, store.path("run"), ""), std::to_string(i).c_str());
    }
    QCOMPARE(store.text("PRAGMA integrity_check"), std::string("ok"));
}

QTEST_APPLESS_MAIN(ImportFuzzTest)
#include "tst_import_fuzz.moc"
