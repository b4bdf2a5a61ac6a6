// SPDX-License-Identifier: Apache-2.0
#include "core/runner/campaign.h"

#include "core/runner/campaign_slot.h"
#include "core/runner/contract_json.h"
#include "core/runner/kernel_queue.h"
#include "core/runner/verdict_read.h"
#include "core/store/kernel_details.h"
#include "core/store/statement.h"
#include "core/store/triage.h"
#include "core/text/error.h"
#include "core/text/object_text.h"
#include "core/text/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <set>
#include <thread>
#include <unordered_set>
#include <vector>

namespace assay::runner {

namespace {

struct Selected {
    std::int64_t kernelId = 0;
    std::int64_t candidate = 0; ///< ids of sources
    std::int64_t reference = 0;
    std::string name;
    std::int64_t length = 0; ///< of the candidate, bytes
    std::string family;      ///< of the task
};

/// The versions with the device's name: "cuda:0" alone does not tell which machine a verdict comes from.
std::string withDevice(const json::Value& versions, const json::Value* facts)
{
    const auto name = facts != nullptr && facts->IsObject() ? json::stringAt(*facts, "name") : std::nullopt;
    json::Document text;
    text.CopyFrom(versions, text.GetAllocator());
    if (name && !name->empty() && !text.HasMember("device"))
        text.AddMember("device", json::Value(*name, text.GetAllocator()), text.GetAllocator());
    return json::toText(text);
}

class Campaign {
public:
    Campaign(store::Database& database, const CampaignOptions& options, const CampaignSink& sink, const std::stop_token& stop,
             const CampaignWatch& watch)
        : m_database(database)
        , m_options(options)
        , m_worker(options.worker)
        , m_sink(sink)
        , m_watch(watch)
        , m_stop(stop)
    {
    }

    CampaignResult run()
    {
        const std::int64_t corpus = chooseCorpus();
        std::vector<Selected> kernels = withSources(select());
        if (kernels.empty())
            return m_result;
        store::JudgedAuditKey key = keyAsked();
        m_worker.neighbours
            = static_cast<int>(std::min<std::size_t>(kernels.size(), static_cast<std::size_t>(std::max(1, m_options.jobs))));
        auto first = std::make_unique<WorkerClient>(m_worker);
        // A new audit needs all of them: they import torch while the first one is asked what it is. How many are left of one that
        // is resumed is not known yet.
        if (!m_options.resume)
            startSlots(m_worker.neighbours - 1);
        key.versions = m_result.versions = versionsOf(*first);
        m_key = key;
        m_writer.emplace(m_database, corpus, key,
                         m_options.resume ? store::JudgementWriter::Audit::Resume : store::JudgementWriter::Audit::New);
        m_result.audit = m_writer->auditName();
        m_writer->select(idsOf(kernels));
        if (m_options.resume && !m_options.again) {
            const auto done = std::erase_if(
                kernels, [this](const Selected& one) { return m_writer->hasJudged(one.kernelId, m_options.ask.baseline); });
            m_result.progress.skipped = static_cast<std::int64_t>(done);
        }
        if (m_watch.begun)
            m_watch.begun(m_writer->auditId(), idsOf(kernels));
        judgeAll(kernels, std::move(first));
        m_writer->release();
        if (m_result.stopped.empty())
            m_writer->finish();
        else if (m_writer->discardUnused())
            m_result.audit.clear();
        return m_result;
    }

private:
    static std::vector<std::int64_t> idsOf(const std::vector<Selected>& kernels)
    {
        std::vector<std::int64_t> ids;
        ids.reserve(kernels.size());
        for (const Selected& kernel : kernels)
            ids.push_back(kernel.kernelId);
        return ids;
    }

    std::int64_t chooseCorpus()
    {
        const std::vector<store::Scope> all = store::scopes(m_database);
        const store::Scope* chosen = nullptr;
        std::set<std::string> names;
        for (const store::Scope& scope : all) {
            names.insert(scope.corpusName);
            if (m_options.corpus.empty() ? chosen == nullptr || scope.corpusId > chosen->corpusId
                                         : scope.corpusName == m_options.corpus)
                chosen = &scope;
        }
        const std::string path = m_database.path().string();
        if (all.empty())
            throw Error("nothing is imported", path, "Import something first: assay import FILE --db " + path);
        if (chosen == nullptr) {
            std::string listed;
            for (const std::string& name : names)
                listed += (listed.empty() ? "" : ", ") + name;
            throw Error("no corpus is called \"" + m_options.corpus + "\"", path, "There are " + listed);
        }
        m_result.corpus = chosen->corpusName;
        for (const store::Scope& scope : all) {
            if (scope.corpusId == chosen->corpusId)
                m_scopes.push_back(scope.id);
        }
        return chosen->corpusId;
    }

