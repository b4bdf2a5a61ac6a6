// SPDX-License-Identifier: Apache-2.0
//
// The comparison of compare.h on the device. The text is compiled at run time, for one element type at a time: ASSAY_DTYPE is the
// number of the type in dtype.h. Sums follow the order that fold.h describes, so that both sides give the same bits; the rest
// is counts and maxima, which no order changes. Compiled without contraction, like everything else here.
#include "kernels/tensor/device_layout.h"

#ifndef ASSAY_KERNEL
#define ASSAY_KERNEL extern "C" __global__
#endif

using namespace assay::tensor::device;

typedef unsigned int U32;
typedef unsigned long long U64;
typedef long long I64;

namespace {

constexpr I64 kBlock = 1024; // elements whose sum one warp makes
constexpr I64 kBlocks = 64;  // of a span, which one thread block measures
constexpr I64 kSpan = kBlock * kBlocks;
constexpr int kWarp = 32;
constexpr U32 kAll = 0xFFFFFFFFU;
constexpr U64 kInfiniteKey = 0x7FF0000000000000ULL;

// ---- element types ------------------------------------------------------------------------------------------------------------

#if ASSAY_DTYPE == 0 || ASSAY_DTYPE == 6
typedef U64 Bits;
typedef U64 Ulp;
#elif ASSAY_DTYPE == 1 || ASSAY_DTYPE == 7
typedef U32 Bits;
typedef U32 Ulp;
#elif ASSAY_DTYPE == 2 || ASSAY_DTYPE == 3 || ASSAY_DTYPE == 8
typedef unsigned short Bits;
typedef U32 Ulp;
#else
typedef unsigned char Bits;
typedef U32 Ulp;
#endif

#if ASSAY_DTYPE <= 5 // floating
#if ASSAY_DTYPE == 0
constexpr Bits kInfinity = 0x7FF0000000000000ULL;
#elif ASSAY_DTYPE == 1
constexpr Bits kInfinity = 0x7F800000U;
#elif ASSAY_DTYPE == 2
constexpr Bits kInfinity = 0x7C00U;
constexpr int kMantissaBits = 10;
constexpr double kScale = 0x1p1008; // 2^(1023 - bias)
#elif ASSAY_DTYPE == 3
constexpr Bits kInfinity = 0x7F80U;
constexpr int kMantissaBits = 7;
constexpr double kScale = 0x1p896;
#elif ASSAY_DTYPE == 4
constexpr Bits kInfinity = 0x7FU; // no infinity: this is the NaN, and what follows asks for "at least"
constexpr int kMantissaBits = 3;
constexpr double kScale = 0x1p1016;
#else
constexpr Bits kInfinity = 0x7CU;
constexpr int kMantissaBits = 2;
constexpr double kScale = 0x1p1008;
#endif
constexpr int kTopBit = 8 * static_cast<int>(sizeof(Bits)) - 1;
constexpr Bits kMagnitude = static_cast<Bits>(~(static_cast<U64>(1) << kTopBit));

/// The value of a finite element; of another one only where the type is as wide as fp32.
__device__ __forceinline__ double valueOf(Bits bits)
{
#if ASSAY_DTYPE == 0
    return __longlong_as_double(static_cast<I64>(bits));
#elif ASSAY_DTYPE == 1
    return static_cast<double>(__uint_as_float(bits));
#else
    // Exponent and mantissa at their places in a double, whose own bias the scale takes out; a subnormal stays one until then.
    const U64 magnitude = static_cast<U64>(bits & kMagnitude) << (52 - kMantissaBits);
    const U64 sign = static_cast<U64>(bits >> kTopBit) << 63;
    return __longlong_as_double(static_cast<I64>(magnitude | sign)) * kScale;
#endif
}

__device__ __forceinline__ bool isFinite(Bits bits)
{
    return (bits & kMagnitude) < kInfinity;
}

/// 0 finite, 1 NaN, 2 positive infinity, 3 negative infinity.
__device__ __forceinline__ int classOf(Bits bits)
{
    const Bits magnitude = bits & kMagnitude;
    if (magnitude < kInfinity)
        return 0;
#if ASSAY_DTYPE == 4
    return 1;
#else
    if (magnitude > kInfinity)
        return 1;
    return bits == magnitude ? 2 : 3;
#endif
}

/// @param mixed  a ^ b
__device__ __forceinline__ Ulp ulpBetween(Bits a, Bits b, Bits mixed)
{
    const Ulp x = a & kMagnitude;
    const Ulp y = b & kMagnitude;
    const Ulp apart = x > y ? x - y : y - x;
    return (mixed >> kTopBit) == 0 ? apart : x + y;
}

#else // integers and bool
#if ASSAY_DTYPE == 6
typedef I64 Value;
#elif ASSAY_DTYPE == 7
typedef int Value;
#elif ASSAY_DTYPE == 8
typedef short Value;
#elif ASSAY_DTYPE == 9
typedef signed char Value;
#else
typedef unsigned char Value;
#endif

__device__ __forceinline__ double valueOf(Bits bits)
{
    return static_cast<double>(static_cast<Value>(bits));
}

__device__ __forceinline__ bool isFinite(Bits)
{
    return true;
}

__device__ __forceinline__ int classOf(Bits)
{
    return 0;
}

__device__ __forceinline__ Ulp ulpBetween(Bits a, Bits b, Bits)
{
    const Value x = static_cast<Value>(a);
    const Value y = static_cast<Value>(b);
    return x > y ? static_cast<Ulp>(x) - static_cast<Ulp>(y) : static_cast<Ulp>(y) - static_cast<Ulp>(x);
}
#endif

/// Whether the error of a pair that is not finite is NaN or larger than that of every finite pair.
constexpr bool kDifferenceTells = ASSAY_DTYPE == 1 || ASSAY_DTYPE >= 6;
constexpr int kFourBytes = 4 * static_cast<int>(sizeof(Bits));

/// Four neighbours, loaded at once.
struct alignas(kFourBytes > 16 ? 16 : kFourBytes) Four {
    Bits bits[4];
};

// Two instructions that the compiler does not choose by itself; where the text is compiled for the host, what they stand for.
#ifdef __CUDA_ARCH__
typedef U32 SharedAddress;

__device__ __forceinline__ void storeShared(SharedAddress at, U64 value)
{
    asm volatile("st.shared.u64 [%0], %1;" ::"r"(at), "l"(value) : "memory");
}

__device__ __forceinline__ U32 lesser(U32 a, U32 b)
{
    U32 least;
    asm("min.u32 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(b));
    return least;
}
#else
typedef U64 SharedAddress;

__device__ __forceinline__ void storeShared(SharedAddress at, U64 value)
{
    *reinterpret_cast<U64*>(at) = value;
}

__device__ __forceinline__ U32 lesser(U32 a, U32 b)
{
    return a < b ? a : b;
}
#endif

/// 1 where any bit is set, else 0. A minimum is one instruction less than a comparison that is counted.
__device__ __forceinline__ U32 anyBit(Bits bits)
{
    if constexpr (sizeof(Bits) > 4)
        return bits != 0;
    else
        return lesser(bits, 1);
}

__device__ __forceinline__ double absoluteError(Bits reference, Bits candidate)
{
    return fabs(valueOf(candidate) - valueOf(reference));
}

__device__ __forceinline__ U64 keyOf(double error)
{
    return static_cast<U64>(__double_as_longlong(error));
}

__device__ __forceinline__ double fromKey(U64 key)
{
    return __longlong_as_double(static_cast<I64>(key));
}

/// The key of a pair's error; kNoKey where a side is not finite.
__device__ __forceinline__ U64 pairKey(Bits reference, Bits candidate)
{
    return isFinite(reference) && isFinite(candidate) ? keyOf(absoluteError(reference, candidate)) : kNoKey;
}

template <typename T> __device__ __forceinline__ T warpSum(T value)
{
    for (int step = kWarp / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(kAll, value, step);
    return value;
}

template <typename T> __device__ __forceinline__ T warpMax(T value)
{
    for (int step = kWarp / 2; step > 0; step /= 2) {
        const T other = __shfl_xor_sync(kAll, value, step);
        value = other > value ? other : value;
    }
    return value;
}

/// 1-based rank of a quantile among @p count errors, as quantile_bracket.h has it.
__device__ U64 rankOf(double probability, U64 count)
{
    const double rank = ceil(probability * static_cast<double>(count));
    if (!(rank >= 1))
        return 1;
    return rank >= static_cast<double>(count) ? count : static_cast<U64>(rank);
}

// ---- the pass -----------------------------------------------------------------------------------------------------------------

/// What a thread block shares while it measures a span.
struct SpanShared {
    U64 maxAbsolute; // largest so far; what does not exceed it needs no second look
    U64 maxRelative;
    U64 maxUlp;
    U32 different;
    U32 classes[2][4];
    U32 mismatch;
    U32 notFinite;
    U32 undefined;
    U32 below[kBrackets];
    U32 tieCount[kTies];
    U64 tieKey[kTies];
    double sum[kBlocks];
    double squares[kBlocks];
};

/// What a thread adds up.
struct Tally {
    double sum[4];
    double squares[4];
    U32 different;
    U32 below[kBrackets];
    U32 equal[kTies / 2]; // two ties to a word: a thread sees 256 pairs of a span, a warp 8192
    Ulp ulp;
    SharedAddress top; // of its stack
};

/// What a second look at a pair found.
enum Look : int { kFinitePair, kNotFinitePair, kBothNaN };

/// Looks at one pair that may be a new maximum or is not finite. Values, not references: what has an address is no register.
__device__ __noinline__ Look lookTwice(Bits reference, Bits candidate, double error, SpanShared& shared)
{
    if (!isFinite(reference) || !isFinite(candidate)) {
        const int r = classOf(reference);
        const int c = classOf(candidate);
        if (r != 0)
            atomicAdd(&shared.classes[0][r], 1U);
        if (c != 0)
            atomicAdd(&shared.classes[1][c], 1U);
        if (r != c)
            atomicAdd(&shared.mismatch, 1U);
        atomicAdd(&shared.notFinite, 1U);
        return r == 1 && c == 1 ? kBothNaN : kNotFinitePair;
    }
    if (keyOf(error) > *static_cast<volatile U64*>(&shared.maxAbsolute))
        atomicMax(&shared.maxAbsolute, keyOf(error));
    const double magnitude = fabs(valueOf(reference));
    if (magnitude == 0) {
        if (error > 0)
            atomicAdd(&shared.undefined, 1U);
        return kFinitePair;
    }
    const U64 relative = keyOf(error / magnitude);
    if (relative > *static_cast<volatile U64*>(&shared.maxRelative))
        atomicMax(&shared.maxRelative, relative);
    return kFinitePair;
}

/// Writes the stacks of a warp to the list of kept errors.
__device__ __noinline__ void flush(U64* column, U32 depth, Totals* totals, U64* list, U64 capacity)
{
    U32 upTo = depth;
    for (int step = 1; step < kWarp; step *= 2) {
        const U32 other = __shfl_up_sync(kAll, upTo, step);
        if (static_cast<int>(threadIdx.x % kWarp) >= step)
            upTo += other;
    }
    U64 first = 0;
    if (threadIdx.x % kWarp == kWarp - 1 && upTo != 0)
        first = atomicAdd(&totals->kept, static_cast<U64>(upTo));
    first = __shfl_sync(kAll, first, kWarp - 1) + (upTo - depth);
    for (U32 i = 0; i < depth; ++i) {
        if (first + i < capacity)
            list[first + i] = column[i * kSpanThreads];
    }
}

/// Counts the errors of four pairs below each bracket and stacks those inside one. Carefully: leaves out pairs that do not count,
/// and counts ties instead of stacking them.
template <bool kCareful>
__device__ __forceinline__ void rankFour(const double (&difference)[4], U32 counted, Tally& tally,
                                         const Bracket (&bracket)[kBrackets], int ties, const SpanShared& shared)
{
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        if (kCareful && (counted >> j & 1) == 0)
            continue;
        // The key by its halves: the magnitude as a double would be one more value to keep.
        const U64 bits = keyOf(difference[j]);
        const U32 high = static_cast<U32>(bits >> 32) & 0x7FFFFFFFU;
        const U64 key = (static_cast<U64>(high) << 32) | static_cast<U32>(bits);
        bool inside = false;
#pragma unroll
        for (int q = 0; q < kBrackets; ++q) {
            const U32 above = high - bracket[q].low;
            inside |= above < bracket[q].width;
            tally.below[q] += above >> 31; // the high word of an error has no sign, so a borrow shows in the top bit
        }
        if constexpr (kCareful) {
#pragma unroll
            for (int t = 0; t < kTies; ++t) {
                if (t >= ties)
                    break;
                const bool equal = key == shared.tieKey[t];
                tally.equal[t / 2] += (equal ? 1U : 0U) << (16 * (t % 2));
                inside &= !equal;
            }
        }
        if (inside) {
            storeShared(tally.top, key);
            tally.top += kSpanThreads * sizeof(U64);
        }
    }
}

/// @param counted  bit j: pair j is there and finite; the others measure zero and count nowhere
template <bool kQuantiles>
__device__ __forceinline__ void takeFour(Four reference, Four candidate, U32 counted, Tally& tally,
                                         const Bracket (&bracket)[kBrackets], int ties, SpanShared& shared)
{
    // Signed differences: a sum or a comparison takes the magnitude on its way in, a square needs none.
    double difference[4];
    Bits mixed[4];
    const double largest = fromKey(*static_cast<volatile U64*>(&shared.maxAbsolute));
    const double relative = fromKey(*static_cast<volatile U64*>(&shared.maxRelative));
    bool rare = false;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const double r = valueOf(reference.bits[j]);
        difference[j] = valueOf(candidate.bits[j]) - r;
        mixed[j] = static_cast<Bits>(reference.bits[j] ^ candidate.bits[j]);
        tally.different += anyBit(mixed[j]);
        if constexpr (!kDifferenceTells)
            rare |= !isFinite(reference.bits[j]) || !isFinite(candidate.bits[j]);
        // NaN is not <= anything. A quotient exceeds the largest only if the error exceeds the product, the more so rounded down;
        // infinity times zero is looked at too.
        rare |= !(fabs(difference[j]) <= largest);
        rare |= !(fabs(difference[j]) <= __dmul_rd(relative, fabs(r)));
    }
    if (rare) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const Look look = lookTwice(reference.bits[j], candidate.bits[j], fabs(difference[j]), shared);
            if (look == kFinitePair)
                continue;
            // Two NaN are equal whatever their payload.
            tally.different -= look == kBothNaN && mixed[j] != 0;
            reference.bits[j] = candidate.bits[j] = mixed[j] = 0;
            difference[j] = 0;
            counted &= ~(1U << j);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const Ulp ulp = ulpBetween(reference.bits[j], candidate.bits[j], mixed[j]);
        tally.ulp = ulp > tally.ulp ? ulp : tally.ulp;
        tally.sum[j] += fabs(difference[j]);
        tally.squares[j] += difference[j] * difference[j];
    }
    if constexpr (kQuantiles) {
        if (counted == 15 && ties == 0)
            rankFour<false>(difference, counted, tally, bracket, ties, shared);
        else
            rankFour<true>(difference, counted, tally, bracket, ties, shared);
    }
}

