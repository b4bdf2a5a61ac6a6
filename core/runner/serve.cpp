// SPDX-License-Identifier: Apache-2.0
#include "core/runner/serve.h"

#include "core/runner/kept_memory.h"
#include "core/runner/verify_job.h"
#include "core/text/error.h"
#include "core/text/object_text.h"
#include "core/text/raw_json.h"

#include "assay_version.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include <poll.h>
#include <unistd.h>

namespace assay::runner {

namespace {

constexpr int kAliveMilliseconds = 5000;
constexpr std::size_t kMaxLine = std::size_t{256} << 20;

/// Lines to the one who asked; several threads write them.
class LineWriter {
public:
    explicit LineWriter(int output)
        : m_output(output)
    {
    }

    void write(std::string line)
    {
        line += '\n';
        const std::lock_guard lock(m_mutex);
        std::string_view rest = line;
        while (!rest.empty() && !m_broken) {
            const ssize_t done = ::write(m_output, rest.data(), rest.size());
            if (done > 0)
                rest.remove_prefix(static_cast<std::size_t>(done));
            else if (errno != EINTR)
                m_broken = true; // nobody listens; the end of the input follows
        }
    }

private:
    int m_output;
    std::mutex m_mutex;
    bool m_broken = false;
};

struct Work {
    std::int64_t id = 0;
    json::Document request;
    std::stop_token stop;
};

/// Verify and doctor, one after the other on a thread that lives as long as the service: the process for parties dies with the
/// thread that started it.
class Worker {
public:
    Worker(const ServeOptions& options, LineWriter& out)
        : m_options(options)
        , m_out(out)
        , m_thread([this] { run(); })
    {
    }

    ~Worker()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_ending = true;
            for (auto& [id, source] : m_sources)
                source.request_stop();
        }
        m_changed.notify_all();
        m_thread.join();
    }

    void add(std::int64_t id, json::Document request)
    {
        const std::lock_guard lock(m_mutex);
        m_queue.push_back({id, std::move(request), m_sources[id].get_token()});
        m_changed.notify_all();
    }

    void cancel(std::int64_t id)
    {
        const std::lock_guard lock(m_mutex);
        if (const auto found = m_sources.find(id); found != m_sources.end())
            found->second.request_stop();
    }

    /// Waits until everything that was asked is answered.
    void finish()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_sources.empty(); });
    }

    bool isBusy()
    {
        const std::lock_guard lock(m_mutex);
        return !m_sources.empty();
    }

private:
    void run()
    {
        Verifier verifier(m_options);
        for (;;) {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_ending || !m_queue.empty(); });
            if (m_ending)
                return;
            const Work work = std::move(m_queue.front());
            m_queue.pop_front();
            lock.unlock();
            const std::string op = json::stringAt(work.request, "op").value_or("");
            const std::string answer = op == "doctor" ? doctor(verifier, work)
                : op == "warm"                        ? warm(verifier, work)
                                                      : verify(verifier, work);
            // No longer cancellable before it is answered, so that an id can be used again at once.
            lock.lock();
            m_sources.erase(work.id);
            m_out.write(answer);
            m_changed.notify_all();
        }
    }

    /// Imports torch where parties are forked from, so that the first candidate does not wait for it. What goes wrong is said
    /// when a candidate is judged.
    static std::string warm(Verifier& verifier, const Work& work)
    {
        const bool sandbox = !json::boolAt(work.request, "unsafe_no_sandbox").value_or(false);
        try {
            verifier.warm(json::stringAt(work.request, "device").value_or("cpu"), sandbox, work.stop);
        } catch (const std::exception&) {
        }
        json::ObjectText out;
        out.integer("id", work.id);
        out.text("event", "warm");
        return out.finish();
    }

    std::string verify(Verifier& verifier, const Work& work)
    {
        json::ObjectText out;
        out.integer("id", work.id);
        out.text("event", "verdict");
        out.text("schema", "assay.verify/1");
        Verifier::Outcome outcome;
        try {
            const VerifyRequest request = readVerifyRequest(work.request);
            outcome = verifier.verify(
                request, work.stop, [&](const contract::GateResult& gate) { m_out.write(gateEvent(work.id, gate)); },
                [&](contract::Gate gate) { m_out.write(startEvent(work.id, gate)); });
        } catch (const Error& error) {
            outcome.judgement.verdict = contract::Verdict::Error;
            outcome.judgement.reason = error.problem();
            outcome.remedy = error.remedy();
        }
        writeVerdict(out, outcome.judgement, outcome.context);
        out.text("remedy", outcome.remedy);
        return out.finish();
    }

    static std::string startEvent(std::int64_t id, contract::Gate gate)
    {
        json::ObjectText out;
        out.integer("id", id);
        out.text("event", "gate_started");
        out.text("gate_id", contract::id(gate));
        return out.finish();
    }

    static std::string gateEvent(std::int64_t id, const contract::GateResult& gate)
    {
        json::ObjectText out;
        out.integer("id", id);
        out.text("event", "gate");
        out.object("gate", [&] { writeGate(out, gate); });
        return out.finish();
    }

    std::string doctor(Verifier& verifier, const Work& work)
    {
        struct Finding {
            std::string name, detail, remedy;
        };
        std::vector<Finding> findings;
        Finding parties{"parties", "a confined process with torch comes up and answers", ""};
        Verifier::Machine machine;
        try {
            machine = verifier.tryParties(json::stringAt(work.request, "device").value_or("cpu"));
            for (const std::string& word : machine.isolation)
                findings.push_back({"isolation", word, "Verdicts say so; a machine that allows more closes it"});
        } catch (const Error& error) {
            parties.detail = error.problem();
            parties.remedy = error.remedy();
        } catch (const std::exception& failure) {
            parties.detail = failure.what();
            parties.remedy = "Please report it";
        }
        findings.insert(findings.begin(), parties);
        json::ObjectText out;
        out.integer("id", work.id);
        out.text("event", "doctor");
        out.objects("findings", findings, [&](const Finding& finding) {
            out.text("name", finding.name);
            out.flag("present", finding.remedy.empty());
            out.text("detail", finding.detail);
            out.text("remedy", finding.remedy);
        });
        for (const auto& [key, object] : {std::pair("versions", &machine.versions), {"device_facts", &machine.deviceFacts}}) {
            if (object->empty())
                out.null(key);
            else
                out.key(key).RawValue(object->data(), object->size(), rapidjson::kObjectType);
        }
        return out.finish();
    }

    const ServeOptions& m_options;
    LineWriter& m_out;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Work> m_queue;
    std::map<std::int64_t, std::stop_source> m_sources; ///< of all that is not answered yet
    bool m_ending = false;
    std::thread m_thread;
};

