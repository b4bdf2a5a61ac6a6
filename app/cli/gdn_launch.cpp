// SPDX-License-Identifier: Apache-2.0
#include "app/cli/gdn_launch.h"

#include "core/launch/bench.h"
#include "core/runner/verdict_json.h"
#include "core/text/object_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace assay::cli {

namespace {

/// One event as it happens: a reader at the other end of a pipe lights a gate by it.
void event(json::ObjectText& object)
{
    printLine(object.finish());
    flushOutput();
}

void printErrors(const std::vector<launch::LaunchError>& errors)
{
    json::ObjectText object;
    object.text("event", "errors");
    object.objects("outputs", errors, [&](const launch::LaunchError& error) {
        object.text("name", error.name);
        object.number("error", error.error);
        object.number("tolerance", error.tolerance);
        object.flag("within", error.isWithin);
    });
    event(object);
}

void printTiming(const launch::LaunchTiming& timing)
{
    json::ObjectText object;
    object.text("event", "timing");
    const std::string members = timingsText(timing);
    object.key("timing").RawValue(members.data(), members.size(), rapidjson::kObjectType);
    event(object);
}

launch::LaunchWatch watchOf(Invocation& invocation)
{
    launch::LaunchWatch watch;
    watch.gateStarted = [](contract::Gate gate) {
        json::ObjectText object;
        object.text("event", "gate_started");
        object.text("gate_id", contract::id(gate));
        event(object);
    };
    watch.gateFinished = [](const contract::GateResult& gate) {
        json::ObjectText object;
        object.text("event", "gate");
        object.object("gate", [&] { runner::writeGate(object, gate); });
        event(object);
    };
    watch.measured = printErrors;
    watch.timed = printTiming;
    watch.log = [&invocation](const std::string& line) { invocation.progress.show(line); };
    return watch;
}

} // namespace

tensor::DType gdnDType(const std::string& text)
{
    using tensor::DType;
    for (const auto& [shortName, dtype] :
         {std::pair{"fp64", DType::Float64}, {"fp32", DType::Float32}, {"bf16", DType::BFloat16}, {"fp16", DType::Float16}}) {
        if (text == shortName || text == tensor::name(dtype))
            return dtype;
    }
    throw UsageError("the operator has no form for \"" + text + "\"", "--dtype", "Choose fp64, fp32, bf16 or fp16");
}

void GdnLaunch::declareShared(CLI::App& app)
{
    app.add_option("--shape", m_shape, "B,T,H,K[,V] (gates: 1,64,2,64,64; bench: 1,8192,16,128,128)")
        ->delimiter(',')
        ->expected(4, 5);
    app.add_option("--dtype", m_dtype, "fp64, fp32, bf16 or fp16 (default: fp32, on a GPU bf16)");
    app.add_option("--seed", m_seed, "Other inputs");
    app.add_option("--samples", m_samples, "Calls that are timed")->check(CLI::Range(1, 100000));
    m_worker.declare(app);
}

void GdnLaunch::declareGates(CLI::App& app)
{
    declareShared(app);
    app.add_option("--db", m_database, "Also store the operator and its verdict in this database, in corpus \"launch\"");
    app.add_option("--gates", m_gates, "Only these gates, as CMP-01,EXC-01")->delimiter(',');
    app.add_option("--budget", m_budget, "Seconds that the gates may take together (default: 240)")->check(CLI::PositiveNumber);
    app.add_flag("--unsafe-no-sandbox", m_isUnsafe, "Run without a sandbox where the machine allows none");
    app.add_flag("--print-request", m_isRequestAlone,
                 "Judge nothing: print the line that `python -m assay_worker batch` takes on a machine without this program");
    app.add_flag("--no-times", m_isUntimed, "Gates alone: neither errors nor times");
}

void GdnLaunch::declareBench(CLI::App& app)
{
    declareShared(app);
}

launch::LaunchRequest GdnLaunch::request(const GdnChoice& choice) const
{
    launch::LaunchRequest request;
    request.family = choice.family;
    request.device = choice.device;
    if (!m_shape.empty())
        request.shape = {m_shape[0], m_shape[1], m_shape[2], m_shape[3], m_shape.back()};
    request.dtype = !m_dtype.empty() ? gdnDType(m_dtype)
        : choice.device == "cpu"     ? tensor::DType::Float32
                                     : tensor::DType::BFloat16;
    request.prefix = m_worker.prefix;
    request.python = m_worker.interpreter();
    request.seed = m_seed;
    request.samples = m_samples;
    return request;
}

int GdnLaunch::gates(Invocation& invocation, const GdnChoice& choice) const
{
    launch::LaunchRequest request = this->request(choice);
    if (m_shape.empty())
        request.shape = {1, 64, 2, 64, 64};
    request.dbPath = m_database;
    request.gates = m_gates;
    request.isTimed = !m_isUntimed;
    request.budgetSeconds = m_budget;
    request.unsafeNoSandbox = m_isUnsafe;
    if (const std::string mistake = mistakeIn(request); !mistake.empty())
        throw UsageError(mistake, "gdn gates", "See assay gdn gates --help");
    if (m_isRequestAlone) {
        printLine(launch::requestLine(request));
        return kFine;
    }
    const launch::LaunchResult result = launch::launch(request, watchOf(invocation), invocation.stop);
    invocation.progress.clear();
    if (result.end == launch::LaunchResult::End::Stopped)
        throw Cancelled();
    if (result.end == launch::LaunchResult::End::CouldNotRun)
        throw NotJudged(result.reason, "--device " + request.device, result.remedy);
    if (result.kernelId) {
        json::ObjectText object;
        object.text("event", "stored");
        object.text("db", m_database);
        object.text("id", result.kernelName);
        object.integer("kernel", *result.kernelId);
        object.integer("verdict", *result.verdictId);
        event(object);
    }
    printLine(result.verdictJson);
    using contract::Verdict;
    const Verdict verdict = result.judgement.verdict;
    return verdict == Verdict::Pass ? kFine : verdict == Verdict::Fail ? kAnswerIsNo : kNotJudged;
}

int GdnLaunch::bench(Invocation& invocation, const GdnChoice& choice) const
{
    launch::LaunchRequest request = this->request(choice);
    if (m_shape.empty())
        request.shape = {1, 8192, 16, 128, 128};
    if (const std::string mistake = mistakeIn(request); !mistake.empty())
        throw UsageError(mistake, "gdn bench", "See assay gdn bench --help");
    const launch::BenchAsk ask{request.family,  request.shape,  request.dtype, request.device,
                               request.samples, choice.threads, request.seed,  m_worker.options()};
    try {
        const launch::LaunchTiming timing = launch::bench(ask, invocation.stop);
        print(invocation.json ? toJson(ask, timing) + "\n" : toText(ask, timing));
    } catch (const Error& error) {
        if (request.device == "cpu")
            throw;
        throw NotJudged(error.problem(), error.where(), error.remedy());
    }
    return kFine;
}

} // namespace assay::cli
