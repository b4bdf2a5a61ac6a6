// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"
#include "core/contract/gate.h"
#include "core/store/database.h"
#include "core/store/gdn_run.h"
#include "core/store/kernel_details.h"

#include <SQLiteCpp/Statement.h>

#include <set>

using namespace assay;
using namespace assay::tests;

namespace {

/// The first interpreter that has torch, or "".
QString pythonWithTorch()
{
    static const QString kFound = [] {
        for (const QString& python :
             {qEnvironmentVariable("ASSAY_PYTHON"), QStringLiteral("python3"), QStringLiteral("/usr/bin/python3")}) {
            if (!python.isEmpty()
                && QProcess::execute(
                       python,
                       {QStringLiteral("-c"),
                        QStringLiteral("import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)")})
                    == 0)
                return python;
        }
        return QString();
    }();
    return kFound;
}

/// What `assay gdn gates` printed: events, the verdict last.
struct Launched {
    int exitCode = -1;
    QByteArray err;
    std::vector<json::Document> lines;

    const json::Value& verdict() const { return lines.back(); }
    std::vector<const json::Value*> events(std::string_view name) const
    {
        std::vector<const json::Value*> found;
        for (const json::Document& line : lines) {
            if (json::stringAt(line, "event") == name)
                found.push_back(&line);
        }
        return found;
    }
};

Launched launch(const CommandLine& assay, const QStringList& arguments)
{
    QProcess process;
    assay.start(process,
                QStringList{QStringLiteral("gdn"), QStringLiteral("gates"), QStringLiteral("--python"), pythonWithTorch(),
                            QStringLiteral("--unsafe-no-sandbox")}
                    + arguments);
    if (!process.waitForFinished(900000))
        qFatal("assay did not end");
    Launched launched;
    launched.exitCode = process.exitCode();
    launched.err = process.readAllStandardError();
    for (const QByteArray& line : process.readAllStandardOutput().split('\n')) {
        if (line.isEmpty())
            continue;
        json::Document& document = launched.lines.emplace_back();
        if (json::parse({line.constData(), static_cast<std::size_t>(line.size())}, document) || !document.IsObject())
            qFatal("not one JSON object: %s", line.constData());
    }
    return launched;
}

} // namespace

