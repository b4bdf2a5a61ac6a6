// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/audit_rules.h"
#include "core/ingest/finding.h"
#include "core/ingest/probe.h"
#include "core/ingest/reason_parser.h"
#include "core/ingest/row_loop.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

namespace assay::ingest {

namespace {

using contract::Verdict;

/// Members of a row that no column gives back to the byte, as raw JSON: the export puts them over what it writes from columns.
class Extra {
public:
    void add(std::string_view key, std::string_view raw) { append(m_members, key, raw); }
    void addGate(std::string_view key, std::string_view raw) { append(m_gates, key, raw); }

    std::string json() const
    {
        std::string members = m_members;
        if (!m_gates.empty())
            append(members, "gates", "{" + m_gates + "}");
        return members.empty() ? "" : "{" + members + "}";
    }

private:
    static void append(std::string& list, std::string_view key, std::string_view raw)
    {
        list += (list.empty() ? "" : ", ") + json::quoted(key) + ": ";
        list += raw;
    }

    std::string m_members;
    std::string m_gates;
};

bool isIntArray(const json::Value& value)
{
    if (!value.IsArray())
        return false;
    for (const json::Value& size : value.GetArray()) {
        if (!size.IsInt64())
            return false;
    }
    return true;
}

/// True when a REAL column gives the same text back.
bool survivesAsNumber(std::string_view raw, const json::Value& value)
{
    if (!value.IsDouble() || (value.GetDouble() == 0 && std::signbit(value.GetDouble()))) // SQLite stores -0.0 as 0.0
        return false;
    return json::exactNumber(value.GetDouble()) == raw;
}

/// @return elements of the shape; 0 where a size is negative or the product leaves 63 bits
std::int64_t elementsOf(const std::vector<std::int64_t>& shape)
{
    std::int64_t elements = 1;
    for (const std::int64_t size : shape) {
        if (size < 0 || __builtin_mul_overflow(elements, size, &elements))
            return 0;
    }
    return elements;
}

/// The row's id as text; integers keep all their digits. @throws Error
std::string idOf(const json::Value& id, std::string_view raw)
{
    if (id.IsString() && id.GetStringLength() > 0)
        return {id.GetString(), id.GetStringLength()};
    if (raw.find_first_not_of("-0123456789") == std::string_view::npos && id.IsNumber())
        return std::string(raw);
    throw Error(id.IsString() ? "the member \"id\" is empty" : "the member \"id\" is neither text nor an integer", "", "");
}

void fillFromFacts(store::GateRecord& gate, const std::vector<ReasonFact>& facts)
{
    const ReasonFact& lead = leadingFact(facts);
    gate.metric = lead.metric;
    gate.value = lead.value;
    gate.threshold = lead.threshold;
    gate.relative = lead.relative;
    gate.reasonCode = lead.code;
    gate.finding = gateFinding(gate.gate, facts);
    gate.checks.reserve(facts.size());
    for (const ReasonFact& fact : facts) {
        store::CheckRecord check;
        check.code = fact.stimulus.empty() ? contract::id(gate.gate) : fact.stimulus;
        check.verdict = fact.code == reason::kReferenceException ? Verdict::Inapplicable : gate.verdict;
        check.severity = check.verdict == gate.verdict ? gate.severity : contract::Severity::None;
        check.stimulus = fact.stimulus;
        check.metric = fact.metric;
        check.value = fact.value;
        check.threshold = fact.threshold;
        check.relative = fact.relative;
        check.reasonCode = fact.code;
        check.finding = checkFinding(fact);
        gate.checks.push_back(std::move(check));
    }
}

/// @return nothing when the member is not an object with a status
std::optional<store::GateRecord> readGate(contract::Gate id, const json::Value& value, std::int64_t nativeElements)
{
    const std::optional<std::string> status = json::stringAt(value, "status");
    if (!status)
        return std::nullopt;
    store::GateRecord gate;
    gate.gate = id;
    gate.legacyStatus = *status;
    gate.reason = json::stringAt(value, "reason").value_or("");
    if (const json::Value* skipped = json::find(value, "skipped"); skipped != nullptr && skipped->IsInt())
        gate.skipped = skipped->GetInt();
    setGateVerdict(gate);
    const std::vector<ReasonFact> facts = parseReason(gate.reason, id, nativeElements);
    if (!facts.empty())
        fillFromFacts(gate, facts);
    else if (contract::countsAgainstCandidate(gate.verdict))
        gate.finding = fmt::format("{}: fails, and the audit gives no reason.", contract::id(id));
    return gate;
}

/// Exactly as the schema spells it: another spelling would not come back in an export.
std::optional<contract::Gate> gateSpelled(std::string_view name)
{
    for (const contract::Gate gate : contract::kAllGates) {
        if (contract::id(gate) == name)
            return gate;
    }
    return std::nullopt;
}

/// True when status, reason and skipped are all there is and the columns give them back.
bool survivesAsColumns(const json::Value& gate)
{
    const json::Value* status = json::find(gate, "status");
    const json::Value* reason = json::find(gate, "reason");
    const json::Value* skipped = json::find(gate, "skipped");
    return gate.MemberCount() == 3 && status != nullptr && status->IsString() && reason != nullptr && reason->IsString()
        && skipped != nullptr && skipped->IsInt();
}

void readGates(const json::Value& gates, std::string_view raw, std::int64_t nativeElements, store::VerdictRecord& verdict,
               Extra& extra)
{
    std::optional<std::vector<json::RawMember>> rawGates; // only looked at where a gate does not fit the columns
    for (const auto& member : gates.GetObject()) {
        const std::string_view name(member.name.GetString(), member.name.GetStringLength());
        const std::optional<contract::Gate> id = gateSpelled(name);
        std::optional<store::GateRecord> gate;
        if (id && member.value.IsObject())
            gate = readGate(*id, member.value, nativeElements);
        if (!gate || !survivesAsColumns(member.value)) {
            if (!rawGates)
                rawGates = json::rawMembers(raw);
            extra.addGate(name, json::rawMember(*rawGates, name).value_or("null"));
        }
        if (!gate)
            continue;
        for (const store::GateRecord& earlier : verdict.gates) {
            if (earlier.gate == gate->gate)
                throw Error(fmt::format("the gate {} appears twice", name), "", "");
        }
        verdict.gates.push_back(std::move(*gate));
    }
}

/// Reads one row of the published schema (gates.md section 0.1) member by member.
class RowReader {
public:
    RowReader(const Line& line, const json::Document& row)
        : m_row(row)
        , m_members(json::rawMembers(line.text))
    {
        m_item.line = line.number;
        m_item.byte = line.byte;
        m_item.rowBytes = line.text;
    }

