// SPDX-License-Identifier: Apache-2.0
#include "core/report/gzip_file.h"

#include "core/report/output_file.h"
#include "core/text/error.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

namespace assay::report {

namespace {

// Window of 15 bits plus 16: zlib's way to ask for a gzip wrapper.
constexpr int kGzipWindowBits = 15 + 16;
constexpr int kMemoryLevel = 8; // zlib's default

class Deflater {
public:
    explicit Deflater(OutputFile& file)
        : m_file(file)
    {
        if (deflateInit2(&m_stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
            throw Error("the file cannot be compressed: out of memory", "", "Close other programs");
    }
    ~Deflater() { deflateEnd(&m_stream); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;

    void add(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const std::size_t taken = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
            m_stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); // zlib only reads it
            m_stream.avail_in = static_cast<uInt>(taken);
            run(Z_NO_FLUSH);
            bytes.remove_prefix(taken);
        }
    }
    void finish() { run(Z_FINISH); }

private:
    void run(int flush)
    {
        do {
            m_stream.next_out = reinterpret_cast<Bytef*>(m_out.data());
            m_stream.avail_out = static_cast<uInt>(m_out.size());
            deflate(&m_stream, flush);
            m_file.write({m_out.data(), m_out.size() - m_stream.avail_out});
        } while (m_stream.avail_out == 0);
    }

    OutputFile& m_file;
    z_stream m_stream{};
    std::array<char, 1 << 16> m_out{};
};

} // namespace

void writeGzip(const std::filesystem::path& path, std::initializer_list<std::string_view> parts)
{
    OutputFile file(path);
    Deflater deflater(file);
    for (const std::string_view part : parts)
        deflater.add(part);
    deflater.finish();
    file.commit();
}

} // namespace assay::report
