// SPDX-License-Identifier: Apache-2.0
#include "core/runner/verify_job.h"

#include "core/contract/shrink.h"
#include "core/runner/baseline_claim.h"
#include "core/runner/contract_json.h"
#include "core/runner/party_process.h"
#include "core/runner/thresholds_json.h"
#include "core/text/error.h"
#include "core/text/sha256.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <unistd.h>

namespace assay::runner {

namespace {

using contract::PartyFailure;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

/// Three quarters of the machine for each of the two parties, which seldom peak together; what does not fit fails in the party.
sandbox::Limits limitsFor(bool gpu)
{
    const std::int64_t machine = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
    const std::int64_t memory = std::max(4 * kGiB, machine / 4 * 3);
    sandbox::Limits limits;
    (gpu ? limits.data : limits.addressSpace) = memory;
    limits.fileBytes = std::min(memory, 16 * kGiB);
    limits.processes = 1024;
    limits.cpuSeconds = 4 * 3600;
    limits.openFiles = 1024;
    return limits;
}

std::string sourceOf(const json::Value& request, const char* side)
{
    const json::Value* const object = json::find(request, side);
    auto source = object != nullptr && object->IsObject() ? json::stringAt(*object, "source") : std::nullopt;
    if (!source || source->empty())
        throw Error(fmt::format("the request has no source of the {}", side), "verify", "Send it as {\"source\":...}");
    return std::move(*source);
}

bool isDevice(std::string_view text)
{
    if (text == "cpu" || text == "cuda")
        return true;
    return text.starts_with("cuda:") && text.size() > 5 && text.size() < 9
        && text.find_first_not_of("0123456789", 5) == std::string_view::npos;
}

void addOnce(std::vector<std::string>& words, const std::vector<std::string>& more)
{
    for (const std::string& word : more) {
        if (std::find(words.begin(), words.end(), word) == words.end())
            words.push_back(word);
    }
}

PartySetup setupFor(const VerifyRequest& request, const std::string& source, const std::stop_token& stop)
{
    PartySetup setup;
    setup.source = source;
    setup.device = request.device;
    setup.seed = request.seed;
    setup.stop = stop;
    if (request.requestSeconds > 0) {
        const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(request.requestSeconds * 1000));
        setup.limits.load = setup.limits.build = setup.limits.run = setup.limits.measure = limit;
    }
    return setup;
}

contract::JudgeOptions optionsFor(const VerifyRequest& request, const std::stop_token& stop)
{
    contract::JudgeOptions options;
    options.seed = request.seed;
    options.device = request.device;
    options.kernelIdentity = sha256Hex(sha256Hex(request.referenceSource) + sha256Hex(request.candidateSource));
    options.stop = stop;
    options.thresholds = request.thresholds;
    return options;
}

/// Nothing foreign has run yet, so a process that does not come up is our failure, not the code's.
void requireStarted(const std::optional<PartyFailure>& failure, const std::string& device)
{
    if (failure && !failure->isGone() && device != "cpu")
        throw Error(device + " does not come up: " + failure->oneLine(), "",
                    "Use a machine with that GPU and a torch built for it");
    if (failure)
        throw Error("a process for foreign code does not come up: " + failure->oneLine(), "sandbox",
                    "assay doctor says what this machine allows");
}

} // namespace

