// SPDX-License-Identifier: Apache-2.0
#include "core/tensorfile/tensor_file.h"

#include "core/tensorfile/npy_file.h"
#include "core/tensorfile/npy_header.h"
#include "core/tensorfile/safetensors_writer.h"
#include "core/text/error.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <cstring>
#include <random>

using namespace assay;
using namespace assay::tensorfile;
using tensor::DType;

namespace {

using Bytes = std::string;

Bytes littleEndian(std::uint64_t value, int bytes)
{
    Bytes text;
    for (int i = 0; i < bytes; ++i)
        text += static_cast<char>(value >> (8 * i));
    return text;
}

Bytes npy(const Bytes& header, const Bytes& data, int version = 1)
{
    return Bytes("\x93NUMPY") + static_cast<char>(version) + '\0' + littleEndian(header.size(), version == 1 ? 2 : 4) + header
        + data;
}

Bytes npyOf(const Bytes& descriptor, const Bytes& shape, const Bytes& data, bool fortran = false)
{
    return npy("{'descr': '" + descriptor + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape
                   + ", }\n",
               data);
}

Bytes safetensors(const Bytes& header, const Bytes& data)
{
    return littleEndian(header.size(), 8) + header + data;
}

template <typename T> Bytes bytesOf(std::initializer_list<T> values)
{
    Bytes bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), std::data(values), bytes.size());
    return bytes;
}

} // namespace

/// .npy and .safetensors files, well-formed and hostile.
class TensorFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::filesystem::path write(const Bytes& bytes, const char* name = "tensor.npy") const
    {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes.data(), std::ssize(bytes)) != std::ssize(bytes))
            qFatal("cannot write");
        return file.fileName().toStdString();
    }

    /// What opening says; "" where it succeeds.
    std::string refusal(const Bytes& bytes, const char* name = "tensor.npy") const
    {
        const auto path = write(bytes, name);
        try {
            const TensorFile file = TensorFile::open(path);
            for (const std::string& tensor : file.names())
                file.tensor(tensor);
            return "";
        } catch (const Error& error) {
            return error.what();
        }
    }

    void refuses(const Bytes& bytes, const char* why, const char* name = "tensor.npy") const
    {
        const std::string said = refusal(bytes, name);
        QVERIFY2(said.find(why) != std::string::npos, said.empty() ? "it was read" : said.c_str());
        QVERIFY2(said.find('\n') == std::string::npos, "one line");
        QVERIFY2(said.find(name) != std::string::npos, "the file is named");
    }