__device__ __forceinline__ Four loadFour(const Bits* tensor, I64 at, I64 count, bool wide)
{
    if (wide && at + 4 <= count)
        return *reinterpret_cast<const Four*>(tensor + at);
    Four four;
    for (int j = 0; j < 4; ++j)
        four.bits[j] = at + j < count ? tensor[at + j] : static_cast<Bits>(0);
    return four;
}

/// Half of the values go to the partner @p step lanes away, half stay: @p low in lanes without this bit, @p high in the others.
__device__ __forceinline__ double swapAndAdd(double low, double high, int step)
{
    const bool upper = (threadIdx.x & step) != 0;
    return (upper ? high : low) + __shfl_xor_sync(kAll, upper ? low : high, step);
}

/// Folds the 128 lanes of a block's two sums by halves. Lane l is element l % 4 of thread l / 4, so halving the lanes halves the
/// threads first. @return the sum in the lower half of the warp, the sum of squares in the upper
__device__ __forceinline__ double foldLanes(const double (&sum)[4], const double (&squares)[4])
{
    double half[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
        half[j] = swapAndAdd(sum[j], squares[j], 16);
    double quarter[2];
#pragma unroll
    for (int j = 0; j < 2; ++j)
        quarter[j] = swapAndAdd(half[j], half[j + 2], 8);
    double one = swapAndAdd(quarter[0], quarter[1], 4);
    one += __shfl_xor_sync(kAll, one, 2);
    one += __shfl_xor_sync(kAll, one, 1);
    one += __shfl_xor_sync(kAll, one, 8);
    one += __shfl_xor_sync(kAll, one, 4);
    return one;
}

template <bool kQuantiles>
__device__ __forceinline__ void measure(const Bits* reference, const Bits* candidate, I64 count, bool wide, Totals* totals,
                                        SpanRecord* spans, U64* list, U64 capacity)
{
    __shared__ SpanShared shared;
    __shared__ U64 stack[kQuantiles ? kStackDepth * kSpanThreads : 1];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % kWarp;
    const int warp = thread / kWarp;
    U64* column = stack + (kQuantiles ? thread : 0);
    if (thread == 0) {
        shared.maxAbsolute = 0;
        shared.maxRelative = *static_cast<volatile U64*>(&totals->maxRelative); // what other spans found spares second looks
        shared.maxUlp = 0;
        shared.different = shared.mismatch = shared.notFinite = shared.undefined = 0;
        for (int i = 0; i < 4; ++i)
            shared.classes[0][i] = shared.classes[1][i] = 0;
        for (int q = 0; q < kBrackets; ++q)
            shared.below[q] = 0;
        for (int t = 0; t < kTies; ++t) {
            shared.tieCount[t] = 0;
            shared.tieKey[t] = totals->tie[t].key;
        }
    }
    Bracket bracket[kBrackets];
    for (int q = 0; q < kBrackets; ++q)
        bracket[q] = totals->bracket[q];
    const int ties = static_cast<int>(totals->ties);
    __syncthreads();

    Tally tally = {};
    const SharedAddress bottom = static_cast<SharedAddress>(__cvta_generic_to_shared(column));
    tally.top = bottom;
    const auto depth = [&] { return static_cast<U32>((tally.top - bottom) / (kSpanThreads * sizeof(U64))); };
    const auto flushIfFull = [&] {
        if (!kQuantiles || !__any_sync(kAll, depth() > kStackDepth - 4))
            return;
        flush(column, depth(), totals, list, capacity);
        tally.top = bottom;
    };
    const I64 spanFirst = static_cast<I64>(blockIdx.x) * kSpan;
    for (int block = warp; block < kBlocks; block += kSpanThreads / kWarp) {
        const I64 first = spanFirst + block * kBlock;
#pragma unroll
        for (int j = 0; j < 4; ++j)
            tally.sum[j] = tally.squares[j] = 0;
        if (first + kBlock <= count && wide) {
#pragma unroll 1
            for (int row = 0; row < 8; row += 2) {
                const I64 at = first + row * 128 + 4 * lane;
                const Four r0 = *reinterpret_cast<const Four*>(reference + at);
                const Four c0 = *reinterpret_cast<const Four*>(candidate + at);
                const Four r1 = *reinterpret_cast<const Four*>(reference + at + 128);
                const Four c1 = *reinterpret_cast<const Four*>(candidate + at + 128);
                takeFour<kQuantiles>(r0, c0, 15, tally, bracket, ties, shared);
                flushIfFull();
                takeFour<kQuantiles>(r1, c1, 15, tally, bracket, ties, shared);
                flushIfFull();
            }
        } else if (first < count) {
#pragma unroll 1
            for (int row = 0; row < 8; ++row) {
                const I64 at = first + row * 128 + 4 * lane;
                const I64 left = count - at;
                const U32 there = left >= 4 ? 15U : left > 0 ? (1U << left) - 1 : 0U;
                takeFour<kQuantiles>(loadFour(reference, at, count, wide), loadFour(candidate, at, count, wide), there, tally,
                                     bracket, ties, shared);
                flushIfFull();
            }
        }
        const double folded = foldLanes(tally.sum, tally.squares);
        if (lane == 0)
            shared.sum[block] = folded;
        if (lane == kWarp / 2)
            shared.squares[block] = folded;
    }
    if (kQuantiles)
        flush(column, depth(), totals, list, capacity);
    tally.different = warpSum(tally.different);
    tally.ulp = warpMax(tally.ulp);
    if constexpr (kQuantiles) {
        for (int q = 0; q < kBrackets; ++q)
            tally.below[q] = warpSum(tally.below[q]);
        for (int half = 0; half < kTies / 2; ++half)
            tally.equal[half] = warpSum(tally.equal[half]);
    }
    if (lane == 0) {
        atomicAdd(&shared.different, tally.different);
        atomicMax(&shared.maxUlp, static_cast<U64>(tally.ulp));
        if constexpr (kQuantiles) {
            for (int q = 0; q < kBrackets; ++q)
                atomicAdd(&shared.below[q], tally.below[q]);
            for (int t = 0; t < kTies; ++t)
                atomicAdd(&shared.tieCount[t], tally.equal[t / 2] >> (16 * (t % 2)) & 0xFFFFU);
        }
    }
    __syncthreads();
    if (warp != 0)
        return;
    const double sum = warpSum(shared.sum[lane] + shared.sum[lane + kWarp]);
    const double squares = warpSum(shared.squares[lane] + shared.squares[lane + kWarp]);
    if (lane != 0)
        return;
    spans[blockIdx.x] = {sum, squares, shared.maxAbsolute};
    const auto add = [](U64* total, U32 part) {
        if (part != 0)
            atomicAdd(total, static_cast<U64>(part));
    };
    add(&totals->bitDifferent, shared.different);
    for (int i = 0; i < 3; ++i) {
        add(&totals->referenceClasses[i], shared.classes[0][i + 1]);
        add(&totals->candidateClasses[i], shared.classes[1][i + 1]);
    }
    add(&totals->classMismatch, shared.mismatch);
    add(&totals->notFinite, shared.notFinite);
    add(&totals->relativeUndefined, shared.undefined);
    atomicMax(&totals->maxRelative, shared.maxRelative);
    atomicMax(&totals->maxUlp, shared.maxUlp);
    if constexpr (kQuantiles) {
        for (int q = 0; q < kBrackets; ++q)
            add(&totals->below[q], shared.below[q]);
        for (int t = 0; t < kTies; ++t)
            add(&totals->tie[t].count, shared.tieCount[t]);
    }
}

// ---- selection of order statistics --------------------------------------------------------------------------------------------

/// One round of a selection: every key of @p source goes into the bin of each target that it lies in; the last block to finish
/// says for each target which bin holds its rank, and that bin becomes the target's range.
///
/// @param keep  where given, keys that are still in question are written there, @p room of them at most
template <typename Source>
__device__ __forceinline__ void narrow(const Source& source, U64 length, Target* targets, int targetCount, Totals* totals,
                                       U64* histogram, bool withTies, U64* keep, U64 room)
{
    __shared__ U32 bins[kTargets][kBins];
    __shared__ U64 low[kTargets];
    __shared__ U32 shift[kTargets];
    __shared__ int which[kTargets];
    __shared__ int binsOf[kTargets]; // targets with one range share its bins
    __shared__ int searching;
    __shared__ int ranges;
    __shared__ U32 last;
    __shared__ U64 warpTotal[kSelectThreads / kWarp];
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
        searching = 0;
        ranges = 0;
        for (int t = 0; t < targetCount; ++t) {
            if (targets[t].state != kSearching)
                continue;
            int range = 0;
            while (range < ranges && (low[range] != targets[t].low || shift[range] != targets[t].shift))
                ++range;
            if (range == ranges) {
                low[range] = targets[t].low;
                shift[range] = targets[t].shift;
                ++ranges;
            }
            binsOf[searching] = range;
            which[searching] = t;
            ++searching;
        }
    }
    __syncthreads();
    const int open = ranges;
    if (open == 0)
        return;
    for (int t = 0; t < open; ++t) {
        for (int bin = thread; bin < kBins; bin += kSelectThreads)
            bins[t][bin] = 0;
    }
    __syncthreads();

    constexpr int kTogether = 4; // keys on their way at a time
    const U64 stride = static_cast<U64>(gridDim.x) * kSelectThreads;
    for (U64 start = static_cast<U64>(blockIdx.x) * kSelectThreads; start < length; start += kTogether * stride) {
        U64 key[kTogether];
#pragma unroll
        for (int k = 0; k < kTogether; ++k) {
            const U64 i = start + static_cast<U64>(k) * stride + static_cast<U64>(thread);
            key[k] = i < length ? source(i) : kNoKey;
        }
#pragma unroll
        for (int k = 0; k < kTogether; ++k) {
            bool inQuestion = false;
            for (int t = 0; t < open; ++t) {
                // Keys below `low`, and kNoKey, wrap around to something far beyond the last bin.
                const U64 bin = (key[k] - low[t]) >> shift[t];
                if (bin >= kBins)
                    continue;
                atomicAdd(&bins[t][bin], 1U);
                inQuestion = true;
            }
            if (keep == nullptr)
                continue;
            const U32 vote = __ballot_sync(kAll, inQuestion);
            if (vote == 0)
                continue;
            U64 at = 0;
            if (thread % kWarp == 0)
                at = atomicAdd(&totals->narrowed, static_cast<U64>(__popc(vote)));
            at = __shfl_sync(kAll, at, 0) + static_cast<U64>(__popc(vote & ((1U << (thread % kWarp)) - 1)));
            if (inQuestion && at < room)
                keep[at] = key[k];
        }
    }
    __syncthreads();
    for (int t = 0; t < open; ++t) {
        for (int bin = thread; bin < kBins; bin += kSelectThreads) {
            if (bins[t][bin] != 0)
                atomicAdd(&histogram[t * kBins + bin], static_cast<U64>(bins[t][bin]));
        }
    }
    if (withTies && blockIdx.x == 0 && thread < open * kTies && thread % kTies < static_cast<int>(totals->ties)) {
        const Tie& tie = totals->tie[thread % kTies];
        const U64 bin = (tie.key - low[thread / kTies]) >> shift[thread / kTies];
        if (bin < kBins && tie.count != 0)
            atomicAdd(&histogram[thread / kTies * kBins + static_cast<int>(bin)], tie.count);
    }
    __threadfence();
    __syncthreads();
    if (thread == 0)
        last = atomicAdd(&totals->ticket, 1U) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    __threadfence();

    // Two warps for each target, some neighbouring bins for each thread: which bin holds the rank?
    constexpr int kThreads = 2 * kWarp;
    constexpr int kOwn = kBins / kThreads;
    static_assert(kThreads * kTargets <= kSelectThreads);
    const int mine = thread / kThreads;
    const int place = thread % kThreads;
    const bool busy = mine < searching;
    const int range = busy ? binsOf[mine] : 0;
    U64 count[kOwn];
    U64 upTo = 0;
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
        count[k] = busy ? *static_cast<volatile U64*>(&histogram[range * kBins + place * kOwn + k]) : 0;
        upTo += count[k];
    }
    U64 before = upTo;
    for (int step = 1; step < kWarp; step *= 2) {
        const U64 other = __shfl_up_sync(kAll, upTo, step);
        if (thread % kWarp >= step)
            upTo += other;
    }
    if (thread % kWarp == kWarp - 1)
        warpTotal[thread / kWarp] = upTo;
    const U64 rank = busy ? targets[which[mine]].rank : 0;
    __syncthreads();
    for (int bin = thread; bin < open * kBins; bin += kSelectThreads)
        histogram[bin] = 0;
    if (thread == 0)
        totals->ticket = 0;
    if (!busy)
        return;
    if (place >= kWarp)
        upTo += warpTotal[thread / kWarp - 1];
    before = upTo - before;
    Target& target = targets[which[mine]];
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
        if (before < rank && rank <= before + count[k]) {
            target.rank = rank - before;
            target.low = low[range] + (static_cast<U64>(place * kOwn + k) << shift[range]);
            target.ties = count[k];
            target.state = shift[range] == 0 ? kFound : kSearching;
            target.shift = shift[range] > kBinBits ? shift[range] - kBinBits : 0;
        }
        before += count[k];
    }
    if (place == kThreads - 1 && rank > upTo)
        target.state = kMissed;
}

