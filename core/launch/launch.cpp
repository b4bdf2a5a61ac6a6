// SPDX-License-Identifier: Apache-2.0
#include "core/launch/launch.h"

#include "core/ingest/single_pair.h"
#include "core/launch/bench.h"
#include "core/launch/check.h"
#include "core/launch/device_service.h"
#include "core/launch/native_subject.h"
#include "core/launch/shape_text.h"
#include "core/runner/campaign.h"
#include "core/runner/verdict_read.h"
#include "core/runner/worker_folder.h"
#include "core/store/database.h"
#include "core/store/gdn_run.h"
#include "core/store/judgement_writer.h"
#include "core/text/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace assay::launch {

namespace {

using contract::Verdict;

constexpr const char* kCorpus = "launch";
constexpr const char* kOpFamily = "scan";
/// Errors against fp64 token by token are measured at no more than this: the truth takes its time.
constexpr std::int64_t kMostTokens = 512, kMostRows = 2;
constexpr std::int64_t kMostElements = std::int64_t{1} << 40; // no product of sizes leaves int64

bool isDevice(std::string_view text)
{
    return text == "cpu"
        || (text.starts_with("cuda:") && text.size() > 5 && text.size() < 9
            && text.find_first_not_of("0123456789", 5) == std::string_view::npos);
}

bool isShort(tensor::DType dtype)
{
    return dtype == tensor::DType::BFloat16 || dtype == tensor::DType::Float16;
}

gdn::Shape measuredShape(const gdn::Shape& asked)
{
    gdn::Shape shape = asked;
    shape.batch = std::min(shape.batch, kMostRows);
    shape.heads = std::min(shape.heads, kMostRows);
    shape.tokens = std::min(shape.tokens, kMostTokens);
    return shape;
}

std::string errorsText(const std::vector<LaunchError>& errors)
{
    json::ObjectText object;
    const auto numbers = [&](const char* key, double LaunchError::*member) {
        object.object(key, [&] {
            for (const LaunchError& error : errors)
                object.number(error.name, error.*member);
        });
    };
    numbers("errors", &LaunchError::error);
    numbers("tolerance", &LaunchError::tolerance);
    return object.finish();
}

std::string shapeArray(const gdn::Shape& shape)
{
    return fmt::format("[{}]", fmt::join(sizesOf(shape), ","));
}

runner::VerifyAsk verifyAsk(const LaunchRequest& request, const NativeSubject& subject)
{
    runner::VerifyAsk ask;
    ask.reference = subject.reference;
    ask.candidate = subject.candidate;
    ask.contract = subject.contract;
    ask.device = request.device;
    ask.gates = request.gates;
    ask.seed = request.seed;
    ask.family = kOpFamily;
    ask.unsafeNoSandbox = request.unsafeNoSandbox;
    ask.evidenceBytes = request.dbPath.empty() ? 0 : runner::kStoredTensorBytes;
    return ask;
}

/// One launch, from the form to the row.
class Launcher {
public:
    Launcher(const LaunchRequest& request, const LaunchWatch& watch, std::stop_token stop)
        : m_request(request)
        , m_watch(watch)
        , m_stop(std::move(stop))
        , m_subject(nativeSubject(request.family, request.shape, request.dtype, request.device, request.budgetSeconds))
    {
        m_worker.python = request.python.empty() ? runner::workerPython() : request.python;
        m_worker.prefix = request.prefix;
        m_worker.folder = runner::workerFolder();
        for (const contract::Gate gate : contract::kAllGates)
            m_result.judgement.gates[static_cast<std::size_t>(contract::indexOf(gate))].gate = gate;
    }

    LaunchResult run()
    {
        const auto began = std::chrono::steady_clock::now();
        try {
            log(fmt::format("{} on {}, {}, {}", gdn::title(m_request.family), m_request.device, shapeText(m_request.shape),
                            tensor::name(m_request.dtype)));
            if (m_request.isTimed) {
                measure();
                time();
            }
            judge();
        } catch (const Cancelled&) {
            m_result.end = LaunchResult::End::Stopped;
            m_result.reason = "stopped";
        } catch (const Error& error) {
            m_result.end = LaunchResult::End::CouldNotRun;
            m_result.reason = error.where().empty() ? error.problem() : error.problem() + ": " + error.where();
            m_result.remedy = error.remedy();
        }
        if (m_result.end == LaunchResult::End::Judged && !m_request.dbPath.empty())
            store();
        m_result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        return std::move(m_result);
    }

private:
    void log(const std::string& line) const
    {
        if (m_watch.log)
            m_watch.log(line);
    }