    /// A kernel is in one list for each audit that judged it, and in one more until the first did.
    std::vector<std::int64_t> select()
    {
        std::vector<std::int64_t> chosen;
        std::unordered_set<std::int64_t> known;
        for (const std::int64_t scope : m_scopes) {
            for (const std::int64_t id : store::triageIds(m_database, scope, m_options.filter, {})) {
                if (known.insert(id).second)
                    chosen.push_back(id);
            }
        }
        if (!m_options.kernels.empty()) {
            chosen.clear();
            std::ranges::copy_if(m_options.kernels, std::back_inserter(chosen),
                                 [&known](std::int64_t id) { return known.erase(id) > 0; });
        }
        if (chosen.empty())
            throw Error("no kernel of corpus \"" + m_result.corpus + "\" matches", m_database.path().string(),
                        "Loosen the filter (--where), or list kernels with assay export");
        m_result.progress.selected = static_cast<std::int64_t>(chosen.size());
        return chosen;
    }

    std::vector<Selected> withSources(const std::vector<std::int64_t>& ids)
    {
        std::vector<Selected> kernels;
        store::Statement query(m_database.sqlite(),
                               "SELECT candidate_source_id, reference_source_id, external_id, s.bytes, k.family FROM kernel k "
                               "LEFT JOIN source s ON s.id = candidate_source_id WHERE k.id = ?1");
        for (const std::int64_t id : ids) {
            if (!query.integer(1, id).step())
                continue;
            Selected kernel{id,
                            query.integerAt(0),
                            query.integerAt(1),
                            std::string(query.textAt(2)),
                            query.integerAt(3),
                            std::string(query.textAt(4))};
            query.reset();
            if (kernel.candidate != 0 && kernel.reference != 0)
                kernels.push_back(std::move(kernel));
            else
                ++m_result.progress.notJudgeable;
        }
        return kernels;
    }

    store::JudgedAuditKey keyAsked()
    {
        store::JudgedAuditKey key;
        json::Document spelled;
        if (json::parse(m_options.ask.contract, spelled))
            spelled.SetString(m_options.ask.contract, spelled.GetAllocator());
        contract::Contract contract = readContract(spelled);
        if (!m_options.ask.gates.empty()) {
            contract.gates.clear();
            for (const std::string& gate : m_options.ask.gates) {
                if (const auto known = contract::gateFromId(gate))
                    contract.gates.insert(*known);
            }
        }
        contract.thresholds = thresholdsFor(m_options.ask.thresholds, "").table;
        key.contract = contract::canonicalText(contract);
        key.device = m_options.ask.device;
        key.seed = m_options.ask.seed;
        m_result.contractHash = sha256Hex(key.contract);
        return key;
    }

    std::string versionsOf(WorkerClient& client) const
    {
        const json::Document said
            = client.ask(fmt::format(R"("op":"doctor","device":"{}")", m_options.ask.device), "doctor", {}, m_stop);
        if (const json::Value* const versions = json::find(said, "versions"); versions != nullptr && versions->IsObject())
            return withDevice(*versions, json::find(said, "device_facts"));
        const json::Value* const findings = json::find(said, "findings");
        if (findings != nullptr && findings->IsArray() && !findings->Empty())
            throw Error(json::stringAt((*findings)[0], "detail").value_or("no process for foreign code comes up"),
                        m_options.worker.python, json::stringAt((*findings)[0], "remedy").value_or("See assay doctor"));
        throw Error("the worker says nothing about itself", m_options.worker.python, "Use a worker of this version of Assay");
    }

    /// Slots whose workers warm up before they are given anything.
    void startSlots(int count)
    {
        json::ObjectText out;
        out.text("op", "warm");
        out.text("device", m_options.ask.device);
        out.flag("unsafe_no_sandbox", m_options.ask.unsafeNoSandbox);
        const std::string object = out.finish();
        const std::string members = object.substr(1, object.size() - 2);
        for (int i = 0; i < count; ++i)
            m_slots.push_back(std::make_unique<CampaignSlot>(m_worker, nullptr, members, m_starting, m_answers));
    }

