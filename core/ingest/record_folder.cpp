// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/byte_source.h"
#include "core/ingest/import_root.h"
#include "core/ingest/kernel_claim.h"
#include "core/ingest/kernelbench_problems.h"
#include "core/ingest/probe.h"
#include "core/ingest/progress.h"
#include "core/ingest/record_order.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace fs = std::filesystem;

namespace assay::ingest {

namespace {

/// One operator's folder: kernels in code/, records in evaluation/.
struct ItemFolder {
    std::vector<fs::path> kernels; ///< in order of their time stamps, which are their names
    std::vector<fs::path> records;
};

struct EvaluationRecord {
    fs::path file;
    std::string text;
    json::Document document;
    OrderedRecord order;
    bool accepted = false;
    bool named = false; ///< the record itself names its kernel
};

bool isKernelFile(const fs::path& file)
{
    return file.parent_path().filename() == "code" && file.extension() == ".py";
}

bool isRecordFile(const fs::path& file)
{
    return file.parent_path().filename() == "evaluation" && file.extension() == ".json"
        && file.filename().string().starts_with("eval_");
}

/// "eval_0097" -> 97
long numberOf(const fs::path& file)
{
    const std::string stem = file.stem().string();
    const std::size_t digit = stem.find_first_of("0123456789");
    long number = 0;
    if (digit != std::string::npos)
        std::from_chars(stem.data() + digit, stem.data() + stem.size(), number);
    return number;
}

/// The last file under a code/ folder that a traceback mentions: the innermost frame of the candidate.
std::string kernelInTraceback(std::string_view message)
{
    const std::size_t at = message.rfind("/code/");
    if (at == std::string_view::npos)
        return "";
    const std::size_t end = message.find_first_of("\"'\n, ", at);
    return std::string(message.substr(at + 6, end == std::string_view::npos ? std::string_view::npos : end - at - 6));
}

/// The folder before /code/ in a path of the machine that wrote the record: the problem.
std::string problemInPath(std::string_view path)
{
    const std::size_t code = path.rfind("/code/");
    if (code == std::string_view::npos || code == 0)
        return "";
    const std::size_t begin = path.rfind('/', code - 1);
    return std::string(path.substr(begin == std::string_view::npos ? 0 : begin + 1, code - begin - 1));
}

/// Fills the claim of @p kernel from a record; the record stays verbatim, with its tolerance, errors and traceback.
void applyRecord(const json::Value& record, std::string_view text, store::KernelRecord& kernel)
{
    kernel.claim = text;
    setClaim(kernel, json::boolAt(record, "runnable"));
    const std::string errorType = json::stringAt(record, "error_type").value_or("");
    if (kernel.claimedCorrect == false && isLoadFailure(errorType))
        kernel.claimStatus = "load_failed";
    if (kernel.claimedCorrect == false && isGenerationFailure(json::stringAt(record, "message").value_or("")))
        kernel.claimStatus = "generation_failed";
    if (kernel.claimedCorrect != true)
        return;
    kernel.claimedSpeedup = timedOnly(looseNumberAt(record, "score"));
    const json::Value* reference = json::find(record, "ref_latency_ms");
    const json::Value* candidate = json::find(record, "test_latency_ms");
    if (kernel.claimedSpeedup || reference == nullptr || candidate == nullptr)
        return;
    const auto referenceTime = timedOnly(looseNumberAt(*reference, "avg"));
    const auto candidateTime = timedOnly(looseNumberAt(*candidate, "avg"));
    if (referenceTime && candidateTime)
        kernel.claimedSpeedup = *referenceTime / *candidateTime;
}

class FolderReader {
public:
    FolderReader(const ImportRoot& root, const ImportOptions& options, store::CorpusWriter& writer, const JobControl& control)
        : m_root(root)
        , m_writer(writer)
        , m_progress(control, 0)
    {
        const auto problems = options.values.find("problems");
        m_problems = problems == options.values.end() ? ProblemSet() : ProblemSet::under(ImportRoot(problems->second), "");
    }

