// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/byte_source.h"

#include "core/ingest/line_reader.h"
#include "core/text/error.h"
#include "core/text/sha256.h"
#include "import_fixture.h"

#include <sys/stat.h>
#include <zstd.h>

#include <vector>

using namespace assay;
using namespace assay::ingest;

namespace {

std::string zstdOf(std::string_view content)
{
    std::string out(ZSTD_compressBound(content.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3));
    return out;
}

struct ReadLine {
    std::string text;
    std::int64_t number;
    std::int64_t byte;
    std::string problem;
    bool terminated;
};

std::vector<ReadLine> linesOf(const std::filesystem::path& path, std::size_t maxLine = LineReader::kMaxLineBytes)
{
    ByteSource source(path);
    LineReader reader(source, maxLine);
    std::vector<ReadLine> lines;
    Line line;
    while (reader.next(line))
        lines.push_back({std::string(line.text), line.number, line.byte, line.problem, line.terminated});
    return lines;
}

class Folder {
public:
    std::filesystem::path write(const std::string& name, std::string_view content) const
    {
        const std::string file = dir.filePath(QString::fromStdString(name)).toStdString();
        QFile out(QString::fromStdString(file));
        if (!out.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        out.write(content.data(), static_cast<qint64>(content.size()));
        return file;
    }
    QTemporaryDir dir;
};

} // namespace

class ByteSourceTest : public QObject {
    Q_OBJECT

private slots:
    void plainGzipAndZstdGiveTheSameContent();
    void severalGzipMembersAreOneStream();
    void aTruncatedGzipTellsWhereItEnds();
    void aTruncatedZstdTellsWhereItEnds();
    void aFlippedByteInAGzipIsDamage();
    void theHashIsOfTheBytesOnDisk();
    void aFolderHashChangesWithAnyFileAndNotWithItsPlace();
    void aByteOrderMarkIsLeftOutAndCounted();
    void aFifoAndADeviceAreRefused();
    void anAbsentFileSaysWhichOne();
    void linesKnowTheirNumberAndByte();
    void crlfAndLfEndLinesAlike();
    void aLongLineIsReadWhole();
    void aLineBeyondTheLimitIsSkippedAndSaid();
    void aDamagedStreamCutsTheLastLine();
};

void ByteSourceTest::plainGzipAndZstdGiveTheSameContent()
{
    Folder folder;
    std::string content;
    for (int i = 0; i < 200000; ++i)
        content += std::to_string(i * 7919) + '\n';
    QCOMPARE(readWholeFile(folder.write("plain", content), kMaxDocumentBytes), content);
    QCOMPARE(readWholeFile(folder.write("a.txt", tests::gzip(content)), kMaxDocumentBytes), content);
    QCOMPARE(readWholeFile(folder.write("b", zstdOf(content)), kMaxDocumentBytes), content);
    QVERIFY_EXCEPTION_THROWN(readWholeFile(folder.write("plain", content), 1000), Error);
}

void ByteSourceTest::severalGzipMembersAreOneStream()
{
    Folder folder;
    const auto file = folder.write("a.gz", tests::gzip("one\n") + tests::gzip("two\n") + std::string(16, '\0'));
    QCOMPARE(readWholeFile(file, 100), std::string("one\ntwo\n"));
    QVERIFY_EXCEPTION_THROWN(readWholeFile(folder.write("b.gz", tests::gzip("one\n") + "tail"), 100), Error);
}

void ByteSourceTest::aTruncatedGzipTellsWhereItEnds()
{
    Folder folder;
    const std::string whole = tests::gzip("{\"a\": 1}\n{\"a\": 2}\n");
    ByteSource source(folder.write("a.gz", whole.substr(0, whole.size() - 6)));
    std::string content(100, '\0');
    std::size_t filled = 0;
    while (const std::size_t got = source.read(content.data() + filled, content.size() - filled))
        filled += got;
    QVERIFY(source.damage());
    QCOMPARE(source.damage()->rawByte, static_cast<std::int64_t>(whole.size() - 6));
    QCOMPARE(source.damage()->byte, static_cast<std::int64_t>(filled));
    QVERIFY(source.damage()->reason.find("ends in the middle") != std::string::npos);
}

void ByteSourceTest::aTruncatedZstdTellsWhereItEnds()
{
    Folder folder;
    std::string content;
    for (int i = 0; i < 1000; ++i)
        content += std::to_string(i * 31) + '\n';
    const std::string whole = zstdOf(content);
    try {
        readWholeFile(folder.write("a.zst", whole.substr(0, whole.size() / 2)), kMaxDocumentBytes);
        QFAIL("a truncated file was read without a word");
    } catch (const Error& error) {
        QVERIFY(error.problem().find("ends in the middle") != std::string::npos);
        QVERIFY(error.where().find("byte " + std::to_string(whole.size() / 2)) != std::string::npos);
    }
}

void ByteSourceTest::aFlippedByteInAGzipIsDamage()
{
    Folder folder;
    std::string bytes = tests::gzip(std::string(1000, 'x') + "end");
    bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 0x55); // inside the checksum
    QVERIFY_EXCEPTION_THROWN(readWholeFile(folder.write("a.gz", bytes), kMaxDocumentBytes), Error);
}

