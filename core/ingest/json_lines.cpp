// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/field_mapping.h"
#include "core/ingest/kernel_claim.h"
#include "core/ingest/language.h"
#include "core/ingest/op_family.h"
#include "core/ingest/probe.h"
#include "core/ingest/row_loop.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"
#include "core/text/sha256.h"

#include <fmt/format.h>

#include <set>

namespace assay::ingest {

namespace {

using Found = FieldMapping::Found;

/// A member that must be text or null. @throws Error
std::optional<std::string> textOf(const Found& found)
{
    if (found.value == nullptr && found.asked)
        throw Error(fmt::format("the row has no member \"{}\"", found.member), "", "");
    if (found.value == nullptr || found.value->IsNull())
        return std::nullopt;
    if (!found.value->IsString())
        throw Error(fmt::format("the member \"{}\" is not text", found.member), "", "");
    return std::string(found.value->GetString(), found.value->GetStringLength());
}

/// Reads one row of any JSON Lines through a field mapping.
class RowReader {
public:
    RowReader(const FieldMapping& mapping, const Line& line, const json::Document& row)
        : m_mapping(mapping)
        , m_line(line)
        , m_row(row)
    {
    }

    /// @throws Error  when the row says nothing about a kernel or contradicts itself
    store::ImportedItem read()
    {
        store::ImportedItem item;
        item.line = m_line.number;
        item.byte = m_line.byte;
        item.rowBytes = m_line.text;
        readSources(item.kernel);
        if (m_sourceMembers.empty() && !hasClaim())
            throw Error("nothing in the row is a kernel or a claim; options tell which members are (candidate, reference, claim)",
                        "", "");
        readId(item.kernel);
        readClaim(item.kernel);
        readOrigin(item.kernel);
        readLabels(item.kernel);
        return item;
    }

private:
    Found find(Field field) { return m_mapping.find(m_row, field); }

    bool hasClaim()
    {
        return find(Field::Claim).value != nullptr || find(Field::Speedup).value != nullptr
            || find(Field::Correct).value != nullptr;
    }

    /// Optional text of a field that only describes: other types count as absent.
    std::string described(Field field)
    {
        const Found found = find(field);
        if (found.value == nullptr || !found.value->IsString())
            return "";
        return {found.value->GetString(), found.value->GetStringLength()};
    }

    void readSources(store::KernelRecord& kernel)
    {
        kernel.candidateSource = source(Field::Candidate, Field::CandidateSha);
        kernel.referenceSource = source(Field::Reference, Field::ReferenceSha);
        if (!kernel.candidateSource)
            kernel.candidateSha256 = described(Field::CandidateSha);
        if (!kernel.referenceSource)
            kernel.referenceSha256 = described(Field::ReferenceSha);
    }

    std::optional<std::string> source(Field field, Field shaField)
    {
        const Found found = find(field);
        std::optional<std::string> text = textOf(found);
        if (found.value != nullptr)
            m_sourceMembers.insert(found.member);
        if (text && text->empty())
            text.reset();
        const Found sha = find(shaField);
        if (text && sha.value != nullptr && sha.value->IsString() && sha256Hex(*text) != sha.value->GetString())
            throw Error(fmt::format("\"{}\" does not hash to the row's \"{}\"", found.member, sha.member), "", "");
        return text;
    }

    void readId(store::KernelRecord& kernel)
    {
        const Found found = find(Field::Id);
        if (found.value != nullptr && found.value->IsString() && found.value->GetStringLength() > 0) {
            kernel.externalId.assign(found.value->GetString(), found.value->GetStringLength());
        } else if (found.value != nullptr && found.value->IsNumber()) {
            kernel.externalId = FieldMapping::raw(m_line.text, found); // with all its digits
        } else if (found.asked) {
            throw Error(fmt::format("the row has no id in \"{}\"", found.member), "", "");
        } else if (kernel.candidateSource || kernel.referenceSource || !kernel.candidateSha256.empty()) {
            kernel.externalId = fmt::format("line {}", m_line.number);
        } else {
            throw Error("the row has neither an id nor a source", "", "");
        }
    }

    void readClaim(store::KernelRecord& kernel)
    {
        const Found claim = find(Field::Claim);
        kernel.claim = claim.value != nullptr ? std::string(FieldMapping::raw(m_line.text, claim)) : remainder();
        const Found speedup = find(Field::Speedup);
        if (speedup.value != nullptr && speedup.value->IsNumber())
            kernel.claimedSpeedup = timedOnly(speedup.value->GetDouble());
        const Found correct = find(Field::Correct);
        if (correct.value != nullptr && correct.value->IsBool())
            kernel.claimedCorrect = correct.value->GetBool();
        if (!kernel.candidateSource && find(Field::Candidate).value != nullptr)
            kernel.claimStatus = "no_candidate";
        else if (kernel.claimedCorrect)
            kernel.claimStatus = *kernel.claimedCorrect ? "accepted" : "rejected";
    }

    /// The row without its sources, as it was written: what the corpus says of the kernel.
    std::string remainder()
    {
        std::string members;
        for (const json::RawMember& member : json::rawMembers(m_line.text)) {
            if (m_sourceMembers.contains(member.key))
                continue;
            members += (members.empty() ? "" : ", ") + json::quoted(member.key) + ": ";
            members += member.value;
        }
        return members.empty() ? "" : "{" + members + "}";
    }

    void readOrigin(store::KernelRecord& kernel)
    {
        kernel.hardware = described(Field::Hardware);
        kernel.path = described(Field::Path);
        kernel.repository = described(Field::Repository);
        kernel.revision = described(Field::Revision);
        kernel.licence = described(Field::Licence);
        kernel.entryPoint = described(Field::EntryPoint);
    }

    void readLabels(store::KernelRecord& kernel)
    {
        kernel.title = described(Field::Title);
        kernel.family = described(Field::Family);
        if (kernel.family.empty())
            kernel.family = opFamily(kernel.title, kernel.referenceSource.value_or(""));
        if (kernel.title.empty())
            kernel.title = kernel.externalId;
        kernel.language = described(Field::Language);
        if (kernel.language.empty())
            kernel.language = languageOf(kernel.candidateSource.value_or(""));
    }

    const FieldMapping& m_mapping;
    const Line& m_line;
    const json::Document& m_row;
    std::set<std::string> m_sourceMembers;
};

class JsonLinesImporter : public Importer {
public:
    std::string_view format() const override { return "json-lines"; }
    std::string_view description() const override
    {
        return "JSON Lines of any origin; options say which member is which (candidate=..., reference=..., id=..., claim=..., "
               "speedup=...)";
    }

    std::vector<std::string_view> optionKeys() const override { return FieldMapping::optionKeys(); }

    int sniff(const Probe& probe) const override
    {
        const bool lines = probe.shape == ContentShape::JsonLines;
        if (!lines && probe.shape != ContentShape::JsonObject)
            return 0;
        // A single object that spans one line may be a file of one row, but only sources tell it from a document.
        if (hasKeys(probe, "id", "reference_source", "candidate_source"))
            return 90;
        return lines ? 10 : 0;
    }

    void read(const std::filesystem::path& path, const ImportOptions& options, store::CorpusWriter& writer,
              const JobControl& control) const override
    {
        const FieldMapping mapping(options.values);
        forEachJsonLine(path, writer, control,
                        [&](const Line& line, const json::Document& row) { writer.add(RowReader(mapping, line, row).read()); });
    }
};

} // namespace

std::unique_ptr<Importer> makeJsonLinesImporter()
{
    return std::make_unique<JsonLinesImporter>();
}

} // namespace assay::ingest
