// SPDX-License-Identifier: Apache-2.0
// bench_sample DB: how long planning and drawing a sample over every kernel takes, one line "name<TAB>value<TAB>unit" each. What
// it stores it takes away again.
#include "core/store/sample_plan.h"
#include "core/store/triage.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include <unistd.h>

namespace {

using namespace assay::store;

double milliseconds(const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

PlanRequest request(std::int64_t scope, std::vector<StratifyBy> by)
{
    PlanRequest request;
    request.name = "bench " + std::to_string(::getpid());
    request.scopeId = scope;
    request.by = std::move(by);
    request.size = 400;
    request.seed = 7;
    return request;
}

void bench(Database& database)
{
    const std::int64_t scope = scopes(database).at(0).id;
    const PlanRequest wanted = request(scope, {StratifyBy::Channel});
    constexpr int kRounds = 3;
    double plan = 1e9;
    double crossed = 1e9;
    for (int round = 0; round < kRounds; ++round) {
        plan = std::min(plan, milliseconds([&] { previewPlan(database, wanted); }));
        crossed = std::min(crossed, milliseconds([&] {
                               previewPlan(database, request(scope, {StratifyBy::Channel, StratifyBy::Family}));
                           }));
    }
    std::printf("a plan over every kernel, by channel\t%.1f\tms\n", plan);
    std::printf("a plan over every kernel, channel by family\t%.1f\tms\n", crossed);
    const SamplePlan stored = createPlan(database, wanted);
    std::printf("the draw of that plan\t%.1f\tms\n", milliseconds([&] { drawSample(database, stored.id); }));
    const std::string id = std::to_string(stored.id);
    database.sqlite().exec("DELETE FROM sample_item WHERE plan_id = " + id + "; DELETE FROM sample_plan WHERE id = " + id);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: bench_sample DB\n");
        return 2;
    }
    try {
        bench(*Database::open(argv[1], OpenMode::ReadWrite));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