VerifyRequest readVerifyRequest(const json::Value& request)
{
    VerifyRequest read;
    read.referenceSource = sourceOf(request, "reference");
    read.candidateSource = sourceOf(request, "candidate");
    read.device = json::stringAt(request, "device").value_or("cpu");
    if (!isDevice(read.device))
        throw Error(fmt::format("no device is called \"{}\"", read.device.substr(0, 60)), "verify",
                    "Devices are cpu, cuda:0, cuda:1, ...");
    if (const json::Value* const contract = json::find(request, "contract"))
        read.contract = readContract(*contract);
    if (const json::Value* const gates = json::find(request, "gates"); gates != nullptr && !gates->IsNull()) {
        json::Document chosen(rapidjson::kObjectType);
        chosen.AddMember("gates", json::Value(*gates, chosen.GetAllocator()), chosen.GetAllocator());
        read.contract.gates = readContract(chosen).gates;
    }
    AskedThresholds asked = readThresholds(request);
    if (!read.contract.thresholds.isEmpty() && read.contract.thresholds != asked.table)
        throw Error("the contract names thresholds that the request does not bring", "verify",
                    "Send them as \"thresholds\", or take them out of the contract");
    read.contract.thresholds = std::move(asked.table);
    read.thresholds = std::move(asked.cells);
    if (const json::Value* const seed = json::find(request, "seed"); seed != nullptr && seed->IsUint64())
        read.seed = seed->GetUint64();
    read.requestSeconds = json::numberAt(request, "request_seconds").value_or(0);
    if (!(read.requestSeconds >= 0 && read.requestSeconds < 1e6))
        throw Error("\"request_seconds\" is no number of seconds", "verify", "Give a positive number");
    read.evidenceBytes = json::integerAt(request, "evidence_bytes").value_or(0);
    read.baseline = json::stringAt(request, "baseline").value_or("");
    if (!read.baseline.empty() && std::ranges::find(kBaselineModes, read.baseline) == kBaselineModes.end())
        throw Error(fmt::format("no harness is called \"{}\"", read.baseline.substr(0, 60)), "verify",
                    fmt::format("There are {}", fmt::join(kBaselineModes, ", ")));
    read.shrink = json::boolAt(request, "shrink").value_or(false);
    read.calibrate = json::boolAt(request, "calibrate").value_or(false);
    read.sandbox = !json::boolAt(request, "unsafe_no_sandbox").value_or(false);
    return read;
}

Verifier::Verifier(const ServeOptions& options)
    : m_options(options)
{
}

ForkServer& Verifier::serverFor(const std::string& device, bool sandbox, const std::stop_token& stop)
{
    const bool gpu = device != "cpu";
    if (m_server && m_server->options().gpu == gpu && m_server->options().sandbox == sandbox)
        return *m_server;
    m_reference.reset();
    m_server.reset();
    ForkServerOptions options = m_options.parties;
    options.gpu = gpu;
    options.sandbox = sandbox;
    options.limits = limitsFor(gpu);
    if (gpu)
        options.warm.emplace_back("?triton");
    auto server = std::make_unique<ForkServer>(std::move(options));
    server->start(stop);
    m_server = std::move(server);
    return *m_server;
}

Verifier::Outcome Verifier::verify(const VerifyRequest& request, const std::stop_token& stop, const contract::GateSink& sink,
                                   const std::function<void(contract::Gate)>& entering)
{
    Outcome outcome;
    outcome.context.contract = request.contract;
    outcome.context.device = request.device;
    outcome.context.seed = request.seed;
    outcome.context.evidenceBytes = request.evidenceBytes;
    const auto failed = [&](const std::string& reason, const std::string& remedy) {
        outcome.judgement.verdict = contract::Verdict::Error;
        outcome.judgement.reason = reason;
        outcome.remedy = remedy;
    };
    try {
        judge(request, stop, sink, entering, outcome);
        shrink(request, stop, outcome);
        addBaseline(request, stop, outcome);
    } catch (const Error& error) {
        failed(error.where().empty() ? error.problem() : error.problem() + ": " + error.where(), error.remedy());
    } catch (const assay::Cancelled&) {
        failed("cancelled", "");
    } catch (const contract::Cancelled&) {
        failed("cancelled", "");
    } catch (const std::exception& failure) {
        failed(std::string("the judge failed: ") + failure.what(), "Please report it with both sources");
    }
    if (!request.baseline.empty() && !outcome.context.baseline)
        outcome.context.baseline = couldNotRun(request.baseline, outcome.judgement.reason);
    return outcome;
}

