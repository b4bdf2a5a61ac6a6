// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/byte_source.h"
#include "core/ingest/csv_reader.h"
#include "core/ingest/kernel_row.h"
#include "core/ingest/progress.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace assay::ingest {

namespace {

// A header longer than this is shown and matched by its beginning; no column that means something has such a name.
constexpr std::size_t kMaxColumnName = 200;
// Columns that a message about a whole file lists before it says "and so on".
constexpr std::size_t kListedColumns = 12;

/// Column names that are neither empty nor the same: "column 3", "name (2)".
std::vector<std::string> columnNames(const std::vector<std::string>& header)
{
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < header.size(); ++i) {
        std::string name = header[i].substr(0, kMaxColumnName);
        if (name.find_first_not_of(" \t") == std::string::npos)
            name = fmt::format("column {}", i + 1);
        std::string unique = name;
        for (int again = 2; !taken.insert(unique).second; ++again)
            unique = fmt::format("{} ({})", name, again);
        names.push_back(unique);
    }
    return names;
}

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kListedColumns); ++i)
        text += (i == 0 ? "" : ", ") + names[i].substr(0, 40);
    return text + (names.size() > kListedColumns ? ", and so on" : "");
}

/// One record as a JSON object of text members.
std::string objectText(const std::vector<std::string>& names, const std::vector<std::string>& fields)
{
    std::string text = "{";
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : ",") + json::quoted(names[i]) + ":" + json::quoted(fields[i]);
    return text + "}";
}

ReadBytes reading(ByteSource& source)
{
    return [&source](char* out, std::size_t capacity) { return source.read(out, capacity); };
}

class TableReader {
public:
    TableReader(const std::filesystem::path& path, const ImportOptions& options, store::CorpusWriter& writer,
                const JobControl& control)
        : m_path(path)
        , m_writer(writer)
        , m_control(control)
        , m_rows(options, std::filesystem::absolute(path).parent_path())
        , m_told(std::any_of(options.values.begin(), options.values.end(),
                             [](const auto& o) { return o.first != "turn" && o.first != "problems"; }))
    {
    }

    void read()
    {
        ByteSource source(m_path);
        ProgressMeter progress(m_control, source.rawBytes());
        // A byte order mark counts in offsets; the source knows of it after its first read, which has to be given back.
        std::string head(1, '\0');
        head.resize(source.read(head.data(), 1));
        const ReadBytes rest = reading(source);
        const ReadBytes all = [&head, &rest](char* out, std::size_t capacity) {
            if (head.empty())
                return rest(out, capacity);
            out[0] = head[0];
            head.clear();
            return std::size_t{1};
        };
        CsvReader csv(all, source.firstByte());
        CsvRecord record;
        readHeader(csv, record);
        for (std::int64_t rows = 1; csv.next(record); ++rows) {
            progress.step(source.rawBytesRead(), rows);
            addRecord(record);
        }
        if (source.damage())
            m_writer.reject(
                {record.line, source.damage()->byte, "", "the compressed stream is damaged: " + source.damage()->reason});
    }

private:
    void readHeader(CsvReader& csv, CsvRecord& record)
    {
        if (!csv.next(record))
            throw Error("the file is empty", m_path.string(), "There is nothing to import.");
        if (!record.problem.empty())
            throw Error("the header of the CSV cannot be read: " + record.problem,
                        fmt::format("{}, line {}", m_path.string(), record.line), "");
        m_names = columnNames(record.fields);
        if (!m_told && !KernelRowReader::tellsOfKernels(m_names))
            throw Error(
                fmt::format("no column of this CSV holds a kernel, or a problem with a result (columns: {})", listed(m_names)),
                m_path.string(), "If it does hold kernels, say which column is which (candidate=..., id=..., correct=...).");
    }

    void addRecord(const CsvRecord& record)
    {
        if (!record.problem.empty()) {
            m_writer.reject({record.line, record.byte, "", record.problem});
            return;
        }
        const std::string text = objectText(m_names, record.fields);
        json::Document row;
        if (const auto failure = json::parseStrictly(text, row)) {
            m_writer.reject({record.line, record.byte, "", "the record is not UTF-8 text: " + failure->reason});
            return;
        }
        KernelRowReader::addLowerCaseNames(row);
        try {
            store::ImportedItem item = m_rows.read({text, record.line, record.byte, fmt::format("line {}", record.line)}, row);
            item.rowBytes
                = record.raw + '\n' + item.kernel.candidateSource.value_or("") + '\n' + item.kernel.referenceSource.value_or("");
            m_writer.add(item);
        } catch (const store::DatabaseError&) {
            throw;
        } catch (const Error& error) {
            m_writer.reject({record.line, record.byte, "", error.problem()});
        }
    }

    std::filesystem::path m_path;
    store::CorpusWriter& m_writer;
    const JobControl& m_control;
    KernelRowReader m_rows;
    bool m_told; ///< options say which column is which
    std::vector<std::string> m_names;
};

/// True when the head reads as a table: a header of at least two columns and a record with as many.
bool looksLikeTable(const Probe& probe)
{
    std::size_t at = 0;
    const ReadBytes read = [&probe, &at](char* out, std::size_t capacity) {
        const std::size_t count = std::min(capacity, probe.head.size() - at);
        std::memcpy(out, probe.head.data() + at, count);
        at += count;
        return count;
    };
    CsvReader csv(read, 0);
    CsvRecord record;
    if (!csv.next(record) || !record.problem.empty() || record.fields.size() < 2)
        return false;
    // Prose has commas too; names of columns do not run over forty characters each, except where one was made to.
    const auto longNames
        = std::count_if(record.fields.begin(), record.fields.end(), [](const std::string& f) { return f.size() > 40; });
    if (2 * static_cast<std::size_t>(longNames) > record.fields.size())
        return false;
    bool any = false;
    for (int seen = 0; seen < 20 && csv.next(record); ++seen)
        any = any || record.problem.empty();
    return any;
}

class CsvImporter : public Importer {
public:
    std::string_view format() const override { return "csv"; }
    std::string_view description() const override
    {
        return "CSV tables of results, sources in a column or in files named after the problem; options sources=DIR, "
               "problems=DIR and the fields "
               "of json-lines";
    }

    std::vector<std::string_view> optionKeys() const override { return KernelRowReader::optionKeys(); }

    int sniff(const Probe& probe) const override { return probe.shape == ContentShape::Text && looksLikeTable(probe) ? 20 : 0; }

    void read(const std::filesystem::path& path, const ImportOptions& options, store::CorpusWriter& writer,
              const JobControl& control) const override
    {
        TableReader(path, options, writer, control).read();
    }
};

} // namespace

std::unique_ptr<Importer> makeCsvImporter()
{
    return std::make_unique<CsvImporter>();
}

} // namespace assay::ingest
