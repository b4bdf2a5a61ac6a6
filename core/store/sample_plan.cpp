// SPDX-License-Identifier: Apache-2.0
#include "core/store/sample_plan.h"

#include "core/store/kernel_identity.h"
#include "core/store/sample_label.h"
#include "core/store/sample_plan_json.h"
#include "core/store/statement.h"
#include "core/store/timestamp.h"
#include "core/store/triage.h"
#include "core/store/writing.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace assay::store {

namespace {

std::uint64_t seedFrom(std::string_view text)
{
    std::uint64_t seed = 0;
    std::from_chars(text.data(), text.data() + text.size(), seed);
    return seed;
}

const char* const kPlanSql = "SELECT id, name, seed, frame_sql, frame_hash, definition, created_at FROM sample_plan";

SamplePlan planFrom(const Statement& row)
{
    SamplePlan plan;
    plan.id = row.integerAt(0);
    plan.name = row.textAt(1);
    plan.seed = seedFrom(row.textAt(2));
    plan.frameSql = row.textAt(3);
    plan.frameHash = row.textAt(4);
    plan.createdAt = row.textAt(6);
    readDefinition(row.textAt(5), plan);
    return plan;
}

void countDrawn(SQLite::Database& database, SamplePlan& plan)
{
    Statement query(database, "SELECT stratum, count(*) FROM sample_item WHERE plan_id = ?1 GROUP BY stratum");
    query.integer(1, plan.id);
    while (query.step()) {
        const auto stratum = std::ranges::find(plan.strata, query.textAt(0), &PlanStratum::name);
        if (stratum != plan.strata.end())
            stratum->drawn = query.integerAt(1);
    }
}

SamplePlan planWithId(SQLite::Database& database, std::int64_t planId)
{
    Statement query(database, std::string(kPlanSql) + " WHERE id = ?1");
    if (!query.integer(1, planId).step())
        throw Error("there is no such plan", "row " + std::to_string(planId), "Reload the plans");
    SamplePlan plan = planFrom(query);
    countDrawn(database, plan);
    return plan;
}

Scope scopeOf(Database& database, const SamplePlan& plan)
{
    for (Scope& scope : scopes(database)) {
        if (scope.corpusName == plan.corpus && scope.auditName == plan.audit)
            return std::move(scope);
    }
    throw Error("the audit that plan \"" + plan.name + "\" was made from is not here", plan.corpus + "/" + plan.audit,
                "Import it, or make a new plan");
}

struct Prior {
    std::int64_t confirmed = 0;
    std::int64_t decided = 0;
};

/// What the labels of a plan say of each stratum.
std::map<std::string, Prior> priorsOf(Database& database, std::int64_t planId)
{
    std::map<std::int64_t, FinalLabel> labels = finalLabels(database, planId);
    std::map<std::string, Prior> priors;
    for (const SampleItem& item : sampleItems(database, planId)) {
        const auto found = labels.find(item.id);
        if (found == labels.end() || !found->second.label)
            continue;
        Prior& prior = priors[item.stratum];
        prior.confirmed += *found->second.label == AuditLabel::Confirmed ? 1 : 0;
        prior.decided += isDecided(*found->second.label) ? 1 : 0;
    }
    return priors;
}

std::vector<std::int64_t> allocationOf(const SamplePlan& plan, std::int64_t size, const std::map<std::string, Prior>& priors)
{
    std::vector<sampling::StratumPrior> strata;
    for (const PlanStratum& stratum : plan.strata) {
        const auto prior = priors.find(stratum.name);
        const Prior known = prior == priors.end() ? Prior{} : prior->second;
        strata.push_back({stratum.population, known.confirmed, known.decided});
    }
    return sampling::allocate(strata, size, plan.rule);
}

FrameRequest frameRequest(std::int64_t scopeId, const SamplePlan& plan)
{
    return {scopeId, parseFilter(plan.filter), plan.by};
}

SamplePlan planFor(Database& database, const PlanRequest& request)
{
    SamplePlan plan;
    plan.name = request.name;
    plan.filter = request.filter;
    plan.by = request.by;
    plan.rule = request.rule;
    plan.size = request.size;
    plan.seed = request.seed;
    plan.prior = request.prior;
    const SampleFrame frame = readFrame(database, frameRequest(request.scopeId, plan));
    for (const Scope& scope : scopes(database)) {
        if (scope.id == request.scopeId) {
            plan.corpus = scope.corpusName;
            plan.audit = scope.auditName;
        }
    }
    plan.frame = static_cast<std::int64_t>(frame.items.size());
    plan.frameSql = frame.sql;
    plan.frameHash = frame.hash;
    for (const FrameStratum& stratum : frame.strata)
        plan.strata.push_back({stratum.name, static_cast<std::int64_t>(stratum.count), 0, 0});
    std::map<std::string, Prior> priors;
    if (!request.prior.empty())
        priors = priorsOf(database, findPlan(database, request.prior).id);
    const std::vector<std::int64_t> counts = allocationOf(plan, request.size, priors);
    for (std::size_t i = 0; i < counts.size(); ++i)
        plan.strata[i].allocated = counts[i];
    return plan;
}

/// Writes the items of one draw.
class DrawWriter {
public:
    DrawWriter(SQLite::Database& database, const SamplePlan& plan)
        : m_plan(plan)
        , m_insert(
              database,
              "INSERT INTO sample_item (plan_id, kernel_id, stratum, position, identity, draw) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        , m_kernel(database,
                   "SELECT k.external_id, c.sha256, r.sha256 FROM kernel k LEFT JOIN source c ON c.id = k.candidate_source_id "
                   "LEFT JOIN source r ON r.id = k.reference_source_id WHERE k.id = ?1")
    {
        Statement last(database, "SELECT coalesce(max(position), 0), coalesce(max(draw), 0) FROM sample_item WHERE plan_id = ?1");
        last.integer(1, plan.id).step();
        m_position = last.integerAt(0);
        m_draw = last.integerAt(1) + 1;
    }

