// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/field_mapping.h"

#include "core/text/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/pointer.h>

#include <array>
#include <initializer_list>

namespace assay::ingest {

namespace {

struct FieldNames {
    Field field;
    std::string_view option;
    std::initializer_list<std::string_view> usual; ///< most telling first
};

const std::array<FieldNames, 17> kFields = {{
    {Field::Id, "id", {"id", "uuid", "task_id", "kernel_id", "kernel_name"}},
    {Field::Reference,
     "reference",
     {"reference_source", "reference_code", "reference", "ref_code", "original_python_code", "pytorch_code"}},
    {Field::Candidate,
     "candidate",
     {"candidate_source", "candidate_code", "candidate", "kernel_code", "custom_code", "generated_code", "triton_code",
      "cuda_code", "solution"}},
    {Field::Claim, "claim", {"claim"}},
    {Field::Speedup, "speedup", {"claimed_speedup", "final_speedup", "speedup"}},
    {Field::Correct, "correct", {"claimed_correct", "correctness", "correct", "is_correct"}},
    {Field::Title, "title", {"title", "problem_name", "op_name", "task_name", "name"}},
    {Field::Family, "family", {"op_family", "family", "op_class"}},
    {Field::Language, "language", {"language", "backend"}},
    {Field::EntryPoint, "entry_point", {"entry_point"}},
    {Field::Hardware, "hardware", {"hardware", "gpu_name", "gpu"}},
    {Field::Path, "path", {"origin_path", "path", "file"}},
    {Field::Repository, "repository", {"origin_repo", "repository", "repo_name", "repo"}},
    {Field::Revision, "revision", {"origin_commit", "revision", "commit"}},
    {Field::Licence, "licence", {"licence", "license"}},
    {Field::CandidateSha, "candidate_sha256", {"candidate_sha256"}},
    {Field::ReferenceSha, "reference_sha256", {"reference_sha256"}},
}};

const FieldNames& namesOf(Field field)
{
    return kFields[static_cast<std::size_t>(field)];
}

} // namespace

FieldMapping::FieldMapping(const std::map<std::string, std::string>& options)
{
    for (const auto& [name, member] : options) {
        bool known = false;
        for (const FieldNames& names : kFields) {
            if (names.option == name) {
                m_asked[names.field] = member;
                known = true;
            }
        }
        if (!known)
            throw Error(fmt::format("json-lines has no option \"{}\"", name), "",
                        fmt::format("Options: {}.", fmt::join(optionKeys(), ", ")));
    }
}

FieldMapping::Found FieldMapping::find(const json::Value& row, Field field) const
{
    Found found;
    if (const auto asked = m_asked.find(field); asked != m_asked.end()) {
        found.asked = true;
        found.member = asked->second;
        if (found.member.starts_with('/'))
            found.value = rapidjson::Pointer(found.member).Get(row);
        else
            found.value = json::find(row, found.member);
        return found;
    }
    for (const std::string_view name : namesOf(field).usual) {
        if (const json::Value* value = json::find(row, name)) {
            found.member = name;
            found.value = value;
            return found;
        }
    }
    return found;
}

std::string_view FieldMapping::raw(std::string_view rowText, const Found& found)
{
    if (!found.member.starts_with('/'))
        return json::rawMember(json::rawMembers(rowText), found.member).value_or("");
    std::string_view text = rowText;
    const rapidjson::Pointer pointer(found.member);
    for (std::size_t i = 0; i < pointer.GetTokenCount() && !text.empty(); ++i) {
        const auto& token = pointer.GetTokens()[i];
        if (text.starts_with('[')) {
            const std::vector<std::string_view> elements = json::rawElements(text);
            text = token.index < elements.size() ? elements[token.index] : std::string_view();
            continue;
        }
        text = json::rawMember(json::rawMembers(text), {token.name, token.length}).value_or("");
    }
    return text;
}

std::vector<std::string_view> FieldMapping::optionKeys()
{
    std::vector<std::string_view> keys;
    for (const FieldNames& field : kFields)
        keys.push_back(field.option);
    return keys;
}

} // namespace assay::ingest
