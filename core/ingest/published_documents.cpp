// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/byte_source.h"
#include "core/ingest/probe.h"
#include "core/ingest/progress.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

namespace assay::ingest {

namespace {

/// How one kind of aggregate is recognised: by its top-level members. Where two kinds share them, the file's name decides.
struct DocumentKind {
    std::string_view kind;
    std::initializer_list<std::string_view> members;
    std::string_view inName = "";
};

const std::array<DocumentKind, 15> kKinds = {{
    {"cross_table", {"joined_rows", "cells_paper_era"}},
    {"agreement", {"joined_rows", "agreement_rate", "disagreements"}},
    {"calibration", {"op", "gates", "summary", "note"}},
    {"positive_control", {"kernels", "summary"}},
    {"sample", {"bucket_sizes", "n_selected", "selected"}},
    {"environment", {"gpus", "torch", "platform"}},
    {"funnel", {"funnel", "floor_channels"}},
    {"floor", {"headline_finding_rate", "all"}},
    {"reconfirm", {"corpus", "classes", "all"}, "reconfirm"},
    {"funnel", {"corpus", "classes", "all"}},
    {"sakana", {"population", "contract_findings", "gate_fail_counts"}},
    {"timing", {"schema", "env", "timing_ms"}},
    {"timing", {"bench", "runs", "env"}},
    {"probe", {"schema", "env", "modes", "verdict"}},
    {"repro", {"evidence", "evidence_matches", "runs"}},
}};

/// First words of a log that Triton prints while it tries configurations.
constexpr std::array<std::string_view, 2> kLogStarts = {"Autotuning kernel ", "Triton autotuning for function "};

bool isLog(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && std::any_of(kLogStarts.begin(), kLogStarts.end(), [&](std::string_view start) {
               return text.substr(first).starts_with(start);
           });
}

template <typename HasMember> std::string_view kindOf(const std::filesystem::path& path, const HasMember& hasMember)
{
    const std::string name = path.filename().string();
    for (const DocumentKind& kind : kKinds) {
        if (name.find(kind.inName) != std::string::npos && std::all_of(kind.members.begin(), kind.members.end(), hasMember))
            return kind.kind;
    }
    return "";
}

std::string escapedForPointer(std::string_view key)
{
    std::string out;
    for (const char c : key) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

/// Turns every value of a document into a figure with its JSON pointer.
class Flattener {
public:
    Flattener(std::string_view kind, std::vector<store::PublishedFigure>& figures)
        : m_kind(kind)
        , m_figures(figures)
    {
    }

    /// @throws Error  when an object has a member twice: two values would share one pointer
    void flatten(const json::Value& value, const std::string& pointer)
    {
        if (value.IsObject())
            flattenObject(value, pointer);
        else if (value.IsArray())
            flattenArray(value, pointer);
        else
            m_figures.push_back(figure(value, pointer));
    }

private:
    void flattenObject(const json::Value& value, const std::string& pointer)
    {
        std::vector<std::string_view> names;
        for (const auto& member : value.GetObject())
            names.emplace_back(member.name.GetString(), member.name.GetStringLength());
        std::sort(names.begin(), names.end());
        if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
            throw Error(fmt::format("the member \"{}\" appears twice", *twice), pointer, "");
        for (const auto& member : value.GetObject())
            flatten(member.value, pointer + "/" + escapedForPointer({member.name.GetString(), member.name.GetStringLength()}));
    }

    void flattenArray(const json::Value& value, const std::string& pointer)
    {
        for (rapidjson::SizeType i = 0; i < value.Size(); ++i)
            flatten(value[i], fmt::format("{}/{}", pointer, i));
    }

    store::PublishedFigure figure(const json::Value& value, const std::string& pointer) const
    {
        store::PublishedFigure figure{m_kind, pointer, {}, ""};
        if (value.IsString()) {
            figure.text.assign(value.GetString(), value.GetStringLength());
        } else if (value.IsNumber()) {
            figure.value = tensor::measured(value.GetDouble());
            // A double would round such an integer.
            if (value.IsLosslessDouble() == false && !value.IsDouble())
                figure.text = value.IsInt64() ? std::to_string(value.GetInt64()) : std::to_string(value.GetUint64());
        } else if (value.IsBool()) {
            figure.text = value.GetBool() ? "true" : "false";
        } else {
            figure.text = "null";
        }
        return figure;
    }

    std::string m_kind;
    std::vector<store::PublishedFigure>& m_figures;
};

std::int64_t lineOf(std::string_view text, std::size_t byte)
{
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size())), '\n');
}

class PublishedDocumentsImporter : public Importer {
public:
    std::string_view format() const override { return "published-documents"; }
    std::string_view description() const override
    {
        return "aggregate files of a published audit: cross table, agreement, calibration, controls, sample, environment, "
               "timings";
    }

    int sniff(const Probe& probe) const override
    {
        if (probe.shape == ContentShape::Text)
            return isLog(probe.head) ? 80 : 0;
        if (probe.shape != ContentShape::JsonObject)
            return 0;
        return kindOf(probe.path, [&](std::string_view member) { return hasKeys(probe, member); }).empty() ? 0 : 80;
    }

    void read(const std::filesystem::path& path, const ImportOptions&, store::CorpusWriter& writer,
              const JobControl& control) const override
    {
        const std::string content = readWholeFile(path, kMaxDocumentBytes);
        const std::string name = path.filename().string();
        const auto bytes = static_cast<std::int64_t>(content.size());
        ProgressMeter progress(control, bytes);
        progress.step(bytes, 1);
        progress.finish(bytes, 1);
        std::vector<store::PublishedFigure> figures;
        if (isLog(content)) {
            const auto lines = static_cast<double>(lineOf(content, content.size()) - (content.ends_with('\n') ? 1 : 0));
            figures.push_back({"repro", "/lines", tensor::measured(lines), ""});
            writer.addPublished("repro", name, content, figures);
            return;
        }
        readJson(path, content, writer, figures);
    }

private:
    static void readJson(const std::filesystem::path& path, const std::string& content, store::CorpusWriter& writer,
                         std::vector<store::PublishedFigure>& figures)
    {
        const std::string name = path.filename().string();
        json::Document document;
        if (const auto failure = json::parseStrictly(content, document)) {
            writer.reject(
                {lineOf(content, failure->byte), static_cast<std::int64_t>(failure->byte), name, "not JSON: " + failure->reason});
            return;
        }
        if (!document.IsObject()) {
            writer.reject({1, 0, name, "not an aggregate file: the document is no JSON object"});
            return;
        }
        std::string_view kind = kindOf(path, [&](std::string_view member) { return json::find(document, member) != nullptr; });
        if (kind.empty())
            kind = "document"; // asked for by --format: kept and shown, without a table of its own
        try {
            Flattener(kind, figures).flatten(document, "");
        } catch (const Error& error) {
            writer.reject({0, -1, name + error.where(), error.problem()});
            return;
        }
        writer.addPublished(std::string(kind), name, content, figures);
    }
};

} // namespace

std::unique_ptr<Importer> makePublishedDocumentsImporter()
{
    return std::make_unique<PublishedDocumentsImporter>();
}

} // namespace assay::ingest
