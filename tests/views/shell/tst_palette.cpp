// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/palette_model.h"

#include <QAbstractItemModelTester>
#include <QtTest>

using namespace assay::views;
using namespace Qt::StringLiterals;

namespace {

std::vector<PaletteEntry> someEntries()
{
    return {{u"Open a database"_s, u"Data"_s, u"Ctrl+O"_s, [] {}},
            {u"Dark look"_s, u"Window"_s, {}, [] {}},
            {u"Hard failures"_s, u"Saved view"_s, {}, [] {}},
            {u"Next failing kernel"_s, u"Kernels"_s, u"Shift+J"_s, [] {}}};
}

QStringList titles(const PaletteModel& model)
{
    QStringList list;
    for (int row = 0; row < model.rowCount(); ++row)
        list << model.index(row).data().toString();
    return list;
}

} // namespace

class PaletteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theModelKeepsTheRulesOfModels()
    {
        PaletteModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setEntries(someEntries());
        model.setQuery(u"fail"_s);
        model.setQuery(u"nothing fits this"_s);
        model.addEntries(someEntries());
        model.setQuery({});
        QCOMPARE(model.rowCount(), 8);
    }

    void anEmptyQueryKeepsTheOrder()
    {
        PaletteModel model;
        model.setEntries(someEntries());
        QCOMPARE(titles(model).first(), u"Open a database"_s);
        QCOMPARE(model.rowCount(), 4);
    }

    void beginningsOfWordsBeatInnerPartsAndScatteredLetters()
    {
        QVERIFY(paletteScore(u"fail"_s, u"Failing"_s) > paletteScore(u"fail"_s, u"Next failing"_s));
        QVERIFY(paletteScore(u"fail"_s, u"Next failing"_s) > paletteScore(u"ail"_s, u"Next failing"_s));
        QVERIFY(paletteScore(u"ail"_s, u"Next failing"_s) > paletteScore(u"nfk"_s, u"Next failing kernel"_s));
        QCOMPARE(paletteScore(u"xyz"_s, u"Next failing kernel"_s), 0);
        QCOMPARE(paletteScore(u"next xyz"_s, u"Next failing kernel"_s), 0);
    }

    void sectionsAreFoundToo()
    {
        PaletteModel model;
        model.setEntries(someEntries());
        model.setQuery(u"view hard"_s);
        QCOMPARE(titles(model), QStringList{u"Hard failures"_s});
    }

    void screenReadersHearTitleSectionAndKeys()
    {
        PaletteModel model;
        model.setEntries(someEntries());
        QCOMPARE(model.index(0).data(Qt::AccessibleTextRole).toString(), u"Open a database, Data, Ctrl+O"_s);
    }
};

QTEST_MAIN(PaletteTest)
#include "tst_palette.moc"
