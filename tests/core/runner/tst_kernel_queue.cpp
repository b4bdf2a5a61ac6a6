// SPDX-License-Identifier: Apache-2.0
#include "core/runner/kernel_queue.h"

#include <QtTest>

#include <algorithm>

using namespace assay::runner;

class KernelQueueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void workersBeginWithDifferentTasks()
    {
        KernelQueue queue({7, 7, 8, 7, 9});
        std::multiset<std::int64_t> busy;
        QCOMPARE(queue.take(0, busy).value(), std::size_t{0});
        busy.insert(7);
        QCOMPARE(queue.take(0, busy).value(), std::size_t{2});
        busy.insert(8);
        QCOMPARE(queue.take(0, busy).value(), std::size_t{4});
    }

    void aWorkerStaysWithItsTask()
    {
        KernelQueue queue({7, 8, 7, 8, 7});
        QCOMPARE(queue.take(0, {}).value(), std::size_t{0});
        QCOMPARE(queue.take(7, {8}).value(), std::size_t{2});
        QCOMPARE(queue.take(7, {8}).value(), std::size_t{4});
        QCOMPARE(queue.take(7, {8}).value(), std::size_t{1}); // nothing else is left
    }

    void everyKernelIsTakenOnce()
    {
        std::vector<std::int64_t> references;
        for (int i = 0; i < 2000; ++i)
            references.push_back(1 + i * i % 37);
        KernelQueue queue(references);
        std::vector<std::size_t> places;
        std::int64_t last = 0;
        std::multiset<std::int64_t> busy;
        while (const auto place = queue.take(last, busy)) {
            places.push_back(*place);
            // Workers come and go: sometimes one is free that was elsewhere.
            last = places.size() % 5 == 0 ? 1 + static_cast<std::int64_t>(places.size()) % 40 : references[*place];
            busy = {references[*place]};
        }
        QVERIFY(queue.isEmpty());
        std::ranges::sort(places);
        for (std::size_t i = 0; i < places.size(); ++i)
            QCOMPARE(places[i], i);
        QCOMPARE(places.size(), references.size());
    }

    void anEmptyCampaignHasNothing()
    {
        KernelQueue queue({});
        QVERIFY(queue.isEmpty());
        QVERIFY(!queue.take(0, {}));
    }
};

QTEST_APPLESS_MAIN(KernelQueueTest)
#include "tst_kernel_queue.moc"
