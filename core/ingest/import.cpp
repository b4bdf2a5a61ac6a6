// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/import.h"

#include "core/ingest/byte_source.h"
#include "core/ingest/importer_list.h"
#include "core/ingest/probe.h"
#include "core/text/error.h"
#include "core/text/object_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

namespace assay::ingest {

namespace {

std::vector<std::unique_ptr<Importer>> makeImporters()
{
    std::vector<std::unique_ptr<Importer>> list;
    // Audits
    list.push_back(makeAuditRowsImporter());
    list.push_back(makePublishedDocumentsImporter());
    list.push_back(makeVerdictLinesImporter());
    // Corpora of kernels
    list.push_back(makeKernelBenchRunImporter());
    list.push_back(makeKernelGymImporter());
    list.push_back(makeCudaL1Importer());
    list.push_back(makeRecordFolderImporter());
    list.push_back(makeFlashInferTraceImporter());
    list.push_back(makeJsonArrayImporter());
    list.push_back(makeCsvImporter());
    list.push_back(makeParquetImporter());
    // Whatever is left
    list.push_back(makeJsonLinesImporter());
    list.push_back(makeFolderImporter());
    return list;
}

std::string knownFormats()
{
    std::string names;
    for (const auto& importer : importers())
        names += (names.empty() ? "" : ", ") + std::string(importer->format());
    return names;
}

bool knowsOption(const Importer& importer, const std::string& key)
{
    const std::vector<std::string_view> keys = importer.optionKeys();
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// What of a folder's options concerns one of its files.
ImportOptions onlyKnown(const Importer& importer, ImportOptions options)
{
    std::erase_if(options.values, [&importer](const auto& option) { return !knowsOption(importer, option.first); });
    return options;
}

const Importer& importerNamed(const std::string& format, const std::filesystem::path& path)
{
    for (const auto& importer : importers()) {
        if (importer->format() == format)
            return *importer;
    }
    throw UnknownChoice(fmt::format("there is no format \"{}\"", format), path.string(),
                        fmt::format("Formats: {}.", knownFormats()));
}

/// What a person recognises of a file that no importer reads.
std::string whatWasSeen(const Probe& probe)
{
    if (probe.isDirectory)
        return fmt::format("a folder of {} entries", probe.entries.size());
    if (probe.shape == ContentShape::Binary)
        return "binary data";
    std::string keys;
    for (std::size_t i = 0; i < probe.keys.size() && i < 6; ++i)
        keys += (i == 0 ? "" : ", ") + probe.keys[i];
    if (!keys.empty())
        return fmt::format("JSON with the members {}", keys);
    const bool isJson = probe.shape == ContentShape::JsonArray || probe.shape == ContentShape::JsonObject;
    return isJson ? "JSON without members that tell" : "text";
}

/// Files that are told apart from unknown ones because the remedy differs.
void refuseWhatHoldsNothing(const Probe& probe)
{
    if (probe.isDirectory)
        return;
    const std::string where = probe.path.string();
    if (probe.shape == ContentShape::Empty)
        throw Error("the file is empty", where, "There is nothing to import.");
    if (probe.head.starts_with("version https://git-lfs.github.com/spec/"))
        throw Error("this is a git-LFS pointer, not the file it stands for", where,
                    "Run `git lfs pull` in that checkout and import again.");
    const std::size_t first = probe.head.find_first_not_of(" \t\r\n");
    const std::size_t second = probe.head.find_first_not_of(" \t\r\n", first + 1);
    if (probe.shape == ContentShape::JsonArray && second != std::string::npos && probe.head[second] == ']' && probe.headIsWhole)
        throw Error("the file holds an empty array", where, "There is nothing to import.");
}

const Importer& choose(const Probe& probe)
{
    refuseWhatHoldsNothing(probe);
    const Importer* best = nullptr;
    int bestScore = 0;
    for (const auto& importer : importers()) {
        const int score = importer->sniff(probe);
        if (score > bestScore) {
            best = importer.get();
            bestScore = score;
        }
    }
    if (best == nullptr)
        throw Error(fmt::format("not a format Assay reads ({})", whatWasSeen(probe)), probe.path.string(),
                    fmt::format("Formats: {}; json-lines reads any rows when told which members are which.", knownFormats()));
    return *best;
}

/// "audit_rows.jsonl.gz" -> "audit_rows"
std::string stem(const std::filesystem::path& path)
{
    std::filesystem::path name = path.filename();
    if (name.empty())
        name = path.parent_path().filename();
    for (const char* ending : {".gz", ".zst", ".jsonl", ".ndjson", ".json", ".csv", ".txt", ".parquet"}) {
        if (name.extension() == ending)
            name = name.stem();
    }
    return name.empty() ? "corpus" : name.string();
}

std::string optionsJson(const ImportOptions& options)
{
    if (options.values.empty())
        return "";
    json::ObjectText object;
    for (const auto& [key, value] : options.values)
        object.text(key, value);
    return object.finish();
}

/// CRLF line ends are stored with the file's options, so that an export can give its bytes back.
ImportOptions withLineEnding(ImportOptions options, const std::filesystem::path& path)
{
    const Probe probe = probePath(path);
    const std::size_t end = probe.head.find('\n');
    if (probe.shape == ContentShape::JsonLines && end != std::string::npos && end > 0 && probe.head[end - 1] == '\r')
        options.values["line_ending"] = "crlf";
    return options;
}

struct FileState {
    std::filesystem::file_time_type changed;
    std::uintmax_t size = 0;
    bool operator==(const FileState&) const = default;
};

FileState stateOf(const std::filesystem::path& path)
{
    std::error_code ignored;
    FileState state;
    state.changed = std::filesystem::last_write_time(path, ignored);
    if (!std::filesystem::is_directory(path, ignored))
        state.size = std::filesystem::file_size(path, ignored);
    return state;
}

store::WriterTotals importUnit(store::Database& database, const std::filesystem::path& path, const Importer& importer,
                               const ImportOptions& options, const JobControl& control)
{
    const FileState before = stateOf(path);
    const store::CorpusInfo corpus{options.corpusName, options.corpusOrigin, "", std::string(importer.format()),
                                   optionsJson(withLineEnding(options, path))};
    const store::InterruptOnStop interrupt(database, control.stop);
    store::CorpusWriter writer(database, corpus, {path.string(), sha256OfPath(path)});
    importer.read(path, options, writer, control);
    if (control.stop.stop_requested())
        throw Cancelled();
    if (!(stateOf(path) == before))
        throw Error("the file changed while it was read", path.string(),
                    "Nothing was imported; import again when it is complete.");
    return writer.commit();
}

void add(store::WriterTotals& sum, const store::WriterTotals& part)
{
    sum.rows += part.rows;
    sum.kept += part.kept;
    sum.alreadyPresent += part.alreadyPresent;
    sum.rejected += part.rejected;
    sum.kernels += part.kernels;
    sum.results += part.results;
    for (const store::Rejection& rejection : part.rejections) {
        if (sum.rejections.size() < store::WriterTotals::kMaxListed)
            sum.rejections.push_back(rejection);
    }
}

/// Harnesses that write a file a kernel mean one audit by their folder.
bool holdsOneRow(const Probe& probe)
{
    return probe.shape == ContentShape::JsonObject && probe.headIsWhole;
}

/// One file of a folder. A file that is no data is a rejected row of the import, not its end.
store::WriterTotals importPart(store::Database& database, const std::filesystem::path& file, const std::string& folderName,
                               const ImportOptions& options, const JobControl& control)
{
    std::string reason;
    try {
        const Probe probe = probePath(file);
        if (!probe.isDirectory) {
            const Importer& importer = choose(probe);
            ImportOptions known = onlyKnown(importer, options);
            if (known.auditName.empty())
                known.auditName = holdsOneRow(probe) ? folderName : stem(file);
            return importUnit(database, file, importer, known, control);
        }
        reason = "a folder inside the folder: import it on its own";
    } catch (const store::DatabaseError&) {
        throw;
    } catch (const Error& error) {
        reason = error.problem();
    }
    const store::CorpusInfo corpus{options.corpusName, options.corpusOrigin, "", "folder", optionsJson(options)};
    std::error_code failure;
    const bool isFile = std::filesystem::is_regular_file(file, failure) && !failure;
    store::CorpusWriter writer(database, corpus, {file.string(), isFile ? sha256OfPath(file) : std::string()});
    writer.reject({0, -1, file.filename().string(), reason});
    return writer.commit();
}

} // namespace

std::vector<std::string_view> Importer::optionKeys() const
{
    return {};
}

std::vector<std::filesystem::path> Importer::parts(const std::filesystem::path&) const
{
    return {};
}

std::span<const std::unique_ptr<Importer>> importers()
{
    static const std::vector<std::unique_ptr<Importer>> kImporters = makeImporters();
    return kImporters;
}

const Importer& chooseImporter(const std::filesystem::path& path, const std::string& format)
{
    if (format.empty())
        return choose(probePath(path));
    const Importer& named = importerNamed(format, path);
    refuseWhatHoldsNothing(probePath(path));
    return named;
}

void requireKnownOptions(const Importer& importer, const ImportOptions& options)
{
    for (const auto& [key, value] : options.values) {
        if (knowsOption(importer, key))
            continue;
        const std::vector<std::string_view> keys = importer.optionKeys();
        throw UnknownChoice(fmt::format("{} has no option \"{}\"", importer.format(), key), "--option " + key + "=" + value,
                            keys.empty() ? "This format has no options" : fmt::format("Options: {}", fmt::join(keys, ", ")));
    }
}

ImportSummary importPath(store::Database& database, const std::filesystem::path& path, const std::string& format,
                         const ImportOptions& options, const JobControl& control)
{
    const auto start = std::chrono::steady_clock::now();
    const Importer& importer = chooseImporter(path, format);
    requireKnownOptions(importer, options);
    ImportOptions named = options;
    const std::string ownName = stem(std::filesystem::absolute(path).lexically_normal());
    if (named.corpusName.empty())
        named.corpusName = ownName;
    ImportSummary summary;
    summary.corpus = named.corpusName;
    summary.format = importer.format();
    const std::vector<std::filesystem::path> parts
        = std::filesystem::is_directory(path) ? importer.parts(path) : std::vector<std::filesystem::path>();
    if (parts.empty()) {
        if (named.auditName.empty())
            named.auditName = stem(path);
        summary.totals = importUnit(database, path, importer, named, control);
    }
    const auto seconds = [start] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    for (std::size_t i = 0; i < parts.size(); ++i) {
        try {
            add(summary.totals, importPart(database, parts[i], ownName, named, control));
        } catch (const std::runtime_error& failure) {
            if (i == 0)
                throw;
            summary.seconds = seconds();
            const bool stopped = dynamic_cast<const Cancelled*>(&failure) != nullptr;
            throw PartlyImported(fmt::format("{} after {} of {} files", stopped ? "stopped" : failure.what(), i, parts.size()),
                                 path.string(), std::move(summary));
        }
    }
    summary.seconds = seconds();
    return summary;
}

std::string toJson(const ImportSummary& summary)
{
    const auto known = [](std::int64_t value, bool isKnown) { return isKnown ? std::optional(value) : std::nullopt; };
    json::ObjectText object("assay.import/1");
    object.text("corpus", summary.corpus);
    object.text("format", summary.format);
    object.integer("rows", summary.totals.rows);
    object.integer("kept", summary.totals.kept);
    object.integer("already_present", summary.totals.alreadyPresent);
    object.integer("kernels", summary.totals.kernels);
    object.integer("results", summary.totals.results);
    object.integer("rejected", summary.totals.rejected);
    object.objects("rejections", summary.totals.rejections, [&](const store::Rejection& rejection) {
        object.optional("line", known(rejection.line, rejection.line > 0));
        object.optional("byte", known(rejection.byte, rejection.byte >= 0));
        object.text("item", rejection.item);
        object.text("reason", rejection.reason);
    });
    object.number("seconds", summary.seconds);
    return object.finish();
}

} // namespace assay::ingest
