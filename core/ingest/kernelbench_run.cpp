// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/import_root.h"
#include "core/ingest/kernel_claim.h"
#include "core/ingest/kernelbench_problems.h"
#include "core/ingest/kernelbench_record.h"
#include "core/ingest/probe.h"
#include "core/ingest/progress.h"
#include "core/ingest/row_loop.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <regex>
#include <set>

namespace fs = std::filesystem;

namespace assay::ingest {

namespace {

/// Names one kernel of a run: level, problem, sample. Level 0: the run does not say.
struct KernelKey {
    int level = 0;
    int problem = 0;
    int sample = 0;
    auto operator<=>(const KernelKey&) const = default;
};

/// One run folder as it lies there.
struct RunFolder {
    fs::path folder; ///< relative to the import root
    std::string name;
    int level = 0; ///< of records that do not name one
    std::map<KernelKey, fs::path> kernels;
    std::vector<fs::path> evaluations; ///< eval_results.json
    std::vector<fs::path> rowFiles;    ///< results*.jsonl and single records: each names its problem and its kernel
    std::vector<fs::path> perProblem;  ///< per_problem/level_<L>/problem_<N>.json
};

std::optional<KernelKey> kernelKeyOf(const fs::path& file)
{
    // At most nine digits: file names are foreign too, and a number of twenty digits is no problem number.
    static const std::regex kSampled(R"(level_(\d)_problem_(\d{1,9})_sample_(\d{1,9})_kernel\.py)");
    static const std::regex kGenerated(R"(problem_(\d{1,9})\.py)");
    std::smatch match;
    const std::string name = file.filename().string();
    if (std::regex_match(name, match, kSampled))
        return KernelKey{std::stoi(match[1]), std::stoi(match[2]), std::stoi(match[3])};
    const ProblemKey level = problemKeyOf(file.parent_path().filename().string());
    if (level.level > 0 && std::regex_match(name, match, kGenerated))
        return KernelKey{level.level, std::stoi(match[1]), 0};
    return std::nullopt;
}

bool isKernelName(const std::string& name)
{
    return kernelKeyOf(name).has_value();
}

bool isRowFile(const std::string& name)
{
    return name.starts_with("results") && name.ends_with(".jsonl");
}

bool isPerProblem(const fs::path& file)
{
    const std::string path = file.generic_string();
    return file.extension() == ".json"
        && (path.find("per_problem/") != std::string::npos || file.filename().string().starts_with("per_problem"));
}

/// The value of `key:` at the start of a line of a simple YAML file; "" where it is absent or null.
std::string yamlValue(std::string_view text, std::string_view key)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ':')
            continue;
        line.remove_prefix(key.size() + 1);
        line.remove_prefix(std::min(line.find_first_not_of(" '\""), line.size()));
        while (!line.empty() && std::string_view(" '\"\r").find(line.back()) != std::string_view::npos)
            line.remove_suffix(1);
        return line == "null" || line == "None" ? "" : std::string(line);
    }
    return "";
}

bool looksLikeRun(const std::vector<std::string>& entries)
{
    return std::any_of(entries.begin(), entries.end(), [](const std::string& name) {
        return isKernelName(name) || name == "eval_results.json" || name == "generated_kernels";
    });
}

/// True when one of the first subfolders is a run: the user named the folder that holds them.
bool holdsRuns(const fs::path& folder)
{
    std::error_code error;
    std::size_t seen = 0;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end && seen < kProbeEntries;
         it.increment(error), ++seen) {
        if (it.depth() >= 2)
            it.disable_recursion_pending();
        const std::string name = it->path().filename().string();
        if (isKernelName(name) || name == "eval_results.json" || name == "generated_kernels" || name == "per_problem")
            return true;
    }
    return false;
}

/// Reads one import: run folders below a root, or one of their files.
class RunReader {
public:
    RunReader(const ImportRoot& root, const ImportOptions& options, store::CorpusWriter& writer, const JobControl& control)
        : m_root(root)
        , m_writer(writer)
        , m_control(control)
        , m_progress(control, 0)
    {
        const auto option = [&options](const char* key) {
            const auto known = options.values.find(key);
            return known == options.values.end() ? std::string() : known->second;
        };
        if (const std::string level = option("level"); !level.empty())
            std::from_chars(level.data(), level.data() + level.size(), m_level);
        if (const std::string baseline = option("baseline");
            !baseline.empty() && !m_baseline.read(readWholeFile(baseline, kMaxDocumentBytes)))
            throw Error("not a baseline_time_*.json", baseline, "Name the file with one member per level.");
        if (const std::string problems = option("problems"); !problems.empty())
            m_problems = ProblemSet::under(ImportRoot(problems), "");
    }

