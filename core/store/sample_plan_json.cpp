// SPDX-License-Identifier: Apache-2.0
#include "core/store/sample_plan_json.h"

#include "core/text/json.h"
#include "core/text/object_text.h"

namespace assay::store {

namespace {

constexpr std::string_view kPublished = "published";
constexpr std::string_view kDrawn = "drawn";

} // namespace

std::string definitionJson(const SamplePlan& plan)
{
    json::ObjectText object("assay.sample-plan/1");
    object.text("origin", plan.origin == PlanOrigin::Published ? kPublished : kDrawn);
    object.text("corpus", plan.corpus);
    object.text("audit", plan.audit);
    object.text("filter", plan.filter);
    std::vector<std::string_view> by;
    for (const StratifyBy one : plan.by)
        by.push_back(name(one));
    object.texts("by", by);
    object.text("allocation", sampling::name(plan.rule));
    object.integer("size", plan.size);
    object.text("prior", plan.prior);
    object.text("source", plan.source);
    object.integer("frame", plan.frame);
    object.objects("strata", plan.strata, [&](const PlanStratum& stratum) {
        object.text("name", stratum.name);
        object.integer("population", stratum.population);
        object.integer("allocated", stratum.allocated);
    });
    return object.finish();
}

void readDefinition(std::string_view text, SamplePlan& plan)
{
    json::Document document;
    if (const auto failure = json::parse(text, document); failure || !document.IsObject())
        throw Error("the definition of plan \"" + plan.name + "\" cannot be read", "sample_plan",
                    "It was made by another program: make a new plan");
    const auto word = [&](const char* key) { return json::stringAt(document, key).value_or(""); };
    plan.origin = word("origin") == kPublished ? PlanOrigin::Published : PlanOrigin::Drawn;
    plan.corpus = word("corpus");
    plan.audit = word("audit");
    plan.filter = word("filter");
    plan.prior = word("prior");
    plan.source = word("source");
    plan.rule = sampling::allocationRuleFromName(word("allocation")).value_or(sampling::AllocationRule::Proportional);
    plan.size = json::integerAt(document, "size").value_or(0);
    plan.frame = json::integerAt(document, "frame").value_or(0);
    if (const json::Value* by = json::find(document, "by"); by != nullptr && by->IsArray()) {
        for (const json::Value& one : by->GetArray()) {
            if (const auto known = one.IsString() ? stratifyByFromName(one.GetString()) : std::nullopt)
                plan.by.push_back(*known);
        }
    }
    if (const json::Value* strata = json::find(document, "strata"); strata != nullptr && strata->IsArray()) {
        for (const json::Value& one : strata->GetArray())
            plan.strata.push_back({json::stringAt(one, "name").value_or(""), json::integerAt(one, "population").value_or(0),
                                   json::integerAt(one, "allocated").value_or(0), 0});
    }
}

} // namespace assay::store