    void readFolder()
    {
        std::vector<std::string> troubles;
        std::map<fs::path, ItemFolder> folders;
        std::vector<fs::path> manifests;
        for (const fs::path& file : m_root.files("", troubles)) {
            if (isKernelFile(file))
                folders[file.parent_path().parent_path()].kernels.push_back(file);
            else if (isRecordFile(file))
                folders[file.parent_path().parent_path()].records.push_back(file);
            else if (file.filename() == "manifest.json")
                manifests.push_back(file);
        }
        for (const std::string& trouble : troubles)
            m_writer.reject({0, -1, "", trouble});
        if (m_problems.empty())
            m_problems = ProblemSet::under(m_root, "");
        for (const auto& [folder, item] : folders)
            readItem(folder, item);
        for (const fs::path& manifest : manifests)
            readManifest(manifest);
    }

    void readRecordFile(const fs::path& file)
    {
        EvaluationRecord record;
        if (!parse(file, record))
            return;
        const std::string named
            = json::stringAt(record.document, "candidate_file").value_or(kernelInTraceback(messageOf(record)));
        addRecord(m_root.path().filename().string() + '/' + file.stem().string(), record, {}, named, {});
    }

    void readManifest(const fs::path& file)
    {
        const RootedText text = m_root.readText(file, kMaxDocumentBytes);
        json::Document manifest;
        if (!text.bytes || json::parseStrictly(*text.bytes, manifest) || !manifest.IsObject()) {
            m_writer.reject({0, -1, file.generic_string(), text.bytes ? "not a JSON object" : text.problem});
            return;
        }
        const json::Value* files = json::find(manifest, "files");
        std::optional<std::string> candidate;
        for (const char* key : {"kernel", "composed_kernel", "candidate", "solution"}) {
            if (files != nullptr && !candidate)
                candidate = json::stringAt(*files, key);
        }
        if (!candidate) {
            m_writer.reject({0, 0, file.generic_string(), "the manifest names no kernel file"});
            return;
        }
        addManifest(file, *text.bytes, manifest, *candidate, json::stringAt(*files, "original"));
    }

private:
    static std::string messageOf(const EvaluationRecord& record)
    {
        return json::stringAt(record.document, "message").value_or("");
    }

    /// The name of an item, the same wherever in the tree the import starts: "level1/19_ReLU".
    std::string nameOf(const fs::path& folder) const
    {
        fs::path name;
        for (const fs::path& part : folder) {
            if (part != "results" || !name.empty())
                name /= part;
        }
        fs::path up = m_root.path();
        if (name.empty()) {
            name = up.filename();
            up = up.parent_path();
        }
        const bool hasLevel = name.generic_string().find("level") != std::string::npos;
        if (!hasLevel && up.filename().string().starts_with("level"))
            name = up.filename() / name;
        return name.generic_string();
    }

    bool parse(const fs::path& file, EvaluationRecord& record)
    {
        RootedText text = m_root.readText(file, kMaxDocumentBytes);
        record.file = file;
        if (!text.bytes) {
            m_writer.reject({0, -1, file.generic_string(), text.problem});
            return false;
        }
        record.text = std::move(*text.bytes);
        while (!record.text.empty() && (record.text.back() == '\n' || record.text.back() == '\r'))
            record.text.pop_back();
        if (const auto failure = json::parseStrictly(record.text, record.document)) {
            m_writer.reject({0, static_cast<std::int64_t>(failure->byte), file.generic_string(), "not JSON: " + failure->reason});
            return false;
        }
        const auto runnable = json::boolAt(record.document, "runnable");
        if (!runnable) {
            m_writer.reject({0, 0, file.generic_string(), "the record does not say whether the kernel was runnable"});
            return false;
        }
        record.accepted = *runnable;
        record.order.number = numberOf(file);
        record.order.timestamp = json::stringAt(record.document, "timestamp").value_or("");
        return true;
    }