    BenchAsk benchAsk(const gdn::Shape& shape) const
    {
        return {m_request.family, shape, m_request.dtype, m_request.device, m_request.samples, 0, m_request.seed, m_worker};
    }

    void measure()
    {
        const gdn::Shape shape = measuredShape(m_request.shape);
        if (m_request.device == "cpu") {
            CheckAsk ask;
            ask.family = m_request.family;
            ask.shape = shape;
            ask.drawing.dtype = m_request.dtype;
            ask.drawing.seed = m_request.seed;
            const CheckResult checked = check(ask, m_stop);
            for (const OutputCheck& output : checked.outputs)
                m_result.errors.push_back({output.name, output.error, output.tolerance, output.isWithin});
        } else {
            m_result.errors = errorsOnDevice(benchAsk(shape), m_stop);
        }
        const auto beyond = std::ranges::count(m_result.errors, false, &LaunchError::isWithin);
        log(fmt::format("errors against fp64 at {}: {} of {} outputs beyond their tolerance", shapeText(shape), beyond,
                        m_result.errors.size()));
        if (m_watch.measured)
            m_watch.measured(m_result.errors);
    }

    void time()
    {
        const BenchAsk ask = benchAsk(m_request.shape);
        m_result.timing = bench(ask, m_stop);
        log(fmt::format("forward {:.4g} ms, backward {:.4g} ms, medians of {} on {}",
                        m_result.timing->forwardMilliseconds.value_or(0), m_result.timing->backwardMilliseconds.value_or(0),
                        m_result.timing->samples, m_result.timing->device));
        if (m_watch.timed)
            m_watch.timed(*m_result.timing);
    }

    void judge()
    {
        runner::WorkerClient client(m_worker);
        log("judging: reference and operator run in processes of their own");
        json::Document verdict = client.ask(
            membersOf(verifyAsk(m_request, m_subject)), "verdict", [this](const json::Value& event) { take(event); }, m_stop);
        verdict.EraseMember("id");
        verdict.EraseMember("event");
        m_received = runner::readVerdict(verdict);
        runner::eraseEvidence(verdict);
        m_result.verdictJson = json::toText(verdict);
        m_result.judgement = m_received.judged.judgement;
        m_result.reason = m_result.judgement.reason;
        m_result.remedy = m_received.judged.remedy;
        // An error without versions is about the machine: no process came up.
        const bool isJudged = m_result.judgement.verdict != Verdict::Error || !m_received.key.versions.empty();
        m_result.end = isJudged ? LaunchResult::End::Judged : LaunchResult::End::CouldNotRun;
        for (const std::string& word : m_received.judged.isolation)
            log("not enforced: " + word);
        log(fmt::format("verdict {} after {:.1f} s", contract::name(m_result.judgement.verdict), m_result.judgement.seconds));
    }

    void take(const json::Value& event)
    {
        const std::string name = json::stringAt(event, "event").value_or("");
        if (name == "gate_started") {
            const auto gate = contract::gateFromId(json::stringAt(event, "gate_id").value_or(""));
            if (gate && m_watch.gateStarted)
                m_watch.gateStarted(*gate);
        }
        const json::Value* const said = name == "gate" ? json::find(event, "gate") : nullptr;
        if (said == nullptr)
            return;
        const contract::GateResult gate = runner::readGateResult(*said);
        log(fmt::format("{} {}, {} of {} checks, {:.1f} s: {}", contract::id(gate.gate), contract::name(gate.verdict),
                        gate.exercised, gate.total, gate.seconds, gate.finding));
        if (m_watch.gateFinished)
            m_watch.gateFinished(gate);
        m_result.judgement.gates[static_cast<std::size_t>(contract::indexOf(gate.gate))] = gate;
    }

