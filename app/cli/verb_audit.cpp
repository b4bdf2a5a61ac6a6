// SPDX-License-Identifier: Apache-2.0
#include "app/cli/judge_options.h"
#include "app/cli/verb.h"
#include "core/runner/campaign.h"
#include "core/text/duration.h"
#include "core/text/object_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace assay::cli {

namespace {

std::string progressText(const runner::CampaignProgress& progress, const std::string& kernel)
{
    std::string text = fmt::format("{} of {} kernels: {} pass, {} fail, {} could not be judged", progress.judged,
                                   progress.judged + progress.left(), progress.passed, progress.failed,
                                   progress.errors + progress.inapplicable);
    if (progress.left() > 0)
        text += fmt::format(", {:.0f} an hour, {} left", progress.perHour(), durationText(progress.remaining()));
    return text + " (" + kernel + ")";
}

std::string resultJson(const runner::CampaignResult& result, const runner::VerifyAsk& ask)
{
    json::ObjectText out("assay.audit/1");
    const runner::CampaignProgress& progress = result.progress;
    out.text("corpus", result.corpus);
    out.text("audit", result.audit);
    out.text("device", ask.device);
    out.key("seed").Uint64(ask.seed);
    out.text("contract_hash", result.contractHash);
    if (result.versions.empty())
        out.null("versions");
    else
        out.key("versions").RawValue(result.versions.data(), result.versions.size(), rapidjson::kObjectType);
    out.integer("selected", progress.selected);
    out.integer("judged", progress.judged);
    out.integer("pass", progress.passed);
    out.integer("fail", progress.failed);
    out.integer("inapplicable", progress.inapplicable);
    out.integer("error", progress.errors);
    out.integer("skipped", progress.skipped);
    out.integer("not_judgeable", progress.notJudgeable);
    out.integer("retried", progress.retried);
    out.integer("left", progress.left());
    out.text("stopped", result.stopped);
    out.number("seconds", progress.seconds);
    out.number("median_seconds", result.time.quantile(0.5));
    out.number("p95_seconds", result.time.quantile(0.95));
    out.object("time_shares", [&] {
        for (const auto& [what, share] : result.time.shares())
            out.number(what.c_str(), share);
    });
    return out.finish();
}

/// How long kernels took and what that time was spent on.
std::string timeText(const runner::CampaignResult& result)
{
    if (result.time.isEmpty())
        return "";
    std::string text = fmt::format(
        "{:.1f} s in all, {:.2f} s a kernel; one took {:.1f} s (median), {:.1f} s (95 of 100)\n", result.progress.seconds,
        result.progress.seconds / static_cast<double>(std::max<std::int64_t>(1, result.progress.judged)),
        result.time.quantile(0.5), result.time.quantile(0.95));
    for (const auto& [what, share] : result.time.shares()) {
        if (share >= 0.01)
            text += fmt::format("{:>6.0f} %  {}\n", 100 * share, what);
    }
    return text;
}

std::string resultText(const runner::CampaignResult& result)
{
    const runner::CampaignProgress& progress = result.progress;
    std::string text = result.audit.empty() ? fmt::format("corpus {}\n", result.corpus)
                                            : fmt::format("audit {} of corpus {}\n", result.audit, result.corpus);
    const auto line = [&](std::string_view what, std::int64_t count) {
        if (count > 0)
            text += fmt::format("{:>8}  {}\n", count, what);
    };
    line("judged", progress.judged);
    line("pass", progress.passed);
    line("fail", progress.failed);
    line("inapplicable: the reference cannot be asked", progress.inapplicable);
    line("could not be judged", progress.errors);
    line("judged before under the same contract, seed, device and versions", progress.skipped);
    line("not judgeable: no source", progress.notJudgeable);
    line("not reached", progress.left());
    return text + timeText(result);
}

class AuditVerb final : public Verb {
public:
    std::string_view name() const override { return "audit"; }
    std::string_view summary() const override
    {
        return "Judge kernels of the database, several at a time, and store the verdicts";
    }

    std::string_view help() const override
    {
        return "Every verdict is stored as it comes: an audit that is stopped or killed goes on with --resume, which skips what "
               "was judged\nunder the same contract, seed, device and versions. Without it a new audit begins. --where takes the "
               "filter line of the\nwindow: family:softmax, id:179, is:accepted, fails:none, ... (write --where=-outcome:pass "
               "where it starts with a minus)\n\n"
               "Exit 0: all judged, whatever came out; 1: failed, nothing changed; 2: usage; 6: stopped part-way.\n\n"
               "Examples:\n  assay audit --db audit.db --where family:softmax --device cuda:0 --jobs 4\n"
               "  assay audit --db audit.db --prefix \"ssh gpu01\" --python /opt/venv/bin/python --device cuda:0 --resume";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("--db", m_database, "Database that `assay import` wrote")->required();
        app.add_option("--corpus", m_corpus, "Corpus (default: the only one, else the newest)");
        app.add_option("--where", m_where, "Only kernels that this filter line finds");
        app.add_option("--jobs", m_jobs, "Kernels judged at a time (default: 1)")->check(CLI::Range(1, 256));
        app.add_flag("--resume", m_resume, "Go on with the newest audit of the same kind");
        m_judge.declare(app);
    }

    int run(Invocation& invocation) override
    {
        runner::CampaignOptions options;
        options.corpus = m_corpus;
        options.filter = store::parseFilter(m_where);
        options.ask = m_judge.ask();
        options.worker = m_judge.worker.options();
        options.jobs = m_jobs;
        options.resume = m_resume;
        const auto database = store::Database::open(m_database, store::OpenMode::ReadWrite);
        const auto progress = [&](const runner::CampaignProgress& now, const std::string& kernel) {
            invocation.progress.show(progressText(now, kernel));
        };
        const runner::CampaignResult result = runner::runCampaign(*database, options, progress, invocation.stop);
        invocation.progress.clear();
        print(invocation.json ? resultJson(result, options.ask) + "\n" : resultText(result));
        flushOutput();
        if (!result.stopped.empty())
            throw StoppedPartWay(result.stopped, m_database, "The same command with --resume goes on");
        return kFine;
    }

private:
    std::string m_database;
    std::string m_corpus;
    std::string m_where;
    int m_jobs = 1;
    bool m_resume = false;
    JudgeChoice m_judge;
};

} // namespace

std::unique_ptr<Verb> makeAuditVerb()
{
    return std::make_unique<AuditVerb>();
}

} // namespace assay::cli