    void readItem(const fs::path& folder, const ItemFolder& item)
    {
        std::vector<EvaluationRecord> records;
        for (const fs::path& file : item.records) {
            EvaluationRecord record;
            if (parse(file, record))
                records.push_back(std::move(record));
        }
        const auto indexOf = [&item](const std::string& name) -> std::optional<std::size_t> {
            const auto found
                = std::find_if(item.kernels.begin(), item.kernels.end(), [&](const fs::path& k) { return k.filename() == name; });
            return found == item.kernels.end() ? std::nullopt : std::optional<std::size_t>(found - item.kernels.begin());
        };
        std::vector<OrderedRecord> orders;
        for (EvaluationRecord& record : records) {
            const auto named = json::stringAt(record.document, "candidate_file");
            record.named = named.has_value();
            const std::string kernel = named ? *named : kernelInTraceback(messageOf(record));
            record.order.kernel = indexOf(kernel.substr(kernel.find_last_of("/\\") + 1));
            orders.push_back(record.order);
        }
        const auto matched = matchByOrder(orders, item.kernels.size());
        std::set<std::size_t> judged;
        for (std::size_t i = 0; i < records.size(); ++i) {
            const std::string named = json::stringAt(records[i].document, "candidate_file").value_or("");
            if (matched[i])
                judged.insert(*matched[i]);
            addRecord(nameOf(folder) + '/' + records[i].file.stem().string(), records[i],
                      matched[i] ? item.kernels[*matched[i]] : fs::path(), named, folder);
        }
        for (std::size_t k = 0; k < item.kernels.size(); ++k) {
            if (!judged.contains(k))
                addKernel(nameOf(folder) + '/' + item.kernels[k].stem().string(), item.kernels[k], folder);
        }
    }

    const Problem* problemOf(const EvaluationRecord& record, const fs::path& folder) const
    {
        if (const auto reference = json::stringAt(record.document, "reference_file")) {
            if (const Problem* problem = m_problems.findByPath(*reference))
                return problem;
        }
        return folder.empty() ? nullptr : m_problems.findByPath(nameOf(folder));
    }

    static std::string titleOf(const EvaluationRecord& record, const fs::path& folder)
    {
        if (!folder.empty())
            return folder.filename().string();
        if (const auto reference = json::stringAt(record.document, "reference_file"))
            return fs::path(*reference).stem().string();
        return problemInPath(messageOf(record));
    }

    /// @return false when the kernel cannot be read: it was rejected
    bool attach(const fs::path& file, store::KernelRecord& kernel)
    {
        RootedText source = m_root.readText(file);
        if (!source.bytes) {
            m_writer.reject({0, -1, file.generic_string(), source.problem});
            return false;
        }
        kernel.path = file.generic_string();
        if (!source.bytes->empty())
            kernel.candidateSource = std::move(source.bytes);
        return true;
    }

    void addRecord(const std::string& id, const EvaluationRecord& record, const fs::path& kernelFile, const std::string& named,
                   const fs::path& folder)
    {
        m_progress.step(0, ++m_rows);
        store::ImportedItem item;
        store::KernelRecord& kernel = item.kernel;
        kernel.externalId = id;
        kernel.path = named;
        kernel.entryPoint = "ModelNew";
        if (!kernelFile.empty() && attach(kernelFile, kernel))
            kernel.inferred = !record.named;
        kernel.title = titleOf(record, folder);
        if (const Problem* problem = problemOf(record, folder))
            kernel.referenceSource = problem->source;
        applyRecord(record.document, record.text, kernel);
        describe(kernel);
        item.rowBytes = record.text + '\n' + kernel.candidateSource.value_or("") + '\n' + kernel.referenceSource.value_or("");
        m_writer.add(item);
    }

    void addKernel(const std::string& id, const fs::path& file, const fs::path& folder)
    {
        m_progress.step(0, ++m_rows);
        store::ImportedItem item;
        item.kernel.externalId = id;
        item.kernel.title = folder.filename().string();
        item.kernel.entryPoint = "ModelNew";
        if (!attach(file, item.kernel))
            return;
        if (const Problem* problem = m_problems.findByPath(nameOf(folder)))
            item.kernel.referenceSource = problem->source;
        describe(item.kernel);
        item.rowBytes = item.kernel.candidateSource.value_or("") + '\n' + item.kernel.referenceSource.value_or("");
        m_writer.add(item);
    }

