// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/cubin.h"
#include "kernels/device/nvrtc.h"
#include "kernels/device/ptxas_log.h"
#include "tests/support/device_data.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

using namespace assay::device;
using assay::tests::deviceText;

#define ASSAY_REQUIRE_NVRTC(variable)                                                                                            \
    const Nvrtc::Search search = Nvrtc::find();                                                                                  \
    if (!search.library)                                                                                                         \
        QSKIP(search.absence.c_str());                                                                                           \
    const Nvrtc& variable = *search.library

class NvrtcTest : public QObject {
    Q_OBJECT

private slots:
    void figuresAgreeWithTheCubin_data();
    void figuresAgreeWithTheCubin();
    void tensorMemoryCodeIsMadeForBlackwellAlone();
    void aSourceThatDoesNotCompileIsRejectedWithItsLine();
    void anUnknownTargetIsRejected();
    void aFileThatIsNoLibraryIsPassedOver();
};

void NvrtcTest::figuresAgreeWithTheCubin_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<int>("sm");
    QTest::newRow("sm_80") << "sm_80" << 80;
    QTest::newRow("sm_90a") << "sm_90a" << 90;
    QTest::newRow("sm_100a") << "sm_100a" << 100;
}

void NvrtcTest::figuresAgreeWithTheCubin()
{
    QFETCH(QString, target);
    QFETCH(int, sm);
    ASSAY_REQUIRE_NVRTC(nvrtc);
    if (!nvrtc.supports(sm))
        QSKIP("this NVRTC knows no such target");
    const NvrtcResult result = nvrtc.compile(deviceText("plain.cu"), target.toStdString());
    QVERIFY2(result.outcome == NvrtcResult::Outcome::Compiled, result.log.c_str());
    const Cubin cubin = readCubin(result.cubin);
    QCOMPARE(cubin.sm, sm);
    const auto figures = readPtxasLog(result.log);
    QCOMPARE(figures.size(), cubin.kernels.size());
    QCOMPARE(figures.size(), 4U);
    for (const PtxasKernel& kernel : figures) {
        const auto found = std::ranges::find(cubin.kernels, kernel.name, &CubinKernel::name);
        QVERIFY2(found != cubin.kernels.end(), kernel.name.c_str());
        QCOMPARE(found->registers, kernel.registers);
        QCOMPARE(found->stackBytes, kernel.stackFrameBytes);
        QCOMPARE(found->staticSharedBytes, kernel.staticSharedBytes);
    }
}

void NvrtcTest::tensorMemoryCodeIsMadeForBlackwellAlone()
{
    ASSAY_REQUIRE_NVRTC(nvrtc);
    if (!nvrtc.supports(100))
        QSKIP("this NVRTC knows no sm_100");
    const std::string source = deviceText("blackwell.cu");
    const NvrtcResult blackwell = nvrtc.compile(source, "sm_100a");
    QVERIFY2(blackwell.outcome == NvrtcResult::Outcome::Compiled, blackwell.log.c_str());
    QVERIFY(readCubin(blackwell.cubin).kernels.at(0).tcgen05SingleBlock);
    const NvrtcResult hopper = nvrtc.compile(source, "sm_90a");
    QVERIFY(hopper.outcome != NvrtcResult::Outcome::Compiled);
    QVERIFY(hopper.cubin.empty());
    QVERIFY2(hopper.log.find("tcgen05") != std::string::npos, hopper.log.c_str());
}

void NvrtcTest::aSourceThatDoesNotCompileIsRejectedWithItsLine()
{
    ASSAY_REQUIRE_NVRTC(nvrtc);
    const NvrtcResult result = nvrtc.compile("__global__ void k(float* x)\n{\n    x[0] = undeclared;\n}\n", "sm_80");
    QVERIFY(result.outcome == NvrtcResult::Outcome::Rejected);
    QVERIFY2(result.log.find("candidate.cu(3)") != std::string::npos, result.log.c_str());
    QVERIFY2(result.log.find("undeclared") != std::string::npos, result.log.c_str());
}

void NvrtcTest::anUnknownTargetIsRejected()
{
    ASSAY_REQUIRE_NVRTC(nvrtc);
    const NvrtcResult result = nvrtc.compile("__global__ void k() {}\n", "sm_12345");
    QVERIFY(result.outcome == NvrtcResult::Outcome::Rejected);
    QVERIFY(!result.log.empty());
    QVERIFY(!nvrtc.supports(12345));
}

void NvrtcTest::aFileThatIsNoLibraryIsPassedOver()
{
    const QTemporaryDir folder;
    QFile file(folder.filePath("libnvrtc.so.13"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("no library");
    file.close();
    const Nvrtc::Search search = Nvrtc::find({folder.path().toStdString()});
    if (search.library)
        QVERIFY(search.library->path().find(folder.path().toStdString()) == std::string::npos);
    else
        QVERIFY2(search.absence.find(folder.path().toStdString()) != std::string::npos, search.absence.c_str());
}

QTEST_GUILESS_MAIN(NvrtcTest)
#include "tst_nvrtc.moc"
