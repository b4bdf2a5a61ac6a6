// SPDX-License-Identifier: Apache-2.0
#include "core/runner/mutant.h"

#include "core/runner/verify_ask.h"
#include "core/text/error.h"
#include "core/text/json.h"

#include <algorithm>
#include <utility>

namespace assay::runner {

namespace fs = std::filesystem;

namespace {

/// Reads the members of one mutant.json; a failure names the file.
class Facts {
public:
    explicit Facts(fs::path file)
        : m_file(std::move(file))
    {
        const Source source = readSource(m_file, "a mutant");
        if (const auto failure = json::parse(source.text, m_document))
            refuse("is no JSON at byte " + std::to_string(failure->byte) + ": " + failure->reason);
    }

    std::string text(const char* key) const
    {
        const auto value = json::stringAt(m_document, key);
        if (!value || value->empty())
            refuse(std::string("has no text \"") + key + "\"");
        return *value;
    }

    std::string number() const
    {
        const auto value = json::integerAt(m_document, "number");
        return value ? std::to_string(*value) : text("number");
    }

    std::vector<contract::Gate> gates() const
    {
        std::vector<contract::Gate> gates;
        const json::Value* const list = json::find(m_document, "gates");
        for (rapidjson::SizeType i = 0; list != nullptr && list->IsArray() && i < list->Size(); ++i) {
            const json::Value& element = (*list)[i];
            const auto gate = element.IsString() ? contract::gateFromId(element.GetString()) : std::nullopt;
            if (!gate)
                refuse("names a gate that is none");
            gates.push_back(*gate);
        }
        if (gates.empty())
            refuse("names no gate that has to catch it");
        return gates;
    }

    contract::Severity severity() const { return known("severity", contract::severityFromName(text("severity"))); }
    contract::Verdict verdict() const { return known("verdict", contract::verdictFromName(text("verdict"))); }

    std::map<std::string, Mutant::Forms> forms() const
    {
        std::map<std::string, Mutant::Forms> forms;
        const json::Value* const devices = json::find(m_document, "forms");
        if (devices == nullptr || !devices->IsObject())
            refuse("has no forms");
        for (const auto& [device, files] : devices->GetObject()) {
            const auto broken = json::stringAt(files, "broken");
            const auto conforming = json::stringAt(files, "conforming");
            if (!broken || !conforming)
                refuse("lacks a broken or a conforming form");
            forms[device.GetString()] = {m_file.parent_path() / *broken, m_file.parent_path() / *conforming};
        }
        return forms;
    }

    std::string failsWith() const
    {
        const json::Value* const members = json::find(m_document, "fails_with");
        return members == nullptr ? "" : json::toText(*members);
    }

private:
    template <typename T> T known(const char* key, const std::optional<T>& value) const
    {
        if (!value)
            refuse(std::string("has an unknown ") + key);
        return *value;
    }

    [[noreturn]] void refuse(const std::string& what) const
    {
        throw Error("the mutant " + what, m_file.string(), "Compare it with another mutant.json");
    }

    fs::path m_file;
    json::Document m_document;
};

Mutant loadMutant(const fs::path& file)
{
    const Facts facts(file);
    Mutant mutant;
    mutant.folder = file.parent_path().filename().string();
    mutant.id = facts.text("id");
    mutant.number = facts.number();
    mutant.behaviour = facts.text("behaviour");
    mutant.gates = facts.gates();
    mutant.severity = facts.severity();
    mutant.verdict = facts.verdict();
    mutant.reference = (file.parent_path() / facts.text("reference")).lexically_normal();
    mutant.profile = facts.text("profile");
    mutant.failsWith = facts.failsWith();
    mutant.forms = facts.forms();
    return mutant;
}

/// "9" before "10" before "E1".
std::pair<std::size_t, std::string> rank(const Mutant& mutant)
{
    return {mutant.number.size() + (isPublished(mutant) ? 0 : 100), mutant.number};
}

} // namespace

std::vector<Mutant> loadMutants(const fs::path& folder)
{
    std::vector<Mutant> mutants;
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
        const fs::path file = entry.path() / "mutant.json";
        if (fs::exists(file))
            mutants.push_back(loadMutant(file));
    }
    if (mutants.empty())
        throw Error("no mutants" + (failure ? ": " + failure.message() : std::string()), folder.string(),
                    "Install Assay with its data");
    std::sort(mutants.begin(), mutants.end(), [](const Mutant& a, const Mutant& b) { return rank(a) < rank(b); });
    return mutants;
}

bool isCharged(const Mutant& mutant)
{
    return mutant.severity != contract::Severity::Note;
}

bool isPublished(const Mutant& mutant)
{
    return !mutant.number.starts_with('E');
}

} // namespace assay::runner
