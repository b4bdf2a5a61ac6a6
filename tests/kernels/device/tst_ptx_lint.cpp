// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/ptx_lint.h"
#include "tests/support/device_data.h"

#include <QtTest>

#include <algorithm>
#include <random>
#include <string>

using namespace assay::device;
using assay::tests::deviceText;

namespace {

constexpr const char* kHead = ".version 9.0\n.target sm_100a\n.address_size 64\n";
constexpr const char* kAlloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], ";
constexpr const char* kRelinquish = "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n";
constexpr const char* kDealloc = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, ";
constexpr const char* kLoad = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1];\n";
constexpr const char* kWaitLoad = "tcgen05.wait::ld.sync.aligned;\n";

std::string alloc(const std::string& columns)
{
    return kAlloc + columns + ";\n";
}

std::string dealloc(const std::string& columns)
{
    return kDealloc + columns + ";\n";
}

/// A kernel around @p body, whose first line is line 10 of the text.
std::string kernel(const std::string& body)
{
    return std::string(kHead) + ".visible .entry k(\n.param .u64 k_param_0\n)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<99>;\n" + body
        + "ret;\n}\n";
}

PtxKernel linted(const std::string& body)
{
    return lintPtx(kernel(body)).kernels.at(0);
}

/// "code@line" of every finding, with a question mark where it is not certain.
QStringList found(const PtxKernel& kernel)
{
    QStringList list;
    for (const PtxFinding& finding : kernel.tmem.findings)
        list << QString::fromStdString(finding.code) + '@' + QString::number(finding.line) + (finding.certain ? "" : "?");
    return list;
}

QStringList found(const std::string& body)
{
    return found(linted(body));
}

QString errorOf(const std::string& text)
{
    try {
        lintPtx(text);
    } catch (const PtxError& error) {
        return QString::fromLatin1(error.what());
    }
    return {};
}

} // namespace

class PtxLintTest : public QObject {
    Q_OBJECT

private slots:
    void compiledKernelsAreCleanAndRead();
    void aTritonKernelIsCleanAndRead();
    void columnsMustBeAPowerOfTwoInRange();
    void aCountInARegisterIsFollowedOrUnknown();
    void registersOfInnerBlocksAreTheirOwn();
    void allocAfterRelinquishIsFound();
    void guardedAndBranchedWarpsAreFollowed();
    void separateWarpsAreNotConfused();
    void growingAllocationsAreFound();
    void columnsHeldAtOnceAreAdded();
    void missingHalvesAreFound();
    void mixedGroupsAreFound();
    void loadsAreAwaitedBeforeUse();
    void usesBeforeALaterWaitAreOneRemark();
    void storesAreAwaitedBeforeUse();
    void productsAreCommittedAndAwaited();
    void calledFunctionsMakeAbsencesUnknown();
    void declaredResourcesAreRead();
    void hugeKernelsEndInBoundedTime();
    void otherTextsAreRefusedWithTheirLine();
    void damagedTextNeverCrashes();
};

void PtxLintTest::compiledKernelsAreCleanAndRead()
{
    const PtxReport nvcc = lintPtx(deviceText("blackwell.sm_100a.ptx"));
    QCOMPARE(nvcc.version, std::string("9.0"));
    QCOMPARE(nvcc.target, std::string("sm_100a"));
    QCOMPARE(nvcc.kernels.size(), 1U);
    const PtxKernel& tensorMemory = nvcc.kernels[0];
    QCOMPARE(tensorMemory.name, std::string("tensorMemory"));
    QVERIFY(tensorMemory.maxThreads == (std::array<std::int64_t, 3>{128, 1, 1}));
    QVERIFY(!tensorMemory.requiredThreads && !tensorMemory.usesDynamicShared);
    QCOMPARE(tensorMemory.staticSharedBytes, 4);
    QVERIFY(tensorMemory.tmem.usesTcgen05);
    QCOMPARE(tensorMemory.tmem.columns, 64);
    QCOMPARE(found(tensorMemory), QStringList());

    const PtxKernel required = lintPtx(deviceText("required.ptx")).kernels.at(0);
    QVERIFY(required.requiredThreads == (std::array<std::int64_t, 3>{128, 1, 1}));
    QVERIFY(required.cluster == (std::array<std::int64_t, 3>{2, 1, 1}));
    QCOMPARE(required.tmem.columns, 128);
    QCOMPARE(found(required), QStringList());
}

