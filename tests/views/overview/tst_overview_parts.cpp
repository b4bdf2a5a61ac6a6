// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/copy_table.h"
#include "views/overview/link_filters.h"
#include "views/overview/link_walk.h"
#include "views/overview/published_highlights.h"
#include "views/overview/published_model.h"
#include "views/overview/run_layout.h"
#include "views/overview/type_ahead.h"
#include "views/theme/number_text.h"

#include <QAbstractItemModelTester>
#include <QtTest>

#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;
using contract::Gate;

namespace {

report::PublishedNumber number(const char* kind, const char* file, const char* pointer, double value)
{
    return {kind, file, pointer, tensor::measured(value), ""};
}

report::PublishedNumber words(const char* kind, const char* file, const char* pointer, const char* text)
{
    return {kind, file, pointer, {}, text};
}

std::vector<report::PublishedNumber> someFigures()
{
    return {number("agreement", "agree.json", "/agreement_rate", 0.9854),
            number("agreement", "agree.json", "/joined_rows", 1030),
            number("agreement", "agree.json", "/n_disagreements", 15),
            words("environment", "env.json", "/device_0", "NVIDIA B200"),
            number("environment", "env.json", "/device_count", 8),
            words("environment", "env.json", "/torch", "2.12.0"),
            number("calibration", "calib.json", "/gates/0/margin_trip_over_floor", 147.46),
            words("calibration", "calib.json", "/gates/0/gate_id", "CMP-01"),
            number("sample", "sample.json", "/selected/0/error", std::numeric_limits<double>::quiet_NaN())};
}

} // namespace

class OverviewPartsTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void countsAreGroupedAndSharesHaveOneDecimal()
    {
        QCOMPARE(number_text::count(2638), u"2,638"_s);
        QCOMPARE(number_text::count(0), u"0"_s);
        QCOMPARE(number_text::percent(1043.0 / 2638.0), u"39.5\u00a0%"_s);
        QCOMPARE(number_text::percent(0.00049), u"0.0\u00a0%"_s);
        QCOMPARE(number_text::percent(1.0), u"100.0\u00a0%"_s);
        QCOMPARE(number_text::interval({0.3768826, 0.4141721}), u"37.7 to 41.4"_s);
        QCOMPARE(number_text::kernels(1), u"1 kernel"_s);
        QCOMPARE(number_text::kernels(1200), u"1,200 kernels"_s);
        QCOMPARE(number_text::seconds(std::nullopt), u"not recorded"_s);
        QCOMPARE(number_text::seconds(9.52), u"9.5\u00a0s"_s);
    }

    void numbersThatAreNotFiniteAreWords()
    {
        QCOMPARE(number_text::measured(tensor::measured(std::nan(""))), u"NaN"_s);
        QCOMPARE(number_text::measured(tensor::measured(INFINITY)), u"+Inf"_s);
        QCOMPARE(number_text::measured(tensor::measured(-INFINITY)), u"\u2212Inf"_s);
        QCOMPARE(number_text::measured({}), u"not measured"_s);
        QCOMPARE(number_text::measured(tensor::measured(1.121e22)), u"1.1e+22"_s);
    }

    void twoDigitsArePlainWhereThatIsShort()
    {
        const std::pair<double, const char*> cases[]
            = {{0, "0"},          {3.21, "3.2"},    {147.46, "147.5"}, {9999, "9999"},
               {12345, "1.2e+4"}, {0.051, "0.051"}, {8e-5, "8.0e-5"},  {-2e-12, "-2.0e-12"}};
        for (const auto& [value, text] : cases)
            QCOMPARE(number_text::rounded(value), QString::fromLatin1(text));
        QCOMPARE(number_text::exact(tensor::measured(1.121e22)), u"1.121e+22"_s);
        QCOMPARE(number_text::exact({}), u"not measured"_s);
    }

    void arrowsStayInTheirRowOrCrossToTheNearest()
    {
        // Two rows of two links; the lower ones stand a little to the right.
        QVector<PanelLink> links(4);
        links[0].rect = {0, 0, 20, 10};
        links[1].rect = {100, 0, 20, 10};
        links[2].rect = {10, 30, 20, 10};
        links[3].rect = {110, 30, 20, 10};
        QCOMPARE(link_walk::neighbour(links, 0, Qt::Key_Right), 1);
        QCOMPARE(link_walk::neighbour(links, 1, Qt::Key_Right), -1);
        QCOMPARE(link_walk::neighbour(links, 1, Qt::Key_Down), 3);
        QCOMPARE(link_walk::neighbour(links, 2, Qt::Key_Up), 0);
        QCOMPARE(link_walk::neighbour(links, -1, Qt::Key_Up), -1);
        QCOMPARE(link_walk::rowEnd(links, 3, true), 2);
        QCOMPARE(link_walk::rowEnd(links, 0, false), 1);
        QCOMPARE(link_walk::edge(links, true, 90), 1);
        QCOMPARE(link_walk::edge(links, false, 0), 2);
        QCOMPARE(link_walk::edge({}, false, 0), -1);
        QCOMPARE(link_walk::at(links, {121, 11}), 1);
        QCOMPARE(link_walk::at(links, {60, 5}), -1);
    }

    void filterLinesFollowTheRuleSet()
    {
        const LinkFilters published;
        QCOMPARE(published.toleranceFree(), u"is:tolerance_free"_s);
        QCOMPARE(published.violation(u"scan"_s), u"is:violation family:scan"_s);
        QCOMPARE(published.gate(Gate::Exc01, u"fail"_s, u"scan"_s), u"is:audited family:scan EXC-01:fail"_s);
        QCOMPARE(published.baseline(true, false), u"is:audited baseline:pass is:violation"_s);
        const LinkFilters rescored(u"nan-equal"_s);
        QCOMPARE(rescored.toleranceFree(), u"rule:nan-equal/tolerance_free"_s);
        QCOMPARE(rescored.gate(Gate::Ord02, u"fail"_s, {}, true),
                 u"rule:nan-equal/audited ORD-02:fail -rule:nan-equal/forgiven"_s);
        QCOMPARE(published.audited(u"layer norm"_s), u"is:audited family:\"layer norm\""_s);
    }

    void tablesCopyAsTsvAndMarkdown()
    {
        const QVector<QStringList> rows{{u"gate"_s, u"fail"_s}, {u"a\tb"_s, u"1|2"_s}};
        QCOMPARE(toTsv(rows), u"gate\tfail\na b\t1|2\n"_s);
        QCOMPARE(toMarkdownTable(rows), u"| gate | fail |\n| --- | --- |\n| a b | 1\\|2 |\n"_s);
    }

    void runsBreakBetweenWordsAndShareABaseline()
    {
        const QFont small(u"Inter"_s, 9);
        const QFont large(u"Inter"_s, 24);
        const QVector<TextRun> runs{{u"39.5 %"_s, large, Qt::black, 0},
                                    {u" of them fail without any tolerance"_s, small, Qt::black}};
        RunLayout wide;
        const qreal oneLine = wide.set(runs, 0, 0, 2000);
        QCOMPARE(wide.pieces().size(), 2);
        QCOMPARE(wide.pieces()[0].baseline.y(), wide.pieces()[1].baseline.y());
        QVERIFY(wide.rectOf(0).width() > 0);
        RunLayout narrow;
        QVERIFY(narrow.set(runs, 0, 0, 200) > oneLine);
        for (const RunLayout::Piece& piece : narrow.pieces())
            QVERIFY(piece.rect.left() >= 0);
    }

    void lettersTypedInQuickSuccessionMakeOneWord()
    {
        TypeAhead typed;
        QCOMPARE(typed.add(u"s"_s), u"s"_s);
        QCOMPARE(typed.add(u"c"_s), u"sc"_s);
        typed.forgetLast();
        QCOMPARE(typed.text(), u"s"_s);
    }

    void publishedFiguresMakeAnHonestModel()
    {
        PublishedModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setNumbers(someFigures());
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.figureCount(), 9);
        const QModelIndex agreement = model.index(0, 0);
        QCOMPARE(agreement.data().toString(), u"Agreement with the original harness"_s);
        QCOMPARE(model.rowCount(agreement), 3);
        QCOMPARE(model.index(1, PublishedModel::Value, agreement).data().toString(), u"1,030"_s);
        QCOMPARE(model.index(1, PublishedModel::File, agreement).data().toString(), u"agree.json"_s);
        const QModelIndex sample = model.index(3, 0);
        QCOMPARE(model.index(0, PublishedModel::Value, sample).data().toString(), u"NaN"_s);
        QCOMPARE(model.index(0, PublishedModel::Name, sample).data().toString(), u"selected \u203a 0 \u203a error"_s);
        model.setSearch(u"torch"_s);
        QCOMPARE(model.figureCount(), 1);
        model.setSearch({});
        QCOMPARE(model.figureCount(), 9);
    }

    void highlightsSayWhatWasPublishedAndNothingElse()
    {
        const QVector<PublishedHighlight> found = publishedHighlights(someFigures());
        QCOMPARE(found.size(), 3);
        QCOMPARE(found[0].sentence, u"8 \u00d7 NVIDIA B200, torch 2.12.0."_s);
        QCOMPARE(found[1].sentence,
                 u"The audit's replica agrees with the original harness on 98.5\u00a0% of 1,030 rows; they disagree on 15."_s);
        QCOMPARE(found[2].sentence, u"Trip point over the honest floor: CMP-01 147\u00d7."_s);
        QVERIFY(publishedHighlights({}).isEmpty());
    }
};

QTEST_MAIN(OverviewPartsTest)
#include "tst_overview_parts.moc"
