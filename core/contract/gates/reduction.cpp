// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/reduction.h"

namespace assay::contract::gates {

bool isReduction(GateRun& run, std::string_view code, const ShapePtr& shape)
{
    Session& session = run.session();
    if (session.largestExtent(shape) > 1)
        return true;
    StimulusRecord record;
    record.label = "the count of elements that its outputs depend on";
    if (const auto failure = session.extentFailure(shape))
        run.referenceFailure(code, *failure, record);
    else
        run.other(code, Verdict::Inapplicable, "no_reduction", "No output element depends on more than one input element.");
    return false;
}

} // namespace assay::contract::gates