struct ListSource {
    const U64* keys;
    __device__ __forceinline__ U64 operator()(U64 i) const { return keys[i]; }
};

struct TensorSource {
    const Bits* reference;
    const Bits* candidate;
    __device__ __forceinline__ U64 operator()(U64 i) const { return pairKey(reference[i], candidate[i]); }
};

// ---- largest errors -----------------------------------------------------------------------------------------------------------

/// Something with a key and a place; more is a larger key, among equals the earlier place.
struct Ranked {
    U64 key;
    I64 place;
};

__device__ __forceinline__ bool beats(const Ranked& a, const Ranked& b)
{
    return a.key > b.key || (a.key == b.key && a.place < b.place);
}

__device__ __forceinline__ Ranked warpBest(Ranked best)
{
    for (int step = kWarp / 2; step > 0; step /= 2) {
        const Ranked other{__shfl_xor_sync(kAll, best.key, step), __shfl_xor_sync(kAll, best.place, step)};
        if (beats(other, best))
            best = other;
    }
    return best;
}

/// The best of a thread block of kWideThreads, the same for every thread.
__device__ Ranked blockBest(Ranked best)
{
    __shared__ Ranked ofWarp[kWideThreads / kWarp];
    best = warpBest(best);
    __syncthreads();
    if (threadIdx.x % kWarp == 0)
        ofWarp[threadIdx.x / kWarp] = best;
    __syncthreads();
    return warpBest(ofWarp[threadIdx.x % kWarp]);
}

