// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/cuda/call_arguments.h"
#include "kernels/gdn/cuda/places.h"

#include <QtTest>

#include <array>
#include <numeric>

using namespace assay::gdn::cuda;

namespace {

alignas(256) std::array<char, 512> memory;

assay_gdn_tensor tensor(std::int64_t channels)
{
    return {memory.data(), 8 * 2 * channels, 2 * channels, channels, 1};
}

/// B 3, T 100, H 2, K 64, V 128; pointers that nobody follows.
assay_gdn_call goodCall()
{
    assay_gdn_call call{};
    call.batch = call.sequences = 3;
    call.tokens = 100;
    call.heads = 2;
    call.keys = 64;
    call.values = 128;
    call.q = call.k = call.b = call.g = tensor(64);
    call.v = call.w = call.output_grad = tensor(128);
    call.o = call.dq = call.dk = call.db = call.dv = call.dw = memory.data();
    call.dg = reinterpret_cast<float*>(memory.data());
    call.workspace = memory.data();
    call.workspace_bytes = workspaceBytes(call, true);
    return call;
}

QString mistake(const assay_gdn_call& call, bool isBackward = true)
{
    return QString::fromStdString(mistakeIn(call, isBackward));
}

} // namespace

/// What the C interface refuses before a kernel starts, and how it lays out a call.
class GdnCallTest : public QObject {
    Q_OBJECT

private slots:
    void aGoodCallHasNoMistake();
    void aMistakeNamesItsTensor();
    void sizesOutsideTheKernelsAreNamed();
    void tooLittleWorkingMemoryIsToldWithWhatIsNeeded();
    void oneValueForAllChannelsIsTakenForGatesAlone();
    void packedSequencesNeedOneBatchRow();
    void theTableHoldsTheChunksOfAnySequences();
    void arraysOfTheWorkspaceDoNotOverlap();
    void scansHaveABlockForEachPartOfAHeadsColumns();
};

void GdnCallTest::aGoodCallHasNoMistake()
{
    QCOMPARE(mistake(goodCall()), QString());
    assay_gdn_call forward = goodCall();
    forward.dq = forward.dk = nullptr;
    forward.output_grad = {};
    QCOMPARE(mistake(forward, false), QString());
}

void GdnCallTest::aMistakeNamesItsTensor()
{
    assay_gdn_call call = goodCall();
    call.k.data = nullptr;
    QCOMPARE(mistake(call), QString("k is missing"));
    call = goodCall();
    call.q.data = memory.data() + 2;
    QCOMPARE(mistake(call), QString("q must start at a multiple of 16 bytes"));
    call = goodCall();
    call.b.token_stride = 132;
    QCOMPARE(mistake(call), QString("b has a stride of 132 elements; the kernels need multiples of 8"));
    call = goodCall();
    call.output_grad.channel_stride = 2;
    QCOMPARE(mistake(call), QString("do has channels 2 elements apart; the kernels need 1"));
    call = goodCall();
    call.dw = nullptr;
    QCOMPARE(mistake(call), QString("dw is missing"));
}

void GdnCallTest::sizesOutsideTheKernelsAreNamed()
{
    assay_gdn_call call = goodCall();
    call.keys = 96;
    QCOMPARE(mistake(call), QString("K is 96; the kernels take 64 and 128"));
    call = goodCall();
    call.tokens = 0;
    QCOMPARE(mistake(call), QString("B, T, H are 3, 0, 2; each must be at least 1"));
    call = goodCall();
    call.element = 2;
    QCOMPARE(mistake(call), QString("element type 2 is unknown: the kernels take bfloat16 (0) and float16 (1)"));
}

void GdnCallTest::tooLittleWorkingMemoryIsToldWithWhatIsNeeded()
{
    assay_gdn_call call = goodCall();
    const std::int64_t needed = call.workspace_bytes--;
    QCOMPARE(mistake(call), QString("working memory of %1 bytes; the call needs %2").arg(needed - 1).arg(needed));
    QVERIFY(workspaceBytes(call, false) < needed);
}

