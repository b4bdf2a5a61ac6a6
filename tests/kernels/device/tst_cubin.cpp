// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/cubin.h"
#include "kernels/device/elf64.h"
#include "kernels/device/fatbin.h"
#include "kernels/device/ptxas_log.h"
#include "tests/support/device_data.h"

#include <QtTest>

#include <algorithm>
#include <random>

using namespace assay::device;
using assay::tests::deviceData;
using assay::tests::deviceText;

namespace {

const CubinKernel* kernelCalled(const Cubin& cubin, const std::string& name)
{
    const auto found = std::ranges::find(cubin.kernels, name, &CubinKernel::name);
    return found == cubin.kernels.end() ? nullptr : &*found;
}

QString errorOf(const std::vector<std::byte>& bytes)
{
    try {
        readCubin(bytes);
    } catch (const BinaryError& error) {
        return QString::fromLatin1(error.what());
    }
    return {};
}

void putNumber(std::vector<std::byte>& bytes, std::size_t at, std::uint64_t value)
{
    for (std::size_t i = 0; i < 8; ++i)
        bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}

/// Where the header of section @p index lies.
std::size_t sectionHeader(const std::vector<std::byte>& bytes, std::size_t index)
{
    std::size_t table = 0;
    for (std::size_t i = 0; i < 8; ++i)
        table |= std::to_integer<std::size_t>(bytes[40 + i]) << (8 * i);
    return table + index * 64;
}

/// Nothing but a result or a BinaryError may come of @p bytes.
void readAnything(const std::vector<std::byte>& bytes)
{
    try {
        readCubin(bytes);
    } catch (const BinaryError&) {
    }
    try {
        for (const FatbinEntry& entry : readFatbin(bytes))
            if (entry.kind == FatbinEntry::Kind::Cubin && !entry.compressed)
                readCubin(entry.content);
    } catch (const BinaryError&) {
    }
}

} // namespace

class CubinTest : public QObject {
    Q_OBJECT

private slots:
    void agreesWithTheAssembler_data();
    void agreesWithTheAssembler();
    void spillsAreToldFromLocalArrays();
    void sharedMemoryIsCountedWithoutTheReserve();
    void functionsThatKernelsCallAreNoKernels();
    void launchBoundsAndRequiredBlocksAreRead();
    void clustersBarriersAndRegisterReconfigurationAreRead();
    void tensorMemoryUseIsRead();
    void fatBinariesAndHostLibrariesAreTakenApart();
    void containersInAHostObjectAreFound();
    void aTruncatedFileIsOneClearError();
    void otherFilesAreRefusedByName();
    void manyNamesOnOneLongTextAreRefused();
    void damagedBytesNeverCrash_data();
    void damagedBytesNeverCrash();
};

void CubinTest::agreesWithTheAssembler_data()
{
    QTest::addColumn<QString>("stem");
    QTest::addColumn<int>("sm");
    QTest::addColumn<int>("kernels");
    QTest::newRow("plain sm_80") << "plain.sm_80" << 80 << 4;
    QTest::newRow("plain sm_90a") << "plain.sm_90a" << 90 << 4;
    QTest::newRow("plain sm_100a") << "plain.sm_100a" << 100 << 4;
    QTest::newRow("plain sm_90, CUDA 12") << "plain.12.sm_90" << 90 << 4;
    QTest::newRow("hopper sm_90a") << "hopper.sm_90a" << 90 << 1;
    QTest::newRow("hopper sm_100a") << "hopper.sm_100a" << 100 << 1;
    QTest::newRow("blackwell") << "blackwell.sm_100a" << 100 << 1;
    QTest::newRow("required block") << "required.sm_100a" << 100 << 1;
}

void CubinTest::agreesWithTheAssembler()
{
    QFETCH(QString, stem);
    QFETCH(int, sm);
    QFETCH(int, kernels);
    const Cubin cubin = readCubin(deviceData(stem + ".cubin"));
    const auto log = readPtxasLog(deviceText(stem + ".log"));
    QCOMPARE(cubin.sm, sm);
    QCOMPARE(static_cast<int>(cubin.kernels.size()), kernels);
    QCOMPARE(static_cast<int>(log.size()), kernels);
    for (const PtxasKernel& figures : log) {
        const CubinKernel* kernel = kernelCalled(cubin, figures.name);
        QVERIFY2(kernel != nullptr, figures.name.c_str());
        QVERIFY(figures.registers && figures.stackFrameBytes && figures.spillLoadBytes && figures.spillStoreBytes);
        QCOMPARE(kernel->registers, figures.registers);
        QCOMPARE(kernel->frameBytes, figures.stackFrameBytes);
        QCOMPARE(kernel->stackBytes, figures.stackFrameBytes);
        QCOMPARE(kernel->staticSharedBytes, figures.staticSharedBytes);
        QCOMPARE(kernel->spillAnnotations * 4, *figures.spillLoadBytes + *figures.spillStoreBytes);
        QCOMPARE(kernel->barriers, figures.barriers.value_or(0));
        QVERIFY(kernel->codeBytes > 0);
    }
}

