// SPDX-License-Identifier: Apache-2.0
#include "app/cli/summary_json.h"

namespace assay::cli {

void writeSummary(json::ObjectText& out, const runner::VerdictSummary& summary)
{
    out.text("verdict", contract::name(summary.verdict));
    out.text("reason", summary.reason);
    out.number("seconds", summary.seconds);
    out.object("gates", [&] {
        for (const contract::Gate gate : contract::kAllGates) {
            const runner::GateSummary& cell = summary.of(gate);
            if (cell.verdict == contract::Verdict::Absent)
                continue;
            out.object(contract::id(gate), [&] {
                out.text("verdict", contract::name(cell.verdict));
                if (cell.severity == contract::Severity::None)
                    out.null("severity");
                else
                    out.text("severity", contract::name(cell.severity));
                out.integer("exercised", cell.exercised);
                out.integer("total", cell.total);
                out.text("finding", cell.finding);
                out.flag("noted", cell.noted);
            });
        }
    });
}

} // namespace assay::cli
