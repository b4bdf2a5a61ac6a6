// SPDX-License-Identifier: Apache-2.0
#include "core/tensorfile/safetensors_writer.h"
#include "core/tensorfile/tensor_file.h"
#include "kernels/gdn/draw.h"
#include "kernels/gdn/serial.h"
#include "tests/app/command_line.h"

#include <cmath>
#include <map>

using namespace assay;
using namespace assay::tests;
using tensor::DType;

namespace {

using Tensors = std::map<std::string, tensor::HostTensor, std::less<>>;

QStringList args(std::initializer_list<const char*> words)
{
    QStringList list;
    for (const char* word : words)
        list << QString::fromUtf8(word);
    return list;
}

void write(const CommandLine& assay, const QString& name, const Tensors& tensors)
{
    std::vector<tensorfile::TensorToWrite> all;
    for (const auto& [key, tensor] : tensors)
        all.push_back({key, tensor.view()});
    QByteArray bytes;
    tensorfile::writeSafetensors(all, [&](std::string_view piece) { bytes.append(piece.data(), qsizetype(piece.size())); });
    assay.write(name, bytes);
}

Tensors read(const CommandLine& assay, const QString& name)
{
    const auto file = tensorfile::TensorFile::open(assay.path(name).toStdString());
    Tensors tensors;
    for (const std::string& key : file.names()) {
        const tensorfile::LoadedTensor loaded = file.tensor(key);
        tensor::HostTensor& copy = tensors[key] = tensor::HostTensor(loaded.view.dtype, loaded.view.shape);
        std::memcpy(copy.bytes().data(), loaded.view.data, copy.bytes().size());
    }
    return tensors;
}

/// Largest error against the largest element.
double relativeError(const tensor::HostTensor& reference, const tensor::HostTensor& found)
{
    const std::vector<double> wanted = reference.toDoubles(), got = found.toDoubles();
    if (wanted.size() != got.size())
        return std::nan("");
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        largest = std::max(largest, std::fabs(wanted[i]));
        error = std::max(error, std::fabs(got[i] - wanted[i]));
    }
    return error / largest;
}

gdn::DrawnCall draw(gdn::Family family, DType dtype = DType::Float64)
{
    return drawCall(family, {1, 90, 2, 8, 12}, {.starts = {0, 30, 90}, .dtype = dtype});
}

/// The call's file, cu_seqlens in it.
void writeCall(const CommandLine& assay, const gdn::DrawnCall& drawn)
{
    Tensors tensors = drawn.tensors;
    const std::vector<double> starts(drawn.starts.begin(), drawn.starts.end());
    tensors["cu_seqlens"] = tensor::HostTensor::fromDoubles(DType::Int32, {static_cast<std::int64_t>(starts.size())}, starts);
    write(assay, QStringLiteral("in.safetensors"), tensors);
}

} // namespace

