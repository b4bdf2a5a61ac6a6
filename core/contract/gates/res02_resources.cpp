// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"

namespace assay::contract::gates {

/// Resources: registers, shared memory, tensor memory, launchability. Without evidence of what the kernels take the answer is
/// `unknown`, never a pass.
GateResult resources(Session& session)
{
    GateRun run(session, Gate::Res02);
    if (!session.onGpu()) {
        run.other("launch", Verdict::Inapplicable, "no_gpu",
                  "The candidate was judged on the CPU, where no kernel takes GPU resources.");
        return run.finish("");
    }
    run.other("launch", Verdict::Unknown, "no_evidence", "Nothing is known of what the candidate's kernels take.");
    return run.finish("");
}

} // namespace assay::contract::gates
