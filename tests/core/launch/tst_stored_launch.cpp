// SPDX-License-Identifier: Apache-2.0
#include "core/launch/stored_launch.h"
#include "tests/core/store/store_fixture.h"

#include <QtTest>

using namespace assay;
using contract::Gate;
using contract::Severity;
using contract::Verdict;

/// Launches that a database remembers.
class StoredLaunchTest final : public QObject {
    Q_OBJECT
private:
    static void addRun(store::Database& database, const std::string& shape, const std::string& family = "kda")
    {
        database.sqlite().exec(
            "INSERT INTO gdn_run (verdict_id, family, shape, dtype, device, timings, errors, created_at) VALUES (1, '" + family
            + "', '" + shape
            + "', 'bfloat16', 'cuda:0', "
              "'{\"device\":\"NVIDIA H200\",\"kernel\":\"sm_90a\",\"forward_ms\":1.1,\"backward_ms\":3.2,\"bytes_min\":3840,"
              "\"flops\":442368,\"floor_ms\":0.468,\"floor_source\":\"rates\",\"samples\":20}', "
              "'{\"errors\":{\"dq\":0.002,\"db\":\"NaN\"},\"tolerance\":{\"dq\":0.008,\"db\":0.015}}', '2026-12-01T12:00:00Z')");
    }
    static std::unique_ptr<store::Database> filled(const tests::Folder& folder)
    {
        auto database = folder.open();
        store::GateRecord failing = tests::gate(Gate::Ord01, Verdict::Fail, Severity::Soft, "bound", tensor::measured(14));
        failing.threshold = tensor::measured(1);
        failing.exercised = failing.total = 9;
        failing.finding = "dk differs";
        tests::import(*database, {tests::resultRow("1", tests::verdict({tests::gate(Gate::Cmp01), failing}))});
        return database;
    }

private Q_SLOTS:
    void aDatabaseWithoutLaunchesHasNone()
    {
        const tests::Folder folder;
        QVERIFY(!launch::newestLaunch(*filled(folder)));
    }

    void theNewestLaunchComesBackWithItsGates()
    {
        const tests::Folder folder;
        const auto database = filled(folder);
        addRun(*database, "[1,64,2,64,64]");
        addRun(*database, "[2,193,3,64,128]");
        const auto found = launch::newestLaunch(*database);
        QVERIFY(found);
        QCOMPARE(found->request.family, gdn::Family::Kda);
        QCOMPARE(found->request.shape, (gdn::Shape{2, 193, 3, 64, 128}));
        QCOMPARE(found->request.dtype, tensor::DType::BFloat16);
        QCOMPARE(found->request.device, std::string("cuda:0"));
        QCOMPARE(found->verdictId, 1);
        QCOMPARE(found->kernelId, 1);
        const contract::GateResult& gate = found->judgement.gates[std::size_t(contract::indexOf(Gate::Ord01))];
        QCOMPARE(gate.verdict, Verdict::Fail);
        QCOMPARE(gate.exercised, 9);
        QCOMPARE(gate.finding, std::string("dk differs"));
        QCOMPARE(gate.checks.at(0).value.value, 14.0);
        QCOMPARE(found->judgement.gates[std::size_t(contract::indexOf(Gate::Res02))].verdict, Verdict::Absent);
        QCOMPARE(found->judgement.verdict, Verdict::Fail);
        QVERIFY(!found->judgement.hardFailed);
        QCOMPARE(found->timing->backwardMilliseconds, std::optional(3.2));
        QVERIFY(!found->timing->floorWithStatesMilliseconds);
        QCOMPARE(found->errors.size(), std::size_t{2});
        QVERIFY(found->errors[0].isWithin);
        QVERIFY(!found->errors[1].isWithin); // NaN is within nothing
    }

    void whatAnotherBuildKnowsIsLeftOut()
    {
        const tests::Folder folder;
        const auto database = filled(folder);
        addRun(*database, "[1,64,2,64,64]", "mamba7");
        QVERIFY(!launch::newestLaunch(*database));
        addRun(*database, "[1,64]");
        QVERIFY(!launch::newestLaunch(*database));
    }

    void theRowOfALaunchIsFound()
    {
        const tests::Folder folder;
        const auto database = filled(folder);
        const auto row = launch::rowOf(*database, 1);
        QVERIFY(row);
        QCOMPARE(row->scopeId, tests::number(*database, "SELECT id FROM scope WHERE audit_id IS NOT NULL"));
        QVERIFY(!row->keepsOutputs);
        database->sqlite().exec("INSERT INTO artifact (verdict_id, role, name, encoding, sha256, data) "
                                "VALUES (1, 'candidate', 'dk', 'raw', '', x'00')");
        QVERIFY(launch::rowOf(*database, 1)->keepsOutputs);
        QVERIFY(!launch::rowOf(*database, 2));
    }
};

QTEST_GUILESS_MAIN(StoredLaunchTest)
#include "tst_stored_launch.moc"
