#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The statistics of kernels/tensor/compare.h in numpy, for fp32: what compare() is measured against.

usage: tests/bench/compare_numpy.py FOLDER [REPEATS]

Reads FOLDER/reference.npy and FOLDER/candidate.npy and prints the best time and the statistics as JSON, as `bench_compare cpu` does.
Written as one would for speed: chunks that stay in the cache, buffers used again, differences in fp64 once, the slow way only for
chunks with something that is not finite, one partition for all quantiles. numpy computes this on one thread.
"""
import json
import sys
import time

import numpy as np

CHUNK = 1 << 15
QUANTILES = (0.5, 0.9, 0.99, 0.999)
WORST = 20


def classes(values):
    """How many are NaN, +Inf, -Inf."""
    return np.array([np.count_nonzero(np.isnan(values)), np.count_nonzero(values == np.inf), np.count_nonzero(values == -np.inf)])


def class_of(values):
    return np.isnan(values) * 1 + (values == np.inf) * 2 + (values == -np.inf) * 3


def ordered(values):
    """Integers that order like the floats; -0 and +0 are both 0."""
    bits = values.view(np.int32)
    return np.where(bits < 0, np.int32(-2147483648) - bits, bits)


def ulp_distance(reference, candidate):
    return np.abs(ordered(reference).astype(np.int64) - ordered(candidate))


class Statistics:
    """Adds up chunk by chunk; absolute errors of finite pairs are kept for the quantiles."""

    def __init__(self, count):
        self.errors = np.empty(count)
        self.kept = 0
        self.chunk_maxima = []
        self.bit_different = self.class_mismatch = self.relative_undefined = self.max_ulp = 0
        self.reference_classes = np.zeros(3, np.int64)
        self.candidate_classes = np.zeros(3, np.int64)
        self.total = self.squares = self.max_relative = 0.0
        self.wide = np.empty(CHUNK)
        self.quotient = np.empty(CHUNK)

    def add(self, reference, candidate):
        different = np.count_nonzero(reference.view(np.int32) != candidate.view(np.int32))
        finite = np.isfinite(reference) & np.isfinite(candidate)
        if not finite.all():
            reference, candidate, different = self.leave_out(reference, candidate, finite, different)
        self.bit_different += different
        n = reference.size
        error = self.errors[self.kept:self.kept + n]
        self.kept += n
        if n == 0:
            self.chunk_maxima.append(0.0)
            return
        wide = self.wide[:n]
        wide[:] = reference
        np.subtract(candidate, wide, out=error)
        np.abs(error, out=error)
        np.abs(wide, out=wide)
        self.chunk_maxima.append(error.max())
        self.total += error.sum()
        self.squares += np.dot(error, error)
        quotient = self.quotient[:n]
        if wide.min() > 0:
            np.divide(error, wide, out=quotient)
            self.max_relative = max(self.max_relative, quotient.max())
        else:
            some = wide > 0
            self.relative_undefined += np.count_nonzero(error[~some])
            if some.any():
                self.max_relative = max(self.max_relative, (error[some] / wide[some]).max())
        self.max_ulp = max(self.max_ulp, int(ulp_distance(reference, candidate).max()))

    def leave_out(self, reference, candidate, finite, different):
        left, right = reference[~finite], candidate[~finite]
        self.reference_classes += classes(left)
        self.candidate_classes += classes(right)
        self.class_mismatch += np.count_nonzero(class_of(left) != class_of(right))
        both = np.isnan(left) & np.isnan(right)
        different -= np.count_nonzero(left[both].view(np.int32) != right[both].view(np.int32))
        return reference[finite], candidate[finite], different


def worst_positions(reference, candidate, chunk_maxima, threshold):
    """Positions of the largest errors, largest first, then by position; only chunks that can hold one are looked at again."""
    found = []
    for index in np.flatnonzero(np.array(chunk_maxima) >= threshold):
        start = int(index) * CHUNK
        with np.errstate(invalid="ignore"):
            error = np.abs(candidate[start:start + CHUNK].astype(np.float64) - reference[start:start + CHUNK])
        inside = np.isfinite(error) & (error >= threshold) & (error > 0)
        found += [(-error[i], start + int(i)) for i in np.flatnonzero(inside)]
    return [position for _, position in sorted(found)[:WORST]]


def compare(reference, candidate):
    count = reference.size
    statistics = Statistics(count)
    for start in range(0, count, CHUNK):
        statistics.add(reference[start:start + CHUNK], candidate[start:start + CHUNK])
    errors = statistics.errors[:statistics.kept]
    finite = errors.size
    ranks = [min(max(int(np.ceil(q * finite)), 1), finite) - 1 for q in QUANTILES] if finite else []
    least_of_worst = max(finite - WORST, 0)
    if finite:
        errors.partition(sorted(set(ranks + [least_of_worst])))
    return {
        "count": count,
        "bit_different": statistics.bit_different,
        "reference": statistics.reference_classes.tolist(),
        "candidate": statistics.candidate_classes.tolist(),
        "class_mismatch": statistics.class_mismatch,
        "finite_pairs": finite,
        "relative_undefined": statistics.relative_undefined,
        "max_absolute": float(max(statistics.chunk_maxima, default=0.0)),
        "max_relative": float(statistics.max_relative),
        "max_ulp": statistics.max_ulp,
        "mean_absolute": float(statistics.total / finite) if finite else 0.0,
        "rms": float(np.sqrt(statistics.squares / finite)) if finite else 0.0,
        "quantiles": [float(errors[rank]) for rank in ranks],
        "worst": worst_positions(reference, candidate, statistics.chunk_maxima, errors[least_of_worst]) if finite else [],
    }


def main():
    folder = sys.argv[1]
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    reference, candidate = (np.load(f"{folder}/{name}.npy").reshape(-1) for name in ("reference", "candidate"))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        found = compare(reference, candidate)
        times.append(time.perf_counter() - start)
    print(f"comparison in numpy, threads: 1, best of {repeats}\t{min(times):.6g}\ts")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
