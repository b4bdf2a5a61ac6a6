// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/kernel_lookup.h"
#include "core/store/records.h"
#include "core/store/statement.h"

namespace assay::store {

/// Writes kernel and origin rows and keeps kernel_fts in step. Lives inside the transaction of whoever uses it.
class KernelWriter {
public:
    KernelWriter(SQLite::Database& database, std::int64_t corpusId, std::int64_t importFileId);

    /// @return row id. @param sources  ids of the sources it has; its kernelId is not looked at
    std::int64_t insert(const KernelRecord& kernel, const KernelSources& sources);

    /// Sets the sources of a kernel and fills in what it does not know yet; what it knows stays.
    void complete(const KernelRecord& kernel, const KernelSources& sources);

    void addOrigin(std::int64_t kernelId, const KernelRecord& kernel, std::int64_t rowHash);

private:
    void updateTitle(std::int64_t kernelId, const KernelRecord& kernel);

    SQLite::Database& m_database;
    std::int64_t m_corpusId;
    std::int64_t m_importFileId;
    Statement m_insert;
    Statement m_complete;
    Statement m_index;
    Statement m_title;
    Statement m_origin;
};

} // namespace assay::store