void PtxLintTest::aTritonKernelIsCleanAndRead()
{
    const PtxReport report = lintPtx(deviceText("triton_matmul.sm_100a.ptx"));
    QCOMPARE(report.target, std::string("sm_100a"));
    QCOMPARE(report.kernels.size(), 1U);
    const PtxKernel& matmul = report.kernels[0];
    QCOMPARE(matmul.name, std::string("matmul"));
    QVERIFY(matmul.requiredThreads == (std::array<std::int64_t, 3>{128, 1, 1}));
    QVERIFY(matmul.usesDynamicShared);
    QCOMPARE(matmul.staticSharedBytes, 0);
    QCOMPARE(matmul.tmem.allocations, 1);
    QCOMPARE(matmul.tmem.columns, 32);
    QCOMPARE(found(matmul), QStringList("ld-used-before-wait@322?")); // its optimiser moves conversions across the wait
}

void PtxLintTest::columnsMustBeAPowerOfTwoInRange()
{
    for (const char* columns : {"32", "64", "128", "256", "512", "0x200"})
        QCOMPARE(found(alloc(columns) + dealloc(columns)), QStringList());
    for (const char* columns : {"0", "16", "48", "544", "1024"})
        QCOMPARE(found(alloc(columns) + dealloc(columns)), QStringList("columns-invalid@10"));
}

void PtxLintTest::aCountInARegisterIsFollowedOrUnknown()
{
    const PtxKernel constant = linted("mov.b32 %r5, 48;\nmov.u32 %r6, %r5;\n" + alloc("%r6") + dealloc("%r6"));
    QCOMPARE(found(constant), QStringList("columns-invalid@12"));
    QCOMPARE(constant.tmem.columns, 48);

    const PtxKernel loaded = linted("ld.param.u32 %r6, [k_param_0];\n" + alloc("%r6") + dealloc("%r6"));
    QCOMPARE(found(loaded), QStringList());
    QVERIFY(!loaded.tmem.columns);
    QCOMPARE(loaded.tmem.unknownAllocations, 1);

    const PtxKernel twice = linted("mov.b32 %r6, 48;\n@%p1 mov.b32 %r6, 64;\n" + alloc("%r6") + dealloc("64"));
    QCOMPARE(found(twice), QStringList());
    QVERIFY(!twice.tmem.columns);
    QVERIFY(!linted("@%p1 mov.b32 %r6, 64;\n" + alloc("%r6") + dealloc("64")).tmem.columns);
}

void PtxLintTest::registersOfInnerBlocksAreTheirOwn()
{
    const std::string block = "{ .reg .b32 n; mov.b32 n, 64; " + alloc("n") + "}\n{ .reg .b32 n; mov.b32 n, 32; " + alloc("n")
        + "}\n" + dealloc("64") + dealloc("32");
    const PtxKernel inner = linted(block);
    QCOMPARE(inner.tmem.unknownAllocations, 0);
    QCOMPARE(inner.tmem.columns, 96);
    QCOMPARE(found(inner), QStringList());
    // labels too: both loops jump to their own
    QCOMPARE(found(alloc("64")
                   + "{ .reg .pred d;\nagain: mbarrier.try_wait.parity.shared::cta.b64 d, [slot], 0;\n@!d bra again; }\n"
                     "{ .reg .pred d;\nagain: mbarrier.try_wait.parity.shared::cta.b64 d, [slot], 1;\n@!d bra again; }\n"
                   + dealloc("64")),
             QStringList());
}

void PtxLintTest::allocAfterRelinquishIsFound()
{
    const PtxKernel straight = linted(alloc("64") + kRelinquish + dealloc("64") + alloc("64") + dealloc("64"));
    QCOMPARE(found(straight), QStringList("alloc-after-relinquish@13"));
    QCOMPARE(straight.tmem.findings[0].relatedLine, 11);
    QCOMPARE(found(alloc("64") + dealloc("64") + alloc("64") + kRelinquish + dealloc("64")), QStringList());
    // one life a turn of a loop: the second turn allocates without the permit, and the first does not
    QCOMPARE(found("turn:\n" + alloc("64") + kRelinquish + dealloc("64") + "@%p1 bra turn;\n"),
             QStringList("alloc-after-relinquish@11?"));
}