    void readFolder()
    {
        std::vector<std::string> troubles;
        std::vector<fs::path> files = m_root.files("", troubles);
        for (const std::string& trouble : troubles)
            m_writer.reject({0, -1, "", trouble});
        if (m_problems.empty())
            m_problems = ProblemSet::under(m_root, "");
        for (const fs::path& file : files)
            sort(file);
        for (auto& [folder, run] : m_runs)
            readRun(run);
    }

    void readRecordFile(const fs::path& file)
    {
        RunFolder run = newRun(file.parent_path());
        if (m_problems.empty())
            m_problems = ProblemSet::under(m_root, "KernelBench");
        readConfig(run);
        readEvaluations(run, file);
        finish(run);
    }

    void readRowFile(const fs::path& file, bool lines)
    {
        const RunFolder run = newRun(file.parent_path());
        readRows(run, file, lines);
    }

private:
    RunFolder newRun(const fs::path& folder) const
    {
        RunFolder run;
        run.folder = folder;
        run.name = folder.empty() ? m_root.path().filename().string() : folder.filename().string();
        run.level = m_level;
        return run;
    }

    RunFolder& runAt(const fs::path& folder) { return m_runs.try_emplace(folder, newRun(folder)).first->second; }

    /// Files the folder's entries under the run they belong to; what is neither kernel nor record is no row of this import.
    void sort(const fs::path& file)
    {
        const std::string name = file.filename().string();
        const fs::path folder = file.parent_path();
        if (name == "eval_results.json") {
            runAt(folder).evaluations.push_back(file);
        } else if (isRowFile(name)) {
            runAt(folder).rowFiles.push_back(file);
        } else if (isPerProblem(file)) {
            const bool nested = folder.parent_path().filename() == "per_problem";
            RunFolder& run = runAt(nested ? folder.parent_path().parent_path() : folder);
            (nested ? run.perProblem : run.rowFiles).push_back(file);
        } else if (name.starts_with("baseline_time_torch") && name.ends_with(".json")
                   && name.find("compile") == std::string::npos) {
            if (const RootedText text = m_root.readText(file); text.bytes && !m_baseline.read(*text.bytes))
                m_writer.reject({0, -1, file.generic_string(), "not a table of baseline times"});
        } else if (const auto key = kernelKeyOf(file)) {
            const bool nested = folder.parent_path().filename() == "generated_kernels";
            runAt(nested ? folder.parent_path().parent_path() : folder).kernels[*key] = file;
        }
    }

    void readRun(RunFolder& run)
    {
        readConfig(run);
        if (run.level == 0 && !run.kernels.empty() && run.kernels.begin()->first.level == run.kernels.rbegin()->first.level)
            run.level = run.kernels.begin()->first.level;
        for (const fs::path& file : run.evaluations)
            readEvaluations(run, file);
        // results.jsonl collects the records of per_problem/: the same rows would only come again.
        if (run.rowFiles.empty())
            run.rowFiles = std::move(run.perProblem);
        for (const fs::path& file : run.rowFiles)
            readRows(run, file, file.extension() != ".json");
        finish(run);
    }

    void readConfig(RunFolder& run)
    {
        const RootedText config = m_root.readText(run.folder / "generation_config.yaml");
        if (!config.bytes)
            return;
        const std::string level = yamlValue(*config.bytes, "level");
        if (run.level == 0)
            std::from_chars(level.data(), level.data() + level.size(), run.level);
    }

    void readEvaluations(RunFolder& run, const fs::path& file)
    {
        const RootedText text = m_root.readText(file, kMaxDocumentBytes);
        if (!text.bytes) {
            m_writer.reject({0, -1, file.generic_string(), text.problem});
            return;
        }
        const auto reject = [this, &file](std::int64_t byte, const std::string& pointer, const std::string& reason) {
            m_writer.reject({0, byte, file.generic_string() + pointer, reason});
        };
        for (KernelBenchRecord& record : kernelBenchRecords(*text.bytes, reject)) {
            const KernelKey key{run.level, record.problem, record.sample};
            addItem(run, key, record.text, 0, record.byte, {});
        }
    }

