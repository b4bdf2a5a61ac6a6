// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/importer.h"

#include <memory>

/// One maker for each format; import.cpp lists them. Defined in the file named after the importer.
namespace assay::ingest {

// Audits
std::unique_ptr<Importer> makeAuditRowsImporter();
std::unique_ptr<Importer> makePublishedDocumentsImporter();
std::unique_ptr<Importer> makeVerdictLinesImporter();

// Any JSON Lines, and folders whose files are imported one by one
std::unique_ptr<Importer> makeJsonLinesImporter();
std::unique_ptr<Importer> makeFolderImporter();

// Corpora of kernels
std::unique_ptr<Importer> makeKernelBenchRunImporter();
std::unique_ptr<Importer> makeKernelGymImporter();
std::unique_ptr<Importer> makeCudaL1Importer();
std::unique_ptr<Importer> makeRecordFolderImporter();
std::unique_ptr<Importer> makeFlashInferTraceImporter();
std::unique_ptr<Importer> makeJsonArrayImporter();
std::unique_ptr<Importer> makeCsvImporter();
std::unique_ptr<Importer> makeParquetImporter();

} // namespace assay::ingest
