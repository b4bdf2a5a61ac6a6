// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/statement.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::store {

/// A kernel and the sources it has; 0: none.
struct KernelSources {
    std::int64_t kernelId = 0;
    std::int64_t candidate = 0;
    std::int64_t reference = 0;
};

/// Answers "is it there already" for one corpus.
///
/// Into a database without kernels everything that can be there came through this object, so it answers from memory and the
/// secondary indexes are dropped until finish(). The memory is bounded: past kRemembered kernels the look-up indexes are
/// built and answers come from SQL, as they do in a database that had kernels before.
class KernelLookup {
public:
    static constexpr std::size_t kRemembered = 1'000'000; ///< rows, roughly 130 bytes each

    KernelLookup(SQLite::Database& database, std::int64_t corpusId, std::size_t remembered = kRemembered);
    ~KernelLookup();

    bool hasRow(std::int64_t rowHash, std::string_view externalId);
    std::vector<KernelSources> byExternalId(std::string_view externalId);
    std::optional<std::int64_t> byIdentity(std::int64_t candidate, std::int64_t reference);

    void addRow(std::int64_t rowHash, std::string_view externalId, const KernelSources& kernel);
    /// Tells that @p kernel has got sources.
    void updateSources(const KernelSources& kernel);

    /// Builds the indexes that are still missing and answers from SQL from now on. Call it before rows are deleted (foreign keys
    /// need the indexes) and before the transaction ends.
    void finish();

private:
    struct Memory;
    void leaveMemory();

    SQLite::Database& m_database;
    std::int64_t m_corpusId;
    std::size_t m_remembered;
    std::unique_ptr<Memory> m_memory; ///< only while the database holds nothing that it does not know
    std::optional<Statement> m_row;
    std::optional<Statement> m_external;
    std::optional<Statement> m_identity;
};

} // namespace assay::store
