// SPDX-License-Identifier: Apache-2.0
#include "core/launch/bench.h"
#include "core/launch/cost.h"
#include "core/launch/launch.h"
#include "core/launch/native_subject.h"
#include "core/runner/contract_json.h"
#include "core/text/error.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace assay;
using contract::Contract;
using contract::InputDomain;
using tensor::DType;

namespace {

constexpr gdn::Shape kShape{2, 64, 3, 16, 24};

Contract contractOf(gdn::Family family, const char* device = "cpu")
{
    json::Document document;
    if (json::parse(launch::nativeSubject(family, {1, 64, 2, 64, 128}, DType::BFloat16, device).contract, document))
        qFatal("the contract is no JSON");
    return runner::readContract(document);
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

launch::LaunchRequest onDevice()
{
    launch::LaunchRequest request;
    request.device = "cuda:0";
    request.dtype = DType::BFloat16;
    return request;
}

} // namespace

/// The operator as a subject of the gates, and what a launch is held to.
class NativeSubjectTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sourcesNameFamilySizesAndType()
    {
        for (const gdn::Family family : gdn::kAllFamilies) {
            const launch::NativeSubject subject = launch::nativeSubject(family, kShape, DType::Float16, "cpu");
            const std::string line = "\nFAMILY = \"" + std::string(name(family)) + "\"\n";
            QVERIFY(contains(subject.reference.text, line));
            QVERIFY(contains(subject.candidate.text, line));
            QVERIFY(contains(subject.reference.text, "\nB, T, H, K, V = 2, 64, 3, 16, 24\n"));
            QVERIFY(contains(subject.reference.text, "\nDTYPE = \"float16\"\n"));
            // One order of inputs for both sources and for the contract's numbers.
            std::string gates;
            for (const gdn::FamilyInput& input : inputsOf(family).subspan(3))
                gates += (gates.empty() ? "\"" : ", \"") + std::string(input.name) + "\"";
            QVERIFY2(contains(subject.reference.text, "\"" + std::string(name(family)) + "\": (" + gates), gates.c_str());
        }
    }

    void aShapeWithoutElementsIsRefused()
    {
        QVERIFY_EXCEPTION_THROWN(launch::nativeSubject(gdn::Family::Gla, {1, 0, 1, 8, 8}, DType::Float32, "cpu"), Error);
    }

    void theContractStatesWhatTheOperatorIsAbout()
    {
        const Contract gdn2 = contractOf(gdn::Family::Gdn2);
        QCOMPARE(gdn2.training, Contract::Training::Required);
        QCOMPARE(gdn2.operands, Contract::Operands::AsInputs);
        QCOMPARE(gdn2.softFailures, Contract::SoftFailures::Fail);
        QCOMPARE(gdn2.gates.size(), std::size_t{12});
        QVERIFY(gdn2.sizes.empty());
        // k, b, w, g
        const std::vector<InputDomain> wanted{{1, std::nullopt, std::nullopt, 1.0},
                                              {3, 0.0, 2.0, std::nullopt},
                                              {4, 0.0, 1.0, std::nullopt},
                                              {5, std::nullopt, 0.0, std::nullopt}};
        QVERIFY(gdn2.domains == wanted);
        // Nothing is erased: keys may be long.
        const std::vector<InputDomain> decays{{3, std::nullopt, 0.0, std::nullopt}};
        QVERIFY(contractOf(gdn::Family::Gla).domains == decays);
        const std::vector<InputDomain> steps{
            {3, 0.0, std::nullopt, std::nullopt}, {4, std::nullopt, 0.0, std::nullopt}, {5, 0.0, 1.0, std::nullopt}};
        QVERIFY(contractOf(gdn::Family::Mamba3).domains == steps);
    }

    void deviceKernelsTakeTwoNumbersOfChannels()
    {
        const Contract contract = contractOf(gdn::Family::Kda, "cuda:0");
        const std::vector<contract::SizeDomain> wanted{{1, 3, {64, 128}}, {2, 3, {64, 128}}};
        QVERIFY(contract.sizes == wanted);
    }