void PtxLintTest::guardedAndBranchedWarpsAreFollowed()
{
    // warp 0 alone lives through everything; the others jump around each part, on a condition spelled in two ways
    const std::string thread = "mov.u32 %r3, %tid.x;\nsetp.gt.u32 %p1, %r3, 31;\nsetp.lt.u32 %p2, %r3, 32;\n";
    const std::string first = "@%p1 bra past;\n" + alloc("64") + kRelinquish + "past:\nbar.sync 0;\n";
    QCOMPARE(found(thread + first + "@!%p2 bra done;\n" + dealloc("64") + "done:\n"), QStringList());
    QCOMPARE(found(thread + first + "@!%p2 bra done;\n" + alloc("64") + dealloc("64") + "done:\n"),
             QStringList("alloc-after-relinquish@19"));
    QCOMPARE(found(thread + first + "@%p2 " + alloc("64") + dealloc("64")), QStringList("alloc-after-relinquish@18"));
    // a loop that gives back on the same condition never holds more than one allocation
    const std::string loop = thread + "turn:\n@%p1 bra past;\n" + alloc("512") + "past:\nbar.sync 0;\n@%p1 bra next;\n"
        + dealloc("512") + "next:\n@%p5 bra turn;\n";
    QCOMPARE(found(loop), QStringList());
    QCOMPARE(linted(loop).tmem.columns, 512);
}

void PtxLintTest::separateWarpsAreNotConfused()
{
    // warp 0 gives the permit up and warp 1 has it still: their codes never meet
    QCOMPARE(
        found("@%p1 bra other;\n" + alloc("64") + kRelinquish + dealloc("64") + "ret;\nother:\n" + alloc("64") + dealloc("64")),
        QStringList());
}

void PtxLintTest::growingAllocationsAreFound()
{
    const PtxKernel grows = linted(alloc("64") + dealloc("64") + alloc("128") + dealloc("128"));
    QCOMPARE(found(grows), QStringList("alloc-grows@12"));
    QCOMPARE(grows.tmem.findings[0].relatedLine, 10);
    QCOMPARE(grows.tmem.columns, 128);
    QCOMPARE(found(alloc("128") + dealloc("128") + alloc("64") + dealloc("64")), QStringList());
    QCOMPARE(found("@%p1 bra past;\n" + alloc("64") + dealloc("64") + "past:\n" + alloc("128") + dealloc("128")),
             QStringList("alloc-grows@14?"));
}

void PtxLintTest::columnsHeldAtOnceAreAdded()
{
    const PtxKernel full = linted(alloc("256") + alloc("256") + dealloc("256") + dealloc("256"));
    QCOMPARE(found(full), QStringList());
    QCOMPARE(full.tmem.columns, 512);
    const PtxKernel over = linted(alloc("512") + alloc("32") + dealloc("512") + dealloc("32"));
    QCOMPARE(found(over), QStringList("columns-exceeded@11"));
    QCOMPARE(over.tmem.columns, 544);
    QVERIFY(over.tmem.findings[0].sentence.find("544") != std::string::npos);
}

void PtxLintTest::missingHalvesAreFound()
{
    QCOMPARE(found(alloc("64")), QStringList("dealloc-missing@10"));
    QCOMPARE(found(std::string(kLoad) + kWaitLoad), QStringList("alloc-missing@10"));
    QCOMPARE(found(alloc("64") + dealloc("32")), QStringList("dealloc-mismatch@11"));
    QCOMPARE(found("add.s32 %r1, %r2, 1;\n"), QStringList());
}

void PtxLintTest::mixedGroupsAreFound()
{
    const PtxKernel mixed = linted(alloc("64") + "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r1, 64;\n");
    QCOMPARE(found(mixed), QStringList("cta-group-mixed@11"));
    QCOMPARE(mixed.tmem.findings[0].relatedLine, 10);
}

