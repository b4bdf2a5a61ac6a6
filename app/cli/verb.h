// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/progress.h"
#include "core/text/error.h"

#include <CLI/App.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// The command line: one verb a file, each declares its options and runs. Everything it does lives in core.
namespace assay::cli {

/// Exit codes of architecture.md section 4.
enum ExitCode {
    kFine = 0,
    kFailed = 1, ///< nothing changed
    kUsage = 2,
    kRejections = 3, ///< done, some rows were rejected
    kAnswerIsNo = 4,
    kNotJudged = 5,
    kStoppedPartWay = 6, ///< what was finished is kept, running again goes on
};

/// The command line does not make sense as written; exit 2.
class UsageError : public Error {
public:
    using Error::Error;
};

/// Work that stopped after some of it was kept; exit 6. The report of what was kept goes to standard output.
class StoppedPartWay : public Error {
public:
    using Error::Error;
};

/// Nothing could be judged, which says nothing about the candidate; exit 5.
class NotJudged : public Error {
public:
    using Error::Error;
};

/// What every verb runs with.
struct Invocation {
    bool json = false;
    std::stop_token stop;
    Progress progress;
};

class Verb {
public:
    virtual ~Verb() = default;

    virtual std::string_view name() const = 0;
    virtual std::string_view summary() const = 0; ///< one line for `assay --help`
    virtual std::string_view help() const = 0;    ///< what follows the options in `assay VERB --help`: exit codes, examples
    virtual void declare(CLI::App& app) = 0;

    /// @return an ExitCode @throws Error, Cancelled
    virtual int run(Invocation& invocation) = 0;
};

std::unique_ptr<Verb> makeImportVerb();
std::unique_ptr<Verb> makeReportVerb();
std::unique_ptr<Verb> makeExportVerb();
std::unique_ptr<Verb> makeShowVerb();
std::unique_ptr<Verb> makeCompareVerb();
std::unique_ptr<Verb> makeDiffVerb();
std::unique_ptr<Verb> makeDbVerb();
std::unique_ptr<Verb> makeDoctorVerb();
std::unique_ptr<Verb> makeVerifyVerb();
std::unique_ptr<Verb> makeAuditVerb();
std::unique_ptr<Verb> makeReproVerb();
std::unique_ptr<Verb> makeMutantsVerb();
std::unique_ptr<Verb> makeControlsVerb();
std::unique_ptr<Verb> makeCalibrateVerb();
std::unique_ptr<Verb> makeFigureVerb();
std::unique_ptr<Verb> makeSampleVerb();
std::unique_ptr<Verb> makeGdnVerb();
std::unique_ptr<Verb> makeVersionVerb();

/// Writes @p text to standard output. @throws Error when it cannot be written (a full disk behind a redirection)
void print(std::string_view text);
/// The same with a line end.
void printLine(std::string_view text);
/// @throws Error when buffered output cannot be written
void flushOutput();

} // namespace assay::cli
