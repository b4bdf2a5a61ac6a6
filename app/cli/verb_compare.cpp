// SPDX-License-Identifier: Apache-2.0
#include "app/cli/scope_options.h"
#include "app/cli/verb.h"
#include "core/report/compare.h"

#include <CLI/CLI.hpp>

namespace assay::cli {

namespace {

class CompareVerb final : public Verb {
public:
    std::string_view name() const override { return "compare"; }
    std::string_view summary() const override { return "Verdict flips between two audits, kernel by kernel, with reasons"; }

    std::string_view help() const override
    {
        return "Kernels are joined by identity: sources where they are known, else corpus and id. A gate that only one audit ran "
               "is\n"
               "named, not counted as a flip.\n\nExit 0: compared, whatever flipped; 1: could not.\n\n"
               "Example:\n  assay compare --db audit.db june july --json";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("--db", m_scope.database, "Database that `assay import` wrote")->required();
        app.add_option("--corpus", m_scope.corpus, "Corpus of both audits, where the names alone do not tell");
        app.add_option("BEFORE", m_before, "Audit, as NAME or CORPUS/NAME")->required();
        app.add_option("AFTER", m_after, "Audit, as NAME or CORPUS/NAME")->required();
    }

    int run(Invocation& invocation) override
    {
        const auto database = m_scope.open();
        const store::InterruptOnStop interrupt(*database, invocation.stop);
        ScopeOptions before = m_scope;
        before.audit = m_before;
        ScopeOptions after = m_scope;
        after.audit = m_after;
        const auto comparison = report::compareAudits(*database, before.scope(*database), after.scope(*database));
        print(invocation.json ? report::toJson(comparison) + "\n" : report::toText(comparison));
        return kFine;
    }

private:
    ScopeOptions m_scope;
    std::string m_before;
    std::string m_after;
};

} // namespace

std::unique_ptr<Verb> makeCompareVerb()
{
    return std::make_unique<CompareVerb>();
}

} // namespace assay::cli
