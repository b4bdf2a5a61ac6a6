// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/language.h"
#include "core/ingest/op_family.h"
#include "core/text/error.h"
#include "core/text/sha256.h"
#include "import_fixture.h"
#include "tests/support/shared_data.h"

using namespace assay;
using tests::ImportFixture;

namespace {

constexpr std::string_view kCandidate = "import triton\\n@triton.jit\\ndef k(): pass\\n";
constexpr std::string_view kReference = "import torch\\nclass Model: pass\\n";

/// A row as the corpus extractor writes them.
std::string corpusRow(const std::string& id, const std::string& claim, const std::string& candidate = std::string(kCandidate))
{
    return R"({"id": ")" + id
        + R"(", "suite": "KernelBench", "level": 1, "problem_id": 19, "problem_name": "19_ReLU", "op_family": "elementwise", )"
        + R"("reference_source": ")" + std::string(kReference) + R"(", "candidate_source": ")" + candidate
        + R"(", "claimed_correct": true, "claim": )" + claim
        + R"(, "claimed_speedup": 0.75, "origin_repo": "a/b", "origin_commit": "c0ffee", "origin_path": "results/k.py", "licence": "MIT"})";
}

std::string audited(const std::string& id)
{
    return R"({"id": ")" + id
        + R"(", "op_class": "elementwise", "status": "gated", "final_speedup": 1.5, "elapsed_s": 1.5, "gates": )"
        + R"({"EXC-01": {"status": "fail", "reason": "scattered_nan: NaN mask mismatch", "skipped": 0}}})";
}

} // namespace

class JsonLinesTest : public QObject {
    Q_OBJECT

private slots:
    void aCorpusRowKeepsSourcesClaimAndOrigin();
    void bigIntegersInAClaimKeepTheirDigits();
    void aSourceThatDoesNotHashToItsShaIsRejected();
    void resultsThatArriveLaterJoinTheSources();
    void sourcesThatArriveLaterJoinTheResults();
    void resultsThatNameTheirSourcesByHashJoinThem_data();
    void resultsThatNameTheirSourcesByHashJoinThem();
    void optionsSayWhichMemberIsWhich();
    void aPointerReachesIntoTheRow();
    void anUnknownOptionIsRefusedWithTheKnownOnes();
    void aRowWithoutTheAskedMemberIsRejected();
    void aNullCandidateIsARowWithoutAKernel();
    void rowsThatSayNothingOfAKernelAreRejected();
    void aRowWithoutAnIdIsNamedAfterItsLine();
    void withoutAClaimTheRestOfTheRowIsTheClaim();
    void sourcesKeepEveryByte();
    void theSameKernelUnderTwoIdsIsOneKernelWithTwoOrigins();
    void familiesComeFromTheNameElseFromTheReference_data();
    void familiesComeFromTheNameElseFromTheReference();
    void languagesAreReadFromTheText();
    void theExtractedCorpusImportsWhole();
};

void JsonLinesTest::aCorpusRowKeepsSourcesClaimAndOrigin()
{
    ImportFixture store;
    const auto summary = store.importText(corpusRow("llm/level1/eval_1", R"({"score": 0.75, "max_abs_err": NaN})") + "\n");
    QCOMPARE(summary.format, std::string("json-lines"));
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(store.text("SELECT external_id FROM kernel"), std::string("llm/level1/eval_1"));
    QCOMPARE(store.text("SELECT title FROM kernel"), std::string("19_ReLU"));
    QCOMPARE(store.text("SELECT family FROM kernel"), std::string("elementwise"));
    QCOMPARE(store.text("SELECT language FROM kernel"), std::string("triton"));
    QCOMPARE(store.text("SELECT claim FROM kernel"), std::string(R"({"score": 0.75, "max_abs_err": NaN})"));
    QCOMPARE(store.text("SELECT claim_status FROM kernel"), std::string("accepted"));
    QCOMPARE(store.real("SELECT claimed_speedup FROM kernel"), 0.75);
    QCOMPARE(store.text("SELECT repository || ' ' || revision || ' ' || path || ' ' || licence FROM origin"),
             std::string("a/b c0ffee results/k.py MIT"));
    QCOMPARE(store.number("SELECT count(*) FROM source"), std::int64_t{2});
    QCOMPARE(store.number("SELECT has_source FROM triage"), std::int64_t{1});
}