    /// @throws Error  when the row cannot be a row of this schema
    store::ImportedItem read()
    {
        store::VerdictRecord verdict;
        readShape(verdict);
        for (const json::RawMember& member : m_members)
            readMember(member, *json::find(m_row, member.key), verdict);
        if (m_item.kernel.externalId.empty())
            throw Error("the member \"id\" is missing", "", "");
        if (verdict.status.empty())
            throw Error("the member \"status\" is missing", "", "");
        verdict.extra = m_extra.json();
        applyPublishedRules(verdict);
        finishKernel(verdict);
        m_item.verdict = std::move(verdict);
        return std::move(m_item);
    }

private:
    // First, because the tolerances in the reasons depend on it.
    void readShape(store::VerdictRecord& verdict)
    {
        const json::Value* shape = json::find(m_row, "native_shape");
        if (shape == nullptr || !isIntArray(*shape))
            return;
        std::vector<std::int64_t> sizes;
        for (const json::Value& size : shape->GetArray())
            sizes.push_back(size.GetInt64());
        m_elements = elementsOf(sizes);
        verdict.nativeShape = std::move(sizes);
    }

    void readMember(const json::RawMember& member, const json::Value& value, store::VerdictRecord& verdict)
    {
        const std::string& key = member.key;
        bool fits = false;
        if (key == "id") {
            m_item.kernel.externalId = idOf(value, member.value);
            fits = value.IsString();
        } else if (key == "op_class") {
            m_item.kernel.family = textOf(value);
            fits = value.IsString();
        } else if (key == "status") {
            verdict.status = textOf(value);
            fits = value.IsString();
        } else if (key == "error") {
            fits = value.IsString();
            if (fits)
                verdict.error = textOf(value);
        } else if (key == "elapsed_s") {
            fits = survivesAsNumber(member.value, value);
            verdict.elapsedSeconds = json::numberAt(m_row, key);
        } else if (key == "final_speedup") {
            // What is not finite was not measured; the claim and the row's other members keep it as it was written.
            fits = survivesAsNumber(member.value, value);
            if (const auto speedup = json::numberAt(m_row, key); speedup && std::isfinite(*speedup))
                verdict.speedup = speedup;
            m_item.kernel.claim = member.value;
        } else if (key == "native_shape") {
            fits = verdict.nativeShape.has_value();
        } else if (key == "primary_idx") {
            verdict.primaryIndex = json::integerAt(m_row, key);
            fits = verdict.primaryIndex.has_value();
        } else if (key == "multi_output") {
            fits = value.IsBool();
            verdict.multiOutput = json::boolAt(m_row, key);
        } else if (key == "output_aliasing") {
            fits = value.IsBool();
            verdict.outputAliasing = json::boolAt(m_row, key);
        } else if (key == "candidate_sha256") {
            m_item.kernel.candidateSha256 = textOf(value);
        } else if (key == "reference_sha256") {
            m_item.kernel.referenceSha256 = textOf(value);
        } else if (key == "gates" && value.IsObject()) {
            fits = value.MemberCount() > 0; // an empty object leaves no gate row to come back from
            readGates(value, member.value, m_elements, verdict, m_extra);
        }
        if (!fits)
            m_extra.add(key, member.value);
    }