    void readRows(const RunFolder& run, const fs::path& file, bool lines)
    {
        const auto addRow
            = [this, &run](std::string_view text, const json::Document& record, std::int64_t line, std::int64_t byte) {
                  const auto problem = json::integerAt(record, "problem_id");
                  if (!problem)
                      throw Error("the record does not name its problem", "", "");
                  const std::string kernelPath = json::stringAt(record, "generated_kernel_path").value_or("");
                  KernelKey key{static_cast<int>(json::integerAt(record, "level").value_or(run.level)),
                                static_cast<int>(*problem), static_cast<int>(json::integerAt(record, "sample_id").value_or(0))};
                  addItem(run, key, text, line, byte, kernelPath);
              };
        const RootedFile located = m_root.locate(file);
        if (!located.found()) {
            m_writer.reject({0, -1, file.generic_string(), located.problem});
            return;
        }
        try {
            if (lines) {
                forEachJsonLine(located.path, m_writer, m_control, [&addRow](const Line& line, const json::Document& record) {
                    addRow(line.text, record, line.number, line.byte);
                });
                return;
            }
            const std::string text = readWholeFile(located.path, kMaxDocumentBytes);
            json::Document record;
            if (const auto failure = json::parseStrictly(text, record))
                throw Error(fmt::format("not JSON: {} at byte {}", failure->reason, failure->byte), "", "");
            addRow(text, record, 0, 0);
        } catch (const store::DatabaseError&) {
            throw;
        } catch (const Error& error) {
            // One file of a folder that cannot be read does not take the others with it.
            m_writer.reject({0, -1, file.generic_string(), error.problem()});
        }
    }

    /// The kernel that a record belongs to, by its number, else by the path that the record names.
    fs::path kernelOf(const RunFolder& run, const KernelKey& key, const std::string& namedPath, std::string& problem) const
    {
        if (const auto known = run.kernels.find(key); known != run.kernels.end())
            return known->second;
        if (namedPath.empty())
            return {};
        const RootedFile file = m_root.locateTail(namedPath, run.folder);
        if (file.found())
            return file.path.lexically_relative(m_root.path());
        if (file.linked)
            problem = file.problem;
        return {};
    }

    /// The run that a record's kernel path names ("runs/<run>/generated_kernels/..."), else the folder it lies in.
    static std::string runNameOf(const RunFolder& run, const std::string& namedPath)
    {
        const std::size_t at = namedPath.find("runs/");
        if (at == std::string::npos)
            return run.name;
        const std::size_t begin = at + 5;
        const std::size_t end = namedPath.find('/', begin);
        return end == std::string::npos ? run.name : namedPath.substr(begin, end - begin);
    }

    void addItem(const RunFolder& run, const KernelKey& key, std::string_view record, std::int64_t line, std::int64_t byte,
                 const std::string& namedPath)
    {
        m_progress.step(0, ++m_rows);
        store::ImportedItem item;
        item.line = line;
        item.byte = byte;
        store::KernelRecord& kernel = item.kernel;
        kernel.externalId = runNameOf(run, namedPath) + '/'
            + (key.level > 0 ? fmt::format("level_{}_", key.level) : std::string())
            + fmt::format("problem_{}_sample_{}", key.problem, key.sample);
        kernel.entryPoint = "ModelNew";
        std::string problem;
        const fs::path file = kernelOf(run, key, namedPath, problem);
        kernel.path = file.empty() ? namedPath : file.generic_string();
        if (!file.empty()) {
            RootedText source = m_root.readText(file);
            problem = source.problem;
            if (source.bytes && !source.bytes->empty())
                kernel.candidateSource = std::move(source.bytes);
            m_used.insert(file);
        }
        if (!problem.empty())
            m_writer.reject({line, -1, kernel.path, problem});
        // A kernel that cannot be read and has no record leaves nothing to keep.
        if (record.empty() && !problem.empty())
            return;
        nameProblem(kernel, key, record);
        if (!record.empty()) {
            json::Document document;
            json::parseStrictly(record, document);
            applyKernelBenchRecord(document, record, m_baseline, key.level, key.problem, kernel);
        }
        if (!kernel.candidateSource && kernel.claimStatus == "unknown" && problem.empty() && !file.empty())
            kernel.claimStatus = "no_candidate";
        describe(kernel);
        item.rowBytes
            = fmt::format("{}\n{}\n{}", record, kernel.candidateSource.value_or(""), kernel.referenceSource.value_or(""));
        m_writer.add(item);
    }

