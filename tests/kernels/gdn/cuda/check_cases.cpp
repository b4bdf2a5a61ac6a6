// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/gdn/cuda/check_cases.h"

#include "kernels/gdn/cuda/judgement.h"
#include "kernels/gdn/draw.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>

namespace assay::tests {

using gdn::Outputs;
using tensor::DType;

namespace {

struct Case {
    gdn::Family family = gdn::Family::Gdn2;
    gdn::Shape shape;
    double decay = 0, erase = 1;
    bool hasStates = true;
    std::vector<std::int32_t> starts{};
    DType element = DType::BFloat16;
    std::int64_t gap = 0;
};

std::vector<Case> shortCases()
{
    using gdn::Family;
    return {{Family::Gdn2, {1, 128, 1, 64, 64}},
            {Family::Gdn2, {2, 100, 2, 128, 64}, 1, 2},
            {Family::Gdn2, {1, 70, 1, 64, 128}, 0, 1, false, {}, DType::Float16, 8},
            {Family::Gdn2, {1, 150, 1, 128, 128}, 30, 2, true, {0, 64, 65, 150}, DType::BFloat16, 16},
            {Family::Gdn, {1, 97, 1, 64, 64}},
            {Family::Mamba2, {1, 65, 1, 64, 64}, 5},
            {Family::Gdn, {1, 140, 1, 128, 128}, 30, 2}};
}

std::vector<Case> allCases()
{
    std::vector<Case> cases = shortCases();
    for (const DType element : {DType::BFloat16, DType::Float16}) {
        for (const gdn::Family family : gdn::kAllFamilies)
            cases.push_back({family, {2, 333, 3, 128, 128}, 0, 1, true, {}, element});
        for (const double decay : {1.0, 30.0})
            cases.push_back({gdn::Family::Gdn, {1, 512, 2, 128, 64}, decay, 2, true, {}, element});
        for (const std::int64_t keys : {64, 128}) {
            for (const std::int64_t values : {64, 128}) {
                for (const double decay : {0.0, 1.0, 5.0, 30.0})
                    cases.push_back({gdn::Family::Gdn2, {1, 512, 2, keys, values}, decay, 2, true, {}, element});
            }
        }
        for (const std::int64_t tokens : {1, 16, 50, 63, 64, 65, 127, 129, 193})
            cases.push_back({gdn::Family::Gdn2, {2, tokens, 2, 128, 128}, 0, 1, tokens % 2 == 0, {}, element, 8});
        cases.push_back({gdn::Family::Gdn2, {1, 700, 2, 128, 64}, 0, 1, true, {0, 1, 64, 65, 65, 300, 428, 700}, element});
        cases.push_back({gdn::Family::Kda, {8, 2048, 16, 128, 128}, 0, 1, false, {}, element});
        cases.push_back({gdn::Family::Gdn2, {1, 4096, 4, 128, 128}, 0, 2, true, {}, element});
    }
    return cases;
}

std::vector<Case> casesOf(CaseSet set)
{
    constexpr std::int64_t kMedium = 4096; // tokens of all heads
    if (set == CaseSet::Short)
        return shortCases();
    std::vector<Case> cases = allCases();
    if (set == CaseSet::Medium)
        std::erase_if(cases, [](const Case& one) { return one.shape.batch * one.shape.tokens * one.shape.heads > kMedium; });
    return cases;
}

std::string textOf(const Case& one)
{
    return fmt::format("{} {} B{} T{} H{} K{} V{} g-{} b{}{}{}", gdn::name(one.family), tensor::name(one.element),
                       one.shape.batch, one.shape.tokens, one.shape.heads, one.shape.keys, one.shape.values, one.decay, one.erase,
                       one.starts.empty() ? "" : " packed", one.gap ? " strided" : "");
}

gdn::FamilyProblem problemOf(const Case& one, gdn::DrawnCall& drawn)
{
    gdn::Drawing drawing;
    drawing.decay = one.decay;
    drawing.erase = one.erase;
    drawing.hasStates = one.hasStates;
    drawing.starts = one.starts;
    drawing.dtype = one.element;
    drawn = gdn::drawCall(one.family, one.shape, drawing);
    return gdn::FamilyProblem(drawn.call());
}

bool isSame(const tensor::HostTensor& a, const tensor::HostTensor& b)
{
    return std::memcmp(a.bytes().data(), b.bytes().data(), a.bytes().size()) == 0;
}

} // namespace

int checkAccuracy(const MakeMemory& makeMemory, const RunCall& run, CaseSet set)
{
    int failures = 0;
    for (const Case& one : casesOf(set)) {
        gdn::DrawnCall drawn;
        const gdn::FamilyProblem family = problemOf(one, drawn);
        const std::unique_ptr<KernelMemory> memory = makeMemory();
        DeviceCall call(family.problem(), one.element, one.gap, *memory);
        run(call);
        const gdn::cuda::Judgement judgement = gdn::cuda::judge(call.rounded(), one.element, call.results());
        const bool isGood = judgement.isGood();
        failures += isGood ? 0 : 1;
        std::printf("%s %s:%s\n", isGood ? "ok  " : "FAIL", textOf(one).c_str(), judgement.text().c_str());
        std::fflush(stdout);
    }
    return failures;
}

int checkRepeats(const MakeMemory& makeMemory, const RunCall& run, int repeats)
{
    gdn::DrawnCall drawn;
    const gdn::FamilyProblem family = problemOf({gdn::Family::Gdn2, {2, 333, 4, 128, 128}, 0, 2}, drawn);
    const std::unique_ptr<KernelMemory> memory = makeMemory();
    DeviceCall call(family.problem(), DType::BFloat16, 0, *memory);
    run(call);
    const Outputs first = call.results();
    int others = 0;
    for (int i = 1; i < repeats; ++i) {
        call.poison();
        run(call);
        const Outputs next = call.results();
        const auto a = gdn::outputsOf(first), b = gdn::outputsOf(next);
        bool same = true;
        for (std::size_t k = 0; k < a.size(); ++k)
            same = same && isSame(*a[k].tensor, *b[k].tensor);
        others += same ? 0 : 1;
    }
    return others;
}

} // namespace assay::tests