void ByteSourceTest::theHashIsOfTheBytesOnDisk()
{
    Folder folder;
    const std::string bytes = tests::gzip("content");
    const auto file = folder.write("a.gz", bytes);
    QCOMPARE(sha256OfPath(file), sha256Hex(bytes));
    ByteSource source(file);
    char first = 0;
    source.read(&first, 1);
    QCOMPARE(source.finishSha256(), sha256Hex(bytes));
}

void ByteSourceTest::aFolderHashChangesWithAnyFileAndNotWithItsPlace()
{
    Folder one;
    Folder two;
    for (const Folder* folder : {&one, &two}) {
        folder->write("a", "1");
        folder->write("b", "2");
    }
    const std::string hash = sha256OfPath(one.dir.path().toStdString());
    QCOMPARE(sha256OfPath(two.dir.path().toStdString()), hash);
    two.write("b", "3");
    QVERIFY(sha256OfPath(two.dir.path().toStdString()) != hash);
}

void ByteSourceTest::aByteOrderMarkIsLeftOutAndCounted()
{
    Folder folder;
    const auto lines = linesOf(folder.write("bom", "\xEF\xBB\xBF{}\n[]\n"));
    QCOMPARE(lines.size(), std::size_t{2});
    QCOMPARE(lines[0].text, std::string("{}"));
    QCOMPARE(lines[0].byte, std::int64_t{3});
    QCOMPARE(lines[1].byte, std::int64_t{6});
    QCOMPARE(readWholeFile(folder.write("short", "\xEF\xBB"), 10), std::string("\xEF\xBB"));
}

void ByteSourceTest::aFifoAndADeviceAreRefused()
{
    Folder folder;
    const std::string fifo = folder.dir.filePath(QStringLiteral("pipe")).toStdString();
    QCOMPARE(mkfifo(fifo.c_str(), 0600), 0);
    QVERIFY_EXCEPTION_THROWN(ByteSource{fifo}, Error);
    QVERIFY_EXCEPTION_THROWN(ByteSource{"/dev/null"}, Error);
    QVERIFY_EXCEPTION_THROWN(ByteSource{folder.dir.path().toStdString()}, Error);
}

void ByteSourceTest::anAbsentFileSaysWhichOne()
{
    try {
        ByteSource source("/nowhere/rows.jsonl");
        QFAIL("an absent file was opened");
    } catch (const Error& error) {
        QCOMPARE(error.where(), std::string("/nowhere/rows.jsonl"));
    }
}

void ByteSourceTest::linesKnowTheirNumberAndByte()
{
    Folder folder;
    const auto lines = linesOf(folder.write("a", "one\n\n  \ntwo\nthree"));
    QCOMPARE(lines.size(), std::size_t{3});
    QCOMPARE(lines[1].number, std::int64_t{4});
    QCOMPARE(lines[1].byte, std::int64_t{8});
    QVERIFY(lines[1].terminated);
    QCOMPARE(lines[2].text, std::string("three"));
    QCOMPARE(lines[2].byte, std::int64_t{12});
    QVERIFY(!lines[2].terminated);
}

void ByteSourceTest::crlfAndLfEndLinesAlike()
{
    Folder folder;
    const auto lines = linesOf(folder.write("a", "one\r\ntwo\nthree\r\n"));
    QCOMPARE(lines.size(), std::size_t{3});
    QCOMPARE(lines[0].text, std::string("one"));
    QCOMPARE(lines[1].byte, std::int64_t{5});
    QCOMPARE(lines[2].text, std::string("three"));
}

void ByteSourceTest::aLongLineIsReadWhole()
{
    Folder folder;
    const std::string big(std::size_t{40} << 20, 'x');
    const auto lines = linesOf(folder.write("a", "first\n" + big + "\nlast\n"));
    QCOMPARE(lines.size(), std::size_t{3});
    QCOMPARE(lines[1].text.size(), big.size());
    QCOMPARE(lines[2].byte, static_cast<std::int64_t>(big.size() + 7));
}

void ByteSourceTest::aLineBeyondTheLimitIsSkippedAndSaid()
{
    Folder folder;
    const std::string big(std::size_t{1} << 20, 'x');
    const auto lines = linesOf(folder.write("a", "first\n" + big + "\nlast\n"), 1000);
    QCOMPARE(lines.size(), std::size_t{3});
    QVERIFY(lines[1].problem.find("longer than 1000 bytes") != std::string::npos);
    QCOMPARE(lines[2].text, std::string("last"));
    QCOMPARE(lines[2].number, std::int64_t{3});
    QCOMPARE(lines[2].byte, static_cast<std::int64_t>(big.size() + 7));
    QVERIFY(lines[2].problem.empty());
}

void ByteSourceTest::aDamagedStreamCutsTheLastLine()
{
    Folder folder;
    std::string content;
    for (int i = 0; i < 3000; ++i)
        content += "{\"id\": " + std::to_string(i * 7919 % 10007) + "}\n";
    const std::string whole = tests::gzip(content);
    const auto lines = linesOf(folder.write("a.gz", whole.substr(0, whole.size() / 2)));
    QVERIFY(lines.size() > 2);
    for (std::size_t i = 0; i + 1 < lines.size(); ++i)
        QVERIFY(lines[i].problem.empty());
    QVERIFY(lines.back().problem.find("byte " + std::to_string(whole.size() / 2)) != std::string::npos);
    QCOMPARE(content.substr(static_cast<std::size_t>(lines.back().byte), lines.back().text.size()), lines.back().text);
}

QTEST_APPLESS_MAIN(ByteSourceTest)
#include "tst_byte_source.moc"
