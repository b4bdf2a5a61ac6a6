// SPDX-License-Identifier: Apache-2.0
#include "app/cli/judge_options.h"
#include "app/cli/verb.h"
#include "app/cli/verdict_text.h"
#include "core/ingest/op_family.h"
#include "core/ingest/single_pair.h"
#include "core/runner/campaign.h"
#include "core/runner/junit.h"
#include "core/runner/verdict_read.h"
#include "core/runner/verify_ask.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace assay::cli {

namespace {

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
               "bitwise_order, cpu_budget_seconds, domains, gates, memory_budget, operands, repeats, sizes, soft_failures, "
               "subnormals,\n"
               "tf32, training. Domains bound the values of inputs, sizes the dimensions that are not free, as in\n"
               "{\"domains\":[{\"input\":3,\"high\":0}],\"sizes\":[{\"input\":0,\"dimension\":3,\"allowed\":[64,128]}]}.\n\n"
               "Exit 0: pass; 4: the candidate breaks the contract; 5: it could not be judged; 2: usage.\n"
               "With --db the verdict is stored whatever it is, unless nothing could be run; 1: it could not be stored.\n\n"
               "Example:\n  assay verify --reference ref.py --candidate new.py --device cuda:0";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("--reference", m_reference, "Python file with Model, get_inputs and get_init_inputs")->required();
        app.add_option("--candidate", m_candidate, "Python file with ModelNew")->required();
        app.add_option("--db", m_database, "Also store the pair and its verdict in this database, in corpus \"verify\"");
        app.add_option("--junit", m_junit, "Also write the gates as JUnit XML to this file");
        m_judge.declare(app);
    }

    int run(Invocation& invocation) override
    {
        runner::VerifyAsk ask = m_judge.ask();
        ask.reference = sourceAt(m_reference, "the reference");
        ask.candidate = sourceAt(m_candidate, "the candidate");
        ask.family = ingest::opFamily(std::filesystem::path(m_candidate).stem().string(), ask.reference.text);
        ask.evidenceBytes = m_database.empty() ? 0 : runner::kStoredTensorBytes;
        json::Document verdict = judge(invocation, runner::membersOf(ask));
        verdict.EraseMember("id");
        verdict.EraseMember("event");
        invocation.progress.clear();
        if (!m_junit.empty())
            writeWholeFile(m_junit, runner::toJUnit(verdict, m_candidate));
        const bool isJudged = wasRun(verdict);
        if (!isJudged && !invocation.json)
            throw NotJudged(json::stringAt(verdict, "reason").value_or("nothing could be run"), "",
                            json::stringAt(verdict, "remedy").value_or("assay doctor says what is missing"));
        if (!m_database.empty() && isJudged)
            storeVerdict(ask, verdict);
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
            runner::WorkerClient client(m_judge.worker.options());
            return client.ask(
                request, "verdict", [&](const json::Value& event) { showProgress(invocation, event); }, invocation.stop);
        } catch (const Error& error) {
            throw NotJudged(error.problem(), error.where(), error.remedy());
        }
    }

    /// False where no process for foreign code came up: that is about this machine and says nothing about the candidate.
    static bool wasRun(const json::Value& verdict)
    {
        const json::Value* const versions = json::find(verdict, "versions");
        return json::stringAt(verdict, "verdict") != "error" || (versions != nullptr && versions->IsObject());
    }

    /// Stores the pair and its verdict, and takes the tensors out of it: they are for the database.
    void storeVerdict(const runner::VerifyAsk& ask, json::Document& verdict) const
    {
        const runner::ReceivedVerdict received = runner::readVerdict(verdict);
        const auto database = store::Database::open(m_database, store::OpenMode::ReadWriteCreate);
        const ingest::StoredPair pair = ingest::addPair(*database, {ask.reference.text, ask.candidate.text, ask.candidate.name});
        using Audit = store::JudgementWriter::Audit;
        store::JudgementWriter writer(*database, pair.corpusId, received.key, Audit::Resume);
        // What an earlier run found stays.
        if (writer.hasJudged(pair.kernelId))
            writer = store::JudgementWriter(*database, pair.corpusId, received.key, Audit::New);
        writer.store(pair.kernelId, received.judged);
        runner::eraseEvidence(verdict);
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
    std::string m_database;
    std::string m_junit;
    JudgeChoice m_judge;
};

} // namespace

std::unique_ptr<Verb> makeVerifyVerb()
{
    return std::make_unique<VerifyVerb>();
}

} // namespace assay::cli
