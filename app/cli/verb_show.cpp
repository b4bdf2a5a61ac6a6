// SPDX-License-Identifier: Apache-2.0
#include "app/cli/kernel_text.h"
#include "app/cli/scope_options.h"
#include "app/cli/verb.h"
#include "core/store/artifact_store.h"
#include "core/store/kernel_details.h"

#include <CLI/CLI.hpp>

namespace assay::cli {

namespace {

class ShowVerb final : public Verb {
public:
    std::string_view name() const override { return "show"; }
    std::string_view summary() const override { return "One kernel: finding, every gate's numbers, sources' hashes, notes"; }

    std::string_view help() const override
    {
        return "KERNEL is the id the corpus gave it (179), or # and a row number of the database (#12). --gate shows that gate's "
               "checks,\nwhat each was asked with, and the command that asks again.\n\n"
               "Exit 0: shown; 1: no such kernel.\n\n"
               "Examples:\n  assay show --db audit.db 179\n  assay show --db audit.db 179 --gate CMP-01 --json";
    }

    void declare(CLI::App& app) override
    {
        m_scope.declare(app);
        app.add_option("KERNEL", m_kernel, "Kernel id")->required();
        app.add_option("--gate", m_gate, "One gate, with its checks");
    }

    int run(Invocation& invocation) override
    {
        std::optional<contract::Gate> gate;
        if (!m_gate.empty()) {
            gate = contract::gateFromId(m_gate);
            if (!gate)
                throw UsageError("no gate is called \"" + m_gate + "\"", "--gate", "Gates are CMP-01 to RES-02");
        }
        const auto database = m_scope.open();
        const store::InterruptOnStop interrupt(*database, invocation.stop);
        const std::int64_t scope = m_scope.scope(*database);
        const auto kernel = store::findKernel(*database, scope, m_kernel);
        const auto details = kernel ? store::kernelDetails(*database, scope, *kernel) : std::nullopt;
        if (!details)
            throw Error("no kernel \"" + m_kernel + "\"", m_scope.database,
                        "List ids with: assay export --format csv --db " + m_scope.database);
        std::optional<runner::ShrunkCheck> shrunk;
        if (gate)
            shrunk = runner::shrunkCheckIn(store::artifactsOf(*database, details->verdictId, contract::id(*gate)));
        print(invocation.json ? kernelJson(*details, gate, m_scope.database, shrunk) + "\n"
                              : kernelText(*details, gate, m_scope.database, shrunk));
        return kFine;
    }

private:
    ScopeOptions m_scope;
    std::string m_kernel;
    std::string m_gate;
};

} // namespace

std::unique_ptr<Verb> makeShowVerb()
{
    return std::make_unique<ShowVerb>();
}

} // namespace assay::cli