/// The operator through the twelve gates for real, on the CPU.
class GdnGatesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        if (pythonWithTorch().isEmpty())
            QSKIP("no Python with torch (set ASSAY_PYTHON)");
    }

    void familiesPassEveryGate_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QString>("shape");
        QTest::newRow("gdn2") << QStringLiteral("gdn2") << QStringLiteral("1,20,2,12,12");
        QTest::newRow("delta") << QStringLiteral("delta") << QStringLiteral("2,18,2,12,16");
        QTest::newRow("mamba2") << QStringLiteral("mamba2") << QStringLiteral("2,20,2,12,12");
    }

    /// Every gate that applies was asked, and says how often.
    void familiesPassEveryGate()
    {
        QFETCH(QString, family);
        QFETCH(QString, shape);
        const Launched run = launch(CommandLine(),
                                    {QStringLiteral("--family"), family, QStringLiteral("--shape"), shape,
                                     QStringLiteral("--no-times"), QStringLiteral("--budget"), QStringLiteral("40")});
        QVERIFY2(!run.lines.empty(), run.err);
        const std::string text = json::toText(run.verdict());
        QVERIFY2(run.exitCode == 0, text.c_str());
        QCOMPARE(*json::stringAt(run.verdict(), "schema"), std::string("assay.verify/1"));
        QCOMPARE(*json::stringAt(run.verdict(), "verdict"), std::string("pass"));
        QCOMPARE(json::find(run.verdict(), "gates")->Size(), 12U);
        std::set<std::string> inapplicable;
        for (const json::Value& gate : json::find(run.verdict(), "gates")->GetArray()) {
            const std::string id = *json::stringAt(gate, "id"), verdict = *json::stringAt(gate, "verdict");
            if (verdict == "inapplicable") {
                QVERIFY2(!json::stringAt(gate, "finding")->empty(), id.c_str());
                inapplicable.insert(id);
                continue;
            }
            QVERIFY2(verdict == "pass" && *json::integerAt(gate, "exercised") > 0, (id + " " + verdict).c_str());
        }
        QCOMPARE(inapplicable, std::set<std::string>{"RES-02"}); // no GPU, no resources of one
        // Gates light one by one: each begins before it ends, and only one is at work.
        std::vector<std::string> order;
        for (const json::Document& line : run.lines) {
            if (json::stringAt(line, "event") == "gate_started")
                order.push_back("+" + *json::stringAt(line, "gate_id"));
            else if (json::stringAt(line, "event") == "gate")
                order.push_back("-" + *json::stringAt(*json::find(line, "gate"), "id"));
        }
        QCOMPARE(order.size(), std::size_t{24});
        for (std::size_t i = 0; i < order.size(); i += 2)
            QCOMPARE("+" + order[i + 1].substr(1), order[i]);
    }

    void aLaunchIsARowLikeAnyOther()
    {
        const CommandLine assay;
        const QStringList arguments{QStringLiteral("--family"), QStringLiteral("gla"),    QStringLiteral("--shape"),
                                    QStringLiteral("1,12,1,8"), QStringLiteral("--db"),   QStringLiteral("launches.db"),
                                    QStringLiteral("--gates"),  QStringLiteral("ORD-02"), QStringLiteral("--samples"),
                                    QStringLiteral("3")};
        const Launched run = launch(assay, arguments);
        QVERIFY2(run.exitCode == 0, run.err);
        QCOMPARE(run.events("errors").size(), std::size_t{1});
        QCOMPARE(run.events("timing").size(), std::size_t{1});
        const auto stored = run.events("stored");
        QCOMPARE(stored.size(), std::size_t{1});
        const std::int64_t kernel = *json::integerAt(*stored[0], "kernel");
        const auto database
            = store::Database::open(assay.path(QStringLiteral("launches.db")).toStdString(), store::OpenMode::ReadOnly);
        const auto launched = store::gdnRunOf(*database, *json::integerAt(*stored[0], "verdict"));
        QVERIFY(launched);
        QCOMPARE(launched->family, std::string("gla"));
        QCOMPARE(launched->shape, std::string("[1,12,1,8,8]"));
        QCOMPARE(launched->dtype, std::string("float32"));
        QVERIFY(launched->timings.find("backward_ms") != std::string::npos);
        QVERIFY(launched->errors.find("\"dg\"") != std::string::npos);
        // `assay show` finds it by its name.
        const Run show = assay({QStringLiteral("show"), QStringLiteral("--db"), QStringLiteral("launches.db"),
                                QString::fromStdString(*json::stringAt(*stored[0], "id"))});
        QVERIFY2(show.exitCode == 0 && show.out.contains("gla 1 x 12 x 1 x 8 x 8 float32"), show.out + show.err);
        // Launched again, it is the same kernel with one verdict more.
        const Launched again = launch(assay, arguments + QStringList{QStringLiteral("--no-times")});
        QCOMPARE(*json::integerAt(*again.events("stored").at(0), "kernel"), kernel);
        QVERIFY(*json::integerAt(*again.events("stored").at(0), "verdict") != *json::integerAt(*stored[0], "verdict"));
    }

    void aRequestCanBeCarriedElsewhere()
    {
        const Launched run
            = launch(CommandLine(), {QStringLiteral("--device"), QStringLiteral("cuda:0"), QStringLiteral("--print-request")});
        QVERIFY2(run.exitCode == 0 && run.lines.size() == 1, run.err);
        QCOMPARE(*json::stringAt(run.verdict(), "op"), std::string("verify"));
        QCOMPARE(*json::stringAt(run.verdict(), "device"), std::string("cuda:0"));
    }

    void aDeviceThatIsNotThereIsNoFailure()
    {
        const Launched run = launch(CommandLine(), {QStringLiteral("--device"), QStringLiteral("cuda:7")});
        QCOMPARE(run.exitCode, 5);
        QVERIFY2(run.err.contains("cuda:7"), run.err);
    }
};

QTEST_GUILESS_MAIN(GdnGatesTest)
#include "tst_gdn_gates.moc"
