// SPDX-License-Identifier: Apache-2.0
// bench_lists DB [--verbose] [--cpu] [--above MS]: how long the kernel list's queries take, one line "name<TAB>value<TAB>unit"
// each. Every first page that takes longer than MS (100) gets a line of its own, the slowest first.
// --cpu counts processor time instead of the clock on the wall: for tuning on a machine that does other work as well.
#include "core/store/triage.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace assay::store;

constexpr std::int64_t kPage = 200; ///< more rows than the tallest screen shows

constexpr std::array kFilters = {"",
                                 "family:scan",
                                 "outcome:fail_hard",
                                 "outcome:pass",
                                 "gate:EXC-01",
                                 "EXC-01:fail family:norm",
                                 "is:accepted hard>0",
                                 "fails:CMP-01,ORD-01",
                                 "error>1e3",
                                 "error:nan",
                                 "-error:none",
                                 "reason:nan_mask",
                                 "status:timeout",
                                 "claim:rejected language:cuda",
                                 "is:bookmarked",
                                 "is:sourced speedup<1",
                                 "id:7919",
                                 "elapsed>15",
                                 "outcome:error baseline:fail",
                                 "RES-01:inapplicable PRC-02:fail",
                                 "nosuchword",
                                 "online masked",
                                 "relative>1",
                                 "speedup>1 error>1",
                                 "error>1 family:scan",
                                 "softmax error:finite",
                                 "attention"};

constexpr std::array kSorts = {"id",     "-id",   "title",     "-outcome", "gates",     "-gates",   "-hard",  "soft",
                               "-error", "error", "-relative", "relative", "speedup",   "-elapsed", "family", "language",
                               "status", "claim", "baseline",  "-reason",  "exercised", "-flags"};

/// Milliseconds of the clock on the wall, or of this thread's own work, which other processes disturb less.
double now(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

clockid_t s_clock = CLOCK_MONOTONIC;

/// Best of three: what the query costs, not what another process cost it.
template <typename Work> double timed(Work&& work)
{
    double best = 1e300;
    for (int i = 0; i < 3; ++i) {
        const double start = now(s_clock);
        work();
        best = std::min(best, now(s_clock) - start);
        if (best < 5.0)
            break;
    }
    return best;
}

double residentMebibytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:"))
            return std::strtod(line.c_str() + 6, nullptr) / 1024.0;
    }
    return 0;
}

void print(const char* name, double value, const char* unit)
{
    std::printf("%s\t%.1f\t%s\n", name, value, unit);
}

struct Worst {
    double value = 0;
    std::string what;
    std::vector<double> all;

    double median()
    {
        std::ranges::sort(all);
        return all.at(all.size() / 2);
    }

    void add(double measured, const std::string& name)
    {
        all.push_back(measured);
        if (measured > value) {
            value = measured;
            what = name;
        }
    }
};

void benchPages(Database& database, std::int64_t scope, bool verbose, double above)
{
    Worst worst;
    std::vector<std::pair<double, std::string>> slow;
    for (const char* filter : kFilters) {
        for (const char* sort : kSorts) {
            const double took = timed([&] {
                const auto ids = triageIds(database, scope, parseFilter(filter), *parseSort(sort), kPage);
                triageRows(database, scope, ids);
            });
            const std::string name = std::string("'") + filter + "' by " + sort;
            worst.add(took, name);
            if (took > above)
                slow.emplace_back(took, name);
            if (verbose)
                std::fprintf(stderr, "page %8.1f ms  '%s' by %s\n", took, filter, sort);
        }
    }
    print("a first page, median", worst.median(), "ms");
    print(("first page, worst of " + std::to_string(kFilters.size() * kSorts.size()) + ": " + worst.what).c_str(), worst.value,
          "ms");
    std::ranges::sort(slow, std::greater());
    for (const auto& [took, name] : slow)
        print(("a slow page: " + name).c_str(), took, "ms");
}

void benchFacets(Database& database, std::int64_t scope, bool verbose)
{
    Worst facets;
    Worst counts;
    for (const char* filter : kFilters) {
        const double took = timed([&] { triageFacets(database, scope, parseFilter(filter)); });
        facets.add(took, std::string("'") + filter + "'");
        const double count = timed([&] { triageCount(database, scope, parseFilter(filter)); });
        counts.add(count, std::string("'") + filter + "'");
        if (verbose)
            std::fprintf(stderr, "facets %8.1f ms  count %8.1f ms '%s'\n", took, count, filter);
    }
    print(("all facet counts, worst: " + facets.what).c_str(), facets.value, "ms");
    print(("count, worst: " + counts.what).c_str(), counts.value, "ms");
}

void benchIds(Database& database, std::int64_t scope, bool verbose)
{
    Worst worst;
    const double before = residentMebibytes();
    std::vector<std::int64_t> ids;
    for (const char* sort : kSorts) {
        const double took = timed([&] { ids = triageIds(database, scope, {}, *parseSort(sort)); });
        worst.add(took, sort);
        if (verbose)
            std::fprintf(stderr, "ids %8.1f ms by %s\n", took, sort);
    }
    print(("all ids, worst by " + worst.what).c_str(), worst.value, "ms");
    print("memory growth with all ids", residentMebibytes() - before, "MiB");
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_lists DB [--verbose] [--cpu] [--above MS]\n");
        return 2;
    }
    bool verbose = false;
    double above = 100;
    for (int i = 2; i < argc; ++i) {
        verbose = verbose || std::string_view(argv[i]) == "--verbose";
        if (std::string_view(argv[i]) == "--cpu")
            s_clock = CLOCK_THREAD_CPUTIME_ID;
        if (std::string_view(argv[i]) == "--above" && i + 1 < argc)
            above = std::strtod(argv[++i], nullptr);
    }
    try {
        const auto database = Database::open(argv[1], OpenMode::ReadOnly);
        const std::int64_t scope = scopes(*database).at(0).id;
        benchIds(*database, scope, verbose);
        benchFacets(*database, scope, verbose);
        benchPages(*database, scope, verbose, above);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
