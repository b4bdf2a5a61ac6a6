// SPDX-License-Identifier: Apache-2.0
#include "tests/app/command_line.h"

#include <cstring>

using namespace assay;
using namespace assay::tests;

namespace {

QByteArray npy(const char* descriptor, const char* shape, const QByteArray& data)
{
    QByteArray header = QByteArray("{'descr': '") + descriptor + "', 'fortran_order': False, 'shape': " + shape + ", }";
    header = header.leftJustified(117, ' ') + '\n'; // numpy's padding to 128 bytes
    return QByteArray("\x93NUMPY\x01\0", 8) + char(header.size()) + '\0' + header + data;
}

QByteArray floats(std::initializer_list<float> values)
{
    return {reinterpret_cast<const char*>(std::data(values)), qsizetype(values.size() * sizeof(float))};
}

QByteArray safetensors(const QByteArray& header, const QByteArray& data)
{
    const auto length = static_cast<std::uint64_t>(header.size());
    return QByteArray(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

QStringList args(std::initializer_list<const char*> words)
{
    QStringList list;
    for (const char* word : words)
        list << QString::fromUtf8(word);
    return list;
}

} // namespace

/// `assay diff` from the outside: exit codes, the shape of its JSON, one line for what cannot be read.
class DiffVerbTest : public QObject {
    Q_OBJECT

    static CommandLine withPair()
    {
        CommandLine assay;
        assay.write("r.npy", npy("<f4", "(2, 2)", floats({1, 2, 3, 4})));
        assay.write("c.npy", npy("<f4", "(2, 2)", floats({1, 2.5, 3, NAN})));
        return assay;
    }

private Q_SLOTS:
    void differencesEndInFourAndAreTold()
    {
        const CommandLine assay = withPair();
        const Run run = assay(args({"diff", "r.npy", "c.npy", "--json"}));
        QCOMPARE(run.exitCode, 4);
        const json::Document found = run.object();
        QCOMPARE(*json::integerAt(found, "count"), std::int64_t{4});
        QCOMPARE(*json::integerAt(found, "finite_pairs"), std::int64_t{3});
        QCOMPARE(*json::numberAt(found, "max_abs"), 0.5);
        QCOMPARE(*json::integerAt(found, "max_ulp"), std::int64_t{1} << 21);
        QCOMPARE(*json::integerAt(*json::find(found, "nonfinite"), "mismatch"), std::int64_t{1});
        QCOMPARE(*json::boolAt(found, "bit_equal"), false);
        QVERIFY(run.out.contains(R"("worst":[{"index":[0,1],"ref":2.0,"cand":2.5,"abs":0.5,"rel":0.25,"ulp":2097152}])"));
        const Run text = assay(args({"diff", "r.npy", "c.npy"}));
        QVERIFY2(text.out.contains("1 element (25 %) is NaN where the reference is finite: at (1, 1)."), text.out.constData());
    }

    void equalFilesEndInZero() { QCOMPARE(withPair()(args({"diff", "c.npy", "c.npy"})).exitCode, 0); }

    void boundsAreJudged()
    {
        const CommandLine assay = withPair();
        QCOMPARE(assay(args({"diff", "r.npy", "c.npy", "--atol", "9"})).exitCode, 4); // NaN is within no bound
        assay.write("c.npy", npy("<f4", "(2, 2)", floats({1, 2.5, 3, 4})));
        QCOMPARE(assay(args({"diff", "r.npy", "c.npy", "--atol", "0.5"})).exitCode, 0);
        QCOMPARE(assay(args({"diff", "r.npy", "c.npy", "--rtol", "0.24"})).exitCode, 4);
        QCOMPARE(assay(args({"diff", "r.npy", "c.npy", "--rtol", "0.2", "--atol", "0.1"})).exitCode, 0);
        QCOMPARE(assay(args({"diff", "r.npy", "c.npy", "--ulp", "2097152"})).exitCode, 0);
        QCOMPARE(assay(args({"diff", "r.npy", "c.npy", "--ulp", "2097151"})).exitCode, 4);
        QCOMPARE(assay(args({"diff", "r.npy", "c.npy", "--atol", "nan"})).exitCode, 2);
    }

    void otherShapesAreDifferentNotAFailure()
    {
        const CommandLine assay = withPair();
        assay.write("c.npy", npy("<f4", "(4,)", floats({1, 2, 3, 4})));
        const Run run = assay(args({"diff", "r.npy", "c.npy", "--json"}));
        QCOMPARE(run.exitCode, 4);
        QCOMPARE(*json::boolAt(run.object(), "shape_mismatch"), true);
        QVERIFY(assay(args({"diff", "r.npy", "c.npy"})).out.contains("the shapes differ"));
    }

    void otherDtypesAreDifferentUnlessABoundIsAsked()
    {
        const CommandLine assay = withPair();
        const double values[4] = {1, 2, 3, 4};
        assay.write("c.npy", npy("<f8", "(2, 2)", QByteArray(reinterpret_cast<const char*>(values), sizeof values)));
        const Run run = assay(args({"diff", "r.npy", "c.npy", "--json"}));
        QCOMPARE(run.exitCode, 4);
        QCOMPARE(*json::boolAt(run.object(), "dtype_mismatch"), true);
        QCOMPARE(assay(args({"diff", "r.npy", "c.npy", "--atol", "0"})).exitCode, 0);
    }

    void severalTensorsAreComparedByName()
    {
        const CommandLine assay = withPair();
        assay.write(
            "r.safetensors",
            safetensors(
                R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                floats({1, 2})));
        assay.write(
            "c.safetensors",
            safetensors(
                R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"c":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                floats({1, 2})));
        const Run run = assay(args({"diff", "r.safetensors", "c.safetensors", "--json"}));
        QCOMPARE(run.exitCode, 4); // b and c have no partner
        const json::Document found = run.object();
        QCOMPARE(json::find(found, "tensors")->Size(), 1U);
        QCOMPARE(*json::boolAt((*json::find(found, "tensors"))[0], "bit_equal"), true);
        QVERIFY(run.out.contains(R"("only_ref":["b"],"only_cand":["c"])"));
        QCOMPARE(assay(args({"diff", "r.safetensors", "c.safetensors", "--tensor", "a"})).exitCode, 0);
        const Run missing = assay(args({"diff", "r.safetensors", "c.safetensors", "--tensor", "b"}));
        QCOMPARE(missing.exitCode, 1);
        QVERIFY(missing.err.contains("It has a, c"));
    }

    void figuresOverNoPairsAreNull()
    {
        const CommandLine assay = withPair();
        assay.write("r.npy", npy("<f4", "(1,)", floats({NAN})));
        assay.write("c.npy", npy("<f4", "(1,)", floats({INFINITY})));
        const Run run = assay(args({"diff", "r.npy", "c.npy", "--json"}));
        QVERIFY(json::find(run.object(), "max_abs")->IsNull());
        QVERIFY(json::find(*json::find(run.object(), "quantiles"), "0.5")->IsNull());
    }

    void aPictureIsDrawnByTheWindowsProgramBesideIt()
    {
        const CommandLine assay = withPair();
        const Run run = assay(args({"diff", "r.npy", "c.npy", "--png", "d.png", "--json"}));
        if (!QFileInfo::exists(QFileInfo(QStringLiteral(ASSAY_CLI)).dir().filePath(QStringLiteral("assay-workbench"))))
            QSKIP("this build has no workbench");
        QCOMPARE(run.exitCode, 4);
        QVERIFY(assay.read("d.png").startsWith("\x89PNG"));
        QCOMPARE(*json::integerAt(run.object(), "count"), std::int64_t{4});
    }

    /// A machine without a desktop says so before it measures anything.
    void withoutTheWindowsProgramAPictureIsRefusedInOneLine()
    {
        const CommandLine assay = withPair();
        QVERIFY(QFile::copy(QStringLiteral(ASSAY_CLI), assay.path("alone")));
        QProcess process;
        process.setWorkingDirectory(QFileInfo(assay.path("alone")).path());
        process.start(assay.path("alone"), args({"diff", "r.npy", "c.npy", "--png", "d.png"}));
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 1);
        const QByteArray said = process.readAllStandardError();
        QVERIFY2(said.contains("assay-workbench, which is not there") && said.count('\n') == 1, said.constData());
        QVERIFY(process.readAllStandardOutput().isEmpty());
    }

    void damagedFilesAreOneLineAndEndInOne()
    {
        const CommandLine assay = withPair();
        assay.write("c.npy", npy("<f4", "(2, 2)", floats({1, 2, 3})));
        const Run run = assay(args({"diff", "r.npy", "c.npy", "--json"}));
        QCOMPARE(run.exitCode, 1);
        QCOMPARE(run.err.count('\n'), 1);
        QVERIFY(run.err.contains("ends early: 12 of 16 bytes"));
        QCOMPARE(*json::integerAt(run.object(), "exit"), std::int64_t{1});
    }
};

QTEST_GUILESS_MAIN(DiffVerbTest)
#include "tst_diff_verb.moc"
