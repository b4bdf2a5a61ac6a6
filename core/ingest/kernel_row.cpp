// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/kernel_row.h"

#include "core/ingest/kernel_claim.h"
#include "core/ingest/kernelbench_record.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace fs = std::filesystem;

namespace assay::ingest {

namespace {

/// Options that name no field; "python" is the Parquet importer's.
constexpr std::array<std::string_view, 4> kOwnOptions = {"turn", "problems", "sources", "python"};

/// Sources under names that only these formats use, beside the usual ones of FieldMapping.
constexpr std::array<std::string_view, 4> kCodeNames = {"code", "final_triton_code", "cuda_code", "kernel"};

/// Members that hold sources or whole conversations: they are no claim.
// clang-format off
constexpr std::array<std::string_view, 29> kNoClaim = {
    "candidate_source", "candidate_code", "candidate", "kernel_code", "custom_code", "generated_code",
    "triton_code", "cuda_code", "solution", "code", "final_triton_code", "kernel", "reference_source",
    "reference_code", "reference", "ref_code", "original_python_code", "pytorch_code", "messages", "full_messages",
    "turns", "full_completion", "thinking", "model_reasoning", "reasoning", "pytorch_code_module",
    "pytorch_code_functional", "python_code", "original_triton_code"
};
// clang-format on

std::map<std::string, std::string> fieldOptions(const std::map<std::string, std::string>& options)
{
    std::map<std::string, std::string> fields = options;
    for (const std::string_view own : kOwnOptions)
        fields.erase(std::string(own));
    return fields;
}

std::string option(const ImportOptions& options, const char* key, const std::string& fallback)
{
    const auto known = options.values.find(key);
    return known == options.values.end() ? fallback : known->second;
}

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

std::optional<std::string> textIn(const json::Value* value)
{
    if (value == nullptr || !value->IsString())
        return std::nullopt;
    return std::string(value->GetString(), value->GetStringLength());
}

std::optional<double> numberIn(const json::Value* value)
{
    if (value == nullptr)
        return std::nullopt;
    if (value->IsNumber())
        return value->GetDouble();
    return value->IsString() ? looseNumber({value->GetString(), value->GetStringLength()}) : std::nullopt;
}

/// Names of what a harness found out, in lower case.
constexpr std::array<std::string_view, 10> kResultNames
    = {"correctness",   "correct", "compiled",        "speedup",    "torch_speedup",
       "final_speedup", "runtime", "claimed_correct", "is_correct", "eval_result"};

/// What a row says of its kernel: the row without sources and conversations, whatever the case of their names.
std::string withoutSources(std::string_view text, const std::vector<json::RawMember>& members)
{
    std::vector<std::string_view> left;
    for (const json::RawMember& member : members) {
        if (std::find(kNoClaim.begin(), kNoClaim.end(), lower(member.key)) != kNoClaim.end())
            left.push_back(member.key);
    }
    return objectWithout(text, left);
}

/// True when the row has a place for a result, even where that says "N/A": a row about a problem that nothing came of is a row.
bool hasResult(const json::Value& value)
{
    return std::any_of(kResultNames.begin(), kResultNames.end(),
                       [&value](std::string_view name) { return json::find(value, name) != nullptr; });
}

/// "level1", "L1", "1" and 1 as 1; 0 where no level is named.
int levelOf(const json::Value& value)
{
    for (const char* key : {"level", "level_id"}) {
        if (const auto number = json::integerAt(value, key))
            return static_cast<int>(*number);
    }
    const std::string text = lower(json::stringAt(value, "level").value_or(""));
    const std::size_t digit = text.find_first_of("0123456789");
    return digit == std::string::npos ? 0 : text[digit] - '0';
}

/// The number of the problem, written as a number or as text.
std::optional<int> problemNumber(const json::Value& value)
{
    const auto number = looseNumberAt(value, "problem_id");
    // Beyond this an int would not hold it, and no suite has as many problems.
    constexpr double kMost = 1e9;
    return number && *number >= 0 && *number <= kMost ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::string entryPointOf(std::string_view named, std::string_view candidate)
{
    if (named == "Model")
        return "ModelNew";
    if (!named.empty())
        return std::string(named);
    for (const auto& [mark, entry] : {std::pair<std::string_view, std::string_view>{"class ModelNew", "ModelNew"},
                                      {"def triton_kernel_wrapper", "triton_kernel_wrapper"},
                                      {"def kernel_function", "kernel_function"}}) {
        if (candidate.find(mark) != std::string_view::npos)
            return std::string(entry);
    }
    return "";
}

} // namespace

KernelRowReader::KernelRowReader(const ImportOptions& options, const fs::path& root)
    : m_mapping(fieldOptions(options.values))
    , m_turn(TurnChoice::parse(option(options, "turn", "last")))
    , m_root(option(options, "sources", root.string()))
{
    if (const std::string problems = option(options, "problems", ""); !problems.empty())
        m_problems = ProblemSet::under(ImportRoot(problems), "");
}

std::vector<std::string_view> KernelRowReader::optionKeys()
{
    std::vector<std::string_view> keys = {"turn", "problems", "sources"};
    const std::vector<std::string_view> fields = FieldMapping::optionKeys();
    keys.insert(keys.end(), fields.begin(), fields.end());
    return keys;
}

void KernelRowReader::setContext(std::string_view key, std::string_view value)
{
    m_context[std::string(key)] = value;
}

std::string KernelRowReader::textAt(const json::Value& value, std::initializer_list<std::string_view> keys) const
{
    for (const std::string_view key : keys) {
        if (auto text = json::stringAt(value, key); text && !text->empty() && *text != "N/A")
            return *text;
    }
    for (const std::string_view key : keys) {
        if (const auto known = m_context.find(key); known != m_context.end())
            return known->second;
    }
    return "";
}

std::vector<Turn> KernelRowReader::turnsOf(const json::Value& value) const
{
    const json::Value* list = json::find(value, "turns");
    if (list == nullptr || !list->IsArray()) {
        const json::Value* messages = json::find(value, "messages");
        return messages == nullptr ? std::vector<Turn>() : turnsOfMessages(*messages);
    }
    std::vector<Turn> turns;
    for (const json::Value& entry : list->GetArray()) {
        Turn turn;
        turn.number = static_cast<int>(json::integerAt(entry, "turn").value_or(static_cast<std::int64_t>(turns.size()) + 1));
        for (const char* key : {"triton_code", "kernel_code", "code"}) {
            if (turn.code.empty())
                turn.code = json::stringAt(entry, key).value_or("");
        }
        if (turn.code.empty())
            turn.code
                = codeInMessage(json::stringAt(entry, "full_completion").value_or(json::stringAt(entry, "content").value_or("")))
                      .value_or("");
        if (const json::Value* result = json::find(entry, "result")) {
            turn.correct = json::boolAt(*result, "correctness");
            turn.speedup = looseNumberAt(*result, "speedup");
        }
        turns.push_back(std::move(turn));
    }
    return turns;
}

KernelRowReader::Candidate KernelRowReader::candidateOf(const json::Value& value) const
{
    const std::vector<Turn> turns = turnsOf(value);
    if (!turns.empty()) {
        const int best = static_cast<int>(json::integerAt(value, "best_round").value_or(0));
        const Turn* turn = chooseTurn(turns, m_turn, best);
        if (turn == nullptr)
            return {std::nullopt, "", std::nullopt, std::nullopt};
        return {turn->code, fmt::format("turn {} of {}", turn->number, turns.size()), turn->correct, turn->speedup};
    }
    if (auto code = textIn(m_mapping.find(value, Field::Candidate).value); code && !code->empty())
        return {std::move(code), "", std::nullopt, std::nullopt};
    for (const std::string_view name : kCodeNames) {
        if (auto code = json::stringAt(value, name); code && !code->empty())
            return {std::move(code), "", std::nullopt, std::nullopt};
    }
    return {};
}

void KernelRowReader::applyClaim(const json::Value& value, store::KernelRecord& kernel) const
{
    if (const json::Value* evaluation = json::find(value, "eval_result"); evaluation != nullptr && evaluation->IsObject()) {
        applyKernelBenchRecord(value, "", {}, 0, 0, kernel);
        return;
    }
    const json::Value* from = &value;
    for (const char* key : {"final_result", "result"}) {
        const json::Value* nested = json::find(value, key);
        if (from == &value && nested != nullptr && nested->IsObject())
            from = nested;
    }
    const FieldMapping::Found named = m_mapping.find(*from, Field::Speedup);
    std::optional<double> speedup = numberIn(named.value);
    if (!speedup)
        speedup = looseNumberAt(*from, "torch_speedup");
    kernel.claimedSpeedup = timedOnly(speedup);
    const FieldMapping::Found correct = m_mapping.find(*from, Field::Correct);
    std::optional<bool> claimed = correct.value != nullptr ? json::boolAt(*from, correct.member) : std::nullopt;
    if (!claimed && json::boolAt(*from, "compiled") == false)
        claimed = false;
    // Harnesses give a speed-up to what matched and was timed, and 0 to everything else. An infinite one was not timed.
    if (!claimed && correct.value == nullptr && speedup && std::isfinite(*speedup) && *speedup >= 0)
        claimed = *speedup > 0;
    setClaim(kernel, claimed);
    if (claimed == true)
        return;
    const std::string error = textAt(*from, {"error", "error_message"});
    if (isGenerationFailure(error))
        kernel.claimStatus = "generation_failed";
    else if (isLoadFailure(error.substr(0, error.find(':'))))
        kernel.claimStatus = "load_failed";
}

void KernelRowReader::nameProblem(const json::Value& value, store::KernelRecord& kernel)
{
    const int level = levelOf(value);
    kernel.title = textIn(m_mapping.find(value, Field::Title).value).value_or("");
    if (kernel.title.empty())
        kernel.title = textAt(value, {"problem_name", "problem", "name", "definition"});
    const Problem* problem = nullptr;
    const std::optional<int> number = problemNumber(value);
    if (number && level > 0)
        problem = m_problems.find({level, *number});
    if (problem == nullptr && !kernel.title.empty())
        problem = level > 0 ? m_problems.findByPath(fmt::format("level{}/{}", level, kernel.title))
                            : m_problems.findByName(kernel.title);
    if (kernel.title.empty())
        kernel.title = problem != nullptr ? problem->name : "";
    if (kernel.title.empty() && level > 0 && number)
        kernel.title = fmt::format("level {} problem {}", level, *number);
    if (problem != nullptr && !kernel.referenceSource)
        kernel.referenceSource = problem->source;
}

void KernelRowReader::attachFile(const json::Value& value, store::KernelRecord& kernel) const
{
    const std::string named = textAt(value, {"generated_kernel_path", "kernel_path", "candidate_file", "path", "file"});
    RootedFile file;
    if (named.ends_with(".py") || named.ends_with(".cu"))
        file = m_root.locateTail(named, "");
    const int level = levelOf(value);
    const std::string title = textAt(value, {"problem_name", "problem", "name"});
    if (!file.found() && !title.empty() && title.find('/') == std::string::npos) {
        if (level > 0)
            file = m_root.locate(fs::path(fmt::format("level{}", level)) / (title + ".py"));
        if (!file.found())
            file = m_root.locate(title + ".py");
    }
    if (!file.found())
        return;
    RootedText source = m_root.readText(file);
    if (!source.bytes || source.bytes->empty())
        return;
    kernel.candidateSource = std::move(source.bytes);
    kernel.path = m_root.nameOf(file.path);
}

std::string KernelRowReader::idOf(const KernelRow& row, const json::Value& value, const store::KernelRecord& kernel)
{
    const FieldMapping::Found found = m_mapping.find(value, Field::Id);
    const std::string problem = json::find(value, "problem_name") == nullptr ? textAt(value, {"problem_name"}) : std::string();
    const std::string prefix = problem.empty() ? "" : problem + '/';
    if (auto text = textIn(found.value); text && !text->empty())
        return prefix + *text;
    if (found.value != nullptr && found.value->IsNumber()) {
        const std::string_view raw = FieldMapping::raw(row.text, found); // with all its digits
        const std::string number = raw.empty() ? json::toText(*found.value) : std::string(raw);
        if (const int level = levelOf(value); found.member == "task_id" && level > 0) {
            // A task is no kernel: many candidates share its number, and its number is one of a level.
            const std::string kernelName = json::stringAt(value, "kernel_name").value_or("");
            return fmt::format("level_{}_task_{}{}{}", level, number, kernelName.empty() ? "" : "/", kernelName);
        }
        return prefix + number;
    }
    for (const char* key : {"sample_key", "sample_idx"}) {
        if (auto text = json::stringAt(value, key))
            return *text;
        if (const auto number = json::integerAt(value, key))
            return std::to_string(*number);
    }
    std::string id = kernel.title;
    if (const int level = levelOf(value); level > 0 && !id.empty() && id.find("level") == std::string::npos)
        id = fmt::format("level{}/{}", level, id);
    if (const std::string model = json::stringAt(value, "model").value_or(""); !model.empty() && !id.empty())
        id += '/' + model;
    if (id.empty())
        id = row.ordinal;
    // Several rows about one problem are several kernels; what a row does not tell, its place in the file does.
    if (!m_ids.insert(id).second)
        id += ' ' + row.ordinal;
    return id;
}

std::string KernelRowReader::claimText(const KernelRow& row) const
{
    const std::vector<json::RawMember> members = json::rawMembers(row.text);
    std::string claim = withoutSources(row.text, members);
    const auto turns = json::rawMember(members, "turns");
    if (!turns)
        return claim;
    std::string list;
    for (const std::string_view turn : json::rawElements(*turns)) {
        if (turn.starts_with('{'))
            list += (list.empty() ? "" : ",") + withoutSources(turn, json::rawMembers(turn));
    }
    claim.insert(claim.size() - 1, (claim.size() > 2 ? "," : "") + fmt::format("\"turns\":[{}]", list));
    return claim;
}

store::ImportedItem KernelRowReader::read(const KernelRow& row, const json::Value& value)
{
    store::ImportedItem item;
    item.line = row.line;
    item.byte = row.byte;
    item.rowBytes = row.text;
    store::KernelRecord& kernel = item.kernel;
    kernel.referenceSource = textIn(m_mapping.find(value, Field::Reference).value);
    for (const char* name : {"pytorch_code_module", "python_code"}) {
        if (!kernel.referenceSource)
            kernel.referenceSource = json::stringAt(value, name);
    }
    if (kernel.referenceSource && kernel.referenceSource->empty())
        kernel.referenceSource.reset();
    Candidate candidate = candidateOf(value);
    kernel.candidateSource = std::move(candidate.code);
    nameProblem(value, kernel);
    kernel.path = textIn(m_mapping.find(value, Field::Path).value).value_or("");
    if (!kernel.candidateSource)
        attachFile(value, kernel);
    if (!candidate.turn.empty())
        kernel.path = kernel.path.empty() ? candidate.turn : kernel.path + ", " + candidate.turn;
    applyClaim(value, kernel);
    if (candidate.correct) {
        kernel.claimStatus = "unknown";
        setClaim(kernel, candidate.correct);
        kernel.claimedSpeedup = timedOnly(candidate.speedup);
    }
    const bool says = kernel.candidateSource || kernel.referenceSource || (!kernel.title.empty() && hasResult(value));
    if (!says)
        throw Error("nothing in the row is a kernel or a result; options tell which members are (candidate, reference, correct)",
                    "", "");
    if (!kernel.candidateSource && (kernel.claimStatus == "unknown" || !turnsOf(value).empty()) && !kernel.claimedCorrect)
        kernel.claimStatus = "no_candidate";
    kernel.externalId = idOf(row, value, kernel);
    kernel.claim = claimText(row);
    if (kernel.hardware.empty())
        kernel.hardware = textAt(value, {"hardware", "gpu_name", "gpu"});
    kernel.repository = textIn(m_mapping.find(value, Field::Repository).value).value_or("");
    kernel.revision = textIn(m_mapping.find(value, Field::Revision).value).value_or("");
    kernel.licence = textIn(m_mapping.find(value, Field::Licence).value).value_or("");
    kernel.family = textIn(m_mapping.find(value, Field::Family).value).value_or("unknown");
    kernel.entryPoint
        = entryPointOf(textIn(m_mapping.find(value, Field::EntryPoint).value).value_or(""), kernel.candidateSource.value_or(""));
    describe(kernel);
    return item;
}

void KernelRowReader::addLowerCaseNames(json::Document& row)
{
    std::vector<std::pair<std::string, const json::Value*>> missing;
    for (const auto& member : row.GetObject()) {
        const std::string name = lower({member.name.GetString(), member.name.GetStringLength()});
        if (json::find(row, name) == nullptr)
            missing.emplace_back(name, &member.value);
    }
    // Copies first: adding a member may move the values that the list points to.
    std::vector<json::Value> values;
    for (const auto& [name, value] : missing)
        values.emplace_back(*value, row.GetAllocator());
    for (std::size_t i = 0; i < missing.size(); ++i)
        row.AddMember(json::Value(missing[i].first.c_str(), row.GetAllocator()), values[i], row.GetAllocator());
}

bool KernelRowReader::tellsOfKernels(const std::vector<std::string>& keys)
{
    const auto hasAny = [&keys](std::initializer_list<std::string_view> names) {
        return std::any_of(keys.begin(), keys.end(), [&names](const std::string& key) {
            return std::find(names.begin(), names.end(), std::string_view(lower(key))) != names.end();
        });
    };
    if (hasAny({"candidate_source", "candidate_code", "candidate", "kernel_code", "custom_code", "generated_code", "triton_code",
                "cuda_code", "code", "final_triton_code", "messages", "turns", "eval_result"}))
        return true;
    const bool result = std::any_of(keys.begin(), keys.end(), [](const std::string& key) {
        return std::find(kResultNames.begin(), kResultNames.end(), lower(key)) != kResultNames.end();
    });
    return result
        && hasAny({"problem", "problem_name", "problem_id", "task_id", "kernel_name", "op_name", "sample_idx", "sample_key",
                   "name", "id"});
}

} // namespace assay::ingest