void CubinTest::spillsAreToldFromLocalArrays()
{
    const Cubin cubin = readCubin(deviceData("plain.sm_90a.cubin"));
    const CubinKernel* array = kernelCalled(cubin, "localArray");
    const CubinKernel* spilling = kernelCalled(cubin, "spilling");
    QVERIFY(array != nullptr && spilling != nullptr);
    QCOMPARE(array->stackBytes, 800);
    QCOMPARE(array->spillAnnotations, 0);
    QCOMPARE(spilling->stackBytes, 88);
    QCOMPARE(spilling->spillAnnotations, 44);
    QCOMPARE(spilling->maxRegisters, 64); // 65,536 registers over 1,024 threads
}

void CubinTest::sharedMemoryIsCountedWithoutTheReserve()
{
    const auto shared = [](const QString& file) { return *kernelCalled(readCubin(deviceData(file)), "staticShared"); };
    QCOMPARE(shared("plain.sm_80.cubin").staticSharedBytes, 4000);
    QCOMPARE(shared("plain.sm_80.cubin").reservedSharedBytes, 0);
    QCOMPARE(shared("plain.sm_90a.cubin").staticSharedBytes, 4000);
    QCOMPARE(shared("plain.sm_90a.cubin").reservedSharedBytes, 1024);
    QCOMPARE(shared("plain.sm_100a.cubin").staticSharedBytes, 4000);
}

void CubinTest::functionsThatKernelsCallAreNoKernels()
{
    const Cubin cubin = readCubin(deviceData("called.sm_90.cubin"));
    QCOMPARE(cubin.kernels.size(), 1U);
    const CubinKernel& caller = cubin.kernels[0];
    QCOMPARE(caller.name, std::string("caller"));
    QCOMPARE(caller.frameBytes, 0);
    QCOMPARE(caller.stackBytes, 136); // the function's
}

void CubinTest::launchBoundsAndRequiredBlocksAreRead()
{
    const Cubin plain = readCubin(deviceData("plain.sm_80.cubin"));
    QVERIFY(kernelCalled(plain, "spilling")->maxThreads == (Extent3{1024, 1, 1}));
    QVERIFY(!kernelCalled(plain, "localArray")->maxThreads);
    const Cubin required = readCubin(deviceData("required.sm_100a.cubin"));
    QVERIFY(required.kernels[0].requiredThreads == (Extent3{128, 1, 1}));
    QVERIFY(!required.kernels[0].maxThreads);
}

void CubinTest::clustersBarriersAndRegisterReconfigurationAreRead()
{
    for (const char* file : {"hopper.sm_90a.cubin", "hopper.sm_100a.cubin"}) {
        const Cubin cubin = readCubin(deviceData(file));
        const CubinKernel& kernel = cubin.kernels[0];
        QVERIFY(kernel.cluster == (Extent3{2, 1, 1}));
        QCOMPARE(kernel.barriers, 1);
        QCOMPARE(kernel.mbarriers, 1);
        QVERIFY(kernel.setsRegisterCount);
        QVERIFY(!kernel.tcgen05SingleBlock && !kernel.tcgen05BlockPair);
    }
    QVERIFY(!readCubin(deviceData("plain.sm_90a.cubin")).kernels[0].setsRegisterCount);
}

void CubinTest::tensorMemoryUseIsRead()
{
    const Cubin single = readCubin(deviceData("blackwell.sm_100a.cubin"));
    QVERIFY(single.kernels[0].tcgen05SingleBlock && !single.kernels[0].tcgen05BlockPair && single.kernels[0].tcgen05Guarded);
    const Cubin pair = readCubin(deviceData("required.sm_100a.cubin"));
    QVERIFY(!pair.kernels[0].tcgen05SingleBlock && pair.kernels[0].tcgen05BlockPair);
}

void CubinTest::fatBinariesAndHostLibrariesAreTakenApart()
{
    const auto bytes = deviceData("hopper.fatbin");
    const auto entries = readFatbin(bytes);
    QCOMPARE(entries.size(), 3U);
    int cubins = 0;
    for (const FatbinEntry& entry : entries) {
        if (entry.kind != FatbinEntry::Kind::Cubin) {
            QVERIFY(entry.kind == FatbinEntry::Kind::Ptx && entry.compressed && entry.sm == 90);
            continue;
        }
        QVERIFY(!entry.compressed);
        const Cubin cubin = readCubin(entry.content);
        QCOMPARE(cubin.sm, entry.sm);
        QCOMPARE(cubin.kernels.at(0).name, std::string("clustered"));
        ++cubins;
    }
    QCOMPARE(cubins, 2);

    QVERIFY_THROWS_EXCEPTION(BinaryError, readFatbin(deviceData("hopper.sm_90a.cubin"))); // no such section
    QVERIFY_THROWS_EXCEPTION(BinaryError, readFatbin({}));
    QVERIFY_THROWS_EXCEPTION(BinaryError, readFatbin(std::span(bytes).first(bytes.size() - 8)));
}

