// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/line_reader.h"

#include <fmt/format.h>

namespace assay::ingest {

namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10;

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \t\r\f\v") == std::string_view::npos;
}

} // namespace

LineReader::LineReader(ByteSource& source, std::size_t maxLineBytes)
    : m_source(source)
    , m_maxLineBytes(maxLineBytes)
{
}

bool LineReader::next(Line& line)
{
    while (takeLine(line)) {
        if (!line.problem.empty() || !isBlank(line.text))
            return true;
    }
    return false;
}

bool LineReader::fill()
{
    if (m_ended)
        return false;
    // Consumed bytes go before the buffer grows, so it stays as long as the longest line and one chunk.
    m_buffer.erase(0, m_begin);
    m_scanned -= m_begin;
    m_begin = 0;
    const std::size_t kept = m_buffer.size();
    m_buffer.resize(kept + kChunk);
    const std::size_t got = m_source.read(m_buffer.data() + kept, kChunk);
    m_buffer.resize(kept + got);
    m_ended = got == 0;
    if (!m_started) {
        m_started = true;
        m_offset = m_source.firstByte();
    }
    return got > 0;
}

bool LineReader::takeLine(Line& line)
{
    line = Line();
    if (m_skipping && !finishSkipping())
        return false;
    std::size_t end = m_buffer.find('\n', m_scanned);
    while (end == std::string::npos) {
        m_scanned = m_buffer.size();
        if (m_buffer.size() - m_begin > m_maxLineBytes || !fill())
            break;
        end = m_buffer.find('\n', m_scanned);
    }
    line.terminated = end != std::string::npos;
    const std::size_t stop = line.terminated ? end : m_buffer.size();
    line.number = m_number + 1;
    line.byte = m_offset;
    if (stop - m_begin > m_maxLineBytes) {
        line.problem = fmt::format("the line is longer than {} bytes", m_maxLineBytes);
        m_skipping = !line.terminated;
    } else if (!line.terminated && m_source.damage() && !m_damageTold) {
        m_damageTold = true;
        line.problem = fmt::format("{} (byte {} of the compressed file)", m_source.damage()->reason, m_source.damage()->rawByte);
    } else if (!line.terminated && stop == m_begin) {
        return false;
    }
    line.text = consume(stop, line.terminated);
    ++m_number;
    return true;
}

std::string_view LineReader::consume(std::size_t stop, bool terminated)
{
    std::string_view text = std::string_view(m_buffer).substr(m_begin, stop - m_begin);
    const std::size_t taken = text.size() + (terminated ? 1 : 0);
    m_offset += static_cast<std::int64_t>(taken);
    m_begin += taken;
    m_scanned = m_begin;
    if (text.ends_with('\r'))
        text.remove_suffix(1);
    return text;
}

bool LineReader::finishSkipping()
{
    for (;;) {
        const std::size_t end = m_buffer.find('\n', m_begin);
        if (end != std::string::npos) {
            consume(end, true);
            m_skipping = false;
            return true;
        }
        consume(m_buffer.size(), false);
        if (!fill()) {
            m_skipping = false;
            return true;
        }
    }
}

} // namespace assay::ingest