void JsonLinesTest::bigIntegersInAClaimKeepTheirDigits()
{
    ImportFixture store;
    const std::string claim = R"({"count": 9007199254740993, "more": 123456789012345678901234567890, "odd": -0.0})";
    store.importText(corpusRow("1", claim));
    QCOMPARE(store.text("SELECT claim FROM kernel"), claim);
}

void JsonLinesTest::aSourceThatDoesNotHashToItsShaIsRejected()
{
    ImportFixture store;
    std::string good = corpusRow("1", "{}", "x = 1");
    good.insert(good.size() - 1, R"(, "candidate_sha256": ")" + sha256Hex("x = 1") + "\"");
    std::string bad = corpusRow("2", "{}", "x = 2");
    bad.insert(bad.size() - 1, R"(, "candidate_sha256": ")" + sha256Hex("x = 1") + "\"");
    const auto summary = store.importText(good + "\n" + bad);
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(summary.totals.rejected, std::int64_t{1});
    QVERIFY(summary.totals.rejections[0].reason.find("does not hash") != std::string::npos);
}

void JsonLinesTest::resultsThatArriveLaterJoinTheSources()
{
    ImportFixture store;
    ingest::ImportOptions options;
    options.corpusName = "one";
    store.importText(corpusRow("k1", "{}"), "sources.jsonl", "", options);
    store.importText(audited("k1"), "results.jsonl", "", options);
    QCOMPARE(store.number("SELECT count(*) FROM kernel"), std::int64_t{1});
    QCOMPARE(store.number(
                 "SELECT count(*) FROM verdict v JOIN kernel k ON k.id = v.kernel_id WHERE k.candidate_source_id IS NOT NULL"),
             std::int64_t{1});
}

void JsonLinesTest::sourcesThatArriveLaterJoinTheResults()
{
    ImportFixture store;
    ingest::ImportOptions options;
    options.corpusName = "one";
    store.importText(audited("k1"), "results.jsonl", "", options);
    store.importText(corpusRow("k1", "{}"), "sources.jsonl", "", options);
    QCOMPARE(store.number("SELECT count(*) FROM kernel"), std::int64_t{1});
    QCOMPARE(store.number(
                 "SELECT count(*) FROM verdict v JOIN kernel k ON k.id = v.kernel_id WHERE k.candidate_source_id IS NOT NULL"),
             std::int64_t{1});
}

void JsonLinesTest::resultsThatNameTheirSourcesByHashJoinThem_data()
{
    QTest::addColumn<QString>("candidate");
    QTest::addColumn<int>("kernels");
    QTest::newRow("known hash") << QStringLiteral("import torch") << 1;
    QTest::newRow("unknown hash") << QStringLiteral("something else") << 2;
}

void JsonLinesTest::resultsThatNameTheirSourcesByHashJoinThem()
{
    QFETCH(QString, candidate);
    QFETCH(int, kernels);
    ImportFixture store;
    store.importText(R"({"id": "k1", "candidate": "import torch", "reference": "r", "claim": 1})", "sources.jsonl", "json-lines");
    std::string result = audited("another name");
    result.insert(1,
                  "\"candidate_sha256\": \"" + sha256Hex(candidate.toStdString()) + "\", \"reference_sha256\": \""
                      + sha256Hex("r") + "\", ");
    QCOMPARE(store.importText(result, "results.jsonl").totals.kept, std::int64_t{1});
    QCOMPARE(store.number("SELECT count(*) FROM kernel"), std::int64_t{kernels});
    QCOMPARE(store.number(
                 "SELECT count(*) FROM verdict v JOIN kernel k ON k.id = v.kernel_id WHERE k.candidate_source_id IS NOT NULL"),
             std::int64_t{2 - kernels});
    QVERIFY(store.text("SELECT extra FROM verdict").find("candidate_sha256") != std::string::npos);
    QCOMPARE(store.number("SELECT sum(has_source) FROM triage"),
             std::int64_t{kernels == 1 ? store.number("SELECT count(*) FROM triage") : 1});
}

void JsonLinesTest::optionsSayWhichMemberIsWhich()
{
    ImportFixture store;
    ingest::ImportOptions options;
    options.values = {{"id", "key"},         {"candidate", "mine"}, {"reference", "theirs"}, {"claim", "said"},
                      {"speedup", "faster"}, {"title", "what"},     {"family", "kind"}};
    const std::string first
        = R"row({"key": 7, "mine": "__global__", "theirs": "r", "said": [1], "faster": 2.5, "what": "t", "kind": "scan"})row";
    const std::string second
        = R"row({"key": 8, "mine": "m", "theirs": "r", "said": [1], "faster": -1.0, "what": "t", "kind": "scan"})row";
    store.importText(first + "\n" + second, "odd.jsonl", "json-lines", options);
    QCOMPARE(store.text("SELECT external_id || title || family || language || claim FROM kernel WHERE external_id = '7'"),
             std::string("7tscancuda[1]"));
    QCOMPARE(store.real("SELECT claimed_speedup FROM kernel WHERE external_id = '7'"), 2.5);
    QVERIFY(store.isNull("SELECT claimed_speedup FROM kernel WHERE external_id = '8'")); // -1: not measured
    QVERIFY(store.text("SELECT options FROM import_file").find("\"candidate\":\"mine\"") != std::string::npos);
}

