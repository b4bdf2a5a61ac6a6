// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verb.h"
#include "app/cli/verdict_text.h"
#include "app/cli/worker_options.h"
#include "core/contract/contract.h"
#include "core/runner/contract_json.h"
#include "core/runner/junit.h"
#include "core/runner/verify_ask.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fstream>

namespace assay::cli {

namespace {

/// A path that cannot be read is a mistake in the command line.
runner::Source sourceAt(const std::string& path, const std::string& what)
{
    try {
        return runner::readSource(path, what);
    } catch (const Error& error) {
        throw UsageError(error.problem(), error.where(), error.remedy());
    }
}

void writeWholeFile(const std::string& path, const std::string& content)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << content;
    file.close();
    if (!file)
        throw Error("cannot write the JUnit file", path, "Check the path and the space on its disk");
}

class VerifyVerb final : public Verb {
public:
    std::string_view name() const override { return "verify"; }
    std::string_view summary() const override { return "Judge a candidate kernel against its reference with the twelve gates"; }

    std::string_view help() const override
    {
        return "Both files run in sandboxed processes of the given Python: no network, no writing outside private folders.\n"
               "A contract file is JSON: {\"profile\":\"strict\",\"atomics\":\"allow\",\"repeats\":64,...}; members are profile, "
               "atomics,\n"
               "bitwise_order, cpu_budget_seconds, gates, memory_budget, repeats, soft_failures, subnormals, tf32, training.\n\n"
               "Exit 0: pass; 4: the candidate breaks the contract; 5: it could not be judged; 2: usage.\n\n"
               "Example:\n  assay verify --reference ref.py --candidate new.py --device cuda:0";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("--reference", m_reference, "Python file with Model, get_inputs and get_init_inputs")->required();
        app.add_option("--candidate", m_candidate, "Python file with ModelNew")->required();
        app.add_option("--device", m_device, "cpu, cuda:0, ... (default: cpu)");
        app.add_option("--gates", m_gates, "Only these gates, as CMP-01,EXC-01")->delimiter(',');
        app.add_option("--contract", m_contract, "strict (default), training, inference, kernelbench, or a JSON file");
        app.add_option("--seed", m_seed, "Seed of every stimulus (default: 0)");
        app.add_option("--timeout", m_seconds, "Seconds that one call into the code may take (default: 120)")
            ->check(CLI::PositiveNumber);
        app.add_option("--junit", m_junit, "Also write the gates as JUnit XML to this file");
        app.add_flag("--unsafe-no-sandbox", m_unsafe, "Run foreign code with your own rights where there is no sandbox");
        m_worker.declare(app);
    }

    int run(Invocation& invocation) override
    {
        json::Document verdict = judge(invocation, runner::membersOf(ask()));
        verdict.EraseMember("id");
        verdict.EraseMember("event");
        invocation.progress.clear();
        if (!m_junit.empty())
            writeWholeFile(m_junit, runner::toJUnit(verdict, m_candidate));
        if (invocation.json)
            printLine(json::toText(verdict));
        else
            print(verdictText(verdict));
        const std::string word = json::stringAt(verdict, "verdict").value_or("error");
        return word == "pass" ? kFine : word == "fail" ? kAnswerIsNo : kNotJudged;
    }

private:
    json::Document judge(Invocation& invocation, const std::string& request) const
    {
        try {
            runner::WorkerClient client(m_worker.options());
            return client.ask(
                request, "verdict", [&](const json::Value& event) { showProgress(invocation, event); }, invocation.stop);
        } catch (const Error& error) {
            throw NotJudged(error.problem(), error.where(), error.remedy());
        }
    }

    runner::VerifyAsk ask() const
    {
        runner::VerifyAsk ask;
        ask.reference = sourceAt(m_reference, "the reference");
        ask.candidate = sourceAt(m_candidate, "the candidate");
        ask.device = m_device;
        ask.contract = contractText();
        ask.gates = gateIds();
        ask.seed = m_seed;
        ask.requestSeconds = m_seconds;
        ask.unsafeNoSandbox = m_unsafe;
        return ask;
    }

    std::vector<std::string> gateIds() const
    {
        std::vector<std::string> ids;
        for (const std::string& text : m_gates) {
            const auto gate = contract::gateFromId(text);
            if (!gate)
                throw UsageError("no gate is called \"" + text + "\"", "--gates", "Gates are CMP-01 ... RES-02");
            ids.emplace_back(contract::id(*gate));
        }
        return ids;
    }

    /// A profile's name as it is, or the JSON of a contract file that can be read.
    std::string contractText() const
    {
        if (contract::profile(m_contract))
            return m_contract;
        json::Document document;
        if (const auto failure = json::parse(sourceAt(m_contract, "the contract").text, document))
            throw UsageError(fmt::format("the contract is no JSON at byte {}: {}", failure->byte, failure->reason), m_contract,
                             "Profiles are strict, training, inference, kernelbench");
        try {
            runner::readContract(document);
        } catch (const Error& error) {
            throw UsageError(error.problem(), m_contract, error.remedy());
        }
        return document.IsString() ? document.GetString() : json::toText(document);
    }

    static void showProgress(Invocation& invocation, const json::Value& event)
    {
        const json::Value* const gate = json::find(event, "gate");
        if (gate != nullptr && gate->IsObject())
            invocation.progress.show(
                fmt::format("{} {}", json::stringAt(*gate, "id").value_or(""), json::stringAt(*gate, "verdict").value_or("")));
    }

    std::string m_reference;
    std::string m_candidate;
    std::string m_device = "cpu";
    std::vector<std::string> m_gates;
    std::string m_contract = "strict";
    std::uint64_t m_seed = 0;
    double m_seconds = 120;
    std::string m_junit;
    bool m_unsafe = false;
    WorkerChoice m_worker;
};

} // namespace

std::unique_ptr<Verb> makeVerifyVerb()
{
    return std::make_unique<VerifyVerb>();
}

} // namespace assay::cli
