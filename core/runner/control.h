// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/verdict_summary.h"
#include "core/runner/verify_ask.h"

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::runner {

/// A task and an honest way to compute it, which every right judge lets pass.
struct Control {
    std::string name; ///< "conv-by-fft", "torch_compile/l1_relu"
    Source reference;
    Source candidate;
    bool needsCompiler = false; ///< torch.compile, which torch has since 2.0
    std::string onlyOn = {};    ///< the one kind of device on which it is a control, "cpu"; "": on every one
    std::string because = {};   ///< why on no other
    /// By kind of device: what it is judged under there in place of the profile asked for, as readContract() takes it.
    std::map<std::string, std::string> contracts = {};
};

/// Every control below @p folder, by name. Which of them are for one kind of device alone stands in FOLDER/only_on.json:
/// {"cpu": {NAME: why on no other}}; which promise less on one kind, in FOLDER/contracts.json: {"cuda": {NAME: {"contract":
/// {...}, "because": why}}}. @throws Error where the folder holds none or a file cannot be read
std::vector<Control> loadControls(const std::filesystem::path& folder);

/// References to be judged against torch.compile of themselves: every FOLDER/torch_compile/NAME.py, whose candidate is its own
/// text with compiled_candidate.py behind it. @throws Error as loadControls()
std::vector<Control> loadCompiledControls(const std::filesystem::path& folder);

/// What stands for @p control on @p device ("cuda:0") where it is none there: "unsupported" and why. Nothing where it is one.
std::optional<VerdictSummary> outcomeElsewhere(const Control& control, std::string_view device);

/// The contract of its own that @p control is judged under on @p device ("cuda:0"); nothing where it promises what all promise.
std::optional<std::string> contractOn(const Control& control, std::string_view device);

/// What came out of @p control: its verdict, or "unsupported" where the torch it was judged with has no compiler.
VerdictSummary outcomeOf(const Control& control, VerdictSummary summary);

struct ControlRow {
    std::string name;
    VerdictSummary summary;
    bool isElsewhere = false; ///< a control on other devices alone: it was not judged
};

/// What a gate did to kernels that are right.
struct GateAlarms {
    int kernels = 0;   ///< in which at least one of its checks was exercised
    int exercised = 0; ///< checks
    int planned = 0;   ///< checks
    int hard = 0;      ///< kernels that it failed: false alarms
    int soft = 0;
    double upperBound = 1; ///< one-sided 95 %, exact: the share of right kernels that it fails at most
};

struct ControlTally {
    int judged = 0; ///< ended in pass or fail
    int passed = 0;
    int notJudged = 0; ///< says nothing about the gates
    int elsewhere = 0; ///< no controls on this device
    double upperBound = 1;
    std::array<GateAlarms, contract::kGateCount> gates;
};

ControlTally tallyOf(const std::vector<ControlRow>& rows);

/// The rule of three: 3/n bounds the rate at 95 % where n trials went without an alarm. @param n 0 gives 1
double ruleOfThree(int n);

} // namespace assay::runner