void CubinTest::containersInAHostObjectAreFound()
{
    // an ELF file whose first section is renamed by giving the name table's bytes another word of the same length
    auto host = deviceData("hopper.sm_90a.cubin");
    const Elf64 elf = readElf64(host);
    const ElfSection* section = elf.section(".debug_frame");
    QVERIFY(section != nullptr);
    const auto* name = reinterpret_cast<const std::byte*>(section->name.data());
    const auto nameAt = static_cast<std::size_t>(name - host.data());
    const std::string_view renamed(".nv_fatbin\0\0", 12);
    std::ranges::transform(renamed, host.begin() + static_cast<std::ptrdiff_t>(nameAt), [](char c) { return std::byte(c); });
    const auto container = deviceData("hopper.fatbin");
    const std::size_t at = host.size();
    host.insert(host.end(), 16, std::byte{0}); // linkers leave room between containers
    host.insert(host.end(), container.begin(), container.end());
    const std::size_t header = sectionHeader(host, 4);
    putNumber(host, header + 24, at);
    putNumber(host, header + 32, container.size() + 16);
    QCOMPARE(readFatbin(host).size(), 3U);
}

void CubinTest::aTruncatedFileIsOneClearError()
{
    const auto whole = deviceData("hopper.sm_90a.cubin");
    for (const std::size_t size : {std::size_t{20}, std::size_t{64}, whole.size() / 2, whole.size() - 600}) {
        const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        const QString error = errorOf(part);
        QVERIFY2(error.startsWith("cubin: "), qPrintable(error));
        QVERIFY(!error.contains('\n'));
    }
    QVERIFY(errorOf({}).contains("does not start as an ELF file"));
}

void CubinTest::otherFilesAreRefusedByName()
{
    auto bytes = deviceData("hopper.sm_90a.cubin");
    auto machine = bytes;
    machine[18] = std::byte{62}; // x86-64
    QVERIFY(errorOf(machine).contains("machine 62"));
    auto abi = bytes;
    abi[8] = std::byte{9};
    QVERIFY(errorOf(abi).contains("ABI version 9"));
    auto narrow = bytes;
    narrow[4] = std::byte{1};
    QVERIFY(errorOf(narrow).contains("64-bit"));
}

void CubinTest::manyNamesOnOneLongTextAreRefused()
{
    // a symbol table of 20,000 entries whose names are all the same text of 200,000 characters
    auto bytes = deviceData("hopper.sm_90a.cubin");
    const std::size_t textHeader = sectionHeader(bytes, 2);   // .strtab
    const std::size_t symbolHeader = sectionHeader(bytes, 3); // .symtab
    const std::size_t texts = bytes.size();
    bytes.insert(bytes.end(), 200'000, std::byte{'x'});
    bytes.push_back(std::byte{0});
    const std::size_t symbols = bytes.size();
    bytes.insert(bytes.end(), 20'000U * 24U, std::byte{0});
    putNumber(bytes, textHeader + 24, texts);
    putNumber(bytes, textHeader + 32, 200'001);
    putNumber(bytes, symbolHeader + 24, symbols);
    putNumber(bytes, symbolHeader + 32, 20'000U * 24U);
    QVERIFY2(errorOf(bytes).contains("names are longer"), qPrintable(errorOf(bytes)));
}

void CubinTest::damagedBytesNeverCrash_data()
{
    QTest::addColumn<QString>("file");
    for (const char* file : {"hopper.sm_90a.cubin", "blackwell.sm_100a.cubin", "plain.12.sm_90.cubin", "hopper.fatbin"})
        QTest::newRow(file) << file;
}

void CubinTest::damagedBytesNeverCrash()
{
    QFETCH(QString, file);
    const auto whole = deviceData(file);
    QVERIFY(!whole.empty());
    std::mt19937 random(2027);
    const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
    for (int round = 0; round < 2000; ++round) {
        auto bytes = whole;
        for (std::size_t change = 0; change <= below(8); ++change) {
            // the file header and, at the end, the section headers hold the offsets and sizes
            const std::size_t where = below(3);
            const std::size_t at = where == 0 ? below(64) : where == 1 ? bytes.size() - 1 - below(2048) : below(bytes.size());
            bytes[at] = static_cast<std::byte>(random());
        }
        if (below(4) == 0)
            bytes.resize(below(bytes.size()));
        readAnything(bytes);
    }
    for (std::size_t size = 0; size < std::min<std::size_t>(whole.size(), 2048); ++size)
        readAnything({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
}

QTEST_GUILESS_MAIN(CubinTest)
#include "tst_cubin.moc"
