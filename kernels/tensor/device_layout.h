// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the device code of the comparison (compare_kernels.cu) and its host exchange. Compiled by both, so without any library:
// every member has the same size and place on either side.
namespace assay::tensor::device {

inline constexpr int kSpanThreads = 256;   ///< of measureSpans
inline constexpr int kWideThreads = 1024;  ///< of the kernels with one block, or one per span
inline constexpr int kSelectThreads = 512; ///< of the selection's kernels
inline constexpr int kBrackets = 4;        ///< quantiles that one pass places
inline constexpr int kTargets = 8;         ///< order statistics that one selection finds: two ends for each bracket
inline constexpr int kBins = 1024;         ///< of a selection's histogram
inline constexpr int kBinBits = 10;
inline constexpr int kStackDepth = 16;              ///< errors inside a bracket that a thread keeps before it writes them out
inline constexpr int kTies = 4;                     ///< errors so common that they are counted instead of kept
inline constexpr int kEndBits = 23;                 ///< low bits of a key that the selection in the sample leaves open
inline constexpr int kWorstParts = 8;               ///< blocks that look through one span for the largest errors
inline constexpr unsigned kNoTie = 16;              ///< an error met fewer times than this in the sample is not counted apart
inline constexpr unsigned long long kNoKey = ~0ULL; ///< the key of a pair that is not finite: behind every error

/// One order statistic on its way. Keys are the bits of an absolute error, which order like the errors.
struct Target {
    unsigned long long low;  ///< every key below is settled
    unsigned long long rank; ///< 1-based, among the keys from `low` on
    unsigned long long ties; ///< keys in the bin that was chosen last
    unsigned long long last; ///< the largest key that may be the answer: beyond, not every key is known
    unsigned shift;          ///< a bin is 2^shift keys wide
    unsigned state;          ///< see the constants below
};
inline constexpr unsigned kSearching = 0;
inline constexpr unsigned kFound = 1;
inline constexpr unsigned kMissed = 2; ///< fewer keys than the rank, or keys that found no room: nothing may be said
inline constexpr unsigned kUnused = 3;

/// Between which high words of the keys one quantile must lie.
struct Bracket {
    unsigned low;   ///< high word of the lowest key inside
    unsigned width; ///< high words inside; 0: not in use
};

/// A key so common that it is counted instead of kept.
struct Tie {
    unsigned long long key;
    unsigned long long count;
};

/// What the pass adds up over the whole tensor, and what the selections leave.
struct Totals {
    unsigned long long bitDifferent;
    unsigned long long referenceClasses[3]; ///< NaN, +Inf, -Inf
    unsigned long long candidateClasses[3];
    unsigned long long classMismatch;
    unsigned long long notFinite; ///< pairs with a side that is not finite
    unsigned long long relativeUndefined;
    unsigned long long maxAbsolute; ///< bits of the double
    unsigned long long maxRelative; ///< bits of the double
    unsigned long long maxUlp;
    double sum;
    double sumOfSquares;
    unsigned long long below[kBrackets]; ///< keys whose high word lies below the bracket
    unsigned long long kept;             ///< keys inside a bracket that were written out, or had no room
    unsigned long long narrowed;         ///< of these, those still in question after the first bins
    unsigned long long sampled;          ///< finite pairs in the sample
    unsigned long long worstPairs;       ///< pairs that may be among the largest errors
    unsigned ties;
    unsigned chosenSpans; ///< spans that may hold one of the largest errors
    Tie tie[kTies];
    Bracket bracket[kBrackets];
    Target sample[kTargets];
    Target target[kBrackets];
    unsigned ticket; ///< blocks of a selection that are through
    unsigned spare;
};

/// What the pass says of one span.
struct SpanRecord {
    double sum;
    double sumOfSquares;
    unsigned long long maxAbsolute; ///< bits of the double
};

/// A pair with one of the largest errors of its span.
struct WorstPair {
    long long position;
    unsigned long long reference; ///< bits of the element
    unsigned long long candidate;
    unsigned long long key; ///< of its error
};

} // namespace assay::tensor::device
