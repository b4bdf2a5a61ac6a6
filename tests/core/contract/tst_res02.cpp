// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "core/contract/judge.h"
#include "tests/core/contract/questioned.h"
#include "tests/support/device_data.h"

#include <QtTest>

using namespace assay::contract;
using namespace assay::test;
using assay::tests::deviceData;
using assay::tests::deviceText;

/// RES-02 against evidence of known content.
class Res02Test : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void onTheCpuItIsInapplicable();
    void torchAloneIsInapplicable();
    void kernelsWithoutALaunchAreUnknown();
    void launchesWithoutATraceAreUnknown();
    void aProcessThatIsGoneLeavesNothingKnown();
    void whatFitsPassesWithItsFigures();
    void tooMuchSharedMemoryFailsHard();
    void oneRefusedConfigurationIsARemark();
    void aRefusedConfigurationAloneFailsHard();
    void tensorMemoryBeyondBlackwellFailsHard();
    void theAssemblersRefusalFailsHard();
    void anAutotunerDoesWithoutWhatBlackwellRefuses();
    void withoutAnAutotunerEveryLoadedConfigurationIsNeeded();
    void whatBlackwellCannotBeAskedIsUnknown();
    void withoutTimeBlackwellIsNotExercised();
    void realCodeOfBlackwellIsRead();
    void bytesThatAreNoCodeAreNoEvidence();
    void librariesAreReadForTheirDevice();
    void whatWasCompiledAtRunTimeIsReadForItsDevice();
    void missingHeadersAreUnsupported();
    void refusalsAtOtherSizesCountOnTheCpuToo();
    void aCandidateThatNeverLaunchesFailsItAtOnce();
};

namespace {

Operation identity()
{
    return elementwise([](auto x) { return x; });
}

Task vector()
{
    return taskOfSize(64, [](std::int64_t size) { return std::vector{normal({4, size})}; });
}

std::string metadata(int arch, std::int64_t shared, std::int64_t columns = 0, int warps = 4)
{
    return QStringLiteral(
               R"({"name": "scale", "shared": %1, "tmem_size": %2, "num_warps": %3, "target": {"backend": "cuda", "arch": %4, "warp_size": 32}})")
        .arg(shared)
        .arg(columns)
        .arg(warps)
        .arg(arch)
        .toStdString();
}

/// A kernel of a Hopper device, loaded, that fits both targets.
TritonKernel scaleKernel(std::int64_t shared = 1024, std::int64_t blackwellColumns = 0)
{
    TritonKernel kernel;
    kernel.name = "scale";
    kernel.isLoaded = true;
    kernel.own.metadata = metadata(90, shared);
    kernel.hasBlackwell = true;
    kernel.blackwell.metadata = metadata(100, shared, blackwellColumns);
    return kernel;
}

KernelEvidence evidenceOf(std::vector<TritonKernel> kernels)
{
    KernelEvidence evidence;
    evidence.deviceSm = 90;
    evidence.definesKernels = true;
    evidence.kernels = std::move(kernels);
    return evidence;
}

/// The gate on a GPU, for a candidate with this evidence.
Questioned judged(const KernelEvidence& evidence, std::int64_t launches = 1,
                  const std::optional<PartyFailure>& failure = std::nullopt, const Contract& contract = {})
{
    FakeReference right(vector(), identity());
    FakeCandidate subject(identity());
    subject.evidence = evidence;
    subject.launches = launches;
    subject.resourcesFailure = failure;
    JudgeOptions options;
    options.device = "cuda:0";
    Session session(right, subject, contract, options);
    if (const auto stop = session.open())
        throw std::runtime_error(stop->reason);
    Questioned asked;
    asked.result = gates::resources(session);
    asked.flags = session.flags();
    asked.restarts = subject.restarts();
    return asked;
}

bool speaksOf(const std::string& sentence, std::string_view part)
{
    return sentence.find(part) != std::string::npos;
}

#define VERIFY_SPEAKS(sentence, part) QVERIFY2(speaksOf(sentence, part), (sentence).c_str())

const CheckResult* checkOf(const Questioned& asked, std::string_view code)
{
    const auto it = std::ranges::find(asked.result.checks, code, &CheckResult::code);
    return it == asked.result.checks.end() ? nullptr : &*it;
}

/// Refuses rows beyond @p most as a launcher does.
Operation refusingBeyond(std::size_t most)
{
    return operation([most](auto& given) {
        if (given.inputs[0].row() > most)
            throw Raises{"OutOfResources",
                         "out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing "
                         "block sizes or `num_stages` may help."};
        return std::vector{given.inputs[0]};
    });
}

} // namespace

