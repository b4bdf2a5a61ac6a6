// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/import_root.h"
#include "core/ingest/kernel_claim.h"
#include "core/ingest/probe.h"
#include "core/ingest/progress.h"
#include "core/ingest/row_loop.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace fs = std::filesystem;

namespace assay::ingest {

namespace {

struct SolutionKey {
    std::string definition;
    std::string name;
    auto operator<=>(const SolutionKey&) const = default;
};

/// One trace: a solution on one workload.
struct Trace {
    std::string text; ///< verbatim line
    std::int64_t line = 0;
    std::int64_t byte = 0;
    std::string hardware;
    bool failed = false;
};

/// All traces of one solution.
struct Evaluations {
    std::vector<Trace> traces;
    std::size_t passed = 0;
    std::size_t failed = 0;
    double logSpeedup = 0; ///< sum over passed workloads that were timed
    std::size_t timed = 0;
};

struct Solution {
    fs::path file;
    std::string text; ///< JSON without the sources
    std::string source;
    std::string problem; ///< why there is no source
    std::string language = "unknown";
    std::string entryPoint;
    std::string hardware;
};

/// Statuses that are about the solution; anything else says that it could not be judged.
bool isFailure(std::string_view status)
{
    return status.starts_with("INCORRECT") || status == "RUNTIME_ERROR" || status == "COMPILE_ERROR" || status == "TIMEOUT";
}

std::string languageNamed(const json::Value& spec)
{
    std::string named = json::stringAt(spec, "language").value_or("");
    const json::Value* list = json::find(spec, "languages");
    if (named.empty() && list != nullptr && list->IsArray() && !list->Empty() && (*list)[0].IsString())
        named = (*list)[0].GetString();
    for (const char* known : {"triton", "cuda"}) {
        if (named.find(known) != std::string::npos)
            return known;
    }
    return "unknown";
}

std::string joined(const json::Value* list)
{
    std::string text;
    if (list == nullptr || !list->IsArray())
        return text;
    for (const json::Value& entry : list->GetArray()) {
        if (entry.IsString())
            text += (text.empty() ? "" : ", ") + std::string(entry.GetString(), entry.GetStringLength());
    }
    return text;
}

/// Several files as one text, each under a comment with its path, so that one view and one hash stand for the whole solution.
void appendFile(std::string& text, const std::string& path, std::string_view content)
{
    text += (text.empty() ? "" : "\n") + std::string(path.ends_with(".py") ? "# file: " : "// file: ") + path + '\n';
    text += content;
}

class TraceReader {
public:
    TraceReader(const ImportRoot& root, store::CorpusWriter& writer, const JobControl& control)
        : m_root(root)
        , m_writer(writer)
        , m_control(control)
        , m_progress(control, 0)
    {
    }

    void readTree()
    {
        std::vector<std::string> troubles;
        for (const fs::path& file : m_root.files("", troubles)) {
            const std::string path = file.generic_string();
            if (path.find("workloads/") != std::string::npos)
                continue;
            if (path.find("definitions/") != std::string::npos && path.ends_with(".json"))
                readDefinition(file);
            else if (path.ends_with("solution.json") || (path.find("solutions/") != std::string::npos && path.ends_with(".json")))
                readSolution(file);
            else if (path.ends_with(".jsonl"))
                readTraces(file);
        }
        for (const std::string& trouble : troubles)
            m_writer.reject({0, -1, "", trouble});
        writeAll();
    }

    void readFile(const fs::path& file, bool isSolution)
    {
        if (isSolution)
            readSolution(file);
        else
            readTraces(file);
        writeAll();
    }

private:
    bool parse(const fs::path& file, std::string& text, json::Document& document)
    {
        RootedText content = m_root.readText(file, kMaxDocumentBytes);
        if (!content.bytes) {
            m_writer.reject({0, -1, file.generic_string(), content.problem});
            return false;
        }
        text = std::move(*content.bytes);
        if (const auto failure = json::parseStrictly(text, document)) {
            m_writer.reject({0, static_cast<std::int64_t>(failure->byte), file.generic_string(), "not JSON: " + failure->reason});
            return false;
        }
        return true;
    }

    void readDefinition(const fs::path& file)
    {
        std::string text;
        json::Document document;
        if (!parse(file, text, document))
            return;
        if (const auto reference = json::stringAt(document, "reference"))
            m_references[json::stringAt(document, "name").value_or(file.stem().string())] = *reference;
    }