    void add(std::int64_t kernelId, const std::string& stratum)
    {
        m_kernel.integer(1, kernelId);
        m_kernel.step();
        const std::string identity
            = toText(KernelIdentity{m_kernel.textAt(1), m_kernel.textAt(2), m_plan.corpus, m_kernel.textAt(0)});
        m_kernel.reset();
        m_insert.integer(1, m_plan.id).integer(2, kernelId).text(3, stratum).integer(4, ++m_position);
        m_insert.text(5, identity).integer(6, m_draw).run();
    }

private:
    const SamplePlan& m_plan;
    Statement m_insert;
    Statement m_kernel;
    std::int64_t m_position = 0;
    std::int64_t m_draw = 1;
};

struct Drawn {
    sampling::ItemDigest place;
    std::int64_t kernelId;
    const std::string* stratum;
};

/// Those of the first counts[i] of each stratum that were not drawn yet, in the order they are judged.
std::vector<Drawn> drawFrom(const SampleFrame& frame, const SamplePlan& plan, const std::vector<std::int64_t>& counts)
{
    std::vector<Drawn> drawn;
    for (std::size_t i = 0; i < frame.strata.size(); ++i) {
        const FrameStratum& stratum = frame.strata[i];
        std::vector<sampling::ItemDigest> digests;
        digests.reserve(stratum.count);
        for (std::size_t k = stratum.first; k < stratum.first + stratum.count; ++k)
            digests.push_back(frame.items[k].digest);
        const std::vector<std::size_t> first = sampling::firstDrawn(digests, plan.seed, static_cast<std::size_t>(counts[i]));
        for (std::size_t k = static_cast<std::size_t>(plan.strata[i].drawn); k < first.size(); ++k)
            drawn.push_back({sampling::drawPlace(plan.seed, digests[first[k]]), frame.items[stratum.first + first[k]].kernelId,
                             &stratum.name});
    }
    std::sort(drawn.begin(), drawn.end(), [](const Drawn& a, const Drawn& b) { return a.place < b.place; });
    return drawn;
}

std::vector<std::int64_t> wantedCounts(Database& database, const SamplePlan& plan, std::int64_t more)
{
    std::vector<std::int64_t> counts;
    for (const PlanStratum& stratum : plan.strata)
        counts.push_back(std::max(stratum.allocated, stratum.drawn));
    if (more <= 0)
        return counts;
    std::map<std::string, Prior> priors;
    if (plan.rule == sampling::AllocationRule::Neyman)
        priors = priorsOf(database, plan.id);
    const std::vector<std::int64_t> enlarged = allocationOf(plan, std::max(plan.allocated(), plan.drawn()) + more, priors);
    for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] = std::max(counts[i], enlarged[i]);
    return counts;
}

void requireDrawable(const SamplePlan& plan, const SampleFrame& frame)
{
    if (frame.hash != plan.frameHash)
        throw Error("the frame is not what it was: " + std::to_string(plan.frame) + " kernels when the plan was made, "
                        + std::to_string(frame.items.size()) + " with other strata or identities now",
                    "plan \"" + plan.name + "\"", "Make a new plan; what was drawn and labelled stays");
}

} // namespace