void Res02Test::onTheCpuItIsInapplicable()
{
    const Questioned asked = question(gates::resources, vector(), identity(), identity());
    QCOMPARE(asked.result.verdict, Verdict::Inapplicable);
    QCOMPARE(asked.result.reason, std::string("no_gpu"));
}

void Res02Test::torchAloneIsInapplicable()
{
    KernelEvidence nothing;
    nothing.deviceSm = 90;
    const Questioned asked = judged(nothing, 0);
    QCOMPARE(asked.result.verdict, Verdict::Inapplicable);
    QCOMPARE(asked.result.reason, std::string("no_own_kernel"));
}

void Res02Test::kernelsWithoutALaunchAreUnknown()
{
    const Questioned asked = judged(evidenceOf({}), 0);
    QCOMPARE(asked.result.verdict, Verdict::Unknown);
    VERIFY_SPEAKS(asked.result.finding, "none was seen at work");
}

void Res02Test::launchesWithoutATraceAreUnknown()
{
    KernelEvidence nothing;
    nothing.deviceSm = 90;
    QCOMPARE(judged(nothing, 3).result.verdict, Verdict::Unknown);
    nothing.gaps = {"scale: ValueError: no metadata"};
    const Questioned asked = judged(nothing, 0);
    QCOMPARE(asked.result.verdict, Verdict::Unknown);
    VERIFY_SPEAKS(asked.result.finding, "no metadata");
}

void Res02Test::aProcessThatIsGoneLeavesNothingKnown()
{
    const Questioned asked
        = judged({}, 1, PartyFailure{PartyFailure::Kind::TimedOut, "", "no answer within 300 s", "", "call", false});
    QCOMPARE(asked.result.verdict, Verdict::Unknown);
    QCOMPARE(asked.restarts, 1);
}

void Res02Test::whatFitsPassesWithItsFigures()
{
    const Questioned asked = judged(evidenceOf({scaleKernel(24576)}));
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QCOMPARE(asked.result.exercised, 2);
    const CheckResult* const own = checkOf(asked, "RES-02.launch");
    const CheckResult* const modelled = checkOf(asked, "RES-02.blackwell");
    QVERIFY(own != nullptr && modelled != nullptr);
    VERIFY_SPEAKS(own->sentence, "scale fits sm_90: 24576 bytes of shared memory, 128 threads a block");
    QVERIFY(!speaksOf(own->sentence, "modelled"));
    VERIFY_SPEAKS(modelled->sentence, "sm_100 (assembled and modelled, not executed)");
    VERIFY_SPEAKS(asked.result.power, "assembled and modelled, not executed");
}

void Res02Test::tooMuchSharedMemoryFailsHard()
{
    const Questioned asked = judged(evidenceOf({scaleKernel(262144)}));
    QCOMPARE(asked.failureCode(), std::string("RES-02.launch"));
    QCOMPARE(asked.result.severity, Severity::Hard);
    QCOMPARE(asked.result.reason, std::string("shared-memory"));
    VERIFY_SPEAKS(asked.result.finding, "262144");
}

void Res02Test::oneRefusedConfigurationIsARemark()
{
    TritonKernel refused = scaleKernel(262144);
    refused.isLoaded = false;
    const Questioned asked = judged(evidenceOf({scaleKernel(), refused}));
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(asked.hasFlag("refused_configuration"));
}

void Res02Test::aRefusedConfigurationAloneFailsHard()
{
    TritonKernel refused = scaleKernel(262144);
    refused.isLoaded = false;
    TritonKernel other = scaleKernel();
    other.name = "another";
    const Questioned asked = judged(evidenceOf({other, refused}));
    QCOMPARE(asked.result.verdict, Verdict::Fail);
    QCOMPARE(asked.result.severity, Severity::Hard);
}

