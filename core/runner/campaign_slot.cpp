// SPDX-License-Identifier: Apache-2.0
#include "core/runner/campaign_slot.h"

#include "core/text/error.h"

#include <utility>

namespace assay::runner {

CampaignSlot::CampaignSlot(WorkerOptions options, std::unique_ptr<WorkerClient> first, std::string warmUp,
                           std::counting_semaphore<>& starting, Mailbox<CampaignAnswer>& answers)
    : m_options(std::move(options))
    , m_client(std::move(first))
    , m_warmUp(std::move(warmUp))
    , m_starting(starting)
    , m_answers(answers)
    , m_thread([this](const std::stop_token& end) { run(end); })
{
}

CampaignSlot::~CampaignSlot()
{
    m_cancel.request_stop();
    m_thread.request_stop();
    m_thread.join();
}

/// Whatever goes wrong here is told by the first kernel, which starts a worker of its own.
void CampaignSlot::warmUp()
{
    m_starting.acquire();
    try {
        m_client = std::make_unique<WorkerClient>(m_options);
        m_client->ask(m_warmUp, "warm", {}, m_cancel.get_token());
    } catch (const std::exception&) { // a cancelled campaign, too
        m_client.reset();
    }
    m_starting.release();
}

void CampaignSlot::run(const std::stop_token& end)
{
    if (!m_client && !m_warmUp.empty())
        warmUp();
    while (auto task = m_tasks.take(end)) {
        CampaignAnswer answer;
        try {
            answer = judge(*task);
        } catch (const Cancelled&) {
            answer.kind = CampaignAnswer::Kind::Cancelled;
        } catch (const std::exception& failure) {
            answer.kind = CampaignAnswer::Kind::NoWorker;
            answer.reason = failure.what();
        }
        answer.kernelId = task->kernelId;
        answer.name = task->name;
        m_answers.put(std::move(answer));
    }
    m_client.reset(); // on the thread that asked it
}

CampaignAnswer CampaignSlot::judge(const CampaignTask& task)
{
    const std::stop_token stop = m_cancel.get_token();
    if (stop.stop_requested())
        throw Cancelled();
    CampaignAnswer answer;
    const std::string members = membersOf(task.ask);
    for (int attempt = 0; attempt < 2; ++attempt) {
        answer.retried = attempt > 0;
        if (!m_client) {
            m_client = std::make_unique<WorkerClient>(m_options);
            m_client->ask(R"("op":"hello")", "hello", {}, stop); // a machine that is gone is no kernel's fault
        }
        try {
            answer.verdict = m_client->ask(
                members, "verdict", [&](const json::Value& event) { tellGate(task.kernelId, event); }, stop);
            answer.kind = CampaignAnswer::Kind::Verdict;
            return answer;
        } catch (const Error& error) {
            m_client.reset();
            answer.reason = error.what();
        }
    }
    answer.kind = CampaignAnswer::Kind::Died;
    return answer;
}

void CampaignSlot::tellGate(std::int64_t kernelId, const json::Value& event)
{
    const json::Value* const said = json::find(event, "gate");
    if (said == nullptr)
        return;
    const auto gate = contract::gateFromId(json::stringAt(*said, "id").value_or(""));
    const auto verdict = contract::verdictFromName(json::stringAt(*said, "verdict").value_or(""));
    if (!gate || !verdict)
        return; // the verdict itself is read strictly
    const auto severity = contract::severityFromName(json::stringAt(*said, "severity").value_or(""));
    CampaignAnswer news;
    news.kind = CampaignAnswer::Kind::Gate;
    news.kernelId = kernelId;
    news.gate = *gate;
    news.cell = contract::stripCell(*verdict, severity.value_or(contract::Severity::None));
    m_answers.put(std::move(news));
}

} // namespace assay::runner