private Q_SLOTS:
    void npyIsMappedWithShapeAndValues()
    {
        const auto path = write(npyOf("<f4", "(2, 3)", bytesOf<float>({0, 1, 2, 3, 4, 5})));
        const LoadedTensor loaded = TensorFile::open(path).tensor("");
        QCOMPARE(loaded.view.dtype, DType::Float32);
        QCOMPARE(loaded.view.shape, (std::vector<std::int64_t>{2, 3}));
        float last = 0; // the header here is not padded as numpy pads it, so nothing says that the data is aligned
        std::memcpy(&last, loaded.view.data + 5 * sizeof(float), sizeof last);
        QCOMPARE(last, 5.0F);
        QVERIFY(reinterpret_cast<std::uintptr_t>(loaded.view.data) % alignof(float) == 0);
    }

    void fortranOrderIsHonouredThroughStrides()
    {
        const auto path = write(npyOf("<i2", "(2, 3)", bytesOf<std::int16_t>({0, 10, 1, 11, 2, 12}), true));
        const LoadedTensor loaded = TensorFile::open(path).tensor("");
        const tensor::TensorView& view = loaded.view;
        QCOMPARE(view.shape, (std::vector<std::int64_t>{2, 3}));
        QCOMPARE(view.strides, (std::vector<std::int64_t>{1, 2}));
        const auto* data = reinterpret_cast<const std::int16_t*>(view.data);
        QCOMPARE(data[1 * view.strides[0] + 2 * view.strides[1]], std::int16_t{12});
    }

    void untypedElementsAreBfloat16OrAskedFor()
    {
        QCOMPARE(TensorFile::open(write(npyOf("<V2", "(1,)", "ab"))).tensor("").view.dtype, DType::BFloat16);
        refuses(npyOf("|V1", "(1,)", "a"), "--dtype float8_e4m3fn");
        const auto path = write(npyOf("|V1", "(1,)", "a"));
        QCOMPARE(TensorFile::open(path, DType::Float8E5M2).tensor("").view.dtype, DType::Float8E5M2);
    }

    void scalarsAndEmptyTensorsAreRead()
    {
        QCOMPARE(TensorFile::open(write(npyOf("<f8", "()", bytesOf<double>({1})))).tensor("").view.count(), std::int64_t{1});
        QCOMPARE(TensorFile::open(write(npyOf("<f8", "(3, 0)", ""))).tensor("").view.count(), std::int64_t{0});
    }

    void hostileNpyIsRefusedInOneLine_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* name, const Bytes& bytes, const char* why) {
            QTest::newRow(name) << QByteArray(bytes.data(), std::ssize(bytes)) << QString::fromLatin1(why);
        };
        const Bytes four = bytesOf<float>({1, 2, 3, 4});
        row("cut off in the magic", "\x93NUMPY", "ends inside its first bytes");
        row("cut off in the data", npyOf("<f4", "(5,)", four), "ends early: 16 of 20 bytes");
        row("a header longer than the file", Bytes("\x93NUMPY\x02\0", 8) + littleEndian(0xFFFFFFFF, 4) + "{",
            "header claims 4294967295 bytes");
        row("version 9", npy("{}", "", 9), "format version 9");
        row("big-endian", npyOf(">f4", "(4,)", four), "big-endian");
        row("records", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", four), "records");
        row("objects", npyOf("|O", "(1,)", four), "pickled Python objects");
        row("complex", npyOf("<c8", "(2,)", four), "type <c8");
        row("a control character in a type", npyOf("<\x1b]0;x", "(2,)", four), "type < ]0;x");
        row("a shape that overflows", npyOf("<f4", "(4611686018427387904, 4)", four), "larger than any memory");
        row("a shape that overflows beside a zero", npyOf("<f4", "(4611686018427387904, 4, 0)", ""), "larger than any memory");
        row("a size beyond 64 bits", npyOf("<f4", "(99999999999999999999,)", four), "beyond 64 bits");
        row("a negative size", npyOf("<f4", "(-1,)", four), "no whole number");
        row("code for a shape", npyOf("<f4", "(len(open('/etc/passwd').read()),)", four), "no whole number");
        row("an entry twice", npy("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", four), "twice");
        row("an entry missing", npy("{'descr': '<f4', 'shape': (1,)}", four), "missing");
        row("text behind", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1", four), "behind the dictionary");
        row("a file of nothing", "", "neither .npy nor .safetensors");
        row("an archive", "PK\x03\x04rest", "archive (.npz)");
    }

    void hostileNpyIsRefusedInOneLine()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, why);
        refuses(bytes.toStdString(), qPrintable(why));
    }

    /// Widest elements first, so that all are aligned; strides and empty tensors do not matter.
    void whatIsWrittenIsReadAgain()
    {
        const std::vector<std::int8_t> small{1, 2, 3};
        const std::vector<double> wide{1, 2, 3, 4, 5, 6};
        tensor::TensorView turned{reinterpret_cast<const std::byte*>(wide.data()), DType::Float64, {3, 2}, {1, 3}};
        Bytes bytes;
        writeSafetensors({{"a \"small\"", tensor::TensorView::contiguous(small.data(), DType::Int8, {3})},
                          {"z", turned},
                          {"none", tensor::TensorView::contiguous(nullptr, DType::Float32, {0, 4})}},
                         [&bytes](std::string_view piece) { bytes += piece; });
        const auto file = TensorFile::open(write(bytes, "written.safetensors"));
        QVERIFY(file.names() == (std::vector<std::string>{"z", "none", "a \"small\""}));
        const LoadedTensor z = file.tensor("z");
        QVERIFY(z.view.shape == (std::vector<std::int64_t>{3, 2}));
        const double wanted[] = {1, 4, 2, 5, 3, 6};
        QCOMPARE(std::memcmp(z.view.data, wanted, sizeof wanted), 0);
        QVERIFY(file.tensor("none").view.shape == (std::vector<std::int64_t>{0, 4}));
        const LoadedTensor a = file.tensor("a \"small\"");
        QCOMPARE(a.view.dtype, DType::Int8);
        QCOMPARE(std::memcmp(a.view.data, small.data(), small.size()), 0);
    }

    void safetensorsAreFoundByName()
    {
        const auto path = write(
            safetensors(R"({"__metadata__": {"format": "pt"}, "b": {"dtype": "F8_E4M3", "shape": [3], "data_offsets": [8, 11]},
                                               "a": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}})",
                        bytesOf<float>({1, 2}) + "xyz"),
            "t.safetensors");
        const TensorFile file = TensorFile::open(path);
        QCOMPARE(file.names(), (std::vector<std::string>{"a", "b"}));
        QCOMPARE(file.tensor("b").view.dtype, DType::Float8E4M3);
        const LoadedTensor a = file.tensor("a");
        QCOMPARE(a.view.shape, (std::vector<std::int64_t>{1, 2}));
        float second = 0;
        std::memcpy(&second, a.view.data + sizeof(float), sizeof second);
        QCOMPARE(second, 2.0F);
        QVERIFY(reinterpret_cast<std::uintptr_t>(a.view.data) % alignof(float) == 0);
    }

    void hostileSafetensorsAreRefusedInOneLine_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* name, const Bytes& bytes, const char* why) {
            QTest::newRow(name) << QByteArray(bytes.data(), std::ssize(bytes)) << QString::fromLatin1(why);
        };
        const auto one
            = [](const Bytes& told, std::size_t data = 8) { return safetensors(R"({"a": )" + told + "}", Bytes(data, 'x')); };
        row("a header of 2^63 bytes", littleEndian(std::uint64_t{1} << 63, 8) + "{}", "at most 100000000");
        row("a header longer than the file", littleEndian(99, 8) + "{}", "the file has 2 left");
        row("NaN", one(R"({"dtype": "F32", "shape": [NaN], "data_offsets": [0, 8]})"), "no JSON");
        row("infinity in a member of no meaning", one(R"({"dtype": "F32", "shape": [2], "data_offsets": [0, 8], "x": Infinity})"),
            "no JSON");
        row("a shape of fractions", one(R"({"dtype": "F32", "shape": [2.0], "data_offsets": [0, 8]})"),
            "no list of whole numbers");
        row("a negative size", one(R"({"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]})"), "no list of whole numbers");
        row("a shape that overflows", one(R"({"dtype": "F32", "shape": [4611686018427387904, 16], "data_offsets": [0, 8]})"),
            "does not fill");
        row("cut off", one(R"({"dtype": "F32", "shape": [2], "data_offsets": [0, 8]})", 5), "cut off");
        row("offsets turned around", one(R"({"dtype": "F32", "shape": [2], "data_offsets": [8, 0]})"), "no begin and end");
        row("bytes that belong to nobody", one(R"({"dtype": "F32", "shape": [2], "data_offsets": [0, 8]})", 9),
            "1 bytes belong to no tensor");
        row("an unknown type", one(R"({"dtype": "F99", "shape": [2], "data_offsets": [0, 8]})"), "unknown type \"F99\"");
        row("a type that is not compared", one(R"({"dtype": "U64", "shape": [1], "data_offsets": [0, 8]})"), "not compared");
        row("overlap",
            safetensors(
                R"({"a": {"dtype": "U8", "shape": [6], "data_offsets": [0, 6]}, "b": {"dtype": "U8", "shape": [4], "data_offsets": [4, 8]}})",
                "12345678"),
            "overlap");
        row("a hole",
            safetensors(
                R"({"a": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}, "b": {"dtype": "U8", "shape": [4], "data_offsets": [4, 8]}})",
                "12345678"),
            "hole");
        row("a name twice",
            safetensors(
                R"({"a": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}, "a": {"dtype": "U8", "shape": [2], "data_offsets": [2, 4]}})",
                "1234"),
            "there twice");
        row("metadata of numbers", safetensors(R"({"__metadata__": {"a": 1}})", ""), "__metadata__");
        row("a list", safetensors("[]      ", ""), "no JSON object");
    }

    void hostileSafetensorsAreRefusedInOneLine()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, why);
        refuses(bytes.toStdString(), qPrintable(why), "t.safetensors");
    }

    void foldersPipesAndAbsentFilesAreRefused()
    {
        QVERIFY_THROWS_EXCEPTION(Error, TensorFile::open(m_folder.path().toStdString()));
        QVERIFY_THROWS_EXCEPTION(Error, TensorFile::open("/nonexistent.npy"));
        QVERIFY(!looksLikeTensorFile("/nonexistent.npy"));
        QVERIFY(looksLikeTensorFile(write(npyOf("<f4", "(1,)", bytesOf<float>({1})))));
    }

    void tensorsPairByNameAndLonePairsWhateverTheyAreCalled()
    {
        const auto two = TensorFile::open(write(safetensors(R"({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
            "b": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]}})",
                                                            "12"),
                                                "two.safetensors"));
        const auto other = TensorFile::open(write(safetensors(R"({"b": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
            "c": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]}})",
                                                              "12"),
                                                  "other.safetensors"));
        const auto one = TensorFile::open(write(npyOf("|u1", "(1,)", "x"), "one.npy"));
        const Pairing named = pairTensors(two, other);
        QCOMPARE(named.pairs.size(), std::size_t{1});
        QCOMPARE(named.pairs[0].first, std::string("b"));
        QCOMPARE(named.onlyReference, std::vector<std::string>{"a"});
        QCOMPARE(named.onlyCandidate, std::vector<std::string>{"c"});
        QCOMPARE(pairTensors(two, one, "a").pairs[0], std::pair(std::string("a"), std::string()));
        QVERIFY_THROWS_EXCEPTION(Error, pairTensors(two, one));
        QVERIFY_THROWS_EXCEPTION(Error, pairTensors(two, other, "a"));
    }

    /// Damaged files are read or refused with one line, and whatever is read lies inside the file.
    void mutatedFilesNeverLeadOutsideTheFile()
    {
        constexpr int kInputs = 4000;
        const std::vector<Bytes> wellFormed = {
            npyOf("<f4", "(2, 3)", Bytes(24, 'x')),
            npyOf("<V2", "(2, 1, 2)", Bytes(8, 'x'), true),
            npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", Bytes(16, 'x'), 3),
            safetensors(
                R"({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "b": {"dtype": "BOOL", "shape": [], "data_offsets": [24, 25]}})",
                Bytes(25, 'x')),
        };
        static constexpr std::array<std::string_view, 12> kTokens
            = {"-1", "9223372036854775807", "0", "(", "]", "'", "NaN", "99999999999999999", "{\"a\":", "\xFF", ", 4)", "True"};
        std::mt19937 random(20260101);
        const auto below
            = [&](std::size_t limit) { return random() % static_cast<std::uint32_t>(std::max<std::size_t>(limit, 1)); };
        int read = 0;
        for (int i = 0; i < kInputs; ++i) {
            Bytes bytes = wellFormed[below(wellFormed.size())];
            for (auto times = below(3); times > 0; --times) {
                const std::size_t at = below(bytes.size());
                switch (below(4)) {
                case 0:
                    bytes.resize(at);
                    break;
                case 1:
                    bytes.insert(at, kTokens[below(kTokens.size())]);
                    break;
                case 2:
                    bytes.replace(at, std::min<std::size_t>(below(6), bytes.size() - at), kTokens[below(kTokens.size())]);
                    break;
                default:
                    if (!bytes.empty())
                        bytes[at] = static_cast<char>(random());
                }
            }
            const auto path = write(bytes, "fuzzed.safetensors");
            try {
                const TensorFile file = TensorFile::open(path);
                for (const std::string& name : file.names()) {
                    const LoadedTensor loaded = file.tensor(name);
                    std::uint64_t sum = 0;
                    for (std::int64_t b = 0; b < loaded.view.count() * tensor::sizeOf(loaded.view.dtype); ++b)
                        sum += static_cast<std::uint64_t>(
                            loaded.view.data[b]); // a sanitizer or the system notices an outside byte
                    QVERIFY(sum <= bytes.size() * 255);
                    ++read;
                }
            } catch (const Error& error) {
                QVERIFY2(std::string_view(error.what()).find('\n') == std::string_view::npos, error.what());
            }
        }
        QVERIFY2(read > kInputs / 20, "most inputs are refused, but not nearly all: else nothing was tried");
    }
};

QTEST_GUILESS_MAIN(TensorFileTest)
#include "tst_tensor_file.moc"
