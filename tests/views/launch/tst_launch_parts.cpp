// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/error.h"
#include "kernels/gdn/plan/tensor_memory.h"
#include "views/launch/device_facts.h"
#include "views/launch/error_model.h"
#include "views/launch/gate_tile_model.h"
#include "views/launch/gate_tiles.h"
#include "views/launch/launch_form.h"
#include "views/launch/launch_words.h"
#include "views/launch/plan_figure.h"
#include "views/launch/plan_painter.h"
#include "views/launch/plan_view.h"
#include "views/launch/timing_rows.h"
#include "views/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;
using contract::Gate;
using contract::Severity;
using contract::StripCell;
using contract::Verdict;

namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 50;

contract::CheckResult check(Verdict verdict, double value, double threshold)
{
    contract::CheckResult made;
    made.verdict = verdict;
    made.value = tensor::measured(value);
    made.threshold = tensor::measured(threshold);
    return made;
}

contract::GateResult gateResult(Gate gate, Verdict verdict, Severity severity, std::vector<contract::CheckResult> checks)
{
    contract::GateResult made;
    made.gate = gate;
    made.verdict = verdict;
    made.severity = severity;
    made.exercised = made.total = int(checks.size());
    made.finding = "what was found";
    made.checks = std::move(checks);
    return made;
}

QStringList problems(const LaunchSettings& settings, std::uint64_t memory = kPlenty)
{
    QStringList lines;
    for (const FieldProblem& problem : problemsIn(settings, memory))
        lines << problem.text;
    return lines;
}

} // namespace

/// The parts of the Launch place, each alone.
class LaunchPartsTest final : public QObject {
    Q_OBJECT
private:
    Theme m_theme;

    static StripCell cell(const GateTileModel& model, Gate gate)
    {
        return static_cast<StripCell>(model.index(contract::indexOf(gate)).data(GateTileModel::CellRole).toInt());
    }
    static QString text(const GateTileModel& model, Gate gate, int role)
    {
        return model.index(contract::indexOf(gate)).data(role).toString();
    }

private Q_SLOTS:
    void theFirstSettingsCanBeLaunched()
    {
        QCOMPARE(problems({}), QStringList());
        const launch::LaunchRequest request = requestOf({});
        QCOMPARE(request.shape, (gdn::Shape{1, 128, 2, 64, 64}));
        QCOMPARE(request.dtype, tensor::DType::Float32);
        QCOMPARE(request.device, std::string("cpu"));
    }

    void everyFieldThatIsWrongHasItsOwnLine()
    {
        LaunchSettings settings;
        settings.tokens = u"many"_s;
        settings.heads = u"0"_s;
        settings.seed = u"-1"_s;
        const QList<FieldProblem> found = problemsIn(settings, kPlenty);
        QCOMPARE(found.size(), 3);
        QCOMPARE(found[0].field, LaunchField::Tokens);
        QCOMPARE(found[1].field, LaunchField::Heads);
        QCOMPARE(found[2].field, LaunchField::Seed);
        QVERIFY(found[0].text.contains(u"whole number"_s));
    }

    void aGpuTakesWhatItsKernelsAreBuiltFor()
    {
        LaunchSettings settings;
        settings.device = u"cuda:0"_s;
        QCOMPARE(problems(settings), QStringList{u"the device kernels take bfloat16 and float16"_s});
        settings.dtype = u"bfloat16"_s;
        QCOMPARE(problems(settings), QStringList());
        settings.values = u"96"_s;
        QCOMPARE(problems(settings), QStringList{u"the device kernels are built for 64 and 128 channels; pad to one of these"_s});
    }

