// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/kernelbench_record.h"

#include "core/ingest/json_elements.h"
#include "core/ingest/kernel_claim.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace assay::ingest {

namespace {

std::optional<int> wholeNumber(std::string_view text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(number) : std::nullopt;
}

/// Turns the parts of one eval_results.json into records.
class RecordReader {
public:
    RecordReader(std::string_view text, const std::function<void(std::int64_t, const std::string&, const std::string&)>& reject)
        : m_text(text)
        , m_reject(reject)
    {
    }

    void readDocument()
    {
        const std::size_t first = m_text.find_first_not_of(" \t\r\n");
        if (first == std::string_view::npos)
            return m_reject(0, "", "the file is empty");
        json::Document document;
        if (const auto failure = json::parseStrictly(m_text, document))
            return m_reject(static_cast<std::int64_t>(failure->byte), "", "not JSON: " + failure->reason);
        if (m_text[first] == '[')
            return readList(m_text, "", -1);
        for (const json::RawMember& member : json::rawMembers(m_text))
            readProblem(member);
    }

    std::vector<KernelBenchRecord> records;

private:
    std::int64_t byteOf(std::string_view part) const { return part.data() - m_text.data(); }

    void readProblem(const json::RawMember& member)
    {
        const auto problem = wholeNumber(member.key);
        const std::string pointer = '/' + member.key;
        if (!problem)
            return m_reject(byteOf(member.value), pointer, "the member is not a problem number");
        if (member.value.starts_with('['))
            return readList(member.value, pointer, *problem);
        if (!member.value.starts_with('{'))
            return m_reject(byteOf(member.value), pointer, "neither a record nor a list of records");
        const std::vector<json::RawMember> inner = json::rawMembers(member.value);
        const bool bySample = !inner.empty() && std::all_of(inner.begin(), inner.end(), [](const json::RawMember& m) {
            return wholeNumber(m.key).has_value() && m.value.starts_with('{');
        });
        if (!bySample)
            return addRecord(member.value, pointer, *problem, 0);
        for (const json::RawMember& sample : inner)
            addRecord(sample.value, pointer + '/' + sample.key, *problem, *wholeNumber(sample.key));
    }

    void readList(std::string_view list, const std::string& pointer, int problem)
    {
        std::size_t at = 0;
        const ReadBytes read = [&list, &at](char* out, std::size_t capacity) {
            const std::size_t count = std::min(capacity, list.size() - at);
            std::memcpy(out, list.data() + at, count);
            at += count;
            return count;
        };
        int index = 0;
        JsonElementWalk walk(
            read, byteOf(list),
            {[](std::string_view) { return false; },
             [&](JsonElement&& element) {
                 const std::string here = pointer + element.pointer;
                 addRecord(std::string_view(m_text).substr(static_cast<std::size_t>(element.byte), element.text.size()), here,
                           problem, index++);
             },
             {}});
        walk.run();
    }

    void addRecord(std::string_view text, const std::string& pointer, int problem, int sample)
    {
        json::Document record;
        if (!text.starts_with('{') || json::parseStrictly(text, record))
            return m_reject(byteOf(text), pointer, "not a record of an evaluation");
        if (problem < 0) {
            const auto named = json::integerAt(record, "problem_id");
            if (!named)
                return m_reject(byteOf(text), pointer, "the record does not name its problem");
            problem = static_cast<int>(*named);
            sample = 0;
        }
        if (const auto named = json::integerAt(record, "sample_id"))
            sample = static_cast<int>(*named);
        if (json::find(record, "correctness") == nullptr && json::find(record, "compiled") == nullptr
            && json::find(record, "eval_result") == nullptr)
            return m_reject(byteOf(text), pointer, "the record says neither compiled nor correctness");
        records.push_back({problem, sample, byteOf(text), std::string(text)});
    }