void Res02Test::tensorMemoryBeyondBlackwellFailsHard()
{
    const Questioned asked = judged(evidenceOf({scaleKernel(1024, 544)}));
    QCOMPARE(asked.failureCode(), std::string("RES-02.blackwell"));
    QCOMPARE(asked.result.severity, Severity::Hard);
    VERIFY_SPEAKS(asked.result.finding, "544");
    VERIFY_SPEAKS(asked.result.finding, "assembled and modelled, not executed");
    QCOMPARE(judged(evidenceOf({scaleKernel(1024, 512)})).result.verdict, Verdict::Pass);
}

void Res02Test::theAssemblersRefusalFailsHard()
{
    for (const char* text : {"PTXASError: ptxas fatal   : (C7907) Internal compiler error",
                             "OutOfResources: out of resource: tensor memory, Required: 544, Hardware limit: 512."}) {
        TritonKernel refused = scaleKernel();
        refused.blackwell = {};
        refused.blackwell.error = text;
        const Questioned asked = judged(evidenceOf({refused}));
        QCOMPARE(asked.failureCode(), std::string("RES-02.blackwell"));
        QCOMPARE(asked.result.severity, Severity::Hard);
    }
}

void Res02Test::anAutotunerDoesWithoutWhatBlackwellRefuses()
{
    TritonKernel fits = scaleKernel();
    TritonKernel large = scaleKernel(1024, 544);
    fits.isAutotuned = large.isAutotuned = true;
    const Questioned asked = judged(evidenceOf({fits, large}));
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    QVERIFY(asked.hasFlag("refused_configuration"));
    QCOMPARE(judged(evidenceOf({large})).result.severity, Severity::Hard);
}

void Res02Test::withoutAnAutotunerEveryLoadedConfigurationIsNeeded()
{
    const Questioned asked = judged(evidenceOf({scaleKernel(), scaleKernel(1024, 544)}));
    QCOMPARE(asked.failureCode(), std::string("RES-02.blackwell"));
}

void Res02Test::whatBlackwellCannotBeAskedIsUnknown()
{
    TritonKernel late = scaleKernel();
    late.blackwell = {};
    late.blackwell.error = "TimeoutError: not compiled: the time for compiling kernels again was spent";
    const Questioned asked = judged(evidenceOf({late}));
    QCOMPARE(asked.result.verdict, Verdict::Pass); // on its own device
    const CheckResult* const check = checkOf(asked, "RES-02.blackwell");
    QVERIFY(check != nullptr);
    QCOMPARE(check->verdict, Verdict::Unknown);
    VERIFY_SPEAKS(check->sentence, "not compiled");
}

void Res02Test::withoutTimeBlackwellIsNotExercised()
{
    Contract contract;
    contract.cpuBudgetSeconds = 0;
    const Questioned asked = judged(evidenceOf({scaleKernel(1024, 544)}), 1, std::nullopt, contract);
    QCOMPARE(asked.result.verdict, Verdict::Pass); // on its own device
    QCOMPARE(checkOf(asked, "RES-02.blackwell")->verdict, Verdict::NotExercised);
}

void Res02Test::realCodeOfBlackwellIsRead()
{
    TritonKernel kernel = scaleKernel();
    kernel.name = "matmul";
    kernel.blackwell.metadata = deviceText("triton_matmul.sm_100a.json");
    kernel.blackwell.ptx = deviceText("triton_matmul.sm_100a.ptx");
    kernel.blackwell.cubin = deviceData("triton_matmul.sm_100a.cubin");
    QVERIFY(!kernel.blackwell.cubin.empty());
    const Questioned asked = judged(evidenceOf({kernel}));
    QCOMPARE(asked.result.verdict, Verdict::Pass);
    const CheckResult* const check = checkOf(asked, "RES-02.blackwell");
    VERIFY_SPEAKS(check->sentence, "registers a thread");
    VERIFY_SPEAKS(check->sentence, "32 columns of tensor memory");
}

