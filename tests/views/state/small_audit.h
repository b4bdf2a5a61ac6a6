// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"

#include <QString>

#include <cstdint>
#include <filesystem>

namespace assay::tests {

/// A corpus "demo" with one audit and @p kernels kernels "1", "2", ...; every third fails EXC-01 hard. Row ids start at 1.
std::unique_ptr<store::Database> makeSmallAudit(const std::filesystem::path& path, int kernels,
                                                const std::string& origin = "import");

/// A second audit "later" of the same corpus, over the same kernels.
void addSecondAudit(store::Database& database);

/// One more kernel, as another process would add it. @return its row id
std::int64_t addKernel(store::Database& database, std::int64_t scopeId, const std::string& externalId);

} // namespace assay::tests
