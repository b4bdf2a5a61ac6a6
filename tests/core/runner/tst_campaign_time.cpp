// SPDX-License-Identifier: Apache-2.0
#include "core/runner/campaign_time.h"
#include "core/runner/verdict_read.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace assay::runner;

namespace {

ReceivedVerdict verdictOf(double seconds, const PartyTime& reference, const PartyTime& candidate)
{
    ReceivedVerdict verdict;
    verdict.judged.judgement.seconds = seconds;
    verdict.referenceTime = reference;
    verdict.candidateTime = candidate;
    return verdict;
}

} // namespace

class CampaignTimeTest : public QObject {
    Q_OBJECT

private slots:
    void nothingJudgedTakesNoTime();
    void quantilesAreKernels();
    void sharesAddUp();
};

void CampaignTimeTest::nothingJudgedTakesNoTime()
{
    const CampaignTime time;
    QVERIFY(time.isEmpty());
    QCOMPARE(time.quantile(0.95), 0.0);
    QVERIFY(time.shares().empty());
}

void CampaignTimeTest::quantilesAreKernels()
{
    CampaignTime time;
    for (int kernel = 20; kernel > 0; --kernel)
        time.add(verdictOf(kernel, {}, {}));
    QCOMPARE(time.quantile(0.5), 10.0);
    QCOMPARE(time.quantile(0.95), 19.0);
    QCOMPARE(time.quantile(1), 20.0);
    QCOMPARE(time.quantile(0), 1.0);
}

void CampaignTimeTest::sharesAddUp()
{
    CampaignTime time;
    time.add(verdictOf(8, {{"run", {3, 1.0}}, {"start", {1, 1.0}}}, {{"run", {2, 5.0}}}));
    time.add(verdictOf(2, {{"run", {1, 1.0}}}, {}));
    const auto shares = time.shares();
    QCOMPARE(shares.front().first, std::string("candidate: run"));
    QCOMPARE(shares.front().second, 5.0 / 11);
    double all = 0;
    for (const auto& [what, share] : shares)
        all += share;
    QVERIFY(std::abs(all - 1) < 1e-12);
    const auto judge = std::find_if(shares.begin(), shares.end(), [](const auto& share) { return share.first == "judge"; });
    QCOMPARE(judge->second, 3.0 / 11); // 8 - 6 and 2 - 1: the process's start is before the kernel's clock
}

QTEST_APPLESS_MAIN(CampaignTimeTest)
#include "tst_campaign_time.moc"
