// SPDX-License-Identifier: Apache-2.0
// The sample that somebody drew and published: its document, as a plan.
#include "core/store/kernel_identity.h"
#include "core/store/sample_plan.h"
#include "core/store/sample_plan_json.h"
#include "core/store/source_store.h"
#include "core/store/statement.h"
#include "core/store/timestamp.h"
#include "core/store/triage.h"
#include "core/store/writing.h"
#include "core/text/json.h"

#include <algorithm>

namespace assay::store {

namespace {

struct Document {
    std::int64_t corpusId = 0;
    std::string corpus;
    std::string file;
    std::string sha256;
    std::string text;
};

/// Documents of kind "sample" that are no plan yet; the file's hash is the hash of the frame it states.
const char* const kWaiting = "FROM published_document d JOIN corpus c ON c.id = d.corpus_id WHERE d.kind = 'sample' "
                             "AND (?1 = '' OR c.name = ?1) AND d.sha256 NOT IN (SELECT frame_hash FROM sample_plan)";

std::vector<Document> waitingDocuments(SQLite::Database& database, const std::string& corpus)
{
    Statement query(database,
                    std::string("SELECT c.id, c.name, d.source_file, d.sha256, d.codec, d.data, d.bytes ") + kWaiting
                        + " ORDER BY d.id");
    query.text(1, corpus);
    std::vector<Document> documents;
    while (query.step()) {
        Document document;
        document.corpusId = query.integerAt(0);
        document.corpus = query.textAt(1);
        document.file = query.textAt(2);
        document.sha256 = query.textAt(3);
        document.text = unpack(query.textAt(4), query.blobAt(5), query.integerAt(6)).value_or("");
        documents.push_back(std::move(document));
    }
    return documents;
}

[[noreturn]] void unreadable(const Document& document, const std::string& what)
{
    throw Error(what, document.file, "Import the file again, or draw a sample of your own");
}

struct PublishedItem {
    std::string externalId;
    std::string stratum;
};

std::vector<PublishedItem> readItems(const json::Document& parsed, const Document& document)
{
    std::vector<PublishedItem> items;
    const json::Value* selected = json::find(parsed, "selected");
    if (selected == nullptr || !selected->IsArray())
        unreadable(document, "the sample names no kernels");
    for (const json::Value& one : selected->GetArray()) {
        const auto id = json::stringAt(one, "id");
        const auto stratum = json::stringAt(one, "stratum");
        if (!id || !stratum)
            unreadable(document, "a kernel of the sample has no id or no stratum");
        items.push_back({*id, *stratum});
    }
    return items;
}

/// The strata in the order of the document; those without kernels stay, because the frame was counted with them.
std::vector<PlanStratum> readStrata(const json::Document& parsed, const std::vector<PublishedItem>& items)
{
    std::vector<PlanStratum> strata;
    const json::Value* sizes = json::find(parsed, "bucket_sizes");
    if (sizes != nullptr && sizes->IsObject()) {
        for (const auto& member : sizes->GetObject()) {
            const std::string name(member.name.GetString(), member.name.GetStringLength());
            const auto picked = std::ranges::count(items, name, &PublishedItem::stratum);
            strata.push_back({name, member.value.IsInt64() ? member.value.GetInt64() : 0, picked, 0});
        }
    }
    return strata;
}

std::string auditOf(Database& database, std::int64_t corpusId)
{
    std::string name;
    for (const Scope& scope : scopes(database)) {
        if (scope.corpusId == corpusId && (name.empty() || scope.auditOrigin == "published"))
            name = scope.auditName;
    }
    return name;
}

SamplePlan planOf(Database& database, const Document& document)
{
    json::Document parsed;
    if (json::parse(document.text, parsed))
        unreadable(document, "the published sample is not JSON");
    SamplePlan plan;
    plan.name = "published sample (" + document.corpus + ")";
    plan.origin = PlanOrigin::Published;
    plan.corpus = document.corpus;
    plan.audit = auditOf(database, document.corpusId);
    plan.by = {StratifyBy::Channel};
    plan.source = document.file;
    plan.frameHash = document.sha256;
    plan.createdAt = utcNow();
    const std::vector<PublishedItem> items = readItems(parsed, document);
    plan.size = static_cast<std::int64_t>(items.size());
    plan.strata = readStrata(parsed, items);
    for (const PlanStratum& stratum : plan.strata)
        plan.frame += stratum.population;
    return plan;
}

void writeItems(SQLite::Database& database, const SamplePlan& plan, const Document& document)
{
    json::Document parsed;
    json::parse(document.text, parsed);
    Statement find(database,
                   "SELECT k.id, coalesce(c.sha256, ''), coalesce(r.sha256, '') FROM kernel k "
                   "LEFT JOIN source c ON c.id = k.candidate_source_id LEFT JOIN source r ON r.id = k.reference_source_id "
                   "WHERE k.corpus_id = ?1 AND k.external_id = ?2");
    Statement insert(database,
                     "INSERT INTO sample_item (plan_id, kernel_id, stratum, position, identity) VALUES (?1, ?2, ?3, ?4, ?5)");
    std::int64_t position = 0;
    for (const PublishedItem& item : readItems(parsed, document)) {
        if (!find.integer(1, document.corpusId).text(2, item.externalId).step())
            throw Error("kernel " + item.externalId + " of the published sample is not in the database", document.corpus,
                        "Import the audit's rows first: assay import audit_rows.jsonl.gz");
        const std::string identity = toText(KernelIdentity{find.textAt(1), find.textAt(2), plan.corpus, item.externalId});
        insert.integer(1, plan.id).integer(2, find.integerAt(0)).text(3, item.stratum).integer(4, ++position).text(5, identity);
        insert.run();
        find.reset();
    }
}

} // namespace

SamplePlan adoptPublishedSample(Database& database, const std::string& corpus)
{
    const std::int64_t id = writing(database, [&](SQLite::Database& sqlite) -> std::int64_t {
        Statement known(sqlite,
                        "SELECT p.id FROM sample_plan p JOIN published_document d ON d.sha256 = p.frame_hash JOIN corpus c "
                        "ON c.id = d.corpus_id WHERE d.kind = 'sample' AND (?1 = '' OR c.name = ?1)");
        const std::vector<Document> documents = waitingDocuments(sqlite, corpus);
        if (const auto there = singleInteger(known.text(1, corpus)); there && documents.empty())
            return *there;
        if (documents.empty())
            throw Error("no audit here published a sample", database.path().string(),
                        "Import it: assay import failure_sample_selected.json");
        const Document& document = documents.front();
        SamplePlan plan = planOf(database, document);
        Statement insert(sqlite,
                         "INSERT INTO sample_plan (name, seed, frame_sql, frame_hash, definition, created_at) "
                         "VALUES (?1, '', '', ?2, ?3, ?4)");
        const std::string definition = definitionJson(plan);
        insert.text(1, plan.name).text(2, plan.frameHash).text(3, definition).text(4, plan.createdAt).run();
        plan.id = sqlite.getLastInsertRowid();
        writeItems(sqlite, plan, document);
        return plan.id;
    });
    for (SamplePlan& plan : samplePlans(database)) {
        if (plan.id == id)
            return std::move(plan);
    }
    throw Error("the plan is gone again", database.path().string(), "Try once more");
}

std::vector<std::string> publishedSamples(Database& database)
{
    return guarded(database, [&] {
        Statement query(database.sqlite(), std::string("SELECT DISTINCT c.name ") + kWaiting + " ORDER BY c.name");
        query.text(1, "");
        std::vector<std::string> corpora;
        while (query.step())
            corpora.emplace_back(query.textAt(0));
        return corpora;
    });
}

} // namespace assay::store