void JsonLinesTest::aPointerReachesIntoTheRow()
{
    ImportFixture store;
    ingest::ImportOptions options;
    options.values = {{"candidate", "/turns/1/code"}, {"claim", "/turns/1"}, {"id", "/meta/n"}};
    const auto summary = store.importText(
        R"({"meta": {"n": 12345678901234567890}, "turns": [{"code": "a"}, {"code": "b", "ok": [1, {"x": "],}"}]}]})", "t.jsonl",
        "json-lines", options);
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(store.text("SELECT external_id FROM kernel"), std::string("12345678901234567890"));
    QCOMPARE(store.text("SELECT claim FROM kernel"), std::string(R"({"code": "b", "ok": [1, {"x": "],}"}]})"));
    QCOMPARE(store.text("SELECT sha256 FROM source"), sha256Hex("b"));
}

void JsonLinesTest::anUnknownOptionIsRefusedWithTheKnownOnes()
{
    ImportFixture store;
    ingest::ImportOptions options;
    options.values = {{"candidat", "mine"}};
    try {
        store.importText(R"({"mine": "m"})", "t.jsonl", "json-lines", options);
        QFAIL("a misspelt option was ignored");
    } catch (const Error& error) {
        QVERIFY(error.problem().find("candidat") != std::string::npos);
        QVERIFY(error.remedy().find("candidate") != std::string::npos);
    }
    QCOMPARE(store.number("SELECT count(*) FROM corpus"), std::int64_t{0});
}

void JsonLinesTest::aRowWithoutTheAskedMemberIsRejected()
{
    ImportFixture store;
    ingest::ImportOptions options;
    options.values = {{"candidate", "mine"}};
    const auto summary = store.importText("{\"id\": 1, \"mine\": \"m\"}\n{\"id\": 2}\n{\"id\": 3, \"mine\": 5}\n", "t.jsonl",
                                          "json-lines", options);
    QCOMPARE(summary.totals.kept, std::int64_t{1});
    QCOMPARE(summary.totals.rejections.size(), std::size_t{2});
    QCOMPARE(summary.totals.rejections[0].reason, std::string("the row has no member \"mine\""));
    QCOMPARE(summary.totals.rejections[1].reason, std::string("the member \"mine\" is not text"));
    QCOMPARE(summary.totals.rejections[1].line, std::int64_t{3});
}

void JsonLinesTest::aNullCandidateIsARowWithoutAKernel()
{
    ImportFixture store;
    store.importText(R"({"id": 1, "candidate_source": null, "reference_source": "r", "claimed_correct": null})", "t.jsonl");
    QCOMPARE(store.text("SELECT claim_status FROM kernel"), std::string("no_candidate"));
    QVERIFY(store.isNull("SELECT candidate_source_id FROM kernel"));
}

void JsonLinesTest::rowsThatSayNothingOfAKernelAreRejected()
{
    ImportFixture store;
    const auto summary = store.importText("{\"id\": 1, \"level\": \"info\"}\n{\"id\": 2, \"level\": \"warn\"}\n", "log.jsonl");
    QCOMPARE(summary.totals.kept, std::int64_t{0});
    QCOMPARE(summary.totals.rejected, std::int64_t{2});
    QVERIFY(summary.totals.rejections[0].reason.find("options tell which") != std::string::npos);
}

void JsonLinesTest::aRowWithoutAnIdIsNamedAfterItsLine()
{
    ImportFixture store;
    store.importText("\n{\"candidate\": \"a\"}\n{\"candidate\": \"b\"}\n", "t.jsonl");
    QCOMPARE(store.text("SELECT group_concat(external_id, ',') FROM kernel"), std::string("line 2,line 3"));
}