constexpr I64 kNowhere = 0x7FFFFFFFFFFFFFFFLL;

/// The best after @p previous among places first, first + stride, ... below @p end, looked up by the threads lane, lane + lanes,
/// ...
template <typename KeyAt>
__device__ __forceinline__ Ranked bestAfter(const KeyAt& keyAt, const Ranked& previous, I64 first, I64 stride, I64 end)
{
    Ranked best{0, kNowhere};
    for (I64 place = first; place < end; place += stride) {
        const Ranked here{keyAt(place), place};
        if (here.key != kNoKey && beats(previous, here) && beats(here, best))
            best = here;
    }
    return best;
}

/// Calls @p take for the @p wanted best places in [0, end) with a key of at least @p atLeast, which is not 0, best first.
template <typename KeyAt, typename Take>
__device__ __forceinline__ int takeBest(const KeyAt& keyAt, I64 end, U64 atLeast, int wanted, const Take& take)
{
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % kWarp;
    Ranked mine = bestAfter(keyAt, Ranked{kNoKey, -1}, thread, kWideThreads, end);
    for (int taken = 0; taken < wanted; ++taken) {
        const Ranked best = blockBest(mine);
        if (best.place == kNowhere || best.key < atLeast)
            return taken;
        if (thread == 0)
            take(taken, best);
        // Its owner needs another; the owner's warp looks through its places together.
        const I64 owner = best.place % kWideThreads;
        if (owner / kWarp == thread / kWarp) {
            const Ranked next = warpBest(bestAfter(keyAt, best, owner + static_cast<I64>(lane) * kWideThreads,
                                                   static_cast<I64>(kWarp) * kWideThreads, end));
            if (owner == thread)
                mine = next;
        }
    }
    return wanted;
}

