// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/device_limits.h"
#include "kernels/device/resource_report.h"
#include "tests/support/device_data.h"

#include <QtTest>

#include <algorithm>

using namespace assay::device;
using assay::tests::deviceData;
using assay::tests::deviceText;

namespace {

constexpr const char* kTooManyColumns
    = "triton.runtime.errors.OutOfResources: out of resource: tensor memory, Required: 544, Hardware limit: 512. Reducing block "
      "sizes or `num_stages` may help.";
constexpr const char* kInternalError
    = "PTXAS error: `ptxas` failed with error code 255:\nptxas fatal   : (C7907) Internal compiler error\n";

TritonMetadata metadata(int arch = 100)
{
    TritonMetadata value;
    value.backend = "cuda";
    value.arch = arch;
    value.sharedBytes = 65552;
    value.tmemColumns = 128;
    value.warps = 4;
    value.blocksPerCluster = 1;
    return value;
}

ResourceEvidence tritonEvidence(const TritonMetadata& value)
{
    ResourceEvidence evidence;
    evidence.kernel = "matmul";
    evidence.sm = 100;
    evidence.triton = value;
    return evidence;
}

ResourceEvidence cubinEvidence(const QString& stem, const std::string& kernel, int sm)
{
    ResourceEvidence evidence;
    evidence.kernel = kernel;
    evidence.sm = sm;
    const Cubin cubin = readCubin(deviceData(stem + ".cubin"));
    evidence.cubinSm = cubin.sm;
    evidence.cubin = *std::ranges::find(cubin.kernels, kernel, &CubinKernel::name);
    return evidence;
}

/// "code severity" of every finding.
QStringList found(const ResourceReport& report)
{
    QStringList list;
    for (const ResourceFinding& finding : report.findings)
        list << QString::fromStdString(finding.code) + ' ' + QString::fromUtf8(name(finding.severity).data());
    return list;
}

QStringList found(const ResourceEvidence& evidence)
{
    return found(reportResources(evidence));
}

bool lacks(const ResourceReport& report, const char* what)
{
    return std::ranges::any_of(report.unknown, [what](const std::string& text) { return text.starts_with(what); });
}

} // namespace

class ResourceReportTest : public QObject {
    Q_OBJECT

private slots:
    void withoutEvidenceTheAnswerIsUnknown();
    void aTritonKernelIsJoinedFromAllItsParts();
    void bothRefusalsOfBlackwellAreRecognised();
    void otherRefusalsAreRecognised_data();
    void otherRefusalsAreRecognised();
    void harmlessTextsAreNoRefusals();
    void eachLimitIsHeld();
    void aKernelThatOnlyTrapsStillFails();
    void spillsAreANote();
    void registersOfAWholeBlockAreCounted();
    void evidenceOfAnotherTargetIsLeftOut();
    void rulesOfTensorMemoryAreHardWhereCertain();
    void assemblerFiguresCountWithoutACubin();
    void disagreeingWitnessesAreNoted();
    void whatIsNotKnownIsSaid();
    void metadataIsReadAndBadMetadataRefused();
    void limitsAreThoseOfTheDevice();
};

void ResourceReportTest::withoutEvidenceTheAnswerIsUnknown()
{
    ResourceEvidence evidence;
    evidence.sm = 100;
    evidence.texts = {"", "building extension ... done\n"};
    const ResourceReport report = reportResources(evidence);
    QVERIFY(!report.hasEvidence && !report.hasHardFinding());
    QCOMPARE(report.findings.size(), 0U);
    QCOMPARE(report.unknown, std::vector<std::string>{"no evidence"});
}

void ResourceReportTest::aTritonKernelIsJoinedFromAllItsParts()
{
    ResourceEvidence evidence = cubinEvidence("triton_matmul.sm_100a", "matmul", 100);
    evidence.triton = readTritonMetadata(deviceText("triton_matmul.sm_100a.json"));
    const PtxReport ptx = lintPtx(deviceText("triton_matmul.sm_100a.ptx"));
    evidence.ptx = ptx.kernels.at(0);
    evidence.ptxTarget = ptx.target;
    const ResourceReport report = reportResources(evidence);
    QVERIFY(report.hasEvidence && !report.hasHardFinding());
    QCOMPARE(report.use.sharedBytes, 15376);
    QVERIFY(!report.use.dynamicSharedUnknown);
    QCOMPARE(report.use.tmemColumns, 32);
    QCOMPARE(report.use.threads, 128);
    QVERIFY(report.use.registers > 16 && report.use.registers <= 255);
    QCOMPARE(report.unknown.size(), 0U);
    QCOMPARE(found(report), QStringList("ld-used-before-wait note"));
}