void GdnCallTest::oneValueForAllChannelsIsTakenForGatesAlone()
{
    assay_gdn_call call = goodCall();
    call.b.channel_stride = call.w.channel_stride = 0;
    QCOMPARE(mistake(call), QString());
    QVERIFY(gateOf(call) == Gate::Channels);
    call.g.channel_stride = 0;
    QCOMPARE(mistake(call), QString());
    QVERIFY(gateOf(call) == Gate::Token);
    call.v.channel_stride = 0;
    QCOMPARE(mistake(call), QString("v has channels 0 elements apart; the kernels need 1"));
}

void GdnCallTest::packedSequencesNeedOneBatchRow()
{
    const std::int32_t starts[] = {0, 40, 100};
    assay_gdn_call call = goodCall();
    call.sequence_starts = starts;
    QCOMPARE(mistake(call), QString("packed sequences need B = 1, not 3"));
    call.batch = 1;
    call.sequences = 2;
    QCOMPARE(mistake(call), QString());
}

void GdnCallTest::theTableHoldsTheChunksOfAnySequences()
{
    for (const std::vector<std::int64_t>& lengths : {std::vector<std::int64_t>{1, 1, 1}, {64, 64}, {65, 1, 63, 129}, {0, 0, 7}}) {
        std::int64_t chunks = 0;
        for (const std::int64_t tokens : lengths)
            chunks += (tokens + 63) / 64;
        const std::int64_t tokens = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
        QVERIFY(chunks <= mostChunks(1, tokens, static_cast<std::int64_t>(lengths.size()), true));
    }
    QCOMPARE(mostChunks(3, 100, 3, false), 6);
}

void GdnCallTest::arraysOfTheWorkspaceDoNotOverlap()
{
    const assay_gdn_call call = goodCall();
    const Sizes sizes = sizesOf(call);
    std::int64_t bytes = 0;
    const Workspace work = layOut(sizes, true, reinterpret_cast<std::byte*>(memory.data()), bytes);
    const std::int64_t parts = std::int64_t{sizes.chunks} * sizes.heads, tile = parts * 64;
    const std::pair<const void*, std::int64_t> arrays[] = {{work.queries, tile * 64 * 2},
                                                           {work.keysOut, tile * 64 * 2},
                                                           {work.negErases, tile * 64 * 2},
                                                           {work.w, tile * 64 * 2},
                                                           {work.y, tile * 64 * 2},
                                                           {work.u, tile * 128 * 2},
                                                           {work.writes, tile * 128 * 2},
                                                           {work.x, tile * 128 * 2},
                                                           {work.p, tile * 128 * 2},
                                                           {work.scores, tile * 64 * 2},
                                                           {work.states, parts * 64 * 128 * 2},
                                                           {work.totalDecay, parts * 64 * 4},
                                                           {work.stateGrads, parts * 64 * 128 * 2}};
    for (const auto& [array, size] : arrays) {
        const char* const begin = static_cast<const char*>(array);
        QVERIFY(begin >= memory.data() && begin + size <= memory.data() + bytes);
        for (const auto& [other, otherSize] : arrays) {
            const char* const otherBegin = static_cast<const char*>(other);
            QVERIFY(array == other || begin + size <= otherBegin || otherBegin + otherSize <= begin);
        }
    }
}

void GdnCallTest::scansHaveABlockForEachPartOfAHeadsColumns()
{
    Sizes sizes{};
    sizes.keys = 128;
    sizes.sequences = 8;
    sizes.heads = 16;
    for (const int values : {64, 128}) {
        sizes.values = values;
        int scans = 0;
        for (const Launch& launch : backwardLaunches(sizes, Gate::Channels)) {
            if (launch.step != Step::ForwardScan && launch.step != Step::ReverseScan)
                continue;
            ++scans;
            QCOMPARE(launch.blocksX * launch.blocksY * assay::gdn::plan::kScanValues, 8 * 16 * values);
        }
        QCOMPARE(scans, 2);
    }
}

QTEST_GUILESS_MAIN(GdnCallTest)
#include "tst_gdn_call.moc"