    void anotherMachineNeedsACommandThatLeadsThere()
    {
        LaunchSettings settings;
        settings.isElsewhere = true;
        settings.dtype = u"bfloat16"_s;
        settings.device = u"gpu"_s;
        QCOMPARE(problems(settings).size(), 2);
        settings.device = u"cpu"_s; // is here
        QVERIFY(problems(settings).value(0).startsWith(u"a GPU such as cuda:0"_s));
        settings.device = u"cuda:1"_s;
        settings.prefix = u"ssh 'gpu01"_s; // the quote is open
        QCOMPARE(problems(settings).size(), 1);
        settings.prefix = u"ssh gpu01"_s;
        QCOMPARE(problems(settings), QStringList());
        QCOMPARE(requestOf(settings).prefix, std::string("ssh gpu01"));
    }

    void whatDoesNotFitTheMemoryIsSaidBeforeItRuns()
    {
        const std::uint64_t needed = bytesOnCpu({1, 128, 2, 64, 64});
        QCOMPARE(problems({}, needed), QStringList());
        QVERIFY(problems({}, needed - 1).value(0).startsWith(u"about 0.0 GiB on the CPU, and this machine has 0.0"_s));
        LaunchSettings huge;
        huge.batch = huge.tokens = huge.heads = u"16777216"_s;
        QCOMPARE(problems(huge).size(), 1);
    }

    void settingsSurviveTheSession()
    {
        LaunchSettings settings;
        settings.family = u"kda"_s;
        settings.tokens = u"193"_s;
        settings.isElsewhere = true;
        settings.prefix = u"ssh gpu01"_s;
        QCOMPARE(launchSettingsFrom(toJson(settings)), settings);
        QCOMPARE(launchSettingsFrom({{u"family"_s, u"unheard of"_s}}), LaunchSettings());
    }

    void theFormSaysWhatIsWrongWhileOneTypes()
    {
        LaunchForm form(m_theme);
        form.show();
        auto* tokens = form.findChild<QLineEdit*>(u"launch.tokens"_s);
        auto* line = form.findChild<QLabel*>(u"launch.problem.launch.tokens"_s);
        auto* run = form.findChild<QPushButton*>(u"launch.run"_s);
        QVERIFY(!line->isVisible());
        QVERIFY(run->isEnabled());
        tokens->setFocus();
        tokens->selectAll();
        QTest::keyClicks(tokens, u"12x"_s);
        QVERIFY(line->isVisible());
        QCOMPARE(line->text(), u"T: a whole number from 1 to 16,777,216, such as 64"_s);
        QVERIFY(!run->isEnabled());
        QTest::keyClick(tokens, Qt::Key_Backspace);
        QVERIFY(!line->isVisible());
        QVERIFY(run->isEnabled());
    }

    void aPresetFillsTheSizesAndOwnSizesLeaveIt()
    {
        LaunchForm form(m_theme);
        auto* preset = form.findChild<QComboBox*>(u"launch.preset"_s);
        preset->setCurrentIndex(2);
        Q_EMIT preset->activated(2);
        QCOMPARE(form.settings().values, u"128"_s);
        QCOMPARE(form.settings().tokens, u"193"_s);
        QCOMPARE(preset->currentIndex(), 2);
        form.findChild<QLineEdit*>(u"launch.tokens"_s)->setText(u"194"_s);
        QCOMPARE(preset->currentIndex(), 0);
    }

    void theCardSaysWhatARunWouldReallyUse()
    {
        LaunchSettings settings;
        DeviceFacts facts;
        facts.isKnown = true;
        facts.gpuLack = u"nvidia-smi is not there"_s;
        facts.library = u"/lib/libassay_gdn.so"_s;
        const QString cpu = deviceCard(settings, facts).lines.join(u'\n');
        QVERIFY2(cpu.contains(u"The CPU form runs: chunks of 64 tokens in float32."_s), qPrintable(cpu));
        QVERIFY2(cpu.contains(u"This machine has no GPU: nvidia-smi is not there."_s), qPrintable(cpu));
        QVERIFY2(cpu.contains(u"sm_100a image: "_s), qPrintable(cpu));
        settings.device = u"cuda:0"_s;
        QCOMPARE(deviceCard(settings, facts).title, u"cuda:0: not on this machine"_s);
        facts.gpus = {{u"NVIDIA H200"_s, u"9.0"_s}};
        QCOMPARE(deviceCard(settings, facts).title, u"NVIDIA H200"_s);
        QVERIFY(deviceCard(settings, facts).lines.contains(u"Its image is sm_90a."_s));
        facts.gpus = {{u"NVIDIA RTX PRO 6000"_s, u"12.0"_s}};
        QVERIFY(deviceCard(settings, facts).lines.contains(u"No image of the operator runs on it."_s));
        facts.gpus = {{u"NVIDIA B200"_s, u"10.0"_s}};
        QVERIFY(deviceCard(settings, facts).lines.join(u' ').contains(u"none uses tensor memory yet"_s));
        facts.library.clear();
        QVERIFY(deviceCard(settings, facts).lines.join(u' ').contains(u"The device kernels are not built here"_s));
    }