void ResourceReportTest::bothRefusalsOfBlackwellAreRecognised()
{
    ResourceEvidence evidence;
    evidence.sm = 100;
    evidence.texts = {kTooManyColumns};
    const ResourceReport columns = reportResources(evidence);
    QCOMPARE(found(columns), QStringList("tensor-memory hard"));
    QVERIFY(columns.hasEvidence && columns.hasHardFinding());
    QCOMPARE(columns.findings[0].value, 544);
    QCOMPARE(columns.findings[0].limit, 512);
    QVERIFY(columns.findings[0].sentence.find("544 needed, 512 there") != std::string::npos);

    evidence.texts = {kInternalError};
    const ResourceReport internal = reportResources(evidence);
    QCOMPARE(found(internal), QStringList("assembler-refused hard"));
    QVERIFY(internal.findings[0].sentence.find("C7907") != std::string::npos);
}

void ResourceReportTest::otherRefusalsAreRecognised_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("finding");
    QTest::addColumn<int>("value");
    QTest::newRow("shared") << "out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing"
                            << "shared-memory hard" << 262144;
    QTest::newRow("threads") << "out of resource: threads, Required: 2048, Hardware limit: 1024"
                             << "threads hard" << 2048;
    QTest::newRow("static shared") << "ptxas error   : Entry function 'k' uses too much shared data (0x11000 bytes, 0xc000 max)"
                                   << "shared-memory hard" << 0x11000;
    QTest::newRow("launch") << "CUDA error: too many resources requested for launch"
                            << "launch-refused hard" << -1;
    QTest::newRow("other") << "out of resource: something, Required: many"
                           << "launch-refused hard" << -1;
}

void ResourceReportTest::otherRefusalsAreRecognised()
{
    QFETCH(QString, text);
    QFETCH(QString, finding);
    QFETCH(int, value);
    ResourceEvidence evidence;
    evidence.sm = 90;
    evidence.texts = {"first line\n" + text.toStdString() + "\nlast line"};
    const ResourceReport report = reportResources(evidence);
    QCOMPARE(found(report), QStringList(finding));
    QCOMPARE(report.findings[0].value.value_or(-1), value);
}

void ResourceReportTest::harmlessTextsAreNoRefusals()
{
    for (const char* text :
         {"CUDA out of memory. Tried to allocate 20.00 MiB", "ptxas info    : Used 255 registers", "C790", "resource"})
        QCOMPARE(findResourceRefusals(text).size(), 0U);
}

void ResourceReportTest::eachLimitIsHeld()
{
    const auto with = [](auto change) {
        TritonMetadata value = metadata();
        change(value);
        return found(tritonEvidence(value));
    };
    QCOMPARE(with([](TritonMetadata&) {}), QStringList());
    QCOMPARE(with([](TritonMetadata& m) { m.sharedBytes = 232448; }), QStringList());
    QCOMPARE(with([](TritonMetadata& m) { m.sharedBytes = 232449; }), QStringList("shared-memory hard"));
    QCOMPARE(with([](TritonMetadata& m) { m.tmemColumns = 512; }), QStringList());
    QCOMPARE(with([](TritonMetadata& m) { m.tmemColumns = 544; }), QStringList("tensor-memory hard"));
    QCOMPARE(with([](TritonMetadata& m) { m.warps = 32; }), QStringList());
    QCOMPARE(with([](TritonMetadata& m) { m.warps = 64; }), QStringList("threads hard"));
    QCOMPARE(with([](TritonMetadata& m) { m.registers = 256; }), QStringList("registers hard"));
    QCOMPARE(with([](TritonMetadata& m) { m.blocksPerCluster = 8; }), QStringList());
    QCOMPARE(with([](TritonMetadata& m) { m.blocksPerCluster = 16; }), QStringList("cluster-not-portable note"));
    QCOMPARE(with([](TritonMetadata& m) { m.blocksPerCluster = 32; }), QStringList("cluster hard"));
    QCOMPARE(with([](TritonMetadata& m) { m.maxThreads = 64; }), QStringList("launch-bounds hard"));

    ResourceEvidence hopper = tritonEvidence(metadata(90));
    hopper.sm = 90; // has no tensor memory at all
    QCOMPARE(found(hopper), QStringList("tensor-memory hard"));
    TritonMetadata clustered = metadata(80);
    clustered.tmemColumns = 0;
    clustered.blocksPerCluster = 2;
    ResourceEvidence ampere = tritonEvidence(clustered);
    ampere.sm = 80;
    QCOMPARE(found(ampere), QStringList("cluster hard"));
}

