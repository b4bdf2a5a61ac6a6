// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/json.h"
#include "views/triage/row_text.h"

#include <QtTest>

#include <limits>

using namespace assay;
using store::TriageColumn;
using views::RowFormat;
using views::RowText;

namespace {

store::TriageRow row()
{
    store::TriageRow row;
    row.externalId = "179";
    row.title = "cumprod, \"fast\"\tand | wide";
    row.outcome = "fail_soft";
    row.strip.set(contract::Gate::Cmp01, contract::StripCell::FailSoft);
    row.strip.set(contract::Gate::Exc01, contract::StripCell::Pass);
    row.error = tensor::measured(0.1);
    row.relative = tensor::measured(std::numeric_limits<double>::quiet_NaN());
    row.bookmarked = true;
    return row;
}

std::string text(RowFormat format, std::vector<TriageColumn> columns)
{
    const RowText writer(format, std::move(columns));
    std::string out;
    writer.appendHeader(out);
    writer.appendRow(out, row());
    return out;
}

} // namespace

class RowTextTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tsvKeepsOneRowOnOneLine()
    {
        QCOMPARE(text(RowFormat::Tsv, {TriageColumn::Id, TriageColumn::Title, TriageColumn::Error}),
                 std::string("id\ttitle\terror\n179\tcumprod, \"fast\" and | wide\t0.1\n"));
    }

    void csvQuotesWhatNeedsQuotes()
    {
        QCOMPARE(text(RowFormat::Csv, {TriageColumn::Id, TriageColumn::Title}),
                 std::string("id,title\n179,\"cumprod, \"\"fast\"\"\tand | wide\"\n"));
    }

    void markdownEscapesBarsAndAlignsNumbers()
    {
        QCOMPARE(
            text(RowFormat::Markdown, {TriageColumn::Title, TriageColumn::Gates, TriageColumn::Error}),
            std::string("| title | fails | error |\n| --- | --- | ---: |\n| cumprod, \"fast\"\tand \\| wide | CMP-01 | 0.1 |\n"));
    }

    void theStripBecomesTwelveColumnsOfVerdictNames()
    {
        const std::string tsv = text(RowFormat::Tsv, {TriageColumn::Gates});
        const QStringList lines = QString::fromStdString(tsv).split(QLatin1Char('\n'));
        QCOMPARE(lines[0].split(QLatin1Char('\t')).size(), 12);
        QCOMPARE(lines[0].section(QLatin1Char('\t'), 3, 3), QStringLiteral("EXC-01"));
        QCOMPARE(lines[1].section(QLatin1Char('\t'), 0, 0), QStringLiteral("fail_soft"));
        QCOMPARE(lines[1].section(QLatin1Char('\t'), 3, 3), QStringLiteral("pass"));
        QCOMPARE(lines[1].section(QLatin1Char('\t'), 1, 1), QStringLiteral("absent"));
    }

    void jsonLinesNeverHoldABareNaN()
    {
        const std::string line
            = text(RowFormat::JsonLines,
                   {TriageColumn::Id, TriageColumn::Gates, TriageColumn::Error, TriageColumn::Relative, TriageColumn::Flags});
        json::Document document;
        QVERIFY(!json::parse(line, document));
        QCOMPARE(json::stringAt(document, "relative").value_or(""), std::string("NaN"));
        QCOMPARE(json::numberAt(document, "error").value_or(0), 0.1);
        QCOMPARE(json::stringAt(*json::find(document, "gates"), "CMP-01").value_or(""), std::string("fail_soft"));
        QVERIFY(!json::find(*json::find(document, "gates"), "CMP-02"));
        QCOMPARE(json::find(document, "flags")->Size(), 1U);
    }

    void theSuffixPicksTheFormat()
    {
        QVERIFY(views::rowFormatOf(QStringLiteral("/a/b.CSV")) == RowFormat::Csv);
        QVERIFY(views::rowFormatOf(QStringLiteral("b.tsv")) == RowFormat::Tsv);
        QVERIFY(views::rowFormatOf(QStringLiteral("b.md")) == RowFormat::Markdown);
        QVERIFY(views::rowFormatOf(QStringLiteral("b.jsonl")) == RowFormat::JsonLines);
        QVERIFY(!views::rowFormatOf(QStringLiteral("b.xlsx")));
    }
};

QTEST_APPLESS_MAIN(RowTextTest)
#include "tst_row_text.moc"
