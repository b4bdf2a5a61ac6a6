// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/single_pair.h"

#include "core/ingest/language.h"
#include "core/ingest/op_family.h"
#include "core/store/corpus_writer.h"
#include "core/store/guarded.h"
#include "core/store/statement.h"
#include "core/text/sha256.h"

#include <filesystem>

namespace assay::ingest {

StoredPair addPair(store::Database& database, const SinglePair& pair)
{
    const std::string candidate = sha256Hex(pair.candidate);
    const std::string reference = sha256Hex(pair.reference);
    const std::string identity = sha256Hex(reference + candidate);
    const std::string stem = std::filesystem::path(pair.path).stem().string();

    store::ImportedItem item;
    item.kernel.externalId = stem + "-" + identity.substr(0, 8);
    item.kernel.title = pair.title.empty() ? stem : pair.title;
    item.kernel.family = pair.family.empty() ? opFamily(stem, pair.reference) : pair.family;
    item.kernel.language = pair.language.empty() ? languageOf(pair.candidate) : pair.language;
    item.kernel.candidateSource = pair.candidate;
    item.kernel.referenceSource = pair.reference;
    item.kernel.entryPoint = "ModelNew";
    item.kernel.path = pair.path;
    item.rowBytes = identity;

    store::CorpusInfo corpus;
    corpus.name = pair.corpus;
    corpus.format = "pair";
    store::CorpusWriter writer(database, corpus, {pair.path, identity});
    writer.add(item);
    writer.commit();

    return store::guarded(database, [&] {
        StoredPair stored;
        store::Statement id(database.sqlite(), "SELECT id FROM corpus WHERE name = ?1");
        stored.corpusId = store::singleInteger(id.text(1, pair.corpus)).value_or(0);
        store::Statement kernel(database.sqlite(),
                                "SELECT k.id FROM source c JOIN source r ON r.sha256 = ?2 JOIN kernel k "
                                "ON k.candidate_source_id = c.id AND k.reference_source_id = r.id WHERE c.sha256 = ?1");
        stored.kernelId = store::singleInteger(kernel.text(1, candidate).text(2, reference)).value_or(0);
        store::Statement name(database.sqlite(), "SELECT external_id FROM kernel WHERE id = ?1");
        if (name.integer(1, stored.kernelId).step())
            stored.externalId = name.textAt(0);
        return stored;
    });
}

} // namespace assay::ingest