/// `assay gdn` from the outside.
class GdnVerbTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void planSaysWhatKernelsTake()
    {
        const CommandLine assay;
        const Run run = assay(args({"gdn", "plan", "--json"}));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        const json::Document object = run.object();
        const json::Value& memory = object["tensor_memory"];
        QVERIFY(memory["columns"].GetInt() <= memory["limit"].GetInt());
        QCOMPARE(memory["limit"].GetInt(), 512);
        for (const json::Value& target : object["targets"].GetArray())
            QCOMPARE(std::string(target["status"].GetString()),
                     std::string(target["name"] == "sm_90a" ? "version 4 ran on an H200" : "assembled, not executed"));
        int kernels = 0;
        for (const json::Value& kernel : object["kernels"].GetArray()) {
            ++kernels;
            for (const json::Value& target : object["targets"].GetArray()) {
                const int blocks = kernel["blocks_by_shared_memory"][target["name"].GetString()].GetInt();
                QVERIFY(blocks >= 1 && blocks * kernel["shared_bytes"].GetInt() <= target["shared_bytes"].GetInt());
            }
        }
        QVERIFY(kernels >= 5);
        const Run text = assay(args({"gdn", "plan", "--keys", "64"}));
        QVERIFY2(text.out.contains("K = 64, V = 128") && text.out.contains("512 of 512 columns"), text.out.constData());
        QCOMPARE(assay(args({"gdn", "plan", "--keys", "96"})).exitCode, 2);
    }

    void runWritesEveryOutput_data()
    {
        QTest::addColumn<QString>("family");
        for (const gdn::Family family : gdn::kAllFamilies)
            QTest::newRow(std::string(name(family)).c_str()) << QString::fromStdString(std::string(name(family)));
    }

    /// Against the library, token by token.
    void runWritesEveryOutput()
    {
        QFETCH(QString, family);
        const CommandLine assay;
        const gdn::DrawnCall drawn = draw(*gdn::familyNamed(family.toStdString()));
        writeCall(assay, drawn);
        const Run run = assay(args({"gdn", "run", "in.safetensors", "--out", "out.safetensors", "--json", "--family"}) << family);
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(*json::stringAt(run.object(), "family"), family.toStdString());
        const gdn::FamilyProblem problem(drawn.call());
        const gdn::ForwardResult forward = problem.output(gdn::serialForward(problem.problem()));
        const gdn::BackwardResult backward = gdn::serialBackward(problem.problem());
        Tensors wanted{{"o", forward.o}, {"ST", forward.finalState}, {"dS0", backward.initialStateGrad}};
        for (const gdn::NamedTensor& gradient : problem.gradients(backward))
            wanted[gradient.name] = gradient.tensor;
        const Tensors found = read(assay, QStringLiteral("out.safetensors"));
        QCOMPARE(found.size(), wanted.size());
        for (const auto& [name, tensor] : wanted) {
            QVERIFY2(found.contains(name) && found.at(name).shape() == tensor.shape(), name.c_str());
            QCOMPARE(found.at(name).dtype(), DType::Float64);
            QVERIFY2(relativeError(tensor, found.at(name)) < 1e-10, name.c_str());
        }
    }

    /// fp64 inside, rounded once.
    void outputsHaveTheirInputsTypes()
    {
        const CommandLine assay;
        const gdn::DrawnCall drawn = draw(gdn::Family::Gdn2, DType::BFloat16);
        writeCall(assay, drawn);
        QCOMPARE(assay(args({"gdn", "run", "in.safetensors", "--out", "out.safetensors", "--serial"})).exitCode, 0);
        const Tensors found = read(assay, QStringLiteral("out.safetensors"));
        for (const char* name : {"o", "ST", "dq", "dk", "dv", "db", "dw", "dS0"})
            QVERIFY2(found.at(name).dtype() == DType::BFloat16, name);
        QCOMPARE(found.at("dg").dtype(), DType::Float32); // as g
        const gdn::FamilyProblem problem(drawn.call());
        const tensor::HostTensor dk = gdn::serialBackward(problem.problem()).dk;
        QVERIFY(std::ranges::equal(tensor::HostTensor::fromDoubles(DType::BFloat16, dk.shape(), dk.toDoubles()).bytes(),
                                   found.at("dk").bytes()));
    }

    void scaleAndFormAreChosen()
    {
        const CommandLine assay;
        writeCall(assay, draw(gdn::Family::Gdn2));
        const auto outputOf = [&](const QStringList& more) {
            const Run run
                = assay(args({"gdn", "run", "in.safetensors", "--out", "out.safetensors", "--forward", "--json"}) << more);
            if (run.exitCode != 0)
                qFatal("%s", run.err.constData());
            return read(assay, QStringLiteral("out.safetensors"));
        };
        const Tensors plain = outputOf({});
        QCOMPARE(plain.size(), std::size_t{2}); // o and ST
        std::vector<double> doubled = plain.at("o").toDoubles();
        for (double& value : doubled)
            value *= 2;
        const tensor::HostTensor twice = tensor::HostTensor::fromDoubles(DType::Float64, plain.at("o").shape(), doubled);
        const QString scale = QString::number(2 / std::sqrt(8.0), 'g', 17);
        QVERIFY(relativeError(twice, outputOf({QStringLiteral("--scale"), scale}).at("o")) < 1e-14);
        const Tensors other = outputOf({QStringLiteral("--chunk"), QStringLiteral("16")});
        QVERIFY(relativeError(plain.at("o"), other.at("o")) < 1e-13);
    }

    void mistakesAreOneLineAndWriteNothing_data()
    {
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<QList<int>>("sizes");
        QTest::addColumn<QString>("line");
        QTest::newRow("shape") << "k" << QList<int>{1, 90, 2, 7}
                               << "k has shape [1, 90, 2, 7], expected [B, T, H, K] [1, 90, 2, 8]";
        QTest::newRow("missing") << "b" << QList<int>{} << "b [B, T, H, K] is missing, gdn2 takes q k v b w g";
        QTest::newRow("no gradient") << "do" << QList<int>{} << "do is missing";
        QTest::newRow("state") << "S0" << QList<int>{1, 2, 8, 12}
                               << "S0 has shape [1, 2, 8, 12], expected [N, H, K, V] [2, 2, 8, 12]";
        QTest::newRow("stranger") << "s0" << QList<int>{1} << "holds a tensor \"s0\", which gdn2 does not take";
    }

    void mistakesAreOneLineAndWriteNothing()
    {
        QFETCH(QString, tensor);
        QFETCH(QList<int>, sizes);
        QFETCH(QString, line);
        const CommandLine assay;
        gdn::DrawnCall drawn = draw(gdn::Family::Gdn2);
        drawn.tensors.erase(tensor.toStdString());
        if (!sizes.isEmpty())
            drawn.tensors[tensor.toStdString()]
                = tensor::HostTensor(DType::Float64, std::vector<std::int64_t>(sizes.begin(), sizes.end()));
        writeCall(assay, drawn);
        const Run run = assay(args({"gdn", "run", "in.safetensors", "--out", "out.safetensors", "--json"}));
        QCOMPARE(run.exitCode, 1);
        QCOMPARE(run.err.count('\n'), 1);
        QVERIFY2(run.err.contains(line.toUtf8()), run.err.constData());
        QCOMPARE(*json::integerAt(run.object(), "exit"), std::int64_t{1});
        QCOMPARE(assay.files(), QStringList{QStringLiteral("in.safetensors")});
    }

    void aNpyFileIsNoCall()
    {
        const CommandLine assay;
        assay.write(QStringLiteral("in.npy"), "no tensor at all");
        const Run run = assay(args({"gdn", "run", "in.npy", "--out", "out.safetensors"}));
        QCOMPARE(run.exitCode, 1);
        QCOMPARE(run.err.count('\n'), 1);
    }

    void checkSaysHowFarItIs()
    {
        const CommandLine assay;
        const QStringList ask
            = args({"gdn", "check", "--shape", "1,100,2,16,24", "--lengths", "40,60", "--dtype", "fp64", "--family", "gdn"});
        const Run text = assay(ask);
        QCOMPARE(text.exitCode, 0);
        QVERIFY(text.out.contains("Every output is within its tolerance"));
        const Run run = assay(QStringList(ask) << QStringLiteral("--json"));
        QCOMPARE(run.exitCode, 0);
        const json::Document found = run.object();
        QCOMPARE(*json::boolAt(found, "pass"), true);
        QCOMPARE(*json::boolAt(found, "deterministic"), true);
        QVERIFY(*json::numberAt(*json::find(found, "errors"), "dg") < 1e-12);
    }

    void beyondItsToleranceEndsInFour()
    {
        const Run run = CommandLine()(args(
            {"gdn", "check", "--family", "delta", "--erase", "2", "--shape", "1,2000,1,64,64", "--dtype", "bf16", "--json"}));
        QCOMPARE(run.exitCode, 4);
        QCOMPARE(*json::boolAt(run.object(), "pass"), false);
        QCOMPARE(*json::boolAt(run.object(), "deterministic"), true);
    }

    void usageIsToldInOneLine_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* name, std::initializer_list<const char*> words, int exitCode, const char* line) {
            QTest::newRow(name) << args(words) << exitCode << QString::fromLatin1(line);
        };
        row("no GPU form", {"check", "--device", "cuda:0"}, 5, "this action computes on the CPU alone");
        row("gates: no shape", {"gates", "--shape", "1,64,0,16"}, 2, "H is 0");
        row("gates: no gate", {"gates", "--gates", "EXC-09"}, 2, "no gate is called \"EXC-09\"");
        row("gates: type", {"gates", "--device", "cuda:0", "--dtype", "fp32"}, 2, "a GPU's kernels take bfloat16 and float16");
        row("bench: channels", {"bench", "--device", "cuda:0", "--shape", "1,64,1,96"}, 2, "K is 96");
        row("bench: no device", {"bench", "--device", "tpu"}, 2, "no device is called \"tpu\"");
        row("no device", {"check", "--device", "tpu"}, 2, "no device is called \"tpu\"");
        row("Mamba-1", {"check", "--family", "mamba1"}, 2, "Mamba-1 decays every element of its K x V state");
        row("no family", {"check", "--family", "rwkv"}, 2, "no family is called \"rwkv\"");
        row("no shape", {"check", "--shape", "1,0,2,8,8"}, 2, "--shape");
        row("vast shape", {"check", "--shape", "9999999,9999999,9999999,9,9"}, 2, "--shape");
        row("lengths", {"check", "--shape", "1,10,2,8,8", "--lengths", "4,5"}, 2, "the lengths add up to 9, B is 1 and T 10");
        row("dtype", {"check", "--dtype", "int8"}, 2, "no form for \"int8\"");
        row("chunk", {"check", "--chunk", "48"}, 2, "--chunk");
        row("nothing", {}, 2, "subcommand");
    }

    void usageIsToldInOneLine()
    {
        QFETCH(QStringList, words);
        QFETCH(int, exitCode);
        QFETCH(QString, line);
        const CommandLine assay;
        const Run run = assay(QStringList{QStringLiteral("gdn")} + words);
        QCOMPARE(run.exitCode, exitCode);
        QCOMPARE(run.err.count('\n'), 1);
        QVERIFY2(run.err.contains(line.toUtf8()), run.err.constData());
    }
};

QTEST_GUILESS_MAIN(GdnVerbTest)
#include "tst_gdn_verb.moc"
