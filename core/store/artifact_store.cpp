// SPDX-License-Identifier: Apache-2.0
#include "core/store/artifact_store.h"

#include "core/store/guarded.h"
#include "core/store/source_store.h"
#include "core/text/json.h"
#include "core/text/sha256.h"
#include "kernels/tensor/dtype.h"

#include <string>

namespace assay::store {

namespace {

std::string numbersText(const std::vector<std::int64_t>& numbers)
{
    std::string text = "[";
    for (const std::int64_t number : numbers)
        text += (text.size() == 1 ? "" : ",") + std::to_string(number);
    return text + "]";
}

std::vector<std::int64_t> numbersFrom(std::string_view text)
{
    json::Document document;
    std::vector<std::int64_t> numbers;
    if (json::parse(text, document) || !document.IsArray())
        return numbers;
    for (const json::Value& number : document.GetArray()) {
        if (number.IsInt64())
            numbers.push_back(number.GetInt64());
    }
    return numbers;
}

/// Bytes that a tensor of this shape has, or -1.
std::int64_t tensorBytes(const ArtifactRecord& artifact)
{
    const auto dtype = tensor::dtypeFromName(artifact.dtype);
    std::int64_t bytes = dtype ? tensor::sizeOf(*dtype) : -1;
    for (const std::int64_t size : artifact.shape)
        bytes = size < 0 || __builtin_mul_overflow(bytes, size, &bytes) ? -1 : bytes;
    return bytes;
}

} // namespace

ArtifactWriter::ArtifactWriter(SQLite::Database& database)
    : m_insert(database,
               "INSERT INTO artifact (verdict_id, gate, ordinal, role, name, dtype, shape, strides, encoding, sha256, data) "
               "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")
{
}

void ArtifactWriter::insert(std::int64_t verdictId, const ArtifactRecord& artifact)
{
    const bool isTensor = !artifact.dtype.empty();
    const std::string shape = isTensor ? numbersText(artifact.shape) : std::string();
    const std::string strides = artifact.strides.empty() ? std::string() : numbersText(artifact.strides);
    // The length of a text is nowhere else, so it stays as it is.
    const Packed packed = isTensor ? pack(artifact.bytes) : Packed{"raw", artifact.bytes};
    const std::string sha256 = sha256Hex(artifact.bytes);
    m_insert.integer(1, verdictId).textOrNull(2, artifact.gate).integer(3, std::int64_t{artifact.ordinal});
    m_insert.text(4, artifact.role).text(5, artifact.name).textOrNull(6, artifact.dtype).textOrNull(7, shape);
    m_insert.textOrNull(8, strides).text(9, packed.codec).text(10, sha256).blob(11, packed.data).run();
}

namespace {

constexpr std::string_view kColumns
    = "SELECT id, ordinal, role, name, dtype, shape, strides, encoding, sha256, data FROM artifact "
      "WHERE verdict_id = ?1 AND gate = ?2 ";

/// The artifact of the row that @p query, of kColumns, stands at.
ArtifactRecord read(Database& database, Statement& query, std::string_view gate)
{
    ArtifactRecord artifact;
    artifact.gate = gate;
    artifact.ordinal = static_cast<int>(query.integerAt(1));
    artifact.role = query.textAt(2);
    artifact.name = query.textAt(3);
    artifact.dtype = query.textAt(4);
    artifact.shape = numbersFrom(query.textAt(5));
    artifact.strides = numbersFrom(query.textAt(6));
    const std::string_view data = query.blobAt(9);
    const bool isTensor = !artifact.dtype.empty();
    const auto bytes = unpack(query.textAt(7), data, isTensor ? tensorBytes(artifact) : static_cast<std::int64_t>(data.size()));
    if (!bytes || sha256Hex(*bytes) != query.textAt(8))
        throw DatabaseError(DatabaseError::Kind::Corrupt, "a stored tensor does not match its SHA-256",
                            database.path().string() + ", artifact " + std::to_string(query.integerAt(0)),
                            "Judge the kernel again");
    artifact.bytes = *bytes;
    return artifact;
}

} // namespace

std::vector<ArtifactRecord> artifactsOf(Database& database, std::int64_t verdictId, std::string_view gate,
                                        std::optional<int> ordinal)
{
    return guarded(database, [&] {
        Statement query(database.sqlite(), std::string(kColumns) + "AND (?3 IS NULL OR ordinal = ?3) ORDER BY id");
        query.integer(1, verdictId).text(2, gate).integer(3, ordinal);
        std::vector<ArtifactRecord> artifacts;
        while (query.step())
            artifacts.push_back(read(database, query, gate));
        return artifacts;
    });
}

std::vector<ArtifactRecord> outputsOf(Database& database, std::int64_t verdictId, std::string_view gate)
{
    return guarded(database, [&] {
        Statement query(database.sqlite(),
                        std::string(kColumns) + "AND role IN ('reference', 'candidate') AND dtype IS NOT NULL ORDER BY id");
        query.integer(1, verdictId).text(2, gate);
        std::vector<ArtifactRecord> artifacts;
        while (query.step())
            artifacts.push_back(read(database, query, gate));
        return artifacts;
    });
}

std::vector<KeptOutputs> keptOutputs(Database& database, std::int64_t verdictId)
{
    return guarded(database, [&] {
        Statement query(
            database.sqlite(),
            "SELECT gate, group_concat(coalesce(ordinal, '') || role || name || dtype || coalesce(shape, '') || sha256) FROM "
            "(SELECT * FROM artifact WHERE verdict_id = ?1 AND role IN ('reference', 'candidate') AND dtype IS NOT NULL "
            "AND gate IS NOT NULL ORDER BY id) GROUP BY gate HAVING count(DISTINCT role) = 2 ORDER BY min(id)");
        query.integer(1, verdictId);
        std::vector<KeptOutputs> kept;
        while (query.step())
            kept.push_back({std::string(query.textAt(0)), std::string(query.textAt(1))});
        return kept;
    });
}

} // namespace assay::store