std::string event(std::int64_t id, std::string_view name)
{
    json::ObjectText out;
    out.integer("id", id);
    out.text("event", name);
    return out.finish();
}

std::string complaint(std::int64_t id, const std::string& problem)
{
    json::ObjectText out;
    out.integer("id", id);
    out.text("event", "error");
    out.text("problem", problem);
    return out.finish();
}

/// Handles one line. @return false when the service shall end
bool handle(std::string_view line, Worker& worker, LineWriter& out)
{
    json::Document request;
    if (const auto failure = json::parseStrictly(line, request); failure || !request.IsObject()) {
        out.write(complaint(-1, "a line that is no JSON object"));
        return true;
    }
    const std::int64_t id = json::integerAt(request, "id").value_or(-1);
    const std::string op = json::stringAt(request, "op").value_or("");
    if (op == "shutdown")
        return false;
    if (op == "verify" || op == "doctor" || op == "warm") {
        worker.add(id, std::move(request));
    } else if (op == "cancel") {
        worker.cancel(json::integerAt(request, "target").value_or(-1));
        out.write(event(id, "cancelled"));
    } else if (op == "hello") {
        json::ObjectText hello;
        hello.integer("id", id);
        hello.text("event", "hello");
        hello.text("version", ASSAY_VERSION);
        out.write(hello.finish());
    } else {
        out.write(complaint(id, "there is no request \"" + op.substr(0, 60) + "\""));
    }
    return true;
}

} // namespace

int serve(const ServeOptions& options, int input, int output)
{
    keepFreedMemory();
    LineWriter out(output);
    Worker worker(options, out);
    std::string text;
    std::array<char, 65536> buffer;
    for (;;) {
        pollfd wanted{input, POLLIN, 0};
        const int ready = ::poll(&wanted, 1, kAliveMilliseconds);
        if (ready == 0 && worker.isBusy())
            out.write(R"({"event":"alive"})");
        if (ready <= 0) {
            if (ready < 0 && errno != EINTR)
                return 0;
            continue;
        }
        const ssize_t got = ::read(input, buffer.data(), buffer.size());
        if (got == 0 && options.finish)
            worker.finish();
        if (got == 0 || (got < 0 && errno != EINTR) || text.size() > kMaxLine)
            return 0;
        std::size_t searched = text.size();
        text.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        for (std::size_t end = 0; (end = text.find('\n', searched)) != std::string::npos; searched = 0) {
            const std::string line = text.substr(0, end);
            text.erase(0, end + 1);
            if (!line.empty() && !handle(line, worker, out))
                return 0;
        }
    }
}

} // namespace assay::runner
