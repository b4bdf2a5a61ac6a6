// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/importer.h"

#include <memory>

/// One maker for each format; import.cpp lists them. Defined in the file named after the importer.
namespace assay::ingest {

// Audits
std::unique_ptr<Importer> makeAuditRowsImporter();
std::unique_ptr<Importer> makePublishedDocumentsImporter();

// Any JSON Lines, and folders whose files are imported one by one
std::unique_ptr<Importer> makeJsonLinesImporter();
std::unique_ptr<Importer> makeFolderImporter();

// Corpora of kernels

} // namespace assay::ingest
