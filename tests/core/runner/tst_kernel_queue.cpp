// SPDX-License-Identifier: Apache-2.0
#include "core/runner/kernel_queue.h"

#include <QtTest>

#include <algorithm>

using namespace assay::runner;

namespace {

/// Kernels of these tasks with sources of one length.
std::vector<KernelQueue::Entry> equal(const std::vector<std::int64_t>& references)
{
    std::vector<KernelQueue::Entry> kernels;
    for (const std::int64_t reference : references)
        kernels.push_back({reference, 100});
    return kernels;
}

} // namespace

class KernelQueueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void workersBeginWithDifferentTasks()
    {
        KernelQueue queue(equal({7, 7, 8, 7, 9}));
        std::multiset<std::int64_t> busy;
        QCOMPARE(queue.take(0, busy).value(), std::size_t{0});
        busy.insert(7);
        QCOMPARE(queue.take(0, busy).value(), std::size_t{2});
        busy.insert(8);
        QCOMPARE(queue.take(0, busy).value(), std::size_t{4});
    }

    void aWorkerStaysWithItsTask()
    {
        KernelQueue queue(equal({7, 8, 7, 8, 7}));
        QCOMPARE(queue.take(0, {}).value(), std::size_t{0});
        QCOMPARE(queue.take(7, {8}).value(), std::size_t{2});
        QCOMPARE(queue.take(7, {8}).value(), std::size_t{4});
        QCOMPARE(queue.take(7, {8}).value(), std::size_t{1}); // nothing else is left
    }

    void theTaskWithMostSourceLeftComesFirst()
    {
        KernelQueue queue({{7, 500}, {8, 300}, {9, 900}, {8, 350}, {7, 10}});
        QCOMPARE(queue.take(0, {}).value(), std::size_t{2});  // 900 against 650 and 510
        QCOMPARE(queue.take(0, {9}).value(), std::size_t{3}); // 650, and of these the longest
        QCOMPARE(queue.take(0, {9, 8}).value(), std::size_t{0});
        QCOMPARE(queue.take(9, {9, 8, 7}).value(), std::size_t{1}); // all that is left is being worked at: 300 against 10
        QCOMPARE(queue.take(0, {}).value(), std::size_t{4});
    }

    void aLargeCampaignBeginsAtItsBeginning()
    {
        std::vector<KernelQueue::Entry> kernels;
        for (std::int64_t i = 0; i < 10'000; ++i)
            kernels.push_back({i + 1, i});
        QVERIFY(KernelQueue(kernels).take(0, {}).value() < 1000);
    }

    void everyKernelIsTakenOnce()
    {
        std::vector<std::int64_t> references;
        for (int i = 0; i < 2000; ++i)
            references.push_back(1 + i * i % 37);
        std::vector<KernelQueue::Entry> kernels = equal(references);
        for (std::size_t i = 0; i < kernels.size(); ++i)
            kernels[i].length = static_cast<std::int64_t>(i * 31 % 17);
        KernelQueue queue(kernels);
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
