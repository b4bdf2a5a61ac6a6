// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/byte_source.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::ingest {

/// One line that is not blank.
struct Line {
    std::string_view text;   ///< without line end; valid until the next call of LineReader::next
    std::int64_t number = 0; ///< 1-based, blank lines counted
    std::int64_t byte = 0;   ///< offset of its first byte in the decompressed file
    std::string problem; ///< why the line cannot be used (too long, cut off by a damaged stream), or ""; text may then be short
    bool terminated = false; ///< a line end follows: the last line of a file that was cut off lacks it
};

/// Lines of a text stream: LF and CRLF, any length up to kMaxLineBytes, blank lines skipped and counted.
class LineReader {
public:
    /// Longest line that is kept; kernels with their conversations reach some MB. Longer lines are skipped and say so in
    /// Line::problem.
    static constexpr std::size_t kMaxLineBytes = std::size_t{256} << 20;

    explicit LineReader(ByteSource& source, std::size_t maxLineBytes = kMaxLineBytes);

    /// False at the end. @throws Error when the disk fails
    bool next(Line& line);

private:
    bool fill();
    bool takeLine(Line& line);
    bool finishSkipping();
    std::string_view consume(std::size_t stop, bool terminated);

    ByteSource& m_source;
    std::size_t m_maxLineBytes;
    std::string m_buffer;
    std::size_t m_begin = 0;   ///< first byte of the buffer that belongs to no line yet
    std::size_t m_scanned = 0; ///< no line end between m_begin and this
    std::int64_t m_offset = 0; ///< offset in the content of m_buffer[m_begin]
    std::int64_t m_number = 0;
    bool m_started = false;
    bool m_ended = false;
    bool m_skipping = false; ///< inside a line that was too long
    bool m_damageTold = false;
};

} // namespace assay::ingest
