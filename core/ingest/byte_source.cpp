// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/byte_source.h"

#include "core/text/error.h"
#include "core/text/sha256.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace assay::ingest {

namespace {

constexpr std::size_t kRawChunk = std::size_t{256} << 10;
constexpr std::string_view kBom = "\xEF\xBB\xBF";
constexpr std::string_view kGzipMagic = "\x1F\x8B";
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";
// Window of 15 bits plus 16: zlib's way to ask for a gzip wrapper.
constexpr int kGzipWindowBits = 15 + 16;

/// A file descriptor of a regular file.
class RawFile {
public:
    explicit RawFile(const std::filesystem::path& path)
        : m_path(path)
    {
        // Without O_NONBLOCK, opening a FIFO waits for a writer that may never come.
        m_fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (m_fd < 0)
            throw Error(fmt::format("cannot read the file ({})", std::strerror(errno)), path.string(),
                        "Check the path and its permissions.");
        struct stat info { };
        if (::fstat(m_fd, &info) == 0 && S_ISREG(info.st_mode)) {
            m_size = info.st_size;
            return;
        }
        const bool isFolder = S_ISDIR(info.st_mode);
        ::close(m_fd);
        throw Error(isFolder ? "this is a folder, not a file" : "not a regular file (a FIFO, a device or a socket)",
                    path.string(),
                    isFolder ? "Name a file in it, or a format that reads folders." : "Copy the data into a file first.");
    }
    ~RawFile() { ::close(m_fd); }
    RawFile(const RawFile&) = delete;
    RawFile& operator=(const RawFile&) = delete;

    std::size_t read(char* out, std::size_t capacity)
    {
        for (;;) {
            const ssize_t got = ::read(m_fd, out, capacity);
            if (got >= 0) {
                m_hash.update({out, static_cast<std::size_t>(got)});
                m_read += got;
                return static_cast<std::size_t>(got);
            }
            if (errno != EINTR)
                throw Error(fmt::format("reading failed at byte {} ({})", m_read, std::strerror(errno)), m_path.string(),
                            "Check the disk or the network share.");
        }
    }

    std::int64_t size() const { return m_size; }
    std::int64_t bytesRead() const { return m_read; }
    const std::filesystem::path& path() const { return m_path; }
    std::string finishSha256()
    {
        std::vector<char> rest(kRawChunk);
        while (read(rest.data(), rest.size()) > 0) { }
        return m_hash.finishHex();
    }

private:
    std::filesystem::path m_path;
    int m_fd = -1;
    std::int64_t m_size = 0;
    std::int64_t m_read = 0;
    Sha256 m_hash;
};

/// Raw bytes waiting to be decoded.
class RawBuffer {
public:
    explicit RawBuffer(RawFile& file)
        : m_file(file)
        , m_bytes(kRawChunk)
    {
    }

    /// False at the end of the file.
    bool fill()
    {
        if (m_pos < m_end)
            return true;
        m_pos = 0;
        m_end = m_file.read(m_bytes.data(), m_bytes.size());
        return m_end > 0;
    }

    std::string_view view() const { return {m_bytes.data() + m_pos, m_end - m_pos}; }
    void take(std::size_t n) { m_pos += n; }
    std::int64_t rawOffset() const { return m_file.bytesRead() - static_cast<std::int64_t>(m_end - m_pos); }

private:
    RawFile& m_file;
    std::vector<char> m_bytes;
    std::size_t m_pos = 0;
    std::size_t m_end = 0;
};

class Decoder {
public:
    virtual ~Decoder() = default;
    /// Bytes decoded into @p out; 0 at the end or at damage, which is then described in @p reason.
    virtual std::size_t read(RawBuffer& raw, char* out, std::size_t capacity, std::string& reason) = 0;
};

class PlainDecoder : public Decoder {
public:
    std::size_t read(RawBuffer& raw, char* out, std::size_t capacity, std::string&) override
    {
        if (!raw.fill())
            return 0;
        const std::size_t n = std::min(capacity, raw.view().size());
        std::memcpy(out, raw.view().data(), n);
        raw.take(n);
        return n;
    }
};

class GzipDecoder : public Decoder {
public:
    GzipDecoder() { inflateInit2(&m_stream, kGzipWindowBits); }
    ~GzipDecoder() override { inflateEnd(&m_stream); }

    std::size_t read(RawBuffer& raw, char* out, std::size_t capacity, std::string& reason) override
    {
        m_stream.next_out = reinterpret_cast<Bytef*>(out);
        m_stream.avail_out = static_cast<uInt>(capacity);
        while (m_stream.avail_out == capacity) {
            if (!raw.fill()) {
                if (!m_memberDone)
                    reason = "the gzip stream ends in the middle";
                break;
            }
            if (m_memberDone && !startNextMember(raw, reason))
                break;
            if (!inflateSome(raw, reason))
                break;
        }
        return capacity - m_stream.avail_out;
    }

private:
    // Files joined with `cat a.gz b.gz` hold several members; zero padding after the last one is harmless.
    bool startNextMember(RawBuffer& raw, std::string& reason)
    {
        while (raw.fill() && raw.view().front() == '\0')
            raw.take(1);
        if (!raw.fill())
            return false;
        if (raw.view().front() != kGzipMagic.front()) {
            reason = "bytes follow the gzip stream that are not gzip";
            return false;
        }
        inflateReset(&m_stream);
        m_memberDone = false;
        return true;
    }

    bool inflateSome(RawBuffer& raw, std::string& reason)
    {
        const std::string_view input = raw.view();
        m_stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
        m_stream.avail_in = static_cast<uInt>(input.size());
        const int code = inflate(&m_stream, Z_NO_FLUSH);
        raw.take(input.size() - m_stream.avail_in);
        if (code == Z_STREAM_END) {
            m_memberDone = true;
            return true;
        }
        if (code == Z_OK || code == Z_BUF_ERROR)
            return true;
        reason = fmt::format("the gzip stream is damaged ({})", m_stream.msg != nullptr ? m_stream.msg : "unknown error");
        return false;
    }