    void addManifest(const fs::path& file, const std::string& text, const json::Document& manifest, const std::string& candidate,
                     const std::optional<std::string>& original)
    {
        m_progress.step(0, ++m_rows);
        const fs::path folder = file.parent_path();
        store::ImportedItem item;
        store::KernelRecord& kernel = item.kernel;
        kernel.externalId = nameOf(folder);
        kernel.title = json::stringAt(manifest, "name").value_or(folder.filename().string());
        kernel.entryPoint = "kernel_function";
        const RootedFile source = locateBeside(folder, candidate);
        if (!source.found()) {
            m_writer.reject({0, -1, file.generic_string(), source.problem});
            return;
        }
        if (!attach(source.path.lexically_relative(m_root.path()), kernel))
            return;
        if (original) {
            if (const RootedFile reference = locateBeside(folder, *original); reference.found())
                kernel.referenceSource = m_root.readText(reference).bytes;
        }
        kernel.claim = text;
        if (const json::Value* verify = json::find(manifest, "verify"))
            setClaim(kernel, json::boolAt(*verify, "passed"));
        describe(kernel);
        item.rowBytes = text + '\n' + kernel.candidateSource.value_or("") + '\n' + kernel.referenceSource.value_or("");
        m_writer.add(item);
    }

    /// A file that a manifest names: relative to the manifest, inside the root. Absolute paths are refused, not searched for.
    RootedFile locateBeside(const fs::path& folder, const std::string& name) const
    {
        const fs::path path(name);
        return m_root.locate(path.is_absolute() ? path : folder / path);
    }

    const ImportRoot& m_root;
    store::CorpusWriter& m_writer;
    ProgressMeter m_progress;
    ProblemSet m_problems;
    std::int64_t m_rows = 0;
};

bool holdsRecords(const fs::path& folder)
{
    std::error_code error;
    std::error_code ignored;
    std::size_t seen = 0;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end && seen < kProbeEntries;
         it.increment(error), ++seen) {
        if (it.depth() >= 4)
            it.disable_recursion_pending();
        const fs::path name = it->path().filename();
        if (name == "manifest.json" || (name == "evaluation" && fs::is_directory(it->path().parent_path() / "code", ignored)))
            return true;
    }
    return false;
}

bool contains(const std::vector<std::string>& entries, std::string_view name)
{
    return std::find(entries.begin(), entries.end(), name) != entries.end();
}

class RecordFolderImporter : public Importer {
public:
    std::string_view format() const override { return "record-folder"; }
    std::string_view description() const override
    {
        return "folders with one evaluation record a kernel (code/ and evaluation/, or manifest.json), or one such record; "
               "option problems=DIR";
    }

    std::vector<std::string_view> optionKeys() const override { return {"problems"}; }

    int sniff(const Probe& probe) const override
    {
        if (probe.isDirectory)
            return contains(probe.entries, "code") && contains(probe.entries, "evaluation") ? 90
                : holdsRecords(probe.path)                                                  ? 55
                                                                                            : 0;
        if (probe.shape != ContentShape::JsonObject)
            return 0;
        if (hasKeys(probe, "runnable", "candidate_file") || hasKeys(probe, "runnable", "error_type"))
            return 85;
        return hasKeys(probe, "files", "route") ? 80 : 0;
    }

    void read(const fs::path& path, const ImportOptions& options, store::CorpusWriter& writer,
              const JobControl& control) const override
    {
        if (fs::is_directory(path)) {
            const ImportRoot root(path);
            return FolderReader(root, options, writer, control).readFolder();
        }
        const fs::path full = fs::absolute(path).lexically_normal();
        const ImportRoot root(full.parent_path());
        FolderReader reader(root, options, writer, control);
        if (hasKeys(probePath(path), "files"))
            reader.readManifest(full.filename());
        else
            reader.readRecordFile(full.filename());
    }
};

} // namespace

std::unique_ptr<Importer> makeRecordFolderImporter()
{
    return std::make_unique<RecordFolderImporter>();
}

} // namespace assay::ingest
