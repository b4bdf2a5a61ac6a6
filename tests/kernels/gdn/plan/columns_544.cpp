// SPDX-License-Identifier: Apache-2.0
// Must not compile: each product of a chunk in columns of its own, as a compiler that folds nothing hands them out.
#include "kernels/gdn/plan/tensor_memory.h"

namespace {
using namespace assay::gdn::plan;
constexpr ColumnPlan<5> kNaive{{{"dH", 0, 128, {}},
                                {"du", 128, 128, {}},
                                {"dq", 256, 128, {}},
                                {"dk", 384, 128, {}},
                                {"score", 512, ASSAY_SCORE_COLUMNS, {}}}};
static_assert(areDisjoint(kNaive));
} // namespace

int main()
{
    return TensorMemory<kNaive>::kColumns;
}
