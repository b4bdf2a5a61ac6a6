// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/byte_source.h"
#include "core/ingest/json_elements.h"
#include "core/ingest/kernel_row.h"
#include "core/ingest/probe.h"
#include "core/ingest/progress.h"
#include "core/ingest/row_loop.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::ingest {

namespace {

/// Members that hold a list of kernels, or an object with such a list. Others ("best_kernel", "all_ideas") repeat or describe.
bool holdsKernels(std::string_view key)
{
    static constexpr std::string_view kNames[]
        = {"all_kernels", "data",    "entries",        "examples",    "items",  "kernels", "records", "results",
           "rows",        "samples", "search_results", "submissions", "traces", "train",   "test"};
    return std::find(std::begin(kNames), std::end(kNames), key) != std::end(kNames);
}

/// Settings of the document that stand for what its rows leave out.
void readContext(KernelRowReader& reader, std::string_view pointer, std::string_view text)
{
    json::Document value;
    if (json::parseStrictly(text, value))
        return;
    static constexpr std::string_view kStandsForRows[] = {"problem_name", "gpu_name", "hardware", "gpu"};
    const auto keep = [&reader](std::string_view key, const json::Value& member) {
        if (member.IsString() && std::find(std::begin(kStandsForRows), std::end(kStandsForRows), key) != std::end(kStandsForRows))
            reader.setContext(key, {member.GetString(), member.GetStringLength()});
    };
    keep(pointer.substr(pointer.find_last_of('/') + 1), value);
    if (pointer == "/metadata" && value.IsObject()) {
        for (const auto& member : value.GetObject())
            keep({member.name.GetString(), member.name.GetStringLength()}, member.value);
    }
}

class ArrayReader {
public:
    ArrayReader(const std::filesystem::path& path, const ImportOptions& options, store::CorpusWriter& writer,
                const JobControl& control)
        : m_path(path)
        , m_writer(writer)
        , m_control(control)
        , m_rows(options, std::filesystem::absolute(path).parent_path())
    {
    }

    void readLines()
    {
        forEachJsonLine(m_path, m_writer, m_control, [this](const Line& line, const json::Document& row) {
            m_writer.add(m_rows.read({line.text, line.number, line.byte, fmt::format("line {}", line.number)}, row));
        });
    }

    void readDocument()
    {
        ByteSource source(m_path);
        ProgressMeter progress(m_control, source.rawBytes());
        std::string first(1, '\0');
        // The first byte is read ahead because the source knows its offset (after a byte order mark) only then.
        const std::size_t got = source.read(first.data(), 1);
        first.resize(got);
        std::int64_t elements = 0;
        JsonElementWalk::Callbacks callbacks;
        callbacks.entersKey = holdsKernels;
        callbacks.context = [this](std::string_view pointer, std::string_view text) { readContext(m_rows, pointer, text); };
        callbacks.element = [&](JsonElement&& element) {
            progress.step(source.rawBytesRead(), ++elements);
            addElement(element);
        };
        const ReadBytes read = [&source, &first](char* out, std::size_t capacity) {
            if (first.empty())
                return source.read(out, capacity);
            out[0] = first[0];
            first.clear();
            return std::size_t{1};
        };
        JsonElementWalk walk(read, source.firstByte(), callbacks);
        const std::optional<JsonBreak> broken = walk.run();
        if (broken) {
            const std::string damage = source.damage() ? "; the compressed stream is damaged: " + source.damage()->reason : "";
            m_writer.reject(
                {0, broken->byte, broken->pointer, fmt::format("{} at byte {}{}", broken->reason, broken->end, damage)});
        } else if (elements == 0) {
            readSingle();
        }
    }

private:
    void addElement(const JsonElement& element)
    {
        json::Document value;
        if (const auto failure = json::parseStrictly(element.text, value)) {
            m_writer.reject(
                {0, element.byte + static_cast<std::int64_t>(failure->byte), element.pointer, "not JSON: " + failure->reason});
            return;
        }
        if (!value.IsObject()) {
            m_writer.reject({0, element.byte, element.pointer, "the element is not an object"});
            return;
        }
        add({element.text, 0, element.byte, element.pointer}, value);
    }

    /// A document that is itself one row.
    void readSingle()
    {
        const std::string text = readWholeFile(m_path, kMaxDocumentBytes);
        json::Document value;
        if (json::parseStrictly(text, value) || !value.IsObject())
            throw Error("the document holds no list of kernels", m_path.string(), "Name another format, or none.");
        add({text, 0, 0, m_path.stem().string()}, value);
    }

    void add(const KernelRow& row, const json::Value& value)
    {
        try {
            m_writer.add(m_rows.read(row, value));
        } catch (const store::DatabaseError&) {
            throw;
        } catch (const Error& error) {
            m_writer.reject({row.line, row.byte, row.ordinal, error.problem()});
        }
    }

    std::filesystem::path m_path;
    store::CorpusWriter& m_writer;
    const JobControl& m_control;
    KernelRowReader m_rows;
};

class JsonArrayImporter : public Importer {
public:
    std::string_view format() const override { return "json-array"; }
    std::string_view description() const override
    {
        return "JSON arrays of kernels, alone or inside a document, and conversations; options turn=last|best|N, problems=DIR, "
               "sources=DIR and "
               "the fields of json-lines";
    }

    std::vector<std::string_view> optionKeys() const override { return KernelRowReader::optionKeys(); }

    int sniff(const Probe& probe) const override
    {
        if (probe.shape == ContentShape::JsonArray)
            return KernelRowReader::tellsOfKernels(probe.keys) ? 40 : 0;
        if (probe.shape == ContentShape::JsonLines)
            return hasKeys(probe, "messages") || hasKeys(probe, "turns") ? 60 : 0;
        if (probe.shape != ContentShape::JsonObject)
            return 0;
        if (hasKeys(probe, "all_kernels") || hasKeys(probe, "search_results") || hasKeys(probe, "metadata", "kernels"))
            return 60;
        if (hasKeys(probe, "messages", "original_python_code") || hasKeys(probe, "turns", "pytorch_code"))
            return 50;
        const bool list
            = std::any_of(probe.keys.begin(), probe.keys.end(), [](const std::string& key) { return holdsKernels(key); });
        return list
                && (probe.head.find("\"correctness\"") != std::string::npos || probe.head.find("_code\"") != std::string::npos)
            ? 30
            : 0;
    }

    void read(const std::filesystem::path& path, const ImportOptions& options, store::CorpusWriter& writer,
              const JobControl& control) const override
    {
        ArrayReader reader(path, options, writer, control);
        if (probePath(path).shape == ContentShape::JsonLines)
            reader.readLines();
        else
            reader.readDocument();
    }
};

} // namespace

std::unique_ptr<Importer> makeJsonArrayImporter()
{
    return std::make_unique<JsonArrayImporter>();
}

} // namespace assay::ingest