    void tilesLightOneByOne()
    {
        GateTileModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(text(model, Gate::Cmp01, GateTileModel::StateRole), u"not run"_s);
        model.begin();
        QCOMPARE(text(model, Gate::Res02, GateTileModel::StateRole), u"waits"_s);
        model.setRunning(Gate::Cmp01);
        QCOMPARE(cell(model, Gate::Cmp01), StripCell::Running);
        QCOMPARE(cell(model, Gate::Cmp02), StripCell::Absent);
        model.setResult(gateResult(Gate::Cmp01, Verdict::Pass, Severity::None,
                                   {check(Verdict::Pass, 0.31, 1), check(Verdict::Pass, 0.07, 1)}));
        QCOMPARE(cell(model, Gate::Cmp01), StripCell::Pass);
        QCOMPARE(text(model, Gate::Cmp01, GateTileModel::CountRole), u"2 of 2 checks"_s);
        QCOMPARE(text(model, Gate::Cmp01, GateTileModel::NumberRole), u"0.31 of 1"_s);
        QCOMPARE(text(model, Gate::Cmp01, GateTileModel::FindingRole), u"CMP-01: what was found"_s);
        model.setRunning(Gate::Cmp01); // news that come late change nothing
        QCOMPARE(cell(model, Gate::Cmp01), StripCell::Pass);
        QCOMPARE(model.done(), 1);
        QCOMPARE(model.exercised(), 2);
    }