    void nameProblem(store::KernelRecord& kernel, const KernelKey& key, std::string_view record) const
    {
        const Problem* problem = m_problems.find({key.level, key.problem});
        kernel.title = fmt::format("level {} problem {}", key.level, key.problem);
        if (const auto named = json::rawMember(json::rawMembers(record.empty() ? "{}" : record), "problem_name")) {
            json::Document text;
            if (!json::parseStrictly(*named, text) && text.IsString())
                kernel.title = fs::path(std::string(text.GetString(), text.GetStringLength())).stem().string();
        }
        if (problem == nullptr)
            return;
        kernel.title = problem->name;
        kernel.referenceSource = problem->source;
    }

    /// Kernels without a record are kept too: their claim is not known.
    void finish(const RunFolder& run)
    {
        for (const auto& [key, file] : run.kernels) {
            if (!m_used.contains(file))
                addItem(run, key, "", 0, 0, "");
        }
    }

    const ImportRoot& m_root;
    store::CorpusWriter& m_writer;
    const JobControl& m_control;
    ProgressMeter m_progress;
    int m_level = 0;
    BaselineTimes m_baseline;
    ProblemSet m_problems;
    std::map<fs::path, RunFolder> m_runs;
    std::set<fs::path> m_used;
    std::int64_t m_rows = 0;
};

enum class FileKind { None, Evaluations, Row, Rows, Summary, Config };

FileKind kindOf(const Probe& probe)
{
    if (probe.shape == ContentShape::Text)
        return !yamlValue(probe.head, "run_name").empty() && !yamlValue(probe.head, "dataset_src").empty() ? FileKind::Config
                                                                                                           : FileKind::None;
    if (hasKeys(probe, "problem_id", "level", "status") || hasKeys(probe, "problem_id", "eval_result"))
        return probe.shape == ContentShape::JsonLines ? FileKind::Rows : FileKind::Row;
    if (hasKeys(probe, "compile_rate_all", "expected_total"))
        return FileKind::Summary;
    const bool numbered = !probe.keys.empty() && std::all_of(probe.keys.begin(), probe.keys.end(), [](const std::string& key) {
        return !key.empty() && key.find_first_not_of("0123456789") == std::string::npos;
    });
    if (probe.shape == ContentShape::JsonObject && numbered && probe.head.find("\"correctness\"") != std::string::npos)
        return FileKind::Evaluations;
    return probe.shape == ContentShape::JsonArray && hasKeys(probe, "problem_id", "sample_id", "correctness")
        ? FileKind::Evaluations
        : FileKind::None;
}

class KernelBenchRunImporter : public Importer {
public:
    std::string_view format() const override { return "kernelbench-run"; }
    std::string_view description() const override
    {
        return "KernelBench run folders (kernels, eval_results.json, results.jsonl), one or several below a folder, or one of "
               "their files; "
               "options problems=DIR, baseline=FILE, level=N";
    }

    std::vector<std::string_view> optionKeys() const override { return {"problems", "baseline", "level"}; }

    int sniff(const Probe& probe) const override
    {
        if (probe.isDirectory)
            return looksLikeRun(probe.entries) ? 90 : holdsRuns(probe.path) ? 60 : 0;
        return kindOf(probe) == FileKind::None ? 0 : 85;
    }

    void read(const fs::path& path, const ImportOptions& options, store::CorpusWriter& writer,
              const JobControl& control) const override
    {
        if (fs::is_directory(path)) {
            const ImportRoot root(path);
            return RunReader(root, options, writer, control).readFolder();
        }
        const fs::path full = fs::absolute(path).lexically_normal();
        const ImportRoot root(full.parent_path());
        RunReader reader(root, options, writer, control);
        const Probe probe = probePath(path);
        switch (kindOf(probe)) {
        case FileKind::Evaluations:
            return reader.readRecordFile(full.filename());
        case FileKind::Row:
            return reader.readRowFile(full.filename(), false);
        case FileKind::Rows:
            return reader.readRowFile(full.filename(), true);
        case FileKind::Summary:
            throw Error("a summary of a KernelBench run: it holds counts and no kernels", path.string(),
                        "Import the run folder instead.");
        case FileKind::Config:
            throw Error("the settings of a KernelBench run: they hold no kernels", path.string(),
                        "Import the run folder instead.");
        case FileKind::None:
            throw Error("neither a KernelBench run folder nor one of its record files", path.string(),
                        "Name another format, or none.");
        }
    }
};

} // namespace

std::unique_ptr<Importer> makeKernelBenchRunImporter()
{
    return std::make_unique<KernelBenchRunImporter>();
}

} // namespace assay::ingest