/// Sorts kWideThreads things, best first.
__device__ void sortBestFirst(Ranked* items)
{
    const int thread = static_cast<int>(threadIdx.x);
    for (int size = 2; size <= kWideThreads; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            const int partner = thread ^ step;
            if (partner <= thread)
                continue;
            const Ranked a = items[thread];
            const Ranked b = items[partner];
            if ((thread & size) == 0 ? beats(b, a) : beats(a, b)) {
                items[thread] = b;
                items[partner] = a;
            }
        }
    }
    __syncthreads();
}

/// takeBest() of all with a key above 0, faster: the best of each thread are sorted, and only the threads among the first can
/// hold more of the best, each a few.
template <typename KeyAt, typename Take>
__device__ __forceinline__ int takeBestSorted(const KeyAt& keyAt, I64 end, int wanted, const Take& take)
{
    __shared__ Ranked items[kWideThreads];
    __shared__ int found;
    const int thread = static_cast<int>(threadIdx.x);
    const I64 each = (end + kWideThreads - 1) / kWideThreads;
    if (each * wanted > kWideThreads)
        return takeBest(keyAt, end, 1, wanted, take);
    items[thread] = bestAfter(keyAt, Ranked{kNoKey, -1}, thread, kWideThreads, end);
    if (thread == 0)
        found = 0;
    sortBestFirst(items);
    const Ranked least = items[wanted - 1];
    __syncthreads();
    items[thread] = Ranked{0, kNowhere};
    __syncthreads();
    for (I64 place = thread; place < end; place += kWideThreads) {
        const Ranked here{keyAt(place), place};
        if (here.key > 0 && !beats(least, here))
            items[atomicAdd(&found, 1)] = here;
    }
    sortBestFirst(items);
    const int taken = found < wanted ? found : wanted;
    if (thread < taken)
        take(thread, items[thread]);
    return taken;
}

} // namespace