    void everyStateHasItsOwnCellAndWords_data()
    {
        QTest::addColumn<int>("verdict");
        QTest::addColumn<int>("severity");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* words, Verdict verdict, Severity severity = Severity::None) {
            QTest::newRow(words) << int(verdict) << int(severity) << QString::fromLatin1(words);
        };
        row("passed", Verdict::Pass);
        row("failed by tolerance", Verdict::Fail, Severity::Soft);
        row("failed, no tolerance involved", Verdict::Fail, Severity::Hard);
        row("not applicable", Verdict::Inapplicable);
        row("not exercised", Verdict::NotExercised);
        row("not supported by the candidate", Verdict::Unsupported);
        row("could not be judged", Verdict::Error);
    }

    void everyStateHasItsOwnCellAndWords()
    {
        QFETCH(int, verdict);
        QFETCH(int, severity);
        QFETCH(QString, words);
        GateTileModel model;
        model.begin();
        model.setResult(gateResult(Gate::Ord02, Verdict(verdict), Severity(severity), {}));
        QCOMPARE(text(model, Gate::Ord02, GateTileModel::StateRole), words);
        QVERIFY(text(model, Gate::Ord02, GateTileModel::ShortStateRole).size() <= words.size());
        QVERIFY(!text(model, Gate::Ord02, GateTileModel::ShortStateRole).isEmpty());
        QCOMPARE(cell(model, Gate::Ord02), contract::stripCell(Verdict(verdict), Severity(severity)));
        QCOMPARE(text(model, Gate::Ord02, GateTileModel::CountRole), QString());
    }

    void theFailingCheckIsTheNumberThatMatters()
    {
        QCOMPARE(decidingNumber(gateResult(Gate::Exc02, Verdict::Fail, Severity::Soft,
                                           {check(Verdict::Pass, 0.99, 1), check(Verdict::Fail, 14, 1)})),
                 u"14 of 1"_s);
        QCOMPARE(decidingNumber(
                     gateResult(Gate::Exc01, Verdict::Fail, Severity::Hard,
                                {check(Verdict::Fail, std::numeric_limits<double>::quiet_NaN(), 1), check(Verdict::Fail, 3, 1)})),
                 u"NaN of 1"_s);
        QCOMPARE(decidingNumber(gateResult(Gate::Ord02, Verdict::Pass, Severity::None, {check(Verdict::Pass, 0, 0)})),
                 u"0 wrong"_s);
        QCOMPARE(decidingNumber(gateResult(Gate::Ord02, Verdict::Fail, Severity::Hard,
                                           {check(Verdict::Fail, 2, 0), check(Verdict::Fail, 14, 1)})),
                 u"2 wrong"_s);
        QCOMPARE(decidingNumber(gateResult(Gate::Res01, Verdict::Pass, Severity::None, {contract::CheckResult{}})), QString());
    }

    void anEndBeforeTheEndLeavesNoTileThatRuns()
    {
        GateTileModel model;
        model.begin();
        model.setResult(gateResult(Gate::Cmp01, Verdict::Pass, Severity::None, {}));
        model.setRunning(Gate::Cmp02);
        model.end(true);
        QCOMPARE(cell(model, Gate::Cmp01), StripCell::Pass);
        QCOMPARE(cell(model, Gate::Cmp02), StripCell::Error);
        QCOMPARE(text(model, Gate::Cmp02, GateTileModel::StateRole), u"could not run"_s);
        QCOMPARE(text(model, Gate::Cmp03, GateTileModel::StateRole), u"not reached"_s);
        model.begin();
        model.setRunning(Gate::Cmp01);
        model.end(false);
        QCOMPARE(text(model, Gate::Cmp01, GateTileModel::StateRole), u"stopped"_s);
        QCOMPARE(cell(model, Gate::Cmp01), StripCell::Absent);
    }

    void arrowsAndTheMouseChooseATile()
    {
        GateTileModel model;
        GateTiles tiles(model, m_theme);
        tiles.resize(1100, 200);
        tiles.show();
        QSignalSpy chosen(&tiles, &GateTiles::currentChanged);
        QTest::keyClick(&tiles, Qt::Key_Right);
        QTest::keyClick(&tiles, Qt::Key_Down);
        QCOMPARE(tiles.current(), 7); // six a row
        QTest::keyClick(&tiles, Qt::Key_Down);
        QCOMPARE(tiles.current(), 7);
        QTest::keyClick(&tiles, Qt::Key_Home);
        QCOMPARE(tiles.current(), 0);
        QTest::keyClick(&tiles, Qt::Key_Left);
        QCOMPARE(tiles.current(), 0);
        QTest::mouseClick(&tiles, Qt::LeftButton, {}, tiles.tileRect(11).center().toPoint());
        QCOMPARE(tiles.current(), 11);
        QCOMPARE(chosen.size(), 4);
        QVERIFY2(tiles.accessibleName().contains(u"RES-02"_s), qPrintable(tiles.accessibleName()));
    }

    void narrowTilesTakeMoreRows()
    {
        GateTileModel model;
        GateTiles tiles(model, m_theme);
        QVERIFY(tiles.heightForWidth(500) > tiles.heightForWidth(1100));
        tiles.resize(500, tiles.heightForWidth(500));
        for (int row = 0; row < model.rowCount(); ++row) {
            QVERIFY(QRectF(tiles.rect()).contains(tiles.tileRect(row))); // none is out of sight
            for (int other = 0; other < row; ++other)
                QVERIFY(!tiles.tileRect(row).intersects(tiles.tileRect(other)));
        }
    }

    void errorsSayWhetherTheyAreWithin()
    {
        ErrorModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setErrors({{"dq", 2.2e-3, 8e-3, true}, {"db", 2e-2, 1.5e-2, false}});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, ErrorModel::Error).data().toString(), u"2.2e-3"_s);
        QCOMPARE(model.index(0, ErrorModel::Output).data(ErrorModel::CellRole).toInt(), int(StripCell::Pass));
        QCOMPARE(model.index(1, ErrorModel::Output).data(ErrorModel::CellRole).toInt(), int(StripCell::FailSoft));
        QVERIFY(model.index(1, ErrorModel::Allowed).data(Qt::ToolTipRole).toString().endsWith(u"beyond"_s));
    }

    void timesAreSetBesideFloorsAndPeersOfTheSameShapeAlone()
    {
        launch::LaunchRequest request;
        request.dtype = tensor::DType::BFloat16;
        request.shape = {1, 32768, 16, 128, 128};
        auto rows = timingRows(request, {});
        QCOMPARE(rows.size(), std::size_t{1});
        QCOMPARE(rows[0].kind, TimingRow::Kind::Peer);
        QVERIFY(rows[0].source.contains(u"measured on an H200, not in this run"_s));
        launch::LaunchTiming timing;
        timing.backwardMilliseconds = 3.2;
        timing.floorMilliseconds = 0.468;
        timing.floorWithStatesMilliseconds = 0.624;
        timing.floorSource = "an H200's rates";
        rows = timingRows(request, timing);
        QCOMPARE(rows.size(), std::size_t{4});
        QCOMPARE(rows[2].kind, TimingRow::Kind::Ours);
        QVERIFY(timingRemark(request, timing).contains(u"14.6"_s));
        request.shape.tokens = 32767;
        QCOMPARE(timingRows(request, {}).size(), std::size_t{0});
        QVERIFY(timingRemark(request, {}).contains(u"1\u00d732768\u00d716, D = 128"_s));
        request.shape.tokens = 32768;
        request.dtype = tensor::DType::Float32; // peers were measured in 16 bits
        QCOMPARE(timingRows(request, {}).size(), std::size_t{0});
        QCOMPARE(millisecondsText(0.0468), u"46.8\u00a0\u00b5s"_s);
        QCOMPARE(millisecondsText(11.323), u"11.3\u00a0ms"_s);
    }

    void whatBecameOfARunIsSaidInWords()
    {
        LaunchOutcome outcome;
        outcome.result.end = launch::LaunchResult::End::CouldNotRun;
        outcome.result.reason = "the helper process died: signal 9";
        outcome.result.remedy = "Run it again";
        QCOMPARE(launch_words::ending(outcome, 3, 40), u"Could not run: the helper process died: signal 9. Run it again."_s);
        QCOMPARE(launch_words::cellOf(outcome), StripCell::Error);
        outcome.result.end = launch::LaunchResult::End::Stopped;
        QCOMPARE(launch_words::ending(outcome, 3, 40), u"Stopped after 3 of 12 gates; nothing is kept."_s);
        outcome.result.end = launch::LaunchResult::End::Judged;
        outcome.result.judgement.verdict = Verdict::Pass;
        outcome.result.seconds = 41;
        outcome.result.judgement.gates[1] = gateResult(Gate::Cmp02, Verdict::Inapplicable, Severity::None, {});
        QCOMPARE(launch_words::ending(outcome, 12, 214),
                 u"Passes every gate that applies: 214 checks exercised in 41 s. Not applicable: CMP-02."_s);
        outcome.result.judgement.verdict = Verdict::Fail;
        outcome.result.judgement.hardFailed = true;
        outcome.result.judgement.reason = "dk differs.";
        outcome.result.judgement.gates[2] = gateResult(Gate::Cmp03, Verdict::Fail, Severity::Hard, {});
        QCOMPARE(launch_words::ending(outcome, 12, 214), u"Fails CMP-03. dk differs."_s);
        QCOMPARE(launch_words::cellOf(outcome), StripCell::FailHard);
    }

    void thePlanIsTheOneThatKernelsAreBuiltOn()
    {
        using namespace gdn::plan;
        const PlanFigure figure = loadPlanFigure(128, 128, false, usualTarget());
        QCOMPARE(figure.kernels.size(), std::size_t{5});
        QVERIFY(figure.images.size() == 5 || !figure.imageLack.isEmpty());
        const FigureLook look = paperLook();
        const PlanPainter painter(figure, look, QRectF(0, 0, 7000, 3000));
        double least = 1e9, most = 0;
        for (std::size_t slot = 0; slot < kBackwardColumns.size(); ++slot) {
            for (int phase = 0; phase < kPhases; ++phase) {
                const QRectF cell = painter.cell(slot, phase);
                least = std::min(least, cell.top());
                most = std::max(most, cell.bottom());
                QVERIFY(std::abs(cell.height() / painter.cell(0, 0).height()
                                 - double(kBackwardColumns[slot].columns) / kBackwardColumns[0].columns)
                        < 1e-9);
                for (std::size_t other = 0; other < slot; ++other)
                    QVERIFY(!painter.cell(other, phase).adjusted(1, 1, -1, -1).intersects(cell.adjusted(1, 1, -1, -1)));
            }
        }
        QVERIFY(std::abs((most - least) / painter.cell(0, 0).height() - double(kTensorColumns) / kBackwardColumns[0].columns)
                < 1e-9);
        QVERIFY(captionOf(figure).startsWith(u"Modelled, not measured."_s));
        const std::string csv = toCsv(figure);
        QVERIFY(csv.find("accumulator,R5,448,64") != std::string::npos);
        QVERIFY(csv.find("kernel,\"reverse scan\",backward,192,") != std::string::npos);
        QVERIFY_EXCEPTION_THROWN(loadPlanFigure(96, 128, false, usualTarget()), Error);
    }

    void dutiesAreToldApart()
    {
        QCOMPARE(workOf(""), Work::Rests);
        QCOMPARE(workOf("du^T = dH^T k^T + do^T Aqk"), Work::Product);
        QCOMPARE(workOf("decayed; + q^T do - e^T P"), Work::Product);
        QCOMPARE(workOf("drained to dv, dw; (P h^T)^T"), Work::Product);
        QCOMPARE(workOf("drained to shared memory"), Work::Transfer);
        QCOMPARE(workOf("kept for the chunk before"), Work::Transfer);
        QCOMPARE(columnsAtWork(3), 512); // the last phase leaves no accumulator alone
    }

    void thePlanIsWrittenInEveryForm()
    {
        const PlanFigure figure = loadPlanFigure(128, 128, false, usualTarget());
        const QTemporaryDir folder;
        for (const FigureSize& size : figureSizes()) {
            for (const char* form : {"svg", "pdf", "png"})
                writeFigure(drawingOf(figure), size, folder.filePath(u"plan."_s + QLatin1String(form)));
        }
        QFile svg(folder.filePath(u"plan.svg"_s));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray text = svg.readAll();
        QVERIFY(text.contains("peak 512 of 512"));
        QVERIFY(text.contains("modelled, not executed"));
        QVERIFY(!text.contains("<image"));
        QVERIFY_EXCEPTION_THROWN(writeFigure(drawingOf(figure), figureSizes()[0], folder.filePath(u"plan.bmp"_s)), Error);
    }

    void thePlanViewTellsOfTheCellUnderThePointer()
    {
        PlanView view(m_theme);
        view.resize(1100, 420);
        view.setFigure(loadPlanFigure(128, 128, false, usualTarget()));
        QVERIFY(QRectF(view.rect()).contains(view.cell(6, 3)));
        QVERIFY(view.accessibleDescription().contains(u"no kernel runs on yet"_s));
        QVERIFY(!view.grab().isNull());
    }
};

QTEST_MAIN(LaunchPartsTest)
#include "tst_launch_parts.moc"
