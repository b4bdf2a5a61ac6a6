// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/import.h"
#include "core/ingest/importer_list.h"
#include "core/text/error.h"

#include <algorithm>
#include <set>

namespace assay::ingest {

namespace {

/// A folder without a layout of its own: every file in it is imported by what it holds.
class FolderImporter : public Importer {
public:
    std::string_view format() const override { return "folder"; }
    std::string_view description() const override { return "a folder of files that are each imported by their content"; }

    // Any folder can be read this way, so every importer that knows a layout goes first.
    int sniff(const Probe& probe) const override { return probe.isDirectory ? 1 : 0; }

    std::vector<std::string_view> optionKeys() const override
    {
        std::set<std::string_view> keys;
        for (const auto& importer : importers()) {
            if (importer.get() == this)
                continue;
            for (const std::string_view key : importer->optionKeys())
                keys.insert(key);
        }
        return {keys.begin(), keys.end()};
    }

    std::vector<std::filesystem::path> parts(const std::filesystem::path& path) const override
    {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(path))
            files.push_back(entry.path());
        std::sort(files.begin(), files.end());
        if (files.empty())
            throw Error("the folder is empty", path.string(), "There is nothing to import.");
        return files;
    }

    void read(const std::filesystem::path& path, const ImportOptions&, store::CorpusWriter&, const JobControl&) const override
    {
        throw Error("this is a file, not a folder", path.string(), "Name another format, or none.");
    }
};

} // namespace

std::unique_ptr<Importer> makeFolderImporter()
{
    return std::make_unique<FolderImporter>();
}

} // namespace assay::ingest