void JsonLinesTest::withoutAClaimTheRestOfTheRowIsTheClaim()
{
    ImportFixture store;
    store.importText(R"({"id": 1, "candidate": "a", "score": 1e-3, "n": 9007199254740993})", "t.jsonl", "json-lines");
    QCOMPARE(store.text("SELECT claim FROM kernel"), std::string(R"({"id": 1, "score": 1e-3, "n": 9007199254740993})"));
}

void JsonLinesTest::sourcesKeepEveryByte()
{
    ImportFixture store;
    store.importText(R"({"id": 1, "candidate": "a\/b\r\n\u202f\u4e2d \"x\" \\n"})", "t.jsonl", "json-lines");
    QCOMPARE(store.text("SELECT sha256 FROM source"), sha256Hex("a/b\r\n\u202f\u4e2d \"x\" \\n"));
}

void JsonLinesTest::theSameKernelUnderTwoIdsIsOneKernelWithTwoOrigins()
{
    ImportFixture store;
    store.importText(corpusRow("1", "{}") + "\n" + corpusRow("2", "{}"));
    QCOMPARE(store.number("SELECT count(*) FROM kernel"), std::int64_t{1});
    QCOMPARE(store.number("SELECT count(*) FROM origin"), std::int64_t{2});
}

void JsonLinesTest::familiesComeFromTheNameElseFromTheReference_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("reference");
    QTest::addColumn<QString>("family");
    const auto row = [](const char* name, const char* reference, const char* family) {
        QTest::newRow(qPrintable(QString::fromLatin1(name) + QLatin1Char('|') + QString::fromLatin1(reference)))
            << QString::fromLatin1(name) << QString::fromLatin1(reference) << QString::fromLatin1(family);
    };
    row("97_ScaledDotProductAttention", "", "attention");
    row("89_cumsum", "", "scan");
    row("94_MSELoss", "", "loss");
    row("12_Conv2d_ReLU_MaxPool", "", "conv");
    row("3_Batched_matrix_multiplication", "", "matmul");
    row("42_Max_Pooling_2D", "", "pooling");
    row("23_Softmax", "", "softmax");
    row("36_RMSNorm_", "", "norm");
    row("47_Sum_reduction_over_a_dimension", "", "reduction");
    row("19_ReLU", "", "elementwise");
    row("", "return torch.softmax(x, dim=1)", "softmax");
    row("task 7", "self.fc = nn.Linear(3, 4)", "matmul");
    row("", "return torch.cumsum(x, 0).sum()", "scan");
    row("", "", "unknown");
}

void JsonLinesTest::familiesComeFromTheNameElseFromTheReference()
{
    QFETCH(QString, name);
    QFETCH(QString, reference);
    QFETCH(QString, family);
    QCOMPARE(QString::fromStdString(ingest::opFamily(name.toStdString(), reference.toStdString())), family);
}

void JsonLinesTest::languagesAreReadFromTheText()
{
    QCOMPARE(ingest::languageOf("import torch\nimport triton\n"), std::string("triton"));
    QCOMPARE(ingest::languageOf("import torch\nfrom torch.utils.cpp_extension import load_inline\n"), std::string("cuda"));
    QCOMPARE(ingest::languageOf("import torch\n"), std::string("torch"));
    QCOMPARE(ingest::languageOf("def f(): pass"), std::string("python"));
    QCOMPARE(ingest::languageOf(""), std::string("unknown"));
}

void JsonLinesTest::theExtractedCorpusImportsWhole()
{
    const QString file = qEnvironmentVariable("ASSAY_LLMKERNEL_ROWS");
    if (file.isEmpty())
        QSKIP("set ASSAY_LLMKERNEL_ROWS to the rows that extract_corpus.py wrote");
    ImportFixture store;
    const auto summary = store.import(file.toStdString());
    QCOMPARE(summary.totals.rows, std::int64_t{541});
    QCOMPARE(summary.totals.kept, std::int64_t{541});
    QCOMPARE(
        store.number("SELECT count(*) FROM kernel WHERE candidate_source_id IS NOT NULL AND reference_source_id IS NOT NULL"),
        std::int64_t{541});
    QCOMPARE(store.number("SELECT count(*) FROM kernel WHERE language = 'triton'"), std::int64_t{541});
    QCOMPARE(
        store.number(
            "SELECT count(*) FROM origin WHERE licence = 'MIT' AND repository = 'Alisehen/LLMKernel' AND path LIKE 'results/%'"),
        std::int64_t{541});
    QCOMPARE(store.import(file.toStdString()).totals.alreadyPresent, std::int64_t{541});
}

QTEST_APPLESS_MAIN(JsonLinesTest)
#include "tst_json_lines.moc"