void PtxLintTest::loadsAreAwaitedBeforeUse()
{
    const auto around = [](const std::string& body) { return found(alloc("64") + body + dealloc("64")); };
    const std::string use = "add.s32 %r4, %r2, 1;\n";
    QCOMPARE(around(kLoad + (kWaitLoad + use)), QStringList());
    QCOMPARE(around(kLoad + use), QStringList("ld-without-wait@12"));
    QCOMPARE(around(kLoad + std::string("st.global.b32 [%rd1], %r2;\n")), QStringList("ld-without-wait@12"));
    QCOMPARE(around(kLoad + std::string("st.shared.b32 [%r2], %r5;\n")), QStringList("ld-without-wait@12"));
    // a plain move is a renaming; what it names is awaited as well
    QCOMPARE(around(kLoad + std::string("mov.b32 %r7, %r2;\n") + kWaitLoad + "add.s32 %r4, %r7, 1;\n"), QStringList());
    QCOMPARE(around(kLoad + std::string("mov.b32 %r7, %r2;\nadd.s32 %r4, %r7, 1;\n")), QStringList("ld-without-wait@13"));
    // a wait before the load is no wait for it
    QCOMPARE(around(kWaitLoad + (kLoad + use)), QStringList("ld-without-wait@13"));
    // several registers, and a register that is written anew in between
    QCOMPARE(around("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r2, %r3}, [ %r1 + 0 ];\nadd.s32 %r4, %r3, 1;\n"),
             QStringList("ld-without-wait@12"));
    QCOMPARE(around(kLoad + std::string("mov.b32 %r2, 0;\n") + use), QStringList());
}

void PtxLintTest::usesBeforeALaterWaitAreOneRemark()
{
    const auto around = [](const std::string& body) { return found(alloc("64") + body + dealloc("64")); };
    const std::string use = "add.s32 %r4, %r2, 1;\n";
    const std::string second = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r1];\nadd.s32 %r4, %r3, 1;\n";
    QCOMPARE(around(kLoad + use + kWaitLoad), QStringList("ld-used-before-wait@12?"));
    const PtxKernel twice = linted(alloc("64") + kLoad + use + second + kWaitLoad + dealloc("64"));
    QCOMPARE(found(twice), QStringList("ld-used-before-wait@12?"));
    QVERIFY(twice.tmem.findings[0].sentence.find("what 2 tcgen05.ld") != std::string::npos);
    // one way around the wait
    QCOMPARE(around(kLoad + std::string("@%p1 bra past;\n") + kWaitLoad + "past:\n" + use),
             QStringList("ld-used-before-wait@15?"));
}

void PtxLintTest::storesAreAwaitedBeforeUse()
{
    const std::string store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r5};\n";
    const std::string wait = "tcgen05.wait::st.sync.aligned;\n";
    QCOMPARE(found(alloc("64") + store + wait + kLoad + kWaitLoad + dealloc("64")), QStringList());
    QCOMPARE(found(alloc("64") + store + kLoad + kWaitLoad + wait + dealloc("64")), QStringList("st-without-wait@12"));
    QCOMPARE(found(alloc("64") + store + dealloc("64")), QStringList("st-without-wait@12"));
}

void PtxLintTest::productsAreCommittedAndAwaited()
{
    const std::string mma = "@%p3 tcgen05.mma.cta_group::1.kind::f16 [ %r1 + 0 ], %rd1, %rd2, %r5, %p4;\n";
    const std::string commit = "@%p3 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r6];\n";
    const std::string wait = "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p6, [%r6], 0;\n@!%p6 bra again;\n";
    const std::string read = std::string(kLoad) + kWaitLoad;
    QCOMPARE(found(alloc("64") + mma + commit + wait + read + dealloc("64")), QStringList());
    QCOMPARE(found(alloc("64") + mma + wait + read + dealloc("64")), QStringList("mma-without-commit@11"));
    QCOMPARE(found(alloc("64") + mma + commit + read + dealloc("64")), QStringList("mma-without-wait@13"));
}

void PtxLintTest::calledFunctionsMakeAbsencesUnknown()
{
    const std::string text = std::string(kHead) + ".func helper(.param .b32 a)\n{\n" + alloc("64")
        + "ret;\n}\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n{\ncall.uni helper, (%r3);\n}\n" + kLoad + kWaitLoad + "ret;\n}\n";
    const PtxKernel caller = lintPtx(text).kernels.at(0);
    QVERIFY(caller.tmem.usesTcgen05);
    QVERIFY(!caller.tmem.columns);
    QCOMPARE(found(caller), QStringList());
}

