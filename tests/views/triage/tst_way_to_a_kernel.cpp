// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ingest/import.h"
#include "core/store/kernel_details.h"
#include "tests/support/shared_data.h"
#include "tests/views/triage/kernel_corpus.h"
#include "views/overview/overview_page.h"
#include "views/triage/kernel_list.h"
#include "views/triage/triage_page.h"

#include <QSignalSpy>
#include <QStackedWidget>
#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::tests;
using namespace Qt::StringLiterals;

/// From the overview of the published audit to one kernel, by keys alone and without its id.
class WayToAKernelTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fiveKeysLeadFromTheOverviewToTheScanKernelWithTheLargestError()
    {
        ASSAY_REQUIRE_SHARED(shared);
        Window window;
        {
            const auto database
                = store::Database::open(views::toFilesystemPath(window.databasePath()), store::OpenMode::ReadWriteCreate);
            ingest::importPath(*database, views::toFilesystemPath(shared + u"/corpora/published-audit/audit_rows.jsonl.gz"_s), "",
                               {}, {});
        }
        QStackedWidget places;
        views::OverviewPage overview(window.context);
        views::TriagePage kernels(window.context);
        places.addWidget(&overview);
        places.addWidget(&kernels);
        connect(&window.selection, &views::Selection::placeChanged, &places, [&](const QString& place) {
            places.setCurrentWidget(place == u"kernels"_s ? static_cast<QWidget*>(&kernels) : &overview);
            if (place == u"kernels"_s)
                kernels.focusList();
        });
        QSignalSpy loaded(&overview, &views::OverviewPage::loaded);
        places.resize(1400, 900);
        places.show();
        QVERIFY(window.workspace.open(window.databasePath()));
        QTRY_VERIFY_WITH_TIMEOUT(!loaded.isEmpty() && !window.workspace.isBusy(), 20'000);
        QVERIFY(QTest::qWaitForWindowActive(&places));
        overview.setFocus();

        int keys = 0;
        const auto press = [&](Qt::Key key) {
            ++keys;
            QTest::keyClick(QApplication::focusWidget(), key);
            QTRY_VERIFY_WITH_TIMEOUT(!window.workspace.isBusy(), 20'000);
        };
        QSignalSpy drill(&kernels, &views::TriagePage::drillRequested);
        press(Qt::Key_S); // "sc" goes to the family scan
        press(Qt::Key_C);
        press(Qt::Key_Return); // its kernels
        press(Qt::Key_E);      // largest error first, on the first row
        press(Qt::Key_Return); // its evidence

        QVERIFY(keys <= 6);
        QCOMPARE(drill.size(), 1);
        const auto database = window.otherProcess();
        const auto details = store::kernelDetails(*database, window.workspace.scopeId(), window.selection.kernelId());
        QVERIFY(details && details->verdict);
        QCOMPARE(QString::fromStdString(details->kernel.externalId), u"179"_s);
        const auto& gates = details->verdict->gates;
        const auto cmp01
            = std::find_if(gates.begin(), gates.end(), [](const auto& gate) { return gate.gate == contract::Gate::Cmp01; });
        QVERIFY(cmp01 != gates.end());
        QCOMPARE(cmp01->value.value, 1.121e22);
        QVERIFY(std::abs(cmp01->relative.value - 8.0e-5) < 0.05e-5); // stated with two digits
    }
};

QTEST_MAIN(WayToAKernelTest)
#include "tst_way_to_a_kernel.moc"
