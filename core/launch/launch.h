// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/result.h"
#include "kernels/gdn/family.h"
#include "kernels/tensor/dtype.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace assay::launch {

/// What the operator is launched on and who watches it: the form of the Launch place, the options of `assay gdn gates`.
struct LaunchRequest {
    gdn::Family family = gdn::Family::Gdn2;
    gdn::Shape shape{1, 128, 2, 64, 64}; ///< B, T, H, K, V
    tensor::DType dtype = tensor::DType::Float32;
    std::string device = "cpu"; ///< "cpu", "cuda:0"
    std::string prefix;         ///< command that leads to the machine of the device, as "ssh gpu01"; "": here
    std::string python;         ///< that has torch; "": runner::workerPython()
    std::uint64_t seed = 1;
    std::filesystem::path dbPath;   ///< where the row goes; empty: nowhere
    std::vector<std::string> gates; ///< only these, as "EXC-01"; empty: all twelve
    bool isTimed = true;            ///< also measure errors and times, before the gates
    int samples = 20;               ///< calls that are timed
    double budgetSeconds = 240;     ///< of the gates together; see contract::Contract::cpuBudgetSeconds
    bool unsafeNoSandbox = false;   ///< both sources are ours: where the machine has no sandbox, this goes without
};

/// Times of the operator at the request's shape. A number that was not measured is absent.
struct LaunchTiming {
    std::string device;                         ///< "cpu", or the name of the GPU
    std::string kernel;                         ///< "chunks of 64, fp32", "sm_90a ..."
    std::optional<double> forwardMilliseconds;  ///< median
    std::optional<double> backwardMilliseconds; ///< median, what it takes from the forward included
    double bytesMinimum = 0;                    ///< of the backward: every input read and every gradient written once
    double operations = 0;                      ///< of the backward
    std::optional<double> floorMilliseconds; ///< of the backward, by the rates of floorOf(); none where a device's are not known
    std::optional<double> floorWithStatesMilliseconds; ///< with the states of the chunks written and read
    std::string floorSource;                           ///< whose rates, in words; why there is no floor
    int samples = 0;

    /// floor / backward time
    std::optional<double> fractionOfFloor() const;
};

/// One output of the operator against the recurrence in fp64.
struct LaunchError {
    std::string name;     ///< "o", "dq", ...
    double error = 0;     ///< rms(error) / rms(reference)
    double tolerance = 0; ///< see check.h
    bool isWithin = false;
};

/// Told while it goes on, by the thread that called launch(). Empty ones are not called.
struct LaunchWatch {
    std::function<void(contract::Gate)> gateStarted;
    std::function<void(const contract::GateResult&)> gateFinished; ///< checks without tensors
    std::function<void(const std::vector<LaunchError>&)> measured;
    std::function<void(const LaunchTiming&)> timed;
    std::function<void(const std::string&)> log; ///< a line for people
};

struct LaunchResult {
    enum class End {
        Judged,      ///< there is a verdict on the operator: judgement.verdict
        CouldNotRun, ///< nothing was judged: no device, no worker, no sandbox, the helper process died. reason and remedy say why
        Stopped,     ///< by the stop token; nothing is stored
    };
    End end = End::CouldNotRun;
    contract::Judgement judgement; ///< gates that were not reached are Absent
    std::vector<LaunchError> errors;
    std::optional<LaunchTiming> timing;
    std::string reason;
    std::string remedy;
    std::string verdictJson;               ///< as `assay verify --json` prints it, without tensors
    std::optional<std::int64_t> kernelId;  ///< in dbPath: what Triage lists
    std::string kernelName;                ///< the same for people, as `assay show` takes it
    std::optional<std::int64_t> verdictId; ///< its verdict of this run
    double seconds = 0;
};

/// One line that names the field and what was expected; "" where it can be launched. Looks at no device.
std::string mistakeIn(const LaunchRequest& request);

/// The verify request that launch() sends, as a line: what a worker takes where nobody can reach it. @throws Error as
/// nativeSubject()
std::string requestLine(const LaunchRequest& request);

/// Runs the operator through the twelve gates in a helper process (the operator's device library is loaded by that process
/// alone), measures errors and times before, and stores the outcome where dbPath says so. Blocks: call it on a thread of its own.
/// A request that is mistaken, a device that is not there, a process that dies are an outcome, CouldNotRun.
/// @throws store::DatabaseError  where the outcome could not be stored
LaunchResult launch(const LaunchRequest& request, const LaunchWatch& watch, std::stop_token stop);

} // namespace assay::launch
