// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/audit/audit_queue.h"

#include <QtTest>

using namespace assay;
using namespace assay::views;
using store::AuditLabel;

/// Which kernel comes next, for whom.
class AuditQueueTest final : public QObject {
    Q_OBJECT
private:
    static std::vector<store::SampleItem> items()
    {
        std::vector<store::SampleItem> items(4);
        for (std::size_t i = 0; i < items.size(); ++i)
            items[i].id = static_cast<std::int64_t>(i) + 1;
        return items;
    }
    static store::LabelRow row(std::int64_t id, std::int64_t item, AuditLabel label, const std::string& reviewer,
                               const std::string& kind = "label")
    {
        store::LabelRow row;
        row.id = id;
        row.itemId = item;
        row.label = label;
        row.reviewer = reviewer;
        row.kind = kind;
        return row;
    }
    static AuditQueue queue(std::vector<store::LabelRow> history)
    {
        AuditQueue queue;
        queue.setReviewer("ada");
        queue.setData(items(), std::move(history));
        return queue;
    }

private Q_SLOTS:
    void theFirstOpenKernelComesFirst()
    {
        AuditQueue walked = queue({row(1, 1, AuditLabel::Confirmed, "ada"), row(2, 2, AuditLabel::Confirmed, "bob")});
        QCOMPARE(walked.current()->id, 2); // what bob said is not ada's label
        QCOMPARE(walked.done(), 1U);
        QCOMPARE(walked.total(), 4U);
        QCOMPARE(walked.place(), 2U);
    }

    void whatIsOnTheWayToTheDiskIsDone()
    {
        AuditQueue walked = queue({});
        for (const std::int64_t expected : {2, 3, 4}) {
            walked.markWritten(walked.current()->id);
            walked.toNextOpen();
            QCOMPARE(walked.current()->id, expected);
        }
        walked.markWritten(4);
        walked.toNextOpen();
        QCOMPARE(walked.current()->id, 4); // nothing open is left
        QCOMPARE(walked.done(), 4U);
    }

    void openKernelsBeforeTheCurrentOneAreFoundAgain()
    {
        AuditQueue walked = queue({});
        walked.step(1);
        walked.step(1);
        walked.step(1);
        walked.step(1);
        QCOMPARE(walked.current()->id, 4);
        walked.markWritten(4);
        walked.toNextOpen();
        QCOMPARE(walked.current()->id, 1);
        walked.step(-1);
        QCOMPARE(walked.current()->id, 1);
    }

    void newDataKeepsTheKernelThatIsLookedAt()
    {
        AuditQueue walked = queue({});
        walked.goTo(3);
        walked.setData(items(), {row(1, 3, AuditLabel::Ambiguous, "ada")});
        QCOMPARE(walked.current()->id, 3);
        QVERIFY(*walked.ownLabel(3)->label == AuditLabel::Ambiguous);
    }

    void adjudicatorsSeeDisputesAndWhatWasSaid()
    {
        AuditQueue walked = queue({row(1, 1, AuditLabel::Confirmed, "ada"), row(2, 1, AuditLabel::Confirmed, "bob"),
                                   row(3, 3, AuditLabel::Confirmed, "ada"), row(4, 3, AuditLabel::Inconclusive, "bob")});
        QCOMPARE(walked.disputed(), 1U);
        walked.setAdjudicating(true);
        QCOMPARE(walked.total(), 1U);
        QCOMPARE(walked.current()->id, 3);
        QCOMPARE(walked.labelsOf(3).size(), 2U);
        QVERIFY(!walked.isDone(3));
        walked.setData(items(),
                       {row(3, 3, AuditLabel::Confirmed, "ada"), row(4, 3, AuditLabel::Inconclusive, "bob"),
                        row(5, 3, AuditLabel::Confirmed, "cy", "adjudication")});
        QVERIFY(walked.isDone(3));
        QVERIFY(*walked.ownLabel(3)->label == AuditLabel::Confirmed);
    }

    void aRevealIsOnesOwn()
    {
        store::LabelRow reveal = row(1, 1, AuditLabel::Confirmed, "bob", "reveal");
        reveal.label.reset();
        AuditQueue walked = queue({reveal});
        QVERIFY(!walked.isRevealed(1));
        walked.markRevealed(2);
        QVERIFY(walked.isRevealed(2));
        walked.setReviewer("bob");
        QVERIFY(walked.isRevealed(1));
    }

    void anEmptySampleHasNoKernel()
    {
        AuditQueue walked;
        walked.setData({}, {});
        QVERIFY(walked.current() == nullptr);
        walked.step(1);
        walked.toNextOpen();
        walked.setAdjudicating(true);
        QVERIFY(walked.current() == nullptr);
        QCOMPARE(walked.place(), 0U);
    }
};

QTEST_APPLESS_MAIN(AuditQueueTest)
#include "tst_audit_queue.moc"
