// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/descriptor.h"
#include "core/text/json.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <sys/types.h>

namespace assay::runner {

struct WorkerOptions {
    std::string python = "python3";    ///< the interpreter that has torch, on whatever machine the prefix leads to
    std::string prefix;                ///< "", "ssh gpu01", "srun --gres=gpu:1": split as a shell splits words
    std::string folder;                ///< added to PYTHONPATH; see workerFolder()
    std::string service = "serve";     ///< what of the package answers
    int neighbours = 1;                ///< workers, this one included, that share the machine's processors
    std::chrono::seconds silence{120}; ///< longest time without a sign of life
};

/// A service of the Python package as a child process, the supervisor of judgements where no other is named: `[prefix] PYTHON -m
/// assay_worker serve`, one JSON object a line.
///
/// Nothing here hangs: where the process dies, is missing or falls silent, a call ends in an Error of one line.
class WorkerClient {
public:
    using EventSink = std::function<void(const json::Value& event)>;

    /// Starts the process. @throws Error where it cannot be started
    explicit WorkerClient(WorkerOptions options);
    ~WorkerClient();
    WorkerClient(const WorkerClient&) = delete;
    WorkerClient& operator=(const WorkerClient&) = delete;

    /// Sends a request and waits for its last event.
    /// @param members  the request's members but "id", as the inside of a JSON object: `"op":"verify","seed":1`
    /// @param last     name of the event that ends it: "verdict", "doctor", "hello"
    /// @param sink     is told the events before that one
    /// @throws Error  where the process fails or refuses; Cancelled where @p stop was asked for
    json::Document ask(const std::string& members, const std::string& last, const EventSink& sink = {},
                       const std::stop_token& stop = {});

private:
    enum class Read { Line, Ended, Silent, Stopped };

    void start();
    void send(const std::string& line);
    Read readLine(std::string& line, std::chrono::milliseconds limit, const std::stop_token& stop);
    bool drainErrors();
    void end();
    void kill();
    [[noreturn]] void failEnded();
    [[noreturn]] void cancel(std::int64_t target, const std::string& last);

    WorkerOptions m_options;
    std::vector<std::string> m_command;
    pid_t m_process = -1;
    Descriptor m_input;  ///< the process's standard input
    Descriptor m_output; ///< its standard output
    Descriptor m_errors; ///< its standard error
    std::string m_text;  ///< output that is no whole line yet
    std::string m_tail;  ///< the last part of its standard error
    std::int64_t m_lastId = 0;
};

} // namespace assay::runner