std::int64_t SamplePlan::allocated() const
{
    std::int64_t sum = 0;
    for (const PlanStratum& stratum : strata)
        sum += stratum.allocated;
    return sum;
}

std::int64_t SamplePlan::drawn() const
{
    std::int64_t sum = 0;
    for (const PlanStratum& stratum : strata)
        sum += stratum.drawn;
    return sum;
}

SamplePlan previewPlan(Database& database, const PlanRequest& request)
{
    return planFor(database, request);
}

SamplePlan createPlan(Database& database, const PlanRequest& request)
{
    if (request.name.find_first_not_of(" \t\r\n") == std::string::npos)
        throw Error("the plan has no name", "", "Name it, so that its labels can be found again");
    if (request.size <= 0)
        throw Error("the sample has no size", "plan \"" + request.name + "\"", "Ask for at least one kernel");
    return writing(database, [&](SQLite::Database& sqlite) {
        SamplePlan plan = planFor(database, request);
        if (plan.frame == 0)
            throw Error("no kernel matches the frame's filter", request.filter, "Widen the filter");
        plan.createdAt = utcNow();
        Statement insert(sqlite,
                         "INSERT INTO sample_plan (name, seed, frame_sql, frame_hash, definition, created_at) "
                         "VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
        const std::string seed = std::to_string(plan.seed);
        const std::string definition = definitionJson(plan);
        insert.text(1, plan.name).text(2, seed).text(3, plan.frameSql).text(4, plan.frameHash).text(5, definition);
        if (!insert.text(6, plan.createdAt).tryRun())
            throw Error("a plan is called \"" + plan.name + "\" already", database.path().string(), "Choose another name");
        plan.id = sqlite.getLastInsertRowid();
        return plan;
    });
}

std::vector<SamplePlan> samplePlans(Database& database)
{
    return guarded(database, [&] {
        std::vector<SamplePlan> plans;
        Statement query(database.sqlite(), std::string(kPlanSql) + " ORDER BY id DESC");
        while (query.step())
            plans.push_back(planFrom(query));
        for (SamplePlan& plan : plans)
            countDrawn(database.sqlite(), plan);
        return plans;
    });
}

SamplePlan findPlan(Database& database, std::string_view name)
{
    std::vector<SamplePlan> plans = samplePlans(database);
    const auto found = name.empty() ? plans.begin() : std::ranges::find(plans, name, &SamplePlan::name);
    if (found != plans.end())
        return *found;
    if (plans.empty())
        throw Error("there is no sample plan", database.path().string(), "Make one first: assay sample plan");
    std::string names;
    for (const SamplePlan& plan : plans)
        names += (names.empty() ? "" : ", ") + plan.name;
    throw Error("no plan is called \"" + std::string(name) + "\"", database.path().string(), "There are " + names);
}

SamplePlan drawSample(Database& database, std::int64_t planId, std::int64_t more)
{
    return writing(database, [&](SQLite::Database& sqlite) {
        SamplePlan plan = planWithId(sqlite, planId);
        if (plan.origin == PlanOrigin::Published) {
            if (more > 0)
                throw Error("the frame of a published sample is known by its sizes only", "plan \"" + plan.name + "\"",
                            "Make a plan of your own over the same audit");
            return plan;
        }
        const std::vector<std::int64_t> counts = wantedCounts(database, plan, more);
        const SampleFrame frame = readFrame(database, frameRequest(scopeOf(database, plan).id, plan));
        requireDrawable(plan, frame);
        DrawWriter writer(sqlite, plan);
        for (const Drawn& one : drawFrom(frame, plan, counts))
            writer.add(one.kernelId, *one.stratum);
        countDrawn(sqlite, plan);
        return plan;
    });
}

std::vector<SampleItem> sampleItems(Database& database, std::int64_t planId)
{
    return guarded(database, [&] {
        Statement query(database.sqlite(),
                        "SELECT i.id, i.kernel_id, i.position, i.draw, k.external_id, k.title, k.family, i.stratum, "
                        "coalesce(i.identity, '') FROM sample_item i JOIN kernel k ON k.id = i.kernel_id WHERE i.plan_id = ?1 "
                        "ORDER BY i.position, i.id");
        query.integer(1, planId);
        std::vector<SampleItem> items;
        while (query.step()) {
            SampleItem item;
            item.id = query.integerAt(0);
            item.kernelId = query.integerAt(1);
            item.position = query.integerAt(2);
            item.draw = query.integerAt(3);
            int column = 4;
            for (std::string* text : {&item.externalId, &item.title, &item.family, &item.stratum, &item.identity})
                *text = query.textAt(column++);
            items.push_back(std::move(item));
        }
        return items;
    });
}

} // namespace assay::store