    std::string_view m_text;
    const std::function<void(std::int64_t, const std::string&, const std::string&)>& m_reject;
};

std::string errorNameOf(const json::Value& record, const json::Value& evaluation)
{
    for (const json::Value* from : {&evaluation, &record}) {
        const json::Value* metadata = json::find(*from, "metadata");
        if (metadata != nullptr) {
            for (const char* key : {"compilation_error_name", "runtime_error_name"}) {
                if (const auto name = json::stringAt(*metadata, key))
                    return *name;
            }
        }
        if (const auto name = json::stringAt(*from, "error_type"))
            return *name;
    }
    return "";
}

/// Rows that a harness wrote before or instead of an evaluation.
void applyHarnessStatus(const json::Value& record, store::KernelRecord& kernel)
{
    const std::string status = json::stringAt(record, "status").value_or("");
    const std::string error = json::stringAt(record, "error").value_or("");
    // A traceback through the evaluation shows that there was a kernel and that judging it broke: that says nothing about it.
    const bool brokeWhileJudging = json::stringAt(record, "traceback").value_or("").find("eval_kernel") != std::string::npos;
    if (isGenerationFailure(error)
        || ((status.starts_with("generation") || status.starts_with("extraction")) && !brokeWhileJudging))
        kernel.claimStatus = "generation_failed";
    else if (status.starts_with("static"))
        setClaim(kernel, false);
}

} // namespace

std::vector<KernelBenchRecord> kernelBenchRecords(
    std::string_view text, const std::function<void(std::int64_t, const std::string&, const std::string&)>& reject)
{
    RecordReader reader(text, reject);
    reader.readDocument();
    return std::move(reader.records);
}

bool BaselineTimes::read(std::string_view text)
{
    json::Document document;
    if (json::parseStrictly(text, document) || !document.IsObject())
        return false;
    for (const auto& level : document.GetObject()) {
        const ProblemKey levelKey = problemKeyOf({level.name.GetString(), level.name.GetStringLength()});
        if (levelKey.level == 0 || !level.value.IsObject())
            return false;
        for (const auto& problem : level.value.GetObject()) {
            const ProblemKey key = problemKeyOf({problem.name.GetString(), problem.name.GetStringLength()});
            if (const auto mean = timedOnly(looseNumberAt(problem.value, "mean")))
                m_times[{levelKey.level, key.problem}].push_back({*mean, json::stringAt(problem.value, "hardware").value_or("")});
        }
    }
    return true;
}

std::optional<double> BaselineTimes::mean(int level, int problem, std::string_view hardware) const
{
    const auto known = m_times.find({level, problem});
    if (known == m_times.end())
        return std::nullopt;
    for (const Time& time : known->second) {
        if (time.hardware == hardware)
            return time.milliseconds;
    }
    return std::nullopt;
}

void applyKernelBenchRecord(const json::Value& record, std::string_view text, const BaselineTimes& baseline, int level,
                            int problem, store::KernelRecord& kernel)
{
    kernel.claim = text;
    const json::Value* nested = json::find(record, "eval_result");
    if (nested == nullptr || !nested->IsObject())
        nested = &record;
    if (const json::Value* metadata = json::find(*nested, "metadata"))
        kernel.hardware = json::stringAt(*metadata, "hardware").value_or("");
    setClaim(kernel, json::boolAt(*nested, "correctness"));
    if (json::boolAt(*nested, "compiled") == false)
        setClaim(kernel, false);
    if (kernel.claimedCorrect != true && isLoadFailure(errorNameOf(record, *nested)))
        kernel.claimStatus = "load_failed";
    if (!kernel.claimedCorrect)
        applyHarnessStatus(record, kernel);
    const auto runtime = timedOnly(looseNumberAt(*nested, "runtime"));
    auto reference = timedOnly(looseNumberAt(*nested, "ref_runtime"));
    if (!reference)
        reference = baseline.mean(level, problem, kernel.hardware);
    if (kernel.claimedCorrect == true && runtime && reference)
        kernel.claimedSpeedup = *reference / *runtime;
}

} // namespace assay::ingest
