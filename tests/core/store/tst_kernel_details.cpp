// SPDX-License-Identifier: Apache-2.0
#include "core/store/kernel_details.h"

#include "core/store/triage.h"
#include "core/text/sha256.h"
#include "tests/core/store/triage_fixture.h"

#include <zstd.h>

#include <QFile>
#include <QRegularExpression>
#include <QtTest>

using namespace assay;
using namespace assay::store;
using namespace assay::tests;

namespace {

std::int64_t count(Database& database, const std::string& line)
{
    return triageCount(database, TriageFixture::kScope, parseFilter(line));
}

KnownKernel plainKernel(const std::string& id)
{
    KnownKernel kernel;
    kernel.row.externalId = id;
    if (id.find_first_not_of("0123456789") == std::string::npos)
        kernel.externalNumber = std::stoll(id);
    kernel.row.title = "title of " + id;
    kernel.row.family = "scan";
    kernel.row.outcome = "fail_hard";
    kernel.row.claim = "accepted";
    return kernel;
}

SavedView view(const std::string& name, const std::string& filter = "", const std::string& sort = "id")
{
    SavedView out;
    out.name = name;
    out.filter = filter;
    out.sort = sort;
    return out;
}

} // namespace

class KernelDetailsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_fixture = std::make_unique<TriageFixture>();
        m_fixture->add({plainKernel("179"), plainKernel("level1/softmax")});
    }

    void everythingThatTheTablesHoldComesBack()
    {
        fillKernel();
        const auto details = kernelDetails(db(), TriageFixture::kScope, 1);
        QVERIFY(details.has_value());
        QCOMPARE(details->kernel.title, std::string("title of 179"));
        QCOMPARE(details->kernel.entryPoint, std::string("ModelNew"));
        QVERIFY(details->kernel.claimedCorrect == true);
        QVERIFY(details->kernel.claimedSpeedup == 1.5);
        QCOMPARE(details->kernel.claim, std::string("{\"ok\":1}"));
        QCOMPARE(details->candidateSha256, std::string("cand"));
        QCOMPARE(details->referenceSourceId, std::int64_t{0});
        QCOMPARE(details->audit.name, std::string("a"));
        QCOMPARE(details->audit.device, std::string("H200"));
        QCOMPARE(details->corpusOrigin, std::string("import"));
        QCOMPARE(details->origins.size(), std::size_t{2});
        QCOMPARE(details->origins[0].corpus, std::string("known"));
        QCOMPARE(details->kernel.hardware, std::string("B200"));
        QVERIFY(details->verdict.has_value());
        QCOMPARE(details->verdict->status, std::string("gated"));
        QVERIFY(details->verdict->outcome == contract::Verdict::Fail);
        QVERIFY(details->verdict->severity == contract::Severity::Hard);
        QVERIFY((details->verdict->nativeShape == std::vector<std::int64_t>{64, 128}));
        QVERIFY(details->verdict->multiOutput == false);
        QVERIFY(!details->verdict->outputAliasing.has_value());
        QVERIFY(details->verdict->elapsedSeconds == 9.7);
        QVERIFY(!details->verdict->error.has_value());
        QVERIFY(details->verdict->audited && details->verdict->toleranceFree && !details->verdict->accepted);
        QCOMPARE(details->verdict->baselines.size(), std::size_t{1});
        QCOMPARE(details->verdict->baselines[0].mode, std::string("kb"));
    }

    void gatesStandInTheOrderOfTheStripWithTheirChecks()
    {
        fillKernel();
        const auto details = kernelDetails(db(), TriageFixture::kScope, 1);
        const auto& gates = details->verdict->gates;
        QCOMPARE(gates.size(), std::size_t{2});
        QVERIFY(gates[0].gate == contract::Gate::Cmp01 && gates[1].gate == contract::Gate::Exc01);
        QVERIFY(gates[0].value == tensor::measured(0.5));
        QVERIFY(gates[0].threshold == tensor::measured(1e-3));
        QVERIFY(!gates[0].relative.isPresent());
        QVERIFY(gates[0].skipped == 0 && !gates[0].exercised && gates[0].total == 8);
        QCOMPARE(gates[0].checks.size(), std::size_t{2});
        QCOMPARE(gates[0].checks[0].code, std::string("random[0]"));
        QVERIFY(gates[0].checks[1].value.valueClass == tensor::ValueClass::NaN);
        QVERIFY(gates[1].value.valueClass == tensor::ValueClass::PosInf);
        QCOMPARE(gates[1].reason, std::string("verbatim \"reason\""));
        QVERIFY(gates[1].checks.empty());
    }

    void anotherScopeShowsTheSameKernelWithoutTheVerdict()
    {
        m_fixture->sql("DELETE FROM triage WHERE scope_id = 2");
        m_fixture->sql("UPDATE triage SET verdict_id = NULL WHERE scope_id = 2");
        const auto details = kernelDetails(db(), TriageFixture::kOtherScope, 1);
        QVERIFY(details.has_value());
        QVERIFY(!details->verdict.has_value());
        QCOMPARE(details->audit.name, std::string());
        QVERIFY(!kernelDetails(db(), TriageFixture::kScope, 99).has_value());
    }

    void aKernelIsFoundByItsIdAsAPersonTypesIt()
    {
        QVERIFY(findKernel(db(), 1, "179") == 1);
        QVERIFY(findKernel(db(), 1, "  179 ") == 1);
        QVERIFY(findKernel(db(), 1, "level1/softmax") == 2);
        QVERIFY(findKernel(db(), 1, "#2") == 2);
        QVERIFY(!findKernel(db(), 1, "#3"));
        QVERIFY(!findKernel(db(), 1, "0179"));
        QVERIFY(!findKernel(db(), 1, "17"));
        QVERIFY(!findKernel(db(), 1, ""));
        QVERIFY(!findKernel(db(), 7, "179"));
    }

    void sourcesComeBackByteForByteAndDamageIsNamed()
    {
        const std::string text = "import triton\r\n\0 \xff tail" + std::string(2000, 'x');
        const std::int64_t raw = store(text, "raw", text);
        std::string packed(ZSTD_compressBound(text.size()), '\0');
        packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
        const std::int64_t zstd = store(text + "z", "zstd", packed);
        m_fixture->sql("UPDATE source SET sha256 = '" + sha256Hex(text) + "' || '' WHERE id = " + std::to_string(raw));
        QCOMPARE(readSource(db(), raw), text);
        m_fixture->sql("UPDATE source SET sha256 = 'other' WHERE id = " + std::to_string(raw));
        m_fixture->sql("UPDATE source SET bytes = " + std::to_string(text.size()) + ", sha256 = '" + sha256Hex(text)
                       + "' WHERE id = " + std::to_string(zstd));
        QCOMPARE(readSource(db(), zstd), text);
        for (const std::string& damage : {std::string("data = x'00112233'"), std::string("bytes = bytes + 1"),
                                          std::string("bytes = 9000000000000"), std::string("bytes = -1")}) {
            m_fixture->sql("SAVEPOINT damage; UPDATE source SET " + damage + " WHERE id = " + std::to_string(zstd));
            expectCorrupt(zstd);
            m_fixture->sql("ROLLBACK TO damage; RELEASE damage");
        }
        expectCorrupt(raw);
        expectCorrupt(4711);
    }

    void aNoteIsListedFoundAndFlaggedUntilItIsRemoved()
    {
        const std::int64_t first = addNote(db(), 1, "the mask loads other=0.0", "reviewer");
        const std::int64_t second = addNote(db(), 1, "confirmed", "reviewer");
        const auto details = kernelDetails(db(), 1, 1);
        QCOMPARE(details->notes.size(), std::size_t{2});
        QCOMPARE(details->notes[0].body, std::string("the mask loads other=0.0"));
        QCOMPARE(details->notes[0].author, std::string("reviewer"));
        QVERIFY(QRegularExpression("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$")
                    .match(QString::fromStdString(details->notes[0].createdAt))
                    .hasMatch());
        QCOMPARE(count(db(), "is:noted"), std::int64_t{1});
        QCOMPARE(count(db(), "\"mask loads\""), std::int64_t{1});
        removeNote(db(), first);
        QCOMPARE(count(db(), "\"mask loads\""), std::int64_t{0});
        QCOMPARE(count(db(), "is:noted"), std::int64_t{1});
        removeNote(db(), second);
        QCOMPARE(count(db(), "is:noted"), std::int64_t{0});
        QVERIFY_EXCEPTION_THROWN(removeNote(db(), second), Error);
        m_fixture->sql("INSERT INTO note_fts (note_fts) VALUES ('integrity-check')");
    }

    void aNoteThatComesBackKeepsItsAuthorAndItsTime()
    {
        const std::int64_t id = addNote(db(), 1, "seen", "reviewer");
        m_fixture->sql("UPDATE note SET created_at = '2025-01-02T03:04:05Z'");
        const NoteRow gone = removeNote(db(), id);
        const std::int64_t other = addNote(db(), 1, "another", "me");
        const std::int64_t back = restoreNote(db(), 1, gone);
        QVERIFY(back != other);
        const auto notes = kernelDetails(db(), 1, 1)->notes;
        const auto found = std::find_if(notes.begin(), notes.end(), [&](const NoteRow& note) { return note.id == back; });
        QVERIFY(found != notes.end());
        QCOMPARE(found->body, std::string("seen"));
        QCOMPARE(found->author, std::string("reviewer"));
        QCOMPARE(found->createdAt, std::string("2025-01-02T03:04:05Z"));
        QCOMPARE(count(db(), "seen"), std::int64_t{1});
        removeNote(db(), back);
        removeNote(db(), other);
        QCOMPARE(count(db(), "is:noted"), std::int64_t{0});
    }

    void aWaiverHoldsUntilItIsWithdrawnAndItsReasonStays()
    {
        const std::int64_t whole = addWaiver(db(), 2, "", "reference is wrong", "me");
        const std::int64_t gate = addWaiver(db(), 2, "exc-01", "NaN is never an input", "me");
        QCOMPARE(count(db(), "is:waived"), std::int64_t{1});
        withdrawWaiver(db(), whole);
        QCOMPARE(count(db(), "is:waived"), std::int64_t{1});
        withdrawWaiver(db(), gate);
        QCOMPARE(count(db(), "is:waived"), std::int64_t{0});
        restoreWaiver(db(), gate);
        QCOMPARE(count(db(), "is:waived"), std::int64_t{1});
        const auto waivers = kernelDetails(db(), 1, 2)->waivers;
        QCOMPARE(waivers.size(), std::size_t{2});
        QVERIFY(!waivers[0].withdrawnAt.empty());
        QCOMPARE(waivers[1].gate, std::string("EXC-01"));
        QCOMPARE(waivers[1].withdrawnAt, std::string());
        QCOMPARE(waivers[1].reason, std::string("NaN is never an input"));
    }

    void aBookmarkGoesOnAndOff()
    {
        setBookmark(db(), 1, true, "me");
        setBookmark(db(), 1, true, "me");
        QCOMPARE(count(db(), "is:bookmarked"), std::int64_t{1});
        QVERIFY(kernelDetails(db(), 1, 1)->bookmarked);
        setBookmark(db(), 1, false, "me");
        QCOMPARE(count(db(), "is:bookmarked"), std::int64_t{0});
    }

    void whatSaysNothingOrPointsNowhereIsRefusedAndLeavesNothing()
    {
        QVERIFY_EXCEPTION_THROWN(addNote(db(), 1, " \n", "me"), Error);
        QVERIFY_EXCEPTION_THROWN(addNote(db(), 99, "text", "me"), Error);
        QVERIFY_EXCEPTION_THROWN(addWaiver(db(), 1, "", "", "me"), Error);
        QVERIFY_EXCEPTION_THROWN(addWaiver(db(), 1, "EXC-09", "why", "me"), Error);
        QVERIFY_EXCEPTION_THROWN(withdrawWaiver(db(), 5), Error);
        QVERIFY_EXCEPTION_THROWN(setBookmark(db(), 99, true, "me"), Error);
        QCOMPARE(count(db(), "is:noted,waived,bookmarked"), std::int64_t{0});
        QCOMPARE(db().sqlite().execAndGet("SELECT count(*) FROM note").getInt(), 0);
    }

    void everyDatabaseHasTheShippedViewsAndTheyRun()
    {
        m_fixture->sql("PRAGMA wal_checkpoint(TRUNCATE)");
        const auto readOnly = Database::open(m_fixture->path().toStdString(), OpenMode::ReadOnly);
        const auto views = savedViews(*readOnly);
        QCOMPARE(views.size(), std::size_t{6});
        QStringList names;
        for (const SavedView& shipped : views) {
            QVERIFY(shipped.builtIn && shipped.id < 0);
            QVERIFY2(toText(parseFilter(shipped.filter)) == shipped.filter, shipped.filter.c_str());
            const auto sort = parseSort(shipped.sort);
            QVERIFY2(sort.has_value(), shipped.sort.c_str());
            triageIds(*readOnly, TriageFixture::kScope, parseFilter(shipped.filter), *sort);
            names << QString::fromStdString(shipped.name);
        }
        QCOMPARE(names,
                 QStringList({"Disagreements", "Hard failures", "Tolerance failures", "Could not be judged", "Largest errors",
                              "Passes everything"}));
        QCOMPARE(readOnly->sqlite().execAndGet("SELECT count(*) FROM saved_view").getInt(), 0);
    }

    void aViewIsSavedReplacedRenamedAndRemoved()
    {
        const std::int64_t id = saveView(db(), view("Mine", "family:scan", "-error"));
        QCOMPARE(saveView(db(), view("Mine", "family:norm")), id);
        SavedView renamed = view("Ours", "family:norm", "title");
        renamed.id = id;
        renamed.columns = "id,title";
        QCOMPARE(saveView(db(), renamed), id);
        auto views = savedViews(db());
        QCOMPARE(views.size(), std::size_t{7});
        QCOMPARE(views.back().name, std::string("Ours"));
        QCOMPARE(views.back().sort, std::string("title"));
        QCOMPARE(views.back().columns, std::string("id,title"));
        QVERIFY(!views.back().builtIn);
        removeView(db(), id);
        QCOMPARE(savedViews(db()).size(), std::size_t{6});
    }

    void aViewThatCouldNotBeOpenedIsNotSaved()
    {
        QVERIFY_EXCEPTION_THROWN(saveView(db(), view("Hard failures")), Error);
        QVERIFY_EXCEPTION_THROWN(saveView(db(), view(" ")), Error);
        QVERIFY_EXCEPTION_THROWN(saveView(db(), view("x", "nonsense:1")), FilterError);
        QVERIFY_EXCEPTION_THROWN(saveView(db(), view("x", "", "-nonsense")), Error);
        SavedView gone = view("x");
        gone.id = 12;
        QVERIFY_EXCEPTION_THROWN(saveView(db(), gone), Error);
        QVERIFY_EXCEPTION_THROWN(removeView(db(), -1), Error);
        QCOMPARE(savedViews(db()).size(), std::size_t{6});
    }