    z_stream m_stream{};
    bool m_memberDone = false;
};

class ZstdDecoder : public Decoder {
public:
    ZstdDecoder()
        : m_context(ZSTD_createDCtx())
    {
    }
    ~ZstdDecoder() override { ZSTD_freeDCtx(m_context); }

    std::size_t read(RawBuffer& raw, char* out, std::size_t capacity, std::string& reason) override
    {
        ZSTD_outBuffer output{out, capacity, 0};
        while (output.pos == 0) {
            // A full output buffer may leave decoded bytes inside the context, so it is asked once more at the end of the file.
            const bool more = raw.fill();
            const std::string_view input = more ? raw.view() : std::string_view();
            ZSTD_inBuffer in{input.data(), input.size(), 0};
            const std::size_t code = ZSTD_decompressStream(m_context, &output, &in);
            raw.take(in.pos);
            if (ZSTD_isError(code) != 0U) {
                reason = fmt::format("the zstd stream is damaged ({})", ZSTD_getErrorName(code));
                break;
            }
            if (more || output.pos > 0)
                m_frameOpen = code != 0;
            if (!more && output.pos == 0) {
                if (m_frameOpen)
                    reason = "the zstd stream ends in the middle";
                break;
            }
        }
        return output.pos;
    }

private:
    ZSTD_DCtx* m_context;
    bool m_frameOpen = false;
};

std::unique_ptr<Decoder> decoderFor(std::string_view head)
{
    if (head.starts_with(kGzipMagic))
        return std::make_unique<GzipDecoder>();
    if (head.starts_with(kZstdMagic))
        return std::make_unique<ZstdDecoder>();
    return std::make_unique<PlainDecoder>();
}

} // namespace

struct ByteSource::Private {
    explicit Private(const std::filesystem::path& path)
        : file(path)
        , raw(file)
    {
        raw.fill();
        compressed = raw.view().starts_with(kGzipMagic) || raw.view().starts_with(kZstdMagic);
        decoder = decoderFor(raw.view());
    }

    /// Decodes and keeps what was found wrong.
    std::size_t decode(char* out, std::size_t capacity)
    {
        if (damage)
            return 0;
        std::string reason;
        const std::size_t got = decoder->read(raw, out, capacity, reason);
        delivered += static_cast<std::int64_t>(got);
        if (!reason.empty())
            damage = StreamDamage{raw.rawOffset(), delivered, reason};
        return got;
    }

    /// Holds back the first three bytes until it is clear whether they are a byte order mark.
    void readStart()
    {
        started = true;
        char three[3];
        while (pending.size() < kBom.size()) {
            const std::size_t got = decode(three, kBom.size() - pending.size());
            if (got == 0)
                break;
            pending.append(three, got);
        }
        if (pending == kBom) {
            pending.clear();
            firstByte = static_cast<std::int64_t>(kBom.size());
        }
    }

    RawFile file;
    RawBuffer raw;
    std::unique_ptr<Decoder> decoder;
    std::string pending;
    std::optional<StreamDamage> damage;
    std::int64_t delivered = 0;
    std::int64_t firstByte = 0;
    bool compressed = false;
    bool started = false;
};

ByteSource::ByteSource(const std::filesystem::path& path)
    : d(std::make_unique<Private>(path))
{
}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(char* out, std::size_t capacity)
{
    if (!d->started)
        d->readStart();
    if (d->pending.empty())
        return d->decode(out, capacity);
    const std::size_t n = std::min(capacity, d->pending.size());
    std::memcpy(out, d->pending.data(), n);
    d->pending.erase(0, n);
    return n;
}

const std::optional<StreamDamage>& ByteSource::damage() const
{
    return d->damage;
}
std::int64_t ByteSource::firstByte() const
{
    return d->firstByte;
}
std::int64_t ByteSource::rawBytesRead() const
{
    return d->file.bytesRead();
}
std::int64_t ByteSource::rawBytes() const
{
    return d->file.size();
}
bool ByteSource::isCompressed() const
{
    return d->compressed;
}
const std::filesystem::path& ByteSource::path() const
{
    return d->file.path();
}
std::string ByteSource::finishSha256()
{
    return d->file.finishSha256();
}

std::string readWholeFile(const std::filesystem::path& path, std::int64_t limit)
{
    ByteSource source(path);
    std::string content;
    std::vector<char> chunk(kRawChunk);
    while (const std::size_t got = source.read(chunk.data(), chunk.size())) {
        content.append(chunk.data(), got);
        if (static_cast<std::int64_t>(content.size()) > limit)
            throw Error(fmt::format("the document is larger than {} bytes", limit), path.string(),
                        "Split it, or convert it to JSON Lines.");
    }
    if (source.damage())
        throw Error(source.damage()->reason, fmt::format("{}, byte {}", path.string(), source.damage()->rawByte),
                    "Fetch the file again.");
    return content;
}

std::string sha256OfPath(const std::filesystem::path& path)
{
    if (!std::filesystem::is_directory(path))
        return RawFile(path).finishSha256();
    std::vector<std::string> lines;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        if (entry.is_symlink() || !entry.is_regular_file())
            continue;
        lines.push_back(entry.path().lexically_relative(path).generic_string() + '\0' + RawFile(entry.path()).finishSha256()
                        + '\n');
    }
    std::sort(lines.begin(), lines.end());
    Sha256 hash;
    for (const std::string& line : lines)
        hash.update(line);
    return hash.finishHex();
}

} // namespace assay::ingest