    void readSolution(const fs::path& file)
    {
        std::string text;
        json::Document document;
        if (!parse(file, text, document))
            return;
        const auto name = json::stringAt(document, "name");
        const auto definition = json::stringAt(document, "definition");
        const json::Value* sources = json::find(document, "sources");
        if (!name || !definition || sources == nullptr || !sources->IsArray()) {
            m_writer.reject({0, 0, file.generic_string(), "not a solution: name, definition or sources are missing"});
            return;
        }
        Solution solution;
        solution.file = file;
        solution.text = objectWithout(text, {"sources"});
        if (const json::Value* spec = json::find(document, "spec")) {
            solution.language = languageNamed(*spec);
            solution.entryPoint = json::stringAt(*spec, "entry_point").value_or("");
            solution.hardware = joined(json::find(*spec, "target_hardware"));
        }
        readSources(file, *sources, solution);
        if (const auto known = m_solutions.find({*definition, *name}); known != m_solutions.end()) {
            m_writer.reject({0, 0, file.generic_string(),
                             "a second solution of this name; the first is " + known->second.file.generic_string()});
            return;
        }
        m_solutions.emplace(SolutionKey{*definition, *name}, std::move(solution));
    }

    /// Sources with their content, or files beside the solution where the content is left out.
    void readSources(const fs::path& file, const json::Value& sources, Solution& solution)
    {
        for (const json::Value& entry : sources.GetArray()) {
            const std::string path = json::stringAt(entry, "path").value_or("");
            std::optional<std::string> content = json::stringAt(entry, "content");
            if (!content) {
                const fs::path named(path);
                RootedText beside = m_root.readText(named.is_absolute() ? named : file.parent_path() / named);
                content = std::move(beside.bytes);
                if (!content) {
                    solution.problem = beside.problem;
                    m_writer.reject({0, -1, file.generic_string(), beside.problem});
                    continue;
                }
            }
            if (sources.Size() == 1)
                solution.source = *content;
            else
                appendFile(solution.source, path, *content);
        }
        // Half of a solution is not the solution: it would be judged as something that nobody wrote.
        if (!solution.problem.empty())
            solution.source.clear();
    }

    void readTraces(const fs::path& file)
    {
        const RootedFile located = m_root.locate(file);
        if (!located.found()) {
            m_writer.reject({0, -1, file.generic_string(), located.problem});
            return;
        }
        const std::string name = file.generic_string();
        try {
            forEachJsonLine(located.path, m_writer, m_control,
                            [this, &name](const Line& line, const json::Document& row) { addTrace(name, line, row); });
        } catch (const store::DatabaseError&) {
            throw;
        } catch (const Error& error) {
            // One file of a tree that cannot be read does not take the others with it.
            m_writer.reject({0, -1, name, error.problem()});
        }
    }

    void addTrace(const std::string& file, const Line& line, const json::Document& row)
    {
        const auto definition = json::stringAt(row, "definition");
        const auto solution = json::stringAt(row, "solution");
        const json::Value* evaluation = json::find(row, "evaluation");
        if (!definition)
            throw Error("the trace does not name its definition", file, "");
        if (!solution || evaluation == nullptr || !evaluation->IsObject())
            throw Error("a workload without a solution: there is no kernel in it", file, "");
        const std::string status = json::stringAt(*evaluation, "status").value_or("");
        Trace trace{std::string(line.text), line.number, line.byte, "", isFailure(status)};
        if (const json::Value* environment = json::find(*evaluation, "environment"))
            trace.hardware = json::stringAt(*environment, "hardware").value_or("");
        Evaluations& all = m_evaluations[{*definition, *solution}];
        all.passed += status == "PASSED" ? 1 : 0;
        all.failed += trace.failed ? 1 : 0;
        all.traces.push_back(std::move(trace));
        const json::Value* performance = json::find(*evaluation, "performance");
        const auto speedup = performance == nullptr ? std::nullopt : timedOnly(looseNumberAt(*performance, "speedup_factor"));
        if (status == "PASSED" && speedup) {
            all.logSpeedup += std::log(*speedup);
            ++all.timed;
        }
    }

    void writeAll()
    {
        for (const auto& [key, solution] : m_solutions) {
            const auto known = m_evaluations.find(key);
            if (known == m_evaluations.end())
                write(itemOf(key, &solution), solution.text);
            else
                writeTraces(key, &solution, known->second);
        }
        for (auto& [key, evaluations] : m_evaluations) {
            if (!m_solutions.contains(key))
                writeTraces(key, nullptr, evaluations);
        }
    }