void Res02Test::bytesThatAreNoCodeAreNoEvidence()
{
    TritonKernel kernel;
    kernel.name = "scale";
    kernel.isLoaded = true;
    kernel.own.metadata = "{\"shared\": -1}";
    kernel.own.ptx = "no PTX";
    kernel.own.cubin = deviceData("triton_matmul.sm_100a.json");
    const Questioned asked = judged(evidenceOf({kernel}));
    QCOMPARE(asked.result.verdict, Verdict::Unknown);
}

void Res02Test::librariesAreReadForTheirDevice()
{
    KernelEvidence evidence = evidenceOf({});
    CudaBuild build;
    build.name = "extension";
    build.library = deviceData("hopper.fatbin");
    evidence.builds = {build};
    const Questioned asked = judged(evidence);
    const CheckResult* const check = checkOf(asked, "RES-02.launch");
    QVERIFY(check != nullptr);
    QVERIFY2(check->verdict == Verdict::Pass, check->sentence.c_str());
    evidence.deviceSm = 80;
    QCOMPARE(checkOf(judged(evidence), "RES-02.launch")->verdict, Verdict::Unknown);
}

void Res02Test::whatWasCompiledAtRunTimeIsReadForItsDevice()
{
    KernelEvidence evidence = evidenceOf({});
    CudaBuild build;
    build.name = "scale";
    build.device = {{CudaCompilation::Outcome::Compiled, deviceData("hopper.sm_90a.cubin"), ""}};
    evidence.builds = {build};
    const Questioned asked = judged(evidence);
    const CheckResult* const check = checkOf(asked, "RES-02.launch");
    QVERIFY(check != nullptr);
    QVERIFY2(check->verdict == Verdict::Pass, check->sentence.c_str());
    evidence.builds.front().device = {{CudaCompilation::Outcome::Absent, {}, "there is no run-time compiler"}};
    QCOMPARE(checkOf(judged(evidence), "RES-02.launch")->verdict, Verdict::Unknown);
}

void Res02Test::missingHeadersAreUnsupported()
{
    KernelEvidence evidence = evidenceOf({scaleKernel()});
    CudaBuild build;
    build.name = "extension";
    build.blackwell = {{CudaCompilation::Outcome::Rejected,
                        {},
                        "candidate.cu(1): catastrophic error: could not open source file \"torch/extension.h\""}};
    evidence.builds = {build};
    const Questioned asked = judged(evidence);
    const auto unsupported = std::ranges::find(asked.result.checks, Verdict::Unsupported, &CheckResult::verdict);
    QVERIFY(unsupported != asked.result.checks.end());
    QCOMPARE(unsupported->code, std::string("RES-02.blackwell"));
    QVERIFY(asked.failure() == nullptr);
}

void Res02Test::refusalsAtOtherSizesCountOnTheCpuToo()
{
    FakeReference right(vector(), identity());
    FakeCandidate subject(refusingBeyond(200));
    Session session(right, subject, {}, {});
    QVERIFY(!session.open());
    QCOMPARE(gates::shapes(session).verdict, Verdict::Fail);
    const GateResult result = gates::resources(session);
    QCOMPARE(result.verdict, Verdict::Fail);
    QCOMPARE(result.severity, Severity::Soft);
    QCOMPARE(result.checks.size(), std::size_t{1});
    QCOMPARE(result.checks.front().value, assay::tensor::measured(262144));
    QCOMPARE(result.checks.front().threshold, assay::tensor::measured(232448));
    VERIFY_SPEAKS(result.finding, "out of resource: shared memory");
}

void Res02Test::aCandidateThatNeverLaunchesFailsItAtOnce()
{
    FakeReference right(vector(), identity());
    FakeCandidate subject(refusingBeyond(1));
    const Judgement judgement = judge(right, subject, {}, {});
    const GateResult& result = judgement.gates[static_cast<std::size_t>(indexOf(Gate::Res02))];
    QCOMPARE(result.verdict, Verdict::Fail);
    QCOMPARE(result.severity, Severity::Hard);
    QCOMPARE(judgement.gates[static_cast<std::size_t>(indexOf(Gate::Ord01))].verdict, Verdict::NotExercised);
}

QTEST_GUILESS_MAIN(Res02Test)
#include "tst_res02.moc"