void ResourceReportTest::aKernelThatOnlyTrapsStillFails()
{
    // Triton puts a trap in place of code that needs more columns than there are: binary and PTX look innocent
    ResourceEvidence evidence = tritonEvidence(metadata());
    evidence.triton->tmemColumns = 784;
    evidence.ptxTarget = "sm_100a";
    evidence.ptx = lintPtx(".version 9.0\n.target sm_100a\n.visible .entry matmul()\n.reqntid 128\n{\ntrap;\n}\n").kernels.at(0);
    evidence.cubin = CubinKernel{};
    evidence.cubinSm = 100;
    const ResourceReport report = reportResources(evidence);
    QCOMPARE(report.use.tmemColumns, 784);
    QCOMPARE(found(report), QStringList({"tensor-memory hard", "only-traps hard"}));
}

void ResourceReportTest::spillsAreANote()
{
    const ResourceReport spilling = reportResources(cubinEvidence("plain.sm_90a", "spilling", 90));
    QCOMPARE(found(spilling), QStringList("spills note"));
    QCOMPARE(spilling.use.spillBytes, 176); // 88 stored and 88 loaded, says the assembler
    const ResourceReport array = reportResources(cubinEvidence("plain.sm_90a", "localArray", 90));
    QCOMPARE(found(array), QStringList("local-memory-used note"));
    QCOMPARE(array.use.localBytes, 800);
}

void ResourceReportTest::registersOfAWholeBlockAreCounted()
{
    ResourceEvidence evidence = cubinEvidence("required.sm_100a", "requiredBlock", 100);
    evidence.cubin->requiredThreads = {512, 1, 1};
    evidence.cubin->registers = 128;
    QCOMPARE(found(evidence), QStringList()); // 512 threads of 128 fill the file exactly
    evidence.cubin->registers = 129;          // handed out as 136 a thread
    const ResourceReport over = reportResources(evidence);
    QCOMPARE(found(over), QStringList("registers-per-block hard"));
    QCOMPARE(over.findings[0].value, 512 * 136);
    evidence.cubin->setsRegisterCount = true; // moved between warps after the start
    QCOMPARE(found(evidence), QStringList());
    evidence.cubin->setsRegisterCount = false;
    evidence.cubin->requiredThreads.reset();
    evidence.cubin->maxThreads = {512, 1, 1}; // a launch may still ask for less
    QCOMPARE(found(evidence), QStringList("registers-per-block soft"));
}

void ResourceReportTest::evidenceOfAnotherTargetIsLeftOut()
{
    ResourceEvidence evidence = cubinEvidence("plain.sm_90a", "spilling", 90);
    evidence.sm = 100;
    const ResourceReport report = reportResources(evidence);
    QVERIFY(!report.hasEvidence);
    QVERIFY(!report.use.registers);
    evidence.texts = {deviceText("plain.sm_100a.log")};
    const ResourceReport logged = reportResources(evidence);
    QVERIFY(logged.hasEvidence);
    QCOMPARE(found(logged), QStringList({"spills note", "other-target-cubin note"}));
}

void ResourceReportTest::rulesOfTensorMemoryAreHardWhereCertain()
{
    const std::string alloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 64;\n";
    const std::string relinquish = "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n";
    const std::string dealloc = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;\n";
    const auto evidenceOf = [](const std::string& body) {
        ResourceEvidence evidence;
        evidence.sm = 100;
        evidence.ptxTarget = "sm_100a";
        evidence.ptx = lintPtx(".version 9.0\n.target sm_100a\n.visible .entry k()\n{\n" + body + "ret;\n}\n").kernels.at(0);
        return evidence;
    };
    const ResourceReport certain = reportResources(evidenceOf(alloc + relinquish + dealloc + alloc + dealloc));
    QCOMPARE(found(certain), QStringList("alloc-after-relinquish hard"));
    QVERIFY2(certain.findings[0].sentence.starts_with("PTX line 8 (and 6): "), certain.findings[0].sentence.c_str());
    const ResourceReport perhaps = reportResources(evidenceOf("turn:\n" + alloc + relinquish + dealloc + "@%p1 bra turn;\n"));
    QCOMPARE(found(perhaps), QStringList("alloc-after-relinquish note"));
    QVERIFY(perhaps.findings[0].sentence.find("on some paths") != std::string::npos);
    // two findings of one rule stay two
    QCOMPARE(found(evidenceOf(alloc + relinquish + dealloc + alloc + dealloc + alloc + dealloc)),
             QStringList({"alloc-after-relinquish hard", "alloc-after-relinquish hard"}));
}

