// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"

#include <QString>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace assay::tests {

/// A corpus "demo" with one audit and @p kernels kernels "1", "2", ...; every third fails EXC-01 hard. Row ids start at 1.
std::unique_ptr<store::Database> makeSmallAudit(const std::filesystem::path& path, int kernels,
                                                const std::string& origin = "import");

/// A second audit "later" over the first nine kernels, all of which pass.
void addSecondAudit(store::Database& database);

/// One more kernel of the audit "first", as another process would add it.
void addKernel(store::Database& database, int externalId);

/// Kernel @p externalId as a line of a published audit's file; it passes, or fails EXC-01 hard.
std::string auditRowText(int externalId, bool fails);

} // namespace assay::tests
