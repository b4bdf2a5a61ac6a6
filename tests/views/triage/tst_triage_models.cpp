// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/kernel_details.h"
#include "tests/views/triage/kernel_corpus.h"
#include "views/triage/facet_model.h"
#include "views/triage/kernel_table_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

using namespace assay;
using namespace assay::tests;
using namespace Qt::StringLiterals;
using store::TriageColumn;
using views::FacetModel;
using views::KernelTableModel;

namespace {

struct Table {
    Window window;
    std::unique_ptr<KernelTableModel> model;
    std::unique_ptr<QAbstractItemModelTester> tester;

    explicit Table(int many = 0)
    {
        if (many > 0)
            window.openMany(many);
        else
            window.openTwelve();
        model = std::make_unique<KernelTableModel>(window.workspace, window.filters, window.theme);
        tester = std::make_unique<QAbstractItemModelTester>(model.get(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QObject::connect(&window.filters, &views::FilterStack::filterChanged, model.get(), &KernelTableModel::reload);
        QObject::connect(&window.filters, &views::FilterStack::sortChanged, model.get(), &KernelTableModel::reload);
        model->reload();
    }

    QString text(int row, TriageColumn column) const { return model->index(row, static_cast<int>(column)).data().toString(); }

    QStringList ids() const
    {
        QStringList ids;
        for (int row = 0; row < model->rowCount(); ++row)
            ids << text(row, TriageColumn::Id);
        return ids;
    }
};

struct Facets {
    Window window;
    std::unique_ptr<FacetModel> model;
    std::unique_ptr<QAbstractItemModelTester> tester;

    Facets()
    {
        window.openTwelve();
        model = std::make_unique<FacetModel>(window.workspace, window.filters);
        tester = std::make_unique<QAbstractItemModelTester>(model.get(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        model->reload();
    }

    qlonglong count(const char16_t* field, const char16_t* value) const
    {
        const QModelIndex index = model->find(QStringView(field).toString(), QStringView(value).toString());
        return index.isValid() ? index.data(FacetModel::CountRole).toLongLong() : -1;
    }
};

} // namespace

class TriageModelsTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rowsComeInTheOrderOfTheirNumbers()
    {
        Table table;
        QTRY_COMPARE(table.model->rowCount(), 12);
        QTRY_COMPARE(
            table.ids(),
            QStringList({u"1"_s, u"2"_s, u"3"_s, u"4"_s, u"5"_s, u"6"_s, u"7"_s, u"8"_s, u"9"_s, u"10"_s, u"11"_s, u"12"_s}));
    }

    void classesOfErrorsAreWordsAndFiniteErrorsShareOneStyle()
    {
        Table table;
        QTRY_COMPARE(table.model->rowCount(), 12);
        QCOMPARE(table.text(5, TriageColumn::Error), u"5.00e-01"_s);
        QCOMPARE(table.text(6, TriageColumn::Error), u"NaN"_s);
        QCOMPARE(table.text(2, TriageColumn::Error), u"Inf"_s);
        QCOMPARE(table.text(0, TriageColumn::Error), QString());
    }

    void theToolTipIsAWholeSentence()
    {
        Table table;
        QTRY_COMPARE(table.model->rowCount(), 12);
        QCOMPARE(table.model->index(5, 0).data(Qt::ToolTipRole).toString(),
                 u"Kernel 6 (matmul) fails CMP-01; first reason: CMP-01 value; largest measured error 5.00e-01, 2.00e-02 of the "
                 "output's scale."_s);
    }

    void sortingAsksSqlThroughTheFilterStack()
    {
        Table table;
        QTRY_COMPARE(table.model->rowCount(), 12);
        table.model->sort(static_cast<int>(TriageColumn::Error), Qt::DescendingOrder);
        QCOMPARE(table.window.filters.sort(), (store::TriageSort{TriageColumn::Error, true}));
        QTRY_COMPARE(table.text(0, TriageColumn::Id), u"7"_s);
        QCOMPARE(table.text(1, TriageColumn::Id), u"3"_s);
        QCOMPARE(table.text(2, TriageColumn::Id), u"6"_s);
    }

    void theFirstPageArrivesBeforeTheRest()
    {
        Table table(5000);
        QSignalSpy restarted(table.model.get(), &KernelTableModel::restarted);
        int atFirst = -1;
        connect(table.model.get(), &KernelTableModel::restarted, this, [&] { atFirst = table.model->rowCount(); });
        QTRY_COMPARE(restarted.size(), 1);
        QCOMPARE(atFirst, 200);
        QTRY_COMPARE(table.model->rowCount(), 5000);
        QVERIFY(table.model->isComplete());
    }

    void aRowThatIsNotLoadedIsAPlaceholderThatFillsItself()
    {
        Table table(5000);
        QTRY_COMPARE(table.model->rowCount(), 5000);
        const QModelIndex title = table.model->index(4321, static_cast<int>(TriageColumn::Title));
        QVERIFY(!title.data(KernelTableModel::LoadedRole).toBool());
        QCOMPARE(title.data().toString(), QString());
        QCOMPARE(title.data(KernelTableModel::IdRole).toLongLong(), 4322);
        QTRY_COMPARE(title.data().toString(), u"kernel 4322"_s);
    }

    void theOldRowsStayUntilTheNewOnesAreThere()
    {
        Table table;
        QTRY_COMPARE(table.model->rowCount(), 12);
        QVERIFY(table.window.filters.setText(u"family:scan"_s));
        QVERIFY(table.model->isLoading());
        QCOMPARE(table.model->rowCount(), 12);
        QCOMPARE(table.text(3, TriageColumn::Family), u"norm"_s);
        QTRY_COMPARE(table.model->rowCount(), 3);
    }

    void aRefreshOfTheSameRowsResetsNothing()
    {
        Table table;
        QTRY_VERIFY(table.model->isComplete() && table.model->rowCount() == 12);
        const auto other = table.window.otherProcess();
        store::setBookmark(*other, kernelId(*other, "2"), true, "tester");
        QSignalSpy reset(table.model.get(), &QAbstractItemModel::modelReset);
        QSignalSpy completed(table.model.get(), &KernelTableModel::completed);
        table.model->refresh();
        QTRY_COMPARE(completed.size(), 1);
        QCOMPARE(reset.size(), 0);
        QCOMPARE(table.model->index(1, 0).data(KernelTableModel::FlagsRole).toInt(), int(KernelTableModel::Bookmarked));
    }

    void aHundredThousandRowsAreScrolledWithoutWaiting()
    {
        Table table(100'000);
        QTRY_COMPARE_WITH_TIMEOUT(table.model->rowCount(), 100'000, 20'000);
        for (int row = 0; row < 100'000; row += 97)
            table.model->index(row, 1).data();
        // A row that was there at once would have been fetched on this thread, with the window waiting.
        QVERIFY(table.text(99'999, TriageColumn::Title) != u"kernel 100000"_s);
        QTRY_COMPARE(table.text(99'999, TriageColumn::Title), u"kernel 100000"_s);
    }

    void facetsCountTheirValues()
    {
        Facets facets;
        QTRY_COMPARE(facets.count(u"family", u"conv"), 4);
        QCOMPARE(facets.count(u"family", u"scan"), 3);
        QCOMPARE(facets.count(u"gate", u"EXC-01"), 2);
        QCOMPARE(facets.count(u"language", u"cuda"), 1);
    }

    void aFacetKeepsItsOtherValuesAndTheOtherFacetsFollow()
    {
        Facets facets;
        QTRY_COMPARE(facets.count(u"family", u"conv"), 4);
        facets.model->activate(facets.model->find(u"family"_s, u"scan"_s), false);
        QCOMPARE(facets.window.filters.text(), u"family:scan"_s);
        QTRY_COMPARE(facets.count(u"gate", u"EXC-01"), 1);
        QCOMPARE(facets.count(u"family", u"conv"), 4);
        QCOMPARE(facets.model->find(u"family"_s, u"scan"_s).data(FacetModel::StateRole).toInt(), int(FacetModel::Included));
    }

    void excludingAndLettingInAgainLeavesNoTerm()
    {
        Facets facets;
        QTRY_COMPARE(facets.count(u"family", u"conv"), 4);
        facets.model->activate(facets.model->find(u"family"_s, u"conv"_s), true);
        QCOMPARE(facets.window.filters.text(), u"-family:conv"_s);
        QCOMPARE(facets.model->find(u"family"_s, u"conv"_s).data(FacetModel::StateRole).toInt(), int(FacetModel::Excluded));
        facets.model->activate(facets.model->find(u"family"_s, u"conv"_s), false);
        QCOMPARE(facets.window.filters.text(), QString());
    }

    void theLastCountsStayWhileNewOnesAreCounted()
    {
        Facets facets;
        QTRY_COMPARE(facets.count(u"family", u"conv"), 4);
        QVERIFY(facets.window.filters.setText(u"language:cuda"_s));
        QVERIFY(facets.model->isLoading());
        QCOMPARE(facets.count(u"family", u"conv"), 4);
        QTRY_COMPARE(facets.count(u"family", u"conv"), 1);
    }
};

QTEST_MAIN(TriageModelsTest)
#include "tst_triage_models.moc"