    void mistakesNameTheField()
    {
        QCOMPARE(mistakeIn(launch::LaunchRequest()), std::string());
        QCOMPARE(mistakeIn(onDevice()), std::string());
        const auto mistake = [](launch::LaunchRequest request, const auto& change) {
            change(request);
            return mistakeIn(request);
        };
        using Request = launch::LaunchRequest;
        QVERIFY(mistake({}, [](Request& r) { r.shape.heads = 0; }).starts_with("H is 0"));
        QVERIFY(mistake({}, [](Request& r) { r.shape.tokens = std::int64_t{1} << 50; }).starts_with("T is"));
        QVERIFY(mistake({}, [](Request& r) { r.dtype = DType::Int32; }).starts_with("dtype is int32"));
        QVERIFY(mistake({}, [](Request& r) { r.device = "tpu"; }).starts_with("device is \"tpu\""));
        QVERIFY(mistake({}, [](Request& r) { r.prefix = "ssh gpu01"; }).starts_with("prefix"));
        QVERIFY(mistake({}, [](Request& r) { r.gates = {"EXC-09"}; }).starts_with("no gate is called"));
        QVERIFY(mistake({}, [](Request& r) { r.samples = 0; }).starts_with("samples is 0"));
        QVERIFY(mistake(onDevice(), [](Request& r) { r.dtype = DType::Float32; }).starts_with("dtype is float32"));
        QVERIFY(mistake(onDevice(), [](Request& r) { r.shape.values = 96; }).starts_with("V is 96"));
    }

    void aMistakenRequestIsAnOutcome()
    {
        launch::LaunchRequest request;
        request.shape.keys = 0;
        const launch::LaunchResult result = launch::launch(request, {}, {});
        QCOMPARE(result.end, launch::LaunchResult::End::CouldNotRun);
        QVERIFY(result.reason.starts_with("K is 0"));
    }

    void anInterpreterThatIsNotThereIsAnOutcome()
    {
        launch::LaunchRequest request;
        request.python = "/nowhere/python3";
        request.isTimed = false;
        std::vector<std::string> lines;
        launch::LaunchWatch watch;
        watch.log = [&](const std::string& line) { lines.push_back(line); };
        const launch::LaunchResult result = launch::launch(request, watch, {});
        QCOMPARE(result.end, launch::LaunchResult::End::CouldNotRun);
        QVERIFY2(contains(result.reason, "/nowhere/python3"), result.reason.c_str());
        QVERIFY(!result.remedy.empty());
        QVERIFY(!lines.empty());
    }

    void aStopBeforeTheStartIsAnOutcome()
    {
        std::stop_source source;
        source.request_stop();
        const launch::LaunchResult result = launch::launch({}, {}, source.get_token());
        QCOMPARE(result.end, launch::LaunchResult::End::Stopped);
        QVERIFY(!result.kernelId);
    }

    /// Per token and head at K = V = 128, as the table of the design has it.
    void costsAreTheTables()
    {
        const gdn::Shape one{1, 64, 1, 128, 128};
        const auto perToken = [&](gdn::Family family) {
            launch::BackwardCost cost = launch::backwardCost(family, one, DType::BFloat16);
            return std::pair(cost.bytesMinimum / 64, cost.operations / 64);
        };
        QCOMPARE(perToken(gdn::Family::Gdn2), std::pair(3840.0, 442368.0));
        QCOMPARE(perToken(gdn::Family::Gdn).first, 1804.0);
        QCOMPARE(perToken(gdn::Family::Gla).first, 2816.0);
        QVERIFY(perToken(gdn::Family::Gla).second < perToken(gdn::Family::Gdn2).second);
        QCOMPARE(launch::backwardCost(gdn::Family::Gdn2, one, DType::BFloat16).bytesOfStates / 64, 2048.0);
    }

    void floorsNeedARateThatIsKnown()
    {
        QVERIFY(launch::ratesOf("NVIDIA H200"));
        QVERIFY(!launch::ratesOf("NVIDIA T4"));
        launch::BenchAsk ask;
        ask.shape = {1, 70, 1, 16, 16};
        ask.samples = 3;
        const launch::LaunchTiming timing = launch::bench(ask, {});
        QVERIFY(*timing.forwardMilliseconds > 0 && *timing.backwardMilliseconds > 0);
        QCOMPARE(timing.samples, 3);
        QVERIFY(!timing.floorMilliseconds && !timing.fractionOfFloor());
        json::Document object;
        QVERIFY(!json::parse(toJson(ask, timing), object));
        for (const char* member : {"shape", "dtype", "device", "kernel", "forward_ms", "backward_ms", "bytes_min", "flops",
                                   "floor_ms", "fraction_of_floor", "samples"})
            QVERIFY2(json::find(object, member) != nullptr, member);
        QVERIFY(json::find(object, "floor_ms")->IsNull());
        QVERIFY(contains(toText(ask, timing), "no rates are known of this processor"));
    }
};

QTEST_GUILESS_MAIN(NativeSubjectTest)
#include "tst_native_subject.moc"
