// SPDX-License-Identifier: Apache-2.0
#include "core/runner/baseline_claim.h"

#include "core/runner/answer.h"
#include "core/runner/party_link.h"
#include "core/text/error.h"

#include <algorithm>
#include <chrono>

namespace assay::runner {

namespace {

using namespace std::chrono_literals;

constexpr int kTrials = 5;              ///< of the harness' command line
constexpr double kHarnessSeconds = 180; ///< its own limit for one evaluation (gates.md section 6)
constexpr auto kTimeToConfine = 60s;
constexpr auto kTimeBeyond = 30s;         ///< the process itself ends the evaluation, and must get to say so
constexpr std::size_t kMostDetail = 8000; ///< 2000 characters of at most four bytes

/// The harness' limit, unless its calls, two a trial, may only take less.
double secondsFor(const BaselineQuestion& question)
{
    const double calls = question.callSeconds * 2 * kTrials;
    return calls > 0 ? std::min(calls, kHarnessSeconds) : kHarnessSeconds;
}

void write(Request& request, const BaselineQuestion& question)
{
    json::Writer& writer = request.writer();
    writer.Key("pair");
    writer.StartObject();
    request.text("mode", question.mode);
    request.text("reference", question.referenceSource);
    request.text("candidate", question.candidateSource);
    request.text("device", question.device);
    request.integer("trials", kTrials);
    writer.Key("timeout");
    json::writeNumber(writer, secondsFor(question));
    writer.EndObject();
}

/// The claim that came; the candidate may have had its hands on it. @throws Nonsense
BaselineClaim readClaim(const json::Value& answer, const std::string& mode)
{
    const json::Value& result = memberOf(answer, "result");
    BaselineClaim claim;
    claim.mode = mode;
    claim.verdict = textOf(result, "verdict");
    claim.detail = textOf(result, "detail");
    if (claim.detail.size() > kMostDetail)
        throw Nonsense("a result that is longer than results are");
    if (claim.verdict == "error")
        return couldNotRun(mode, claim.detail);
    const json::Value& trials = memberOf(result, "trials");
    const std::int64_t passed = integerOf(trials, "passed");
    const bool isPass = claim.verdict == "pass";
    if ((!isPass && claim.verdict != "fail") || passed < 0 || passed > kTrials || (isPass && passed != kTrials)
        || integerOf(trials, "total") != kTrials)
        throw Nonsense("a result that contradicts itself");
    claim.passed = static_cast<int>(passed);
    claim.total = kTrials;
    return claim;
}

} // namespace

BaselineClaim couldNotRun(std::string mode, const std::string& why)
{
    BaselineClaim claim;
    claim.mode = std::move(mode);
    claim.detail = "could not run: " + why;
    return claim;
}

BaselineClaim askBaseline(ForkServer& server, const BaselineQuestion& question, const std::stop_token& stop)
{
    // No "hello": it would touch the device, and a fork of a process that did cannot.
    const std::unique_ptr<PartyLink> link = server.fork();
    link->awaitConfined(kTimeToConfine, stop);
    Request request("baseline");
    write(request, question);
    const auto limit = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(secondsFor(question)));
    const auto answer = link->ask(request.finish(1), 1, limit + kTimeBeyond, stop, 0);
    if (stop.stop_requested())
        throw Cancelled();
    if (!answer)
        return couldNotRun(question.mode, answer.failure().oneLine());
    try {
        return readClaim(answer->document, question.mode);
    } catch (const Nonsense& nonsense) {
        return couldNotRun(question.mode, std::string("its process answered with ") + nonsense.what());
    }
}

} // namespace assay::runner
