// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/cubin.h"
#include "kernels/device/cuda_driver.h"
#include "kernels/device/fatbin.h"
#include "kernels/device/ptxas_log.h"
#include "kernels/gdn/cuda/gdn_api.h"

#include <QtTest>

#include <array>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <set>

using namespace assay::device;

namespace {

std::string bytesOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// By architecture and mangled name.
using Kernels = std::map<std::pair<int, std::string>, CubinKernel>;

} // namespace

/// What the library's images say of themselves against what the assembler said when it made them.
class GdnImagesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void everyArchitectureHasEveryKernel();
    void registersAndMemoryAreTheAssemblers();
    void noKernelSpills();
    void withoutADriverTheLibraryLoadsAndSaysSo();

private:
    Kernels m_kernels;
    std::vector<PtxasKernel> m_log;
};

void GdnImagesTest::initTestCase()
{
    const std::string library = bytesOf(ASSAY_GDN_LIBRARY);
    QVERIFY(!library.empty());
    for (const FatbinEntry& entry : readFatbin(std::as_bytes(std::span(library)))) {
        QVERIFY(entry.kind == FatbinEntry::Kind::Cubin);
        QVERIFY(!entry.compressed);
        for (const CubinKernel& kernel : readCubin(entry.content).kernels)
            m_kernels.emplace(std::pair{entry.sm, kernel.name}, kernel);
    }
    for (const char* name : {"kernel_table", "bfloat16_kernels", "float16_kernels"}) {
        const std::vector<PtxasKernel> log = readPtxasLog(bytesOf(std::string(ASSAY_GDN_LOGS) + "/" + name + ".o.log"));
        m_log.insert(m_log.end(), log.begin(), log.end());
    }
}

void GdnImagesTest::everyArchitectureHasEveryKernel()
{
    std::map<int, std::set<std::string>> names;
    for (const auto& [place, kernel] : m_kernels)
        names[place.first].insert(place.second);
    QCOMPARE(names.size(), std::size_t{3});
    // For each of two types: 8 each of prepare and gradients, 4 of output, 4 of each scan; and the places.
    for (const int sm : {80, 90, 100})
        QCOMPARE(names[sm].size(), std::size_t{2 * (2 * 8 + 4 + 2 * 4) + 1});
    QCOMPARE(names[80], names[90]);
    QCOMPARE(names[90], names[100]);
}

void GdnImagesTest::registersAndMemoryAreTheAssemblers()
{
    const std::map<std::string, int> targets{{"sm_80", 80}, {"sm_90a", 90}, {"sm_100a", 100}};
    QCOMPARE(m_log.size(), m_kernels.size());
    for (const PtxasKernel& said : m_log) {
        const auto found = m_kernels.find({targets.at(said.target), said.name});
        QVERIFY2(found != m_kernels.end(), said.name.c_str());
        const CubinKernel& kernel = found->second;
        QVERIFY2(kernel.registers == said.registers, said.name.c_str());
        QVERIFY2(kernel.frameBytes == said.stackFrameBytes, said.name.c_str());
        QCOMPARE(kernel.staticSharedBytes, said.staticSharedBytes);
    }
}

void GdnImagesTest::noKernelSpills()
{
    for (const PtxasKernel& said : m_log) {
        QVERIFY2(said.spillStoreBytes == 0 && said.spillLoadBytes == 0, (said.name + " for " + said.target).c_str());
        QVERIFY2(said.stackFrameBytes == 0, said.name.c_str());
    }
    for (const auto& [place, kernel] : m_kernels)
        QCOMPARE(kernel.spillAnnotations, 0);
}

void GdnImagesTest::withoutADriverTheLibraryLoadsAndSaysSo()
{
    void* const library = dlopen(ASSAY_GDN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    QVERIFY2(library, dlerror());
    const auto images = reinterpret_cast<decltype(&assay_gdn_images)>(dlsym(library, "assay_gdn_images"));
    QVERIFY(images);
    QCOMPARE(images(), "sm_80, sm_90a, sm_100a (assembled, not executed)");
    if (CudaDriver::find().driver)
        QSKIP("this machine has a CUDA device");
    const auto check = reinterpret_cast<decltype(&assay_gdn_check)>(dlsym(library, "assay_gdn_check"));
    QVERIFY(check);
    std::array<char, 200> error{};
    QCOMPARE(check(0, error.data(), error.size()), 1);
    QVERIFY2(QByteArray(error.data()).startsWith("no "), error.data());
    QVERIFY(QByteArray(error.data()).endsWith(" on this machine"));
    std::array<char, 6> small{};
    QCOMPARE(check(0, small.data(), small.size()), 1);
    QCOMPARE(QByteArray(small.data()), QByteArray(error.data()).first(5));
}

QTEST_GUILESS_MAIN(GdnImagesTest)
#include "tst_gdn_images.moc"