    void store()
    {
        const auto database = store::Database::open(m_request.dbPath, store::OpenMode::ReadWriteCreate);
        ingest::SinglePair pair{m_subject.reference.text, m_subject.candidate.text,
                                fmt::format("{}.py", gdn::name(m_request.family))};
        pair.corpus = kCorpus;
        pair.title
            = fmt::format("{} {} {}", gdn::name(m_request.family), shapeText(m_request.shape), tensor::name(m_request.dtype));
        pair.family = kOpFamily;
        pair.language = m_request.device == "cpu" ? "torch" : "cuda";
        const ingest::StoredPair stored = addPair(*database, pair);
        using Audit = store::JudgementWriter::Audit;
        store::JudgementWriter writer(*database, stored.corpusId, m_received.key, Audit::Resume);
        // What an earlier launch found stays.
        if (writer.hasJudged(stored.kernelId))
            writer = store::JudgementWriter(*database, stored.corpusId, m_received.key, Audit::New);
        m_result.kernelId = stored.kernelId;
        m_result.kernelName = stored.externalId;
        m_result.verdictId = writer.store(stored.kernelId, m_received.judged);
        store::addGdnRun(*database,
                         {*m_result.verdictId, std::string(gdn::name(m_request.family)), shapeArray(m_request.shape),
                          std::string(tensor::name(m_request.dtype)), m_request.device,
                          m_result.timing ? timingsText(*m_result.timing) : "",
                          m_result.errors.empty() ? "" : errorsText(m_result.errors)});
        log("stored as kernel " + stored.externalId);
    }

    const LaunchRequest& m_request;
    const LaunchWatch& m_watch;
    std::stop_token m_stop;
    NativeSubject m_subject;
    runner::WorkerOptions m_worker;
    runner::ReceivedVerdict m_received;
    LaunchResult m_result;
};

} // namespace

std::string mistakeIn(const LaunchRequest& request)
{
    constexpr std::array kNames{"B", "T", "H", "K", "V"};
    const auto sizes = sizesOf(request.shape);
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] < 1)
            return fmt::format("{} is {}, expected a whole number from 1 on", kNames[i], sizes[i]);
        if (sizes[i] > kMostElements / elements)
            return fmt::format("{} is {}: tensors of these sizes fit no memory", kNames[i], sizes[i]);
        elements *= sizes[i];
    }
    if (!tensor::isFloating(request.dtype) || tensor::sizeOf(request.dtype) < 2)
        return fmt::format("dtype is {}, expected float64, float32, bfloat16 or float16", tensor::name(request.dtype));
    if (!isDevice(request.device))
        return fmt::format("device is \"{}\", expected cpu or cuda:0", request.device);
    if (request.device == "cpu" && !request.prefix.empty())
        return "prefix leads to another machine's device, and the device is cpu, which is here";
    if (request.device != "cpu" && !isShort(request.dtype))
        return fmt::format("dtype is {}, and a GPU's kernels take bfloat16 and float16", tensor::name(request.dtype));
    for (const auto& [name, size] : {std::pair("K", request.shape.keys), {"V", request.shape.values}}) {
        if (request.device != "cpu" && size != 64 && size != 128)
            return fmt::format("{} is {}, and a GPU's kernels take 64 and 128", name, size);
    }
    for (const std::string& gate : request.gates) {
        if (!contract::gateFromId(gate))
            return fmt::format("no gate is called \"{}\", there are CMP-01 ... RES-02", gate);
    }
    if (!(request.budgetSeconds > 0 && request.budgetSeconds < 1e6))
        return fmt::format("budget is {} s, expected a positive number", request.budgetSeconds);
    if (request.samples < 1)
        return fmt::format("samples is {}, expected a whole number from 1 on", request.samples);
    return {};
}

std::string requestLine(const LaunchRequest& request)
{
    const NativeSubject subject
        = nativeSubject(request.family, request.shape, request.dtype, request.device, request.budgetSeconds);
    return fmt::format("{{\"id\":1,{}}}", membersOf(verifyAsk(request, subject)));
}

LaunchResult launch(const LaunchRequest& request, const LaunchWatch& watch, std::stop_token stop)
{
    if (const std::string mistake = mistakeIn(request); !mistake.empty()) {
        LaunchResult result;
        result.reason = mistake;
        result.remedy = "Change it and run again";
        return result;
    }
    return Launcher(request, watch, std::move(stop)).run();
}

} // namespace assay::launch