// ---- entry points -------------------------------------------------------------------------------------------------------------

/// Keys of the errors at one pseudo-random place in each of @p strata strata.
ASSAY_KERNEL void sampleErrors(const Bits* reference, const Bits* candidate, I64 count, I64 strata, U64* keys, Totals* totals)
{
    const I64 s = static_cast<I64>(blockIdx.x) * kSelectThreads + static_cast<I64>(threadIdx.x);
    U64 key = kNoKey;
    if (s < strata) {
        const I64 each = count / strata;
        const I64 longer = count % strata;
        const I64 begin = s * each + (s < longer ? s : longer);
        const U64 width = static_cast<U64>(each + (s < longer ? 1 : 0));
        // SplitMix64 of the stratum's number: the same places in every run.
        U64 mixed = static_cast<U64>(s + 2) * 0x9E3779B97F4A7C15ULL;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
        mixed ^= mixed >> 31;
        const I64 place = begin + static_cast<I64>(mixed % width);
        key = pairKey(reference[place], candidate[place]);
        keys[s] = key;
    }
    const U32 finite = __popc(__ballot_sync(kAll, key != kNoKey));
    if (threadIdx.x % kWarp == 0 && finite != 0)
        atomicAdd(&totals->sampled, static_cast<U64>(finite));
}

