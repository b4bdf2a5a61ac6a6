// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::ingest {

namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10;

std::string_view withoutLineEnd(std::string_view text)
{
    if (text.ends_with('\n'))
        text.remove_suffix(1);
    if (text.ends_with('\r'))
        text.remove_suffix(1);
    return text;
}

/// Fields of one line when every quote in it is an ordinary character.
std::size_t plainFieldCount(std::string_view line)
{
    return static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
}

} // namespace

CsvReader::CsvReader(ReadBytes read, std::int64_t firstByte, std::size_t maxRecordBytes)
    : m_read(std::move(read))
    , m_maxRecordBytes(maxRecordBytes)
    , m_offset(firstByte)
{
}

bool CsvReader::more()
{
    if (m_ended)
        return false;
    const std::size_t kept = m_buffer.size();
    m_buffer.resize(kept + kChunk);
    const std::size_t got = m_read(m_buffer.data() + kept, kChunk);
    m_buffer.resize(kept + got);
    m_ended = got == 0;
    return got > 0;
}

void CsvReader::consume(std::size_t bytes)
{
    const auto begin = m_buffer.begin() + static_cast<std::ptrdiff_t>(m_at);
    m_line += std::count(begin, begin + static_cast<std::ptrdiff_t>(bytes), '\n');
    m_at += bytes;
    m_offset += static_cast<std::int64_t>(bytes);
    if (m_at >= kChunk) {
        m_buffer.erase(0, m_at);
        m_at = 0;
    }
}

// Bytes of the line that starts here, line end included.
std::size_t CsvReader::lineLength()
{
    std::size_t from = m_at;
    for (;;) {
        const std::size_t end = m_buffer.find('\n', from);
        if (end != std::string::npos)
            return end + 1 - m_at;
        from = m_buffer.size();
        if (!more())
            return m_buffer.size() - m_at;
    }
}

// Reads from after the opening quote to after the closing one; npos with a problem where it is not closed well.
std::size_t CsvReader::parseQuoted(std::size_t at, std::string& field, std::string& problem)
{
    for (;;) {
        const std::size_t quote = m_buffer.find('"', at);
        const std::size_t end = std::min(quote, m_buffer.size());
        field.append(m_buffer, at, end - at);
        at = end;
        if (at - m_at > m_maxRecordBytes) {
            problem = fmt::format("a quoted field grows past {} bytes: a quote is probably not closed", m_maxRecordBytes);
            return std::string::npos;
        }
        if (at == m_buffer.size()) {
            if (more())
                continue;
            problem = "a quote is not closed before the end of the file";
            return std::string::npos;
        }
        ++at;
        if (at == m_buffer.size() && !more())
            return at;
        if (m_buffer[at] == '"') {
            field += '"';
            ++at;
            continue;
        }
        const bool lineEnds = m_buffer[at] == '\n'
            || (m_buffer[at] == '\r' && (at + 1 < m_buffer.size() || more()) && m_buffer[at + 1] == '\n')
            || (m_buffer[at] == '\r' && at + 1 == m_buffer.size());
        if (m_buffer[at] == ',' || lineEnds)
            return at;
        problem
            = "a closing quote is followed by something else than a comma or the end of the line: a quote is probably missing";
        return std::string::npos;
    }
}

CsvReader::Parsed CsvReader::parseRecord()
{
    Parsed parsed;
    std::size_t at = m_at;
    for (;;) {
        std::string field;
        if (at < m_buffer.size() && m_buffer[at] == '"') {
            at = parseQuoted(at + 1, field, parsed.problem);
            if (at == std::string::npos)
                return parsed;
        } else {
            std::size_t end = m_buffer.find_first_of(",\n", at);
            for (std::size_t scanned = m_buffer.size(); end == std::string::npos && more(); scanned = m_buffer.size())
                end = m_buffer.find_first_of(",\n", scanned);
            end = std::min(end, m_buffer.size());
            field = m_buffer.substr(at, end - at);
            at = end;
            if ((at == m_buffer.size() || m_buffer[at] == '\n') && field.ends_with('\r'))
                field.pop_back();
        }
        parsed.fields.push_back(std::move(field));
        if (at < m_buffer.size() && m_buffer[at] == '\r')
            ++at;
        if (at == m_buffer.size() || m_buffer[at] == '\n') {
            parsed.length = std::min(at + 1, m_buffer.size()) - m_at;
            return parsed;
        }
        ++at;
        if (at == m_buffer.size())
            more();
    }
}

// True where most lines inside a broken record are records by themselves: the record has swallowed them. One such line alone may
// be a line of code with as many commas.
bool CsvReader::holdsWholeLines(std::string_view record) const
{
    std::size_t lines = 0;
    std::size_t whole = 0;
    while (!record.empty()) {
        const std::size_t end = std::min(record.find('\n'), record.size());
        ++lines;
        whole += plainFieldCount(record.substr(0, end)) == m_columns ? 1 : 0;
        record.remove_prefix(std::min(end + 1, record.size()));
    }
    return lines > 1 && 2 * whole >= lines;
}

bool CsvReader::next(CsvRecord& record)
{
    record = {};
    for (;;) {
        const std::size_t length = lineLength();
        if (length == 0)
            return false;
        if (!withoutLineEnd(std::string_view(m_buffer).substr(m_at, length)).empty())
            break;
        consume(length);
    }
    record.line = m_line;
    record.byte = m_offset;
    Parsed parsed = parseRecord();
    if (parsed.problem.empty() && m_columns != 0 && parsed.fields.size() != m_columns) {
        record.problem = fmt::format("{} fields where the header has {}", parsed.fields.size(), m_columns);
        const std::string_view whole = withoutLineEnd(std::string_view(m_buffer).substr(m_at, parsed.length));
        if (holdsWholeLines(whole))
            parsed.problem = record.problem + ", and its lines are records by themselves: a quote is probably not closed";
    }
    if (!parsed.problem.empty()) {
        record.problem = parsed.problem;
        parsed.length = lineLength();
        parsed.fields.clear();
    }
    record.raw = withoutLineEnd(std::string_view(m_buffer).substr(m_at, parsed.length));
    if (record.problem.empty() && record.raw.find('\0') != std::string::npos)
        record.problem = "the record holds a NUL byte";
    record.fields = std::move(parsed.fields);
    if (m_columns == 0)
        m_columns = record.fields.size();
    consume(parsed.length);
    return true;
}

} // namespace assay::ingest