/// In fresh processes: what the judgement did to its own must not matter.
void Verifier::shrink(const VerifyRequest& request, const std::stop_token& stop, Outcome& outcome)
{
    if (!request.shrink || outcome.judgement.verdict != contract::Verdict::Fail)
        return;
    m_reference.reset();
    try {
        ForkServer& server = serverFor(request.device, request.sandbox, stop);
        ProcessReference reference(server, setupFor(request, request.referenceSource, stop));
        ProcessCandidate candidate(server, setupFor(request, request.candidateSource, stop));
        requireStarted(reference.start(), request.device);
        requireStarted(candidate.start(), request.device);
        contract::shrinkFailures(reference, candidate, request.contract, optionsFor(request, stop), outcome.judgement);
    } catch (const Error& error) { // the judgement stands without it
        contract::noteNoSearch(outcome.judgement, error.problem());
    }
}

/// After the judgement, whose processes have ended: the harness runs alone.
void Verifier::addBaseline(const VerifyRequest& request, const std::stop_token& stop, Outcome& outcome)
{
    if (request.baseline.empty())
        return;
    m_reference.reset();
    const BaselineQuestion question{request.baseline, request.referenceSource, request.candidateSource, request.device,
                                    request.requestSeconds};
    try {
        outcome.context.baseline = askBaseline(serverFor(request.device, request.sandbox, stop), question, stop);
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& failure) { // the judgement stands without it
        outcome.context.baseline = couldNotRun(request.baseline, failure.what());
    }
}

/// The process that the last judgement left, where it is of the same task, or a fresh one.
std::unique_ptr<ProcessReference> Verifier::referenceFor(ForkServer& server, const VerifyRequest& request,
                                                         const std::stop_token& stop)
{
    const PartySetup setup = setupFor(request, request.referenceSource, stop);
    if (m_reference && m_reference->renew(setup))
        return std::move(m_reference);
    m_reference.reset();
    auto fresh = std::make_unique<ProcessReference>(server, setup);
    requireStarted(fresh->start(), request.device);
    return fresh;
}

void Verifier::judge(const VerifyRequest& request, const std::stop_token& stop, const contract::GateSink& sink,
                     const std::function<void(contract::Gate)>& entering, Outcome& outcome)
{
    ForkServer& server = serverFor(request.device, request.sandbox, stop);
    auto reference = referenceFor(server, request, stop);
    ProcessCandidate candidate(server, setupFor(request, request.candidateSource, stop));
    requireStarted(candidate.start(), request.device);
    outcome.context.versions = candidate.hello().versions;
    outcome.context.deviceFacts = candidate.hello().device;
    outcome.context.isolation = server.isolation();
    addOnce(outcome.context.isolation, reference->hello().isolation);
    addOnce(outcome.context.isolation, candidate.hello().isolation);
    contract::JudgeOptions options = optionsFor(request, stop);
    options.entering = entering;
    std::optional<contract::ExcessProbe> probe;
    if (request.calibrate) {
        probe.emplace(request.seed, options.kernelIdentity);
        options.probe = &*probe;
    }
    outcome.judgement = m_options.judge(*reference, candidate, request.contract, options, sink);
    if (probe)
        outcome.context.excess = probe->samples();
    outcome.context.referenceTime = reference->time();
    outcome.context.candidateTime = candidate.time();
    m_reference = std::move(reference);
}

Verifier::Machine Verifier::tryParties(const std::string& device)
{
    ForkServer& server = serverFor(device, true, {});
    VerifyRequest request;
    request.device = device;
    ProcessCandidate party(server, setupFor(request, "", {}));
    requireStarted(party.start(), device);
    Machine machine{server.isolation(), party.hello().versions, party.hello().device};
    addOnce(machine.isolation, party.hello().isolation);
    return machine;
}

} // namespace assay::runner