void ResourceReportTest::assemblerFiguresCountWithoutACubin()
{
    ResourceEvidence evidence;
    evidence.kernel = "staticShared";
    evidence.sm = 90;
    evidence.texts = {deviceText("plain.sm_90a.log")};
    const ResourceReport report = reportResources(evidence);
    QVERIFY(report.hasEvidence);
    QCOMPARE(report.use.registers, 21);
    QCOMPARE(report.use.sharedBytes, 4000);
    QVERIFY(lacks(report, "dynamic shared memory"));
    evidence.sm = 9; // "sm_9" is no beginning of "sm_90a"
    QVERIFY(!reportResources(evidence).hasEvidence);
    evidence.sm = 90;
    evidence.kernel = "another";
    QVERIFY(!reportResources(evidence).hasEvidence);
}

void ResourceReportTest::disagreeingWitnessesAreNoted()
{
    ResourceEvidence evidence = cubinEvidence("plain.sm_90a", "staticShared", 90);
    evidence.triton = metadata(90);
    evidence.triton->tmemColumns = 0;
    evidence.triton->registers = 21;
    QCOMPARE(found(evidence), QStringList());
    evidence.triton->registers = 40;
    QCOMPARE(found(evidence), QStringList("evidence-disagrees note"));
}

void ResourceReportTest::whatIsNotKnownIsSaid()
{
    const ResourceReport cubin = reportResources(cubinEvidence("blackwell.sm_100a", "tensorMemory", 100));
    QVERIFY(lacks(cubin, "columns of tensor memory") && lacks(cubin, "dynamic shared memory") && lacks(cubin, "threads a block"));
    QVERIFY(!lacks(reportResources(cubinEvidence("hopper.sm_100a", "clustered", 100)), "columns of tensor memory")); // uses none
    QVERIFY(lacks(reportResources(tritonEvidence(metadata())), "registers"));
    ResourceEvidence future = tritonEvidence(metadata(999));
    future.sm = 999;
    QVERIFY(lacks(reportResources(future), "the limits of sm_999"));
}

void ResourceReportTest::metadataIsReadAndBadMetadataRefused()
{
    const TritonMetadata read = readTritonMetadata(
        R"({"name":"k","shared":98320,"tmem_size":128,"num_warps":4,"num_ctas":2,"maxnreg":null,"n_regs":96,"n_spills":22,
            "n_max_threads":512,"target":{"backend":"cuda","arch":100,"warp_size":32},"unused":[1.5e3,{"a":true}]})");
    QCOMPARE(read.name, std::string("k"));
    QVERIFY(read.sharedBytes == 98320 && read.tmemColumns == 128 && read.warps == 4 && read.blocksPerCluster == 2);
    QVERIFY(read.registers == 96 && read.localBytes == 88 && read.maxThreads == 512 && read.arch == 100);
    const TritonMetadata other
        = readTritonMetadata(R"({"target":{"backend":"hip","arch":"gfx942","warp_size":64},"shared":null})");
    QVERIFY(!other.arch && !other.sharedBytes && other.threadsPerWarp == 64 && other.backend == "hip");

    const auto errorOf = [](const std::string& json) {
        try {
            readTritonMetadata(json);
        } catch (const MetadataError& error) {
            return QString::fromLatin1(error.what());
        }
        return QString();
    };
    QVERIFY(errorOf("{\"shared\":").contains("byte 10"));
    QVERIFY(errorOf("[]").contains("not a JSON object"));
    QVERIFY(errorOf("{\"shared\":\"many\"}").contains("\"shared\""));
    QVERIFY(errorOf("{\"num_warps\":-4}").contains("\"num_warps\""));
    QVERIFY(errorOf("{\"num_warps\":1e30}").contains("\"num_warps\""));
    QVERIFY(errorOf(std::string(200'000, '[')).contains("byte"));
}

void ResourceReportTest::limitsAreThoseOfTheDevice()
{
    QCOMPARE(deviceLimits(80)->sharedBytesPerBlock, 163 * 1024);
    QCOMPARE(deviceLimits(90)->sharedBytesPerBlock, 227 * 1024);
    QCOMPARE(deviceLimits(90)->tmemColumns, 0);
    QCOMPARE(deviceLimits(100)->tmemColumns, 512);
    QCOMPARE(deviceLimits(100)->clusterBlocksNonPortable, 16);
    QVERIFY(!deviceLimits(42));
}

QTEST_GUILESS_MAIN(ResourceReportTest)
#include "tst_resource_report.moc"
