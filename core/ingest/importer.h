// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/corpus_writer.h"

#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace assay::ingest {

/// What the first bytes of a file look like, whatever its name.
enum class ContentShape {
    Empty,      ///< nothing but blanks
    JsonObject, ///< starts with an object that is not followed by a second one on the next line
    JsonArray,
    JsonLines, ///< an object on the first line and another one after it
    Text,
    Binary,
};

/// What an importer may look at before it is chosen: never more than the first bytes.
struct Probe {
    std::filesystem::path path;
    bool isDirectory = false;
    std::string head;         ///< first 256 KiB after decompression, BOM removed; "" for directories
    bool headIsWhole = false; ///< head holds the whole file
    ContentShape shape = ContentShape::Empty;
    std::vector<std::string> keys; ///< members of the first JSON object (the first element of an array), as far as head reaches
    std::vector<std::string> entries; ///< names in a directory (not recursive, at most 4096), sorted
};

struct ImportOptions {
    std::string corpusName; ///< "" : from the file name
    std::string auditName;  ///< "" : from the file name
    std::string corpusOrigin = "import";
    std::map<std::string, std::string> values; ///< format options ("turn" -> "best"), stored with the corpus
};

/// Progress and cancellation of one import.
struct JobControl {
    std::stop_token stop;
    /// bytes read so far, bytes in all (0: not known), rows so far. Called at most ten times a second.
    std::function<void(std::int64_t, std::int64_t, std::int64_t)> progress;
};

/// Reads one format. Importers parse and never execute, never follow a path out of the import root, and hand every row to the
/// writer or reject it with a reason: rows = kept + already present + rejected.
class Importer {
public:
    virtual ~Importer() = default;

    /// Name for `--format` and the database ("audit-rows").
    virtual std::string_view format() const = 0;
    /// One line for `assay import --help` and the import page.
    virtual std::string_view description() const = 0;

    /// 0: cannot be this format; 100: certain. By content, not by extension.
    virtual int sniff(const Probe& probe) const = 0;

    /// Keys of ImportOptions::values that this format knows.
    virtual std::vector<std::string_view> optionKeys() const;

    /// The files of folder @p path to import one after the other, each by the importer its content asks for and each in its own
    /// transaction, all into one corpus. Empty (the usual case): read() takes @p path as a whole.
    virtual std::vector<std::filesystem::path> parts(const std::filesystem::path& path) const;

    /// Reads @p path into @p writer. Leaves the transaction to the caller.
    /// @throws Error for what ends the import (unreadable file), Cancelled
    virtual void read(const std::filesystem::path& path, const ImportOptions& options, store::CorpusWriter& writer,
                      const JobControl& control) const = 0;
};

} // namespace assay::ingest