/// The ranks in the sample between which each quantile must lie: four standard deviations to either side (quantile_bracket.h).
ASSAY_KERNEL void aimSample(Totals* totals, double p0, double p1, double p2, double p3, int quantiles)
{
    const double probability[kBrackets] = {p0, p1, p2, p3};
    const double n = static_cast<double>(totals->sampled);
    for (int q = 0; q < kBrackets; ++q) {
        Target ends[2];
        for (int k = 0; k < 2; ++k)
            ends[k] = {0, 0, 0, ~0ULL, 63 - kBinBits, kUnused};
        const double middle = n * probability[q];
        const double spread = 4 * sqrt(n * probability[q] * (1 - probability[q])) + 2;
        if (q < quantiles && middle - spread >= 0) {
            ends[0].rank = static_cast<U64>(floor(middle - spread)) + 1;
            ends[0].state = kSearching;
        }
        if (q < quantiles && middle + spread <= n - 1) {
            ends[1].rank = static_cast<U64>(ceil(middle + spread)) + 1;
            ends[1].state = kSearching;
        }
        totals->sample[2 * q] = ends[0];
        totals->sample[2 * q + 1] = ends[1];
    }
}

ASSAY_KERNEL void __launch_bounds__(kSelectThreads) narrowSample(const U64* keys, U64 length, Totals* totals, U64* histogram)
{
    narrow(ListSource{keys}, length, totals->sample, kTargets, totals, histogram, false, nullptr, 0);
}

/// Turns the order statistics of the sample, known but for their last bits, into brackets. An end that the sample met often
/// becomes a tie, with zeros for its last bits, as errors of few significant bits have them: were it another number after all,
/// the list might have no room for it, and nothing worse.
ASSAY_KERNEL void placeBrackets(Totals* totals, int quantiles)
{
    U32 ties = 0;
    for (int q = 0; q < kBrackets; ++q) {
        totals->bracket[q] = {0x7FFFFFFFU, 0};
        totals->target[q].state = kUnused;
        if (q >= quantiles)
            continue;
        U32 end[2] = {0, static_cast<U32>(kInfiniteKey >> 32)};
        for (int k = 0; k < 2; ++k) {
            const Target& found = totals->sample[2 * q + k];
            if (found.state == kUnused || found.state == kMissed)
                continue;
            end[k] = static_cast<U32>(found.low >> 32);
            bool known = found.ties < kNoTie || ties == kTies;
            for (U32 t = 0; t < ties; ++t)
                known |= totals->tie[t].key == found.low;
            if (!known)
                totals->tie[ties++].key = found.low;
        }
        const U32 width = end[1] - end[0] + 1;
        totals->bracket[q] = {end[0], width};
        const U64 from = static_cast<U64>(end[0]) << 32;
        const U64 last = (static_cast<U64>(end[1]) << 32) | 0xFFFFFFFFU;
        totals->target[q]
            = {from, 0, 0, last, static_cast<U32>(64 - __clzll(static_cast<I64>(last - from)) - kBinBits), kSearching};
    }
    totals->ties = ties;
}

/// Everything but the quantiles and the largest errors, span by span; with quantiles, also what their selection needs.
ASSAY_KERNEL void __launch_bounds__(kSpanThreads, 3)
    measureSpans(const Bits* reference, const Bits* candidate, I64 count, int wide, Totals* totals, SpanRecord* spans)
{
    measure<false>(reference, candidate, count, wide != 0, totals, spans, nullptr, 0);
}