    /// Every trace is a row with its own verbatim claim. A solution is right when it passed every workload, and its speed-up is
    /// the geometric mean over them; all of its rows say so, failures first, because the first row's claim is the one that is
    /// shown.
    void writeTraces(const SolutionKey& key, const Solution* solution, Evaluations& all)
    {
        store::ImportedItem item = itemOf(key, solution);
        if (all.failed > 0)
            setClaim(item.kernel, false);
        else if (all.passed == all.traces.size())
            setClaim(item.kernel, true);
        if (item.kernel.claimedCorrect == true && all.timed > 0)
            item.kernel.claimedSpeedup = std::exp(all.logSpeedup / static_cast<double>(all.timed));
        std::stable_partition(all.traces.begin(), all.traces.end(), [](const Trace& trace) { return trace.failed; });
        for (const Trace& trace : all.traces) {
            item.line = trace.line;
            item.byte = trace.byte;
            if (!trace.hardware.empty())
                item.kernel.hardware = trace.hardware;
            write(item, trace.text);
        }
    }

    store::ImportedItem itemOf(const SolutionKey& key, const Solution* solution) const
    {
        store::ImportedItem item;
        store::KernelRecord& kernel = item.kernel;
        kernel.externalId = key.definition + '/' + key.name;
        kernel.title = key.definition;
        if (solution != nullptr) {
            kernel.language = solution->language;
            kernel.entryPoint = solution->entryPoint;
            kernel.path = solution->file.generic_string();
            kernel.hardware = solution->hardware;
            if (!solution->source.empty())
                kernel.candidateSource = solution->source;
        }
        if (const auto reference = m_references.find(key.definition); reference != m_references.end())
            kernel.referenceSource = reference->second;
        describe(kernel);
        return item;
    }

    void write(store::ImportedItem item, const std::string& claim)
    {
        m_progress.step(0, ++m_rows);
        item.kernel.claim = claim;
        item.rowBytes = item.kernel.externalId + '\n' + claim + '\n' + item.kernel.candidateSource.value_or("") + '\n'
            + item.kernel.referenceSource.value_or("");
        m_writer.add(item);
    }

    const ImportRoot& m_root;
    store::CorpusWriter& m_writer;
    const JobControl& m_control;
    ProgressMeter m_progress;
    std::int64_t m_rows = 0;
    std::map<std::string, std::string> m_references;
    std::map<SolutionKey, Solution> m_solutions;
    std::map<SolutionKey, Evaluations> m_evaluations;
};

bool contains(const std::vector<std::string>& entries, std::string_view name)
{
    return std::find(entries.begin(), entries.end(), name) != entries.end();
}

bool holdsSolutions(const fs::path& folder)
{
    std::error_code error;
    std::size_t seen = 0;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end && seen < kProbeEntries;
         it.increment(error), ++seen) {
        if (it.depth() >= 3)
            it.disable_recursion_pending();
        if (it->path().filename() == "solution.json")
            return true;
    }
    return false;
}

class FlashInferTraceImporter : public Importer {
public:
    std::string_view format() const override { return "flashinfer-trace"; }
    std::string_view description() const override
    {
        return "flashinfer-bench traces with their solutions and definitions, a tree or one file";
    }

    int sniff(const Probe& probe) const override
    {
        if (probe.isDirectory) {
            const bool tree = contains(probe.entries, "solutions") || contains(probe.entries, "traces")
                || contains(probe.entries, "definitions");
            return tree ? 80 : contains(probe.entries, "solution.json") ? 75 : holdsSolutions(probe.path) ? 50 : 0;
        }
        if (hasKeys(probe, "definition", "workload")
            && (probe.shape == ContentShape::JsonLines || probe.shape == ContentShape::JsonObject))
            return 90;
        return probe.shape == ContentShape::JsonObject && hasKeys(probe, "definition", "sources") ? 85 : 0;
    }

    void read(const fs::path& path, const ImportOptions&, store::CorpusWriter& writer, const JobControl& control) const override
    {
        if (fs::is_directory(path)) {
            const ImportRoot root(path);
            return TraceReader(root, writer, control).readTree();
        }
        const fs::path full = fs::absolute(path).lexically_normal();
        const ImportRoot root(full.parent_path());
        TraceReader(root, writer, control).readFile(full.filename(), hasKeys(probePath(path), "sources"));
    }
};

} // namespace

std::unique_ptr<Importer> makeFlashInferTraceImporter()
{
    return std::make_unique<FlashInferTraceImporter>();
}

} // namespace assay::ingest
