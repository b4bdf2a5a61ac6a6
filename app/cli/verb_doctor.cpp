// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verb.h"
#include "app/cli/worker_options.h"
#include "core/runner/doctor.h"
#include "core/text/object_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace assay::cli {

namespace {

using runner::MachineFinding;

std::string toJson(const std::vector<MachineFinding>& findings)
{
    json::ObjectText object("assay.doctor/1");
    object.objects("findings", findings, [&](const MachineFinding& finding) {
        object.text("name", finding.name);
        object.flag("present", finding.present);
        object.text("detail", finding.detail);
        object.text("remedy", finding.remedy);
    });
    return object.finish();
}

/// A lack matters where it keeps candidates from being judged.
int exitCodeOf(const std::vector<MachineFinding>& findings)
{
    const auto judging = std::ranges::find(findings, "judging", &MachineFinding::name);
    return judging != findings.end() && judging->present ? kFine : kNotJudged;
}

class DoctorVerb final : public Verb {
public:
    std::string_view name() const override { return "doctor"; }
    std::string_view summary() const override { return "What this machine can do, and what to do about each lack"; }

    std::string_view help() const override
    {
        return "Everything is tried, nothing is guessed: modules are imported, the sandbox is started, the driver is asked.\n\n"
               "Exit 0: candidates can be judged here; 5: they cannot, and what to do.\n\nExample:\n  assay doctor --python "
               "~/venv/bin/python3";
    }

    void declare(CLI::App& app) override { m_worker.declare(app); }

    int run(Invocation& invocation) override
    {
        const runner::DoctorSink progress{
            [&](std::string_view what) { invocation.progress.show(fmt::format("looking at {}", what)); }};
        const std::vector<MachineFinding> findings = runner::examineMachine(m_worker.options(), "cpu", progress, invocation.stop);
        invocation.progress.clear();
        if (invocation.json) {
            printLine(toJson(findings));
            return exitCodeOf(findings);
        }
        for (const MachineFinding& finding : findings) {
            printLine(fmt::format("{:<9} {:<8} {}", finding.name, finding.present ? "present" : "missing", finding.detail));
            if (!finding.present)
                printLine(fmt::format("{:<18} {}", "", finding.remedy));
        }
        return exitCodeOf(findings);
    }

private:
    WorkerChoice m_worker;
};

} // namespace

std::unique_ptr<Verb> makeDoctorVerb()
{
    return std::make_unique<DoctorVerb>();
}

} // namespace assay::cli
