// SPDX-License-Identifier: Apache-2.0
#include "app/cli/scope_options.h"
#include "app/cli/verb.h"
#include "core/runner/repro.h"
#include "core/store/kernel_details.h"
#include "core/text/object_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace assay::cli {

namespace {

class ReproVerb final : public Verb {
public:
    std::string_view name() const override { return "repro"; }
    std::string_view summary() const override { return "A folder that shows one failure without Assay, with torch alone"; }

    std::string_view help() const override
    {
        return "KERNEL is an id of the corpus (179), or # and a row number of the database (#12); Assay must have judged it. The "
               "folder holds both\nsources, the tensors of the failing call and run_repro.py, which ends with status 1 where the "
               "failure shows.\n\n"
               "Exit 0: written; 1: the gate did not fail, or its failure cannot be shown by one call; 2: usage.\n\n"
               "Example:\n  assay repro --db audit.db 179 --gate EXC-01 --out repro-179 && python3 repro-179/run_repro.py";
    }

    void declare(CLI::App& app) override
    {
        m_scope.declare(app);
        app.add_option("KERNEL", m_kernel, "Kernel id")->required();
        app.add_option("--gate", m_gate, "The gate whose failure is shown")->required();
        app.add_option("--out", m_out, "Folder to make")->required();
    }

    int run(Invocation& invocation) override
    {
        const auto gate = contract::gateFromId(m_gate);
        if (!gate)
            throw UsageError("no gate is called \"" + m_gate + "\"", "--gate", "Gates are CMP-01 to RES-02");
        const auto database = m_scope.open();
        const store::InterruptOnStop interrupt(*database, invocation.stop);
        const std::int64_t scope = m_scope.scope(*database);
        const auto kernel = store::findKernel(*database, scope, m_kernel);
        const auto details = kernel ? store::kernelDetails(*database, scope, *kernel) : std::nullopt;
        if (!details)
            throw Error("no kernel \"" + m_kernel + "\"", m_scope.database,
                        "List ids with: assay export --format csv --db " + m_scope.database);
        const runner::ReproFolder made = runner::writeRepro(*database, *details, *gate, m_out);
        if (!invocation.json) {
            print(fmt::format("{}\n{}\n{}cd {} && {}\n", made.check, made.finding,
                              made.remark.empty() ? "" : "shrunk: " + made.remark + "\n", made.path.string(), made.command));
            return kFine;
        }
        json::ObjectText out("assay.repro/1");
        out.text("folder", made.path.string());
        out.text("check", made.check);
        out.text("finding", made.finding);
        out.text("command", made.command);
        out.text("shrunk", made.remark);
        printLine(out.finish());
        return kFine;
    }

private:
    ScopeOptions m_scope;
    std::string m_kernel;
    std::string m_gate;
    std::string m_out;
};

} // namespace

std::unique_ptr<Verb> makeReproVerb()
{
    return std::make_unique<ReproVerb>();
}

} // namespace assay::cli
