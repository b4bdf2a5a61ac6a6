// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sampling/allocation.h"
#include "core/store/database.h"
#include "core/store/sample_frame.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Which kernels are judged by hand: plans, and the draws made from them.
namespace assay::store {

struct PlanRequest {
    std::string name;
    std::int64_t scopeId = 0;
    std::string filter; ///< filter line of the frame
    std::vector<StratifyBy> by;
    sampling::AllocationRule rule = sampling::AllocationRule::Proportional;
    std::int64_t size = 0;
    std::uint64_t seed = 0;
    std::string prior; ///< Neyman: plan whose labels say how much the strata spread; "" : nothing is known
};

struct PlanStratum {
    std::string name;
    std::int64_t population = 0;
    std::int64_t allocated = 0;
    std::int64_t drawn = 0; ///< so far, extensions included
};

/// Where a plan comes from.
enum class PlanOrigin {
    Drawn,     ///< made here; its frame can be read again and its draw extended
    Published, ///< somebody else drew it and published the kernels with the sizes of the strata
};

struct SamplePlan {
    std::int64_t id = 0; ///< 0 for a preview
    std::string name;
    PlanOrigin origin = PlanOrigin::Drawn;
    std::string corpus;
    std::string audit; ///< "" where no audit judged the corpus
    std::string filter;
    std::vector<StratifyBy> by;
    sampling::AllocationRule rule = sampling::AllocationRule::Proportional; ///< of a drawn plan
    std::int64_t size = 0; ///< as asked for; the minima of strata may make it more
    std::uint64_t seed = 0;
    std::string prior;
    std::int64_t frame = 0; ///< kernels in all strata
    std::string frameSql;
    std::string frameHash;
    std::string createdAt;
    std::string source; ///< file that published it, "" for a drawn one
    std::vector<PlanStratum> strata;

    std::int64_t allocated() const;
    std::int64_t drawn() const;
};

/// What createPlan() would store. Reads only. @throws Error, FilterError, Cancelled
SamplePlan previewPlan(Database& database, const PlanRequest& request);

/// Stores a plan; nothing is drawn yet. @return it with its id
/// @throws Error where the name is empty or taken, the frame is empty or the size is none
SamplePlan createPlan(Database& database, const PlanRequest& request);

/// Every plan, newest first.
std::vector<SamplePlan> samplePlans(Database& database);
/// @throws Error naming the plans there are. @param name  "" : the newest
SamplePlan findPlan(Database& database, std::string_view name);

/// Draws what the plan allocates, and @p more beyond what was drawn so far. Drawing twice draws nothing more. Kernels come in
/// the order of drawPlace() within their stratum and are shown in that order over all strata, so that their place tells nothing.
/// An extension allocates the enlarged total anew (Neyman: by the labels given so far); no stratum loses what it has.
/// @return the plan with what is drawn now
/// @throws Error where the frame is not what it was when the plan was made, or was published without its rows
SamplePlan drawSample(Database& database, std::int64_t planId, std::int64_t more = 0);

/// Makes the sample that the published audit of @p corpus drew (its document of kind "sample") a plan, with the strata and frame
/// sizes it states and its kernels in the order of the file. Does nothing where it is there already.
/// @param corpus  "" : the only corpus that has such a document
/// @throws Error where there is none, or a kernel of it is missing
SamplePlan adoptPublishedSample(Database& database, const std::string& corpus);
/// Corpora with a published sample that is no plan yet.
std::vector<std::string> publishedSamples(Database& database);

/// One kernel of a sample.
struct SampleItem {
    std::int64_t id = 0;
    std::int64_t kernelId = 0;
    std::string externalId;
    std::string title;
    std::string family;
    std::string stratum;
    std::string identity;
    std::int64_t position = 0; ///< from 1, in the order they are judged
    std::int64_t draw = 1;     ///< 1: the first draw
};

/// The kernels of a plan in the order they are judged.
std::vector<SampleItem> sampleItems(Database& database, std::int64_t planId);

} // namespace assay::store