private:
    Database& db() { return m_fixture->database(); }

    std::int64_t store(const std::string& identity, const std::string& codec, const std::string& data)
    {
        SQLite::Statement insert(db().sqlite(),
                                 "INSERT INTO source (sha256, lf_sha256, bytes, codec, data) VALUES (?, '', ?, ?, ?)");
        insert.bind(1, sha256Hex(identity));
        insert.bind(2, static_cast<std::int64_t>(identity.size()));
        insert.bind(3, codec);
        insert.bind(4, data.data(), static_cast<int>(data.size()));
        insert.exec();
        return db().sqlite().getLastInsertRowid();
    }

    void expectCorrupt(std::int64_t sourceId)
    {
        try {
            readSource(db(), sourceId);
            QFAIL("damage went unnoticed");
        } catch (const DatabaseError& error) {
            QVERIFY(error.kind() == DatabaseError::Kind::Corrupt);
            QVERIFY(error.where().find("source " + std::to_string(sourceId)) != std::string::npos);
        }
    }

    void fillKernel()
    {
        m_fixture->sql(R"sql(
            INSERT INTO source (id, sha256, lf_sha256, bytes, codec, data) VALUES (50, 'cand', '', 0, 'raw', x'');
            UPDATE kernel SET entry_point = 'ModelNew', claim = '{"ok":1}', claimed_correct = 1, claimed_speedup = 1.5, candidate_source_id = 50 WHERE id = 1;
            INSERT INTO corpus (id, name, origin, format, imported_at) VALUES (2, 'other', 'import', 'test', '');
            INSERT INTO origin (kernel_id, corpus_id, external_id, row_hash, hardware) VALUES (1, 2, 'x', 1, 'A100'), (1, 1, '179', 2, 'B200');
            UPDATE verdict SET status = 'gated', outcome = 'fail', severity = 'hard', native_shape = '[64, 128]', multi_output = 0, elapsed_seconds = 9.7, membership = 6 WHERE kernel_id = 1;
            INSERT INTO gate_result (verdict_id, gate, verdict, severity, value_class, reason) VALUES (1, 'EXC-01', 'fail', 'hard', '+inf', 'verbatim "reason"');
            INSERT INTO gate_result (verdict_id, gate, verdict, severity, skipped, total, metric, value, value_class, threshold, threshold_class)
                VALUES (1, 'CMP-01', 'fail', 'soft', 0, 8, 'max_abs_error', 0.5, 'finite', 1e-3, 'finite');
            INSERT INTO check_result (verdict_id, gate, ordinal, code, verdict, value_class) VALUES (1, 'CMP-01', 1, 'random[1]', 'fail', 'nan');
            INSERT INTO check_result (verdict_id, gate, ordinal, code, verdict, value, value_class) VALUES (1, 'CMP-01', 0, 'random[0]', 'fail', 0.5, 'finite');
            INSERT INTO baseline_verdict (verdict_id, mode, verdict) VALUES (1, 'kb', 'pass');
        )sql");
        KnownKernel replaced = plainKernel("180");
        replaced.audited = true;
        replaced.toleranceFree = true;
        m_fixture->add({replaced});
        // The row of kernel 1 under other flags: triage rows are written anew, never changed.
        m_fixture->sql("DELETE FROM triage WHERE kernel_id = 1 AND scope_id = 1");
        m_fixture->sql("CREATE TEMP TABLE copy AS SELECT * FROM triage WHERE kernel_id = 3 AND scope_id = 1;"
                       "UPDATE copy SET id = NULL, kernel_id = 1, verdict_id = 1, external_id = '179', external_number = 179;"
                       "INSERT INTO triage SELECT * FROM copy; DROP TABLE copy");
    }

    std::unique_ptr<TriageFixture> m_fixture;
};

QTEST_GUILESS_MAIN(KernelDetailsTest)
#include "tst_kernel_details.moc"