ASSAY_KERNEL void __launch_bounds__(kSpanThreads, 3)
    measureSpansAndKeep(const Bits* reference, const Bits* candidate, I64 count, int wide, Totals* totals, SpanRecord* spans,
                        U64* list, U64 capacity)
{
    measure<true>(reference, candidate, count, wide != 0, totals, spans, list, capacity);
}

/// Folds the spans' sums, chooses the spans that may hold the @p worst largest errors, and says which ranks to select.
ASSAY_KERNEL void __launch_bounds__(kWideThreads)
    finish(I64 count, I64 spanCount, Totals* totals, SpanRecord* spans, double p0, double p1, double p2, double p3, int quantiles,
           int worst, I64* chosen, U64 capacity)
{
    __shared__ double sum[kWideThreads];
    __shared__ double squares[kWideThreads];
    const I64 thread = static_cast<I64>(threadIdx.x);

    // The spans that may hold them: those with the largest maxima, the earlier among equals.
    const auto maximum = [spans](I64 span) { return spans[span].maxAbsolute; };
    const int taken = takeBestSorted(maximum, spanCount, worst > 0 ? worst : 1, [=](int i, const Ranked& span) {
        if (i == 0)
            totals->maxAbsolute = span.key;
        if (i < worst)
            chosen[i] = span.place;
    });
    if (thread == 0)
        totals->chosenSpans = static_cast<U32>(taken < worst ? taken : worst);
    __syncthreads();

    // Fold by halves, as if the number of spans were a power of two: each thread stays within its own places until 1024 are left.
    I64 half = kWideThreads;
    while (half < spanCount)
        half *= 2;
    for (half /= 2; half >= kWideThreads; half /= 2) {
        for (I64 i = thread; i < half && i + half < spanCount; i += kWideThreads) {
            spans[i].sum += spans[i + half].sum;
            spans[i].sumOfSquares += spans[i + half].sumOfSquares;
        }
    }
    sum[thread] = thread < spanCount ? spans[thread].sum : 0;
    squares[thread] = thread < spanCount ? spans[thread].sumOfSquares : 0;
    for (I64 step = kWideThreads / 2; step > 0; step /= 2) {
        __syncthreads();
        if (thread < step) {
            sum[thread] += sum[thread + step];
            squares[thread] += squares[thread + step];
        }
    }
    if (thread != 0)
        return;
    totals->sum = sum[0];
    totals->sumOfSquares = squares[0];
    const double probability[kBrackets] = {p0, p1, p2, p3};
    const U64 finite = static_cast<U64>(count) - totals->notFinite;
    for (int q = 0; q < quantiles; ++q) {
        Target& target = totals->target[q];
        const U64 rank = rankOf(probability[q], finite);
        const U64 below = totals->below[q];
        target.rank = rank - below;
        if (finite == 0)
            target.state = kUnused;
        else if (rank <= below || totals->kept > capacity)
            target.state = kMissed;
    }
}

/// The @p worst largest errors of each chosen span that can be among the largest of the tensor; kWorstParts blocks for each span.
ASSAY_KERNEL void __launch_bounds__(kWideThreads)
    collectWorst(const Bits* reference, const Bits* candidate, I64 count, Totals* totals, const SpanRecord* spans,
                 const I64* chosen, int worst, WorstPair* pairs)
{
    const int span = static_cast<int>(blockIdx.x) / kWorstParts;
    const int chosenSpans = static_cast<int>(totals->chosenSpans);
    if (span >= chosenSpans)
        return;
    // With as many spans as wanted errors, nothing below the least of their maxima is among the largest.
    const U64 atLeast = chosenSpans == worst ? spans[chosen[worst - 1]].maxAbsolute : 1;
    constexpr I64 kPart = kSpan / kWorstParts;
    const I64 first = chosen[span] * kSpan + static_cast<I64>(blockIdx.x) % kWorstParts * kPart;
    const I64 length = count - first < kPart ? count - first : kPart;
    const auto keyAt = [=](I64 i) { return pairKey(reference[first + i], candidate[first + i]); };
    takeBest(keyAt, length, atLeast, worst, [=](int, const Ranked& pair) {
        const I64 at = first + pair.place;
        pairs[atomicAdd(&totals->worstPairs, 1ULL)]
            = {at, static_cast<U64>(reference[at]), static_cast<U64>(candidate[at]), pair.key};
    });
}

/// A round among the kept errors. @p round 1 writes out what is still in question, later ones read that where it found room.
ASSAY_KERNEL void __launch_bounds__(kSelectThreads)
    narrowKept(const U64* list, U64 capacity, U64* narrowed, U64 room, int round, Totals* totals, U64* histogram)
{
    if (totals->kept > capacity)
        return;
    if (round >= 2 && totals->narrowed <= room) {
        narrow(ListSource{narrowed}, totals->narrowed, totals->target, kBrackets, totals, histogram, true, nullptr, 0);
        return;
    }
    narrow(ListSource{list}, totals->kept, totals->target, kBrackets, totals, histogram, true, round == 1 ? narrowed : nullptr,
           room);
}

/// A round among all pairs: slow, and right whatever the sample said.
ASSAY_KERNEL void __launch_bounds__(kSelectThreads)
    narrowTensors(const Bits* reference, const Bits* candidate, U64 count, Totals* totals, U64* histogram)
{
    narrow(TensorSource{reference, candidate}, count, totals->target, kBrackets, totals, histogram, false, nullptr, 0);
}