    void judgeAll(const std::vector<Selected>& kernels, std::unique_ptr<WorkerClient> first)
    {
        m_started = std::chrono::steady_clock::now();
        m_slots.insert(m_slots.begin(), std::make_unique<CampaignSlot>(m_worker, std::move(first), "", m_starting, m_answers));
        while (std::ssize(m_slots) < m_worker.neighbours)
            m_slots.push_back(std::make_unique<CampaignSlot>(m_worker, nullptr, "", m_starting, m_answers));
        const std::stop_callback onStop(m_stop, [this] {
            for (const auto& slot : m_slots)
                slot->cancel();
        });
        std::vector<KernelQueue::Entry> entries(kernels.size());
        std::ranges::transform(kernels, entries.begin(), [](const Selected& kernel) {
            return KernelQueue::Entry{kernel.reference, kernel.length};
        });
        KernelQueue queue(std::move(entries));
        std::map<std::int64_t, std::pair<CampaignSlot*, std::int64_t>> busy; // slot and reference, by kernel
        std::multiset<std::int64_t> atWork;                                  // references that slots are at
        const auto give = [&](CampaignSlot* slot, std::int64_t last) {
            if (!m_result.stopped.empty() || m_stop.stop_requested())
                return;
            const auto place = queue.take(last, atWork);
            if (!place)
                return;
            const Selected& kernel = kernels[*place];
            slot->give(taskFor(kernel));
            busy[kernel.kernelId] = {slot, kernel.reference};
            atWork.insert(kernel.reference);
            if (m_watch.asked)
                m_watch.asked(kernel.kernelId);
        };
        for (const auto& slot : m_slots)
            give(slot.get(), 0);
        while (!busy.empty()) {
            const auto answer = m_answers.take();
            if (answer->kind == CampaignAnswer::Kind::Gate) {
                if (m_watch.gate)
                    m_watch.gate(answer->kernelId, answer->gate, answer->cell);
                continue;
            }
            const auto [slot, reference] = busy.at(answer->kernelId);
            busy.erase(answer->kernelId);
            atWork.erase(atWork.find(reference));
            take(*answer);
            give(slot, reference);
        }
        if (m_stop.stop_requested() && m_result.stopped.empty() && !queue.isEmpty())
            m_result.stopped = kStoppedOnRequest;
    }

    CampaignTask taskFor(const Selected& kernel)
    {
        CampaignTask task{kernel.kernelId, kernel.name, m_options.ask};
        task.ask.reference = {store::readSource(m_database, kernel.reference), kernel.name};
        task.ask.candidate = {store::readSource(m_database, kernel.candidate), kernel.name};
        task.ask.family = kernel.family;
        task.ask.evidenceBytes = kStoredTensorBytes;
        return task;
    }

    /// Stores an answer; where that fails the campaign ends and keeps what it has.
    void take(const CampaignAnswer& answer)
    {
        using Kind = CampaignAnswer::Kind;
        if (answer.kind == Kind::NoWorker || answer.kind == Kind::Cancelled) {
            if (m_result.stopped.empty())
                m_result.stopped = answer.kind == Kind::Cancelled ? kStoppedOnRequest : answer.reason;
            return;
        }
        try {
            store::JudgedKernel judged;
            if (answer.kind == Kind::Verdict) {
                ReceivedVerdict received = readVerdict(answer.verdict);
                if (received.key.contract != m_key.contract || received.key.seed != m_key.seed)
                    throw Error("the worker judged under another contract or seed", m_options.worker.python,
                                "Use a worker of this version of Assay");
                m_result.time.add(received);
                judged = std::move(received.judged);
            } else {
                judged.judgement.verdict = contract::Verdict::Error;
                judged.judgement.reason = "the worker was lost twice over this kernel: " + answer.reason;
            }
            m_writer->store(answer.kernelId, judged);
            if (m_watch.stored)
                m_watch.stored(answer.kernelId);
            count(judged.judgement.verdict, answer);
        } catch (const Error& error) {
            if (m_result.progress.judged == 0)
                throw;
            m_result.stopped = error.what();
        }
    }

    void count(contract::Verdict verdict, const CampaignAnswer& answer)
    {
        CampaignProgress& progress = m_result.progress;
        ++progress.judged;
        progress.retried += answer.retried ? 1 : 0;
        ++(verdict == contract::Verdict::Pass               ? progress.passed
               : verdict == contract::Verdict::Fail         ? progress.failed
               : verdict == contract::Verdict::Inapplicable ? progress.inapplicable
                                                            : progress.errors);
        progress.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_started).count();
        if (m_sink)
            m_sink(progress, answer.name);
    }

    store::Database& m_database;
    const CampaignOptions& m_options;
    WorkerOptions m_worker; ///< m_options.worker, once it is known how many share the machine
    const CampaignSink& m_sink;
    const CampaignWatch& m_watch;
    std::stop_token m_stop;
    std::vector<std::int64_t> m_scopes;
    store::JudgedAuditKey m_key;
    std::optional<store::JudgementWriter> m_writer;
    CampaignResult m_result;
    std::chrono::steady_clock::time_point m_started;
    /// Workers that import torch at once: as many as keep the processors busy, so that the first ones judge while the others
    /// start. Elsewhere the processors are not known.
    std::counting_semaphore<> m_starting{m_worker.prefix.empty() ? std::max<std::ptrdiff_t>(
                                             1, 3 * static_cast<std::ptrdiff_t>(std::thread::hardware_concurrency()) / 4)
                                                                 : std::max(1, m_options.jobs)};
    Mailbox<CampaignAnswer> m_answers;
    std::vector<std::unique_ptr<CampaignSlot>> m_slots; ///< last: they write into the mailbox
};

} // namespace

CampaignResult runCampaign(store::Database& database, const CampaignOptions& options, const CampaignSink& sink,
                           const std::stop_token& stop, const CampaignWatch& watch)
{
    return Campaign(database, options, sink, stop, watch).run();
}

} // namespace assay::runner
