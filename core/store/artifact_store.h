// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"
#include "core/store/records.h"
#include "core/store/statement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::store {

/// Writes the artifacts of verdicts, compressed where that is shorter. Lives inside the transaction of whoever uses it.
class ArtifactWriter {
public:
    explicit ArtifactWriter(SQLite::Database& database);
    void insert(std::int64_t verdictId, const ArtifactRecord& artifact);

private:
    Statement m_insert;
};

/// Artifacts of one gate of a verdict in the order they were written; of its check @p ordinal alone where that is given.
/// @throws DatabaseError(Corrupt) where bytes are not those that were stored
std::vector<ArtifactRecord> artifactsOf(Database& database, std::int64_t verdictId, std::string_view gate,
                                        std::optional<int> ordinal = {});

/// Of these, the outputs alone: the tensors of the roles 'reference' and 'candidate'. @throws as artifactsOf()
std::vector<ArtifactRecord> outputsOf(Database& database, std::int64_t verdictId, std::string_view gate);

/// That a gate kept the outputs of both sides.
struct KeptOutputs {
    std::string gate;
    std::string contents; ///< alike where the outputs are: a verdict that takes another's place takes its id, too
    bool operator==(const KeptOutputs&) const = default;
};

/// Those of a verdict, in the order the gates were judged.
std::vector<KeptOutputs> keptOutputs(Database& database, std::int64_t verdictId);

} // namespace assay::store
