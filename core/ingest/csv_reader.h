// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/json_elements.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::ingest {

/// One record of a CSV file.
struct CsvRecord {
    std::vector<std::string> fields;
    std::string raw;       ///< the bytes of the record without its line end
    std::int64_t line = 0; ///< 1-based line that the record starts on
    std::int64_t byte = 0; ///< offset of its first byte
    std::string problem;   ///< why the record cannot be used, or ""
};

/// Records of a CSV file after RFC 4180: quoted fields with line breaks and doubled quotes, CR LF and LF, blank lines skipped.
/// A quote inside a field that does not start with one is an ordinary character.
///
/// A quote that is never closed must not swallow the rest of the file. Where a quoted field runs to the end of the file, grows
/// past the limit, or is followed by something else than a comma, only the line it started on is given back as unusable and
/// reading goes on at the next line. So too where a record of several lines has the wrong number of fields and at least half of
/// its lines have the right number by themselves.
class CsvReader {
public:
    /// Kernels with their conversations reach some hundred KB in one field.
    static constexpr std::size_t kMaxRecordBytes = std::size_t{8} << 20;

    /// @param firstByte  offset of the first byte that @p read delivers
    CsvReader(ReadBytes read, std::int64_t firstByte, std::size_t maxRecordBytes = kMaxRecordBytes);

    /// False at the end. The first record is the header: every later one must have as many fields.
    bool next(CsvRecord& record);

private:
    struct Parsed {
        std::vector<std::string> fields;
        std::size_t length = 0; ///< bytes of the record, line end included
        std::string problem;    ///< a quote that is not closed well
    };

    bool more();
    Parsed parseRecord();
    std::size_t parseQuoted(std::size_t at, std::string& field, std::string& problem);
    std::size_t lineLength();
    bool holdsWholeLines(std::string_view record) const;
    void consume(std::size_t bytes);

    ReadBytes m_read;
    std::size_t m_maxRecordBytes;
    std::string m_buffer;
    std::size_t m_at = 0;
    std::int64_t m_offset = 0;
    std::int64_t m_line = 1;
    std::size_t m_columns = 0;
    bool m_ended = false;
};

} // namespace assay::ingest
