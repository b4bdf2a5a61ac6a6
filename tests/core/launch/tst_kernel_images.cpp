// SPDX-License-Identifier: Apache-2.0
#include "core/launch/kernel_images.h"
#include "core/text/error.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using namespace assay;
using launch::KernelImage;

/// What the plan's figure says of registers and occupancy, from the images themselves.
class KernelImagesTest final : public QObject {
    Q_OBJECT
private:
    std::filesystem::path m_library;

    std::vector<std::optional<KernelImage>> images(std::size_t target, int keys, int values, bool hasTokenDecay = false) const
    {
        return launch::kernelImages(m_library, target, keys, values, hasTokenDecay);
    }
    void requireLibrary() const
    {
        if (m_library.empty())
            QSKIP("the library of the device kernels is not built here");
    }

private Q_SLOTS:
    void initTestCase() { m_library = launch::imageLibrary(); }

    void everyKernelOfEveryTargetHasAnImage()
    {
        requireLibrary();
        for (std::size_t target = 0; target < launch::plannedTargets().size(); ++target) {
            for (const int keys : {64, 128}) {
                for (const int values : {64, 128}) {
                    const auto planned = launch::plannedKernels(keys, values);
                    const auto found = images(target, keys, values);
                    QCOMPARE(found.size(), planned.size());
                    for (std::size_t i = 0; i < found.size(); ++i) {
                        QVERIFY2(found[i], std::string(planned[i].name).c_str());
                        QVERIFY(found[i]->registers > 0 && found[i]->registers <= 255);
                        QCOMPARE(found[i]->stackBytes, 0);
                        QVERIFY(found[i]->blocks >= 1);
                        QVERIFY(found[i]->blocks <= planned[i].blocks[target]);
                        QVERIFY(found[i]->blocks <= found[i]->blocksByRegisters);
                        QCOMPARE(found[i]->occupancy, found[i]->blocks * planned[i].threads / 2048.0);
                        // By hand: registers are given to a warp in lots of 256.
                        const std::int64_t ofBlock = (found[i]->registers * 32 + 255) / 256 * 256 * (planned[i].threads / 32);
                        QCOMPARE(found[i]->blocksByRegisters, int(65536 / ofBlock));
                    }
                }
            }
        }
    }

    void oneDecayATokenHasItsOwnForms()
    {
        requireLibrary();
        const auto channels = images(1, 128, 128);
        const auto token = images(1, 128, 128, true);
        const auto planned = launch::plannedKernels(128, 128);
        for (std::size_t i = 0; i < planned.size(); ++i) {
            const bool hasOwn = planned[i].name == "prepare" || planned[i].name == "gradients";
            QCOMPARE(channels[i]->registers == token[i]->registers, !hasOwn);
        }
    }

    void whatIsNoLibraryIsSaidWithItsPath()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath(QStringLiteral("libassay_gdn.so")).toStdString();
        QVERIFY_EXCEPTION_THROWN(launch::kernelImages(path, 0, 128, 128, false), Error); // not there
        std::ofstream(path) << "no library";
        try {
            launch::kernelImages(path, 0, 128, 128, false);
            QFAIL("text was read as a library");
        } catch (const Error& error) {
            QVERIFY2(std::string(error.what()).find(path.string()) != std::string::npos, error.what());
        }
    }
};

QTEST_GUILESS_MAIN(KernelImagesTest)
#include "tst_kernel_images.moc"
