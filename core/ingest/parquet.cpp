// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/child_process.h"
#include "core/ingest/data_file.h"
#include "core/ingest/kernel_row.h"
#include "core/ingest/progress.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace fs = std::filesystem;

namespace assay::ingest {

namespace {

constexpr const char* kReader = "worker/assay_worker/parquet_rows.py";
// Its exit states.
constexpr int kNoPyarrow = 3;
constexpr int kUnreadable = 4;

constexpr std::size_t kChunk = std::size_t{256} << 10;
// How long a stop request may go unnoticed while the reader is silent.
constexpr int kPollMilliseconds = 100;

std::string firstLine(const std::string& text)
{
    const std::string line = text.substr(0, text.find('\n'));
    return line.empty() ? "no reason given" : line;
}

/// Rows of a Parquet file, as the worker-side Python writes them: one JSON object a line.
class RowPipe {
public:
    RowPipe(const fs::path& file, const std::string& python, const JobControl& control)
        : m_file(file)
        , m_python(python)
        , m_control(control)
        , m_child(start(file, python))
    {
    }

    /// False at the end. @throws Error when the file could not be read, Cancelled
    bool next(std::string& row)
    {
        std::size_t scanned = m_at;
        for (;;) {
            const std::size_t end = m_buffer.find('\n', scanned);
            if (end != std::string::npos) {
                row.assign(m_buffer, m_at, end - m_at);
                m_at = end + 1;
                return true;
            }
            m_buffer.erase(0, m_at);
            m_at = 0;
            scanned = m_buffer.size();
            if (!fill()) {
                checkEnd();
                return false;
            }
        }
    }

private:
    static std::vector<std::string> start(const fs::path& file, const std::string& python)
    {
        const fs::path script = dataFile(kReader);
        std::error_code error;
        if (!fs::exists(script, error))
            throw Error("the Parquet reader of this installation is missing", script.string(), "Install Assay again.");
        const fs::path program = fs::absolute(python);
        if (python.find('/') == std::string::npos || !fs::exists(program, error))
            throw Error(
                fmt::format("Parquet is read with Python, and {} is not there", python), file.string(),
                "Install python3 with pyarrow, name another with python=/path/to/python3, or convert the file to JSON Lines.");
        return {program.string(), "-I", "-B", script.string(), fs::absolute(file).string()};
    }

    bool fill()
    {
        while (!m_child.isReadable(kPollMilliseconds)) {
            if (m_control.stop.stop_requested())
                throw Cancelled();
        }
        const std::size_t kept = m_buffer.size();
        m_buffer.resize(kept + kChunk);
        const std::size_t got = m_child.read(m_buffer.data() + kept, kChunk);
        m_buffer.resize(kept + got);
        return got > 0;
    }

    void checkEnd()
    {
        const int status = m_child.wait();
        if (status == 0 && m_buffer.empty())
            return;
        const std::string reason = firstLine(m_child.errorText());
        if (status == kNoPyarrow)
            throw Error(
                fmt::format("Parquet needs pyarrow, and {} does not have it", m_python), m_file.string(),
                "Install pyarrow for that Python, name another with python=/path/to/python3, or convert the file to JSON Lines.");
        if (status == kUnreadable)
            throw Error("the Parquet file cannot be read: " + reason, m_file.string(), "Check that it is complete.");
        throw Error(fmt::format("the Parquet reader ended with status {}: {}", status, reason), m_file.string(),
                    fmt::format("Run {} {} {} to see it by itself.", m_python, dataFile(kReader).string(), m_file.string()));
    }

    fs::path m_file;
    std::string m_python;
    const JobControl& m_control;
    ChildProcess m_child;
    std::string m_buffer;
    std::size_t m_at = 0;
};

class ParquetImporter : public Importer {
public:
    std::string_view format() const override { return "parquet"; }
    std::string_view description() const override
    {
        return "Parquet tables and conversations (Dr. Kernel), read with pyarrow; options python=PATH, turn=last|best|N and the "
               "fields of json-lines";
    }

    std::vector<std::string_view> optionKeys() const override
    {
        std::vector<std::string_view> keys = KernelRowReader::optionKeys();
        keys.emplace_back("python");
        return keys;
    }

    int sniff(const Probe& probe) const override { return probe.head.starts_with("PAR1") ? 100 : 0; }

    void read(const fs::path& path, const ImportOptions& options, store::CorpusWriter& writer,
              const JobControl& control) const override
    {
        KernelRowReader rows(options, fs::absolute(path).parent_path());
        const auto python = options.values.find("python");
        RowPipe pipe(path, python == options.values.end() ? "/usr/bin/python3" : python->second, control);
        ProgressMeter progress(control, 0);
        std::string text;
        for (std::int64_t number = 1; pipe.next(text); ++number) {
            progress.step(0, number);
            const std::string ordinal = fmt::format("row {}", number);
            json::Document value;
            if (const auto failure = json::parseStrictly(text, value)) {
                writer.reject({0, -1, ordinal, "the row cannot be kept: " + failure->reason});
                continue;
            }
            if (!value.IsObject()) {
                writer.reject({0, -1, ordinal, "the row is not an object"});
                continue;
            }
            KernelRowReader::addLowerCaseNames(value);
            try {
                writer.add(rows.read({text, 0, -1, ordinal}, value));
            } catch (const store::DatabaseError&) {
                throw;
            } catch (const Error& error) {
                writer.reject({0, -1, ordinal, error.problem()});
            }
        }
    }
};

} // namespace

std::unique_ptr<Importer> makeParquetImporter()
{
    return std::make_unique<ParquetImporter>();
}

} // namespace assay::ingest