    static std::string textOf(const json::Value& value)
    {
        return value.IsString() ? std::string(value.GetString(), value.GetStringLength()) : std::string();
    }

    void finishKernel(const store::VerdictRecord& verdict)
    {
        store::KernelRecord& kernel = m_item.kernel;
        if (kernel.family.empty())
            kernel.family = "unknown";
        std::string sizes;
        for (const std::int64_t size : verdict.nativeShape.value_or(std::vector<std::int64_t>()))
            sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
        kernel.title = sizes.empty() ? kernel.family : kernel.family + " " + sizes;
        kernel.claimedSpeedup = verdict.speedup;
        if (verdict.speedup) {
            kernel.claimedCorrect = verdict.accepted;
            kernel.claimStatus = verdict.accepted ? "accepted" : "rejected";
        }
    }

    const json::Document& m_row;
    std::vector<json::RawMember> m_members;
    Extra m_extra;
    std::int64_t m_elements = 0;
    store::ImportedItem m_item;
};

class AuditRowsImporter : public Importer {
public:
    std::string_view format() const override { return "audit-rows"; }
    std::string_view description() const override
    {
        return "rows of the published audit: one kernel with its ten gates a line (.jsonl, .gz)";
    }

    int sniff(const Probe& probe) const override
    {
        const bool rows = probe.shape == ContentShape::JsonLines || probe.shape == ContentShape::JsonObject;
        return rows && hasKeys(probe, "id", "op_class", "status", "final_speedup") ? 95 : 0;
    }

    void read(const std::filesystem::path& path, const ImportOptions& options, store::CorpusWriter& writer,
              const JobControl& control) const override
    {
        store::AuditRecord audit;
        audit.name = options.auditName;
        audit.origin = options.corpusOrigin == "illustrative" ? "illustrative" : "published";
        writer.setAudit(audit);
        forEachJsonLine(path, writer, control,
                        [&writer](const Line& line, const json::Document& row) { writer.add(RowReader(line, row).read()); });
    }
};

} // namespace

std::unique_ptr<Importer> makeAuditRowsImporter()
{
    return std::make_unique<AuditRowsImporter>();
}

} // namespace assay::ingest
