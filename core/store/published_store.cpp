// SPDX-License-Identifier: Apache-2.0
#include "core/store/published_store.h"

#include "core/store/source_store.h"
#include "core/store/statement.h"
#include "core/text/sha256.h"

namespace assay::store {

namespace {

std::string freeName(SQLite::Database& database, std::int64_t corpusId, const std::string& sourceFile)
{
    Statement taken(database, "SELECT 1 FROM published_document WHERE corpus_id = ?1 AND source_file = ?2");
    std::string name = sourceFile;
    for (int n = 2; singleInteger(taken.integer(1, corpusId).text(2, name)); ++n)
        name = sourceFile + " (" + std::to_string(n) + ")";
    return name;
}

} // namespace

bool storePublished(SQLite::Database& database, std::int64_t corpusId, std::int64_t importFileId, std::string_view kind,
                    const std::string& sourceFile, std::string_view document, const std::vector<PublishedFigure>& figures)
{
    const std::string sha256 = sha256Hex(document);
    Statement known(database, "SELECT 1 FROM published_document WHERE corpus_id = ?1 AND sha256 = ?2");
    if (singleInteger(known.integer(1, corpusId).text(2, sha256)))
        return false;
    const std::string name = freeName(database, corpusId, sourceFile);
    const Packed packed = pack(document);
    Statement insert(database,
                     "INSERT INTO published_document (corpus_id, import_file_id, kind, source_file, sha256, bytes, codec, data) "
                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    insert.integer(1, corpusId).idOrNull(2, importFileId).text(3, kind).text(4, name).text(5, sha256);
    insert.integer(6, static_cast<std::int64_t>(document.size())).text(7, packed.codec).blob(8, packed.data).run();
    Statement figure(database,
                     "INSERT OR REPLACE INTO published_figure (corpus_id, import_file_id, kind, source_file, pointer, value, "
                     "value_class, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    for (const PublishedFigure& one : figures) {
        figure.integer(1, corpusId).idOrNull(2, importFileId).text(3, one.kind.empty() ? kind : std::string_view(one.kind));
        figure.text(4, name).text(5, one.pointer).measured(6, one.value).textOrNull(8, one.text).run();
    }
    return true;
}

} // namespace assay::store