void PtxLintTest::declaredResourcesAreRead()
{
    const std::string text = std::string(kHead)
        + ".extern .shared .align 16 .b8 dynamic[];\n.shared .align 128 .b8 tile[100];\n.shared .f32 other[7];\n"
          ".global .align 1 .b8 message[4] = {104, 105, 59, 0};\n.section .debug_str { .b8 1 }\n"
          ".visible .entry k(\n.param .u64 k_param_0 /* ; { */\n)\n.maxntid 256, 2\n.minnctapersm 2\n.maxnreg 96\n"
          ".maxclusterrank 8\n{\n.shared .align 8 .b64 bar, bars[3];\n.shared .v4 .f32 rows[2][3];\n"
          ".reg .b32 %r<9>;\nmov.u32 %r1, tile; // tile\nld.shared.b32 %r2, [dynamic+4];\nret;\n}\n";
    const PtxKernel kernel = lintPtx(text).kernels.at(0);
    QVERIFY(kernel.maxThreads == (std::array<std::int64_t, 3>{256, 2, 1}));
    QCOMPARE(kernel.minBlocksPerSm, 2);
    QCOMPARE(kernel.maxRegisters, 96);
    QCOMPARE(kernel.maxClusterBlocks, 8);
    QVERIFY(!kernel.cluster);
    QVERIFY(kernel.usesDynamicShared);
    QCOMPARE(kernel.staticSharedBytes, 128 + 100); // 32 of barriers, 96 of rows, the tile at 128; `other` is named nowhere
    QCOMPARE(kernel.line, 9);
    QVERIFY(!kernel.tmem.usesTcgen05);
    QCOMPARE(kernel.tmem.columns, 0);
    QVERIFY(!kernel.onlyTraps && linted(".loc 1 2 3\ntrap;\n").onlyTraps && !linted("").onlyTraps);
}

void PtxLintTest::hugeKernelsEndInBoundedTime()
{
    std::string loads = alloc("64");
    std::string allocs;
    for (int i = 0; i < 4000; ++i) {
        const std::string n = std::to_string(i);
        loads += "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r" + n + "}, [%t];\n@%p1 bra L" + std::to_string(i * 31 % 4000) + ";\nL"
            + n + ":\n";
        allocs += alloc("48");
    }
    const QStringList followed = found(loads + dealloc("64"));
    QCOMPARE(followed, QStringList("ordering-not-checked@4?"));
    const PtxKernel many = linted(allocs);
    QCOMPARE(many.tmem.findings.size(), 32U);
    QVERIFY(many.tmem.leftOut > 4000);
    QVERIFY(std::ranges::all_of(many.tmem.findings, [](const PtxFinding& finding) { return finding.certain; }));
}

void PtxLintTest::otherTextsAreRefusedWithTheirLine()
{
    QVERIFY(errorOf("").contains("not PTX"));
    QVERIFY(errorOf("import triton\n").contains("not PTX"));
    QVERIFY(errorOf(std::string(kHead) + ".visible .entry k()\n{\nret;\n").startsWith("PTX line 5"));
    QVERIFY(errorOf(std::string(kHead) + ".visible .entry k()\n{\nadd.s32 %r1, %r2").startsWith("PTX line 6"));
    QVERIFY(errorOf(std::string(kHead) + "/* never ends\n").startsWith("PTX line 4"));
    QVERIFY(errorOf(kernel(std::string(200, '{'))).contains("nested"));
}

void PtxLintTest::damagedTextNeverCrashes()
{
    const std::string triton = deviceText("triton_matmul.sm_100a.ptx");
    const std::string nvcc = deviceText("blackwell.sm_100a.ptx");
    QVERIFY(!triton.empty() && !nvcc.empty());
    std::mt19937 random(2027);
    const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
    constexpr std::string_view kMarks = "{}[]();,.:@!%\"/*\n $_r09<>";
    for (int round = 0; round < 600; ++round) {
        std::string text = round % 4 == 0 ? triton : nvcc;
        for (std::size_t change = 0; change <= below(6); ++change) {
            const std::size_t at = below(text.size());
            if (below(3) == 0)
                text.erase(at, below(80));
            else
                text[at] = below(2) == 0 ? kMarks[below(kMarks.size())] : static_cast<char>(random());
        }
        if (below(3) == 0)
            text.resize(below(text.size()));
        try {
            lintPtx(text);
        } catch (const PtxError&) {
        }
    }
}

QTEST_GUILESS_MAIN(PtxLintTest)
#include "tst_ptx_lint.moc"
