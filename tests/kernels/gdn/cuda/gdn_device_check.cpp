// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/gdn/cuda/host_runner.h"
#include "tests/kernels/gdn/cuda/library.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace assay::tests;

constexpr int kSkipped = 77;

CaseSet setNamed(std::string_view text)
{
    if (text == "short")
        return CaseSet::Short;
    return text == "medium" ? CaseSet::Medium : CaseSet::All;
}

int checkOnHost(CaseSet set)
{
    const MakeMemory makeMemory = [] { return std::make_unique<HostKernelMemory>(); };
    return checkAccuracy(
               makeMemory, [](DeviceCall& call) { runOnHost(call); }, set)
            == 0
        ? 0
        : 1;
}

int checkOnDevice(const std::string& path, CaseSet set, int repeats)
{
    std::string absence;
    const std::unique_ptr<GdnLibrary> library = GdnLibrary::open(path, absence);
    if (!library) {
        std::printf("skipped: %s\n", absence.c_str());
        return kSkipped;
    }
    std::printf("%s\n", library->driver().deviceName(0).c_str());
    const MakeMemory makeMemory = [&] { return library->memory(); };
    const RunCall run = [&](DeviceCall& call) {
        library->forward(call.call());
        library->backward(call.call());
        library->driver().wait(nullptr);
    };
    const int failures = checkAccuracy(makeMemory, run, set);
    const int others = checkRepeats(makeMemory, run, repeats);
    std::printf("%d cases failed; %d of %d repeats gave other bits\n", failures, others, repeats);
    return failures == 0 && others == 0 ? 0 : 1;
}

} // namespace

/// gdn_device_check host [short|medium|all], or cuda LIBRARY short|medium|all REPEATS
int main(int argc, char** argv)
{
    try {
        const std::string_view mode = argc > 1 ? argv[1] : "";
        if (mode == "host")
            return checkOnHost(setNamed(argc > 2 ? argv[2] : "short"));
        if (mode == "cuda" && argc == 5)
            return checkOnDevice(argv[2], setNamed(argv[3]), std::atoi(argv[4]));
        std::fputs("usage: gdn_device_check host [short|medium|all], or cuda LIBRARY short|medium|all REPEATS\n", stderr);
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
